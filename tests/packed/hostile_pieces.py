"""hostile_pieces.py SHOW LOG COUNT SEED DIRECTORY: what tells of the pieces of a batch may lie.

The body of LOG's first batch with a PIECES is changed, compressed anew, and said to be whole, for the most part; its frame is
not.  SHOW has to end with a status of its own, COUNT times.  Prints what does not.
"""
import os
import random
import subprocess
import sys
import zlib

sys.dont_write_bytecode = True
import packed_log  # noqa: E402
import zstandard  # noqa: E402

show, path, count, seed, directory = sys.argv[1:]
with open(path, "rb") as file:
    data = packed_log.without_parity(file.read())
frames = list(packed_log.frames(data))
names = [packed_log.TAG_NAMES[frame.record[0]] for frame in frames]
pieces = frames[names.index("PIECES")]
batch = frames[names.index("PIECES") - 1]
sound, told = (packed_log.objects(frame.record)[1] for frame in (batch, pieces))
known = packed_log.named("BATCH", sound)
body = packed_log.unpacked(known, "BODY", packed_log.BODY_MAX)
begins = []
packed_log.batch_columns(known, packed_log.index_of(known), begins)
texts = begins.pop()
begins += [] if texts is None else [texts]
FIELD = {name: number for tag in ("BATCH", "PIECES") for number, (name, _) in packed_log.FIELDS[tag].items()}


def leb(value):
    done = b""
    while value > 127:
        done += bytes([value & 127 | 128])
        value >>= 7
    return done + bytes([value])


def little(value):
    return value.to_bytes(4, "little")


def lying(rng):
    raw = bytearray(body)
    for _ in range(rng.choice((1, 3, 20))):
        at = rng.choice(begins) + rng.randrange(12) if rng.random() < .7 else rng.randrange(len(raw))
        raw[min(at, len(raw) - 1)] = rng.choice((rng.randrange(256), rng.randrange(10), 255, 128))
    step = rng.choice((700, 4000, 20000))
    parts = [bytes(raw[at:at + step]) for at in range(0, len(raw), step)]
    packed = [zstandard.ZstdCompressor(write_content_size=False).compress(part) for part in parts]
    record = packed_log.pack(packed_log.TAGS["BATCH"]) + packed_log.pack({**sound, FIELD["BODY"]: b"".join(packed)})
    frame = bytearray(packed_log.frame_bytes(record))
    frame[3] ^= 0x5a
    head = bytes(frame).rindex(b"".join(packed))
    sums = leb(head) + little(zlib.crc32(frame[:head])) + leb(0)
    before = last = 0
    for part, made in zip(parts, packed):
        first = next((number for number, begin in enumerate(begins) if before <= begin < before + len(part)), None)
        sums += leb(len(made)) + leb(len(part))
        sums += leb(0) if first is None else leb(first + 1 - last) + leb(begins[first] - before)
        last = last if first is None else first + 1
        sums += little(zlib.crc32(made) if rng.random() < .85 else 0)
        before += len(part)
    sums = bytearray(sums + leb(0 if texts is None else 1))
    if rng.random() < .2:
        sums[rng.randrange(len(sums))] = rng.randrange(256)
    record = packed_log.pack(packed_log.TAGS["PIECES"]) + packed_log.pack({**told, FIELD["BYTES"]: len(frame), FIELD["SUMS"]: bytes(sums)})
    return data[:batch.offset] + frame + packed_log.frame_bytes(record) + data[pieces.end:]


wrong = 0
for number in range(int(count)):
    hurt = os.path.join(directory, "lying.blog")
    with open(hurt, "wb") as file:
        file.write(lying(random.Random(f"{seed} {number}")))
    result = subprocess.run([show, "--raw", "-q", hurt], capture_output=True, timeout=60)
    if result.returncode not in (0, 1, 2):
        wrong += 1
        print(f"{number}: status {result.returncode}: {result.stderr.decode()[-500:]}")
print(f"{int(count) - wrong} of {count} were read")
sys.exit(wrong > 0)
