"""The messages of capture files, each with all that its ids stand for: for tests, and apart from what the tools do."""
import bisect
import collections
import glob
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from capture_records import CONTINUES, MODULE, REPEATS, STRING, Context, u32, u64, walk, blocks  # noqa: E402

CLOCK, PROCESS, THREAD, STREAM = 1, 2, 3, 6
PARTIAL = 2
I32, I64, F64, LONG_DOUBLE, TEXT, WIDE = 1, 2, 3, 4, 5, 6
Said = collections.namedtuple("Said", "ticks pid tid order key continues text flags stream format function trace kinds arguments")


def cstring(data):
    return data.split(b"\0")[0]


class Reader:
    """One capture file."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        self.defined = {}
        self.modules = collections.defaultdict(list)
        self.parents = {}
        self.anchors = []
        self.starts = [(start, end, writer) for writer, _, start, end in blocks(self.data)]

    def wall(self, ticks):
        """About when that was, by the nearest of all anchors."""
        if not self.anchors:
            anchors = [struct.unpack_from("<QQ", self.data, start + 32) for start, _, _ in self.starts]
            anchors += [struct.unpack_from("<QQ", self.data, at + 8) for _, kind, at, _ in walk(self.data) if kind == CLOCK]
            self.anchors = sorted(anchors + [struct.unpack_from("<QQ", self.data, 48)])
        low, high = self.anchors[0], self.anchors[-1]
        rate = (high[1] - low[1]) / (high[0] - low[0]) if high[0] > low[0] else 0
        at = bisect.bisect(self.anchors, (ticks, 0))
        near = min(self.anchors[max(at - 1, 0):at + 1], key=lambda anchor: abs(anchor[0] - ticks))
        return near[1] + (ticks - near[0]) * rate

    def string(self, writer, at):
        """(value, where it ends) of a string argument."""
        word = u32(self.data, at)
        at += 4
        if word == 0xffffffff:
            return None, at
        if word >> 31:
            return self.defined.get((writer, STRING, word & 0x7fffffff), (None,))[0], at
        if word & 1 << 30:
            return struct.pack("<I", word)[:word >> 24 & 3], at
        return self.data[at:at + word], at + (word + 3 & ~3)

    def arguments(self, writer, kinds, at):
        values = []
        for kind in kinds:
            if kind == I32:
                values.append(struct.unpack_from("<i", self.data, at)[0])
                at += 4
            elif kind in (I64, F64):
                values.append(u64(self.data, at))
                at += 8
            elif kind == LONG_DOUBLE:
                values.append(self.data[at:at + 16])
                at += 16
            else:
                value, at = self.string(writer, at)
                values.append(value)
        return tuple(values)

    def own_arguments(self, writer, context, at):
        word = u32(self.data, at)
        if not word & CONTINUES:
            return self.arguments(writer, context.kinds, at + 8)
        if word & REPEATS:
            return (struct.pack("<I", word)[:word >> 24 & 3],)
        length = word >> 22 & 255
        if length:
            return (self.data[at + 4:at + 4 + length],)
        return self.arguments(writer, context.kinds, at + 4)

    def module_at(self, process, address, defined_at):
        """(path, address in the ELF file); the latest that was mapped there before, else a later one, else the parent's."""
        while process is not None:
            found = [module for module in self.modules[process] if module[1] <= address < module[2]]
            before = [module for module in found if module[0] <= defined_at]
            if found:
                _, _, _, bias, path, build_id = (before or found[::-1])[-1]
                return path, build_id, address - bias & (1 << 64) - 1
            process = self.parents.get(process)
        return None, None, address

    def take(self, kind, at, size, writer, process, order):
        data = self.data
        if kind == STRING:
            length = u32(data, at + 12)
            self.defined[writer, STRING, u32(data, at + 8)] = (data[at + 24:at + 24 + length], u64(data, at + 16))
        elif kind == STREAM:
            fields = struct.unpack_from("<IIiIQQQQHHIII", data, at + 8)
            path = data[at + 72:at + 72 + fields[11]]
            self.defined[writer, STREAM, fields[0]] = fields[1:11] + (fields[12], path)
        elif kind == MODULE:
            start, end, bias, _, _, id_bytes, path_bytes = struct.unpack_from("<QQQQQII", data, at + 8)
            build_id = data[at + 56:at + 56 + id_bytes]
            path = data[at + 56 + id_bytes:at + 56 + id_bytes + path_bytes]
            self.modules[process].append((order, start, end, bias, path, build_id))
        elif kind == PROCESS:
            parent = u32(data, at + 28)
            self.parents[process] = parent if process else None

    def messages(self):
        """In the order of each writer; frames are resolved when all modules are known."""
        block, anchor, tid, process, pid = -1, {}, {}, {}, {}
        ticks = {}
        said = []
        place = {start: (start, end) for start, end, _ in self.starts}
        partial = collections.defaultdict(bool)
        for order, (writer, kind, at, size) in enumerate(walk(self.data)):
            start = max(start for start, _, owner in self.starts if owner == writer and start <= at) if (
                block < 0 or not (place[block][0] <= at < place[block][1])) else block
            if start != block:
                block = start
                anchor[writer] = u64(self.data, start + 32)
                pid[writer], tid[writer] = u32(self.data, start + 16), u32(self.data, start + 20)
                process[writer] = u32(self.data, start + 68)
            if kind == CLOCK:
                anchor[writer] = u64(self.data, at + 8)
            elif kind == THREAD:
                tid[writer] = u32(self.data, at + 8)
            elif isinstance(kind, Context):
                word = u32(self.data, at)
                if not word & CONTINUES:
                    ticks[writer] = anchor[writer] & ~0xffffffff | u32(self.data, at + 4)
                said.append((kind, writer, process[writer], order, Said(
                    ticks[writer], pid[writer], tid[writer], order, writer, partial[writer], kind.text, kind.flags,
                    self.defined.get((writer, STREAM, kind.stream)),
                    self.defined.get((writer, STRING, kind.format)), self.defined.get((writer, STRING, kind.function)),
                    kind.frames, kind.kinds, self.own_arguments(writer, kind, at))))
                partial[writer] = bool(kind.flags & PARTIAL)
            elif isinstance(kind, int):
                self.take(kind, at, size, writer, process[writer], order)
        for context, writer, of, order, message in said:
            trace = tuple(self.module_at(of, address, order) for address in message.trace)
            text = message.format and (message.format[0],) + self.module_at(of, message.format[1], order)
            yield message._replace(trace=trace, format=text, function=message.function and message.function[0])


def captures(path):
    if os.path.isdir(path):
        return sorted(glob.glob(path + "/*.binlog"))
    return [path]
