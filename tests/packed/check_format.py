"""check_format.py LOG...: whether a log is all that record/packed.h says, byte by byte.

Each frame is parsed by two MessagePack libraries, neither of them the one that has written it; their answers are equal.
Also: definitions come before their use in each part, what an index says of a site is what its definition says, and no
whole frame is within another one.  Prints what is wrong, or how much was looked at.
"""
import os
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
import packed_log  # noqa: E402
from packed_columns import Damage  # noqa: E402
from packed_log import FIELDS, TAG_NAMES  # noqa: E402

TYPES = {"UINT": int, "INT": int, "BYTES": bytes, "LIST": list}
PART_MESSAGES = 1 << 20


def words(value):
    """As records.rb says it."""
    if isinstance(value, bytes):
        return "x" + value.hex()
    if isinstance(value, (list, tuple)):
        return "[" + " ".join(map(words, value)) + "]"
    if isinstance(value, dict):
        return "{" + " ".join(words(key) + ":" + words(each) for key, each in value.items()) + "}"
    if isinstance(value, float):
        return "f" + struct.pack(">d", value).hex()
    return "nil" if value is None else str(value).lower()


class Check:
    def __init__(self):
        self.wrong = []
        self.frames = self.messages = self.batches = 0

    def expect(self, fact, what):
        if not fact:
            self.wrong.append(what)

    # ---- one frame ----
    def framing(self, data, at, frame):
        """The bytes before the record, as they have to be."""
        size = len(frame.record)
        head = data[at + 7]
        short = {1: size < 32, 3: size < 1 << 16, 5: True}[frame.end - at - 7 - size]
        self.expect(data[at] == 0xc1 and data[at + 1] == 0xce and data[at + 6] == 0xc1, f"frame at {at}: its head is not c1 ce .. c1")
        self.expect((0xa0 <= head <= 0xbf or head in (0xda, 0xdb)) and short, f"frame at {at}: its raw begins with {head:02x}")
        self.expect(packed_log.frame_at(data, at) == frame, f"frame at {at}: CRC-32 or length is wrong")
        inner = next(packed_log.frames(frame.record), None)
        self.expect(inner is None, f"frame at {at}: there is a whole frame within")

    def payload(self, at, frame):
        """By both libraries: the tag's name and {field: value}."""
        tag, payload = packed_log.objects(frame.record)
        mask = payload.get(packed_log.MASK_FIELD, 0)
        self.expect(next(self.other, "") == f"{tag} {words(packed_log.unmasked(payload, mask))}",
                    f"frame at {at}: two libraries differ about it")
        name = TAG_NAMES.get(tag)
        self.expect(name, f"frame at {at}: tag {tag} is not in packed_tags.def")
        for number, value in payload.items():
            field, kind = FIELDS.get(name, {}).get(number, (None, None))
            if not isinstance(number, int) or not field:
                self.wrong.append(f"frame at {at}: {name} has a field {number!r}")
                continue
            self.expect(isinstance(value, TYPES[kind]) and (kind != "UINT" or value >= 0),
                        f"frame at {at}: {name}.{field} is {value!r}, not a {kind}")
        known = packed_log.named(name, payload)
        self.expect(known.get("LOG") or name in ("MARK", "PARITY"), f"frame at {at}: {name} without LOG")
        return name, known

    # ---- what frames say together ----
    def log(self, path):
        with open(path, "rb") as file:
            data = file.read()
        at = 0
        self.parts = {}
        self.next = {}
        self.other = iter(subprocess.run(["ruby", os.path.dirname(__file__) + "/records.rb", path], stdout=subprocess.PIPE,
                                         stderr=subprocess.DEVNULL, check=False, text=True).stdout.splitlines())
        self.log_of = packed_log.Log(data)
        while at < len(data):
            frame = packed_log.frame_at(data, at)
            if not frame:
                self.wrong.append(f"{path}: no frame at {at}")
                return
            self.frames += 1
            self.framing(data, at, frame)
            try:
                self.meaning(at, *self.payload(at, frame))
            except (Damage, KeyError, IndexError) as error:
                self.wrong.append(f"frame at {at}: {error!r}")
            at = frame.end
        self.expect(not self.log_of.damage, f"{path}: {self.log_of.damage[:3]}")
        names = [TAG_NAMES[frame.record[0]] for frame in self.log_of.found]
        while names and names[-1] in ("MARK", "PARITY"):
            names.pop()
        self.expect(names and names[-1] == "END", f"{path}: the last frame is not END")
        version = max((known["VERSION"] for (_, name, _), known in self.log_of.definitions.items() if name == "PREAMBLE"), default=1)
        self.expect(self.log_of.groups or version < 2 or os.path.getsize(path) < 4096, f"{path}: there is no parity")

    def defined(self, at, known, kind, id, may_lack=True):
        """It was, before this, in the same part."""
        if id or not may_lack:
            part = self.parts.get(known["LOG"])
            self.expect(part and part[0] == known["PART"] and (kind, id) in part[1],
                        f"frame at {at}: {kind} {id} is not defined before it in part {known['PART']}")

    def meaning(self, at, name, known):
        if name in ("MARK", "PARITY"):
            return  # packed_log.py has looked at these
        part = self.parts.setdefault(known["LOG"], [0, set(), 0])
        self.expect(part[0] <= known["PART"] <= part[0] + 1, f"frame at {at}: part {known['PART']} after {part[0]}")
        if known["PART"] != part[0]:
            part[:] = [known["PART"], set(), 0]
        uses = {
            "STRING": [("MODULE", "MODULE")], "PROCESS": [("CAPTURE", "PREAMBLE"), ("PARENT", "PROCESS")],
            "MAPPING": [("PROCESS", "PROCESS"), ("MODULE", "MODULE")], "THREAD": [("PROCESS", "PROCESS")],
            "SITE": [("FORMAT", "STRING"), ("FUNCTION", "STRING"), ("STREAM", "STREAM"), ("BACKTRACE", "BACKTRACE")],
            "BACKTRACE": [("LIKE", "BACKTRACE")], "DATA": [("SITE", "SITE"), ("THREAD", "THREAD")],
            "LOSS": [("CAPTURE", "PREAMBLE")], "CAPTURE_END": [("CAPTURE", "PREAMBLE")],
        }
        for field, kind in uses.get(name, []):
            self.defined(at, known, kind, known.get(field, 0))
        if name == "BACKTRACE":
            self.expect(len(known.get("MODULES", [])) == len(known.get("OFFSETS", [])), f"frame at {at}: modules and offsets differ in number")
            for module in known.get("MODULES", []):
                self.defined(at, known, "MODULE", module)
        if name == "PREAMBLE":
            self.expect(known["VERSION"] in (1, 2), f"frame at {at}: version {known['VERSION']}")
        if "ID" in known:
            self.expect(known["ID"] > 0, f"frame at {at}: {name} 0")
            part[1].add((name, known["ID"]))
        if name in ("BATCH", "DATA"):
            self.count(at, known, part, known.get("COUNT", 1))
        if name == "BATCH":
            self.batch(at, known)
        if name == "DATA":
            self.data(at, known)
        if name == "HANDED":
            for module, address, handed in packed_log.handed_of(known):
                self.defined(at, known, "MODULE", module, False)
                self.expect(all(begin <= call < end and abs(call - address) < 1 << 31 for _, _, call, begin, end in handed),
                            f"frame at {at}: the call before {address:x} is in no function")
        if name == "MODULE":
            self.expect(known["MAGIC"] == packed_log.magic_of(known), f"frame at {at}: module {known['ID']} has a MAGIC of something else")
        if name == "END":
            self.expect(known["MESSAGES"] == self.next.get(known["LOG"], 0), f"frame at {at}: END tells of {known['MESSAGES']} messages")

    def count(self, at, known, part, count):
        expected = self.next.get(known["LOG"], 0)
        self.expect(known["NUMBER"] == expected, f"frame at {at}: begins with message {known['NUMBER']}, not {expected}")
        self.expect(part[2] <= PART_MESSAGES, f"frame at {at}: its part has {part[2]} messages before it")
        self.expect(count > 0, f"frame at {at}: a batch of nothing")
        part[2] += count
        self.next[known["LOG"]] = known["NUMBER"] + count
        self.messages += count

    def batch(self, at, known):
        self.batches += 1
        messages = list(packed_log.batch_messages(known))
        walls = [message.wall for message in messages]
        self.expect((min(walls), max(walls)) == (known["FIRST"], known["LAST"]), f"frame at {at}: FIRST and LAST are not those of its messages")
        sites, writers, modules, clocks = packed_log.index_of(known)[:4]
        for site in sites:
            self.defined(at, known, "SITE", site[0], False)
            self.site(at, known, site, modules)
        for thread, capture, process, pid, tid, _ in writers:
            self.defined(at, known, "THREAD", thread, False)
            self.defined(at, known, "PROCESS", process, False)
            self.defined(at, known, "PREAMBLE", capture, False)
            have = self.find(known, "THREAD", thread)
            self.expect((have["PROCESS"], have["TID"]) == (process, tid), f"frame at {at}: thread {thread} is another one in the index")
            have = self.find(known, "PROCESS", process)
            self.expect((have["CAPTURE"], have["PID"]) == (capture, pid), f"frame at {at}: process {process} is another one in the index")
        for module in modules:
            have = self.find(known, "MODULE", module[0])
            self.expect([have.get("BUILD_ID", b""), have["PATH"], have.get("FILE_BYTES", 0), have.get("CONTENT_HASH", 0)] == [
                module[1] or b"", *module[2:5]], f"frame at {at}: module {module[0]} is another one in the index")
        self.expect(all(len(clock) == 6 for clock in clocks), f"frame at {at}: a clock is not six numbers")

    def data(self, at, known):
        """A message says itself what its site says, for when that is lost."""
        site = self.find(known, "SITE", known["SITE"])
        format = self.find(known, "STRING", site.get("FORMAT"))
        trace = self.log_of.backtrace(known["LOG"], site.get("BACKTRACE")) or [(0, 0)]
        magic = [self.find(known, "MODULE", module).get("MAGIC", 0) for module in (format.get("MODULE"), trace[0][0])]
        thread = self.find(known, "THREAD", known["THREAD"])
        wanted = [site["TEXT"], site["FLAGS"], self.find(known, "STREAM", site["STREAM"]).get("FLAGS", 0), site["KINDS"], magic[0],
                  format.get("OFFSET", 0), magic[1], trace[0][1], thread["TID"], self.find(known, "PROCESS", thread["PROCESS"])["PID"]]
        have = [known[name] for name in ("TEXT", "FLAGS", "STREAM", "KINDS", "MAGIC", "OFFSET", "CALL_MAGIC", "CALL_OFFSET", "TID", "PID")]
        self.expect(have == wanted, f"frame at {at}: a message says {have}, its site {wanted}")

    def find(self, known, kind, id):
        return self.log_of.find(known["LOG"], kind, id)

    def site(self, at, known, entry, modules):
        site = self.find(known, "SITE", entry[0])
        stream = self.find(known, "STREAM", site.get("STREAM"))
        format = self.find(known, "STRING", site.get("FORMAT"))
        trace = self.log_of.backtrace(known["LOG"], site.get("BACKTRACE")) or [(0, 0)]
        wanted = [site["TEXT"], site.get("FLAGS", 0), stream.get("FLAGS", 0), site.get("KINDS", b""), format.get("MODULE", 0),
                  format.get("OFFSET", 0), *trace[0]]
        module_of = [0] + [module[0] for module in modules]
        have = list(entry[2:6]) + [module_of[entry[6]], entry[7], module_of[entry[8]], entry[9]]
        self.expect(have == wanted, f"frame at {at}: site {entry[0]} is {have} in the index, but defined as {wanted}")


def main():
    check = Check()
    for path in sys.argv[1:]:
        check.log(path)
    if check.wrong:
        sys.exit("\n".join(line[:300] for line in check.wrong[:10]))
    print(f"{check.frames} frames, {check.batches} batches, {check.messages} messages")


if __name__ == "__main__":
    main()
