#!/bin/bash
# binlog-ctl and what others can put in its way: control.conf in a directory of another user, captures that are cut off.
. tests/support/lib.sh
ctl=$BUILD/binlog-ctl
cd "$TMP" || exit 1
is_recorded() { ls "$1"/*.binlog >/dev/null 2>&1; } # DIR
cat >app.c <<'END'
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	for (int i = 0;; i++) {
		printf("line %d\n", i);
		usleep(1000);
	}
}
END
$CC -O1 -w -o app app.c || exit 1

# ---- control.conf ----
chmod 755 . # others have to come here
mkdir theirs
if [ "$(id -u)" -eq 0 ] && as_nobody="setpriv --reuid=65534 --regid=65534 --clear-groups" && $as_nobody true 2>/dev/null; then
	chown 65534:65534 theirs
	echo "a secret" >secret
	chmod 600 secret
	told() { # SENTENCE: binlog-ctl refuses, and the secret is where it was
		"$ctl" theirs level=err >out 2>errors
		verdict $(($? != 1 || $($as_nobody find theirs -type f -exec cat {} + 2>/dev/null | grep -c secret))) "$1" "$(cat out errors; ls -l theirs)"
		same "$1: as it was" "a secret" "$(cat secret)"
		rm -rf theirs/*
	}
	$as_nobody sh -c 'umask 077; : >theirs/control.conf.new; ln -s ../secret theirs/control.conf'
	told "what a link of theirs leads to is not read for them"
	ln -s ../secret theirs/control.conf.new
	told "nor written to"
	ln secret theirs/control.conf.new
	told "another name of a file is not written to"
	ln secret theirs/control.conf
	told "nor read"
	cp -p secret theirs/control.conf
	told "a file of root that they have moved there is not read for them"
	mkfifo theirs/control.conf.new
	told "a FIFO is not written to"
	mkfifo theirs/control.conf
	told "nor read"
	"$ctl" theirs level=err >out 2>&1 && "$ctl" theirs depth=3 >>out 2>&1
	same "what root says is for their programs to read" "depth = 3
level = err" "$($as_nobody cat theirs/control.conf 2>&1)"
else
	skip "another user's control.conf: not root here"
fi
mkdir ours
for i in 1 2 3 4 5 6 7 8; do "$ctl" ours rule "format \"x$i\" drop" >/dev/null 2>>errors & done
wait
same "of eight at once none is lost" 8 "$(grep -c '^format "x[1-8]" drop$' ours/control.conf)"

# ---- captures that are cut off ----
mkdir cut
LD_PRELOAD=$lib BINLOG_DIR=$TMP/one "$TMP/app" >/dev/null &
app=$!
until_true is_recorded one
sleep 0.1
cp one/*.binlog cut/a.binlog
mkdir linked
ln -s "$TMP"/one/*.binlog linked/a.binlog
"$ctl" linked level=err >out 2>errors
same "what a link in a directory leads to is not switched with it" 1 "$("$ctl" one status | grep -c 'on, level all')"
"$ctl" one level=err >out 2>errors
same "where it is, it is" 1 "$("$ctl" one status | grep -c 'on, level err')"
kill $app
wait $app 2>/dev/null
cat >cutter.py <<'END'
import os, sys, time

fd = os.open(sys.argv[1], os.O_RDWR)
size = os.fstat(fd).st_size
page = os.pread(fd, 4096, 0)
while os.getppid() != 1:
    os.ftruncate(fd, size)
    os.pwrite(fd, page, 0)
    time.sleep(0.0003)
    os.ftruncate(fd, 0)
END
python3 cutter.py cut/a.binlog &
cutter=$!
: >killed
for ((i = 0; i < 100; i++)); do
	{ timeout 20 "$ctl" cut level=err rule 'format "y" drop' >/dev/null 2>>errors; } 2>/dev/null
	status=$?
	[ $status -le 1 ] || echo $status >>killed
done
kill $cutter
wait $cutter 2>/dev/null
same "a capture that is cut off again and again while it is switched ends no binlog-ctl" "" "$(sort killed | uniq -c)"

# The header says that the next block begins where it is itself.
cp one/*.binlog cut/a.binlog
printf '\0\0\0\0\0\0\0\0' | dd of=cut/a.binlog bs=1 seek=32 conv=notrunc status=none
exec 8<>cut/a.binlog
"$ctl" cut rule 'format "y" drop' >out 2>>errors
status=$?
same "rules are refused, not written over it" "1 $(head -c 8 one/*.binlog | od -An -tx1)" "$status $(head -c 8 cut/a.binlog | od -An -tx1)"
exec 8>&-
finish
