#!/bin/bash
# LONG=1 only: it compares times.
#
# Four times as much takes at most six times as long, whatever there is very much of: nothing that is read costs its square.
. tests/support/lib.sh
. tests/packed/common.sh
count=50000 kib=$((64 << 10))
nm "$show" | grep -qE '__(asan|ubsan|tsan|gcov)_' && kib=$((4 << 20)) # these take memory themselves
bombs=$here/bombs

$CC -std=gnu11 -D_GNU_SOURCE -O1 -I. -o "$TMP/many" "$bombs/many.c" || exit 1
for times in 1 4; do
	mkdir "$TMP/captures.$times" "$TMP/logs.$times"
	"$TMP/many" $((count * times)) "$TMP/captures.$times" || exit 1
	python3 "$bombs/many.py" $((count * times)) "$TMP/logs.$times" || exit 1
done

grows() { # SENTENCE captures|logs COMMAND...
	local said
	said=$(python3 "$bombs/growth.py" "$kib" "${@:3}" -- "$TMP/$2.1" "$TMP/$2.4" 2>"$TMP/figures")
	verdict ${#said} "$1 of $(find "$TMP/$2.1" -maxdepth 1 -name '*log' | wc -l) kinds: four times as much, at most six times the time" "$said"
	cat "$TMP/figures"
}
for what in captures logs; do
	grows "$what as lines" $what "$show"
	grows "$what as written" $what "$show" --raw --as-written
	grows "$what, their sums" $what "$show" --stats
	grows "$what as JSON" $what "$show" -o json
done
grows "captures, packed" captures "$tool" -q -f -o "$TMP/out.blog"
finish
