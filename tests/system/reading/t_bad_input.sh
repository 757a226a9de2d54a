#!/bin/sh
# binlog-show on what is not, or not quite, a capture: one sentence for each
# thing that is wrong, the right exit status, and everything readable shown.
show=$BUILD/binlog-show
failed=0

verdict() {
	if [ "$1" -eq 0 ]; then
		echo "ok: $2"
	else
		echo "not ok: $2"
		failed=1
	fi
}

# expect NAME STATUS OUTPUT SENTENCE ARGUMENT...: of binlog-show with these
# arguments; SENTENCE is a part of its complaint, or empty for none.
expect() {
	name=$1 status=$2 output=$3 sentence=$4
	shift 4
	timeout 10 "$show" --raw "$@" >"$TMP/out" 2>"$TMP/err" </dev/null
	got=$?
	problem=0
	[ "$got" -eq "$status" ] || problem=1
	[ "$(cat "$TMP/out")" = "$output" ] || problem=1
	if [ -n "$sentence" ]; then
		grep -qF -- "$sentence" "$TMP/err" || problem=1
	elif [ -s "$TMP/err" ]; then
		problem=1
	fi
	if [ $problem -ne 0 ]; then
		echo "# status $got, not $status; said: $(cat "$TMP/err")"
	fi
	verdict $problem "$name"
}

cat >"$TMP/make.c" <<'END'
#include <stdio.h>
#include "tests/support/make_capture.h"

static void block(struct make_capture *capture, uint32_t writer,
	uint32_t sequence, const char *text)
{
	const struct make_context context = {
		.id = 16, .text = BINLOG_TEXT_LITERAL_LINE, .format = 1};
	struct make_block made = make_block(capture, writer, sequence, 4096, 1);

	make_string(&made, 1, text);
	make_context(&made, &context);
	make_message(&made, 16, 2);
}

int main(int argc, char **argv)
{
	struct make_capture capture = make_capture();

	make_header(&capture)->nonce += argc > 2 ? (uint64_t)atoi(argv[2]) : 0;
	block(&capture, 0, 0, "one");
	block(&capture, 0, 1, "two");
	block(&capture, 0, 2, "three");
	return argc < 2 || (make_file(&capture, argv[1]), 0);
}
END
if ! ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -I. -o "$TMP/make" "$TMP/make.c"; then
	echo "not ok: a program that makes captures can be built"
	exit 1
fi
whole=$TMP/whole.binlog
"$TMP/make" "$whole"
all='one
two
three'

expect "a whole capture is read without a word" 0 "$all" "" "$whole"

cp "$whole" "$TMP/zeros.binlog"
head -c 100000 /dev/zero >>"$TMP/zeros.binlog"
expect "zeros at the end are a clean end" 0 "$all" "" "$TMP/zeros.binlog"

: >"$TMP/empty.binlog"
expect "an empty file" 2 "" \
	"empty.binlog: nothing to read: the file is empty: " "$TMP/empty.binlog"

head -c 4096 /dev/zero >"$TMP/unborn.binlog"
expect "a file whose program has not written its header" 2 "" \
	"unborn.binlog:0: nothing to read: the program has not written its header" \
	"$TMP/unborn.binlog"
expect "such a file beside others is no damage" 0 "$all" "unborn.binlog:0: " \
	"$TMP/unborn.binlog" "$whole"

# An ELF header that says core file, and captures.
{
	printf '\177ELF\002\001\001\000\000\000\000\000\000\000\000\000\004'
	head -c 4079 /dev/zero
} >"$TMP/core"
for nonce in $(seq 64); do
	"$TMP/make" "$TMP/inside" "$nonce"
	cat "$TMP/inside" >>"$TMP/core"
done
cat "$TMP/inside" >>"$TMP/core"
sixty_four=$(for nonce in $(seq 64); do echo "$all"; done)
expect "64 captures in a core file, one of them twice" 0 "$sixty_four" "" "$TMP/core"
"$TMP/make" "$TMP/inside" 65
cat "$TMP/inside" >>"$TMP/core"
expect "and one more: that is told" 1 "$sixty_four" \
	"core:0: captures were left out: more are in this core file than are looked for: " "$TMP/core"

mkdir "$TMP/nothing"
expect "a directory without captures" 2 "" \
	"nothing: nothing to read: no file in this directory ends in .binlog or .blog: " \
	"$TMP/nothing"

expect "a path that does not exist" 2 "" \
	"absent: not opened: No such file or directory: " "$TMP/absent"

mkdir "$TMP/gone"
for i in $(seq 101 150); do
	ln -s "$TMP/not_there" "$TMP/gone/$i.binlog"
done
missing="not opened: No such file or directory: check the path and its permissions"
expect "fifty files that cannot be opened for one reason" 2 "" "gone/101.binlog and 49 others: $missing" "$TMP/gone"
[ "$(wc -l <"$TMP/err")" -eq 1 ]
verdict $? "are one sentence, which names the first and counts the others"
rm "$TMP/gone/120.binlog"
echo >"$TMP/gone/120.binlog"
mkdir "$TMP/gone/160.binlog"
expect "another reason is another one" 2 "" "gone/120.binlog: not read: " "$TMP/gone"
grep -qF "gone/101.binlog and 48 others: $missing" "$TMP/err" &&
	grep -qF "gone/160.binlog: not read: neither a regular file" "$TMP/err" && [ "$(wc -l <"$TMP/err")" -le 4 ]
verdict $? "and those of one reason stay together"

echo "dear diary" >"$TMP/text.binlog"
expect "a text file" 2 "" "text.binlog: not read: this is plain text, not a capture: " \
	"$TMP/text.binlog"

mkfifo "$TMP/fifo.binlog"
expect "a FIFO does not hang" 2 "" \
	"fifo.binlog: not read: neither a regular file nor a directory: " \
	"$TMP/fifo.binlog"
expect "a device is not read" 2 "" \
	"/dev/zero: not read: neither a regular file nor a directory: " /dev/zero

cp "$whole" "$TMP/later.binlog"
printf '\003' | dd of="$TMP/later.binlog" bs=1 seek=8 conv=notrunc 2>/dev/null
expect "a capture of another version" 2 "" \
	"written in another version of the format (version 3): read it with" \
	"$TMP/later.binlog"

head -c 100 "$whole" >"$TMP/header.binlog"
expect "a capture cut off in its header" 2 "" \
	"the file ends within its header (bytes 100): " "$TMP/header.binlog"
head -c 4096 "$whole" >"$TMP/header.binlog"
expect "a capture cut off after its header" 2 "" \
	"header.binlog:4096: cut off: blocks up to here were in use" \
	"$TMP/header.binlog"
head -c 8250 "$whole" >"$TMP/cut.binlog"
expect "a capture cut off in a block: what is whole is shown" 1 "one" \
	"cut.binlog:8250: cut off: blocks up to here were in use" "$TMP/cut.binlog"

cp "$whole" "$TMP/hole.binlog"
dd if=/dev/zero of="$TMP/hole.binlog" bs=4096 seek=2 count=1 conv=notrunc \
	2>/dev/null
expect "a block that is gone: the others are shown" 1 "one
three" "hole.binlog:12288: records are missing: " "$TMP/hole.binlog"

cp "$whole" "$TMP/bad.binlog"
printf 'garbage' | dd of="$TMP/bad.binlog" bs=1 seek=8192 conv=notrunc 2>/dev/null
expect "a damaged block: the others are shown" 1 "one
three" "bad.binlog:8192: skipped: no block begins here" "$TMP/bad.binlog"
grep -qx '2 captured, 0 passed, 0 dropped, 4096 bytes skipped' "$TMP/err"
verdict $? "the sum follows when something is missing, with the bytes that were skipped"

cp "$whole" "$TMP/lost.binlog"
printf '\003' | dd of="$TMP/lost.binlog" bs=1 seek=104 conv=notrunc 2>/dev/null
expect "dropped calls are loss" 1 "$all" "3 captured, 0 passed, 3 dropped" \
	"$TMP/lost.binlog"
cp "$whole" "$TMP/passed.binlog"
printf '\003' | dd of="$TMP/passed.binlog" bs=1 seek=96 conv=notrunc 2>/dev/null
expect "passed calls are none" 0 "$all" "3 captured, 3 passed, 0 dropped" \
	"$TMP/passed.binlog"

mkdir "$TMP/mixed"
cp "$TMP/text.binlog" "$TMP/mixed/a.binlog"
mkfifo "$TMP/mixed/b.binlog"
cp "$whole" "$TMP/mixed/c.binlog"
echo "not looked at" >"$TMP/mixed/d.txt"
expect "one good capture among bad ones is shown" 1 "$all" \
	"mixed/a.binlog: not read: this is plain text, not a capture: " "$TMP/mixed"

expect "a name with controls does not reach the terminal" 2 "" \
	"a\\x1b[2Jb: not opened" "$TMP/a$(printf '\033')[2Jb"

expect "an unknown option" 2 "" "binlog-show: --colour: no such option: " --colour
expect "an unknown letter among others" 2 "" "binlog-show: -Z: no such option: " \
	-qZu
expect "a letter without its argument" 2 "" \
	"binlog-show: -p: its argument is missing" -p
expect "a missing argument" 2 "" "binlog-show: --pid: its argument is missing" \
	"$whole" --pid
expect "a number that is none" 2 "" "binlog-show: --pid=12x: not the number" --pid=12x
expect "an unknown stream" 2 "" "binlog-show: --stream=stdin: no such stream: " \
	--stream=stdin
expect "an unknown style" 2 "" "no such style: --output=help" --output=fancy

if [ -w /dev/full ]; then
	"$show" --raw "$whole" >/dev/full 2>"$TMP/err"
	got=$?
	[ $got -eq 2 ] && grep -q '^standard output: not written: No space' "$TMP/err"
	verdict $? "a full disk is told, with status 2"
else
	echo "skip: no /dev/full"
fi

(trap '' PIPE; sleep 1; "$show" "$whole" 2>"$TMP/err") | :
[ ! -s "$TMP/err" ]
verdict $? "a reader that has gone ends it quietly"

exit $failed
