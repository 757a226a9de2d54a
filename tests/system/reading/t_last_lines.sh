#!/bin/bash
# --lines and --reverse: the same lines as without, fewer or the other way round, in little memory.
. tests/support/lib.sh

cat >"$TMP/app.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	static char text[400000];

	for (int i = 0; i < atoi(argv[1]); i++) {
		printf("line %d of several\n", i);
		if (i % 10 == 3)
			printf("two\nof one call %d\n", i);
		if (i % 100 == 7)
			printf("in "), fprintf(stderr, "between\n"), printf("pieces\n");
	}
	for (int i = 0; i + 1 < (int)sizeof(text); i++)
		text[i] = (char)('a' + i % 26);
	if (argc > 2)
		printf("%s\n", text);
	return 3;
}
END
$CC -O1 -g -w -o "$TMP/app" "$TMP/app.c" || exit 1
cd "$TMP" || exit 1
BINLOG_DIR=few LD_PRELOAD=$lib ./app 40 long >/dev/null
BINLOG_DIR=many LD_PRELOAD=$lib ./app 300000 long >/dev/null
for name in few many; do "$BUILD/binlog-pack" $name -o $name.blog >/dev/null 2>&1 || exit 1; done

# A line begins with its date; what else there is belongs to the one before.
turned() { # FILE
	awk '/^[0-9]{4}-[0-9]{2}-[0-9]{2} / { n++ } { all[n] = all[n] $0 "\n" } END { for (i = n; i > 0; i--) printf "%s", all[i] }' "$1"
}
last() { # N FILE
	turned "$2" | awk -v most="$1" '/^[0-9]{4}-[0-9]{2}-[0-9]{2} / { n++ } n <= most' >"$TMP/cut"
	turned "$TMP/cut"
}
for from in few few.blog many many.blog; do
	"$show" -q "$from" >all
	"$show" -q -r "$from" >got
	same_file "$from: the newest first" <(turned all) got
	"$show" -q -n 12 "$from" >got
	same_file "$from: the last ones" <(last 12 all) got
done
for n in 0 1 45 46 47 1000; do
	"$show" -q -n $n few >got
	same_file "the last $n" <(last $n <("$show" -q few)) got
	"$show" -q -r -n $n few >got.turned
	same_file "the newest $n" <(turned got) got.turned
done
"$show" -q -S -d 2 few >all
"$show" -q -S -d 2 -r few >got
same_file "what stands below a line stays there" <(turned all) got
"$show" -q -g pieces few >all
"$show" -q -g pieces -r few >got
same_file "of those that are chosen" <(turned all) got
"$show" -q --raw few | tail -n 3 >all
"$show" -q --raw -n 3 few >got
same_file "lines of --raw" all got
"$show" -q -r - <many.blog >got
same_file "from a pipe" <("$show" -q -r many) got
same "the names of columns come first" "message end: exited with status 3" \
	"$("$show" --columns=message -r few 2>/dev/null | head -n 2 | paste -sd ' ')"

# Memory: all lines take 25 MB, and more than a limit of address space leaves.
"$show" -q many >all
size=$(stat -c %s all)
same "there are many" 1 $((size > 20000000))
most() { # OPTION...: kilobytes of memory
	python3 - "$show" -q "$@" many <<'END'
import os, resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
END
}
if grep -q __asan_ "$show"; then
	skip "memory: $show is instrumented"
else
	plain=$(most)
	same "the last few lines take no more memory than all" 1 $(($(most -n 100) < plain + 2048))
	same "turned round, at most 20 MB more" 1 $(($(most -r) < plain + 20480)) # 16 of them wait for the temporary file
fi
mkdir empty
TMPDIR=$TMP/empty "$show" -q -r many >got
same "no temporary file is left" "" "$(ls empty)"
TMPDIR=$TMP/not/there "$show" -q -r many >got 2>complaint
same "one that cannot be made is named" "2 1" "$? $(grep -c 'temporary file in TMPDIR: not written: No such file' complaint)"
(ulimit -f 8000; "$show" -q -r many 2>complaint | cat >got)
same "nor can one that has no room" 1 "$(grep -c 'temporary file in TMPDIR: not written: File too large' complaint)"

"$show" -q many >all
for n in 1000 250000 290000 999999999; do
	"$show" -q -n $n many >got
	same_file "the last $n of many" <(last $n all) got
	"$show" -q -r -n $n many >got.turned
	same_file "the newest $n of many" <(turned got) got.turned
done
TMPDIR=/nonexistent "$show" -q -n 999999999 many 2>complaint >got
same "however many are asked for, 16 MiB of them are in memory" 1 \
	"$(grep -c 'temporary file in TMPDIR: not written: No such file' complaint)"

for option in --processes --output=captures "--raw --as-written"; do
	# shellcheck disable=SC2086 # a list of words
	"$show" $option -r few >/dev/null 2>complaint
	same "$option shows no lines" "2 1" "$? $(grep -c -- '--reverse: what is shown is not lines' complaint)"
done
"$show" -n -3 few >/dev/null 2>&1
same "a number is one" 2 $?
finish
