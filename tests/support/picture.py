"""A PNG, as the browsers of browser.py give it: eight bits a colour, not interlaced."""
import collections
import struct
import zlib


def paeth(left, up, corner):
    about = left + up - corner
    far = abs(about - left), abs(about - up), abs(about - corner)
    return left if far[0] <= far[1] and far[0] <= far[2] else up if far[1] <= far[2] else corner


def unfiltered(kind, line, before, size):
    """A line of bytes, by the line before it; see section 9 of the PNG specification."""
    if kind == 0:
        return line
    if kind == 2:
        return bytearray([(a + b) & 255 for a, b in zip(line, before)])
    for i in range(len(line)):
        left = line[i - size] if i >= size else 0
        if kind == 1:
            line[i] = (line[i] + left) & 255
        elif kind == 3:
            line[i] = (line[i] + (left + before[i]) // 2) & 255
        else:
            line[i] = (line[i] + paeth(left, before[i], before[i - size] if i >= size else 0)) & 255
    return line


class Picture:
    def __init__(self, data):
        if data[:8] != b"\x89PNG\r\n\x1a\n":
            raise ValueError("not a PNG")
        packed = b""
        at = 8
        while at < len(data):
            size, kind = struct.unpack(">I4s", data[at:at + 8])
            if kind == b"IHDR":
                self.width, self.height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", data[at + 8:at + 21])
                if depth != 8 or colour not in (2, 6) or interlaced:
                    raise ValueError("a PNG of another kind")
                self.size = 3 if colour == 2 else 4
            elif kind == b"IDAT":
                packed += data[at + 8:at + 8 + size]
            at += 12 + size
        flat = zlib.decompress(packed)
        room = self.width * self.size
        before = bytearray(room)
        self.lines = []
        for start in range(0, len(flat), room + 1):
            before = unfiltered(flat[start], bytearray(flat[start + 1:start + 1 + room]), before, self.size)
            self.lines.append(before)

    def pixel(self, x, y):
        return tuple(self.lines[y][x * self.size:x * self.size + 3])

    def colours(self):
        """How often each is met."""
        count = collections.Counter()
        for line in self.lines:
            parts = [line[i::self.size] for i in range(3)]
            count.update(zip(*parts))
        return count

    def light(self):
        """The mean of all pixels, 0: black, 255: white."""
        sums = [sum(sum(line[i::self.size]) for line in self.lines) for i in range(3)]
        return (0.2126 * sums[0] + 0.7152 * sums[1] + 0.0722 * sums[2]) / (self.width * self.height)

    def places(self, colour, left, top, right, bottom):
        """Where in a rectangle this colour is: (x, y) from the top on."""
        wanted = bytes(colour)
        for y in range(max(0, int(top)), min(self.height, int(bottom))):
            line = self.lines[y]
            x = max(0, int(left))
            while 0 <= (found := line.find(wanted, x * self.size)) < min(self.width, int(right)) * self.size:
                if found % self.size == 0:
                    yield found // self.size, y
                x = found // self.size + 1
