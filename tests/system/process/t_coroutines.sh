#!/bin/bash
# H4: what a coroutine says is told from what its thread and other coroutines say.  The program says itself who it is: the
# last word of a line is the number of the makecontext() that has made the coroutine, 0 on a thread's own stack.
. "$(dirname "$0")/../../support/lib.sh"
build coroutines

columns() { "$show" -q --columns=coroutine,message "$@"; }
# judge: of such rows how many are as they say, have no number, have another one
judge() {
	awk '$NF !~ /^[0-9]+$/ || $(NF - 1) != "by" { next }
		{ own = $1 == "-" ? 0 : $1; if (own == $NF) right++; else if (own == 0) none++; else wrong++ }
		END { printf "%d right, %d without, %d wrong\n", right, none, wrong }'
}
all_right() { echo "$(cat "$TMP/native/stdout" "$TMP/native/stderr" | grep -c ' by [0-9]*$') right, 0 without, 0 wrong"; }

for part in turns nest arrays reuse move thread arguments fork signals; do
	compare "$part: the program does what it does natively" "$TMP/coroutines" "$part"
	same "$part: each is who it says" "$(all_right)" "$(columns "$TMP/recorded/capture" | judge)"
done
for depth in 1 2 64; do
	for part in arrays reuse thread; do
		natively "$TMP/native" "$TMP/coroutines" "$part"
		BINLOG_DEPTH=$depth recorded "$TMP/recorded" "$TMP/coroutines" "$part"
		same "$part, with stacks of $depth" "$(all_right)" "$(columns "$TMP/recorded/capture" | judge)"
	done
done
natively "$TMP/native" "$TMP/coroutines" once
recorded "$TMP/recorded" "$TMP/coroutines" once
same "eight threads that make theirs at once: what is said" "$(sort "$TMP/native/stdout")" "$(sort "$TMP/recorded/stdout")"
same "and by whom" "$(all_right)" "$(columns "$TMP/recorded/capture" | judge)"

# ---- more than are known: the first 476 of 1,500 are forgotten, and none is taken for another ----
compare "1,500 at once" "$TMP/coroutines" many
columns "$TMP/recorded/capture" >"$TMP/many"
same "1,500 at once: when they were made" "1502 right, 0 without, 0 wrong" "$(grep -v later "$TMP/many" | judge)"
same "and later" "1024 right, 476 without, 0 wrong" "$(grep later "$TMP/many" | judge)"

# ---- everywhere ----
natively "$TMP/native" "$TMP/coroutines"
recorded "$TMP/recorded" "$TMP/coroutines"
capture=$TMP/recorded/capture
columns -u "$capture" >"$TMP/captured"
"$BUILD/binlog-pack" -q "$capture" -o "$TMP/log.blog"
"$BUILD/binlog-pack" -q --plain "$capture" -o "$TMP/plain.blog"
"$show" -q -o heph "$capture" >"$TMP/trace.heph"
"$BUILD/binlog-pack" -q "$TMP/trace.heph" -o "$TMP/trace.blog"
for what in log.blog plain.blog trace.heph trace.blog; do
	columns -u "$TMP/$what" >"$TMP/shown"
	same_file "$what has the same" "$TMP/captured" "$TMP/shown"
done
"$show" -q -o heph "$TMP/trace.heph" >"$TMP/again.heph"
same_file "Heph and back" "$TMP/trace.heph" "$TMP/again.heph"
"$show" -q -o json "$capture" >"$TMP/json"
for what in log.blog plain.blog; do
	"$show" -q -o json "$TMP/$what" >"$TMP/shown"
	same_file "JSON of $what" "$TMP/json" "$TMP/shown"
done
python3 - "$TMP/json" "$TMP/trace.heph" <<'P'
import json, re, struct, sys
sys.path.insert(0, 'tests/support')
import heph_packets as heph
said = [json.loads(line) for line in open(sys.argv[1])]
said = [(m['message'].rstrip('\n'), m.get('coroutine', 0)) for m in said if 'message' in m]
events, options = [], 0
packets = open(sys.argv[2], 'rb').read()
at = 0
while at < len(packets):
    magic, size = struct.unpack_from('>II', packets, at)
    if magic == 0xc1fc1fb7:
        substream, = struct.unpack_from('>Q', packets, at + 16)
        bytes_, = struct.unpack_from('>H', packets, at + 40)
        events.append((packets[at + 42:at + 42 + bytes_].decode(), substream))
    at += size
wrong = [m for m, e in zip(said, events) if m != e]
def verdict(good, words, detail=''):
    print(('ok: ' if good else 'not ok: ') + words, detail)
verdict(said and said == events, 'the substream of a Heph event is the coroutine, byte by byte', wrong[:3])
told = [(int(re.search(r' by (\d+)$', text)[1]), n) for text, n in said if re.search(r' by \d+$', text)]
verdict(all(n in (0, by) for by, n in told) and sum(n == by for by, n in told) > 3000, 'JSON: nobody is another')
P
"$show" -q -o perfetto "$capture" >"$TMP/trace.pftrace"
same "Perfetto: each has a track" "$(awk '$1 != "-" { print $1 }' "$TMP/captured" | sed 1d | sort -un)" \
	"$(grep -aoE 'coroutine [0-9]+' "$TMP/trace.pftrace" | cut -d ' ' -f 2 | sort -un)"
"$show" -q -o chrome "$capture" >"$TMP/trace.json"
same "Chrome: each event has its number" "$(awk '$NF ~ /^[0-9]+$/ && $(NF - 1) == "by" { print $1 == "-" ? 0 : $1 }' "$TMP/captured")" \
	"$(python3 -c 'import json, sys
for event in json.load(open(sys.argv[1]))["traceEvents"]:
    if " by " in event.get("args", {}).get("message", ""):
        print(event["args"].get("coroutine", 0))' "$TMP/trace.json")"
for what in "$capture" "$TMP/log.blog"; do
	same "${what##*/}: --coroutine=2" "$(awk '$1 == 2' "$TMP/captured")" "$(columns -u --coroutine=2 "$what")"
	same "${what##*/}: --coroutine=0 --coroutine=3" "$(awk '$1 == "-" || $1 == 3' "$TMP/captured")" \
		"$(columns -u --coroutine=0 --coroutine=3 "$what")"
done

# ---- in a ring ----
BINLOG_RING=4M recorded "$TMP/ring" "$TMP/coroutines" reuse
natively "$TMP/native" "$TMP/coroutines" reuse
same "in a ring" "$(all_right)" "$(columns "$TMP/ring/capture" | judge)"
BINLOG_RING=64K recorded "$TMP/ring" "$TMP/coroutines" once
same "in one that is too small for what would have to be defined: nobody is another" "0 wrong" \
	"$(columns "$TMP/ring/capture" | judge | sed 's/.*, //')"

exit $failed
