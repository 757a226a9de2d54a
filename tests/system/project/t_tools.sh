#!/bin/bash
# What much-used programs print in every way that they know, to a file: the same
# bytes, errors and status recorded as natively. LONG=1 takes larger inputs.
. tests/support/lib.sh
unpacked
export DATA=$TMP/data HOME=$TMP/data COLUMNS=80 LINES=25 TERM=dumb SHELL=/bin/sh
unset LS_COLORS TIME_STYLE BLOCK_SIZE POSIXLY_CORRECT BASH_ENV ENV
if [ -n "${LONG:-}" ]; then
	export TREE=/usr NUMBERS=1000000 BYTES=5000000 ROWS=50000 ROUNDS=20
else
	export TREE=/usr/share/doc NUMBERS=100000 BYTES=300000 ROWS=300 ROUNDS=1
fi

# ---- something to work on, the same in every run ----
mkdir -p "$DATA/tree/sub/deep" && cd "$DATA" || exit 1
seq 1 2000 | awk '{ printf "%d line %s of %x, %.3f\n", $1, substr("abcdefghijklmnopqrstuvwxyz", $1 % 20, 5), $1 * 7919, $1 / 7 }' >text
printf 'Some prose, which is long enough for paragraphs of several lines. %s\n' {1..40} | sed '0~7s/$/\n/' >prose
printf '%s\t%s\n' a 1 bb 22 ccc 333 '' 4 >tabs
awk '{ print $1 "," $3 "," $5 }' text | sort -t , -k 2 >sorted.csv
head -c "$BYTES" /bin/bash >binary
while [ "$(stat -c %s binary)" -lt "$BYTES" ]; do cat /bin/bash; done >>binary
truncate -s "$BYTES" binary
printf '\0\1\2\177\200\377text\n\nmore\n' >odd
printf 'one\n' >tree/small
printf 'two\n' >'tree/a name with	tab'
printf '#!/bin/sh\n' >tree/sub/script && chmod 4755 tree/sub/script
mkfifo tree/pipe && ln -s ../small tree/sub/link && ln -s nowhere tree/dangling && ln tree/small tree/hard
: >tree/empty && : >tree/.hidden && truncate -s 5M tree/sparse && chmod 1777 tree/sub/deep
find . -exec touch -h -d '@1700000000.123456789' {} +
cd "$OLDPWD" || exit 1
find $TREE >/dev/null # from now on no directory's time of access changes

each_line() { # reads commands; those that are not installed are left out
	local line program
	while read -r line; do
		program=${line%% *}
		[[ -n $line && $line != "# "* ]] || continue
		if ! type -P "$program" >/dev/null; then
			skip "$line: $program: $(not_unpacked)"
			continue
		fi
		compare "$line" sh -c "exec $line"
	done
}

each_line <<'TABLE'
# ---- names and what is known of files ----
ls -lR --time-style=full-iso $TREE
ls -lRahis --full-time $DATA/tree
ls -1 --color=always --hyperlink=always -F $DATA/tree
ls -CmxQ $DATA/tree $DATA
ls -l --color=always --author --block-size=K -Z $DATA/tree
ls --zero -t -U -S $DATA/tree
ls --format=commas --quoting-style=c -w 30 $DATA/tree
dir -b $DATA/tree
vdir -n $DATA/tree
find $TREE -xdev -printf "%p %s %m %y %l %n %d %f %h %P %H %u %U %g %G %M %i %D %k %b %F\n"
find $TREE -xdev -type d -ls
find $DATA/tree -printf "%a|%A@|%AY-%Am-%Ad|%t|%T@|%T+|%TH:%TM:%TS|%Tj %Ta %TA %Tb %TB|%Y|%S\n"
find $DATA/tree -printf "%%|%5d|%-8s|%08s|%-30f|%40p|%#m|%Z\n"
find $DATA/tree -printf "\a\b\f\n\r\t\v\\\\\101\0|" -print0
find $DATA/tree -printf "%q %" -quit
find $DATA/tree $DATA/nothing -type f -size +0 -print -ls -o -perm -1000 -print
find $DATA/tree -badpredicate
stat $DATA/text $DATA/tree $DATA/tree/sub/link $DATA/tree/pipe /dev/null
stat -c "%a %A %b %B %d %D %f %F %g %G %h %i %m %n %N %o %s %t %T %u %U %w %x %X %y %Y %z" $DATA/tree/small /dev/null
stat --printf "%10s|%-10s|%010s|%.3X|%'s\n\t\x41" $DATA/binary $DATA/nothing
stat -f -c "%l %s %S %T %t" $DATA
du -a $DATA/tree
du -sh --apparent-size --time $DATA $DATA/nothing
df --output=source,fstype,itotal,size,file,target $DATA /proc
df -T /nonexistent
readlink -v $DATA/tree/sub/link $DATA/text
realpath --relative-to=$DATA/tree $DATA/text $DATA/tree/sub/link $DATA/no/thing
basename -a -s .csv $DATA/sorted.csv x.csv /
dirname $DATA/text x /
pathchk -p "a b" x*y
file $DATA/text $DATA/binary $DATA/odd $DATA/tree/sub/link
# ---- numbers ----
seq $NUMBERS
seq -w -s , 8 13
seq -f %+012.4e -5 0.75 5
seq 10 -3 -10
seq 1e3 0.1 1000.5
seq 99999999999999999990 99999999999999999999
seq 1 x
factor 1 2 97 1000000007 18446744073709551617 123456789012345678901 x -3
numfmt --to=iec --format=%10.2f --header 1024 1048576 5e9
numfmt --from=si --to=iec-i --suffix=B --padding=-12 1K 2M 3G 4x
numfmt -d , --field=1-2 --to=si --invalid=warn 1000,2000,x y,2
numfmt --grouping --round=down 1234567.89
printf "%5d|%-8s|%x|%o|%E|%G|%c|%b|%q|%%|%.3s|%*d\n" 1 two 255 8 1.5 1e-10 char "a\tb" "a 'b" trunc 7 42
printf "%s %d %i %u %X %#x %#o %+d % d %05d\n" a 1 -2 3 255 255 8 5 6 7 b 0x1f 010 "'A"
printf "%f %.10f %a %Lf %e %8.2f|%-8.2f|%08.2f\n" 1.5 3.14159 1 2.5 -1e300 1.005 2.5 -3.14159
printf "\a\b\f\n\r\t\v\\\\\"\101\x41\u20ac\U0001f600\c ignored" x
printf "%d %s\n" notanumber x 12abc
printf %d 99999999999999999999
printf "%z" 1
expr 7 \* 6 + 1
expr length abcdef : "\\(.*\\)"
expr 1 / 0
date -u -d @1700000000 "+%a %A %b %B %c %C %d %D %e %F %g %G %h %H %I %j %k %l %m %M %n %N %p %P %q %r %R %s %S %t %T %u %U %V %w %W %x %X %y %Y %z %:z %::z %Z %-d %_d %05d %^a %#Z"
date -u --debug -d "2024-02-29 12:00 + 1 year 3 days"
date -d nonsense
date -Ins -u -d @0
cal -3 2 2024
# ---- text ----
od -A x -t x1z -v $DATA/binary
od -A d -t o2 -t c -t a $DATA/odd
od -A n -t f4 -t f8 -t d8 -t u1 -w24 -N 4000 $DATA/binary
od -A o -t fL -t x8 -j 100 -N 256 -S 4 $DATA/binary
od -t x3 $DATA/odd
nl -b a -n rz -w 8 -s ": " -v 100 -i 10 $DATA/text
nl -b pline.a -h a -f n -l 2 $DATA/prose $DATA/nothing
fmt -w 40 -u $DATA/prose
fmt -t -s -p Some $DATA/prose
fold -s -w 33 $DATA/prose
pr -3 -l 30 -w 70 -D date -h header -n -S" | " $DATA/text
pr -m -t -e4 -N 5 $DATA/text $DATA/prose
pr -d -v -o 4 -f -D x $DATA/odd $DATA/nothing
sort --debug -t , -k 2,2 -k 3,3nr $DATA/sorted.csv
sort -n -k 3 -s -u $DATA/text
sort -c $DATA/text
sort -R --random-source=$DATA/binary $DATA/text
sort -h -M $DATA/text $DATA/nothing
shuf --random-source=$DATA/binary -n 50 $DATA/text
ptx -A -w 60 $DATA/prose
ptx -G -O -i $DATA/tabs $DATA/prose
ptx -T $DATA/tabs
tsort $DATA/tabs
uniq -c -f 1 -w 8 $DATA/sorted.csv
uniq -D --group=both $DATA/tabs
comm --total --output-delimiter="|" $DATA/sorted.csv $DATA/text
join -t , -1 2 -2 2 -a 1 -e none -o 0,1.1,2.3 $DATA/sorted.csv $DATA/sorted.csv
join $DATA/text $DATA/prose
paste -d ",;" $DATA/tabs $DATA/text $DATA/tabs
paste -s -d "\n\t" $DATA/text
cut -c 3-7,10- --complement $DATA/text
cut -d " " -f 2,4- --output-delimiter=: $DATA/text
expand -t 3,9,20 $DATA/tabs
unexpand -a -t 4 $DATA/prose
tr a-z A-Z <$DATA/text
cat -vetsn $DATA/odd $DATA/text $DATA/nothing
tac -b -s line $DATA/text
head -q -c 20 $DATA/text $DATA/prose $DATA/binary
head -v -n -1990 $DATA/text $DATA/prose $DATA/nothing
tail -v -c 30 $DATA/text $DATA/odd
tail -n +1990 $DATA/text
wc -clLmw $DATA/text $DATA/binary $DATA/prose $DATA/nothing
wc --total=only $DATA/text
split -a 3 -d --verbose -l 700 $DATA/text part
csplit -z -b %03d $DATA/text /7919/ {2}
csplit $DATA/text /nothing/
base64 -w 50 $DATA/binary
base32 $DATA/odd
basenc --z85 $DATA/odd
cksum -a sha3 $DATA/odd
cksum -a crc --tag $DATA/binary $DATA/nothing
sum -s $DATA/binary $DATA/odd
md5sum --tag $DATA/binary $DATA/odd
sha512sum -z $DATA/binary $DATA/nothing
b2sum -l 128 $DATA/binary
cmp -bl $DATA/text $DATA/prose
diff -y -W 70 $DATA/text $DATA/prose
diff -c $DATA/tabs $DATA/prose
diff -r -q $DATA/tree $DATA
diff3 $DATA/tabs $DATA/prose $DATA/odd
sdiff -s $DATA/tabs $DATA/prose
grep -rnob --color=always line.a $DATA/text $DATA/binary
grep -c -v x $DATA/text $DATA/nothing
grep -A 2 -B 1 -T -H 77 $DATA/text
grep -z -a -e more $DATA/odd
sed -n "l 30;=" $DATA/odd $DATA/tabs
awk -F , "{ printf \"%-10s|%5.1f|%c|%i|%o|%x\\n\", \$2, \$3, \$1, \$1, \$1, \$1 }" $DATA/sorted.csv
mawk -F , "{ printf \"%-10s|%5.1f|%c|%i|%o|%x\\n\", \$2, \$3, \$1, \$1, \$1, \$1 }" $DATA/sorted.csv
column -t -s , -o " | " -N a,b,c -R 1 $DATA/sorted.csv
column -J -s , -N a,b,c $DATA/sorted.csv
hexdump -e "\"%08.8_ax  \" 8/1 \"%02x \" \"  |\" 8/1 \"%_p\" \"|\\n\"" $DATA/odd
xxd -i $DATA/odd
rev $DATA/tabs
# ---- doing, and saying what ----
cp -rv --preserve=mode $DATA/tree/sub/deep $DATA/tabs $DATA/nothing .
cp -v $DATA/nothing $DATA/tree copy
mkdir -pv a/b/c
mkdir -v /nonexistent/a
rmdir -v nothing
ln -sv $DATA/text name
install -v -m 640 $DATA/text copy
truncate -s x file
mktemp -u -p /nonexistent XX
dd if=$DATA/text bs=100 count=3 status=none
dd if=$DATA/nothing
chmod -v u+x /nonexistent
chown -v nobody-at-all $DATA/text
touch /nonexistent/file
rm -v nothing
shred -v nothing
tee /nonexistent/file copy
timeout -v 0.05 sleep 5
env -u DATA -S "printf %s\n x"
nice -n 0 printf x
stdbuf -o L seq 3
test a -eq b
id
id -Gn root
groups root
uname -a
arch
nproc
tty
whoami
logname
hostid
sync /nonexistent
nohup
chroot /nonexistent
kill -l
kill -L
locale
locale -k LC_NUMERIC LC_TIME
getconf ARG_MAX
getconf NOTHING
iconv -f utf-8 -t utf-16 $DATA/odd
TABLE

# ---- what every program of coreutils says of itself ----
all='arch b2sum base32 base64 basename basenc cat chcon chgrp chmod chown chroot cksum comm cp csplit cut date dd df
dir dircolors dirname du echo env expand expr factor fmt fold groups head hostid id install join link ln logname
ls md5sum mkdir mkfifo mknod mktemp mv nice nl nohup nproc numfmt od paste pathchk pinky pr printenv printf ptx pwd
readlink realpath rm rmdir runcon seq sha1sum sha256sum shred shuf sleep sort split stat stdbuf stty sum sync tac
tail tee test timeout touch tr truncate tsort tty uname unexpand uniq unlink users vdir wc who whoami yes'
# env: also of those that the shell has built in.
# shellcheck disable=SC2016
sayings='for program; do
	for option in help version nosuchoption; do env "$program" --$option; echo "status $?"; done
done'
# shellcheck disable=SC2086 # a list of words
set -- $all
while [ $# -gt 0 ]; do
	some=("${@:1:10}")
	compare "what ${some[*]} say of themselves" sh -c "$sayings" sh "${some[@]}"
	shift ${#some[@]}
done

# ---- a long script ----
script=$here/bench/script.bash
compare "a script of bash, 500 lines" bash "$script" $ROUNDS
compare "the same with both outputs in one file" sh -c "exec bash '$script' $ROUNDS >&2"
compare "the same, shown as it is read" bash -v "$script"
compare "the same, run by a pipe" sh -c "cat '$script' | bash"

# ---- sqlite3 in every mode ----
type -P sqlite3 >/dev/null || {
	skip "sqlite3 in every mode: it is not installed"
	finish
}
database=$DATA/base.db
sqlite3 "$database" <<END || not_ok "the database is made"
create table t(id integer primary key, name text, x real, data blob, "odd ""name""");
with recursive c(i) as (select 1 union all select i + 1 from c where i < $ROWS)
insert into t select i, 'name ' || i * 7919 % 1000, i / 7.0, case i % 3 when 0 then null else zeroblob(i % 5) end,
	case i % 10 when 0 then 'it''s' when 1 then 'two' || char(10) || 'lines' when 2 then 'comma, "quote"'
	when 3 then '<a href="x">&amp;</a>' when 4 then 'tab' || char(9) || '|' when 5 then char(228, 8364, 128512)
	when 6 then '' when 7 then char(1, 27, 127) || '\\n' when 8 then i * 1e30 else -i end from c;
create index by_name on t(name); create view v as select name, count(*) as n from t group by name;
create table other(a, b default 'x', check (a > 0)); insert into other values (1, 2), (3, null);
END
everything='select * from t; select name, count(*), avg(x), max(data) from t group by name order by 1 limit 50; select null, x
from t where 0; select 1 as one, 2.5e-7 as "two words";'
for mode in ascii box column csv html insert json line list markdown quote table tabs tcl; do
	compare "sqlite3, mode $mode" sqlite3 "$database" ".mode $mode" "$everything"
	compare "sqlite3, mode $mode, with headers, other words for null, widths and separators" sqlite3 "$database" \
		".mode $mode" ".headers on" ".nullvalue (null)" ".width 6 -12 0 4" '.separator " ; " "\n"' "$everything"
done
compare "sqlite3, modes with options" sqlite3 "$database" ".mode insert another" "select * from other;" \
	".mode box --wrap 10 --quote" "$everything" ".mode column --wordwrap on --wrap 7" "select * from t limit 40;"
compare "sqlite3, what it says of a database" sqlite3 "$database" .dump .schema ".schema --indent" .tables .indexes \
	.fullschema .dbinfo .databases .show "pragma table_info(t);" "explain query plan select * from t where name = 'x';"
compare "sqlite3, commands of its own" sqlite3 "$database" .help ".help --all" ".echo on" ".changes on" "select 1;" \
	".print several words" ".output made" "select * from other;" ".output" ".once again" "select 2;" \
	".shell seq 2" ".system echo x" ".once '|cat -n'" "select * from other;" ".limit" ".lint fkey-indexes" ".eqp on" \
	"select count(*) from t where name > 'name 5';" ".explain on" "explain select 1;" ".param set :a 5" "select :a;" .param\ list
compare "sqlite3, a script on stdin" sh -c "printf '%s\n' '.mode line' 'select * from other;' 'select nothing;' \
	'.nosuchcommand' '.mode nosuchmode' 'insert into other values (-1, 2);' 'select 3' | sqlite3 '$database'"
compare "sqlite3, -bail" sqlite3 -bail -batch -json "$database" "select * from v limit 3;" "select from;" "select 4;"
compare "sqlite3, a database that is none" sqlite3 -csv "$DATA/binary" "select * from t;"
finish
