#!/bin/bash
# binlog-show --follow of rings: what threads say is shown once, while they say it, although it is overwritten; of what was
# overwritten before it could be shown it is told. The oracle is the native run.
. tests/support/lib.sh
cat >"$TMP/talk.c" <<'E2'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int lines, pause_us;
static const char *go; /* once this file is there, after the first lines */
static void *talk(void *number)
{
	for (int i = 0; i < lines; i++) {
		printf("thread %ld line %d\n", (long)number, i);
		if (pause_us)
			usleep(pause_us);
		while (i == 0 && go && access(go, F_OK) != 0)
			usleep(1000);
	}
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t threads[3];

	lines = atoi(argv[1]);
	pause_us = atoi(argv[2]);
	go = argc > 3 ? argv[3] : NULL;
	for (long i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, talk, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("the end of %s\n", argv[1]);
	return 0;
}
E2
$CC -O1 -w -o "$TMP/talk" "$TMP/talk.c" -pthread || exit 1
cd "$TMP" || exit 1
now() { sed 's/\..*//' /proc/uptime; }
until_has() { # PATTERN FILE: waits for it, a minute at most
	local end=$(($(now) + 60))
	while ! grep -q "$1" "$2" && [ "$(now)" -lt $end ]; do sleep 0.1; done
	grep -q "$1" "$2"
}
ended() { # PID: it ends within a minute
	local end=$(($(now) + 60))
	while kill -0 "$1" 2>/dev/null && [ "$(now)" -lt $end ]; do sleep 0.1; done
	! kill -0 "$1" 2>/dev/null
}
record() { BINLOG_RING=${RING:-1M} BINLOG_DIR=$1 LD_PRELOAD=$lib ./talk "${@:2}" >/dev/null 2>&1; }

./talk 3000 0 | sort >native
record d 3000 1000 &
until [ -n "$(ls d 2>/dev/null)" ]; do sleep 0.1; done
"$show" --raw --follow --lines=100000 d/*.binlog >seen 2>seen.err &
showing=$!
until_has 'line 10$' seen
verdict $? "what is said is shown"
grep -q 'the end' seen
verdict $(($? == 0)) "while the program goes on"
ended $showing
verdict $? "it ends when the program does"
wait $showing
same "with status 0" 0 $?
same "and says why" 1 "$(grep -c 'its program has ended$' seen.err)"
sort seen >sorted
same_file "all lines, each once" native sorted
for number in 0 1 2; do
	grep "thread $number" seen | sort -c -k4n
	verdict $? "in the order of thread $number"
done

mkdir more
record more 5 100
"$show" -q --columns=tid,message -f more >seen 2>seen.err &
showing=$!
until_has 'the end of 5' seen
verdict $? "of a directory: what was said"
same "but ten lines" 10 "$(wc -l <seen)"
record more 7 100
until_has 'the end of 7' seen
verdict $? "and by whom begins later"
same "all of that" 22 "$(tail -n +11 seen | wc -l)"
kill -INT $showing
ended $showing
verdict $? "an interrupt ends it"

RING=256K record fast 300000 0 go &
talking=$!
until [ -n "$(ls fast 2>/dev/null)" ]; do sleep 0.1; done
"$show" --raw --follow --lines=100000 fast/*.binlog >seen 2>seen.err &
showing=$!
until_has 'line 0$' seen
>go
wait $showing
if [ "$(wc -l <seen)" -lt 900001 ]; then
	verdict $(($(grep -c 'messages are missing here' seen.err) == 0)) "what was overwritten before it was shown is told"
fi
same "nothing comes twice" "" "$(sort seen | uniq -d | head -n 3)"
same "nor what nobody has said" 0 "$(grep -cvxE 'thread [0-2] line [0-9]+|the end of 300000' seen)"
wait $talking
"$show" -q -f -o csv fast >seen 2>&1
same "another output is refused: the status" 2 $?
same "with a sentence" 1 "$(grep -c 'a ring is shown as lines' seen)"
exit $failed
