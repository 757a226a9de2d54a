#!/bin/bash
# binlog-run --companion: it makes blocks ready, so that the program does not;
# nothing is lost or said twice, whoever is killed; it ends with its run.
# KILLS is how many of the program and of the companion each.
. tests/support/lib.sh
. tests/support/accounts.sh
run=$BUILD/binlog-run
kills=${KILLS:-$([ -n "${LONG:-}" ] && echo 500 || echo 10)}
build companion -O2
build kill -O2
build kill_check -O2
capture=$TMP/capture
export BINLOG_STREAMS=all=replace

# Those of this test: each has the path of the captures in its words.
companions() {
	local pid
	for pid in $(pgrep -f "^[^ ]*binlog-run .*$capture"); do
		[ "$(cat "/proc/$pid/comm" 2>/dev/null)" != binlog-prepare ] || echo "$pid"
	done
}
no_companions() { [ -z "$(companions)" ]; }
with() { # COMMAND...: in an empty capture directory
	rm -rf "$capture"
	"$run" --companion -o "$capture" -- "$@"
}

# ---- what it is there for ----
own_writes() { # COMMAND...: how many blocks the program itself has made ready
	strace -e trace=pwritev -o "$TMP/trace" "$@" >/dev/null 9>/dev/null
	grep -c pwritev "$TMP/trace"
}
is_helped() { # how much depends on what else runs on its core
	rm -rf "$capture"
	helped=$(own_writes "$run" -C -o "$capture" "$TMP/companion" 5000000 a)
	[ "$helped" -lt "$alone" ]
}
# Whether it comes in time depends on who else wants the processors.
if is_long && [ "$(nproc)" -gt 1 ]; then
	rm -rf "$capture"
	alone=$(own_writes "$run" -o "$capture" "$TMP/companion" 5000000 a)
	for _ in {1..20}; do is_helped && break; done
	verdict $((alone < 100 || helped >= alone)) \
		"of 128 MiB a program has made $alone pieces ready alone, $helped with a companion"
else
	with "$TMP/companion" 100000 a >/dev/null 9>/dev/null
fi
until_true no_companions
verdict $? "the companion ends when the program has ended" "$(companions)"

# ---- that nothing changes ----
natively_said() { # LINES WHO: one after the other, since children cut each other's lines
	local letter
	for letter in $(sed 's/./& /g' <<<"$2"); do
		"$TMP/companion" "$1" "$letter" 9>/dev/null
	done >"$TMP/native"
}
say() { # LINES WHO [COMMAND...]: what is wrong; the command runs it
	local status
	natively_said "$1" "$2"
	rm -rf "$capture"
	"${@:3}" "$run" -C -o "$capture" "$TMP/companion" "$1" "$2" 9>"$TMP/calls" | cat >"$TMP/real"
	status=${PIPESTATUS[0]}
	[ $status -eq 3 ] || echo "it ended with $status"
	account replace "$TMP/native" "$TMP/real" "$capture" "$(cat "$TMP/calls")"
	if [ "$("$show" "$capture" 2>&1 >/dev/null | wc -l)" -ne 1 ]; then
		"$show" "$capture" 2>&1 >/dev/null
	fi
}
while read -r who what; do
	why=$(say 60000 "$who")
	verdict ${#why} "$what: $(cat "$TMP/sum")" "$why"
	grep -q '^[0-9,]* captured, 0 passed, 0 dropped' <(tr -d '.' <"$TMP/sum")
	verdict $? "$what: all is captured" "$(cat "$TMP/sum")"
done <<-'WHO'
	a      one thread
	abcd   four threads
	ABC    three children
	abAB   two threads and two children
WHO
for size in 1M 2M 3000001; do
	why=$(say 80000 ab env BINLOG_MAX_SIZE=$size)
	verdict ${#why} "BINLOG_MAX_SIZE=$size: $(cat "$TMP/sum")" "$why"
	got=$(find "$capture" -name '*.binlog' -printf %s)
	verdict $((got > $(numfmt --from=iec ${size}))) "BINLOG_MAX_SIZE=$size: no larger than that" "$got"
done
# shellcheck disable=SC2016
why=$(say 150000 a sh -c 'ulimit -f 3000 && exec "$@"' sh)
verdict ${#why} "RLIMIT_FSIZE of 3000 KiB: $(cat "$TMP/sum")" "$why"
small=$TMP/small
mkdir "$small"
if mount -t tmpfs -o size=6m none "$small" 2>"$TMP/why"; then
	before=$capture
	capture=$small/capture
	why=$(say 300000 a)
	verdict ${#why} "a disk that is full: $(cat "$TMP/sum")" "$why"
	until_true no_companions
	until_true umount "$small"
	verdict $? "the companion leaves the disk"
	capture=$before
else
	skip "a disk that is full: $(cat "$TMP/why")"
fi

# ---- that the program does not see it ----
cat >"$TMP/look.py" <<'P'
import os
print(sorted(os.listdir("/proc/self/fd")), os.getpid() == os.getpgid(0), os.getsid(0))
try:
    print(os.waitpid(-1, os.WNOHANG))
except ChildProcessError:
    print("no child")
P
same "no descriptor and no child of it is the program's" "$(python3 "$TMP/look.py")" \
	"$(BINLOG_STREAMS=all=pass with python3 "$TMP/look.py")"
until_true no_companions
rm -rf "$capture"
"$run" -C -o "$capture" sleep 30 >/dev/null 2>&1 &
has_begun() { [ -n "$(companions)" ] && [ "$(cat "/proc/$!/comm")" = sleep ]; }
until_true has_begun
held=$(for pid in $(companions); do readlink "/proc/$pid"/fd/*; done)
verdict $(($(wc -l <<<"$held") < 6 || $(grep -vxc -e /dev/null -e 'anon_inode:.*' -e "$capture" <<<"$held") > 0)) \
	"it holds nothing of the program's open" "$held"
{
	kill -s KILL $!
	wait $!
} 2>/dev/null
until_true no_companions
verdict $? "it ends when the program was killed" "$(companions)"

# It stays for what the program has left behind.
cat >"$TMP/leave.sh" <<S
setsid "$TMP/leave" >/dev/null 2>&1 </dev/null &
S
$CC -O1 -w -o "$TMP/leave" -x c - <<'C' || exit 1
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
	for (int i = 0; access(getenv("STOP"), F_OK) != 0; i++) {
		printf("still there %d\n", i);
		usleep(2000);
	}
}
C
STOP=$TMP/stop with sh "$TMP/leave.sh"
sleep 0.5
! no_companions
verdict $? "it stays while a process of the run is left"
touch "$TMP/stop"
until_true no_companions
verdict $? "and ends with that" "$(companions)"

# ---- kills ----
page=$TMP/page
bad=0
lines=0
: >"$TMP/whys"
for ((i = 0; i < kills; i++)); do
	rm -rf "$capture"
	KILL_AFTER=$((4000 + RANDOM % 30000)) KILL_PRELOAD='' "$TMP/kill_check" "$page" \
		"$run" -C -o "$capture" "$TMP/kill" "$page" >"$TMP/real" 2>&1
	# Its captures are read while the companion is still at it, and after.
	if [ -e "$(echo "$capture"/*.binlog)" ]; then
		for turn in 1 2; do
			"$TMP/kill_check" "$page" "$show" "$capture" >"$TMP/why" 2>"$TMP/complaint" || {
				bad=$((bad + 1))
				head -qn 3 "$TMP/why" "$TMP/complaint" >>"$TMP/whys"
			}
			[ $turn = 2 ] || until_true no_companions
		done
		lines=$((lines + $(tail -n 1 "$TMP/why")))
	fi
done
verdict $bad "$kills kills of the program: no line that has returned is lost or torn" "$bad: $(cat "$TMP/whys")"
verdict $((lines < 100 * kills)) "$lines lines were said before"

bad=0
hit=0
: >"$TMP/whys"
natively_said 60000 abA
for ((i = 0; i < kills; i++)); do
	rm -rf "$capture"
	"$run" -C -o "$capture" "$TMP/companion" 60000 abA >"$TMP/real" 9>"$TMP/calls" &
	sleep "0.0$((1 + RANDOM % 4))$((RANDOM % 10))"
	found=$(companions)
	[ -z "$found" ] || kill -s KILL $found 2>/dev/null
	[ -z "$found" ] || hit=$((hit + 1))
	wait $!
	why=$(account replace "$TMP/native" "$TMP/real" "$capture" "$(cat "$TMP/calls")")
	[ -z "$why" ] || bad=$((bad + 1))
	echo "$why" >>"$TMP/whys"
done
verdict $bad "$kills kills of the companion: every line once" "$bad: $(cat "$TMP/whys")"
verdict $((hit < kills / 2)) "$hit times it was there to be killed"

# ---- while it is read ----
reads() { # what is wrong with the capture of a program that runs
	"$show" --raw -q "$capture" 2>"$TMP/complaint" |
		awk '$2 != n[$1]++ { print "after " n[$1] - 2 " of " $1 ": " $2; exit }'
	cat "$TMP/complaint"
}
bad=0
rounds=0
: >"$TMP/whys"
for ((i = 0; i < kills / 10; i++)); do
	rm -rf "$capture"
	"$run" -C -o "$capture" "$TMP/companion" 300000 abAB >/dev/null 9>"$TMP/calls" &
	while kill -0 $! 2>/dev/null; do
		[ -n "$(find "$capture" -name '*.binlog' 2>/dev/null)" ] || continue
		why=$(reads)
		rounds=$((rounds + 1))
		[ -z "$why" ] || bad=$((bad + 1))
		echo "$why" >>"$TMP/whys"
	done
	wait $!
done
verdict $bad "read $rounds times while it grows: what each has said up to then" "$bad: $(grep . "$TMP/whys" | head -n 5)"
until_true no_companions
verdict $? "in the end no companion is left" "$(companions)"

# ---- what it says itself ----
"$run" -C -o "$TMP/none/such" "$TMP/companion" 1 a >/dev/null 2>"$TMP/why" 9>/dev/null
same "where no captures can go there is no companion" 2 $?
finish
