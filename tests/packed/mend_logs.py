"""mend_logs.py SHOW LOG HOW COUNT SEED DIRECTORY: a log that is damaged comes back.

HOW: flips (1 to 50 bits anywhere), run (3 % of the bytes in one run, of noise or zeros), parity
(bits of what brings others back), marks (all that tell where that is, and a byte).  Each of COUNT copies is read and recovered: text and log have to be what they were.
Prints what is not, and how many bytes were said to be mended.
"""
import os
import random
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import packed_log  # noqa: E402

show, path, how, count, seed, directory = sys.argv[1:]
with open(path, "rb") as file:
    sound = file.read()
hurt = os.path.join(directory, "hurt.blog")


def run(*options):
    result = subprocess.run([show, *options, hurt], capture_output=True)
    return result.returncode, result.stdout, result.stderr.decode()


def overwrite(data, rng, share):
    size = max(1, int(len(data) * share))
    at = rng.randrange(len(data) - size + 1)
    data[at:at + size] = bytes(size) if rng.randrange(2) else rng.randbytes(size)


def damaged(rng):
    data = bytearray(sound)
    if how == "run":
        overwrite(data, rng, 0.03)
    elif how == "marks":
        data[rng.randrange(len(data) * 9 // 10)] ^= 0xff
        for frame in packed_log.frames(sound):
            if packed_log.TAG_NAMES[frame.record[0]] == "MARK":
                for _ in range(3):
                    data[rng.randrange(frame.offset, frame.end)] ^= 1 << rng.randrange(8)
    else:
        places = range(len(data))
        if how == "parity":
            places = [at for frame in packed_log.frames(sound) if packed_log.TAG_NAMES[frame.record[0]] in ("MARK", "PARITY")
                      for at in range(frame.offset, frame.end)]
        for _ in range(rng.randrange(1, 51)):
            data[rng.choice(places)] ^= 1 << rng.randrange(8)
    return bytes(data)


with open(hurt, "wb") as file:
    file.write(sound)
text = run("--raw", "-q")[1]
wrong = told = 0
for number in range(int(count)):
    data = damaged(random.Random(f"{seed} {number}"))
    with open(hurt, "wb") as file:
        file.write(data)
    status, said, complaint = run("--raw", "-q")
    whole = run("--recover", "-q")[1]
    mended = sum(map(int, re.findall(r"mended: .*\(bytes (\d+)\)", complaint)))
    changed = sum(a != b for a, b in zip(data, sound))
    what = [] if status == 0 else [f"status {status}"]
    if said != text:
        what.append("other text")
    if whole != sound:
        what.append("another log is recovered")
    if mended != changed:
        what.append(f"{mended} bytes are said to be mended, but it was {changed}")
    if what:
        wrong += 1
        print(f"{how} {number}: {', '.join(what)}: {complaint[:300]}")
print(f"{int(count) - wrong} of {count} came back")
sys.exit(wrong > 0)
