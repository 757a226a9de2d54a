"""logs.py DIR: packed logs that are small and lie about what is in them.  DIR/NAME.blog is one.

Each is sound by its checksums; what is wrong is in the records, or in what they hold compressed.
"""
import os
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "packed"))
import zstandard  # noqa: E402
from costly_logs import batch, definitions, end, frame, one, preamble  # noqa: E402
from make_log import bits  # noqa: E402
from packed_log import BODY_MAX, INDEX_MAX, TAGS, frame_bytes, pack  # noqa: E402

ZEROS = b"\0\0"
KEYS = b"\x00\x01\x01\x00\x02\x09\x03"  # LOG 1, PART 0, ID 9, and TEXT


def log(*frames):
    return definitions() + b"".join(frames) + one() + end(1)


def string_of(value):
    """A STRING whose text is whatever these bytes are."""
    return frame_bytes(bytes([TAGS["STRING"], 0x84]) + KEYS + value)


# ---- MessagePack ----
def lengths(size):
    most = (1 << 8 * size) - 1
    return [value.to_bytes(size, "big") for value in (0, 1, most - 1, most)]


def first_bytes():
    """Every byte that an object can begin with, with each length that lies most."""
    frames = []
    for first in range(256):
        for size in (1, 2, 4, 8):
            for length in lengths(size):
                value = bytes([first]) + length
                frames += [string_of(value), string_of(value + b"\0" * 16), frame_bytes(value), frame_bytes(bytes([TAGS["STRING"]]) + value)]
    return log(*frames)


MESSAGEPACK = {
    "ext32": lambda: log(string_of(b"\xc9\xff\xff\xff\xff\x01"), frame_bytes(b"\xc9\x7f\xff\xff\xff\x01")),
    "fixext": lambda: log(*(string_of(bytes([0xd4 + i]) + b"\0" * short) for i in range(5) for short in (0, 1, (1 << i)))),
    "counts": lambda: log(*(string_of(head + b"\xff\xff\xff\xff") for head in (b"\xdd", b"\xdf", b"\xc6", b"\xdb")),
                          *(string_of(head + b"\xff\xff") for head in (b"\xdc", b"\xde", b"\xc5", b"\xda"))),
    "deep_arrays": lambda: log(string_of(b"\x91" * 10000), frame_bytes(b"\x91" * 10000)),
    "deep_maps": lambda: log(string_of(b"\x81" * 1000000), frame_bytes(b"\x81" * 1000000)),
    "flat": lambda: log(string_of(b"\xdd" + struct.pack(">I", 4000000) + b"\0" * 4000000)),
    "first_bytes": first_bytes,
}


# ---- what is compressed ----
def with_body(body, told, count=1, index=None, index_told=None):
    index = index if index is not None else pack([[[1, count, 1, 0, 1, b"", 0, 0, 0, 0]], [[1, 1, 1, 100, 100, count]], [],
                                                  [[1, 0, 1 << 62, 10 ** 18, bits(1.0), 0]]])
    packed = zstandard.compress(index) if index_told is None else index
    return frame("BATCH", NUMBER=0, COUNT=count, FIRST=10 ** 18, LAST=10 ** 18, COMPRESSION=1, INDEX_BYTES=index_told or len(index),
                 INDEX=packed, BODY_BYTES=told, BODY=body)


def zeros(size):
    return zstandard.compress(bytes(size))


def without_size(data):
    return zstandard.ZstdCompressor(write_content_size=False).compress(data)


def frame_of(window, told, blocks):
    """A frame of zstd by hand: a window of 2^window bytes, a content size of 8 bytes or none."""
    head = b"\x28\xb5\x2f\xfd" + (bytes([0xc0, (window - 10) << 3]) + struct.pack("<Q", told) if told is not None else bytes([0, (window - 10) << 3]))
    return head + blocks


def repeated(count):
    """Blocks of 128 KiB, each of one byte that is repeated."""
    blocks = []
    for i in range(count):
        blocks.append(((i == count - 1) | 1 << 1 | (128 << 10) << 3).to_bytes(3, "little") + b"\0")
    return b"".join(blocks)


def nested():
    inner = zeros(256 << 20)
    for _ in range(3):
        inner = zstandard.compress(inner)
    return inner


COMPRESSED = {
    "inflates": lambda: log(with_body(zeros(256 << 20), BODY_MAX), with_body(zeros(256 << 20), 256 << 20), with_body(zeros(256 << 20), 1)),
    "inflates_unsaid": lambda: log(with_body(without_size(bytes(256 << 20)), BODY_MAX)),
    "blocks": lambda: log(with_body(frame_of(17, None, repeated(8000)), BODY_MAX), with_body(frame_of(17, 1, repeated(8000)), 1)),
    "window": lambda: log(*(with_body(frame_of(window, told, repeated(1)), 128 << 10) for window in (27, 31, 41) for told in (None, 128 << 10))),
    "content_size": lambda: log(*(with_body(frame_of(17, told, repeated(1)), size) for told in (0, 1, 1 << 31, 1 << 63, (1 << 64) - 1)
                                  for size in (1, 128 << 10, BODY_MAX, (1 << 64) - 1))),
    "nested": lambda: log(with_body(nested(), BODY_MAX), with_body(nested(), 1000)),
    "frames": lambda: log(with_body(zeros(1 << 20) * 200, BODY_MAX), with_body(b"\x50\x2a\x4d\x18\xff\xff\xff\xff" * 100, BODY_MAX)),
    "index": lambda: log(with_body(b"", 0, 1, zeros(256 << 20), INDEX_MAX), with_body(b"", 0, 1, zstandard.compress(b"\x91" * INDEX_MAX), INDEX_MAX),
                         with_body(b"", 0, 1, zstandard.compress(b"\xdd\0\x0f\xff\0" + b"\0" * (INDEX_MAX - 5)), INDEX_MAX)),
    "count": lambda: log(batch([(1, (1 << 32) - 1, b"")], [[1, 1, 1, 100, 100, 1]], ZEROS * 5), batch([(1, 1 << 40, b"")], [], ZEROS * 5)),
    "columns": lambda: log(*(batch([(1, 1, b"")], [[1, 1, 1, 100, 100, 1]], bytes([kind]) * 2000) for kind in range(16)),
                           *(batch([(1, 1, b"")], [[1, 1, 1, 100, 100, 1]], bytes([kind]) + b"\xff" * 9 + b"\1" + b"\0" * 100) for kind in range(16))),
    "logs": lambda: log(*(preamble(number) for number in range(2, 300)), definitions()),
}

if __name__ == "__main__":
    for name, make in {**MESSAGEPACK, **COMPRESSED}.items():
        with open(f"{sys.argv[1]}/{name}.blog", "wb") as file:
            file.write(make())
