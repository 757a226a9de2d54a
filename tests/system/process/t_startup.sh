#!/bin/bash
# What a start costs a program that prints one line: system calls, page faults
# and mappings, counted, since they hardly vary; with LONG=1 also the time, by
# tests/bench/startup.c, beside a library with nothing in it.
. tests/support/lib.sh
echo 'int main(void) { return 0; }' | $CC -x c -o "$TMP/quiet" - || exit 1
$CC -O1 -w -o "$TMP/say" -x c - <<'C' || exit 1
#include <stdio.h>
int main(void)
{
	return printf("hello %d\n", 42) != 9;
}
C
# How many lines /proc/self/maps has after a line was printed; to descriptor 9.
$CC -O1 -w -o "$TMP/maps" -x c - <<'C' || exit 1
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	char text[65536];
	int fd = open("/proc/self/maps", O_RDONLY), lines = 0;
	long n;

	printf("hello\n");
	while ((n = read(fd, text, sizeof(text))) > 0)
		while (n-- > 0)
			lines += text[n] == '\n';
	return dprintf(9, "%d\n", lines) < 0;
}
C
$CC -shared -nostdlib -o "$TMP/empty.so" -x c /dev/null || exit 1
$CC -O2 -w -o "$TMP/startup" "$here/bench/startup.c" || exit 1
unset BINLOG_RUN BINLOG_PARENT

maps() { # [LIBRARY]: more than natively
	BINLOG_DIR=$TMP/capture LD_PRELOAD=${1:-} "$TMP/maps" 9>&1 >"$TMP/out"
}
more=$(($(maps "$lib") - $(maps)))
verdict $((more > 6)) "a process that has printed has at most 6 more mappings: $more"

calls() { # PROGRAM [LIBRARY]: how many system calls it makes
	BINLOG_DIR=$TMP/capture strace -o "$TMP/trace" ${2:+-E "LD_PRELOAD=$2"} "$TMP/$1" >"$TMP/out"
	# The time is read again where that was interrupted, as it is here.
	# And since glibc 2.41 sigaction() blocks signals while it sets what SIGABRT does.
	grep -cvE '^(clock_gettime|rt_sigprocmask|[+]{3}|---)' "$TMP/trace"
}
if strace -o /dev/null true 2>/dev/null; then
	more=$(($(calls quiet "$lib") - $(calls quiet)))
	verdict $((more > 57)) "a start takes at most 57 system calls more: $more"
	more=$(($(calls say "$lib") - $(calls say)))
	verdict $((more > 72)) "with one line printed it is at most 72: $more"
else
	skip "system calls of a start: there is no strace"
fi

starts() { # TIMES PROGRAM: of none, the empty library, and ours
	rm -rf "$TMP/starts"
	mkdir "$TMP/starts"
	"$TMP/startup" "$1" "$TMP/starts" "$TMP/$2" "$TMP/empty.so" "$lib"
}
faults() { starts 20 "$1" | awk '{ n[NR] = $6 } END { print n[3] - n[2] }'; }
more=$(faults quiet)
verdict $((more > 20)) "a start takes at most 20 page faults more than with an empty library: $more"
more=$(faults say)
verdict $((more > 48)) "with one line printed it is at most 48: $more"
if [ -n "${LONG:-}" ]; then
	times=$(starts 2000 say | tee "$TMP/times" | awk '{ n[NR] = $2 } END { printf "%.0f", n[3] }')
	verdict $((times > 400)) "a start with one line printed takes less than 400 us more" "$(cat "$TMP/times")"
fi
finish
