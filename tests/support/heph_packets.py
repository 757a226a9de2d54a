# Packets of Heph's trace format 0.1.0, as its description has them: written and read without binlog's help.
import struct

OPTION, EVENT = 0x75D11D57 - 10, 0xC1FC1FC1 - 10
U64, I64, F64, STRING, ARRAY = 1, 2, 3, 4, 0x80
LETTERS = {U64: 'Q', I64: 'q', F64: 'd'}


def string(text):
    text = text.encode() if isinstance(text, str) else text
    return struct.pack('>H', len(text)) + text


def option(name, value):
    body = string(name) + value
    return struct.pack('>II', OPTION, len(body) + 8) + body


def epoch(value):
    return option('epoch', struct.pack('>Q', value))


def one(kind, value):
    return string(value) if kind == STRING else struct.pack('>' + LETTERS[kind], value)


def attribute(name, kind, value):
    if not kind & ARRAY:
        return string(name) + bytes([kind]) + one(kind, value)
    return string(name) + bytes([kind]) + struct.pack('>H', len(value)) + b''.join(one(kind & ~ARRAY, item) for item in value)


def event(description, *attributes, stream=0, counter=0, substream=0, start=0, end=None):
    body = struct.pack('>IIQQQ', stream, counter, substream, start, start if end is None else end) + string(description)
    body += b''.join(attribute(*each) for each in attributes)
    return struct.pack('>II', EVENT, len(body) + 8) + body


# The two examples of the description.
SAMPLE_OPTION = bytes.fromhex('75d11d4d 00000017 0005 65706f6368 165845e91214ec90')
SAMPLE_EVENT = bytes.fromhex('c1fc1fb7 0000005b 00000000 00000000 0000000000000001 0000000000000064 00000000000000c8'
                             '0008 4d79206576656e74 0004 54657374 01 000000000000007b'
                             '0005 5465737432 83 0002 405edd2f1a9fbe77 4088a80000000000')


class Packet:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, letters):
        values = struct.unpack_from('>' + letters, self.data, self.at)
        self.at += struct.calcsize('>' + letters)
        return values if len(values) > 1 else values[0]

    def string(self):
        size = self.take('H')
        self.at += size
        return self.data[self.at - size:self.at].decode()  # UTF-8, or this fails

    def value(self, kind):
        return self.string() if kind == STRING else self.take(LETTERS[kind])


def read(data):  # all packets: ('epoch', value) or a dictionary
    at = 0
    while at < len(data):
        magic, size = struct.unpack_from('>II', data, at)
        packet = Packet(data[at + 8:at + size])
        at += size
        if magic == OPTION:
            yield packet.string(), packet.take('Q')
            continue
        assert magic == EVENT
        made = dict(zip(('stream', 'counter', 'substream', 'start', 'end'), packet.take('IIQQQ')))
        made['description'], made['attributes'] = packet.string(), []
        while packet.at < len(packet.data):
            name, kind = packet.string(), packet.take('B')
            value = [packet.value(kind & ~ARRAY) for _ in range(packet.take('H'))] if kind & ARRAY else packet.value(kind)
            made['attributes'].append((name, kind, value))
        assert packet.at == len(packet.data)
        yield made
