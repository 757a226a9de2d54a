#!/bin/bash
# Unmodified programs, one per line: what they say and how they end is the same
# natively and recorded, and nothing of it reaches the real files.  Each process
# that comes of them ends with the same status and the same open descriptors.
# LONG=1: more programs.
. tests/support/lib.sh
unpacked
export DATA=$TMP/data HOME=$TMP/data COLUMNS=80 LINES=25 TERM=dumb
mkdir "$DATA" "$DATA/tree" "$DATA/tree/sub"

# ---- something to work on, the same in every run ----
cd "$DATA" || exit 1
seq 1 3000 | awk '{ printf "%d line %s of %x, %.3f\n", $1, substr("abcdefghijklmnopqrstuvwxyz", $1 % 20, 5), $1 * 7919, $1 / 7 }' >text
awk '{ print $1 "," $3 "," $5 }' text | head -n 200 >table.csv
printf 'one\ntwo\nthree\n' >tree/small
printf 'all: 1 2 3 4\n\tcat *.out; exit 3\n%%:\n\t@seq 20 | grep $@ >$@.out\n' >makefile
ln -s ../small tree/sub/link
printf 'int counter = 3;\nstatic int twice(int n) { return n * 2; }\nint main(int argc, char **argv) { return twice(argc) + counter; }\n' >program.c
$CC -g -O0 -o program program.c && $CC -c -o program.o program.c || exit 1
ar rcD archive.a program.o
printf '.Dd January 1, 2020\n.Dt PAGE 1\n.Os\n.Sh NAME\n.Nm page\n.Nd a page\n.Sh DESCRIPTION\nWords of\n.Em some\nlength.\n' >page.1
python3 - <<'P' || exit 1
import struct
with open("packets.pcap", "wb") as f:
    f.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
    for i in range(300):
        body = bytes((i + j) & 255 for j in range(i % 60))
        udp = struct.pack(">HHHH", 1000 + i, 53 if i % 3 else 7, 8 + len(body), 0) + body
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), i, 0, 64, 17, 0,
                         bytes([10, 0, 0, i % 250 + 1]), bytes([192, 168, 1, 1]))
        frame = b"\x02" + b"\0" * 5 + b"\x02" + b"\1" * 5 + b"\x08\0" + ip + udp
        f.write(struct.pack("<IIII", 1700000000 + i, i * 1000, len(frame), len(frame)) + frame)
P
cat >script.bash <<'S'
for i in 1 2 3; do echo "line $i"; printf '%s-%03d\n' x "$i"; done
echo to stderr >&2
declare -A map=([a]=1); declare -p map
x=$(echo nested | tr a-z A-Z); echo "$x"
nonexistent-command; echo "status $?"
cat <<end
here, $((6 * 7))
end
exec 3>other; echo 'into a file' >&3; cat other
exit 5
S
cat >script.sql <<'S'
create table t(id integer primary key, name text, x real);
with recursive c(i) as (select 1 union all select i + 1 from c where i < 30)
insert into t select i, 'name ' || i * 7 % 13, i / 7.0 from c;
select * from t; select name, count(*), avg(x) from t group by name;
select nothing from nowhere;
.schema
S
cat >script.pl <<'S'
$| = 1; printf "%-10s|%5.2f|%s\n", "perl", 3.14159, join ",", map { $_ ** 2 } 1 .. 10;
print STDERR "to stderr\n"; warn "a warning"; print "x" x 5000, "\n"; die "the end";
S
cat >script.awk <<'S'
{ sum[$3] += $1; n++ } END { for (i = 1; i <= 5; i++) printf "%5d %s\n", i * n, "x" > "/dev/stderr"
  for (k in sum) print k, sum[k] | "sort"; close("sort"); printf "%c%c %e\n", 65, "b", n; exit 3 }
S
find . -exec touch -h -d @1700000000 {} +
cd "$OLDPWD" || exit 1

# ---- the programs; those that are not installed are left out ----
build fds -static
fds=("$TMP/fds" ../fds)
if ! "$TMP/fds" "$TMP/list" true; then
	skip "descriptors at the end: needs ptrace"
	fds=()
fi
# In any order, since children end in any; temporary files have any names.
ends() { # DIR
	[ ! -e "$1/fds" ] || sed -E "s|$1/(real\.)?|DIR/|g; s|$TMP|TMP|g
		s|/tmp/[^ ]*|/tmp/X|g; s/\[[0-9]+\]//g; s|/proc/[0-9]+|/proc/PID|g" "$1/fds" | sort
}
programs() { # each line of stdin as natively
	local line program why
	while read -r line; do
		program=${line%% *}
		[ -n "$line" ] || continue
		if ! type -P "$program" >/dev/null; then
			skip "$line: $program: $(not_unpacked)"
			continue
		fi
		natively "$TMP/native" "${fds[@]}" sh -c "exec $line"
		recorded "$TMP/recorded" "${fds[@]}" sh -c "exec $line"
		why=$(differences "$TMP/native" "$TMP/recorded" | tr -d '\0'
			diff <(ends "$TMP/native") <(ends "$TMP/recorded"))
		verdict ${#why} "$line" "$why"
	done
}
programs <<'TABLE'
ls -lR --time-style=full-iso $DATA
ls -a $DATA /nonexistent
od -A x -t x1z -v $DATA/program.o
seq -f %.3f 1 0.25 400
stat -c "%n %s %A %U %F" $DATA/text $DATA/tree $DATA/nothing
date -u -d @1700000000 "+%A %c %s"
printf "%5d|%-8s|%x|%q\n" 1 two 255 "a b" 2 three 16 "c'd"
printf %d notanumber
wc $DATA/text $DATA/table.csv $DATA/nothing
sort -t , -k 3,3n -r $DATA/table.csv
nl -ba -w 4 $DATA/text
cksum $DATA/text $DATA/program.o
sha256sum $DATA/text $DATA/nothing
expr 1 + two
expr 6 \* 7
cat -A $DATA/script.pl $DATA/nothing
cut -d , -f 2-3 $DATA/table.csv
pr -2 -l 40 -D date -h title $DATA/text
fold -w 17 $DATA/text
paste $DATA/table.csv $DATA/tree/small
tail -n 20 -v $DATA/text $DATA/tree/small
split -n l/3 --verbose $DATA/text part
join -t , $DATA/table.csv $DATA/table.csv
comm $DATA/tree/small $DATA/text
tac $DATA/text
factor 1 1000000007 123456789012 x
numfmt --to=iec 1024 1048576 5e9 bad
df --badoption
echo -e "a\tb\c d"
yes --help
timeout 5 echo within time
objdump -d $DATA/program
objdump -h -t $DATA/nothing
readelf -aW $DATA/program
nm -n $DATA/program
size -A $DATA/program $DATA/program.o
strings -t x $DATA/program
objcopy --only-section=.nothing $DATA/nothing out
ar tv $DATA/archive.a
c++filt _ZN3foo3barEv _Z1fi
bash $DATA/script.bash
bash -c "echo unfinished; kill -TERM \$\$; echo never"
awk -f $DATA/script.awk $DATA/text
gawk "BEGIN { for (i = 0; i < 500; i++) printf \"%d %s\\n\", i, sqrt(i) }"
mawk "{ print NR \": \" \$0 }" $DATA/text
perl $DATA/script.pl
perl -e "syswrite STDOUT, qq(raw\\n); print qq(buffered\\n); exit 4"
python3 -c "import sys; print(list(range(50))); print('e', file=sys.stderr); sys.exit(3)"
sqlite3 -init $DATA/script.sql :memory: .quit
sqlite3 :memory: ".read $DATA/script.sql" ".mode box" "select * from t"
sqlite3 -json :memory: "select 1 as a, 'x''y' as b union select 2, null"
sqlite3 -line :memory: "select 1.5 as a, x'00ff' as b"
tcpdump -nn -r $DATA/packets.pcap
tcpdump -nn -tttt -XX -vv -c 20 -r $DATA/packets.pcap udp port 53
tcpdump -r $DATA/text
grep -n --color=always abc $DATA/text $DATA/nothing
grep -c . $DATA/text $DATA/table.csv
sed -n "/abc/{=;p}" $DATA/text
sed --debug s/a/b/ $DATA/tree/small
find $DATA/tree $DATA/nothing -printf "%p %s %l %m\n"
file $DATA/program $DATA/text $DATA/packets.pcap $DATA/nothing
diff -u $DATA/text $DATA/table.csv
cmp $DATA/text $DATA/table.csv
busybox ls -la $DATA/tree
busybox hexdump -C $DATA/packets.pcap
busybox awk "{ s += \$1 } END { print s }" $DATA/text
busybox nosuchapplet
bc -l -q $DATA/tree/small
xxd $DATA/program.o
hexdump -C $DATA/program.o
column -t -s , $DATA/table.csv
mandoc $DATA/page.1
mandoc -T tree $DATA/page.1
man -l $DATA/page.1
tar -tvf $DATA/nothing
ps --badoption
cal 13 2023
locale -a
ld --verbose
cc -v
dpkg --print-architecture
TABLE

[ -z "${LONG:-}" ] || programs <<'TABLE'
arch
b2sum $DATA/text $DATA/nothing
base32 $DATA/table.csv
base64 -w 40 $DATA/program.o
basename -a $DATA/text $DATA/program.c .c
basenc --base16 $DATA/tree/small
chgrp -v root $DATA/nothing
chmod -v 600 $DATA/nothing
cp -rv $DATA/tree copy
csplit -f part $DATA/tree/small /two/
dd if=$DATA/text of=copy bs=1k count=5 status=none
dd if=$DATA/nothing
dir -C $DATA/tree
dircolors -b
dirname /a/b/c d
du -b $DATA/tree $DATA/nothing
echo words
env A=1 B=2 printenv A B C
expand $DATA/text
fmt -w 30 $DATA/text
groups
head -c 100 -v $DATA/text $DATA/tree/small
hostid
id -a
install -v -D -m 600 $DATA/text a/b/text
kill -l
link $DATA/nothing other
ln -sv $DATA/text name
md5sum --tag $DATA/text $DATA/program.o
mkdir -pv a/b/c
mkdir $DATA
mv -v $DATA/nothing other
nice -n 5 nice
nohup echo words
nproc
pathchk -p a b "c d"
printenv HOME PATH nothing
ptx $DATA/tree/small
pwd -badoption
readlink -f $DATA/tree/sub/link
realpath $DATA/tree/sub/link $DATA/nothing/x
rm -v $DATA/nothing
rm -rfv a
sha512sum $DATA/text
shuf --random-source=$DATA/text $DATA/table.csv
sort -u $DATA/table.csv -o sorted
stdbuf -o L seq 5
stty -a
sum $DATA/text
test -f $DATA/text
tr -s a-z A-Z
truncate -s 100 $DATA/tree/../other
tsort $DATA/tree/small
tty
uname -srm
unexpand -a $DATA/text
uniq -c $DATA/tree/small
unlink $DATA/nothing
vdir $DATA/tree
xargs -a $DATA/tree/small -n 1 echo item
find $DATA -name "*.c" -exec wc -l {} + -o -name "*.o" -ls
grep -rn abc $DATA/tree $DATA/text --max-count=3
egrep -o "line [a-e]+" $DATA/text
zgrep abc $DATA/text
dash -c "echo out; echo err >&2; seq 3 | wc -l; exit 5"
dash $DATA/script.bash
bash -x -c "for i in 1 2; do echo \$i; done; nothing; exit 6"
bash -c "trap 'echo trapped' EXIT; echo \$(seq 3 | sort -r); exec 5>file; echo x >&5; printf '%q\n' 'a b'"
bash -c "coproc cat; echo words >&\${COPROC[1]}; read -r x <&\${COPROC[0]}; echo \$x; kill \$COPROC_PID; wait"
bash -c "diff <(seq 5) <(seq 2 6); mapfile -t a < <(seq 4); echo \${#a[@]} \${a[2]}"
cc -c -Wall -o out.o $DATA/program.c
cc -E -v $DATA/program.c
cc $DATA/text
cc -fsyntax-only -Wextra $DATA/nothing.c
g++ -x c++ -c -o out.o $DATA/program.c
as -al $DATA/nothing
ld -o out $DATA/program.o
make -j4 -f $DATA/makefile
make -n -f $DATA/makefile
make -f $DATA/nothing
ar xv $DATA/archive.a
ranlib $DATA/nothing
strip -o out $DATA/program
objdump -s -j .text $DATA/program
readelf -w $DATA/program
elfedit --badoption
gprof $DATA/program
addr2line -e $DATA/program 0 1
git --version
git init -q repository
git log --oneline
git diff --no-index $DATA/text $DATA/table.csv
git config --list --file $DATA/text
perl -v
perl -e "open F, q(>file); print F 1..50; close F; print -s q(file), qq(\n); system q(echo child); exit 2"
perl -MData::Dumper -e "print Dumper([1, {a => 2}])"
perl -we "print undef . 1; fork or exit print q(child); wait; print STDERR q(parent)"
python3 -V
python3 -c "import os, subprocess; subprocess.run(['ls', '/nonexistent']); os.system('echo child'); print('end')"
python3 -c "import json, sys; json.dump({'a': [1, 2.5, None]}, sys.stdout); raise ValueError('x')"
python3 -c "import multiprocessing as m; p = m.Pool(2); print(p.map(abs, [-1, -2, -3])); p.close(); p.join()"
python3 -m tarfile -l $DATA/nothing
sqlite3 -version
sqlite3 file.db "create table t(a); insert into t values (1), (2); select sum(a) from t; .dump"
tar -cvf out.tar -C $DATA tree
gzip -v -k -c $DATA/text
gzip -l $DATA/text
bzip2 -kc $DATA/text
xz -9 -k -c -v $DATA/table.csv
xz -l $DATA/text
zip -r out.zip $DATA/tree
unzip -l $DATA/text
cpio -itv
openssl version
openssl dgst -sha256 $DATA/text
openssl enc -d -aes-128-cbc -k x -in $DATA/text
openssl prime 97
openssl x509 -badoption
ssh -V
ssh -G localhost
ssh-keygen -l -f $DATA/text
curl -V
curl -s file://$DATA/tree/small
curl nothing://127.0.0.1/
redis-cli --version
redis-server --version
redis-cli -p 1 ping
nginx -v
nginx -h
lighttpd -t -f $DATA/nothing
memcached -V
dnsmasq --test -C /dev/null
dig -v
mosquitto -h
psql --version
ip -o addr show lo
getconf PAGE_SIZE
getent passwd root nobody nothing
getopt -o ab: -- -a -b x -c
iconv -f utf8 -t latin1 $DATA/text
iconv -l
ldd $DATA/text
locale
localedef --help
rev $DATA/tree/small
col -b
colrm 3 5
look a $DATA/text
namei -l $DATA/tree/sub/link
setsid -w echo words
flock file echo locked
diff3 $DATA/tree/small $DATA/text $DATA/table.csv
sdiff $DATA/tree/small $DATA/table.csv
patch --dry-run $DATA/tree/small $DATA/text
pgrep -x nothing
sysctl -n kernel.ostype kernel.nothing
dpkg -s bash coreutils nothing
dpkg-query -W -f "${Package} ${Version}\n" "lib*"
dpkg -L bash
apt-get --version
gpg --version
m4 $DATA/text
bison --version
flex --version
ed -s $DATA/tree/small
vim --version
less --version
file -i $DATA/program $DATA/text
jq .
dc -e "2 100 ^ p 3 5 / p"
bc --version
tcpdump -D
tcpdump -nn -c 3 -w - -r $DATA/packets.pcap
cmp -l $DATA/text $DATA/table.csv
busybox
busybox vi --help
busybox find $DATA/tree -ls
busybox dd if=$DATA/text of=/dev/null count=2
TABLE

# ---- a server: the same commands, then an interrupt ----
# A worker thread has the descriptors of its pipes and connections in its text.
client='
import socket, sys, time
s = socket.socket(socket.AF_UNIX)
for i in range(500):
    try:
        s.connect(sys.argv[1])
        break
    except OSError:
        time.sleep(0.01)
f = s.makefile("rwb")
def ask(text, end):
    f.write(text.encode()); f.flush()
    while True:
        line = f.readline().decode()
        if not line or line.startswith(end):
            return
for i in range(200):
    ask("set key%d %d 0 %d\r\n%s\r\n" % (i, i, i % 50, "v" * (i % 50)), "STORED")
    ask("get key%d nothing\r\n" % (i // 2), "END")
ask("delete key1\r\n", "DELETED")
ask("incr key5 1\r\n", "CLIENT_ERROR")
ask("bogus\r\n", "ERROR")
ask("flush_all\r\n", "OK")
'
serve() { # DIR SIGNAL [VARIABLE=VALUE...]
	local dir=$1 server
	rm -rf "$dir"
	mkdir -p "$dir/files"
	env "${@:3}" memcached -vv -u root -t 1 -s "$TMP/socket" \
		>"$dir/stdout" 2>"$dir/stderr" </dev/null &
	server=$!
	python3 -c "$client" "$TMP/socket"
	kill -"$2" $server
	wait $server
	echo $? >"$dir/status"
	rm -f "$TMP/socket"
}
for signal in INT TERM; do
	if ! type -P memcached python3 >/dev/null; then
		skip "memcached: $(not_unpacked)"
		break
	fi
	serve "$TMP/native" $signal
	serve "$TMP/recorded" $signal LD_PRELOAD="$lib" \
		BINLOG_DIR="$TMP/recorded/capture"
	mv "$TMP/recorded/stdout" "$TMP/recorded/real.stdout"
	mv "$TMP/recorded/stderr" "$TMP/recorded/real.stderr"
	decode "$TMP/recorded"
	[ "$(wc -l <"$TMP/native/stderr")" -gt 600 ] ||
		not_ok "memcached has not said much" "$(head "$TMP/native/stderr")"
	why=$(differences "$TMP/native" "$TMP/recorded")
	verdict ${#why} "memcached -vv, 400 commands, SIG$signal" "$why"
done
finish
