"""costly_logs.py DIR: sound logs that would cost a careless reader minutes or gigabytes, or that nobody writes.

DIR/NAME.blog is such a log; DIR/NAME says what it prints with --raw.
"""
import sys

sys.dont_write_bytecode = True
from make_log import bits  # noqa: E402
from packed_log import TAGS, make_frame, pack  # noqa: E402

I32, STRING = 1, 5
STEPS = b"\3\0\0\2"  # a column of 0, 1, 2...
ZEROS = b"\0\0"


def frame(tag, log=1, **fields):
    return make_frame(TAGS[tag], {"LOG": log, "PART": 0, **fields})


def preamble(log=1, number=1):
    return frame("PREAMBLE", log, ID=number, VERSION=1, NONCE=number, RUN=1, PID=100, CLOCK=1, MACHINE=62, START=[1, 10 ** 18, 1, 1],
                 NAME=b"a.binlog", EXECUTABLE=b"/nowhere/a")


def definitions(log=1):
    return b"".join((
        preamble(log), frame("PROCESS", log, ID=1, CAPTURE=1, PID=100, EXECUTABLE=b"/nowhere/a", DIRECTORY=b"/"),
        frame("THREAD", log, ID=1, PROCESS=1, TID=100, NAME=b"a"), frame("STREAM", log, ID=1, FLAGS=1, FD=1),
        frame("STRING", log, ID=1, TEXT=b"said\n"), frame("SITE", log, ID=1, TEXT=1, FORMAT=1, STREAM=1)))


def batch(sites, writers, body, number=0, log=1, stream=1):
    """Sites are (id, messages, kinds)."""
    index = pack([[[site, messages, 1, 0, stream, kinds, 0, 0, 0, 0] for site, messages, kinds in sites], writers, [],
                  [[1, 0, 1 << 62, 10 ** 18, bits(1.0), 0]]])
    return frame("BATCH", log, NUMBER=number, COUNT=sum(site[1] for site in sites), FIRST=10 ** 18, LAST=10 ** 18, COMPRESSION=0,
                 INDEX_BYTES=len(index), INDEX=index, BODY_BYTES=len(body), BODY=body)


def one(number=0, log=1):
    return batch([(1, 1, b"")], [[1, 1, 1, 100, 100, 1]], ZEROS * 5, number, log)


def end(messages, log=1):
    return frame("END", log, MESSAGES=messages)


def moved(count):
    """One module that is mapped here and there in turns."""
    places = [frame("MAPPING", PROCESS=1, MODULE=1, START=start, END=start + 4096, BIAS=start) for start in (4096, 8192)]
    return definitions() + frame("MODULE", ID=1, PATH=b"/nowhere/a") + b"".join(places) * (count // 2) + one() + end(1), b"said\n"


def captures(count):
    return definitions() + b"".join(preamble(number=number) for number in range(2, count)) + one() + end(1), b"said\n"


def long_path(count):
    names = [frame("SYMBOL", MODULE=1, OFFSET=offset, FUNCTIONS=[b"f"], FILES=[b"f.c"], LINES=[1]) for offset in range(count)]
    return definitions() + frame("MODULE", ID=1, PATH=b"/" + b"a" * 4000000) + b"".join(names) + one() + end(1), b"said\n"


def deep_stacks(count):
    """Very many stacks, each like another, in several logs."""
    log, text = b"", b""
    for number in range(1, 7):
        log += definitions(number) + frame("BACKTRACE", number, ID=1, MODULES=[0] * 1024, OFFSETS=[1] * 1024)
        log += b"".join(frame("BACKTRACE", number, ID=1 + i, LIKE=1, SHARED=1024) for i in range(1, count))
        log += one(0, number) + end(1, number)
        text += b"said\n"
    return log, text


def many_places(count):
    """A stack through 1,000 of very many modules, from very many sites."""
    modules = [frame("MODULE", ID=i, PATH=b"/nowhere/%d" % i) for i in range(1, count)]
    modules += [frame("MAPPING", PROCESS=1, MODULE=i, START=i << 12, END=i + 1 << 12, BIAS=i << 12) for i in range(1, count)]
    sites = [frame("BACKTRACE", ID=1, MODULES=list(range(1, 1001)), OFFSETS=[5] * 1000)]
    sites += [frame("SITE", ID=i, TEXT=1, FORMAT=1, STREAM=1, BACKTRACE=1) for i in range(2, count)]
    body = STEPS + ZEROS * 4
    return (definitions() + b"".join(modules + sites) + batch([(i, 1, b"") for i in range(2, count)], [[1, 1, 1, 100, 100, count - 2]], body) +
            end(count - 2), b"said\n" * (count - 2))


def many_processes(count):
    """Each says the same few things, as the children of a server do."""
    depth, sites, log = 40, 50, definitions()
    log += frame("BACKTRACE", ID=1, MODULES=[0] * depth, OFFSETS=[5] * depth)
    log += b"".join(frame("SITE", ID=i, TEXT=1, FORMAT=1, STREAM=1, BACKTRACE=1) for i in range(2, 2 + sites))
    for process in range(count):
        log += frame("PROCESS", ID=2 + process, CAPTURE=1, PID=101 + process, PARENT=1, EXECUTABLE=b"/nowhere/a", DIRECTORY=b"/")
    for first in range(0, count, 100):
        writers = [[1, 1, 2 + process, 101 + process, 101 + process, sites] for process in range(first, first + 100)]
        log += batch([(2 + i, 100, b"") for i in range(sites)], writers, grouped(sites, 100) + b"\5" + STEPS * sites + ZEROS * 3, first * sites)
    return log + end(count * sites), b"said\n" * (count * sites)


def grouped(sites, messages):
    """The column of sites: all messages of the first, then all of the second..."""
    return b"\1\1\0" + b"".join(bytes([site]) * messages for site in range(sites))


def nobody(_):
    """Sites of messages that nobody says."""
    return definitions() + batch([(9, 0, b"")] * 5, [], b"") + one() + end(1), b"said\n"


def other_arguments(_):
    """What is lost is said of one id in two ways."""
    first = batch([(9, 1, bytes([I32]))], [[1, 1, 1, 100, 100, 1]], ZEROS * 5 + b"\0\4")
    second = batch([(9, 1, bytes([STRING, STRING, I32]))], [[1, 1, 1, 100, 100, 1]], ZEROS * 5 + b"\0\0\6ab" + b"\0\0\4c" + b"\0\6", 1, stream=2)
    return definitions() + first + second + one(2) + end(3), None


def other_losses(_):
    """Damage as a later writer may know it."""
    losses = [frame("LOSS", CAPTURE=1, CODE=code, OFFSET=7, VALUE=9) for code in (9999, 61)]
    return definitions() + b"".join(losses) + one() + end(1), b"said\n"


LOGS = {
    "moved": (moved, 120000), "captures": (captures, 70000), "long_path": (long_path, 5000), "deep_stacks": (deep_stacks, 6000),
    "many_places": (many_places, 4000), "many_processes": (many_processes, 8000), "nobody": (nobody, 0), "other_arguments": (other_arguments, 0),
    "other_losses": (other_losses, 0),
}

if __name__ == "__main__":
    for name, (make, count) in LOGS.items():
        log, text = make(count)
        with open(f"{sys.argv[1]}/{name}.blog", "wb") as file:
            file.write(log)
        if text is not None:
            with open(f"{sys.argv[1]}/{name}", "wb") as file:
                file.write(text)
