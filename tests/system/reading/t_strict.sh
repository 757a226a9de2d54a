#!/bin/bash
# binlog-show --strict: what is whole is shown as without it, and of what is damaged, cut or not readable nothing is, whatever the
# style and wherever it goes.
. tests/support/lib.sh
. tests/packed/common.sh
$CC -std=gnu11 -D_GNU_SOURCE -g -O2 -w -I. -o "$TMP/varying" "$here/bench/varying.c" || exit 1
say varying "$TMP/varying" 20000
capture=${captured[0]}
pack "$TMP/whole.blog" "$TMP/c/varying"
hurt() { # FILE OFFSET SIZE
	dd if=/dev/urandom of="$1" bs=1 seek="$2" count="$3" conv=notrunc 2>/dev/null
}
cp "$TMP/whole.blog" "$TMP/mended.blog"
bytes=$(stat -c %s "$TMP/whole.blog")
hurt "$TMP/mended.blog" $((bytes / 2)) 8
cp "$TMP/whole.blog" "$TMP/hurt.blog"
hurt "$TMP/hurt.blog" $((bytes / 3)) $((bytes / 10))
head -c $((bytes * 2 / 3)) "$TMP/whole.blog" >"$TMP/cut.blog"
cp --sparse=never "$capture" "$TMP/hurt.binlog"
hurt "$TMP/hurt.binlog" 70000 3000
mkdir "$TMP/dir"
cp "$TMP/whole.blog" "$TMP/dir"
echo nothing >"$TMP/dir/other.binlog"

# ---- what is whole ----
for style in raw line json html processes count; do
	for input in "$capture" "$TMP/whole.blog" "$TMP/mended.blog"; do
		"$show" -q -u --output=$style "$input" >"$TMP/want" 2>"$TMP/want.errors"
		status=$?
		"$show" -q -u --output=$style --strict "$input" >"$TMP/got" 2>"$TMP/got.errors"
		same "$style: the status is the same (${input##*.})" $status $?
		same_file "$style: what is whole or mended is shown as without --strict (${input##*/})" "$TMP/want" "$TMP/got"
	done
done
same "what was mended is told" 1 "$(grep -c ': mended: ' "$TMP/got.errors")"
"$show" --raw -q "$TMP/whole.blog" >"$TMP/want"
# shellcheck disable=SC2002 # a pipe
cat "$TMP/whole.blog" | "$show" --raw -q --strict - | cat >"$TMP/got"
same_file "from a pipe and into one" "$TMP/want" "$TMP/got"
"$show" --raw -q --strict --grep='no such text' "$TMP/whole.blog" >"$TMP/got"
same "that nothing was found is no damage" "0 0" "$? $(stat -c %s "$TMP/got")"

# ---- what is not ----
refuses() { # SENTENCE WHY ARGUMENT...
	"$show" --raw -q --strict "${@:3}" >"$TMP/got" 2>"$TMP/why"
	same "$1: nothing is shown, the status is 1" "1 0" "$? $(stat -c %s "$TMP/got")"
	grep -q -- "$2" "$TMP/why"
	verdict $? "$1: it is said what is wrong" "$(cat "$TMP/why")"
	same "$1: and that nothing is shown" 1 "$(grep -c '^--strict: nothing is shown: ' "$TMP/why")"
}
refuses "a damaged log" "skipped" "$TMP/hurt.blog"
refuses "a log that is cut off" "cut off" "$TMP/cut.blog"
refuses "a damaged capture" "skipped" "$TMP/hurt.binlog"
refuses "a damaged log among others" "skipped" "$TMP/whole.blog" "$TMP/hurt.blog"
refuses "what is no log, in a directory" "this is plain text" "$TMP/dir"
refuses "a file that is not there" "No such file" "$TMP/whole.blog" "$TMP/none.blog"
refuses "that alone" "No such file" "$TMP/none.blog"
refuses "what is more than a limit" "limit" --limit=definitions=1 "$TMP/whole.blog"
"$show" --raw -q --strict - <"$TMP/hurt.blog" >"$TMP/got" 2>"$TMP/why"
same "a damaged log on standard input" "1 0" "$? $(stat -c %s "$TMP/got")"
# cut where a frame ends: the last two lines of what python finds
python3 - "$packed" "$TMP/whole.blog" "$TMP/between.blog" <<'END_OF_PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
import packed_log
with open(sys.argv[2], "rb") as file:
    data = packed_log.without_parity(file.read())
at = max(at for at in range(len(data) - 2) if data[at:at + 2] == b"\xc1\xce")
with open(sys.argv[3], "wb") as file:
    file.write(data[:at])
END_OF_PYTHON
"$show" --raw -q "$TMP/between.blog" >"$TMP/got" 2>"$TMP/why"
same "that a log has no end is no damage without --strict" 0 $?
refuses "a log without its end" "not ended" "$TMP/between.blog"

# ---- files and directories ----
mkdir "$TMP/to"
cd "$TMP/to" || exit 1
"$show" -q --strict --raw --to=new "$TMP/hurt.blog" 2>/dev/null
same "--to: no file is left" 1 "$([ -e new ]; echo $?)"
"$show" -q --strict --raw --to="$TMP/to/new" "$TMP/hurt.blog" 2>/dev/null
same "--to: no file is left where the path is whole" 1 "$([ -e new ]; echo $?)"
echo before >old
"$show" -q --strict --raw --to=old "$TMP/hurt.blog" 2>/dev/null
same "--to: what was there stays as it was" before "$(cat old)"
"$show" -q --strict --raw --to=old "$TMP/whole.blog"
"$show" -q --raw "$TMP/whole.blog" >"$TMP/want"
same_file "--to: what is whole takes its place" "$TMP/want" old
"$show" -q --strict --raw --to=new "$TMP/whole.blog"
same_file "--to: or is a new file" "$TMP/want" new
"$show" -q --strict --output=csv --to=tables "$TMP/hurt.blog" 2>/dev/null
same "--to: the status of a directory is 1" 1 $?
same "--to: no file is left in a directory" "" "$(ls tables 2>/dev/null)"
"$show" -q --output=csv --to=want "$TMP/whole.blog"
"$show" -q --strict --output=csv --to=got "$TMP/whole.blog"
same "--to: what is whole is in a directory" "" "$(diff -r want got 2>&1)"
printf '[output a]\nto = a\nstyle = raw\n[output b]\nto = b\nstyle = json\n' >conf
"$show" -q --strict --config conf "$TMP/hurt.blog" 2>/dev/null
same "--config: no file is left" "1 1" "$([ -e a ]; echo $?) $([ -e b ]; echo $?)"
"$show" -q --strict --config conf "$TMP/whole.blog"
same_file "--config: what is whole is there" "$TMP/want" a

# ---- what it does not go with, and where there is no room ----
for other in --follow --recover --index --diff; do
	"$show" --strict $other "$TMP/whole.blog" "$TMP/whole.blog" >"$TMP/got" 2>"$TMP/why"
	same "$other: it is a clear error" "2 1 0" "$? $(grep -c -- '--strict: .*leave out' "$TMP/why") $(stat -c %s "$TMP/got")"
done
TMPDIR=$TMP/none "$show" --raw --strict "$TMP/whole.blog" >"$TMP/got" 2>"$TMP/why"
same "without a place for temporary files nothing is shown" "2 1 0" "$? $(grep -c TMPDIR "$TMP/why") $(stat -c %s "$TMP/got")"
"$show" -q --raw --strict "$TMP/whole.blog" >/dev/full 2>"$TMP/why"
same "that standard output is full is told" "2 1" "$? $(grep -c 'not written: No space' "$TMP/why")"
finish
