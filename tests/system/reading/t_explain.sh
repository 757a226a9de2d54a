#!/bin/bash
# --explain: where each byte of a message is.  The file is asked whether that is so: its bytes are compared with those that are
# shown, its records are walked by tests/support/capture_records.py, and bytes are changed where an argument is said to be.
. tests/support/lib.sh

cat >"$TMP/app.c" <<'END'
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <wchar.h>
static char large[1000];
int main(int argc, char **argv)
{
	char made[64];
	setvbuf(stdout, 0, _IOFBF, 65536);
	memset(large, 'x', sizeof(large) - 1);
	for (int i = 0; i < 3; i++) {
		snprintf(made, sizeof(made), "name-%d-of-several", i);
		errno = ENOENT;
		printf("n %d of %s, %.*f %ld %m\n", 42 + i, made, 2, 3.25, 77L);
		printf("%2$s %1$d\n", 5, made + i);
		printf("short %s, null %s, long %Lf\n", argc > 1 ? argv[1] : "ab", (char *)0, 1.5L);
		syslog(LOG_ERR, "bad %s: %c %#x %-6ld|", "thing", 'c', 255, 6L);
	}
	fputs("constant\n", stdout);
	puts(large);
	printf("%ls!\n", L"wide");
	printf("be"), printf("%s", "gin"), printf(" %d", 7), printf("%s\n", " end");
	for (int i = 0; i < 5; i++)
		for (int j = 0; j < 4; j++)
			fputs(made + 14 + (i + j) % 2, stdout), fputs(made + (i ^ j), stdout), fputs(j < 3 ? made + 15 : "\n", stdout);
	for (int i = 0; i < 20; i++)
		fputs(made + 15 + i % 2, stdout);
	puts("");
	fflush(stdout);
	return 3;
}
END
$CC -D_GNU_SOURCE -g -O1 -w -o "$TMP/app" "$TMP/app.c" || exit 1
BINLOG_DIR=$TMP/capture LD_PRELOAD=$lib "$TMP/app" >"$TMP/out"
capture=$(echo "$TMP"/capture/*.binlog)
"$show" -q --explain "$capture" >"$TMP/explained"
status=$?
verdict $status "a capture is explained" "$status"

cat >"$TMP/check.py" <<'END'
"""check.py FILE EXPLAINED: the rows of all records against the file, and against its records as others walk them."""
import re
import struct
import sys
sys.path.insert(0, 'tests/support')
import capture_records as records

data = open(sys.argv[1], 'rb').read()
names = {1: 'CLOCK', 2: 'PROCESS', 3: 'THREAD', 4: 'MODULE', 5: 'STRING', 6: 'STREAM', 7: 'CONTEXT'}
messages, controls = {}, {}
for _, kind, at, size in records.walk(data):
    if isinstance(kind, int):
        controls[at] = (names[kind], size)
    else:
        messages[at] = size
wrong = []
seen = []
at = size = 0


def end():
    if seen and at != seen[-1] + size:
        wrong.append('%d: %d bytes are explained of %d' % (seen[-1], at - seen[-1], size))


for line in open(sys.argv[2], encoding='utf-8'):
    record = re.match(r'    record +at (\d+), (\d+) bytes:$', line)
    field = re.match(r'    +(\d+) +(\d+)  ((?:[0-9a-f]{2} )*[0-9a-f]{2}) ', line)
    hidden = re.match(r'    +(\d+) +(\d+)  these are not shown$', line)
    if record:
        end()
        at, size = int(record[1]), int(record[2])
        seen.append(at)
        if messages.get(at) != size:
            wrong.append('no such record: ' + line)
    elif field or hidden:
        found = field or hidden
        start, count = int(found[1]), int(found[2])
        if start != at:
            wrong.append('not the next byte: ' + line)
        if field and data[start:start + count] != bytes.fromhex(field[3]):
            wrong.append('other bytes: ' + line)
        at += count
    for name, offset, count in re.findall(r'([A-Z]+) record at (\d+), (\d+) bytes', line):
        if controls.get(int(offset)) != (name, int(count)):
            wrong.append('no such definition: ' + line)
    stack = re.match(r'    #\d+ +0x([0-9a-f]+).*; at (\d+), 8 bytes$', line)
    if stack and records.u64(data, int(stack[2])) != int(stack[1], 16):
        wrong.append('another address: ' + line)
    told = re.match(r'    time +(\d+) ns since 1970, of ticks (\d+)', line)
    if told:
        wall, ticks = int(told[1]), int(told[2])
    told = re.match(r'    +  = (\d+) \+ \(ticks - (\d+)\) \* ([0-9.e+-]+) ns: anchor of the (block|CLOCK record) at (\d+)', line)
    if told:
        real, origin, rate = int(told[1]), int(told[2]), float(told[3])
        where = int(told[5]) + (32 if told[4] == 'block' else 8)
        if struct.unpack_from('<QQ', data, where) != (origin, real):
            wrong.append('another anchor: ' + line)
        if abs(real + int((ticks - origin) * rate + 0.5) - wall) > 2:
            wrong.append('another time: ' + line)
        controls['anchors'] = controls.get('anchors', 0) + 1
end()
if sorted(seen) != sorted(messages):
    wrong.append('%d records are explained of %d' % (len(seen), len(messages)))
if controls.get('anchors', 0) < len(seen) // 2:
    wrong.append('anchors are not told')
print(''.join(w.rstrip('\n') + '\n' for w in wrong), end='')
END
same "every byte of every record is explained once, as it is in the file; so are definitions, addresses and times" "" \
	"$(python3 "$TMP/check.py" "$capture" "$TMP/explained" 2>&1)"

# The first row of the first message that says TEXT which has WORDS: its offset.
place() { # TEXT WORDS
	awk -v text="$1" -v words="$2" '/^[^ ]/ { here = index($0, text) } here && index($0, words) { print $1; exit }' "$TMP/explained"
}
changed() { # OFFSET BYTES(printf): what a copy with these bytes there says, as a difference of lines
	cp "$capture" "$TMP/changed.binlog"
	printf "$2" | dd of="$TMP/changed.binlog" bs=1 seek="$1" conv=notrunc status=none
	"$show" -q --raw "$TMP/changed.binlog" >"$TMP/says" 2>&1
	diff "$TMP/raw" "$TMP/says" | grep '^[<>]'
}
"$show" -q --raw "$capture" >"$TMP/raw"
first='n 42 of name-0'
same "where an int is said to be, it is" '< n 42 of name-0-of-several, 3.25 77 No such file or directory
> n 43 of name-0-of-several, 3.25 77 No such file or directory' "$(changed "$(place "$first" 'argument 1: I32')" '\053')"
same "so is a string" '< n 42 of name-0-of-several, 3.25 77 No such file or directory
> n 42 of Name-0-of-several, 3.25 77 No such file or directory' "$(changed "$(place "$first" 'argument 2: its bytes')" N)"
same "so is a precision" '< n 42 of name-0-of-several, 3.25 77 No such file or directory
> n 42 of name-0-of-several, 3.2 77 No such file or directory' "$(changed "$(place "$first" 'argument 3: I32')" '\001')"
same "so is a double" '< n 42 of name-0-of-several, 3.25 77 No such file or directory
> n 42 of name-0-of-several, 3.50 77 No such file or directory' "$(changed "$(place "$first" 'argument 4: F64')" '\0\0\0\0\0\0\014')"
same "so is a long" '< n 42 of name-0-of-several, 3.25 77 No such file or directory
> n 42 of name-0-of-several, 3.25 78 No such file or directory' "$(changed "$(place "$first" 'argument 5: I64')" '\116')"
same "so is an errno" '< n 42 of name-0-of-several, 3.25 77 No such file or directory
> n 42 of name-0-of-several, 3.25 77 Operation not permitted' "$(changed "$(place "$first" 'argument 6: I32')" '\001')"
grep -q CONTINUES "$TMP/explained" && grep -q REPEATS "$TMP/explained" && grep -q SHORT "$TMP/explained"
verdict $? "and lines that go on, short strings and repeated ones are among them"
same "pieces are those of the text" '"42"
"name-0-of-several"
"3.25"
"77"
"No such file or directory"' "$(awk '/^[^ ]/ { here = index($0, "n 42 of name-0") } here' "$TMP/explained" | grep -o 'makes ".*"' | cut -c 7-)"
same "and of a numbered format" '"5"
"name-0-of-several"' "$(awk '/^[^ ]/ { here = index($0, "\"name-0-of-several 5") } here' "$TMP/explained" | grep -o 'makes ".*"' | cut -c 7-)"

same "a pattern chooses" 3 "$("$show" -q --explain --grep='bad thing' "$capture" | grep -c '^[^ ]')"
same "so do last lines" "$("$show" -q --explain --grep='bad thing' "$capture" | awk '/^[^ ]/ { n++ } n == 3')" \
	"$("$show" -q --explain --grep='bad thing' --lines=1 "$capture")"
same "the newest is first" "$(grep '^[^ ]' "$TMP/explained" | tac)" "$("$show" -q --explain --reverse "$capture" | grep '^[^ ]')"

gzip -c "$capture" >"$TMP/packed.binlog.gz"
same "of what is compressed offsets are those of the unpacked bytes, and that is said" "$(grep -c '^[^ ]' "$TMP/explained")" \
	"$("$show" -q --explain "$TMP/packed.binlog.gz" >"$TMP/gz"; grep -c 'offsets are those of the unpacked bytes' "$TMP/gz")"
same "with the same bytes" "" "$(python3 "$TMP/check.py" "$capture" "$TMP/gz" 2>&1)"

"$BUILD/binlog-pack" -q "$capture" -o "$TMP/log.blog"
"$show" -q --explain "$TMP/log.blog" >"$TMP/log"
batch=$(sed -n 's/^    batch *at \([0-9]*\), \([0-9]*\) bytes.*/\1 \2/p' "$TMP/log" | tail -n 1)
set -- $batch
said=$("$show" -q --raw "$TMP/log.blog" | cksum)
head -c $(($1 + $2)) "$TMP/log.blog" >"$TMP/cut.blog"
same "a batch is so long" "$said" "$("$show" -q --raw "$TMP/cut.blog" 2>/dev/null | cksum)"
head -c $(($1 + $2 - 1)) "$TMP/log.blog" >"$TMP/cut.blog"
[ "$said" != "$("$show" -q --raw "$TMP/cut.blog" 2>/dev/null | cksum)" ]
verdict $? "and not shorter"
same "rows of a packed log are its messages" "$(seq 0 $(($(grep -c '^[^ ]' "$TMP/log") - 1)))" \
	"$(sed -n 's/.*, message \([0-9]*\) of the log$/\1/p' "$TMP/log")"
same "its arguments make the same" "$(grep -o 'makes ".*"' "$TMP/explained")" "$(grep -o 'makes ".*"; column' "$TMP/log" | sed 's/; column$//')"
same "several inputs are merged, and each message says its file" "$(($(grep -c '^[^ ]' "$TMP/explained") * 2))" \
	"$("$show" -q --explain "$capture" "$TMP/log.blog" | grep -c "^    file  *$capture$\|^    file  *$TMP/log.blog$")"

# Damage is told as ever, and what is whole is explained.
context=$(place '"constant' 'context ')
cp "$capture" "$TMP/damaged.binlog"
printf '\377\377\377\017' | dd of="$TMP/damaged.binlog" bs=1 seek="$context" conv=notrunc status=none
"$show" --explain "$TMP/damaged.binlog" >"$TMP/damaged" 2>"$TMP/damaged.err"
same "the status is that of damage" 1 $?
grep -q "damaged.binlog:$context: " "$TMP/damaged.err"
verdict $? "where it is damaged is told" "$(cat "$TMP/damaged.err")"
same "what is before is explained" "$(awk '/^[^ ]/ && /"constant/ { exit } /^[^ ]/' "$TMP/explained")" "$(grep '^[^ ]' "$TMP/damaged")"
python3 - "$capture" "$TMP/damaged.binlog" "$show" >"$TMP/flips" 2>&1 <<'END'
import random
import subprocess
import sys
data = open(sys.argv[1], 'rb').read()
random.seed(62)
for _ in range(60):
    bad = bytearray(data)
    for _ in range(4):
        bad[random.randrange(4096, len(bad))] = random.randrange(256)
    open(sys.argv[2], 'wb').write(bad)
    done = subprocess.run([sys.argv[3], '--explain', sys.argv[2]], capture_output=True)
    if done.returncode not in (0, 1, 2) or any(c < 32 and c != 10 or c == 127 for c in done.stdout):
        print(done.returncode, done.stderr[:200])
END
same "bytes that are wrong harm nobody" "" "$(cat "$TMP/flips")"
exit $failed
