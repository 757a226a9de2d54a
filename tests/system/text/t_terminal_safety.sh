#!/bin/bash
# Nothing that a log, a program or a name says is obeyed by a terminal: every tool, every style, every place that a
# hostile string can come from, on pseudo-terminals.  Only `--raw` gives bytes as they were said.
. tests/support/lib.sh
python3 tests/support/terminal_safety.py "$BUILD" "$TMP" || failed=1
finish
