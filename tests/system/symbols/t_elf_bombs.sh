#!/bin/bash
# An executable that is made to cost far more than it holds costs no tool of ours more than 64 MiB and a second of CPU (as
# the reference of tests/support/executable_costs.py counts), and no message: tests/support/elf_bombs.py says what there is.
# But libdwarf keeps 200 bytes for each row of a line table while it reads it: of shared_lines, which has half a million,
# 160 MiB.
. tests/support/lib.sh
export XDG_CACHE_HOME=$TMP/cache BINLOG_CACHE='' # nothing is remembered
nm "$show" | grep -q __asan_ && {
	skip "bombs: AddressSanitizer takes memory itself"
	finish
}

# The log is of a program that has the build-id of the bombs, one of which is in its place when the log is read.
mkdir "$TMP/run"
cat >"$TMP/run/program.c" <<'END_OF_PROGRAM'
#include <stdio.h>
int main(void)
{
	for (int i = 0; i < 20; i++)
		printf("message %d of %s\n", i, "many");
	return 0;
}
END_OF_PROGRAM
gcc -O1 -Wl,--build-id=0x0123456789abcdef -o "$TMP/run/program" "$TMP/run/program.c" || exit 1
LD_PRELOAD=$lib BINLOG_DIR=$TMP/run/capture "$TMP/run/program" >/dev/null
"$TMP/run/program" >"$TMP/run/messages"
python3 "$here/support/elf_bombs.py" "$TMP/bombs" || exit 1
# Each tool with each bomb: what it took, and what is wrong with what it did.
PYTHONPATH=$here/support PYTHONDONTWRITEBYTECODE=1 python3 - "$BUILD" "$TMP/run" "$TMP/bombs" >"$TMP/verdicts" 2>&1 <<'END_OF_PYTHON'
import os
import sys

from executable_costs import Tools

build, directory, bombs = sys.argv[1:]
tools = Tools(build, directory, seconds=1, memory=64)
for bomb in sorted(os.listdir(bombs)):
    os.replace(os.path.join(bombs, bomb), tools.program)
    tools.most = (1, 160 if bomb == "shared_lines" else 64)
    tools.try_all(bomb)
tools.tell()
END_OF_PYTHON
cat "$TMP/verdicts"
grep -q '^ok: binlog-run' "$TMP/verdicts" && ! grep -q '^not ok' "$TMP/verdicts" || failed=1
finish
