#!/bin/bash
# Where what is read has to be found again at every few bytes: 10 MiB, LONG=1: 100 MiB in 2 s of the processor, whatever it is; and what is whole behind that is shown.
. tests/support/lib.sh
. tests/packed/common.sh
mib=10 milliseconds=20000 kib=$((64 << 10))
[ -z "${LONG:-}" ] || mib=100 milliseconds=2000
nm "$show" | grep -qE '__(asan|ubsan|tsan|gcov)_' && milliseconds=$((milliseconds * 20)) kib=$((4 << 20))
bombs=$here/bombs

$CC -std=gnu11 -D_GNU_SOURCE -O1 -I. -o "$TMP/pages" "$bombs/pages.c" || exit 1
mkdir "$TMP/captures" "$TMP/logs"
"$TMP/pages" $mib "$TMP/captures" && python3 "$bombs/false_frames.py" $mib "$TMP/logs" || exit 1
for path in "$TMP"/captures/* "$TMP"/logs/*; do
	name=$(basename "$path")
	slow=$(python3 "$bombs/measure.py" $milliseconds $kib "$show" -- "$path" 2>"$TMP/figures")
	verdict ${#slow} "$name: $mib MiB in $milliseconds ms" "$slow"
	cat "$TMP/figures"
	same "$name: and what is whole behind them is shown" said "$("$show" --raw -q "$path" 2>/dev/null)"
done
slow=$(python3 "$bombs/measure.py" $milliseconds $kib "$show" --recover -- "$TMP"/logs/* 2>"$TMP/figures")
verdict ${#slow} "and copied as fast" "$slow"
cat "$TMP/figures"
# Several logs are opened in the order of their times, which are looked for first.
slow=$(python3 "$bombs/measure.py" $((milliseconds * 2)) $kib "$show" "$TMP/logs/every_8.blog" -- "$TMP/logs/every_8_odd.blog" 2>"$TMP/figures")
verdict ${#slow} "and two of them at once" "$slow"
cat "$TMP/figures"
finish
