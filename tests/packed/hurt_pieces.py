"""hurt_pieces.py SHOW LOG COUNT SEED DIRECTORY LEAST: a batch that is damaged beyond repair gives what is whole of it.

COUNT copies of LOG without its parity have a run of damage, or several, in a batch.  What is shown has to be what was
shown before, message by message, but for some; and how many, which, and from when to when, is told.  Of all messages in
damaged batches LEAST per cent have to be shown.  Prints what is wrong, or how much was shown.
"""
import json
import os
import random
import re
import subprocess
import sys
from datetime import datetime, timezone

sys.dont_write_bytecode = True
import packed_log  # noqa: E402

show, path, count, seed, directory, least = sys.argv[1:]
TOLD = re.compile(r"a batch is damaged \(messages (\d+), of numbers (\d+) to (\d+)"
                  r", from (\S+ \S+) UTC, to (\S+ \S+) UTC\): (all of it is|they are) lost")
with open(path, "rb") as file:
    sound = packed_log.without_parity(file.read())
hurt = os.path.join(directory, "hurt.blog")


def shown(data):
    with open(hurt, "wb") as file:
        file.write(data)
    result = subprocess.run([show, "-o", "json", hurt], capture_output=True)
    return result.returncode, result.stdout.splitlines(), result.stderr.decode()


def nanoseconds(text):
    seconds, fraction = text.split(".")
    moment = datetime.strptime(seconds, "%Y-%m-%d %H:%M:%S").replace(tzinfo=timezone.utc)
    return int(moment.timestamp()) * 10**9 + int(fraction)


def missing(lines):
    """Which of those of the whole log are not among these, by number; None: these are others."""
    gone, at = [], 0
    for line in lines:
        while at < len(all_lines) and all_lines[at] != line:
            gone.append(at)
            at += 1
        at += 1
    if at > len(all_lines):
        return None
    return gone + list(range(at, len(all_lines)))


status, all_lines, complaint = shown(sound)
batches = [(frame.offset, frame.end, packed_log.objects(frame.record)[1][3]) for frame in packed_log.frames(sound)
           if packed_log.TAG_NAMES[frame.record[0]] == "BATCH" and frame.end - frame.offset >= 4096]
events = sum(packed_log.objects(frame.record)[1][3] for frame in packed_log.frames(sound)
             if packed_log.TAG_NAMES[frame.record[0]] == "BATCH") - len(all_lines)  # are not shown, but have numbers, too
wrong = hit = kept = 0
for number in range(int(count)):
    rng = random.Random(f"{seed} {number}")
    data = bytearray(sound)
    begin, end, size = rng.choice(batches)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        run = min(rng.choice((1, 16, 200, 1000)), end - begin)
        at = rng.randrange(begin, end - run + 1)
        data[at:at + run] = bytes(byte ^ rng.randrange(1, 256) for byte in data[at:at + run])
    status, lines, complaint = shown(bytes(data))
    gone = missing(lines)
    told = TOLD.search(complaint)
    lost, first, last = (int(told.group(i)) for i in (1, 2, 3)) if told else (0, 0, 0)
    what = []
    if gone is None:
        what.append("other messages")
        gone = []
    if status != (1 if lines else 2):
        what.append(f"status {status}")
    if not len(gone) <= lost <= len(gone) + events:
        what.append(f"{len(gone)} are missing, {lost} are said to be")
    if gone and not (first <= gone[0] + events and gone[-1] <= last if events else (gone[0], gone[-1]) == (first, last)):
        what.append(f"of numbers {gone[0]} to {gone[-1]}")
    times = [json.loads(all_lines[i])["time_ns"] for i in gone]
    if told and times and not nanoseconds(told.group(4)) <= min(times) <= max(times) <= nanoseconds(told.group(5)):
        what.append(f"from {min(times)} to {max(times)}")
    if what:
        wrong += 1
        print(f"{number}: {', '.join(what)}: {complaint[:400]}")
    hit += size
    kept += size - lost
share = 100 * kept // hit
print(f"{share} % of the messages in {count} damaged batches were shown")
sys.exit(wrong > 0 or share < int(least))
