#!/bin/bash
# What gcore of gdb takes of a process that goes on has its capture: what is shown of it is what is shown of the capture itself.
. tests/support/lib.sh
if ! command -v gcore >/dev/null; then
	skip "captures in what gcore writes: it is not here"
	exit 0
fi
cat >"$TMP/victim.c" <<'E2'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *run(void *number)
{
	for (int i = 0; i < 20000; i++)
		printf("thread %ld says %d\n", (long)number, i);
	return NULL;
}
int main(void)
{
	pthread_t threads[3];

	for (long i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	fprintf(stderr, "all is said\n");
	(void)!write(9, "x", 1);
	for (;;)
		pause();
}
E2
$CC -O1 -w -o "$TMP/victim" "$TMP/victim.c" -pthread || exit 1
mkfifo "$TMP/ready"
LD_PRELOAD=$lib BINLOG_DIR=$TMP/capture "$TMP/victim" >"$TMP/out" 2>&1 9>"$TMP/ready" &
victim=$!
head -c 1 "$TMP/ready" >/dev/null
gcore -o "$TMP/core" $victim >"$TMP/said" 2>&1
taken=$?
"$show" -q "$TMP/capture" >"$TMP/wanted"
kill $victim
wait $victim 2>/dev/null
core=$TMP/core.$victim
if [ $taken -ne 0 ] || [ ! -s "$core" ]; then
	skip "captures in what gcore writes: it may not look at a process here: $(tail -n 1 "$TMP/said")"
	exit 0
fi
verdict $(($(wc -l <"$TMP/wanted") < 60000)) "the capture itself has all"
"$show" -q "$core" >"$TMP/got" 2>"$TMP/complaints"
same_file "lines: of what gcore writes as of the capture" "$TMP/wanted" "$TMP/got"
same "without a complaint" "" "$(cat "$TMP/complaints")"
rm -r "$TMP/capture"
"$show" -q "$core" >"$TMP/got" 2>&1
same_file "and when that is gone" "$TMP/wanted" "$TMP/got"
exit $failed
