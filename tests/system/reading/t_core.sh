#!/bin/bash
# Captures are found in core files, if the pages of files are in them: what is shown of a core is what is shown of the
# capture itself, with a capture in it of a child, and after the capture is gone.
. tests/support/lib.sh
pattern=$(cat /proc/sys/kernel/core_pattern)
case $pattern in
*[/%\|]*) skip "captures in core files: core_pattern is $pattern"; exit 0 ;;
esac
ulimit -c unlimited
if [ "$(ulimit -c)" != unlimited ]; then
	skip "captures in core files: there is a limit on them"
	exit 0
fi
cat >"$TMP/victim.c" <<'E2'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int filter = open("/proc/self/coredump_filter", O_WRONLY);

	if (argc > 1 && write(filter, argv[1], 4) != 4)
		return 2;
	for (int i = 0; i < 30000; i++)
		printf("line %d of the victim: %s\n", i, argv[0]);
	if (fork() == 0) {
		printf("a child\n");
		return 0;
	}
	wait(NULL);
	printf("unfinished");
	__builtin_trap();
}
E2
$CC -O1 -w -o "$TMP/victim" "$TMP/victim.c" || exit 1

# In a directory of its own, where the core is to be.
dies() { # DIR [FILTER]
	rm -rf "$1" && mkdir "$1"
	(cd "$1" && LD_PRELOAD=$lib BINLOG_DIR=capture exec "$TMP/victim" "${@:2}" >out) 2>/dev/null
	core=$(find "$1" -maxdepth 1 -name 'core*' | head -n 1)
}
dies "$TMP/with" 0x3f 2>/dev/null
if [ -z "$core" ]; then
	skip "captures in core files: none is made here"
	exit 0
fi
mv "$core" "$TMP/the.core"
for options in "" "--stacks" "--raw" "--raw --as-written" "--processes"; do
	# shellcheck disable=SC2086 # words
	"$show" -q $options "$TMP/with/capture" >"$TMP/wanted" 2>&1
	# shellcheck disable=SC2086
	"$show" -q $options "$TMP/the.core" >"$TMP/got" 2>&1
	same_file "${options:-lines}: of a core as of the capture ($(wc -l <"$TMP/wanted") lines)" "$TMP/wanted" "$TMP/got"
done
"$show" -q "$TMP/with/capture" >"$TMP/wanted" 2>&1
"$show" --recover "$TMP/the.core" >"$TMP/the.blog" 2>/dev/null
verdict $? "--recover makes a packed log of it"
rm -r "$TMP/with/capture"
"$show" -q "$TMP/the.blog" >"$TMP/got" 2>&1
same_file "which has all" "$TMP/wanted" "$TMP/got"
truncate -s 60% "$TMP/the.core" 2>/dev/null || truncate -s $(($(stat -c %s "$TMP/the.core") * 6 / 10)) "$TMP/the.core"
"$show" -q "$TMP/the.core" >"$TMP/got" 2>&1
verdict $(($? > 2)) "a core that is cut costs what is cut off"
dies "$TMP/without" 2>/dev/null
if [ -n "$core" ]; then
	"$show" -q "$core" >"$TMP/got" 2>&1
	same "a core without pages of files: the status" 2 $?
	same "and the sentence says what to do" 1 "$(grep -c 'echo 0x3f >/proc/PID/coredump_filter' "$TMP/got")"
fi
exit $failed
