"""The records of a capture file, as binlog(5) describes them; for tests that look into one or damage it."""
import struct

PAGE = 4096
BLOCK = struct.Struct('<IIQIIII')
STRING, MODULE, CONTEXT = 5, 4, 7
SIZES = {1: 4, 2: 8, 3: 8, 4: 16}
CONTINUES, REPEATS, OTHER = 1 << 31, 1 << 30, 1 << 26


def u32(data, at):
    return int.from_bytes(data[at:at + 4], 'little')


def u64(data, at):
    return int.from_bytes(data[at:at + 8], 'little')


def blocks(data):
    """(writer, sequence, offset, end) of each block, in the order in which a reader takes them."""
    nonce = u64(data, 16)
    found = []
    for at in range(PAGE, len(data), PAGE):
        magic, size, of_file, _, _, writer, sequence = BLOCK.unpack_from(data, at)
        if magic == 0x4b424c42 and of_file == nonce:
            found.append((writer, sequence, at, min(at + size, len(data))))
    return sorted(found)


def string_end(data, at):
    word = u32(data, at)
    at += 4
    if word >> 30:  # null, an id, or in the word itself
        return at
    return at + (word + 3 & ~3)


def arguments_end(data, at, kinds):
    for kind in kinds:
        at = at + SIZES[kind] if kind in SIZES else string_end(data, at)
    return at


class Context:
    def __init__(self, data, at):
        (self.id, self.text, self.flags, self.format, self.function, self.stream, depth,
         arguments) = struct.unpack_from('<IHHIIIHH', data, at + 8)
        self.frames = struct.unpack_from('<%dQ' % depth, data, at + 32)
        kinds = at + 32 + 8 * depth
        self.kinds = data[kinds:kinds + arguments]


def walk(data):
    """(writer, kind, offset, size) of each record; the kind of a message is its Context."""
    contexts = {}
    for writer, _, start, end in blocks(data):
        at = start + 88
        last = other = 0
        while at + 4 <= end and u32(data, at):
            word = u32(data, at)
            begin = at
            if word < 16:
                size = u32(data, at + 4)
                if size < 8:
                    break
                at += size
                if word == CONTEXT:
                    context = Context(data, begin)
                    contexts[writer, context.id] = context
                yield writer, word, begin, at - begin
                continue
            at += 4
            length = 0
            if not word & CONTINUES:
                id = word
                at += 4
                other = 0
            elif word & REPEATS:
                id = other if word & OTHER else last
            else:
                id, length = word & (1 << 22) - 1, word >> 22 & 255
            context = contexts[writer, id]
            if length:
                at += length + 3 & ~3
            elif not (word & CONTINUES and word & REPEATS):
                at = arguments_end(data, at, context.kinds)
            if word & CONTINUES and last != id:
                other = last
            last = id
            yield writer, context, begin, at - begin
