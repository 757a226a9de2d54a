#!/bin/bash
# BINLOG_FULL=block: who finds no room in the capture waits until binlog-pack has freed some, or the disk has some again, and
# nothing is written; for so long and no longer, and not if nobody frees any.  What is compared with is the native run.
# In a mount namespace of its own, so that nothing mounted here outlives it.
if [ -z "${IN_NAMESPACE:-}" ] && [ "$(id -u)" -eq 0 ]; then
	export IN_NAMESPACE=1
	unshare -m true 2>/dev/null && exec unshare -m bash "$0"
fi
. tests/support/lib.sh
pack=$BUILD/binlog-pack
run=$BUILD/binlog-run
d=$TMP/d
cat >"$TMP/lines.c" <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int lines;
static void *say(void *name)
{
	for (int i = 0; i < lines; i++)
		printf("%s says line %d, which is %f of all\n", (char *)name, i, (double)i / lines);
	return NULL;
}
static void on_signal(int number)
{
	if (number == SIGUSR1)
		_exit(7);
	close(open("began", O_CREAT | O_WRONLY, 0600));
	dprintf(1, "told\n");
}
int main(int count, char **arguments)
{
	static char names[4][2] = {"a", "b", "c", "d"};
	pthread_t threads[4];
	lines = atoi(arguments[1]);
	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, on_signal);
	if (count == 2)
		return say("one") != NULL;
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, say, names[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
gcc -O1 -o "$TMP/lines" "$TMP/lines.c" -pthread
cd "$TMP" || exit 1
start() { # MAX-SIZE ARGUMENT...: its number in $running; it will wait
	rm -rf "$d" "$TMP/log.blog"
	(BINLOG_MAX_SIZE=$1 BINLOG_DIR=$d LD_PRELOAD=$lib exec "$TMP/lines" "${@:2}" >"$TMP/out" 2>&1) &
	running=$!
}
is_large() { [ "$(stat -c %s "$d"/lines-*)" -ge "$1" ]; }
follow() { timeout 300 "$pack" -q --follow "$d" -o "$TMP/log.blog" 2>"$TMP/err"; }

# ---- until it is freed ----
"$TMP/lines" 300000 >"$TMP/native"
export BINLOG_FULL=block=1h
start 2M 300000
until_true is_large 2097152
same "who finds no room waits, and writes nothing" "0 runs" "$(stat -c %s "$TMP/out") $(has_ended "$running" || echo runs)"
follow
same "binlog-pack ends well" "0 " "$? $(cat "$TMP/err")"
wait "$running"
same "then it goes on to its end, and has written nothing" "0 0" "$? $(stat -c %s "$TMP/out")"
"$show" --raw -q "$TMP/log.blog" >"$TMP/got"
same_file "and all of it is in the log, in order, though its capture was never larger than 2M" "$TMP/native" "$TMP/got"
verdict $(($(stat -c %s "$d"/lines-*) > 2097152)) "it was not" "$(stat -c %s "$d"/lines-*)"

"$TMP/lines" 60000 threads >"$TMP/native"
start 4M 60000 threads
until_true is_large 4194304
follow
wait "$running"
same "threads: nothing is written" "0 0" "$? $(stat -c %s "$TMP/out")"
"$show" --raw -q "$TMP/log.blog" >"$TMP/got"
for name in a b c d; do
	same "threads: each one's text is there, in order" "$(grep "^$name " "$TMP/native" | sha1sum)" "$(grep "^$name " "$TMP/got" | sha1sum)"
done
same "threads: and nothing else" "$(wc <"$TMP/native")" "$(wc <"$TMP/got")"

# ---- signals ----
for signal in TERM USR1; do
	start 256K 100000
	until_true is_large 262144
	kill -$signal "$running"
	wait "$running"
	status=$?
	same "SIG$signal reaches who waits" "$([ $signal = TERM ] && echo 143 || echo 7)" $status
done

start 256K 100000
until_true is_large 262144
kill -USR2 "$running"
until_true [ -e "$TMP/began" ]
kill -TERM "$running"
wait "$running"
same "and who waits in a handler" 143 $?

# ---- in vain ----
printf 'full = block=50ms\n' >"$TMP/config"
"$TMP/lines" 20000 >"$TMP/native"
for way in variable file; do
	rm -rf "$d"
	if [ $way = file ]; then unset BINLOG_FULL; else export BINLOG_FULL=block=50ms; fi
	(BINLOG_CONFIG=$TMP/config BINLOG_MAX_SIZE=256K BINLOG_DIR=$d LD_PRELOAD=$lib exec timeout 60 "$TMP/lines" 20000 >"$TMP/out" 2>&1)
	same "by a $way: who waits in vain goes on" 0 $?
	{ "$show" --raw -q "$d"; cat "$TMP/out"; } >"$TMP/got"
	same_file "by a $way: and what had no room is written, in order" "$TMP/native" "$TMP/got"
done

# ---- a disk ----
mkdir "$TMP/disk"
if mount -t tmpfs -o size=4m none "$TMP/disk" 2>/dev/null; then
	chmod 700 "$TMP/disk"
	d=$TMP/disk/d
	head -c 3M /dev/zero >"$TMP/disk/taken"
	export BINLOG_FULL=block=1h
	"$TMP/lines" 80000 >"$TMP/native"
	start 1G 80000
	is_full() { [ "$(df --output=avail -B 1 "$TMP/disk" | tail -n 1)" -lt 300000 ]; }
	until_true is_full
	same "a full disk: who finds no room waits, and writes nothing" "0 runs" "$(stat -c %s "$TMP/out") $(has_ended "$running" || echo runs)"
	rm "$TMP/disk/taken"
	wait "$running"
	same "a full disk: until there is room" "0 0" "$? $(stat -c %s "$TMP/out")"
	"$show" --raw -q "$d" >"$TMP/got"
	same_file "a full disk: and all of it is in the capture" "$TMP/native" "$TMP/got"
	umount "$TMP/disk"
else
	skip "a full disk: it cannot be mounted here"
fi
# ---- a handler that forks meanwhile ----
cat >"$TMP/forks.c" <<'END'
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int child;
static void limit(long bytes)
{
	const struct rlimit most = {bytes, RLIM_INFINITY};

	setrlimit(RLIMIT_FSIZE, &most);
}
static void make_room(int number)
{
	child = fork() == 0;
	limit(64 << 20);
}
int main(void)
{
	const struct itimerval soon = {.it_value = {.tv_usec = 700000}};

	limit(160 << 10);
	signal(SIGALRM, make_room);
	setitimer(ITIMER_REAL, &soon, NULL);
	for (int i = 0; i < 20000; i++)
		dprintf(1, "line %d of the %s, which is not a short one at all\n", i, child ? "child" : "parent");
	if (!child)
		wait(NULL);
	return 0;
}
END
$CC -std=gnu11 -D_GNU_SOURCE -O1 -w -o "$TMP/forks" "$TMP/forks.c" || exit 1
BINLOG_FULL=block=30s BINLOG_DIR=$TMP/forked LD_PRELOAD=$lib "$TMP/forks" >"$TMP/out" 2>/dev/null
"$show" --raw -q "$TMP/forked" >"$TMP/got" 2>"$TMP/err"
same "a handler that forks while its thread waits: nothing is damaged" "" "$(cat "$TMP/err")"
same "and all that the parent says is there" 20000 "$(cat "$TMP/out" "$TMP/got" | grep 'of the parent' | sort -u | wc -l)"
d=$TMP/d
unset BINLOG_FULL

# ---- what it may be ----
for word in spill= block= block=all block=1x wait; do
	"$run" --dir="$d" --full="$word" true >"$TMP/out" 2>"$TMP/err"
	same "binlog-run: not known: $word" "2 1" "$? $(grep -c "^binlog-run: $word: not known: .*BINLOG_FULL" "$TMP/err")"
done
BINLOG_FULL=spill= "$lib" | grep -q 'full=spill=: not understood'
verdict $? "and the library says that it does not understand it"
for word in pass block block=20 block=50ms; do
	BINLOG_FULL=$word "$lib" | grep -q '^settings: 1, all understood'
	verdict $? "understood: $word"
done
finish
