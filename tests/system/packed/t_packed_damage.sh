#!/bin/bash
# Damage of packed logs: every frame that is whole is found once, none that is not, whatever is cut, changed, joined or
# put between; and how much is lost is known.  LONG=1: every byte of 1 MB, 3,000 logs, 10,000 joins.
. tests/support/lib.sh
. tests/packed/common.sh
long() { if [ -n "${LONG:-}" ]; then echo "$1"; else echo "$2"; fi; }

# ---- frames, in process ----
flags=(-std=gnu11 -O1 -g -D_GNU_SOURCE -I.)
nm "$show" | grep -q __asan_ && flags+=(-fsanitize=address)
nm "$show" | grep -q __ubsan_ && flags+=(-fsanitize=undefined)
objects=()
for source in $(find base record rules sandbox decoder symbolizer -name '*.c'); do
	objects+=("$BUILD/outside/${source%.c}.o")
done
objects+=("$BUILD/outside/html_template.o") # made of files
[ ! -e "$BUILD/libreaders.so" ] || objects=("$BUILD/libreaders.so") # all of it, where coverage is measured
read -ra libraries <<<"$(libraries_of_readers)"
why=$($CC "${flags[@]}" -o "$TMP/scan" "$packed/scan_frames.c" "${objects[@]}" "${libraries[@]}" 2>&1) || {
	not_ok "the program that looks for frames is built" "$why"
	finish
}
scans() { # HOW COUNT SENTENCE
	local seed=${SEED:-1} left=$2 count why=
	while [ "$left" -gt 0 ] && [ -z "$why" ]; do
		count=$((left < 500 ? left : 500))
		python3 "$packed/damage_cases.py" "$1" $count "$seed" "$TMP/cases" "$TMP/want" || exit 1
		"$TMP/scan" cases "$TMP/cases" >"$TMP/got" 2>&1 || why="status $?"
		cmp -s "$TMP/want" "$TMP/got" || why+="seed $seed: $(diff "$TMP/want" "$TMP/got" | head -n 4)"
		seed=$((seed + 1))
		left=$((left - count))
	done
	verdict ${#why} "$3" "$why"
}
scans flips "$(long 3000 200)" "1 to 50 bits changed in $(long 3000 200) logs: every frame that is whole, and no other"
scans joins "$(long 10000 500)" "$(long 10000 500) joins of whole and torn logs: the frames of each"
scans pages "$(long 10000 100)" "pages zeroed, twice, or elsewhere in $(long 10000 100) logs: every frame that is whole"
scans interleaved "$(long 300 30)" "frames of several logs in turns: all of them"
scans nested "$(long 300 50)" "frames in frames: the outer ones"
scans candidates "$(long 1000 100)" "heads of frames that are none between them: every frame that is one"

# ---- cut at every byte ----
python3 "$packed/make_log.py" 17 "$(long 56000 12000)" "$TMP/whole" "$TMP/text" || exit 1
python3 - "$packed" "$TMP/whole" >"$TMP/ends" <<'P'
import sys
sys.path.insert(0, sys.argv[1])
import packed_log
with open(sys.argv[2], "rb") as file:
    data = file.read()
for frame in packed_log.frames(data):
    tag, payload = packed_log.objects(frame.record)
    print(frame.end, payload[3] if tag == packed_log.TAGS["BATCH"] else 0)
P
why=$("$TMP/scan" cuts "$TMP/whole" "$TMP/ends" "$(long 1 61)" 2>&1)
verdict $? "a log of $(stat -c %s "$TMP/whole") bytes cut at every $(long "" "61st ")byte: as many frames as are before" "$why"
# The tool says it, too: frames as above, and messages of the whole ones.
why=$(python3 - "$show" "$TMP/whole" "$TMP/ends" "$(long 2000 60)" <<'P'
import random, re, subprocess, sys
show, log, ends, count = sys.argv[1:]
data = open(log, "rb").read()
ends = [tuple(map(int, line.split())) for line in open(ends)]
chance = random.Random(3)
cuts = [cut for end, _ in chance.sample(ends, int(count) // 4) for cut in (end - 1, end, end + 1)]
cuts += [chance.randrange(len(data)) for _ in range(int(count) // 4)]
for cut in cuts:
    done = subprocess.run([show, "-"], input=data[:cut], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    want = sum(messages for end, messages in ends if end <= cut)
    last = [re.sub(r", \d+ bytes skipped$", "", line) for line in done.stderr.decode().splitlines()[-1:]]
    if last != [f"{want} captured, 0 passed, 0 dropped"] and (want or b"captured" in done.stderr):
        print(f"cut at {cut} of {len(data)}: {last}, {want} messages are before it")
        sys.exit(1)
P
)
verdict $? "and binlog-show counts the messages before the cut" "$why"

# ---- what the tool makes of damage ----
why=$(python3 - "$packed" "$show" "$TMP" "$(long 300 60)" <<'P'
import random, re, subprocess, sys
sys.path.insert(0, sys.argv[1])
from make_log import Maker
show, directory, count = sys.argv[2:]
chance = random.Random(4)
for case in range(int(count)):
    data, want, messages = bytearray(), b"", 0
    for _ in range(chance.randrange(1, 4)):
        for frame, text, said in Maker(chance.randrange(1000), chance.random() < .3, chance.random() < .3).frames(300):
            if said and chance.random() < .2:
                frame = bytearray(frame)
                frame[chance.randrange(len(frame))] ^= 1 << chance.randrange(8)
                if chance.random() < .3:
                    frame = frame[:chance.randrange(len(frame))]
            else:
                want += text
                messages += said
            data += frame
    done = subprocess.run([show, "--raw", "-"], input=bytes(data), stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    lines = subprocess.run([show, "-"], input=bytes(data), stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.stdout != want or not re.search(rf"^{messages} captured, 0 passed, 0 dropped(, \d+ bytes skipped)?\n\Z", lines.stderr.decode(), re.M):
        open(directory + "/wrong", "wb").write(data)
        print(f"case {case}: {len(done.stdout)} bytes instead of {len(want)}, {messages} messages: {lines.stderr.decode()[-300:]}")
        sys.exit(1)
P
)
verdict $? "$(long 300 60) joined logs with damaged batches: the text and the number of all messages in whole frames" "$why"

for how in flips joins; do
	python3 "$packed/damage_cases.py" $how "$(long 300 20)" 99 "$TMP/cases" "$TMP/want" || exit 1
	why=$(python3 - "$show" "$TMP/cases" "$TMP/want" "$TMP/damaged" <<'P'
import struct, subprocess, sys
show, cases, wanted, damaged = sys.argv[1:]
with open(cases, "rb") as logs, open(wanted) as lines:
    for number, line in enumerate(lines):
        data = logs.read(struct.unpack("<I", logs.read(4))[0])
        want = b"".join(data[at:at + size] for at, size in (map(int, place.split("+")) for place in line.split()))
        open(damaged, "wb").write(data)
        got = subprocess.run([show, "--recover", damaged], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if got.stdout != want:
            print(f"case {number}: {len(got.stdout)} bytes instead of {len(want)}: {got.stderr.decode()[-200:]}")
            sys.exit(1)
P
)
	verdict $? "--recover of $(long 300 20) damaged logs ($how): every whole frame as it is, and nothing else" "$why"
done

# ---- time ----
fast() { # SENTENCE SECONDS TEXT: what $TMP/large says, and how much time of a processor that takes
	local took TIMEFORMAT='%U %S'
	{ time timeout 60 "$show" --raw -q "$TMP/large" >"$TMP/got" 2>"$TMP/said"; } 2>"$TMP/took"
	took=$(awk '{ printf "%d", ($1 + $2) * 1000 }' "$TMP/took")
	[ "$took" -lt $(($2 * 1000)) ] && [ "$(cat "$TMP/got")" = "$3" ]
	verdict $? "$1: in less than $2 s" "$took ms: $(head -c 200 "$TMP/got") $(head -n 2 "$TMP/said")"
}
seconds=$(is_long && echo 2 || echo 30) megabytes=100
nm "$show" | grep -q __gcov_ && seconds=60
nm "$show" | grep -qE '__(a|ub)san_' && seconds=60 megabytes=2 # whatever is read is looked at
python3 - "$packed" "$TMP" $megabytes <<'P' || exit 1
import sys
sys.path.insert(0, sys.argv[1])
from make_log import Maker
small = b"".join(frame for frame, _, _ in Maker(3).frames(20))
size = int(sys.argv[3]) * 1000 * 1000
begin = b"\xc1\xce\x12\x34\x56\x78\xc1"
shapes = {
    "c1": b"\xc1", "c1ce": b"\xc1\xce", "zeros": b"\0", "longest": begin + b"\xdb\x00\x40\x00\x00", "tag": begin + b"\xdb\x00\x40\x00\x00\x09\x84\x00\x01\x01\x02",
    "short": begin + b"\xda\xff\xff", "random": begin + b"\xdb\x00\x10\x00\x00\x01\xdf\x00\x00\x00\x03\x00\x05\x01\x00",
    "strings": begin + b"\xdb\x00\x3f\xff\xff\x09\x82\x00\xc6\x00\x3f\x00\x00",
}
for name, shape in shapes.items():
    with open(f"{sys.argv[2]}/large.{name}", "wb") as file:
        file.write(small)
        block = shape * ((1 << 20) // len(shape))
        for _ in range(size // len(block)):
            file.write(block)
        file.write(small)
P
python3 "$packed/make_log.py" 3 20 "$TMP/small" "$TMP/small.text"
text=$(cat "$TMP/small.text" "$TMP/small.text")
for shape in "$TMP"/large.*; do
	mv "$shape" "$TMP/large"
	fast "$megabytes MB of $(basename "$shape" | cut -d . -f 2) between two logs" $seconds "$text"
done
rm -f "$TMP/large"

# ---- logs in logs ----
cat >"$TMP/say.c" <<'END'
#include <stdio.h>
int main(int argc, char **argv)
{
	static char log[1 << 20];
	size_t size = fread(log, 1, sizeof(log), stdin);
	for (int i = 0; i < 3; i++) {
		printf("%d: %d %.*s.\n", i, argc, (int)size, log);
		fwrite(log, 1, size, stdout);
	}
	return 0;
}
END
$CC -w -o "$TMP/say" "$TMP/say.c" || exit 1
# Without zeros, where %s would end; plain, so that messages are frames each.
python3 - "$packed" >"$TMP/inner" <<'P'
import sys
sys.path.insert(0, sys.argv[1])
from make_log import Maker
frames = [frame for seed in range(40) for frame, _, _ in Maker(seed, plain=True).frames(30)]
sys.stdout.buffer.write(b"".join(frame for frame in frames if 0 not in frame) + b"".join(frames[:200]))
P
LD_PRELOAD=$lib BINLOG_DIR=$TMP/nest "$TMP/say" <"$TMP/inner" >/dev/null
for how in "" --plain; do
	pack "$TMP/outer.blog" "$TMP/nest" $how
	said=$(python3 "$packed/check_format.py" "$TMP/outer.blog" 2>&1)
	verdict $? "a program that says a packed log: no frame of it is to be found in the log ${how:-of batches}" "$said"
	same "and what it said is shown ${how}" "$("$show" --raw -q "$TMP/nest" | md5sum)" "$("$show" --raw -q "$TMP/outer.blog" | md5sum)"
	# Also when the frames around them are damaged.
	python3 "$packed/hurt_log.py" "$TMP/outer.blog" "$TMP/hurt" BATCH DATA definitions PREAMBLE CAPTURE_END END >"$TMP/frames"
	same "nothing of it is when each frame of the log is damaged ${how}" "" "$("$show" --raw -q "$TMP/hurt" 2>/dev/null | head -c 100)"
done
finish
