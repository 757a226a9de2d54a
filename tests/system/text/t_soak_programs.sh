#!/bin/bash
# Programs that nobody has thought of: made from seeds (tests/soak/generate.py), run natively and recorded, and compared in
# all that they leave behind.  First those that found something before.  LONG=1: an hour, of seeds that are new each time;
# else at most two minutes, of the same ones.
. tests/support/lib.sh
# Of these it is known what they find; see TODO.md.
known=cancel,close,cookie,dup2,fault,macro,manyn,perror,psignal,range,seek,tiny
seconds=110 programs=400 seed=1
if is_long; then
	seconds=3600 programs=1000000 seed=$(date +%s)000
fi
mapfile -t victims < <(
	$CC -std=gnu11 -D_GNU_SOURCE -g -O1 -w -o "$TMP/victim" "$here"/soak/*.c -pthread && echo "$TMP/victim"
	$CC -std=gnu11 -D_GNU_SOURCE -O2 -D_FORTIFY_SOURCE=2 -w -o "$TMP/victim-fortify" "$here"/soak/*.c -pthread && echo "$TMP/victim-fortify"
	$CC -std=gnu11 -D_GNU_SOURCE -O0 -fno-builtin -fno-pie -no-pie -w -o "$TMP/victim-plain" "$here"/soak/*.c -pthread &&
		echo "$TMP/victim-plain"
)
same "programs that run scripts are built" 3 ${#victims[@]}
soak() { # SENTENCE OPTION...
	"$here/soak/run" --build="$BUILD" "${victims[@]/#/--victim=}" --keep="$TMP/kept" --minimise=20 --most=5 "${@:2}" >"$TMP/said" 2>&1
	verdict $? "$1: $(tail -n 1 "$TMP/said")" "$(cat "$TMP/said"; head -n 40 "$TMP"/kept/*.small 2>/dev/null)"
}
soak "what was found before stays mended" --cases="$here/soak/cases"
soak "programs from seeds are recorded as they run natively" --seed="$seed" --seconds=$seconds --programs=$programs --without=$known
finish
