#!/bin/bash
# Logs and programs that are cut off, written anew and changed while they are read: no reader is ended by a signal, none
# hangs, and each says 0, 1 or 2. Then what is read twice differs the second time: nobody believes what he saw before.
# 3 s of both together, and each reader at least once; LONG=1: 60 s each, of readers built with AddressSanitizer.
. tests/support/lib.sh
TMP=$(realpath "$TMP")
seconds=1 tools=$BUILD
if [ -n "${LONG:-}" ]; then
	seconds=60 tools=$TMP/sanitized
	make -s O="$tools" SAN=address,undefined CC="$CC" "$tools"/binlog-{show,pack,symbolize,top,ctl} >"$TMP/made" 2>&1
	verdict $? "readers are built with AddressSanitizer" "$(tail -n 5 "$TMP/made")"
fi
export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0:abort_on_error=1 UBSAN_OPTIONS=halt_on_error=1:abort_on_error=1
export XDG_CACHE_HOME=$TMP/cache
ulimit -S -c 0
build server
build racing_writer
build second_read -shared -fPIC -ldl
cd "$TMP" || exit 1

# ---- what is read ----
mkdir cores sound
for capture in 1 2 3; do
	LD_PRELOAD=$lib BINLOG_DIR=$TMP/sound/data ./server >out 2>&1
done
LD_PRELOAD=$lib BINLOG_DIR=$TMP/sound/ring BINLOG_RING=64K ./server >out 2>&1
"$BUILD/binlog-pack" -q sound/data -o sound/log.blog
"$show" -q sound/log.blog --output=heph --to=sound/trace.heph
cp server sound/program
awk 'BEGIN { for (i = 0; i < 64; i++) printf "program+0x%x\n", 4096 + 16 * i }' >addresses
{ (cd cores && ulimit -c unlimited && echo 0x3f >/proc/self/coredump_filter && LD_PRELOAD=$lib BINLOG_DIR=$TMP/data exec bash -c \
	'for line in {1..200}; do echo "line $line"; done; kill -SEGV $$'); } >/dev/null 2>&1
mv cores/core* sound/the.core 2>/dev/null || skip "a core file: none is made here"
readers() { # DIR: the words of a command on each line
	cat <<END
$tools/binlog-show $1/data
$tools/binlog-show --raw --as-written $1/data
$tools/binlog-show --stacks --exe=$1/program $1/data
$tools/binlog-show --processes $1/data
$tools/binlog-show $1/ring
$tools/binlog-show $1/log.blog
$tools/binlog-show --stats $1/log.blog
$tools/binlog-show --values=took $1/log.blog
$tools/binlog-show --output=html --reverse $1/log.blog
$tools/binlog-show $1/trace.heph
$tools/binlog-show --recover $1/log.blog
$tools/binlog-show --recover $1/data
$tools/binlog-show --diff $1/data $1/log.blog
$tools/binlog-show --index $1/program
$tools/binlog-pack -q $1/data -o -
$tools/binlog-top -b -n 2 -d 0.1 $1/data
$tools/binlog-ctl $1/data status
$tools/binlog-symbolize addresses
timeout --foreground --preserve-status -s INT -k 10 0.3 $tools/binlog-show -f $1/data
timeout --foreground --preserve-status -s INT -k 10 0.3 $tools/binlog-pack -q --follow $1/followed -o followed.blog
END
	[ ! -e sound/the.core ] || echo "$tools/binlog-show --recover $1/the.core"
}
read_all() { # DIR VARIABLE...: every reader once; what is wrong; statuses go to $TMP/statuses
	local words status
	while read -ra words; do
		timeout -k 5 60 env "${@:2}" "${words[@]}" >got 2>errors
		status=$?
		echo $status >>statuses
		rm -f followed*.blog
		# our own signal, come before it was expected
		[ "${words[0]}" != timeout ] || [ $status -ne 130 ] || status=0
		[ $status -le 2 ] || echo "${words[*]##*/}: ended with $status: ${*:2}: $(tail -n 3 errors)"
	done < <(readers "$1")
}
damaged() { sort statuses | uniq -c | awk '{ printf "%s%d with status %d", (NR > 1 ? ", " : ""), $1, $2 } $2 == 1 && $1 > 3 { many = 1 }
	END { exit !many }'; }

# ---- a writer beside them ----
cp -r sound/data sound/followed
cp -r sound raced
sed -i 's|^|raced/|' addresses
writers=()
for seed in 1 2; do
	(cd raced && exec ../racing_writer $seed ../sound ./*.* program */*.binlog) >begun$seed 2>writer.errors$seed &
	writers+=($!)
done
until_true grep -q begun begun1 && until_true grep -q begun begun2
end=$((SECONDS + seconds))
while why=$(read_all raced) && [ -z "$why" ] && [ $SECONDS -lt $end ]; do :; done
same "beside two that write the same files nobody is ended by a signal, or hangs" "" "$why"
alive=0
for writer in "${writers[@]}"; do
	! kill "$writer" 2>/dev/null || alive=$((alive + 1))
done
wait "${writers[@]}" 2>/dev/null
same "(they wrote until the end)" "2" "$alive$(cat writer.errors?)"
sum=$(damaged)
verdict $? "(they were met: $sum)"

# ---- what is read again is something else ----
: >statuses
cp -r sound twice
sed -i 's|^raced|twice|' addresses
end=$((SECONDS + seconds)) seed=0 why=
while [ -z "$why" ] && { [ $SECONDS -lt $end ] || [ $seed -lt 3 ]; }; do
	seed=$((seed + 1))
	why=$(read_all twice LD_PRELOAD="$TMP/second_read" SECOND_READ="$TMP/twice" SECOND_READ_SEED=$seed)
done
same "what is read a second time may be anything: nobody is ended by a signal, or hangs" "" "$why"
sum=$(damaged)
verdict $? "(it was something else: $sum)"
finish
