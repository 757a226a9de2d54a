#!/bin/bash
# An output that the program maps is as long as natively, so that nothing of it
# ends the program; what it stores there no call has said.
. tests/lib.sh
build mapped_output
natively "$TMP/native" "$TMP/mapped_output"
for setting in BINLOG_MAX_SIZE=16K BINLOG_RING=1M BINLOG_DEPTH=4; do
	export "${setting?}"
	recorded "$TMP/recorded" "$TMP/mapped_output"
	unset "${setting%%=*}"
	same "$setting: it ends as natively" "$(cat "$TMP/native/status")" "$(cat "$TMP/recorded/status")"
	# Where some text is passed, its own end may be another.
	[ $setting != BINLOG_MAX_SIZE=16K ] || continue
	same "$setting: everything is as long" "$(cat "$TMP/native/stderr")" "$(cat "$TMP/recorded/stderr")"
done
same "its text is as long" "$(wc -c <"$TMP/native/stdout")" "$(wc -c <"$TMP/recorded/stdout")"
finish
