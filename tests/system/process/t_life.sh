#!/bin/bash
# Long texts, and calls past stdio.
. tests/support/lib.sh

# ---- stdio's buffers, long texts, other ways to write ----
build buffers -O2
verdict $((!$(nm -u "$TMP/buffers" | grep -c __overflow))) "the macros are inlined"
compare "macros, buffering and write(2) mixed with calls" "$TMP/buffers"
compare "the same with both outputs in one file" sh -c "exec '$TMP/buffers' >&2"
build long
compare "texts longer than a block" "$TMP/long"
if type -P g++ >/dev/null; then
	g++ -O1 -w -o "$TMP/streams" "$here/victims/streams.cc" || exit 1
	compare "C++ streams and exceptions" "$TMP/streams"
else
	skip "C++ streams: g++ is not installed"
fi
finish
