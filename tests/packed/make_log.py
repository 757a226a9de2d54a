"""make_log.py SEED MESSAGES LOG TEXT [plain|stored]: a packed log of random messages, and what they say.

Every kind of column is taken, nested in every way, whatever would be best.  LOG holds the frames, TEXT what
`binlog-show --raw --stream=stdout` has to make of them.  Apart from what binlog-pack does.
"""
import random
import re
import struct
import sys

sys.dont_write_bytecode = True
import zstandard  # noqa: E402
from packed_columns import F64, I32, I64, LONG_DOUBLE, MASK, MESSAGES_MAX, NESTING, STRING  # noqa: E402
from packed_log import TAGS, magic_of, make_frame, pack  # noqa: E402

BUILD_ID = b"0123456789abcdefghij"
MAGIC = magic_of({"BUILD_ID": BUILD_ID, "FILE_BYTES": 0, "CONTENT_HASH": 0})

FORMATS = [
    (b"", b""), (b"d:%d\n", bytes([I32])), (b"%ld and %s\n", bytes([I64, STRING])), (b"%g|%u|%s|%s\n", bytes([F64, I32, STRING, STRING])),
    (b"x%x %c %5.2f%%\n", bytes([I32, I32, F64])), (b"plain\n", b""), (b"%s", bytes([STRING])), (b"%Lg\n", bytes([LONG_DOUBLE])),
]


def leb(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def zigzag(value):
    value &= MASK
    signed = value - (1 << 64) if value >> 63 else value
    return leb((signed << 1 ^ signed >> 63) & MASK)


class Columns:
    """Values as columns of random kinds."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def planes(self, values, width, base):
        planes = zip(*((value - base & MASK).to_bytes(8, "little")[:width] for value in values))
        return leb(width) + zigzag(base) + b"".join(map(bytes, planes))

    def width_of(self, values, base):
        return max(1, (max((value - base & MASK) for value in values).bit_length() + 7) // 8)

    def base_of(self, values):
        return self.random.choice([0, min(values), self.random.choice(values)])

    def patched(self, values):
        base = self.base_of(values)
        width = self.random.randrange(1, 9)
        wrong = [i for i, value in enumerate(values) if (value - base & MASK) >> 8 * width]
        wrong = sorted(set(wrong + self.random.sample(range(len(values)), self.random.randrange(min(3, len(values)) + 1))))
        return b"\2" + self.planes(values, width, base) + self.exceptions(values, wrong)

    def dictionary(self, values, nesting):
        known = list(dict.fromkeys(values))
        places = [known.index(value) for value in values]
        return b"\4" + leb(len(known)) + b"".join(map(zigzag, known)) + self.numbers(places, nesting + 1)

    def numbers(self, values, nesting=1):
        values = [value & MASK for value in values]
        if not values:
            return b""
        kinds = [1, 2]
        if len(set(values)) == 1:
            kinds.append(0)
        if nesting < NESTING:
            kinds += [3, 3, 6, 7, 8]
            if len(set(values)) < 2000:
                kinds.append(4)
        kind = self.random.choice(kinds)
        if kind == 0:
            return b"\0" + zigzag(values[0])
        if kind == 1:
            base = self.base_of(values)
            return b"\1" + self.planes(values, self.random.randrange(self.width_of(values, base), 9), base)
        if kind == 2:
            return self.patched(values)
        if kind == 3:
            return b"\3" + zigzag(values[0]) + self.numbers([b - a for a, b in zip(values, values[1:])], nesting + 1)
        return {4: self.dictionary, 6: self.phrases, 7: self.scaled, 8: self.decimal}[kind](values, nesting)

    def phrases(self, values, nesting):
        """Cuts them anywhere; a piece that comes again is one phrase."""
        known, said, at = {}, [], 0
        while at < len(values):
            size = self.random.choice([1, 2, 3, 50])
            said.append(known.setdefault(tuple(values[at:at + size]), len(known)))
            at += size
        return b"".join([b"\6", leb(len(known)), self.numbers([len(each) for each in known], nesting + 1),
                         self.numbers([value for each in known for value in each], nesting + 1), leb(len(said)),
                         self.numbers(said, nesting + 1)])

    def scaled(self, values, nesting):
        scale = self.random.choice([2, 3, 10, 1000, MASK, 0])
        wrong = [i for i, value in enumerate(values) if not scale or value % scale or self.random.random() < .01]
        inner = [self.random.randrange(100) if i in set(wrong) else value // scale for i, value in enumerate(values)] if len(
            wrong) < 50 else None
        if inner is None:
            scale, wrong, inner = 1, [], values
        return b"\7" + leb(scale) + self.exceptions(values, wrong) + self.numbers(inner, nesting + 1)

    def decimal(self, values, nesting):
        """Exceptions are all that do not come back from a decimal fraction."""
        exponent = self.random.choice([0, 1, 3, 6, 22])
        power = float(10 ** exponent)
        inner, wrong = [], []
        for i, value in enumerate(values):
            number = from_bits(value)
            whole = round(number * power) if abs(number) * power < 2 ** 63 else 0
            inner.append(whole)
            if bits(float(whole) / power) != value:
                wrong.append(i)
        return b"\x08" + leb(exponent) + self.exceptions(values, wrong) + self.numbers(inner, nesting + 1)

    def exceptions(self, values, places):
        said, last = [leb(len(places))], 0
        for i in places:
            said.append(leb(i - last) + zigzag(values[i]))
            last = i
        return b"".join(said)

    def grouped(self, values, sites, messages):
        """As many columns as sites, or one."""
        if not values or self.random.random() < .5:
            return self.numbers(values)
        return b"\5" + b"".join(self.numbers([value for value, message in zip(values, messages) if message[0] == site], 2) for site in sites)

    def template_of(self, value):
        """(template, values of its slots)."""
        slots = []

        def slot(found):
            text = found[0]
            kind = self.random.choice([1, 2])
            if self.random.random() < .2 or len(text) > 20 or (kind == 1 and not text.isdigit()):
                return text
            number = int(text, 10 if kind == 1 else 16)
            if number > MASK:
                return text
            slots.append(number)
            plain = (b"%d" if kind == 1 else b"%x") % number == text
            return bytes([kind]) if plain and self.random.random() < .8 else bytes([kind + 2, len(text)])
        if value is None or len(value) > 500 or re.search(b"[\1-\4]", value):
            return value, slots
        return re.sub(rb"[0-9]+|[0-9a-f]{1,16}", slot, value), slots

    def templates(self, values):
        """Null if a string has a byte that would be a slot."""
        made = [self.template_of(value) for value in values]
        if any(re.search(b"[\1-\4]", value or b"") for value in values):
            return self.dictionary_of_strings(1, values)
        known = list(dict.fromkeys(template for template, _ in made))
        columns = []
        for template in known:
            rows = [slots for each, slots in made if each == template]
            columns += [self.numbers(column) for column in zip(*rows)]
        return self.dictionary_of_strings(2, [template for template, _ in made]) + b"".join(columns)

    def dictionary_of_strings(self, kind, values):
        known = list(dict.fromkeys(values))
        return bytes([kind]) + leb(len(known)) + self.plain_strings(known) + self.numbers([known.index(value) for value in values])

    def plain_strings(self, values):
        return self.numbers([0 if value is None else len(value) + 1 for value in values]) + b"".join(
            value or b"" for value in values)

    def strings(self, values):
        if not values:
            return b""
        return self.random.choice([lambda: b"\0" + self.plain_strings(values), lambda: self.dictionary_of_strings(1, values),
                                   lambda: self.templates(values)])()

    def column(self, kind, values):
        if kind == STRING:
            return self.strings(values)
        if kind == LONG_DOUBLE:
            return b"".join(values)
        return self.numbers(values)


def from_bits(value):
    return struct.unpack("<d", struct.pack("<Q", value & MASK))[0]


def bits(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def long_double(value):
    """A whole number as x86-64 has it."""
    sign, size = (0x8000 if value < 0 else 0), abs(value)
    if not size:
        return bytes(16)
    exponent = size.bit_length() - 1
    return struct.pack("<QHxxxxxx", size << 63 - exponent, sign | exponent + 16383)


class Maker:
    """A log of one capture, of one process with two threads, told in batches or plainly."""

    def __init__(self, seed, plain=False, stored=False):
        self.random = random.Random(seed)
        self.columns = Columns(seed)
        self.log = self.random.getrandbits(64)
        self.plain, self.stored = plain, stored
        self.part = self.number = 0
        self.ticks = 10 ** 15
        self.strings = [self.some_text() for _ in range(20)]

    def some_text(self):
        size = self.random.choice([0, 1, 3, 31, 32, 100])
        text = bytes(self.random.choice(b"abcdefgh ,.\xc3\xa4") for _ in range(size)).decode("latin-1").encode()
        return text + self.random.choice([b"", b"", b"%d/%d" % (size, self.random.getrandbits(64)), b"0x%08x" % self.random.getrandbits(20), b"007", b"\2"])

    def frame(self, name, **payload):
        return make_frame(TAGS[name], {"LOG": self.log, "PART": self.part, **payload})

    def begin(self):
        """A part, with all that is needed in it."""
        frames = [
            self.frame("PREAMBLE", ID=1, VERSION=1, EXECUTABLE=b"/nowhere/program", NAME=b"program-1.binlog", NONCE=7, RUN=8, BOOT_ID=bytes(16),
                       CLOCK=2, MACHINE=62, PID=100, START=[10 ** 15, 10 ** 18, 10 ** 15, 10 ** 15], PPID=1),
            self.frame("MODULE", ID=1, PATH=b"/nowhere/program", BUILD_ID=BUILD_ID, MAGIC=MAGIC),
            self.frame("PROCESS", ID=1, CAPTURE=1, PID=100, NUMBER=0, PPID=1, UID=0, EXECUTABLE=b"/nowhere/program", DIRECTORY=b"/"),
            self.frame("MAPPING", PROCESS=1, MODULE=1, START=0x10000, END=0x90000, BIAS=0x10000),
            self.frame("THREAD", ID=1, PROCESS=1, TID=100, NAME=b"program"), self.frame("THREAD", ID=2, PROCESS=1, TID=101, NAME=b"other"),
            self.frame("STREAM", ID=1, FLAGS=1, FD=1, MODE=0o100644, BUFFERING=1, BUFFER_BYTES=4096, PATH=b""),
            self.frame("BACKTRACE", ID=1, MODULES=[1, 1], OFFSETS=[0x1234, 0x5678]),
            self.frame("STRING", ID=100, TEXT=b"printf"),
        ]
        for id, (text, kinds) in enumerate(FORMATS[1:], 1):
            frames.append(self.frame("STRING", ID=id, TEXT=text, MODULE=1, OFFSET=id * 64))
            frames.append(self.frame("SITE", ID=id, TEXT=1, FLAGS=0, FORMAT=id, FUNCTION=100, STREAM=1, BACKTRACE=1, KINDS=kinds))
        return frames

    def value(self, kind):
        if kind == I32:
            return self.random.choice([0, -1, 65, self.random.randrange(-1 << 31, 1 << 31), self.random.randrange(100)])
        if kind == I64:
            return self.random.choice([0, -1, self.random.getrandbits(63), self.random.randrange(1000)])
        if kind == F64:
            return self.random.choice([0.0, -0.0, 0.5, -2.25, self.random.uniform(-1e6, 1e6), self.random.randrange(100000) / 1000])
        if kind == LONG_DOUBLE:
            return self.random.randrange(-1000, 1000)
        return self.random.choice(self.strings + [None])

    def message(self):
        """(site, writer, ticks, arguments)."""
        site = self.random.randrange(1, len(FORMATS))
        self.ticks += self.random.choice([26, 25, 27, 1000, 10 ** 6])
        values = [self.value(kind) for kind in FORMATS[site][1]]
        if b"%c" in FORMATS[site][0]:
            values[1] = self.random.choice(b"xyz")
        return site, self.random.randrange(2), self.ticks, values

    @staticmethod
    def text(message):
        format, kinds = FORMATS[message[0]]
        values = []
        for kind, value in zip(kinds, message[3]):
            if kind == I32 and b"%u" in format or b"%x" in format and not values:
                value &= 0xffffffff
            values.append(b"(null)" if value is None else value)
        return format.replace(b"%Lg", b"%g") % tuple(values)

    def stored_value(self, kind, value):
        if kind == F64:
            return bits(value)
        return long_double(value) if kind == LONG_DOUBLE else value

    def body(self, messages, sites):
        columns = self.columns
        continues = [0] * len(messages)
        ticks = [message[2] for message in messages]
        common = [[message[1] for message in messages], [b - a for a, b in zip([0] + ticks, ticks)], [0] * len(messages), continues]
        parts = [columns.numbers([sites.index(message[0]) for message in messages])]
        parts += [columns.grouped([value & MASK for value in values], sites, messages) for values in common]
        for site in sites:
            for place, kind in enumerate(FORMATS[site][1]):
                parts.append(columns.column(kind, [self.stored_value(kind, message[3][place]) for message in messages if message[0] == site]))
        return b"".join(parts)

    def batch(self, messages):
        sites = sorted({message[0] for message in messages}, key=lambda site: self.random.random())
        index = pack([
            [[site, sum(message[0] == site for message in messages), 1, 0, 1, FORMATS[site][1], 1, site * 64, 1, 0x1234] for site in sites],
            [[writer + 1, 1, 1, 100, 100 + writer, sum(message[1] == writer for message in messages)] for writer in range(2)],
            [[1, BUILD_ID, b"/nowhere/program", 0, 0]],
            [[1, 10 ** 15, 1 << 62, 10 ** 18, bits(1.0), 0]]])
        body = self.body(messages, sites)
        walls = [10 ** 18 + message[2] - 10 ** 15 for message in messages]
        compress = (lambda data: data) if self.stored else zstandard.ZstdCompressor(level=1).compress
        return self.frame("BATCH", NUMBER=self.number, COUNT=len(messages), FIRST=min(walls), LAST=max(walls), COMPRESSION=int(not self.stored),
                          INDEX_BYTES=len(index), INDEX=compress(index), BODY_BYTES=len(body), BODY=compress(body))

    def plainly(self, message):
        kinds = FORMATS[message[0]][1]
        values = [long_double(value) if kind == LONG_DOUBLE else value for kind, value in zip(kinds, message[3])]
        return self.frame("DATA", NUMBER=self.number, SITE=message[0], THREAD=message[1] + 1, TICKS=message[2],
                          TIME=10 ** 18 + message[2] - 10 ** 15, ARGUMENTS=values, MAGIC=MAGIC, OFFSET=message[0] * 64, PID=100,
                          TID=100 + message[1], TEXT=1, STREAM=1, KINDS=kinds, CALL_MAGIC=MAGIC, CALL_OFFSET=0x1234)

    def frames(self, count, per_batch=None):
        """(bytes of a frame, text of its messages, how many) for a whole log; each fourth batch begins a part."""
        batches = 0
        while self.number < count:
            if batches % 4 == 0:
                self.part = batches // 4
                for frame in self.begin():
                    yield frame, b"", 0
            batches += 1
            size = min(count - self.number, per_batch or self.random.randrange(1, 400), MESSAGES_MAX)
            messages = [self.message() for _ in range(size)]
            if self.plain:
                for message in messages:
                    yield self.plainly(message), self.text(message), 1
                    self.number += 1
            else:
                yield self.batch(messages), b"".join(map(self.text, messages)), size
                self.number += size
        yield self.frame("CAPTURE_END", CAPTURE=1, PASSED=0, DROPPED=0), b"", 0
        yield self.frame("END", MESSAGES=self.number), b"", 0


def main():
    seed, count, log, text = sys.argv[1:5]
    maker = Maker(int(seed), "plain" in sys.argv, "stored" in sys.argv)
    with open(log, "wb") as frames, open(text, "wb") as said:
        for frame, words, _ in maker.frames(int(count)):
            frames.write(frame)
            said.write(words)


if __name__ == "__main__":
    main()
