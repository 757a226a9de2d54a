#!/bin/bash
# Lines in columns: what the program itself knows of each call, it says in the text of the call.
. tests/support/lib.sh

cat >"$TMP/app.c" <<'END'
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>
static int core;
/* All that a line can say of the call it is made by. */
#define FACTS "%s:%d|%s|%d|%ld|core %d|%llu"
#define KNOWN __FILE__, __LINE__, __func__, getpid(), syscall(SYS_gettid), core, (unsigned long long)__rdtsc()
static void pin(void)
{
	cpu_set_t set;

	sched_getaffinity(0, sizeof(set), &set);
	for (core = CPU_SETSIZE - 1; core > 0 && !CPU_ISSET(core, &set);)
		core--;
	CPU_ZERO(&set);
	CPU_SET(core, &set);
	sched_setaffinity(0, sizeof(set), &set);
}
static void *worker(void *unused)
{
	pthread_setname_np(pthread_self(), "a worker");
	fprintf(stderr, FACTS "\n", KNOWN);
	return unused;
}
int main(void)
{
	pthread_t thread;

	pin();
	printf(FACTS "\n", KNOWN);
	printf(FACTS "\n", KNOWN);
	pthread_create(&thread, NULL, worker, NULL);
	pthread_join(thread, NULL);
	openlog("some one", 0, LOG_DAEMON);
	syslog(LOG_ERR, FACTS, KNOWN);
	fprintf(stderr, "ERROR: size=%d name=\"%s\" at 0x%lx, %5.1f%% %u\n", -5, "e\th\n0", 255ul, 1.5, 7u);
	puts("one\ntwo");
	printf("\033[31m%s", "red\n");
	printf("in "); printf("pieces %d\n", 8);
	return 0;
}
END
$CC -std=gnu11 -D_GNU_SOURCE -O0 -g -w -o "$TMP/app" "$TMP/app.c" -pthread || exit 1
BINLOG_DIR=$TMP/capture LD_PRELOAD=$lib "$TMP/app" || exit 1
file=$(ls "$TMP/capture")

columns() { "$show" -q --utc --columns="$1" "${@:2}" "$TMP/capture"; } # LIST OPTION...
# Cells of one column, without padding.
cells() { columns "$1" "${@:2}" | sed 's/^ *//; s/ *$//'; } # NAME
# What the facts say: field N of those in the first four lines.
facts() { "$show" -q --raw "$TMP/capture" | sed -n '1,4p' | sed 's/.*some one: //' | cut -d '|' -f "$1"; }
four() { cells "$1" | head -n 4; } # NAME

same "location is file and line of the call" "$(facts 1 | sed 's|.*/||')" "$(four location)"
same "caller is the function that it is in" "$(facts 2)" "$(four caller)"
same "pid is the process" "$(facts 3)" "$(four pid)"
same "tid is the thread" "$(facts 4)" "$(four tid)"
same "core is where the thread was" "$(facts 5 | sed 's/core //')" "$(four core)"
cat >"$TMP/moves.c" <<'END'
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
static int cores[CPU_SETSIZE], count;
static void *move(void *number)
{
	for (int i = 0; i < 1000; i++) {
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET(cores[(i / 20 + (long)number) % count], &set);
		if (i % 20 == 0)
			sched_setaffinity(0, sizeof(set), &set);
		printf("%d\n", sched_getcpu());
	}
	return NULL;
}
int main(void)
{
	pthread_t threads[3];
	cpu_set_t set;

	sched_getaffinity(0, sizeof(set), &set);
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &set))
			cores[count++] = i;
	for (long i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, move, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
$CC -std=gnu11 -D_GNU_SOURCE -O1 -w -o "$TMP/moves" "$TMP/moves.c" -pthread || exit 1
BINLOG_DIR=$TMP/moved LD_PRELOAD=$lib "$TMP/moves" >/dev/null
"$BUILD/binlog-pack" -q "$TMP/moved" -o "$TMP/moved.blog"
for log in moved moved.blog; do
	"$show" -q --columns=core,message "$TMP/$log" >"$TMP/cores"
	verdict $(($(awk '$1 == $2' "$TMP/cores" | wc -l) != 3000)) "and of threads that move, as sched_getcpu() has it: $log"
done
if command -v lscpu >/dev/null; then
	node=$(lscpu -p=CPU,NODE | awk -F, -v core="$(four core | head -n 1)" '$1 == core { print $2 == "" ? "-" : $2 }')
	same "numa is the node of that core, as lscpu has it" "$node" "$(four numa | sort -u)"
fi
same "program is its name" app "$(four program | sort -u)"
same "thread is its name" "app
app
a worker
app" "$(four thread)"
same "stream is where it would have gone" "stdout
stdout
stderr
syslog
stderr
stdout" "$(cells stream | head -n 6)"
same "level is that of syslog, of the text or of the stream" "info
info
warning
err
err
info" "$(cells level | head -n 6)"
same "priority is that of syslog" "-
-
-
daemon.err
-" "$(cells priority | head -n 5)"
same "ident is that of syslog" "-
some one" "$(cells ident | sed -n '3,4p')"
same "category is ident, or who calls" "app
app
app
some one" "$(four category)"
same "function is the one of libc" "printf
printf
fprintf
syslog
fprintf
puts" "$(cells function | head -n 6)"
same "module is what has called" app "$(four module | sort -u)"
same "capture is the file" "$file" "$(four capture | sort -u)"
same "sequence counts lines" "$(seq 4)" "$(four sequence)"
same "format is as in the source" '"ERROR: size=%d name=\"%s\" at 0x%lx, %5.1f%% %u\n"' "$(cells format | sed -n 5p)"
same "args are name(value)" 'size(-5) name(e	h\x0a0) at(0xff) arg4(1.5) arg5(7)' "$(cells args | sed -n 5p)"
same "args of a text without any are none" - "$(cells args | sed -n 6p)"

# The counter that the program read itself, right before the call.
paste <(facts 6) <(four ticks) >"$TMP/ticks"
if counter_is_trusted; then
	same "ticks are the counter of the processor, later for each line" "" \
		"$(awk '$2 < $1 || $1 < last { print } { last = $2 }' "$TMP/ticks")"
else
	skip "ticks are the counter of the processor (the kernel does not trust it here)"
fi
same "-cycles are between the ticks of two lines, the first has none" \
	"$(four ticks | awk 'NR == 1 { print "-" } NR > 1 { print $1 - last } { last = $1 }')" "$(four -cycles)"
same "its name may be without the sign" "$(four -cycles)" "$(four cycles)"
same "delta is between the times of two lines" \
	"$(four time | awk '{ split($2, t, "[:.]"); now = ((t[1] * 60 + t[2]) * 60 + t[3]) * 1000000000 + t[4] }
		NR == 1 { print "-" } NR > 1 { printf "%.9f\n", (now - last) / 1000000000 } { last = now }')" "$(four delta)"
same "thread-cycles are of the thread alone" "$(four ticks | awk 'NR == 1 || NR == 3 { print "-" }
	NR == 2 { print $1 - last } NR == 4 { print $1 - last } NR != 3 { last = $1 }')" "$(four thread-cycles)"
# Of lines 2 (info), 4 (err), 5 (err, another stream) and 6 (info): the last one that was as important, or more.
same "lag is since a line that was as important" "$(cells ticks | head -n 6 | awk '{ t[NR] = $1 }
	END { print t[2] - t[1]; print "-"; print "-"; print t[5] - t[4]; print t[6] - t[5] }')" \
	"$(cells lag | sed -n '2,6p')"
same "filtered lines are not between others" "$(columns ticks --stream=syslog,stdout --tid="$(four tid | head -n 1)" |
	awk 'NR == 1 { print "-" } NR > 1 { print $1 - last } { last = $1 }')" \
	"$(cells -cycles --stream=syslog,stdout --tid="$(four tid | head -n 1)")"

# How they stand.
same "numbers are at the right, words at the left, a space between" "      1 app          stdout x" \
	"$(columns pid,program,stream,message | sed -n 1p | sed 's/^ *[0-9]* /      1 /; s/stdout .*/stdout x/')"
same "other lines of a text begin below the first" "app          one
             two" "$(columns program,message | grep -A 1 ' one$')"
same "and are escaped in front of another column" 'one\x0atwo                       app' "$(columns message,program | grep '^one')"
same "control characters are escaped" 'app          \x1b[31mred' "$(columns program,message | grep red)"
same "a line in pieces is one" 'app          in pieces 8' "$(columns program,message | grep pieces)"
same "the names stand above" "pid program" "$("$show" --columns=pid,program "$TMP/capture" 2>/dev/null | head -n 1 | xargs)"
same "the columns of the style line" "$("$show" -q --utc "$TMP/capture" | head -n 3)" \
	"$(columns time,program,pid,tid,stream,message | head -n 3 |
		sed -E 's/^(.{29}) ([^ ]+) +([0-9]+) +([0-9]+) ([^ ]+) +/\1 \2[\3:\4] \5: /')"
same "stacks are below" "$("$show" -q -S -d 1 "$TMP/capture" | sed -n 2p)" "$(columns program -S -d 1 | sed -n 2p)"
BINLOG_DIR=$TMP/failed LD_PRELOAD=$lib sh -c 'printf "%s\n" x; exit 3'
same "how a process ended is a line" "- end: exited with status 3" \
	"$("$show" -q --columns=stream,message "$TMP/failed" | tail -n 1 | tr -s ' ')"

# Packed, the same.
all=$("$show" --columns=help | awk '{ print $1 }' | paste -sd ,)
"$BUILD/binlog-pack" -q "$TMP/capture" -o "$TMP/log.blog" 2>/dev/null || "$BUILD/binlog-pack" "$TMP/capture" -o "$TMP/log.blog"
same "packed they are the same" "$(columns "$all")" "$("$show" -q --utc --columns="$all" "$TMP/log.blog")"

# The list.
same "help lists what columns.def has" "$(sed -n 's/^COLUMN([^"]*"\([^"]*\)".*/\1/p' decoder/output/columns.def)" \
	"$("$show" --columns=help | awk '{ print $1 }')"
same "and the manual page, in the same order" "$("$show" --columns=help | awk '{ print $1 }')" \
	"$(sed -n '/^\.Sh COLUMNS/,/^\.Sh [^C]/s/^\.It Cm \([^ ]*\)$/\1/p' man/binlog-output.7)"
complaint=$("$show" --columns=pid,nix "$TMP/capture" 2>&1)
same "one that is not there is named, with those that are" "2 1" \
	"$? $(grep -c '^binlog-show: .*"nix" is no column: there are time, .* capture$' <<<"$complaint")"
"$show" --columns= "$TMP/capture" >/dev/null 2>&1
same "an empty list is refused" 2 $?
"$show" --columns=pid --output=raw "$TMP/capture" >/dev/null 2>&1
same "bytes have no columns" 2 $?
"$show" --columns="$(yes pid | head -n 33 | paste -sd ,)" "$TMP/capture" >/dev/null 2>&1
same "too many are refused" 2 $?
finish
