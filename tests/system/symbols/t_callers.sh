#!/bin/bash
# One message from one place that is come to in many ways: each with its own stack, whatever was guessed of its frames,
# and however many program counters there are.
. tests/support/lib.sh

# Each function has WAYS lines from which it calls the next one inwards; the message says which lines they were.
program() { # WAYS
	cat <<-'END'
		#include <stdio.h>
		#define NOINLINE __attribute__((noinline, noclone))
		static int line[3];
		static NOINLINE void say(unsigned way)
		{
			printf("from %d %d %d\n", line[2], line[1], line[0]);
			__asm__ volatile("" ::"r"(way));
		}
	END
	local level next=say way
	for level in 2 1 0; do
		printf 'static NOINLINE void level%d(unsigned way)\n{\n\tchar room[%d];\n\tswitch (way %% %d) {\n' \
			"$level" $((level * 40 + 8)) "$1"
		for ((way = 0; way < $1; way++)); do
			echo "case $way: line[$level] = __LINE__; $next(way / $1); __asm__ volatile(\"\" ::\"r\"(room)); break;"
		done
		printf '\t}\n}\n'
		next=level$level
	done
	cat <<-'END'
		int main(int argc, char **argv)
		{
			unsigned ways = atoi(argv[1]), all = ways * ways * ways, step = atoi(argv[2]);
			errno = EDOM;
			for (unsigned round = 0; round < 2; round++)
				for (unsigned way = 0; way < all; way += 1 + all / 2000)
					level0(way * step % all);
			return argc != 3 || errno != EDOM;
		}
	END
}

# Of each message what it says and what its frames say, as often as there are such.
compare() { # SENTENCE WAYS STEP
	local all=$(($2 * $2 * $2)) wanted
	wanted=$(((all + all / 2000) / (1 + all / 2000)))
	program "$2" >"$TMP/callers.c"
	$CC -g -O1 -w -include stdlib.h -include errno.h -o "$TMP/callers" "$TMP/callers.c" || exit 1
	recorded "$TMP/recorded" "$TMP/callers" "$2" "$3"
	"$show" --stacks "$TMP/recorded/capture" 2>&1 |
		awk '/stdout: from / { sub(/.*from /, ""); said = $0 }
			/ level[012] at / { lines = lines " " substr($0, match($0, /[0-9]+$/)) }
			/ main at / { print said ":" lines; lines = "" }' >"$TMP/stacks"
	same "$1: every stack is the one that the message tells" "" \
		"$(awk -F: '$2 != " " $1' "$TMP/stacks" | sort | uniq -c | head -n 5)"
	same "$1: there are as many as there are ways" "$wanted" "$(sort -u "$TMP/stacks" | wc -l)"
	same "$1: errno stays as it was" 0 "$(cat "$TMP/recorded/status")"
}

compare "the outermost line changes fastest" 6 1
compare "the lines change at random" 6 97
compare "more program counters than the first table of rules has" 48 101
if ldconfig -p | grep -q libunwind.so.8; then
	BINLOG_UNWINDER=libunwind compare "by libunwind" 6 97
else
	skip "by libunwind: it is not installed"
fi
finish
