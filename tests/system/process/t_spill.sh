#!/bin/bash
# BINLOG_FULL=spill: who finds no room in the capture goes on in another one beside it: nothing is written, nothing is lost, and each
# capture can be read without the others.  What is compared with is the native run.
# In a mount namespace of its own, so that nothing mounted here outlives it.
if [ -z "${IN_NAMESPACE:-}" ] && [ "$(id -u)" -eq 0 ]; then
	export IN_NAMESPACE=1
	unshare -m true 2>/dev/null && exec unshare -m bash "$0"
fi
. tests/support/lib.sh
pack=$BUILD/binlog-pack
ctl=$BUILD/binlog-ctl
run=$BUILD/binlog-run
d=$TMP/d
cat >"$TMP/lines.c" <<'END_OF_C'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
static int lines;
static volatile int ticks;
static void *say(void *name)
{
	for (int i = 0; i < lines; i++)
		printf("%s says line %d, which is %f of all\n", (char *)name, i, (double)i / lines);
	return NULL;
}
static void *say_slowly(void *name)
{
	for (int i = 0; i < lines; i++) {
		printf("%s says line %d, which is %f of all\n", (char *)name, i, (double)i / lines);
		if (i % 200 == 199)
			fflush(stdout), usleep(1000);
	}
	return NULL;
}
static void on_tick(int number)
{
	dprintf(2, "tick %d of %d\n", ticks++, number);
}
static void in_threads(void)
{
	static char names[4][2] = {"a", "b", "c", "d"};
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, say, names[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}
/* Children before and after their parent goes on elsewhere, with text that they inherit. */
static void with_children(int waits)
{
	for (int i = 0; i < lines; i++) {
		printf("parent says line %d, which is %f of all\n", i, (double)i / lines);
		if (i % (lines / 10) != 5)
			continue;
		if (i % 4)
			fflush(stdout);
		if (fork() == 0) {
			char name[20];
			sprintf(name, "child %d", i);
			say(name);
			exit(0);
		}
		if (waits)
			wait(NULL);
	}
	while (wait(NULL) > 0)
		;
}
/* As many as there are speak at once, each of them for the first time when its parent's capture is full. */
static void with_silent_parent(void)
{
	for (int i = 0; i < 12; i++)
		if (fork() == 0) {
			char name[20];
			sprintf(name, "child %d", i);
			say(name);
			exit(0);
		}
	while (wait(NULL) > 0)
		;
}
static void with_handlers(void)
{
	const struct itimerval often = {{.tv_usec = 50}, {.tv_usec = 50}};
	const struct itimerval never = {{0}};
	signal(SIGALRM, on_tick);
	setitimer(ITIMER_REAL, &often, NULL);
	say("one");
	setitimer(ITIMER_REAL, &never, NULL);
	fflush(stdout);
	dprintf(2, "%d ticks\n", ticks);
}
/* One text that has no room in any capture. */
static void at_once(void)
{
	size_t size = (size_t)lines * 70;
	char *text = malloc(size + 1);
	for (size_t i = 0; i < size; i++)
		text[i] = i % 71 == 70 ? '\n' : (char)('a' + i % 26);
	text[size] = '\0';
	for (int i = 0; i < 3; i++) {
		printf("before %d\n", i);
		fwrite(text, 1, size - i, stdout);
		printf("behind %d: %s\n", i, text + size - 200000);
	}
}
int main(int count, char **arguments)
{
	const char *way = count > 2 ? arguments[2] : "";
	lines = atoi(arguments[1]);
	if (strcmp(way, "threads") == 0)
		in_threads();
	else if (strcmp(way, "waits") == 0)
		with_children(1);
	else if (strcmp(way, "children") == 0)
		with_children(0);
	else if (strcmp(way, "silent") == 0)
		with_silent_parent();
	else if (strcmp(way, "handlers") == 0)
		with_handlers();
	else if (strcmp(way, "at-once") == 0)
		at_once();
	else if (strcmp(way, "slowly") == 0)
		say_slowly("one");
	else
		say("one");
	if (strcmp(way, "executes") == 0) {
		fflush(stdout);
		execl(arguments[0], arguments[0], arguments[1], (char *)NULL);
	}
	return 0;
}
END_OF_C
$CC -O1 -w -o "$TMP/lines" "$TMP/lines.c" -pthread || exit 1
cd "$TMP" || exit 1
export BINLOG_FULL=spill
native() { BINLOG_FULL='' "$TMP/lines" "$@" >"$TMP/native" 2>"$TMP/native.err"; }
record() { # MAX-SIZE ARGUMENT...: $status, what was written in out, what was recorded in got
	rm -rf "$d"
	(BINLOG_MAX_SIZE=$1 BINLOG_DIR=$d exec timeout 60 env LD_PRELOAD="$lib" "$TMP/lines" "${@:2}" >"$TMP/out" 2>"$TMP/out.err")
	status=$?
	"$show" --raw -q --stream=stdout "$d" >"$TMP/got" 2>"$TMP/err"
}
captures() { find "$d" -name '*.binlog' | wc -l; }
largest() { find "$d" -name '*.binlog' -printf '%s\n' | sort -n | tail -n 1; }
nothing_else() { # SENTENCE: the program has ended well and has written nothing; readers find no fault
	same "$1: nothing is written, and nothing is wrong with it" "0 0 " "$status $(stat -c %s "$TMP/out") $(cat "$TMP/err")"
}

# ---- one thread ----
native 300000
record 2M 300000
nothing_else "one thread"
same_file "one thread: all of it is there, in order" "$TMP/native" "$TMP/got"
verdict $(($(captures) < 4)) "in several captures" "$(ls -l "$d")"
verdict $(($(largest) > 2097152)) "of which none is larger than it may be" "$(ls -l "$d")"
"$show" --raw -q --as-written "$d" >"$TMP/got"
same_file "one thread: as written" "$TMP/native" "$TMP/got"
same "one process, and how it ended" "300000 ended cleanly" "$("$show" -q --processes "$d" | awk '/lines 300000$/ {print $4, $7, $8}')"
same "captures that were left say so" "$(($(captures) - 1)) 1" \
	"$("$show" -q --output=captures "$d" | grep -c 'went on in another capture') $("$show" -q --output=captures "$d" | grep -c 'ended cleanly')"
for capture in "$d"/*; do
	"$show" --raw -q "$capture"
done | sort >"$TMP/got"
sort "$TMP/native" | same_file "each can be read without the others" /dev/stdin "$TMP/got"
rm -f "$TMP/log.blog"
"$pack" -q "$d" -o "$TMP/log.blog"
"$show" --raw -q --as-written "$TMP/log.blog" >"$TMP/got"
same_file "one thread, packed: as written" "$TMP/native" "$TMP/got"

# ---- threads ----
native 200000
for max in 1M 1M 4M; do
	record $max 200000 threads
	nothing_else "threads, $max"
	for name in a b c d; do
		grep "^$name " "$TMP/got" | sed "s/^$name/one/" >"$TMP/of"
		same_file "threads, $max: each one's text is there, in order" "$TMP/native" "$TMP/of"
	done
	same "threads, $max: and nothing else" 800000 "$(wc -l <"$TMP/got")"
done

# Where processors are short a thread may stop anywhere, while others go on to the next captures and give back what they have left.
many() { # NAME
	for i in 1 2 3 4 5 6 7 8 9 10; do
		rm -rf "$TMP/many$1"
		(BINLOG_MAX_SIZE=1M BINLOG_DIR=$TMP/many$1 LD_PRELOAD=$lib exec "$TMP/lines" 100000 threads >"$TMP/out$1" 2>&1)
		echo "$i $? $(stat -c %s "$TMP/out$1")"
	done | grep -v ' 0 0$'
}
for i in 1 2 3 4; do
	many $i >"$TMP/many$i.wrong" &
done
wait
same "threads, where processors are short" "" "$(cat "$TMP"/many?.wrong)"
rm -rf "$TMP"/many[1-4]

# ---- forks ----
native 30000 waits
record 1M 30000 waits
nothing_else "forks"
"$show" --raw -q --as-written "$d" >"$TMP/got"
same_file "forks, with text that is inherited: as written" "$TMP/native" "$TMP/got"
rm -f "$TMP/log.blog"
"$pack" -q "$d" -o "$TMP/log.blog"
"$show" --raw -q --as-written "$TMP/log.blog" >"$TMP/got"
same_file "forks, packed: as written" "$TMP/native" "$TMP/got"
same "forks: each process is there once" "11" "$("$show" -q --processes "$d" | grep -c 'ended cleanly')"
native 30000
cp "$TMP/native" "$TMP/of"
for way in children silent; do
	record 1M 30000 $way
	nothing_else "forks: $way"
	for name in $([ $way = silent ] && seq 0 11 || seq 5 3000 29999); do
		grep "^child $name says" "$TMP/got" | sed "s/^child $name/one/" | cmp -s - "$TMP/of" || echo "child $name"
	done >"$TMP/wrong"
	same "forks: $way: what each one says is there, in order" "" "$(cat "$TMP/wrong")"
done

# ---- handlers, long texts, another program ----
native 100000
record 1M 100000 handlers
nothing_else "handlers"
same_file "handlers: the text that they interrupt" "$TMP/native" "$TMP/got"
"$show" --raw -q --stream=stderr "$d" | sed '$d' | awk '$2 != NR - 1' >"$TMP/wrong"
same "handlers: and their own, in order" "" "$(head -n 3 "$TMP/wrong")"
same "handlers: as many as there were" "$("$show" --raw -q --stream=stderr "$d" | tail -n 1)" "$("$show" --raw -q --stream=stderr "$d" | grep -c '^tick') ticks"
native 100000 at-once
record 1M 100000 at-once
nothing_else "texts that are longer than a capture"
same_file "texts that are longer than a capture" "$TMP/native" "$TMP/got"
native 60000 executes
record 1M 60000 executes
nothing_else "another program is executed"
same_file "another program is executed" "$TMP/native" "$TMP/got"

# ---- while it runs ----
native 100000 slowly
start() { # MAX-SIZE ARGUMENT...
	rm -rf "$d" "$TMP/log.blog"
	(BINLOG_MAX_SIZE=$1 BINLOG_DIR=$d LD_PRELOAD=$lib exec "$TMP/lines" "${@:2}" >"$TMP/out" 2>&1) &
	running=$!
}
mapped() { grep -o '[^/]*\.binlog' "/proc/$1/maps" | sort -u; }
has_left() { [ "$(captures)" -ge "$1" ]; }
start 1M 100000 slowly
until_true has_left 3
mkdir -p "$TMP/moved"
for capture in $(cd "$d" && ls -t | tail -n +3); do
	mapped "$running" | grep -q "$capture" || mv "$d/$capture" "$TMP/moved/"
done
same "what was left is not mapped: it may be moved" "yes" "$([ -n "$(ls "$TMP/moved")" ] && echo yes)"
wait "$running"
same "moved meanwhile: nothing is written" "0 0" "$? $(stat -c %s "$TMP/out")"
"$show" --raw -q "$d" "$TMP/moved" >"$TMP/got"
same_file "moved meanwhile: all of it is there" "$TMP/native" "$TMP/got"

start 1M 100000 slowly
until_true has_left 2
timeout 100 "$pack" -q --follow "$d" -o "$TMP/log.blog" 2>"$TMP/err"
same "binlog-pack --follow ends well" "0 " "$? $(cat "$TMP/err")"
wait "$running"
same "followed: nothing is written" "0 0" "$? $(stat -c %s "$TMP/out")"
"$show" --raw -q "$TMP/log.blog" >"$TMP/got"
same_file "followed: all of it is in the log, in order" "$TMP/native" "$TMP/got"

start 1M 300000 slowly
until_true has_left 1
"$show" -f --raw "$d" >"$TMP/got" 2>/dev/null &
follower=$!
until_true has_left 2
"$ctl" "$running" rule 'format "* says *" sample 1/2' >"$TMP/said" 2>&1
same "binlog-ctl finds the process" "0" "$?"
until_true has_left 5
same "rules go with it" "rules 1" "$("$ctl" "$running" status | awk '$1 == "rules" {print $1, $2}')"
"$ctl" "$running" rules - </dev/null >/dev/null 2>&1
wait "$running"
sleep 1
kill "$follower"
wait "$follower" 2>/dev/null
same "binlog-show -f shows what is said in the next ones" "1" "$(tail -n 1 "$TMP/got" | grep -c 'says line 29999[89]')"

for try in 1 2 3; do
	start 1M 300000 slowly
	until_true has_left $((try * 2))
	kill -9 "$running"
	wait "$running" 2>/dev/null
	"$show" --raw -q "$d" >"$TMP/got" 2>"$TMP/err"
	count=$(wc -l <"$TMP/got")
	BINLOG_FULL='' "$TMP/lines" 300000 | head -n "$count" | cmp -s - "$TMP/got"
	verdict $((PIPESTATUS[2] != 0 || count < 1000)) "killed ($try): what was said is there" "$count $(cat "$TMP/err")"
	same "killed ($try): and that it was" "cut off" "$("$show" -q --processes "$d" | awk '/slowly$/ {print $7, $8}')"
done

# ---- no room for another ----
native 200000
export BINLOG_QUOTA=8M
record 1G 200000
nothing_else "a quota"
verdict $(($(du -sB1 "$d" | cut -f 1) > 8388608)) "a quota is kept" "$(du -sB1 "$d")"
tail -n "$(wc -l <"$TMP/got")" "$TMP/native" | same_file "a quota: the oldest captures go" /dev/stdin "$TMP/got"
# What is there is of another one, which runs.
unset BINLOG_QUOTA
start 32M 900000 slowly
takes_much() { [ "$(du -sB1 "$d" | cut -f 1)" -gt 4000000 ]; }
until_true takes_much
(BINLOG_DIR=$d exec timeout 60 env LD_PRELOAD="$lib" BINLOG_QUOTA=4M "$TMP/lines" 200000 >"$TMP/out.other" 2>&1)
kill -9 "$running"
wait "$running" 2>/dev/null
verdict $((!$(stat -c %s "$TMP/out.other"))) "a quota that others use up: what has no room is written"
"$show" "$d" 2>"$TMP/err" >/dev/null
grep -q "it was full, and no other one was begun: BINLOG_QUOTA leaves no room" "$TMP/err"
verdict $? "a quota that others use up: and binlog-show says why" "$(cat "$TMP/err")"

mkdir "$TMP/disk"
if mount -t tmpfs -o size=6m none "$TMP/disk" 2>/dev/null; then
	chmod 700 "$TMP/disk"
	d=$TMP/disk/d
	native 600000
	record 1M 600000
	same "a full disk: it ends as ever" 0 "$status"
	verdict $((!$(stat -c %s "$TMP/out"))) "a full disk: what has no room anywhere is written"
	cat "$TMP/out" >>"$TMP/got"
	same_file "a full disk: in order" "$TMP/native" "$TMP/got"
	same "a full disk: every call is counted" "600000" \
		"$("$show" "$d" 2>&1 >/dev/null | tail -n 1 | awk '{print $1 + $3}')"
	"$show" "$d" 2>&1 >/dev/null | grep -q 'no other one was begun: the disk has no room'
	verdict $? "a full disk: and binlog-show says why"
	umount "$TMP/disk"
	d=$TMP/d
else
	skip "a full disk: it cannot be mounted here"
fi

# ---- a limit of files, a ring, other words ----
native 100000
rm -rf "$d"
(ulimit -f 2048; BINLOG_DIR=$d LD_PRELOAD=$lib exec "$TMP/lines" 100000 >"$TMP/out" 2>"$TMP/err")
"$show" --raw -q "$d" >"$TMP/got"
same_file "RLIMIT_FSIZE: as a cap" "$TMP/native" "$TMP/got"
# ---- what cannot go on takes nothing of the program's memory away ----
cat >"$TMP/keeps.c" <<'C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#define MANY 400
static char *kept[MANY];
static void say(long lines)
{
	for (long i = 0; i < lines; i++)
		printf("line %ld some text with numbers %ld %ld and %s\n", i, i * 3, i * 7, "a string of some length, so that it fills");
}
int main(int argc, char **argv)
{
	long lines = atol(argv[1]);
	struct rlimit limit = {0, RLIM_INFINITY};
	int gone = 0;

	say(lines);
	for (int i = 0; i < MANY; i++) {
		kept[i] = mmap(0, 4096 * (1 + i % 31), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		memset(kept[i], i, 4096 * (1 + i % 31));
	}
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	say(lines);
	usleep(100000);
	say(lines);
	for (int i = 0; i < MANY; i++) {
		unsigned char pages[32];

		gone += mincore(kept[i], 4096 * (1 + i % 31), pages) != 0;
	}
	fprintf(stderr, "%d gone\n", gone);
	return gone != 0;
}
C
$CC -O1 -w -o "$TMP/keeps" "$TMP/keeps.c" || exit 1
for lines in 30000 35000 40000; do
	BINLOG_FULL=spill BINLOG_MAX_SIZE=1M BINLOG_STREAMS=stderr=off BINLOG_DIR="$TMP/keeps.$lines" LD_PRELOAD=$lib "$TMP/keeps" $lines \
		>"$TMP/out" 2>"$TMP/gone"
	same "a capture that cannot be begun: all memory of the program is there ($lines lines)" "0" $?
done
BINLOG_RING=1M record 16M 100000
same "with a ring there is nothing to spill" "0 1" "$status $(captures)"
"$run" --dir="$d" --full=spill true
same "binlog-run knows it" 0 $?
BINLOG_FULL=spill "$lib" | grep -q '^settings: 1, all understood'
verdict $? "and so does the library"
finish
