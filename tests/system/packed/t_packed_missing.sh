#!/bin/bash
# A batch of a packed log that is gone or damaged is told of in every way of reading that asks for its messages.
. tests/support/lib.sh
. tests/packed/common.sh

$CC -std=gnu11 -D_GNU_SOURCE -g -O2 -w -I. -o "$TMP/varying" "$here/bench/varying.c" || exit 1
say varying "$TMP/varying" 200000 1
pack "$TMP/log.blog" "$TMP/c/varying"
mkdir "$TMP/lost"
python3 "$packed/lose_batches.py" "$TMP/log.blog" "$TMP/lost" >"$TMP/names" || exit 1
[ "$(wc -l <"$TMP/names")" -ge 12 ]
verdict $? "the log has batches, each of which is lost in four ways" "$(cat "$TMP/names")"

told() { # OPTION...: by what is read of $log
	"$show" "$@" "$log" 2>&1 >/dev/null | grep -q 'missing\|lost\|not the beginning' || silent+="${log##*/}: $* "
}
export TZ=UTC
silent=
while IFS=$'\t' read -r name time; do
	log=$TMP/lost/$name
	told
	told -r
	told --raw
	told --stats
	told -n 190000
	told -r -n 190000
	told --since "$time"
	told -r --since "$time"
	told -n 10 --since "$time" --until "$time"
	told --until "$time"
	told -r --until "$time" -g 7
	told --around "$time"
	told --since "$time" -g 7
	"$show" - <"$log" 2>&1 >/dev/null | grep -q 'missing\|lost\|not the beginning' || silent+="$name: from a pipe "
done <"$TMP/names"
same "each is told of, in whatever way it is read" "" "$silent"
finish
