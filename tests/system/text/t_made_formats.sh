#!/bin/bash
# Formats that a program has made, changes in place, cuts and uses again (tests/victims/made_formats.c): each text is that of the
# format as it was at the call.
. tests/support/lib.sh
build made_formats -O2
seeds=12
! is_long || seeds=500
cd "$TMP" || exit 1
for ((seed = 1; seed <= seeds; seed++)); do
	rm -rf "$TMP/capture"
	"$TMP/made_formats" $seed 2000 >"$TMP/native.out" 2>"$TMP/native.err"
	BINLOG_DIR=$TMP/capture LD_PRELOAD=$lib "$TMP/made_formats" $seed 2000 >"$TMP/real" 2>"$TMP/real.err"
	for stream in stdout:out stderr:err; do
		"$show" --raw --stream=${stream%:*} "$TMP/capture" >"$TMP/got" 2>"$TMP/why"
		cmp -s "$TMP/native.${stream#*:}" "$TMP/got" || wrong+=" $seed:${stream%:*}"
	done
	[ ! -s "$TMP/real" ] && [ ! -s "$TMP/real.err" ] || passed+=" $seed"
done
same "seeds whose text is another" "" "${wrong:-}"
same "and of which some was not recorded" "" "${passed:-}"
# What a rule decides by its text is decided of that text.
printf '[rules]\nformat "*Nachricht*" drop\n' >"$TMP/conf"
BINLOG_CONFIG=$TMP/conf BINLOG_DIR=$TMP/ruled LD_PRELOAD=$lib "$TMP/made_formats" 1 2000 >"$TMP/real" 2>&1
same "what a rule switches off by its text is not there" 0 "$("$show" --raw "$TMP/ruled" 2>/dev/null | grep -c Nachricht)"
finish
