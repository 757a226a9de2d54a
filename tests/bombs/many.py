"""many.py COUNT DIR: packed logs with COUNT of something that is small.  DIR/NAME.blog is one."""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "packed"))
from costly_logs import ZEROS, batch, definitions, end, frame, one, preamble  # noqa: E402


def spoken(count, more=b""):
    return definitions() + more + b"".join(one(number) for number in range(count)) + end(count)


def of_sites(ids):
    """Every site says something; those behind the first differ in their format."""
    made = [frame("STRING", ID=i, TEXT=b"%d\n" % i) + frame("SITE", ID=i, TEXT=1, FORMAT=i, STREAM=1) for i in ids]
    said = [batch([(i, 1, b"")], [[1, 1, 1, 100, 100, 1]], ZEROS * 5, number) for number, i in enumerate(ids)]
    return definitions() + b"".join(made + said) + end(len(ids))


def strings(count):
    return spoken(1, b"".join(frame("STRING", ID=i, TEXT=b"%d" % i) for i in range(2, count)))


def stacks(count):
    first = frame("BACKTRACE", ID=1, MODULES=[0] * 8, OFFSETS=[5] * 8)
    return spoken(1, first + b"".join(frame("BACKTRACE", ID=i, LIKE=i - 1, SHARED=8) for i in range(2, count)))


def duplicates(count):
    return spoken(1, frame("STRING", ID=2, TEXT=b"twice") * count)


def contradictions(count):
    return spoken(1, b"".join(frame("STRING", ID=2, TEXT=b"%d" % i) for i in range(count)))


def threads(count):
    made = [frame("THREAD", ID=i, PROCESS=1, TID=100 + i, NAME=b"t%d" % i) for i in range(2, count)]
    said = [batch([(1, 1, b"")], [[1, 1, i, 100, 100 + i, 1]], ZEROS * 5, i) for i in range(2, count)]
    return definitions() + b"".join(made + said) + end(count - 2)


def modules(count):
    made = [frame("MODULE", ID=i, PATH=b"/nowhere/%d" % i) for i in range(1, count)]
    return spoken(1, b"".join(made + [frame("MAPPING", PROCESS=1, MODULE=i, START=i << 12, END=i + 1 << 12, BIAS=i << 12)
                                      for i in range(1, count)]))


def captures(count):
    return spoken(1, b"".join(preamble(number=number) for number in range(2, count)))


def records(count):
    return spoken(count)


def sites(count):
    return of_sites(range(2, count))


def far_ids(count):
    """A table that took an id for its place would be huge, one that took the lower bits would have them all in one."""
    return of_sites([i << 14 for i in range(1, count)])


def inodes(count):
    """One factor, and device and inode brought together without care, make them one file: of which there are very many."""
    made = [frame("STREAM", ID=i, FLAGS=1, FD=i, MODE=0o100644, DEVICE=i, INODE=i << 40) for i in range(2, count)]
    made += [frame("SITE", ID=i, TEXT=1, FORMAT=1, STREAM=i) for i in range(2, count)]
    said = [batch([(i, 1, b"")], [[1, 1, 1, 100, 100, 1]], ZEROS * 5, i, stream=i) for i in range(2, count)]
    return definitions() + b"".join(made + said) + end(count - 2)


def main():
    count, directory = int(sys.argv[1]), sys.argv[2]
    for make in (strings, stacks, duplicates, contradictions, threads, modules, captures, records, sites, far_ids, inodes):
        with open(f"{directory}/{make.__name__}.blog", "wb") as file:
            file.write(make(count))


main()
