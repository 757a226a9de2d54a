# For tests of losses: what a run says, against what reached the real files and
# what the capture holds.  Every line is unique and begins with who says it and
# a number that grows, so that order and place of each can be told.  After
# tests/support/lib.sh.
# shellcheck shell=bash

judge() { # replace|tee NATIVE REAL DECODED CALLS SUM: what is wrong
	awk -v mode="$1" -v calls="$5" -v sum="$6" '
	function complain(why) { if (bad++ < 4) print why }
	FNR == 1 { delete last }
	{ if (FILENAME != ARGV[1] && $2 + 0 < last[$1]) complain("order: " $0); last[$1] = $2 + 0 }
	FILENAME == ARGV[1] { natively[$0]++; next }
	!($0 in natively) { complain("never said: " $0); next }
	FILENAME == ARGV[2] { real[$0]++; next }
	{ decoded[$0]++ }
	END {
		for (line in natively) {
			if (decoded[line] > 1 || real[line] > 1) complain("twice: " line)
			if (mode == "tee" && real[line] != 1) complain("not written: " line)
			if (mode != "tee" && real[line] + decoded[line] != 1)
				complain(real[line] + decoded[line] " times: " line)
		}
		split(sum, n, " ")
		if (n[1] + n[3] + n[5] != calls) complain(sum ", but " calls " calls")
	}' "$2" "$3" "$4"
}

# Where there is no capture, there is nothing to count in, and nothing captured.
account() { # replace|tee NATIVE REAL CAPTURE CALLS: what is wrong; `sum` says how many are where
	: >"$TMP/decoded"
	if [ -n "$(find "$4" "$XDG_STATE_HOME" -name '*.binlog' 2>/dev/null)" ]; then
		"$show" --raw "$4" >"$TMP/decoded" 2>"$TMP/complaint" || cat "$TMP/complaint"
		sum=$(grep ' captured, ' "$TMP/complaint")
		[ -n "$sum" ] || sum=$("$show" "$4" 2>&1 >/dev/null | grep ' captured, ')
	else
		sum="0 captured, $5 passed, 0 dropped"
	fi
	echo "$sum" >"$TMP/sum"
	judge "$1" "$2" "$3" "$TMP/decoded" "$5" "$sum"
}
