#!/bin/bash
# Lines that are said in pieces: what comes in between is shown there, and their times are those of the line.
. tests/support/lib.sh

build pieces
"$TMP/pieces" unbuffered >"$TMP/native" 2>&1
LD_PRELOAD=$lib BINLOG_DIR=$TMP/capture "$TMP/pieces" >"$TMP/real" 2>&1
"$show" --raw -q "$TMP/capture" >"$TMP/order"
same "natively they come in between" 4 "$(grep -c 'handler<handler 10><its second piece>and so on!' "$TMP/native")"
same_file "the order of the calls, with handlers, children and threads in the middle of a line" "$TMP/native" "$TMP/order"
same "nothing was written" "" "$(cat "$TMP/real")"

# A line in pieces is one message, between its calls; what follows a pause ends with a time of its own.
cat >"$TMP/times.c" <<'END'
#include <stdio.h>
#include <time.h>
int main(void)
{
	char copy[] = "piece ";
	struct timespec at[3], pause = {0, 20000000};

	for (int i = 0; i < 3; i++)
		printf("warming %s\n", copy);
	clock_gettime(CLOCK_REALTIME, &at[0]);
	for (int i = 0; i < 3; i++)
		fputs(copy, stdout);
	nanosleep(&pause, NULL);
	clock_gettime(CLOCK_REALTIME, &at[1]);
	printf("of a line\n");
	clock_gettime(CLOCK_REALTIME, &at[2]);
	for (int i = 0; i < 3; i++)
		fprintf(stderr, "%lld.%09ld\n", (long long)at[i].tv_sec, at[i].tv_nsec);
}
END
$CC -O1 -w -o "$TMP/times" "$TMP/times.c" || exit 1
LD_PRELOAD=$lib BINLOG_DIR=$TMP/capture.times BINLOG_STREAMS=stderr=pass "$TMP/times" >/dev/null 2>"$TMP/at"
when() { date -u -d "@$(sed -n "$1p" "$TMP/at")" '+%F %T.%N'; }
line=$("$show" -u -q "$TMP/capture.times" | grep 'piece piece piece of a line$')
verdict $?  "a line in pieces is one message" "$line"
time=${line%% times*}
verdict "$([[ $time > $(when 1) && $time < $(when 2) ]]; echo $?)" "its time is that of its beginning" "$(when 1) $time $(when 2)"

build pieces_shared
compare "a child that writes in the middle of a line: in its place" "$TMP/pieces_shared"
compare "the same by lines" "$TMP/pieces_shared" line
build pieces_constant -O2
compare "a constant text and parts of it from one place" "$TMP/pieces_constant"

# Lines of single characters are collected one by one, from the first on.
cat >"$TMP/lines.c" <<'END'
#include <stdio.h>
#include <signal.h>
int main(void)
{
	FILE *volatile f = stdout;

	for (int i = 0; i < 8; i++) {
		for (const char *s = "line"; *s; s++)
			putc(*s, f);
		putc('\n', f);
	}
	raise(SIGKILL);
}
END
$CC -O2 -w -o "$TMP/lines" "$TMP/lines.c" || exit 1
LD_PRELOAD=$lib BINLOG_DIR=$TMP/capture.lines "$TMP/lines" >/dev/null 2>&1
same "each line of single characters that has ended is there after SIGKILL" 8 \
	"$("$show" --raw -q "$TMP/capture.lines" | grep -c '^line$')"
finish
