#!/bin/bash
# Logs that gzip or zstd has compressed are read as they are: what is shown is what is shown of the file that was compressed.  Of
# what is cut or damaged the beginning is; what has the name alone is read as what it is; and a bomb costs neither memory nor time.
. tests/support/lib.sh
. tests/packed/common.sh
$CC -std=gnu11 -D_GNU_SOURCE -g -O2 -w -I. -o "$TMP/varying" "$here/bench/varying.c" || exit 1
say varying "$TMP/varying" 20000
cp "${captured[0]}" "$TMP/a.binlog"
say other sh -c '/bin/echo one; /bin/echo two'
cp "${captured[0]}" "$TMP/b.binlog"
cd "$TMP" || exit 1
pack a.blog a.binlog
pack b.blog b.binlog
"$show" -q --output=heph --to=a.heph a.binlog
for i in {1..20000}; do echo "2026-11-24T10:00:00Z line $i of a log"; done >text.log
gzip -k ./*.blog ./*.binlog a.heph text.log
zstd -q ./*.blog ./*.binlog a.heph text.log

# ---- whole ----
plain() { "$show" -q -u --output=json "$@" >want 2>want.errors; }
reads() { # SENTENCE ARGUMENT...: standard input is the caller's
	"$show" -q -u --output=json "${@:2}" >got 2>got.errors
	same "$1: the status" 0 $?
	same_file "$1" want got
	same_file "$1: the same is said" want.errors got.errors
}
for file in a.blog a.binlog a.heph; do
	plain $file
	for kind in gz zst; do
		reads "$file.$kind" $file.$kind
		[ $file = a.heph ] && continue
		reads "$file.$kind on standard input" - <$file.$kind
		# shellcheck disable=SC2002 # a pipe
		cat $file.$kind | reads "$file.$kind through a pipe" -
		(cat $file.$kind; head -c 3000 /dev/zero) >padded
		reads "$file.$kind with zeros behind it, as tapes leave them" padded
	done
done
plain a.binlog
# shellcheck disable=SC2002
cat a.binlog | reads "a capture that is not compressed, through a pipe" -
for kind in gz zst; do
	plain --text=text.log
	sed -i "s/text\.log/text.log.$kind/g" want
	reads "--text of $kind" --text=text.log.$kind
	same_file "--text of $kind, byte by byte" text.log <("$show" --raw -q --text=text.log.$kind)
	same_file "--text of $kind through a pipe" text.log <(cat text.log.$kind | "$show" --raw -q --text=-)
done

# ---- several ----
cat a.blog b.blog >both.blog
plain both.blog
cat a.blog.gz b.blog.zst >both.gz
reads "members and frames behind each other" both.gz
head -c 100000 a.binlog | gzip >parts.gz
tail -c +100001 a.binlog | zstd -q >>parts.gz
plain a.binlog
reads "a capture in parts" parts.gz
mkdir dir dir.gz
cp a.binlog b.blog dir
plain dir
cp a.binlog.zst b.blog.gz dir.gz
cp a.heph.gz text.log.gz dir.gz
reads "a directory of them, in which others are passed over" dir.gz
cp b.blog dir.gz
reads "what gzip -k leaves is there once" dir.gz
"$show" -q --raw --diff a.binlog b.blog >want 2>&1
"$show" -q --raw --diff a.binlog.gz b.blog.zst 2>&1 | sed 's/\.gz\b//; s/\.zst\b//' >got
same_file "--diff" want got
"$show" -q --recover a.blog >want
"$show" -q --recover a.blog.gz >got
same_file "--recover" want got
for kind in gz zst; do
	rm -f got.blog
	"$tool" -q -o got.blog a.binlog.$kind
	"$show" --raw -q a.blog >want
	"$show" --raw -q got.blog >got
	same_file "binlog-pack of $kind" want got
	rm -f got.blog
	"$tool" -q -o got.blog a.blog.$kind 2>why
	same "binlog-pack: a log is packed already ($kind)" "2 1 1" "$? $(grep -c 'packed already' why) $([ -e got.blog ]; echo $?)"
done

rm -f got.blog
"$tool" -q -o got.blog - <a.binlog.gz
"$show" --raw -q got.blog >got
same_file "binlog-pack of standard input" want got

# ---- cut, damaged, and followed by others ----
complains() { # SENTENCE WHAT FILE: all that is before is shown
	"$show" --raw -q "$3" >got 2>why
	same "$1: the status" 1 $?
	grep -q "^$3:[0-9]*: $2" why
	verdict $? "$1: it is said" "$(cat why)"
	cmp -n "$(stat -c %s got)" got want >/dev/null 2>&1 && [ -s got ]
	verdict $? "$1: what is before is shown" "$(cmp got want)"
	"$show" --raw -q --strict "$3" >got 2>why
	same "$1: with --strict nothing is" "1 0" "$? $(stat -c %s got)"
}
# gzip has the length behind its check sum, zstd nothing
declare -A sum=([gz]=7 [zst]=3)
for kind in gz zst; do
	for file in a.binlog a.blog; do
		"$show" --raw -q $file >want
		bytes=$(stat -c %s $file.$kind)
		head -c $((bytes - 2)) $file.$kind >cut.$kind
		complains "$file.$kind without its end" "cut off: the compressed file ends" cut.$kind
		same "$file.$kind without its end: the offset is that" 1 "$(grep -c "^cut.$kind:$((bytes - 2)): " why)"
		(cat $file.$kind; echo and more) >more.$kind
		complains "$file.$kind with more behind it" "not read to its end: what is behind" more.$kind
		same "$file.$kind with more behind it: all is shown" "$(md5sum <want)" "$("$show" --raw -q more.$kind 2>/dev/null | md5sum)"
		same "$file.$kind with more behind it: the offset is that" 1 "$(grep -c "^more.$kind:$bytes: " why)"
		cp $file.$kind hurt.$kind
		printf '\377\377\377' | dd of=hurt.$kind bs=1 seek=$((bytes - sum[$kind])) conv=notrunc 2>/dev/null
		complains "$file.$kind with a wrong check sum" "not unpacked to its end: the compressed bytes are damaged" hurt.$kind
	done
	cp text.log want
	bytes=$(stat -c %s text.log.$kind)
	head -c $((bytes / 2)) text.log.$kind >cut.$kind
	"$show" --raw -q --text=cut.$kind >got 2>why
	same "--text of half of $kind: the status, and one sentence" "1 1" "$? $(grep -c '' why)"
	cmp -n "$(stat -c %s got)" got want >/dev/null && [ "$(stat -c %s got)" -gt 100000 ]
	verdict $? "--text of half of $kind: what is before is shown" "$(stat -c %s got)"
done
for cut in 4 5 9 10 11 20 40 100 1000; do
	for file in a.binlog.gz a.binlog.zst a.blog.gz a.blog.zst; do
		head -c $cut $file >cut
		"$show" --raw -q cut >got 2>why
		status=$?
		if [ $((status == 1 || status == 2)) = 0 ] || ! grep -q '^cut:[0-9]*: cut off: the compressed file ends' why; then
			not_ok "$file cut off after $cut bytes" "$status $(cat why)"
		fi
	done
done
ok "what is left of a file that is cut off early is told"

# ---- what is something else ----
says() { # SENTENCE STATUS WHAT ARGUMENT...
	"$show" --raw "${@:4}" >got 2>why
	same "$1: the status" "$2" $?
	grep -q -- "$3" why
	verdict $? "$1: it is said" "$(cat why)"
}
cp a.blog plain.blog.gz
"$show" --raw -q a.blog >want
"$show" --raw -q plain.blog.gz >got
same_file "a log that has only the name is read" want got
cp a.blog.gz hidden.blog
"$show" --raw -q hidden.blog >got
same_file "and so is one that has not" want got
: >empty.blog.gz
says "an empty file" 2 "empty.blog.gz: nothing to read: the file is empty" empty.blog.gz
gzip <empty.blog.gz >nothing.binlog.gz
says "nothing, compressed" 2 "nothing.binlog.gz: nothing to read: the file is empty" nothing.binlog.gz
echo text >text.binlog.gz
says "text that has the name" 2 "this is plain text" text.binlog.gz
echo text | gzip >text.binlog.gz
says "text, compressed" 2 "this is plain text" text.binlog.gz
gzip <a.blog.gz >twice.gz
says "a log that is compressed twice" 2 "^twice.gz" twice.gz
says "--follow" 2 "a.binlog.gz: not followed: it is compressed" --follow a.binlog.gz
says "--to the same file" 2 "it is one of those that are read" --to=a.blog.gz a.blog.gz
TMPDIR=$TMP/none says "no place for a temporary file" 2 "a.blog.gz:0: not unpacked to its end: No such file or directory.*TMPDIR" a.blog.gz
(
	ulimit -f 64
	"$show" --raw -q a.binlog.gz 2>&1 >/dev/null | grep -q 'a.binlog.gz:0: not unpacked to its end: File too large.*TMPDIR'
)
verdict $? "a temporary file that cannot grow is told"
printf '\x28\xb5\x2f\xfd\x00\x90\x09\x00\x00x' >window.zst
says "zstd with a window of 256 MiB" 2 "window.zst:[0-9]*: not unpacked to its end: zstd has looked back further.*--long=31" window.zst

# ---- bombs: 64 GiB of zeros, and of text ----
python3 - <<'END_OF_PYTHON'
import zlib
def gzip(name, byte, pieces):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    piece = packer.compress(byte * (1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    with open(name, "wb") as file:
        file.write(b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + piece * pieces)
def zstd(name, byte, pieces):
    with open(name, "wb") as file:
        block = ((128 << 10) << 3 | 1 << 1).to_bytes(3, "little") + byte
        file.write(b"\x28\xb5\x2f\xfd\x00\x58" + block * (pieces * 8))
gzip("zeros.blog.gz", b"\0", 16 << 10)
zstd("zeros.binlog.zst", b"\0", 64 << 10)
zstd("text.zst", b"\n", 64 << 10)
END_OF_PYTHON
bomb() { # NAME ARGUMENT...
	local kilobytes
	kilobytes=$(python3 -c '
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=open("why", "w"), timeout=120).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$show" -q --raw "${@:2}")
	same "$1: it is told that it is longer than it may be" 1 "$(grep -c ': it is longer than what is compressed may be (bytes unpacked .*--limit=unpacked=N' why)"
	is_sanitized || verdict $((kilobytes > 50000)) "$1: it takes less than 50 MB" "$kilobytes"
}
is_sanitized() { grep -qa __asan_init "$show"; }
bomb "zeros of gzip" --limit=unpacked=1M zeros.blog.gz
bomb "zeros of zstd" zeros.binlog.zst
bomb "text" --limit=unpacked=100M --text=text.zst
finish
