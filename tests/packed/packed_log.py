"""The packed log, read and written as record/packed.h says: for tests, and apart from what the tools do.

MessagePack and zstd are those of Python's packages; numbers of tags and fields come out of record/*.def.
"""
import collections
import itertools
import os
import re
import struct
import zlib

import msgpack
import zstandard

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MASK = (1 << 64) - 1
I32, I64, F64, LONG_DOUBLE, STRING, WIDE = 1, 2, 3, 4, 5, 6
RECORD_MAX = 4 << 20
BODY_MAX = (1 << 20) + (64 << 10)
INDEX_MAX = 1 << 20
MESSAGES_MAX = 64 << 10
NESTING = 3
TEMPLATE_MAX = 1024


class Damage(Exception):
    """What a sound frame may not contain."""


def definitions_of(name):
    with open(f"{ROOT}/record/{name}.def") as file:
        return file.read()


TAGS = {name: int(number) for name, number in re.findall(r'^TAG\((\w+), *(\d+)', definitions_of("packed_tags"), re.M)}
TAG_NAMES = {number: name for name, number in TAGS.items()}
# {tag: {number: (name, kind)}}; those of ALL are everywhere.
FIELDS = {tag: {} for tag in TAGS}
for _tag, _name, _number, _kind in re.findall(r'^FIELD\((\w+), *(\w+), *(\d+), *(\w+)', definitions_of("packed_fields"), re.M):
    for _each in TAGS if _tag == "ALL" else [_tag]:
        FIELDS[_each][int(_number)] = (_name, _kind)

MASK_FIELD = 127

Frame = collections.namedtuple("Frame", "offset end record")


# ---- frames ----
def raw_at(data, at):
    """(start, length) of the raw whose head is at `at`, or None."""
    head = data[at:at + 5]
    if not head:
        return None
    if 0xa0 <= head[0] <= 0xbf:
        return at + 1, head[0] & 31
    if head[0] == 0xda and len(head) >= 3:
        return at + 3, int.from_bytes(head[1:3], "big")
    if head[0] == 0xdb and len(head) == 5:
        return at + 5, int.from_bytes(head[1:5], "big")
    return None


def frame_at(data, at):
    """The frame that begins exactly there, or None."""
    if data[at:at + 2] != b"\xc1\xce" or data[at + 6:at + 7] != b"\xc1":
        return None
    raw = raw_at(data, at + 7)
    if not raw or raw[1] > RECORD_MAX or len(data) - raw[0] < raw[1]:
        return None
    record = bytes(data[raw[0]:raw[0] + raw[1]])
    if zlib.crc32(record) != int.from_bytes(data[at + 2:at + 6], "big"):
        return None
    return Frame(at, raw[0] + raw[1], record)


def frames(data):
    """Every frame that is sound, found again after what is not."""
    at = data.find(b"\xc1\xce")
    while at >= 0:
        frame = frame_at(data, at)
        if frame:
            yield frame
        at = data.find(b"\xc1\xce", frame.end if frame else at + 1)


def frame_bytes(record):
    size = len(record)
    if size < 32:
        head = bytes([0xa0 | size])
    elif size < 1 << 16:
        head = b"\xda" + size.to_bytes(2, "big")
    else:
        head = b"\xdb" + size.to_bytes(4, "big")
    return b"\xc1\xce" + zlib.crc32(record).to_bytes(4, "big") + b"\xc1" + head + record


def objects(record):
    """The tag and the payload; nothing else may be in a record."""
    unpacker = msgpack.Unpacker(raw=True, strict_map_key=False, max_buffer_size=RECORD_MAX + 1)
    unpacker.feed(record)
    try:
        tag, payload = unpacker.unpack(), unpacker.unpack()
    except (msgpack.UnpackException, ValueError) as error:
        raise Damage(f"a record is not two objects: {error!r}")
    if unpacker.tell() != len(record):
        raise Damage("a record has bytes behind its two objects")
    if not isinstance(tag, int) or not 0 <= tag <= 127 or record[0] != tag or not isinstance(payload, dict):
        raise Damage("a record is not a positive fixnum and a map")
    return tag, unmasked(payload, payload.get(MASK_FIELD, 0))


def unmasked(value, mask):
    """All strings in it, XORed with the mask of the record."""
    if not mask:
        return value
    if isinstance(value, bytes):
        return bytes(byte ^ mask for byte in value)
    if isinstance(value, (list, tuple)):
        return [unmasked(each, mask) for each in value]
    if isinstance(value, dict):
        return {key: unmasked(each, mask) for key, each in value.items()}
    return value


def named(name, payload):
    """{field: value}: a number that is missing is 0, bytes or a list are empty."""
    fields = FIELDS[name]
    known = {field: {"BYTES": b"", "LIST": []}.get(kind, 0) for field, kind in fields.values()}
    known.update((fields[number][0], value) for number, value in payload.items() if number in fields)
    return known


def pack(value):
    return msgpack.packb(value, use_bin_type=False)


def make_frame(tag, payload):
    """A frame; the payload's keys are names of fields, or numbers."""
    numbers = {name: number for number, (name, _) in FIELDS.get(TAG_NAMES.get(tag), {}).items()}
    return frame_bytes(pack(tag) + pack({numbers.get(key, key): value for key, value in payload.items()}))


# ---- columns ----
class Bytes:
    """What is left of a body; never gives more than there is."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, count):
        if len(self.data) - self.at < count:
            raise Damage("a column ends too early")
        self.at += count
        return self.data[self.at - count:self.at]

    def number(self):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 127) << shift
            if byte < 128:
                if value >> 64:
                    raise Damage("a number has more than 64 bits")
                return value
            shift += 7
            if shift > 63:
                raise Damage("a number has too many bytes")

    def signed(self):
        value = self.number()
        return (value >> 1 ^ -(value & 1)) & MASK

    def planes(self, count):
        width = self.number()
        if not 1 <= width <= 8:
            raise Damage(f"planes of {width} bytes")
        base = self.signed()
        planes = [self.take(count) for _ in range(width)]
        if width == 1:
            return [base + low & MASK for low in planes[0]]
        values = zip(*planes)
        return [base + int.from_bytes(bytes(value), "little") & MASK for value in values]

    def numbers(self, count, nesting=1):
        if count == 0:
            return []
        if nesting > NESTING:
            raise Damage("columns are nested too deep")
        kind = self.take(1)[0]
        if kind == 0:
            return [self.signed()] * count
        if kind == 1:
            return self.planes(count)
        if kind == 2:
            values = self.planes(count)
            for place, value in self.exceptions(count):
                values[place] = value
            return values
        if kind == 3:
            value = self.signed()
            values = [value]
            for difference in self.numbers(count - 1, nesting + 1):
                value = value + difference & MASK
                values.append(value)
            return values
        if kind == 4:
            known = [self.signed() for _ in range(self.size_of(1))]
            return [self.pick(known, place) for place in self.numbers(count, nesting + 1)]
        if kind == 6:
            return self.phrases(count, nesting)
        if kind == 7:
            scale, exceptions = self.number(), list(self.exceptions(count))
            values = [value * scale & MASK for value in self.numbers(count, nesting + 1)]
            for place, value in exceptions:
                values[place] = value
            return values
        raise Damage(f"a column of kind {kind}")

    def exceptions(self, count):
        place = 0
        for _ in range(self.number()):
            place += self.number()
            if place >= count:
                raise Damage("an exception has no place")
            yield place, self.signed()

    def phrases(self, count, nesting):
        known = self.number()
        if known > count:
            raise Damage("more phrases than values")
        sizes = self.numbers(known, nesting + 1)
        if 0 in sizes or sum(sizes) > count:
            raise Damage("phrases of nothing, or of too much")
        all_values = self.numbers(sum(sizes), nesting + 1)
        said = self.number()
        if said > count:
            raise Damage("more phrases are said than there are values")
        ends = list(itertools.accumulate(sizes))
        values = []
        for place in self.numbers(said, nesting + 1):
            end = self.pick(ends, place)
            values += all_values[end - sizes[place]:end]
        if len(values) != count:
            raise Damage(f"phrases of {len(values)} values for {count} messages")
        return values

    def grouped(self, sites, messages):
        """A column of all messages; each has its site's place in `messages`."""
        if self.data[self.at:self.at + 1] != b"\5":
            return self.numbers(len(messages))
        self.take(1)
        groups = [iter(self.numbers(site[1], 2)) for site in sites]
        try:
            return [next(groups[site]) for site in messages]
        except (IndexError, StopIteration):
            raise Damage("groups of other messages than there are") from None

    def templates(self, count):
        known, places = self.dictionary_of_strings(count)
        if any(len(template or b"") > TEMPLATE_MAX for template in known if slots_of(template)):
            raise Damage("a template is too long")
        made = collections.Counter(places)
        columns = [[iter(self.numbers(made[i])) for _ in slots_of(template)] for i, template in enumerate(known)]
        return [filled(known[place], columns[place]) for place in places]

    def size_of(self, least):
        """A number of things that have at least so many bytes each."""
        count = self.number()
        if count > (len(self.data) - self.at) // least:
            raise Damage("a dictionary has more than there is")
        return count

    @staticmethod
    def pick(known, place):
        if place >= len(known):
            raise Damage("a place in a dictionary that it has not")
        return known[place]

    def plain_strings(self, count, nesting):
        sizes = self.numbers(count, nesting + 1)
        return [self.take(size - 1) if size else None for size in sizes]

    def strings(self, count):
        if count == 0:
            return []
        kind = self.take(1)[0]
        if kind == 0:
            return self.plain_strings(count, 0)
        if kind == 1:
            known, places = self.dictionary_of_strings(count)
            return [known[place] for place in places]
        if kind == 2:
            return self.templates(count)
        raise Damage(f"a column of strings of kind {kind}")

    def dictionary_of_strings(self, count):
        size = self.number()
        if size > MESSAGES_MAX:
            raise Damage("a dictionary of too many strings")
        known, places = self.plain_strings(size, 0), self.numbers(count)
        if max(places) >= size:
            raise Damage("a place in a dictionary that it has not")
        return known, places

    def column(self, kind, count):
        if kind in (STRING, WIDE):
            return self.strings(count)
        if kind == LONG_DOUBLE:
            return [self.take(16) for _ in range(count)]
        if kind in (I32, I64, F64):
            return self.numbers(count)
        raise Damage(f"an argument of kind {kind}")


SLOTS = re.compile(rb"[\1\2]|[\3\4].", re.S)


def slots_of(template):
    return SLOTS.findall(template or b"")


def filled(template, values):
    """The string that a template makes of the next values."""
    if template is None:
        return None

    def number(slot):
        digits = b"%d" if slot[0][0] in (1, 3) else b"%x"
        text = digits % next(values[number.slot])
        number.slot += 1
        if len(slot[0]) == 2:
            if not 1 <= slot[0][1] <= 20:
                raise Damage(f"a slot of {slot[0][1]} digits")
            text = text.rjust(slot[0][1], b"0")
        return text
    number.slot = 0
    return SLOTS.sub(number, template)


def argument(kind, value):
    """As it is compared: an I32 signed, an I64 and the bits of a double not."""
    if kind == I32:
        return ((value & 0xffffffff) ^ 1 << 31) - (1 << 31)
    if kind in (I64, F64):
        return value & MASK
    return value


# ---- batches ----
Message = collections.namedtuple("Message", "log part number ticks wall site thread writer arguments continues entry")


def unpacked(payload, name, limit):
    data, size = payload[name], payload[name + "_BYTES"]
    if size > limit:
        raise Damage(f"{name} of a batch has {size} bytes")
    if payload["COMPRESSION"] == 1:
        data = zstandard.ZstdDecompressor().decompress(data, max_output_size=max(size, 1))
    elif payload["COMPRESSION"] != 0:
        raise Damage(f"compression {payload['COMPRESSION']}")
    if len(data) != size:
        raise Damage(f"{name} of a batch has {len(data)} bytes, not {size}")
    return data


def clock_says(clock, ticks):
    """struct wall_segment of decoder/wall_clock.h; none says 0."""
    if clock is None:
        return 0
    _, start, _, realtime, bits = clock[:5]
    rate, = struct.unpack("<d", struct.pack("<Q", bits & MASK))
    passed = float(ticks - start & MASK) * rate + 0.5
    return realtime + int(passed if passed < 1e18 else 1e18) & MASK


def index_of(payload):
    index = msgpack.unpackb(unpacked(payload, "INDEX", INDEX_MAX), raw=True, strict_map_key=False, max_array_len=INDEX_MAX)
    if len(index) < 4:
        raise Damage("an index of fewer than four arrays")
    return index


def batch_columns(payload, index):
    """The columns of a batch: sites, writers, ticks, differences of wall time, continues, arguments of each site."""
    body = Bytes(unpacked(payload, "BODY", BODY_MAX))
    count = payload["COUNT"]
    if count > MESSAGES_MAX:
        raise Damage(f"a batch of {count} messages")
    common = [body.numbers(count)]
    common += [body.grouped(index[0], common[0]) for _ in range(4)]
    arguments = []
    for site in index[0]:
        arguments.append([[argument(kind, value) for value in body.column(kind, site[1])] for kind in site[5]])
    if body.at != len(body.data):
        raise Damage(f"{len(body.data) - body.at} bytes behind the columns")
    return common + [arguments]


def batch_messages(payload):
    index = index_of(payload)
    sites, writers, _, clocks = index[:4]
    at_site, at_writer, ticks_of, wall_of, continues, arguments = batch_columns(payload, index)
    told = [0] * len(sites)
    spoke = [0] * len(writers)
    clock_of = {}
    clocks = collections.deque(sorted(clocks, key=lambda clock: clock[5]))
    ticks = 0
    for number in range(payload["COUNT"]):
        while clocks and clocks[0][5] <= number:
            clock = clocks.popleft()
            clock_of[clock[0]] = clock
        site, writer = at_site[number], at_writer[number]
        if site >= len(sites) or writer >= len(writers):
            raise Damage("a message of a site or writer that is none")
        ticks = ticks + ticks_of[number] & MASK
        place = told[site]
        told[site] += 1
        spoke[writer] += 1
        if place >= sites[site][1]:
            raise Damage("a site has more messages than it should")
        wall = clock_says(clock_of.get(writers[writer][1]), ticks) + wall_of[number] & MASK
        yield Message(payload["LOG"], payload["PART"], payload["NUMBER"] + number, ticks, wall, sites[site][0],
                      writers[writer][0], writers[writer], tuple(column[place] for column in arguments[site]),
                      bool(continues[number]), sites[site])
    if told != [site[1] for site in sites] or spoke != [writer[5] for writer in writers]:
        raise Damage("an index counts other messages than there are")


# ---- logs ----
class Log:
    """All that is sound in `data`: frames, definitions, messages in the order of the file."""

    def __init__(self, data):
        self.definitions = {}
        self.counts = collections.Counter()
        self.unknown_tags = self.unknown_fields = 0
        self.damage = []
        self.batches = []
        self.ends = []
        self.found = list(frames(data))
        for frame in self.found:
            try:
                self.take(frame)
            except Damage as damage:
                self.damage.append((frame.offset, str(damage)))

    def take(self, frame):
        tag, payload = objects(frame.record)
        name = TAG_NAMES.get(tag)
        if name is None:
            self.unknown_tags += 1
            return
        known = named(name, payload)
        self.unknown_fields += sum(number not in FIELDS[name] for number in payload)
        self.counts[name] += 1
        if name in ("BATCH", "DATA"):
            self.batches.append((name, known))
        elif name in ("END", "CAPTURE_END", "LOSS"):
            self.ends.append((name, known))
        elif name == "MAPPING":
            self.definitions.setdefault((known["LOG"], name, known["PROCESS"]), []).append(known)
        elif name != "SYMBOL":
            self.define(frame, name, known)

    def define(self, frame, name, known):
        """The same id always means the same thing; a part may say it again, and of a process more than before."""
        before = self.definitions.setdefault((known["LOG"], name, known["ID"]), known)
        if name == "PROCESS":
            known = {**known, **{field: value for field, value in before.items() if not known[field]}}
            before = {**before, **{field: value for field, value in known.items() if not before[field]}}
            self.definitions[known["LOG"], name, known["ID"]] = known
        if name != "BACKTRACE" and {**before, "PART": 0} != {**known, "PART": 0}:
            self.damage.append((frame.offset, f"{name} {known['ID']} has another meaning than before"))

    def find(self, log, name, id):
        return self.definitions.get((log, name, id), {}) if id else {}

    def messages(self):
        for name, known in self.batches:
            if name == "BATCH":
                yield from batch_messages(known)
                continue
            kinds = self.find(known["LOG"], "SITE", known.get("SITE")).get("KINDS", b"")
            values = [as_bits(kind, value) for kind, value in zip(kinds, known.get("ARGUMENTS", []))]
            yield Message(known["LOG"], known["PART"], known["NUMBER"], known["TICKS"], known["TIME"], known.get("SITE"),
                          known.get("THREAD"), None, tuple(values), bool(known.get("CONTINUES")), known)

    def backtrace(self, log, id):
        """[(module id, offset)], innermost first."""
        known = self.find(log, "BACKTRACE", id)
        own = list(zip(known.get("MODULES", []), known.get("OFFSETS", [])))
        shared = known.get("SHARED", 0)
        if shared:
            own += self.backtrace(log, known["LIKE"])[-shared:]
        return own


def as_bits(kind, value):
    if kind == F64 and isinstance(value, float):
        return struct.unpack("<Q", struct.pack("<d", value))[0]
    return argument(kind, value) if isinstance(value, int) else value
