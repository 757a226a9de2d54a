#!/bin/bash
# A batch of a packed log that is damaged beyond repair gives the messages whose bytes are whole, no others, and says what is
# missing.  LONG=1: 300 of each log.
. tests/support/lib.sh
. tests/packed/common.sh
long() { if [ -n "${LONG:-}" ]; then echo "$1"; else echo "$2"; fi; }
$CC -std=gnu11 -D_GNU_SOURCE -g -O2 -w -I. -o "$TMP/varying" "$here/bench/varying.c" || exit 1
$CC -std=gnu11 -D_GNU_SOURCE -g -O1 -w -o "$TMP/all_kinds" "$packed/all_kinds.c" || exit 1
build threads
build wide
say varying "$TMP/varying" 20000
for ((i = 0; i < 40; i++)); do # of what has less than 4 KiB nothing is told
	say all_kinds "$TMP/all_kinds"
done
say threads "$TMP/threads" many 2000
say wide "$TMP/wide" all C.UTF-8 0
for ((i = 0; i < 20; i++)); do
	say wide "$TMP/wide" all C.UTF-8 $i
done
say listing ls -lR /usr/share/doc/bash /usr/share/doc/coreutils /etc
# Texts that are kept together, in the order of the calls.
say texts python3 -c 'import ctypes
libc = ctypes.CDLL(None)
for i in range(6000):
    libc.printf(b"%s %s\n", b"connection %d from 10.0.0.%d" % (i * 7 % 1000, i % 250), [b"accepted", b"closed by peer after %d bytes" % (i * i % 77777)][i % 2])
    libc.printf(b"[%s]\n", b"request GET /page/%d HTTP/1.1" % (i % 97))
libc.fflush(None)'
for name in varying all_kinds threads wide listing texts; do
	pack "$TMP/$name.blog" "$TMP/c/$name"
done
gives() { # NAME LEAST
	local said
	said=$(python3 "$packed/hurt_pieces.py" "$show" "$TMP/$1.blog" "$(long 300 12)" "${SEED:-1}" "$TMP" "$2" 2>&1)
	verdict $? "$1: $(tail -n 1 <<<"$said"), and what is not is told" "$said"
}
gives varying 30
gives all_kinds 0
gives threads 0
gives wide 0
gives listing 5
gives texts 0

# ---- all who read ----
python3 - "$packed" "$TMP" <<'P' || exit 1
import sys
sys.path.insert(0, sys.argv[1])
import packed_log
directory = sys.argv[2]
data = packed_log.without_parity(open(directory + "/varying.blog", "rb").read())
frames = list(packed_log.frames(data))
names = [packed_log.TAG_NAMES[frame.record[0]] for frame in frames]
batch, pieces = frames[names.index("BATCH")], frames[names.index("PIECES")]
assert pieces.offset == batch.end
hurt = bytearray(data)
hurt[batch.end - 500] ^= 0xff
open(directory + "/hurt.blog", "wb").write(hurt)
told = bytearray(data)
told[pieces.end - 5] ^= 0xff
open(directory + "/told.blog", "wb").write(told)
told[batch.end - 500] ^= 0xff
open(directory + "/both.blog", "wb").write(told)
open(directory + "/whole.blog", "wb").write(data)
print(packed_log.objects(batch.record)[1][3], file=open(directory + "/count", "w"))
# bytes between the two, and a batch that is gone
moved = data[:batch.offset] + hurt[batch.offset:batch.end] + b"12345" + data[pieces.offset:]
open(directory + "/moved.blog", "wb").write(moved)
P
"$show" --raw -q "$TMP/whole.blog" >"$TMP/whole"
"$show" --raw -q "$TMP/hurt.blog" >"$TMP/part" 2>"$TMP/why"
lost=$(sed -n 's/.*a batch is damaged (messages \([0-9]*\),.*/\1/p' "$TMP/why")
all=$(wc -l <"$TMP/whole") some=$(wc -l <"$TMP/part")
verdict $(($? != 0 || some == 0 || some >= all)) "a byte of a batch: some of it is shown" "$some of $all lines, $lost lost"
"$show" --stats "$TMP/hurt.blog" >/dev/null 2>"$TMP/stats.why"
same "--stats tells of it" "$(cat "$TMP/why")" "$(grep -v captured "$TMP/stats.why")"
"$show" --recover "$TMP/hurt.blog" >"$TMP/recovered.blog" 2>"$TMP/recover.why"
same "and so does --recover" "$(cat "$TMP/why")" "$(grep -v 'frames copied' "$TMP/recover.why")"
"$show" --raw -q "$TMP/recovered.blog" >"$TMP/got" 2>/dev/null
same_file "what is recovered has what is whole" "$TMP/part" "$TMP/got"
"$show" --recover -q "$TMP/recovered.blog" >"$TMP/again.blog" 2>/dev/null
same_file "and stays as it is" "$TMP/recovered.blog" "$TMP/again.blog"
"$show" --strict --raw "$TMP/hurt.blog" >"$TMP/got" 2>/dev/null
same "--strict shows nothing" 1:0 "$?:$(stat -c %s "$TMP/got")"
"$show" --raw -q "$TMP/told.blog" >"$TMP/got" 2>/dev/null
same_file "what tells of pieces is damaged: nothing is lost" "$TMP/whole" "$TMP/got"
"$show" --raw -q "$TMP/both.blog" >"$TMP/got" 2>"$TMP/why"
same "and so is the batch: it is lost, and its numbers are told" "$(cat "$TMP/count"), of numbers 0 to $(($(cat "$TMP/count") - 1))" \
	"$(sed -n 's/.*gone before this place (messages \(.* to [0-9]*\)[,)].*/\1/p' "$TMP/why")"
# shellcheck disable=SC2002 # a pipe
cat "$TMP/hurt.blog" | "$show" --raw -q - 2>"$TMP/why" >"$TMP/got"
verdict "$(grep -c 'all of it is lost' "$TMP/why" | grep -vc '^1$')" "through a pipe, which cannot be read again, all of it is" "$(cat "$TMP/why")"
"$show" --raw -q "$TMP/moved.blog" >"$TMP/got" 2>"$TMP/why"
verdict $(($(grep -c 'messages are missing' "$TMP/why") != 1)) "bytes between a batch and what tells of it: told, and nothing wrong is shown" "$(cat "$TMP/why")"
same "no line of it is another" "" "$(diff "$TMP/whole" "$TMP/got" | grep '^>' | head -n 3)"
cat "$TMP/hurt.blog" "$TMP/hurt.blog" >"$TMP/twice.blog"
same "two that are joined give it twice" "$(cat "$TMP/part" "$TMP/part" | sort | md5sum)" "$("$show" --raw -q "$TMP/twice.blog" 2>/dev/null | sort | md5sum)"

# ---- what tells of pieces lies ----
for name in varying texts all_kinds; do
	said=$(python3 "$packed/hostile_pieces.py" "$show" "$TMP/$name.blog" "$(long 500 40)" "${SEED:-1}" "$TMP" 2>&1)
	verdict $? "$name: $(tail -n 1 <<<"$said"), though what tells of their pieces lies" "$said"
done

# ---- what it costs ----
share=$(python3 - "$packed" "$TMP/varying.blog" <<'P'
import sys
sys.path.insert(0, sys.argv[1])
import packed_log
data = open(sys.argv[2], "rb").read()
pieces = sum(frame.end - frame.offset for frame in packed_log.frames(data) if packed_log.TAG_NAMES[frame.record[0]] == "PIECES")
print(pieces * 1000 // len(data))
P
)
verdict $((share > 10)) "what tells of pieces takes at most 1 %" "$share per mille"
finish
