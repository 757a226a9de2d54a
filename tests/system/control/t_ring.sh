#!/bin/bash
# BINLOG_RING: the newest calls of a program, the oldest overwritten; whole at any moment, and after SIGKILL.
. tests/support/lib.sh
build ring -O2
build handlers
build jumps
points=${LONG:+100}
points=${points:-6}
seconds=${LONG:+60}
seconds=${seconds:-3}
speed=5000000

start() { # SIZE THREADS SECONDS RATE: in the background, its number in $ring
	rm -rf "$TMP/run"
	mkdir -p "$TMP/run"
	(cd "$TMP/run" && BINLOG_RING=$1 BINLOG_DIR=capture LD_PRELOAD=$lib exec "$TMP/ring" "${@:2}" >real) &
	ring=$!
	until_true said 1000
}
counts() { od -An -v -tu8 -w64 "$TMP/run/counts" | awk '$1 { print $1, $2 }'; } # begun and said, a line for each thread
said() { [ "$(counts 2>/dev/null | awk '{ n += $2 } END { print n + 0 }')" -ge "$1" ]; }
show() { "$show" --raw "$@" "$TMP/run/capture" >"$TMP/got" 2>"$TMP/errors"; }

# Of each thread all numbers from some on, up to at least that which it had said before.
incomplete() { # COUNTS LEAST LAST: what is wrong, fewer than LEAST lines are; LAST: up to those exactly
	awk -v least="$2" -v exact="${3:-}" 'NR == FNR { begun[FNR - 1] = $1; said[FNR - 1] = $2; next }
		!/^[0-9]+ [0-9]+$/ { print "line " FNR ": " $0; bad++ }
		$1 in last && $2 != last[$1] + 1 { print "thread " $1 ": " $2 " after " last[$1]; bad++ }
		{ last[$1] = $2; n++ }
		bad > 5 { exit }
		END { for (thread in said) {
				if (last[thread] < said[thread] || (exact && last[thread] > begun[thread]))
					print "thread " thread ": up to " last[thread] ", said " said[thread] ", begun " begun[thread]
			}
			if (n < least) print "only " n + 0 " lines" }' "$1" "$TMP/got"
	sed 's/^/said: /' "$TMP/errors" | grep -vE ': the ring holds the last [0-9.e-]+ s: [0-9.e+]+ MB of what was said before were overwritten$'
}

# While it runs.
start 16M 2 "$((seconds + 1))" $speed
sleep 0.3 # until there is something in it
: >"$TMP/why"
for ((i = 0; i < points; i++)); do
	counts >"$TMP/before"
	show -q
	incomplete "$TMP/before" 50000 >>"$TMP/why"
	sleep "$(awk -v s="$seconds" -v p="$points" "BEGIN { srand($i); print rand() * s / p }")"
done
verdict "$(wc -l <"$TMP/why")" "at $points moments: of each thread all numbers up to the last one, from the seam on" "$(cat "$TMP/why")"
wait "$ring"
show
verdict $? "a ring is no damage" "$(cat "$TMP/errors")"
grep -qE ': the ring holds the last [0-9.]+ s: [0-9.]+(e\+[0-9]+)? MB of what was said before were overwritten$' "$TMP/errors"
verdict $? "how much time it holds is said" "$(cat "$TMP/errors")"
span=$(sed -n 's/.*holds the last \([0-9.e-]*\) s.*/\1/p' "$TMP/errors")
lines=$(wc -l <"$TMP/got")
total=$(counts | awk '{ n += $2 } END { print n }')
verdict "$(awk -v a="$span" -v b="$(awk "BEGIN { print $lines / ($total / ($seconds + 1)) }")" 'BEGIN { print !(a > b / 5 && a < b * 5) }')" \
	"and that is the time in which so many lines are said ($lines of $total)" "$span s"
same "nothing is passed or written" 0 "$(wc -c <"$TMP/run/real")"
verdict $(($(du -k "$TMP"/run/capture/*.binlog | cut -f 1) > 20000)) "a ring of 16 MiB takes little more" "$(du -k "$TMP"/run/capture/*)"

# Killed at any moment.
: >"$TMP/why"
for ((i = 0; i < points; i++)); do
	start 16M 2 0 $speed
	sleep "$(awk "BEGIN { srand($i); print 0.3 + rand() / 4 }")"
	{ kill -KILL "$ring" && wait "$ring"; } 2>/dev/null
	counts >"$TMP/before"
	show -q
	incomplete "$TMP/before" 100000 exactly >>"$TMP/why"
done
verdict "$(wc -l <"$TMP/why")" "killed at $points moments: likewise, up to the last call exactly" "$(cat "$TMP/why")"

# As fast as it can, which is faster than it can be read: less of it is there, but that is whole.
start 16M 1 4 0
sleep 0.3
: >"$TMP/why"
for ((i = 0; i < 2 * points; i++)); do
	counts >"$TMP/before"
	show -q
	incomplete "$TMP/before" 5000 >>"$TMP/why"
done
wait "$ring"
verdict "$(wc -l <"$TMP/why")" "at full speed, $(counts | awk '{ print int($2 / 4e6) }') million calls a second: likewise" \
	"$(cat "$TMP/why")"

# A thread that says little keeps what it has said, and what it defined long ago is known.
cat >"$TMP/quiet.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static volatile int stop;
static void *flood(void *argument)
{
	while (!stop)
		printf("flood %d\n", 1);
	return argument;
}
static __attribute__((noinline)) void many(int round)
{
	static const char formats[400][32];
	for (int i = 0; i < 400; i++) {
		if (!*formats[i])
			sprintf((char *)(size_t)formats[i], "format %d: %%d\n", i);
		fprintf(stderr, formats[i], round);
	}
}
int main(void)
{
	pthread_t thread;
	many(1);
	pthread_create(&thread, NULL, flood, NULL);
	for (int i = 0; i < 20; i++) {
		fprintf(stderr, "quiet %d\n", i);
		usleep(50000);
	}
	stop = 1;
	pthread_join(thread, NULL);
	many(2);
	return 0;
}
END
sed -i 's/static const char formats/static char formats/' "$TMP/quiet.c"
gcc -w -O1 -o "$TMP/quiet" "$TMP/quiet.c" -pthread
"$TMP/quiet" 2>&1 >/dev/null | grep -v ': 1$' >"$TMP/wanted"
rm -rf "$TMP/capture"
BINLOG_RING=2M BINLOG_DIR=$TMP/capture LD_PRELOAD=$lib "$TMP/quiet" >/dev/null 2>"$TMP/real"
raw stderr "$TMP/capture" 2>"$TMP/errors" >"$TMP/got"
tail -n "$(wc -l <"$TMP/wanted")" "$TMP/got" >"$TMP/last"
same_file "a thread that says little, and 400 formats that were met long before" "$TMP/wanted" "$TMP/last"
same "without a complaint" "" "$(cat "$TMP/errors")"

# Children share it; those that are gone have left their places.
cat >"$TMP/children.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char **arguments)
{
	for (int i = 0; i < atoi(arguments[1]); i++) {
		if (fork() == 0) {
			for (int j = 0; j < 3000; j++)
				printf("child %d says %d and more text than that\n", i, j);
			fflush(stdout);
			_exit(0);
		}
		wait(NULL);
	}
	return 0;
}
END
gcc -w -O1 -o "$TMP/children" "$TMP/children.c"
rm -rf "$TMP/capture"
BINLOG_RING=1M BINLOG_DIR=$TMP/capture LD_PRELOAD=$lib "$TMP/children" 300 >/dev/null
raw stdout "$TMP/capture" 2>"$TMP/errors" >"$TMP/got"
awk '{ if ($2 in last && $4 != last[$2] + 1) print; last[$2] = $4; n[$2]++ }
	END { for (i = 285; i < 300; i++) if (n[i] != 3000) print "child " i ": " n[i] + 0 " up to " last[i] }' "$TMP/got" >"$TMP/why"
verdict "$(wc -l <"$TMP/why")" "of 300 children one after another the last ones are there" "$(head "$TMP/why"; cat "$TMP/errors")"
bytes=$(($(du -k "$TMP"/capture/*.binlog | cut -f 1) * 1024))
verdict $((bytes > 3300000)) "and take little but for their definitions" "$bytes bytes"

# No system call once it is full: what is left are the clocks.
if counter_is_trusted; then
	(cd "$TMP" && BINLOG_RING=1M BINLOG_DIR=$TMP/traced LD_PRELOAD=$lib strace -f -o "$TMP/calls" ./ring 1 1 0 >/dev/null)
	blocks=$("$show" "$TMP/traced" 2>&1 >/dev/null | sed -n 's/.*: \([0-9.e+]*\) MB of what.*/\1/p' | awk '{ print int($1 * 1e6 / 16384) }')
	others=$(grep -vcE 'clock_gettime|resumed' "$TMP/calls")
	verdict $((blocks < 2000 || others > blocks / 2)) "a full block costs no system call: $blocks blocks" "$others calls"
else
	skip "system calls of full blocks (each call asks the kernel for the time here)"
fi

# Handlers, also those that jump out of calls, while it is small.
export BINLOG_RING=64M
compare "handlers that log on a small stack" "$TMP/handlers"
unset BINLOG_RING
rm -rf "$TMP/capture"
# It has room for all: a fast machine says more than 6 MiB, and nothing may be overwritten.
BINLOG_RING=9M BINLOG_DIR=$TMP/capture LD_PRELOAD=$lib "$TMP/jumps" 2000 9>"$TMP/said" >/dev/null
read -r main handler _ <"$TMP/said"
"$show" --raw "$TMP/capture" 2>"$TMP/errors" | awk -v main="$main" -v handler="$handler" '
	$0 == last[$1] { next } # what was jumped out of may be there, and is said again
	{ last[$1] = $0; n = $1 == "main" ? a++ : b++ }
	$2 != n { print NR ": " $0 ", not " n; if (bad++ > 5) exit }
	END { if (!bad && (a < main || b < handler)) print "of " main " and " handler ": " a " and " b }' >"$TMP/why"
verdict "$(wc -l <"$TMP/why")" "handlers that jump out of calls, and out of what makes a block ready: nothing is lost" \
	"$(cat "$TMP/why" "$TMP/errors")"

# Other limits.
rm -rf "$TMP/capture"
BINLOG_RING=1G BINLOG_MAX_SIZE=4M BINLOG_DIR=$TMP/capture LD_PRELOAD=$lib "$TMP/children" 100 >"$TMP/real"
verdict $(($(stat -c %s "$TMP"/capture/*.binlog) > 4 << 20)) "BINLOG_MAX_SIZE caps a ring" "$(ls -l "$TMP/capture")"
same "and it goes on by itself: nothing is passed" 0 "$(wc -c <"$TMP/real")"
raw stdout "$TMP/capture" 2>/dev/null | tail -n 1 >"$TMP/got"
same "up to the end" "child 99 says 2999 and more text than that" "$(cat "$TMP/got")"
rm -rf "$TMP/capture"
BINLOG_RING=much BINLOG_DIR=$TMP/capture LD_PRELOAD=$lib "$TMP/children" 2 >/dev/null
same "what is no size is no ring" 6000 "$(raw stdout "$TMP/capture" | wc -l)"
timeout -s INT 2 "$BUILD/binlog-pack" --follow="$TMP/run/capture" -o "$TMP/log.blog" >"$TMP/said" 2>&1
same "binlog-pack --follow says once that a ring is not followed" 1 "$(grep -c 'not followed: it is a ring' "$TMP/said")"
"$BUILD/binlog-pack" -o "$TMP/ring.blp" "$TMP/run/capture" >"$TMP/said" 2>&1
"$show" --raw -q "$TMP/ring.blp" >"$TMP/packed" 2>&1
show -q
same_file "binlog-pack packs what it holds" "$TMP/got" "$TMP/packed"
finish
