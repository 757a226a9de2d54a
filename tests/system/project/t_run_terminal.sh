#!/bin/bash
# binlog-run on a terminal: what is said before and after a program, and that
# neither the program nor who waits for it can tell the difference.
. tests/support/lib.sh

mkdir "$TMP/place"
ulimit -c 0
python3 "$here/support/run_terminal.py" "$(realpath "$BUILD/binlog-run")" "$TMP/place"
