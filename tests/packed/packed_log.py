"""The packed log, read and written as record/packed.h says: for tests, and apart from what the tools do.

MessagePack and zstd are those of Python's packages; numbers of tags and fields come out of record/*.def.
"""
import collections
import os
import re
import struct
import zlib

import msgpack
import zstandard

from packed_columns import F64, MASK, MESSAGES_MAX, STRING, Bytes, Damage, argument

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RECORD_MAX = 4 << 20
BODY_MAX = (1 << 20) + (64 << 10)
INDEX_MAX = 1 << 20
HANDED_MAX = 1 << 20


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


# ---- modules ----
def hash_word(running, word):
    """As record/hash.h has it."""
    running = (running ^ word) * 0x9e3779b97f4a7c15 & MASK
    return running ^ running >> 29


def magic_of(module):
    """What tells a module from others: of all that is known of it but its path."""
    build_id = module["BUILD_ID"]
    running = 0x9e3779b97f4a7c15
    for at in range(0, len(build_id), 8):
        running = hash_word(running, int.from_bytes(build_id[at:at + 8], "little"))
    running = hash_word(hash_word(running, 0) if len(build_id) % 8 == 0 else running, len(build_id))
    return hash_word(hash_word(running, module["FILE_BYTES"]), module["CONTENT_HASH"])


# ---- batches ----
Message = collections.namedtuple("Message", "log part number ticks wall site thread writer arguments continues entry")


def inflated(data, size):
    """Of all frames of zstd in it, no more bytes than so many and some."""
    made = b""
    while data and len(made) <= size:
        frame = zstandard.ZstdDecompressor().decompressobj()
        made += frame.decompress(data)
        data = frame.unused_data
    return made


def unpacked(payload, name, limit):
    data, size = payload[name], payload[name + "_BYTES"]
    if size > limit:
        raise Damage(f"{name} of a batch has {size} bytes")
    if payload["COMPRESSION"] == 1:
        data = inflated(data, max(size, 1))
    elif payload["COMPRESSION"] != 0:
        raise Damage(f"compression {payload['COMPRESSION']}")
    if len(data) != size:
        raise Damage(f"{name} of a batch has {len(data)} bytes, not {size}")
    return data


def clock_says(clock, ticks):
    """struct wall_segment of decoder/capture/wall_clock.h; none says 0."""
    if clock is None:
        return 0
    _, start, _, realtime, bits = clock[:5]
    rate, = struct.unpack("<d", struct.pack("<Q", bits & MASK))
    passed = float(ticks - start & MASK) * rate + 0.5
    return realtime + int(passed if passed < 1e18 else 1e18) & MASK


def handed_of(payload):
    """[(module id, return address, [(text, how, call, begin, end)])] of a HANDED."""
    texts, calls = msgpack.unpackb(unpacked({**payload, "CALLS_BYTES": payload["BYTES"]}, "CALLS", HANDED_MAX), raw=True)[:2]
    if any(not text or 0 in text for text in texts):
        raise Damage("a text that is none")
    for module, address, *told in calls:
        if len(told) % 5:
            raise Damage("a call of half a text")
        handed = []
        for place, how, back, before, behind in zip(*[iter(told)] * 5):
            if not 0 <= how <= 8:  # three ways, times whether it takes any arguments
                raise Damage(f"handed on in way {how}")
            call = address - back
            handed.append((texts[place], how, call, call - before, call + behind))
        yield module, address, handed


def index_of(payload):
    index = msgpack.unpackb(unpacked(payload, "INDEX", INDEX_MAX), raw=True, strict_map_key=False, max_array_len=INDEX_MAX)
    if len(index) < 4:
        raise Damage("an index of fewer than four arrays")
    return index


def fill_texts(body, sites, messages, arguments):
    """In place of columns that are None: those of all sites are together, in the order of the calls."""
    places = [(site, i) for site, columns in enumerate(arguments) for i, column in enumerate(columns) if column is None]
    if not places:
        return
    of_site = collections.defaultdict(list)
    for number, (site, _) in enumerate(places):
        of_site[site].append(number)
    turns = [number for site in messages for number in of_site[site]]
    for (site, i), column in zip(places, body.texts([sites[site][1] for site, _ in places], turns)):
        arguments[site][i] = column


def batch_columns(payload, index, begins=None):
    """The columns of a batch: sites, writers, ticks, differences of wall time, continues, arguments of each site.

    Where each column begins in the body is added to `begins`, and to its end whether there are texts behind all.
    """
    begins = [] if begins is None else begins
    body = Bytes(unpacked(payload, "BODY", BODY_MAX))
    count = payload["COUNT"]
    if count > MESSAGES_MAX:
        raise Damage(f"a batch of {count} messages")
    begins.append(body.at)
    common = [body.numbers(count)]
    for _ in range(4):
        begins.append(body.at)
        common.append(body.grouped(index[0], common[0]))
    arguments = []
    for site in index[0]:
        columns = []
        for kind in site[5]:
            if site[1]:
                begins.append(body.at)
            columns.append(body.column(kind, site[1]) if site[1] else [])
        arguments.append([column if column is None else [argument(kind, value) for value in column] for kind, column in zip(site[5], columns)])
    begins.append(body.at if any(column is None for columns in arguments for column in columns) else None)
    fill_texts(body, index[0], common[0], arguments)
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


# ---- parity ----
PARITY_ROWS, PARITY_DATA_ROWS = 8, 247
POWERS = [1]
while len(POWERS) < 255:
    POWERS.append(POWERS[-1] << 1 ^ (0x11d if POWERS[-1] & 0x80 else 0))
LOGARITHMS = {power: exponent for exponent, power in enumerate(POWERS)}


def is_code_word(column):
    """Whether it is 0 at 2^0 to 2^7, as a polynomial with the highest power first."""
    for root in range(PARITY_ROWS):
        value = 0
        for byte in column:
            value = (POWERS[(LOGARITHMS[value] + root) % 255] if value else 0) ^ byte
        if value:
            return False
    return True


def check_parity(data, found, at):
    """Of the frames from `at` on, which are those behind a group; a few of its columns are looked at.  How many they are."""
    names = [TAG_NAMES.get(frame.record[0]) for frame in found[at:at + 5]]
    if names != ["MARK", "PARITY", "MARK", "PARITY", "MARK"]:
        raise Damage(f"a MARK among {names}")
    marks = [named("MARK", objects(found[at + i].record)[1]) for i in (0, 2, 4)]
    rows = b""
    for i in (1, 3):
        parity = named("PARITY", objects(found[at + i].record)[1])
        if parity["FIRST"] * marks[0]["ROW_BYTES"] != len(rows):
            raise Damage("a PARITY has other rows than the next ones")
        rows += parity["ROWS"]
    size, row = marks[0]["BYTES"], marks[0]["ROW_BYTES"]
    begin = found[at].offset - size
    if begin < 0 or not 0 < size <= 16 << 20 or row != -(-size // PARITY_DATA_ROWS) or len(rows) != PARITY_ROWS * row:
        raise Damage("a MARK of an impossible group")
    for i, mark in zip((0, 2, 4), marks):
        if (mark["BYTES"], mark["ROW_BYTES"], found[at + i].offset - mark["BACK"]) != (size, row, begin):
            raise Damage("the MARKs of a group differ")
    if begin not in {frame.offset for frame in found}:
        raise Damage("a group does not begin with a frame")
    group = data[begin:begin + size] + rows
    for column in {0, row // 3, row - 1}:
        if not is_code_word(group[column::row]):
            raise Damage("a parity is of other bytes")
    return 5


def check_pieces(data, batch, payload, told):
    """A PIECES, whose fields are `told`, is of the batch before it, in the frame `batch`."""
    sums = Bytes(told["SUMS"])
    frame = data[batch.offset:batch.end]
    begins = []
    index = index_of(payload)
    columns = batch_columns(payload, index, begins)
    texts = begins.pop()
    kinds = [(kind, column) for site, of in zip(index[0], columns[5]) for kind, column in zip(site[5], of) if site[1]]
    at = sums.number()
    mask = payload.get("MASK", 0)
    body = frame.rindex(unmasked(payload["BODY"], mask))

    def summed(begin, end):
        if zlib.crc32(frame[begin:end]) != int.from_bytes(sums.take(4), "little"):
            raise Damage("the sum of a piece is another")

    if (told["NUMBER"], told["COUNT"], told["FIRST"], told["FIRST"] + told["SPAN"], told["BYTES"]) != \
            (payload["NUMBER"], payload["COUNT"], payload["FIRST"], payload["LAST"], len(frame)) or at != body:
        raise Damage("a PIECES is of another batch")
    summed(0, at)
    end = len(frame) - sums.number()
    if end < len(frame):
        summed(end, len(frame))
    raw, last, rest = 0, 0, b""
    inflating = None
    everything = unpacked(payload, "BODY", BODY_MAX)
    begins += [] if texts is None else [texts]
    while at < end:
        size, made, more = sums.number(), sums.number(), sums.number()
        first = next((number for number, begin in enumerate(begins) if raw <= begin < raw + made), None)
        if more:
            last += more
            if (last - 1, sums.number()) != (first, begins[first] - raw):
                raise Damage("a column begins elsewhere")
        elif first is not None:
            raise Damage("nobody is told where a column begins")
        summed(at, at + size)
        piece = unmasked(frame[at:at + size], mask)
        if piece.startswith(b"\x28\xb5\x2f\xfd"):
            inflating = zstandard.ZstdDecompressor().decompressobj()
        rest = inflating.decompress(piece)
        if rest != everything[raw:raw + made]:
            raise Damage("a piece has other bytes")
        at, raw = at + size, raw + made
    apart = sums.number()
    if (texts is None) != (apart == 0) or raw != len(everything) or at != end:
        raise Damage("pieces are not all of a batch")
    place = 0
    for _ in range(apart - 1 if apart else 0):
        place += sums.number()
        if kinds[place][0] != STRING:
            raise Damage("a column is apart that cannot be otherwise")
    marks, ticks, here = Bytes(told["TICKS"]), 0, 0
    for number in range(told["COUNT"]):
        here = here + columns[2][number] & MASK
        if number % 4096 == 4095 or number + 1 == told["COUNT"]:
            ticks = ticks + marks.signed() & MASK
            if ticks != here:
                raise Damage("the ticks of a mark are others")
    if sums.at != len(sums.data) or marks.at != len(marks.data):
        raise Damage("there is more in a PIECES")


def without_parity(data):
    """The same log, of which damage does not come back."""
    return b"".join(data[frame.offset:frame.end] for frame in frames(data)
                    if TAG_NAMES.get(frame.record[0]) not in ("MARK", "PARITY"))


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
        self.groups = 0
        self.found = list(frames(data))
        skipped = 0
        for at, frame in enumerate(self.found):
            try:
                if at >= skipped and TAG_NAMES.get(frame.record[0]) == "MARK":
                    skipped = at + check_parity(data, self.found, at)
                    self.groups += 1
                self.take(frame)
                if TAG_NAMES.get(frame.record[0]) == "PIECES" and at > 0 and TAG_NAMES.get(self.found[at - 1].record[0]) == "BATCH":
                    check_pieces(data, self.found[at - 1], self.batches[-1][1], named("PIECES", objects(frame.record)[1]))
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
        elif name not in ("SYMBOL", "HANDED", "MARK", "PARITY", "PIECES"):
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
