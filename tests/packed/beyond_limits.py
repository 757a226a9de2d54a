"""beyond_limits.py DIR: sound logs with a little more of one thing than is looked at.

DIR/NAME.blog exceeds the row NAME of base/limits.def; DIR/zone is a time zone that changes every hour.
"""
import struct
import sys

sys.dont_write_bytecode = True
from costly_logs import STEPS, ZEROS, batch, definitions, end, frame, one  # noqa: E402
from make_log import zigzag  # noqa: E402

SECOND = 10 ** 9
HOUR = 3600 * SECOND
BEGIN = 10 ** 18  # of the clock in costly_logs.py


def stacks(count, depth):
    """Each from other places than those of the others."""
    log = definitions()
    for i in range(count):
        log += frame("BACKTRACE", ID=1 + i, MODULES=[0] * depth, OFFSETS=[1 + i * depth + level for level in range(depth)])
        log += frame("SITE", ID=2 + i, TEXT=1, FORMAT=1, STREAM=1, BACKTRACE=1 + i)
    return log + batch([(2 + i, 1, b"") for i in range(count)], [[1, 1, 1, 100, 100, count]], STEPS + ZEROS * 4) + end(count)


def names():
    """Two functions at one address, of 40,000 bytes each."""
    return (definitions() + frame("MODULE", ID=1, PATH=b"/nowhere/a") +
            frame("MAPPING", PROCESS=1, MODULE=1, START=4096, END=8192, BIAS=4096) +
            frame("BACKTRACE", ID=1, MODULES=[1], OFFSETS=[5]) + frame("SITE", ID=2, TEXT=1, FORMAT=1, STREAM=1, BACKTRACE=1) +
            frame("SYMBOL", MODULE=1, OFFSET=5, FUNCTIONS=[b"f" * 40000, b"g" * 40000], FILES=[b"f.c"] * 2, LINES=[1, 2]) +
            batch([(2, 1, b"")], [[1, 1, 1, 100, 100, 1]], ZEROS * 5) + end(1))


def family(count):
    """Each process is a child of the one before, and is said to have begun earlier."""
    log = definitions()
    for i in range(2, count + 1):
        log += frame("PROCESS", ID=i, CAPTURE=1, PID=99 + i, PARENT=i - 1, START=[BEGIN - i * SECOND, 10 ** 15 - i * SECOND],
                     EXECUTABLE=b"/nowhere/a", DIRECTORY=b"/")
    log += batch([(1, count, b"")], [[1, 1, i, 99 + i, 99 + i, 1] for i in range(count, 0, -1)], ZEROS + STEPS + ZEROS * 3)
    return log + end(count)


def threads(count):
    """A message of each, in batches of 1,000."""
    log = definitions()
    for first in range(0, count, 1000):
        writers = [[1, 1, 1, 100, 1000 + first + i, 1] for i in range(1000)]
        log += batch([(1, 1000, b"")], writers, ZEROS + STEPS + ZEROS * 3, first)
    return log + end(count)


def programs(count):
    """A call in each, whose format has no definition."""
    log = definitions()
    for i in range(1, count + 1):
        log += frame("MODULE", ID=i, PATH=b"/nowhere/%d" % i)
        log += frame("MAPPING", PROCESS=1, MODULE=i, START=i << 12, END=i + 1 << 12, BIAS=i << 12)
        log += frame("BACKTRACE", ID=i, MODULES=[i], OFFSETS=[5]) + frame("SITE", ID=1 + i, TEXT=1, FORMAT=9, STREAM=1, BACKTRACE=i)
    return log + batch([(1 + i, 1, b"") for i in range(1, count + 1)], [[1, 1, 1, 100, 100, count]], STEPS + ZEROS * 4) + end(count)


def hours(count):
    """A message in each."""
    return definitions() + batch([(1, count, b"")], [[1, 1, 1, 100, 100, count]], ZEROS * 2 + b"\0" + zigzag(HOUR) + ZEROS * 2) + end(count)


def zone(count):
    """A file for TZ, see tzfile(5): an hour of summer, an hour of winter."""
    times = [(BEGIN // SECOND) + i * 3600 + 1800 for i in range(count)]
    types = struct.pack(">ibB", 0, 0, 0) + struct.pack(">ibB", 3600, 1, 2)
    return (b"TZif2" + bytes(15) + struct.pack(">6I", 0, 0, 0, 0, 1, 4) + struct.pack(">ibB", 0, 0, 0) + b"UT\0\0" +
            b"TZif2" + bytes(15) + struct.pack(">6I", 0, 0, 0, count, 2, 4) + struct.pack(f">{count}q", *times) +
            bytes(1 - i % 2 for i in range(count)) + types + b"W\0S\0" + b"\n\n")


LOGS = {
    "stack-names": lambda: stacks(2, 1024), "html-frames": lambda: stacks(1100, 1000), "address-names": names,
    "generations": lambda: family(10010), "html-numbers": lambda: threads(66000), "format-files": lambda: programs(257),
    "html-zones": lambda: hours(4200),
}

if __name__ == "__main__":
    for name, make in LOGS.items():
        with open(f"{sys.argv[1]}/{name}.blog", "wb") as file:
            file.write(make())
    with open(f"{sys.argv[1]}/zone", "wb") as file:
        file.write(zone(4200))
