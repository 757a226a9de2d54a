#!/bin/bash
# A packed log brings damaged bytes back by its parity: bits anywhere, 3 % in one run, or the parity itself; what is more than
# that is told as ever.  That the parity is that of the format, tests/packed/packed_log.py finds out for every log of the other
# tests.  LONG=1: 3,000 logs.
. tests/support/lib.sh
. tests/packed/common.sh
long() { if [ -n "${LONG:-}" ]; then echo "$1"; else echo "$2"; fi; }
$CC -std=gnu11 -D_GNU_SOURCE -g -O2 -w -I. -o "$TMP/varying" "$here/bench/varying.c" || exit 1
say varying "$TMP/varying" 100000
say listing ls -lR /usr/share/doc /etc
for name in varying listing; do
	pack "$TMP/$name.blog" "$TMP/c/$name"
done
comes_back() { # NAME HOW COUNT SENTENCE
	local why
	why=$(python3 "$packed/mend_logs.py" "$show" "$TMP/$1.blog" "$2" "$3" "${SEED:-1}" "$TMP" 2>&1)
	verdict $? "$4 ($1, $(stat -c %s "$TMP/$1.blog") bytes)" "$why"
}
for name in varying listing; do
	comes_back $name flips "$(long 1500 15)" "1 to 50 bits changed: nothing is lost"
	comes_back $name run "$(long 300 8)" "3 % of it overwritten in one run: nothing is lost"
	comes_back $name parity "$(long 300 4)" "bits of the parity changed: nothing is lost"
	comes_back $name marks "$(long 300 4)" "no mark of it is whole: nothing is lost"
done

# ---- what it costs ----
share=$(python3 - "$packed" "$TMP/varying.blog" <<'END_OF_PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
import packed_log
with open(sys.argv[2], "rb") as file:
    data = file.read()
print(len(data) * 1000 // len(packed_log.without_parity(data)) - 1000)
END_OF_PYTHON
)
verdict $((share > 35)) "it takes at most 3.5 %" "$share per mille"

# ---- joined, cut, through a pipe ----
hurt() { # FILE OFFSET SIZE
	dd if=/dev/zero of="$1" bs=1 seek="$2" count="$3" conv=notrunc 2>/dev/null
}
cat "$TMP/varying.blog" "$TMP/listing.blog" >"$TMP/both.blog"
"$show" --raw -q "$TMP/both.blog" >"$TMP/both"
bytes=$(stat -c %s "$TMP/varying.blog")
cp "$TMP/both.blog" "$TMP/hurt.blog"
hurt "$TMP/hurt.blog" 5000 1000
hurt "$TMP/hurt.blog" $((bytes + 5000)) 1000
"$show" --raw -q "$TMP/hurt.blog" >"$TMP/got" 2>"$TMP/why"
same_file "logs that were joined: both come back" "$TMP/both" "$TMP/got"
same "and each of them is told" 2 "$(grep -c ': mended: ' "$TMP/why")"
tail -c +3000 "$TMP/both.blog" >"$TMP/cut.blog"
"$show" --raw -q "$TMP/cut.blog" >"$TMP/want" 2>/dev/null
hurt "$TMP/cut.blog" $((bytes + 5000)) 1000
"$show" --raw -q "$TMP/cut.blog" >"$TMP/got" 2>/dev/null
same_file "a log whose beginning is cut off: the next one comes back" "$TMP/want" "$TMP/got"
# shellcheck disable=SC2002 # a pipe
cat "$TMP/hurt.blog" | "$show" --raw -q - 2>&1 >"$TMP/got" | grep -q 'skipped: '
verdict $? "through a pipe, which cannot be read again, the damage is told as ever"

# ---- more than comes back ----
cp "$TMP/varying.blog" "$TMP/hurt.blog"
hurt "$TMP/hurt.blog" $((bytes / 3)) $((bytes / 10))
"$show" --raw -q "$TMP/hurt.blog" >"$TMP/got" 2>"$TMP/why"
verdict $(($? == 0)) "a tenth of it overwritten: the status says that something is missing"
same "and so does a sentence" 1 "$(grep -c 'skipped: ' "$TMP/why")"
verdict "$(grep -c mended "$TMP/why")" "nothing is said to be mended" "$(cat "$TMP/why")"
finish
