#!/bin/bash
# A program that goes on and on (tests/victims/soak.c): after each step it has
# the memory, the descriptors and the mappings that it had before, and in the
# end nothing that it said is missing.  LONG=1: ten million messages.
. tests/support/lib.sh
messages=400000 steps=8
if [ -n "${LONG:-}" ]; then
	messages=10000000 steps=40
fi
build soak

# By pipes: the text of a long soak is larger than all captures.
"$TMP/soak" $messages $steps "$TMP/native.report" \
	2> >(cksum >"$TMP/native.stderr") | cksum >"$TMP/native.stdout"
soak() { # NAME [VARIABLE=VALUE...]
	env LD_PRELOAD="$lib" BINLOG_DIR="$TMP/$1" "${@:2}" "$TMP/soak" $messages \
		$steps "$TMP/$1.report" >"$TMP/$1.out" 2>"$TMP/$1.err"
	same "$1: ends as natively" 0 $?
	same "$1: a report for each step" $steps "$(wc -l <"$TMP/$1.report")"
	# The first steps meet everything for the first time. Of the capture, which is resident while it is filled, the
	# kernel maps up to three pieces of 2 MiB.
	why=$(awk -v steps=$steps -v capture=8192 '
		NR == 1 { next }
		NR <= 2 + steps / 8 { for (i = 1; i <= 4; i++) if ($i > most[i]) most[i] = $i; next }
		$1 > most[1] + capture { print "resident: " $1 " KiB after " most[1] }
		$2 > most[2] + 64 { print "private: " $2 " KiB after " most[2] }
		$3 != most[3] { print "descriptors: " $3 " after " most[3] }
		$4 > most[4] + 4 { print "mappings: " $4 " after " most[4] }' "$TMP/$1.report")
	verdict ${#why} "$1: memory, descriptors and mappings stay what they were" \
		"$(tail -n 5 <<<"$why")"
}
complete() { # NAME STREAM: what was said is recorded
	"$show" --raw -q --stream="$2" "$TMP/$1" 2>"$TMP/complaint" | cksum >"$TMP/$1.$2"
	same "$1: all of $2 is recorded" "$(cat "$TMP/native.$2")" \
		"$(cat "$TMP/$1.$2" "$TMP/complaint")"
}
written() { # NAME STREAM FILE WANTED
	same "$1: $2 is written as it should be" "$4" "$(cksum <"$TMP/$1.$3")"
}
for mode in replace tee; do
	soak $mode BINLOG_STREAMS=all=$mode
	for stream in stdout stderr; do
		complete $mode $stream
	done
	sum=$("$show" "$TMP/$mode" 2>&1 >/dev/null | tail -n 1)
	[[ $sum == *" captured, 0 passed, 0 dropped" ]]
	verdict $? "$mode: nothing is passed or dropped" "$sum"
	rm -rf "${TMP:?}/$mode"
done
nothing=$(cksum </dev/null)
written replace stdout out "$nothing"
written replace stderr err "$nothing"
written tee stdout out "$(cat "$TMP/native.stdout")"
written tee stderr err "$(cat "$TMP/native.stderr")"
finish
