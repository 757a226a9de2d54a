#!/bin/bash
# What is intact of damaged logs comes out as one clean log: binlog-show --recover.
. tests/support/lib.sh
. tests/packed/common.sh

$CC -std=gnu11 -D_GNU_SOURCE -O1 -w -I. -o "$TMP/varying" tests/bench/varying.c || exit 1
say first "$TMP/varying" 3000 1
say second "$TMP/varying" 2000 2
pack "$TMP/first.blog" "$TMP/c/first" && pack "$TMP/second.blog" "$TMP/c/second" --plain
verdict $? "two logs are packed" "$(cat "$TMP"/*.complaint)"

"$show" --recover "$TMP/first.blog" "$TMP/second.blog" >"$TMP/clean" 2>"$TMP/complaint"
verdict $? "logs without damage are recovered without complaint" "$(cat "$TMP/complaint")"
cat "$TMP/first.blog" "$TMP/second.blog" >"$TMP/joined"
same_file "and come out byte for byte" "$TMP/joined" "$TMP/clean"

# A piece of the first, something else, the second with a byte that is wrong.
size=$(stat -c %s "$TMP/first.blog")
{
	head -c $((size * 2 / 3)) "$TMP/first.blog"
	echo "this is no frame"
	python3 - "$TMP/second.blog" <<'P'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
data[len(data) // 2] ^= 1
sys.stdout.buffer.write(data)
P
} >"$TMP/torn"
"$show" --recover "$TMP/torn" >"$TMP/clean" 2>"$TMP/complaint"
same "damage is told by the status" 1 $?
left_out=$(($(stat -c %s "$TMP/torn") - $(stat -c %s "$TMP/clean")))
grep -q ", $left_out bytes left out$" "$TMP/complaint"
verdict $? "and how many bytes were left out" "$left_out: $(cat "$TMP/complaint")"
"$show" --raw "$TMP/torn" >"$TMP/want" 2>/dev/null
"$show" --raw "$TMP/clean" >"$TMP/got" 2>"$TMP/complaint"
same_file "the clean log says all that the torn one says" "$TMP/want" "$TMP/got"
grep -q "skipped\|cut off:" "$TMP/complaint" # batches that are gone stay gone
verdict $((!$?)) "and has no damaged bytes" "$(cat "$TMP/complaint")"
"$show" --recover - <"$TMP/clean" 2>/dev/null | cmp -s - "$TMP/clean"
verdict $? "to recover it again changes nothing"

# Captures become a log.
"$show" --recover "$TMP/c/first" >"$TMP/clean" 2>/dev/null
"$show" "$TMP/c/first" >"$TMP/want" 2>/dev/null
"$show" "$TMP/clean" >"$TMP/got" 2>/dev/null
same_file "a capture comes out as a packed log" "$TMP/want" "$TMP/got"

# Its batch has no bytes of strings at all.
printf '#include <stdio.h>\nint main(void) { printf("%%s|", ""); return 0; }\n' >"$TMP/empty.c"
$CC -w -fno-builtin -o "$TMP/empty" "$TMP/empty.c" || exit 1
say empty "$TMP/empty"
same "an empty string alone is not taken for a null pointer" "|" "$("$show" --recover "$TMP/c/empty" 2>/dev/null | "$show" --raw -q -)"

script -qec "'$show' --recover '$TMP/clean'" /dev/null >"$TMP/got" 2>&1 </dev/null
grep -q "standard output is a terminal" "$TMP/got"
verdict $? "a terminal is not written to" "$(head -c 200 "$TMP/got")"
finish
