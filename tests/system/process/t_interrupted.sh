#!/bin/bash
# A signal at each instruction of a call that is recorded, whose handler prints, flushes or jumps out: all that has
# returned is there once, in one of the orders that there can be (LONG=1; else at every seventh instruction).
. tests/support/lib.sh

if [ "$(uname -m)" != x86_64 ]; then
	skip "calls are stepped through on x86-64 only"
	exit 0
fi
build interrupted -fno-builtin
cat >"$TMP/check.py" <<'END'
import os, random, shutil, subprocess, sys

show, library, program, call, stride = sys.argv[1:5] + [int(sys.argv[5])]
capture = os.environ["TMP"] + "/capture." + call

def run(action, k, preload):
    shutil.rmtree(capture, ignore_errors=True)
    done = subprocess.run([program, call, action, str(k)], capture_output=True, timeout=60,
        env=dict(os.environ, LIBRARY=preload, BINLOG_DIR=capture), stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout

def shown(action, k):
    with open(os.environ["TMP"] + "/real." + call, "w+b") as real:
        shutil.rmtree(capture, ignore_errors=True)
        status = subprocess.run([program, call, action, str(k)], stdout=real, stderr=subprocess.DEVNULL, timeout=60,
            env=dict(os.environ, LIBRARY=library, BINLOG_DIR=capture)).returncode
        real.seek(0)
        text = subprocess.run([show, "--raw", "-q", capture], capture_output=True)
        return status, text.stdout + text.stderr + real.read()

status, native = run("nothing", 0, "")
text = native[len(b"begin\n"):-len(b"end 1\n")]
last = text[:len(text) // 12]
begin = native[:len(native) - len(b"end 1\n") - len(last)]
said = {"nothing": b"", "flush": b"", "print": b"<handler 22222>\n", "piece": b"<half>",
    "character": b"!", "alternate": b"<other stack>\n", "tell": b""}

def is_right(action, got):
    cuts = range(len(last) + 1)
    if action == "jump":
        return any(got == begin + last[:cut] + b"jumped\nend 1\n" for cut in cuts)
    return any(got == begin + last[:cut] + said[action] + last[cut:] + b"end 1\n" for cut in cuts)

wrong = []
points = 0
for action in ["print", "piece", "character", "alternate", "flush", "tell", "jump"]:
    k = random.randrange(stride)
    while True:
        status, got = shown(action, k)
        if status == 77:
            break
        points += 1
        if status != 0 or not is_right(action, got):
            wrong.append("%s at instruction %d: status %d: ...%r" % (action, k, status, got[-120:]))
        k += stride
print(points)
print("\n".join(wrong[:6]))
sys.exit(bool(wrong) or points == 0)
END
for call in format0 format2 mixed checked piece fputs fputs_piece puts_constant fwrite putc putc_newline drain; do
	why=$(TMP=$TMP python3 "$TMP/check.py" "$show" "$lib" "$TMP/interrupted" $call "$([ -n "${LONG:-}" ] && echo 1 || echo 7)" 2>&1)
	verdict $? "$call: interrupted at $(head -n 1 <<<"$why") points" "$why"
done
exit $failed
