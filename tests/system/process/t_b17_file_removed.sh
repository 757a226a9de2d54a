#!/bin/bash
# B17: the capture is taken away while it is written: unlinked, moved, cut off.
# The program goes on; what is not cut off is recorded or written, once.
. tests/support/lib.sh
. tests/support/accounts.sh
build file_removed
at=$TMP/capture

removed() { # WAY [OPTIONS]: runs it; the status
	rm -rf "$at" "$at.kept" "$at.moved"
	BINLOG_DIR=$at LD_PRELOAD=$lib timeout -s KILL 60 "$TMP/file_removed" "$1" "$at" "${2:-}" \
		>"$TMP/real" 9>"$TMP/calls"
}
for options in '' -t; do
	"$TMP/file_removed" nothing "$TMP/none" $options >"$TMP/native" 9>/dev/null
	for way in nothing unlink directory rename; do
		removed $way $options 2>/dev/null
		why=$?
		[ $why -ne 3 ] || why=
		place=$at
		[ -d "$place" ] && [ "$way" != unlink ] || place=$at.kept
		[ "$way" != rename ] || place=$at.moved
		why+=$(account replace "$TMP/native" "$TMP/real" "$place" "$(cat "$TMP/calls")")
		verdict ${#why} "B17: $way${options:+, four threads}: $(cat "$TMP/sum")" "$why"
	done
	for way in truncate=0 truncate=4096 truncate=20000 copytruncate; do
		removed $way $options 2>/dev/null
		same "B17: $way${options:+, four threads}: the program ends as natively" 3 $?
		sort "$TMP/native" >"$TMP/wanted"
		same "B17: $way${options:+, four threads}: nothing is written that was not said, or twice" "" \
			"$(sort "$TMP/real" | comm -13 "$TMP/wanted" -)"
		same "B17: $way${options:+, four threads}: what is said later is written" \
			"$(grep ^end "$TMP/native" | tail -n 1)" "$(tail -n 1 "$TMP/real")"
		grep ^end "$TMP/native" >"$TMP/wanted"
		{ raw stdout "$at" 2>/dev/null; cat "$TMP/real"; } | grep -a ^end >"$TMP/got"
		same_file "B17: $way${options:+, four threads}: all of it" "$TMP/wanted" "$TMP/got"
	done
done
# Of processes that share one each may be about to make it longer just then.
"$TMP/file_removed" nothing "$TMP/none" 2>/dev/null 9>&1 | grep -a ^end >"$TMP/wanted"
for way in truncate=0 truncate=4096 truncate=20000 copytruncate; do
	removed $way -p 2>/dev/null
	same "B17: $way, three children: the program ends as natively" 3 $?
	{ raw stdout "$at" 2>/dev/null; cat "$TMP/real"; } | grep -a ^end >"$TMP/got"
	same_file "B17: $way, three children: all of what is said later" "$TMP/wanted" "$TMP/got"
done
"$show" "$at" >/dev/null 2>"$TMP/complaint"
status=$?
verdict $((status != 1 && status != 2)) "B17: a capture that was cut off is not taken for a whole one" "$status $(cat "$TMP/complaint")"

# As documented: only a handler of ours can put up with it.
{ BINLOG_SIGNALS=0 removed truncate=0; } 2>/dev/null
same "B17: without handlers of ours a cut capture is a SIGBUS" 135 $?
removed truncate=0 -h 2>/dev/null
same "B17: the program's own handler for SIGBUS is not replaced" 4 $?
finish
