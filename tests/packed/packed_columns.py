"""The columns of a batch in a packed log, as record/packed.h says: for tests, and apart from what the tools do."""
import collections
import itertools
import re
import struct

MASK = (1 << 64) - 1
I32, I64, F64, LONG_DOUBLE, STRING, WIDE = 1, 2, 3, 4, 5, 6
MESSAGES_MAX = 64 << 10
NESTING = 4
TEMPLATE_MAX = 1024
SPLIT_MAX = 16


class Damage(Exception):
    """What a sound frame may not contain."""


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
        if kind in (7, 8):
            return self.computed(count, nesting, self.scaled if kind == 7 else self.decimal)
        if kind == 9 and nesting == 1:
            bits = self.split_bits()
            return self.with_low_bits(self.numbers(count, 2), bits)
        raise Damage(f"a column of kind {kind}")

    def split_bits(self):
        bits = self.number()
        if not 1 <= bits <= SPLIT_MAX:
            raise Damage(f"{bits} low bits")
        return bits

    def with_low_bits(self, values, bits):
        low = int.from_bytes(self.take((len(values) * bits + 7) // 8), "little")
        mask = (1 << bits) - 1
        return [(value << bits | low >> bits * i & mask) & MASK for i, value in enumerate(values)]

    @staticmethod
    def scaled(value, scale):
        return value * scale & MASK

    @staticmethod
    def decimal(value, exponent):
        """The bits of a double that is a decimal fraction."""
        if exponent > 22:
            raise Damage("a power of ten that is no double")
        signed = value - (1 << 64) if value >> 63 else value
        return struct.unpack("<Q", struct.pack("<d", float(signed) / float(10 ** exponent)))[0]

    def computed(self, count, nesting, rule):
        """All but the exceptions follow from a number that all have in common."""
        common, exceptions = self.number(), list(self.exceptions(count))
        values = [rule(value, common) for value in self.numbers(count, nesting + 1)]
        for place, value in exceptions:
            values[place] = value
        return values

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

    def grouped(self, sites, messages, nesting=1):
        """A column of all messages; each has its site's place in `messages`."""
        if self.data[self.at:self.at + 1] == b"\11":
            self.take(1)
            bits = self.split_bits()
            high = self.grouped(sites, messages, 2)
            return self.with_low_bits(high, bits)
        if self.data[self.at:self.at + 1] != b"\5":
            return self.numbers(len(messages), nesting)
        self.take(1)
        groups = [iter(self.numbers(site[1], nesting + 1)) for site in sites]
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
        if kind == 3:
            return None
        raise Damage(f"a column of strings of kind {kind}")

    def texts(self, counts, turns):
        """Columns of strings behind all others: how many each has, and of which column the next one is, all together."""
        heads = self.plain_strings(self.heads(), 0)
        places = self.numbers(len(turns))
        ends = self.plain_strings(2 * len(counts), 0)
        if any(len(each or b"") > TEMPLATE_MAX for each in heads + ends):
            raise Damage("what texts have in common is too long")
        end = self.take(1)
        columns = [[] for _ in counts]
        for column, place in zip(turns, places):
            rest = b""
            left, right = ends[2 * column:2 * column + 2]
            if right is not None:
                at = self.data.find(end, self.at)
                if at < 0:
                    raise Damage("a text has no end")
                rest = self.take(at + 1 - self.at)[:-1]
            columns[column].append((self.pick(heads, place) or b"") + (left or b"") + rest + (right or b""))
        if [len(column) for column in columns] != counts:
            raise Damage("texts of other messages than there are")
        return columns

    def heads(self):
        count = self.number()
        if count > MESSAGES_MAX:
            raise Damage("too many heads")
        return count

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
