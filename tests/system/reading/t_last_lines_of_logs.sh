#!/bin/bash
# The last lines of a packed log, and what was said from some time on: the same as when all of it is read, and no more of
# the file is read for a large one than for a small one.  The last lines of captures are the same, too.
. tests/support/lib.sh

cat >"$TMP/app.c" <<'END'
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
static long count;
static void *run(void *number)
{
	uint64_t s = 88172645463325252u + (uintptr_t)number;

	for (long i = 0; i < count; i++) {
		char key[33];

		for (int k = 0; k < 32; k++) {
			s ^= s << 13, s ^= s >> 7, s ^= s << 17;
			key[k] = (char)('a' + s % 26);
		}
		key[32] = '\0';
		printf("line %ld of %ld: key=%s\n", i, (long)(uintptr_t)number, key);
		if (i % 1000 == 7)
			fprintf(stderr, "rare %ld, ", i), fprintf(stderr, "of %ld\n", (long)(uintptr_t)number);
		if (i == count / 2 && !number)
			puts("only here");
	}
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t thread;

	count = atol(argv[1]);
	if (argc > 2 && pthread_create(&thread, NULL, run, (void *)1))
		return 1;
	run(NULL);
	if (argc > 2)
		pthread_join(thread, NULL);
	return 3;
}
END
$CC -O1 -g -w -o "$TMP/app" "$TMP/app.c" -pthread || exit 1
cd "$TMP" || exit 1
export BINLOG_MAX_SIZE=4G
record() { # NAME COUNT [THREADS] [OPTION...]
	BINLOG_DIR=$1 LD_PRELOAD=$lib ./app "${@:2:2}" >/dev/null 2>said
	"$BUILD/binlog-pack" "${@:4}" "$1" -o "$1.blog" >/dev/null 2>&1 || exit 1
}
record one 550000
record two 200000 threads
rm -rf one two
cat two.blog two.blog one.blog >joined.blog
cat one.blog one.blog >twice.blog


# The oracle is what is shown of all, cut by others; with --strict all of a log is read, whatever is asked for.
last() { tail -n "$1"; }
for log in one two joined twice; do
	for options in "" "--raw" "-o json" "--columns=delta,tid,message" "-o timeline" "-g rare" "-s stderr" "-g only"; do
		# shellcheck disable=SC2086
		"$show" -q $options $log.blog | last 3000 >all
		for n in 1 3000; do
			# shellcheck disable=SC2086
			"$show" -q -n $n $options $log.blog >got
			same_file "$log: $options -n $n" <(last $n <all) got
		done
	done
done
"$show" -q --strict -S -n 5 one.blog >all
"$show" -q -S -n 5 one.blog >got
same_file "with stacks" all got
"$show" -q --strict -r -n 5 one.blog >all
"$show" -q -r -n 5 one.blog >got
same_file "the newest first" all got
"$show" -q --strict -n 4 -w 'arg1 < 300' -s stdout one.blog >all
"$show" -q -n 4 -w 'arg1 < 300' -s stdout one.blog >got
same_file "what is at the beginning alone" all got

# From some time on.
"$show" -q --strict one.blog | last 500000 >all
for from in 30 5000 400000; do
	since=$(tail -n $from all | head -n 1 | cut -d ' ' -f 1-2)
	for options in "" "-n 9" "--stats" "-g rare"; do
		# shellcheck disable=SC2086
		"$show" -q --strict --since="$since" $options one.blog >wanted
		# shellcheck disable=SC2086
		"$show" -q --since="$since" $options one.blog >got
		same_file "since the last $from: $options" wanted got
	done
done

# Several logs: those that go on with each other, and those of one time.
mkdir rotated
BINLOG_DIR=three LD_PRELOAD=$lib ./app 300000 threads >/dev/null 2>&1
timeout 60 "$BUILD/binlog-pack" --rotate-size=2M --follow=three -o rotated/three.blog >/dev/null 2>&1 || exit 1
cp one.blog two.blog rotated
[ "$(ls rotated | wc -l)" -gt 4 ] || not_ok "the log was not rotated: $(ls rotated)"
"$show" -q --strict rotated | last 800000 >all
for n in 1 100 5000 800000; do
	"$show" -q -n $n rotated >got
	same_file "of many logs: -n $n" <(last $n <all) got
done
since=$(tail -n 9000 all | head -n 1 | cut -d ' ' -f 1-2)
"$show" -q --strict --since="$since" rotated >wanted
"$show" -q --since="$since" rotated >got
same_file "of many logs: since" wanted got

# Captures: of two programs at one time, and one in which a thread has said its only word long ago, or says it last.
BINLOG_DIR=captures LD_PRELOAD=$lib ./app 50000 threads >/dev/null 2>&1 &
BINLOG_DIR=captures LD_PRELOAD=$lib ./app 50000 >/dev/null 2>&1
wait
cat >"$TMP/idle.c" <<'END'
#include <pthread.h>
#include <stdio.h>
static pthread_barrier_t barrier;
static void *run(void *number)
{
	printf("first of thread %ld, ", (long)number);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	printf("last of thread %ld\n", (long)number);
	return NULL;
}
int main(void)
{
	pthread_t threads[4];

	pthread_barrier_init(&barrier, NULL, 5);
	for (long i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 300000; i++)
		printf("%s%d%s", i % 5 ? "" : "piece, ", i, i % 3 ? "" : "\n");
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 100000; i++)
		printf("after all\n");
	return 0;
}
END
$CC -O1 -g -w -o "$TMP/idle" "$TMP/idle.c" -pthread || exit 1
BINLOG_DIR=idle.captures LD_PRELOAD=$lib ./idle >/dev/null 2>&1
for from in captures idle.captures; do
	for options in "" "--raw" "-S -d 2" "-o json" "--columns=delta,tid,message" "-g rare" "-g only|first" "-s stderr" "--tid=1"; do
		# shellcheck disable=SC2086
		"$show" -q --strict $options $from >all
		for n in 1 5000; do
			# shellcheck disable=SC2086
			"$show" -q -r -n $n $options $from >turned
			# shellcheck disable=SC2086
			"$show" -q --strict -r -n $n $options $from >all.turned
			same_file "$from: $options -r -n $n" all.turned turned
		done
		# shellcheck disable=SC2086
		"$show" -q -n 300 $options $from >got
		[ "$options" = "-S -d 2" ] || same_file "$from: $options -n 300" <(last 300 <all) got
	done
	same "the numbers are those of all" "$("$show" --strict -n 1 $from 2>&1 >/dev/null)" "$("$show" -n 1 $from 2>&1 >/dev/null)"
done

# Damage at the end is told and mended as ever; what is before is not looked at, unless that is asked for.
size=$(stat -c %s one.blog)
damage() { # LOG OFFSET: some bytes there
	printf 'damaged bytes, not those of before' | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
for at in 100 3000 40000; do
	cp one.blog cut.blog
	truncate -s $((size - at)) cut.blog
	"$show" --strict -n 5 cut.blog >wanted.none 2>wanted.errors
	"$show" -q cut.blog 2>/dev/null | last 5 >wanted
	"$show" -n 5 cut.blog >got 2>errors
	status=$?
	same_file "cut $at bytes before the end: the lines" wanted got
	same "what is told of it" "$(grep -v -e captured -e strict wanted.errors)" "$(grep -v captured errors)"
	same "its status" 1 $status
	cp one.blog hurt.blog
	damage hurt.blog $((size - at))
	"$show" hurt.blog 2>wanted.errors | last 5 >wanted
	"$show" -n 5 hurt.blog >got 2>errors
	same_file "damaged $at bytes before the end: the lines" wanted got
	same "what is told of it" "$(grep -v captured wanted.errors)" "$(grep -v captured errors)"
done
cp one.blog early.blog
dd if=/dev/urandom of=early.blog bs=1000 count=700 seek=$((size / 3000)) conv=notrunc status=none # more than comes back
"$show" -n 5 early.blog >got 2>errors
same "damage before what is read: the status" 0 $?
same_file "the lines" <("$show" -q --strict one.blog | last 5) got
same "what is said" "at the end; what is before was not read" "$(sed 's/.*dropped //' errors)"
"$show" -n 5 --strict early.blog >got 2>errors
same "with --strict it matters" 1 $?
same_file "and nothing is shown" /dev/null got

# A large one: the same log many times, as one file.
if ASAN_OPTIONS=detect_leaks=0 strace -o trace "$show" --version >/dev/null 2>&1; then
	bytes() { # OPTION... LOG: bytes that were read of it
		ASAN_OPTIONS=detect_leaks=0 strace -o trace -e trace=pread64,read "$show" -q "$@" >/dev/null 2>&1
		sed -n 's/.* = \([0-9]*\)$/\1/p' trace | awk '{ sum += $1 } END { printf "%d", sum }'
	}
	for i in {1..10}; do cat one.blog; done >large.blog
	small=$(bytes -n 1 one.blog)
	large=$(bytes -n 1 large.blog)
	[ "$large" -lt $((small + 100000)) ] && [ "$large" -lt $((size / 3)) ]
	verdict $? "of ten times as much no more is read" "$small bytes of $size, $large of ten times that"
	since=$(tail -n 20 <("$show" -q --strict one.blog) | head -n 1 | cut -d ' ' -f 1-2)
	small=$(bytes --since="$since" one.blog)
	[ "$small" -lt $((size / 3)) ]
	verdict $? "nor for what was said from some time on" "$small bytes of $size"
else
	skip "how much is read: strace does not work here"
fi
exit $failed
