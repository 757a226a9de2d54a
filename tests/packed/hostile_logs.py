"""hostile_logs.py DIR: logs with one frame that is sound by its checksum, and a lie by what it says, among good ones.

DIR/NAME.blog is such a log, DIR/before and DIR/behind what the messages before and behind that frame say.
"""
import struct
import sys

sys.dont_write_bytecode = True
import zstandard  # noqa: E402
from make_log import Maker, bits, leb, zigzag  # noqa: E402
from packed_log import MASK, TAGS, frame_bytes, make_frame, pack  # noqa: E402

BOMB = 256 << 20


def map_of(*pairs):
    """A payload of pieces that need not be MessagePack."""
    return bytes([0x80 | len(pairs)]) + b"".join(pack(key) + value for key, value in pairs)


class Logs:
    def __init__(self, directory):
        self.directory = directory
        self.maker = Maker(42)
        frames = list(self.maker.frames(400, 100))
        half = next(i for i, (_, text, _) in enumerate(frames) if text) + 1
        self.before, self.behind = frames[:half], frames[half:]
        for name, part in (("before", self.before), ("behind", self.behind)):
            with open(f"{directory}/{name}", "wb") as file:
                file.write(b"".join(text for _, text, _ in part))

    def write(self, name, *hostile):
        with open(f"{self.directory}/{name}.blog", "wb") as file:
            for frame, _, _ in self.before:
                file.write(frame)
            for frame in hostile:
                file.write(frame)
            for frame, _, _ in self.behind:
                file.write(frame)

    def payload(self, **fields):
        return {"LOG": self.maker.log, "PART": 0, **fields}

    def frame(self, tag, **fields):
        return make_frame(TAGS[tag], self.payload(**fields))

    # ---- records that are no two objects, or claim to be large ones ----
    def records(self):
        head = [(0, pack(self.maker.log)), (1, pack(0)), (2, pack(77))]
        lies = {
            "depth": map_of(*head, (3, b"\x91" * 100000 + b"\x00")), "depth_map": map_of(*head, (3, b"\x81\x01" * 100000 + b"\x00")),
            "depth_all": b"\x91" * 1000000, "array32": map_of(*head, (3, b"\xdd\xff\xff\xff\xff\x01")), "map32": b"\xdf\xff\xff\xff\xff\x01\x02",
            "map_in": map_of(*head, (3, b"\xdf\x7f\xff\xff\xff\x01")), "bin32": map_of(*head, (3, b"\xc6\xff\xff\xff\xff\x01")),
            "str32": map_of(*head, (3, b"\xdb\x7f\xff\xff\xff\x01")), "ext32": map_of(*head, (3, b"\xc9\xff\xff\xff\xff\x01")),
            "fixext": map_of(*head, (3, b"\xd8\x01\x02")), "reserved": map_of(*head, (3, b"\xc1")), "short": map_of(*head, (3, b"")),
            "array": pack([1, 2, 3]), "number": pack(5), "nothing": b"", "keys": pack({b"a": 1, None: 2, 1.5: 3, 2: 7}),
            "keys_twice": map_of(*head, (2, pack(1)), (2, pack(2)), (3, pack(b"x"))), "more": map_of(*head, (3, pack(b"x"))) + b"\x00",
            "kinds": map_of((0, pack(b"x")), (1, pack([])), (2, pack({1: 2})), (3, pack(-5))), "negative": map_of((0, pack(-1)), (1, pack(-1)), (2, pack(-1))),
        }
        for name, payload in lies.items():
            for tag in (1, 9, 127):
                self.write(f"record_{name}_{tag}", frame_bytes(bytes([tag]) + payload))
        self.write("record_empty", frame_bytes(b""))
        self.write("record_tags", *[frame_bytes(bytes([tag]) + b"\x80") for tag in range(256)])

    # ---- batches ----
    def batch(self, name, columns=b"", count=10, sites=None, writers=None, clocks=None, **fields):
        sites = [[5, count, 1, 0, 1, b"", 1, 320, 1, 0x1234]] if sites is None else sites
        writers = [[1, 1, 1, 100, 100, count]] if writers is None else writers
        clocks = [[1, 10 ** 15, 1 << 62, 10 ** 18, bits(1.0), 0]] if clocks is None else clocks
        modules = [[1, b"0123456789abcdefghij", b"/nowhere/program", 0, 0]]
        index = pack([sites, writers, modules, clocks])
        known = self.payload(NUMBER=100, COUNT=count, FIRST=10 ** 18, LAST=10 ** 18, COMPRESSION=0, INDEX_BYTES=len(index), INDEX=index,
                             BODY_BYTES=len(columns), BODY=columns)
        known.update(fields)
        self.write("batch_" + name, make_frame(TAGS["BATCH"], known))

    def batches(self):
        good = b"\0\0" * 5
        huge = zstandard.ZstdCompressor(level=1).compress(bytes(BOMB))
        streamed = zstandard.ZstdCompressor(level=1, write_content_size=False).compress(bytes(BOMB))
        self.batch("good", good)
        for name, value in (("4g", 1 << 32), ("all", MASK), ("most", (1 << 20) + (64 << 10) + 1)):
            self.batch("body_" + name, good, BODY_BYTES=value)
            self.batch("index_" + name, good, INDEX_BYTES=value)
            self.batch("count_" + name, good, count=value)
        for name, data in (("bomb", huge), ("streamed", streamed), ("none", b""), ("noise", b"\x28\xb5\x2f\xfd" + bytes(100))):
            for size in (1 << 20, BOMB, 0):
                self.batch(f"zstd_{name}_{size}", COMPRESSION=1, BODY=data, BODY_BYTES=size)
                self.batch(f"zstd_index_{name}_{size}", good, COMPRESSION=1, INDEX=data, INDEX_BYTES=size)
        self.batch("compression", good, COMPRESSION=2)
        self.batch("index_depth", good, INDEX=b"\x91" * 100000, INDEX_BYTES=100000)
        self.batch("index_lies", good, INDEX=b"\x94\xdd\xff\xff\xff\xff", INDEX_BYTES=6)
        self.batch("sites_none", good, sites=[])
        self.batch("sites_short", good, sites=[[1, 10]])
        self.batch("sites_words", good, sites=[[b"a", b"b", [], {}, None, 5, -1, -1, 1.5, b""]])
        self.batch("sites_many", good, sites=[[5, 1 << 40, 1, 0, 1, b"", 1, 0, 1, 0]])
        self.batch("sites_negative", good, sites=[[5, -10, 1, 0, 1, b"", 1, 0, 1, 0]])
        self.batch("modules_far", good, sites=[[5, 10, 1, 0, 1, b"", 1 << 40, 0, MASK, 0]])
        self.batch("writers_none", good, writers=[])
        self.batch("writers_few", good, writers=[[1, 1, 1, 100, 100, 3]])
        self.batch("text", good, sites=[[500, 10, 9999, 0, 1, b"", 1, 0, 1, 0]])
        self.batch("kinds", good, sites=[[500, 10, 1, 0, 1, bytes(range(256)) * 300, 1, 0, 1, 0]])
        for name, rate in (("nan", float("nan")), ("inf", float("inf")), ("negative", -1.0), ("large", 1e300)):
            self.batch("rate_" + name, good, clocks=[[1, 0, MASK, MASK, bits(rate), 0]])
        self.batch("clock_far", good, clocks=[[77, 0, 0, 0, 0, 1 << 40]])
        self.batch("clocks_many", good, clocks=[[i, 0, 0, 0, 0, 0] for i in range(20000)])

    # ---- columns ----
    def columns(self):
        nine = b"\x80" * 9
        lies = {
            "kind": b"\x05", "kind_255": b"\xff", "width_0": b"\1\0\0", "width_9": b"\1\x09\0" + bytes(90), "cut": b"\1\x08\0" + bytes(9),
            "leb": b"\0" + b"\x80" * 30 + b"\0", "leb_65": b"\0" + nine + b"\x02", "leb_end": b"\0\x80", "empty": b"",
            "exceptions": b"\2\1\0" + bytes(10) + leb(MASK), "exception_place": b"\2\1\0" + bytes(10) + leb(1) + leb(10) + b"\0",
            "exception_wrap": b"\2\1\0" + bytes(10) + leb(2) + leb(1) + b"\0" + leb(MASK) + b"\0", "deep_delta": b"\3\0" * 5 + b"\0\0",
            "deepest": b"\3\0" * 200000, "dictionary": b"\4" + leb(1 << 62), "dictionary_none": b"\4\0\0\0", "dictionary_place": b"\4\1\0\0" + zigzag(1),
            "dictionary_deep": b"\4\1\0" * 50000, "grouped_in_delta": b"\3\0\5\0\0", "kind_9": b"\x09", "decimal_deep": b"\x08\1\0" * 50000, "decimal_23": b"\x08\x17\0\0\0", "decimal_all": b"\x08" + leb(MASK) + b"\0\0\0", "phrases_many": b"\6" + leb(1 << 60),
            "phrases_none": b"\6\0\0", "phrases_empty": b"\6\1\0\0\1\0\0", "phrases_deep": b"\6\1" * 50000,
            "phrases_long": b"\6\1\0" + zigzag(1 << 40) + b"\0\0\1\0\0", "phrases_wrap": b"\6\2\0" + zigzag(1 << 63) + b"\0\0\1\0\0",
            "phrases_place": b"\6\1\0" + zigzag(10) + b"\0\0\1\0" + zigzag(1), "phrases_short": b"\6\1\0" + zigzag(9) + b"\0\0\1\0\0",
            "phrases_twice": b"\6\1\0" + zigzag(6) + b"\0\0\2\0\0", "phrases_said": b"\6\1\0" + zigzag(1) + b"\0\0" + leb(1 << 50) + b"\0\0",
            "scaled_deep": b"\7\1\0" * 50000, "scaled_exceptions": b"\7\1" + leb(MASK), "scaled_place": b"\7\1\1\x0a\0\0\0",
        }
        for name, column in lies.items():
            self.batch("column_" + name, column + b"\0\0" * 4)
            self.batch("ticks_" + name, b"\0\0" * 2 + column + b"\0\0" * 2)
            for kind in (1, 3):
                self.batch(f"argument{kind}_{name}", b"\0\0" * 5 + column, sites=[[1, 10, 1, 0, 1, bytes([kind]), 1, 64, 1, 0]])
        sizes = {"long": b"\0" + zigzag(1 << 40), "wrap": b"\0" + zigzag(1 << 63), "all": b"\0" + zigzag(-1), "left": b"\0" + zigzag(12)}
        lies = {"kind": b"\2", "empty": b"", "dictionary": b"\1" + leb(MASK), "dictionary_none": b"\1\0\0\0", "place": b"\1\1\0\0\0" + zigzag(9),
                **{"size_" + name: b"\0" + size + b"x" * 100 for name, size in sizes.items()}}
        for name, template, column in (("cut", b"\3", b""), ("width_0", b"\3\0", b"\0\0"), ("width_21", b"\4\x15", b"\0\0"), ("no_column", b"\1\1\1", b"\0\0"),
                                       ("slots", b"\1" * 1024, b"\0\0" * 1024), ("long", b"\1" + b"x" * 1024, b"\0\0"), ("width_255", b"\3\xff", b"\0\0")):
            lies["template_" + name] = b"\2\1\0" + zigzag(len(template) + 1) + template + b"\0\0" + column
        lies["templates_many"] = b"\2" + leb(1 << 40)
        for name, column in lies.items():
            for kind in (5, 6):
                self.batch(f"strings{kind}_{name}", b"\0\0" * 5 + column, sites=[[6, 10, 1, 0, 1, bytes([kind]), 1, 384, 1, 0]])
        # What makes the most text of the fewest bytes: 64 MiB.
        large = b"\1\0" + zigzag(1024) + b"x" * 1023 + b"\0\0"
        for kind in (5, 6):
            self.batch(f"expands{kind}", b"\0\0" * 5 + large, count=1 << 16, sites=[[6, 1 << 16, 1, 0, 4, bytes([kind]), 1, 384, 1, 0]])
            self.batch(f"expands_template{kind}", b"\0\0" * 5 + b"\2\1\0" + zigzag(1024) + b"\3\x14" * 511 + b"x" + b"\0\0" + b"\0\0" * 511,
                       count=1 << 12, sites=[[6, 1 << 12, 1, 0, 4, bytes([kind]), 1, 384, 1, 0]])
        self.batch("long_double_cut", b"\0\0" * 5 + bytes(159), sites=[[7, 10, 1, 0, 1, b"\4", 1, 448, 1, 0]])
        self.batch("wide_odd", b"\0\0" * 5 + b"\0\0" + zigzag(4) + b"abc" * 10, sites=[[6, 10, 1, 0, 1, b"\6", 1, 384, 1, 0]])
        self.batch("behind", b"\0\0" * 5 + b"x")
        self.batch("site_place", b"\0" + zigzag(1) + b"\0\0" * 4)
        self.batch("writer_place", b"\0\0\0" + zigzag(-1) + b"\0\0" * 3)

    # ---- definitions ----
    def definitions(self):
        self.write("trace_like_itself", self.frame("BACKTRACE", ID=9, MODULES=[], OFFSETS=[], LIKE=9, SHARED=5))
        self.write("trace_circle", self.frame("BACKTRACE", ID=8, MODULES=[1], OFFSETS=[1], LIKE=9, SHARED=1),
                   self.frame("BACKTRACE", ID=9, MODULES=[1], OFFSETS=[1], LIKE=8, SHARED=2))
        chain = [self.frame("BACKTRACE", ID=i, MODULES=[1], OFFSETS=[i], LIKE=i - 1, SHARED=1 << 60) for i in range(2, 20000)]
        self.write("trace_chain", *chain)
        self.write("trace_uneven", self.frame("BACKTRACE", ID=9, MODULES=[1, 2, 3], OFFSETS=[1]))
        self.write("parent_itself", self.frame("PROCESS", ID=5, CAPTURE=1, PID=7, PARENT=5), self.frame("THREAD", ID=9, PROCESS=5, TID=7))
        self.write("ids", *[self.frame(tag, ID=id) for tag in ("STRING", "MODULE", "STREAM", "SITE", "THREAD", "PROCESS", "BACKTRACE", "PREAMBLE")
                            for id in (0, 1 << 31, 1 << 32, MASK)])
        self.write("version", self.frame("PREAMBLE", ID=3, VERSION=MASK, BOOT_ID=b"", START=[], CLOCK=99))
        self.write("preamble_poor", self.frame("PREAMBLE"), self.frame("PREAMBLE", ID=4, START=[b"", None], EXECUTABLE=5))
        self.write("mappings", *[self.frame("MAPPING", PROCESS=1, MODULE=1, START=MASK, END=0, BIAS=MASK) for _ in range(10000)])
        self.write("data", *[self.frame("DATA", NUMBER=0, SITE=site, THREAD=7, TICKS=0, TIME=0, ARGUMENTS=arguments)
                             for site in (0, 2, 77, MASK) for arguments in ([], [1] * 1000, [b"x", b"y"], [None, 1.5, [], {}])])
        for number, (kinds, format) in enumerate([(b"\1", b"%s%s%s%n%n\n"), (b"\5", b"%d%f%Lf%ls\n"), (b"", b"%*.*d%99999999d%s"),
                                                  (b"\1\1", b"%2147483647d%-*d"), (bytes([5]) * 3000, b"%s" * 3000)]):
            self.write(f"format_{number}", self.frame("STRING", ID=200, TEXT=format), self.frame("SITE", ID=50, TEXT=1, FORMAT=200, STREAM=1, KINDS=kinds),
                       self.frame("DATA", NUMBER=0, SITE=50, THREAD=1, TICKS=0, TIME=0, ARGUMENTS=[{1: 5, 5: b"text"}[kind] for kind in kinds]))
        other = [make_frame(TAGS["STRING"], {"LOG": i, "PART": 0, "ID": 1, "TEXT": b"x" * 50}) for i in range(100000)]
        self.write("other_logs", *other[:50])
        self.write("many_logs", *other)
        self.write("many_strings", *[self.frame("STRING", ID=i, TEXT=b"x%d" % i) for i in range(1000, 200000)])
        self.write("symbols", self.frame("SYMBOL", MODULE=1, OFFSET=5, FUNCTIONS=[b"a"] * 1000, FILES=[], LINES=[MASK, -1], COLUMNS=[None]))
        calls = pack([[b"said %s"], [[1, 77, *[0, 0, 5, 9, 20] * 20] for _ in range(5000)]])
        self.write("handed", *[self.frame("HANDED", BYTES=size, CALLS=calls, COMPRESSION=how) for size in (len(calls), 1 << 20, MASK) for how in (0, 1)],
                   self.frame("HANDED", BYTES=1 << 20, COMPRESSION=1, CALLS=zstandard.compress(bytes(1 << 20))))
        self.write("handed_nested", *[self.frame("HANDED", BYTES=len(each), CALLS=each) for each in (
            b"\x91" * 100000, pack([[], [[1]]]), pack([[b"x"] * 100000, [[1, MASK, 0, 0, MASK, MASK, MASK]]]), pack({}), b"")])
        self.write("ends", self.frame("END", MESSAGES=MASK), self.frame("CAPTURE_END", CAPTURE=MASK), self.frame("LOSS", CAPTURE=MASK, CODE=MASK, OFFSET=MASK, VALUE=MASK))
        self.write("unknown_end", struct.pack("<I", 5))


def main():
    logs = Logs(sys.argv[1])
    logs.records()
    logs.batches()
    logs.columns()
    logs.definitions()


if __name__ == "__main__":
    main()
