#!/bin/bash
# Programs that write over argv[0], as daemons do to show what they are at: they are still called what they were started as, by rules,
# by captures and by readers.
. tests/support/lib.sh
cat >"$TMP/title.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
	memset(argv[0], 0, strlen(argv[0]));
	strcpy(argv[0], argv[1]);
	for (int i = 0; i < atoi(argv[2]); i++)
		printf("%d: login of %s, password=%s\n", i, "somebody", "hunter2");
	return 0;
}
C
$CC -w -O1 -o "$TMP/file" "$TMP/title.c" || exit 1
long="a-daemon-of-this-name"
started() { (exec -a "/usr/sbin/$long" "$TMP/file" "$@"); }
cd "$TMP" || exit 1
started worker 3 >native
mkdir -p deep/er
BINLOG_DIR=deep/er/d LD_PRELOAD=$lib started worker 3
same_file "the text is as natively" native <("$show" --raw deep/er/d)
same "the capture has the name that it was started as" 1 "$(ls deep/er/d | grep -c "^$long-")"
same "and so have its lines" 3 "$("$show" -q deep/er/d | grep -c " $long\[")"
for name in "$long" file; do
	printf '[rules]\nprogram %s format "*password*" redact password\n' "$name" >conf
	rm -rf ruled
	BINLOG_CONFIG=conf BINLOG_DIR=ruled LD_PRELOAD=$lib started worker 3
	same "a rule for $name holds behind that, too" "3 0" "$("$show" -q ruled | wc -l) $(grep -rac hunter2 ruled | sed 's/.*://')"
done
# Captures that follow the first one, of which each has to be given a name.
BINLOG_FULL=spill BINLOG_MAX_SIZE=1M BINLOG_DIR=deep/er/s LD_PRELOAD=$lib started "../../esc/aped" 60000 >real
same "captures stay where they belong" "deep/er deep/er/d deep/er/s" "$(find deep -mindepth 1 -type d | sort | paste -sd ' ')"
same "each has its name" 0 "$(find . -name '*.binlog' | grep -vc "/$long-")"
started x 60000 >native
same_file "and nothing is missing" native <("$show" --raw deep/er/s 2>/dev/null; cat real)
finish
