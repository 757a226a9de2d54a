"""compare_log.py LOG CAPTURE...: whether a packed log says what the captures say, message by message.

Each message with its ticks, process, thread, kind, stream, format, function, stack and arguments; those of one writer in
their order, all in the order of ticks.  Prints differences, or how many messages there were.
"""
import collections
import itertools
import sys

sys.dont_write_bytecode = True
import captured  # noqa: E402
import packed_log  # noqa: E402

FAR = 1000000  # nanoseconds: anchors are that exact, when a machine is busy
STREAM_FIELDS = ["FLAGS", "FD", "MODE", "DEVICE", "INODE", "FILE", "POSITION", "BUFFERING", "ORDER", "BUFFER_BYTES",
                 "DESCRIPTION"]


def short(value):
    text = repr(value)
    return text if len(text) < 300 else text[:150] + "..." + text[-100:]


class Sites:
    """What the sites of a log stand for, in the words of captured.py."""

    def __init__(self, log):
        self.log = log
        self.known = {}

    def place(self, owner, module, offset):
        known = self.log.find(owner, "MODULE", module)
        return (known.get("PATH"), known.get("BUILD_ID", b"") if module else None, offset & packed_log.MASK)

    def of(self, owner, id):
        if (owner, id) not in self.known:
            self.known[owner, id] = self.resolve(owner, self.log.find(owner, "SITE", id))
        return self.known[owner, id]

    def resolve(self, owner, site):
        stream = self.log.find(owner, "STREAM", site.get("STREAM"))
        format = self.log.find(owner, "STRING", site.get("FORMAT"))
        function = self.log.find(owner, "STRING", site.get("FUNCTION"))
        return (site["TEXT"], site.get("FLAGS", 0),
                tuple(stream.get(name, 0) for name in STREAM_FIELDS) + (stream.get("PATH", b""),) if stream else None,
                (format.get("TEXT", b""),) + self.place(owner, format.get("MODULE", 0), format.get("OFFSET", 0)) if format else None,
                function.get("TEXT"),
                tuple(self.place(owner, *frame) for frame in self.log.backtrace(owner, site.get("BACKTRACE"))),
                site.get("KINDS", b""))


def of_log(log):
    sites = Sites(log)
    for message in log.messages():
        thread = log.find(message.log, "THREAD", message.thread)
        process = log.find(message.log, "PROCESS", thread.get("PROCESS"))
        said = (message.ticks, process.get("PID"), thread.get("TID"), bool(message.continues)) + sites.of(
            message.log, message.site) + (message.arguments,)
        yield said, message


def of_captures(paths):
    for path in itertools.chain(*map(captured.captures, paths)):
        for said in captured.Reader(path).messages():
            yield (said.ticks, said.pid, said.tid, said.continues, said.text, said.flags, said.stream, said.format,
                   said.function, said.trace, said.kinds, said.arguments)


def by_thread(messages):
    threads = collections.defaultdict(list)
    for said in messages:
        threads[said[1:3]].append(said)
    for each in threads.values():
        each.sort(key=lambda said: said[0])
    return threads


def is_in_order(messages):
    """The first two messages that are not; the pieces of one call stay together."""
    last = None
    for said in messages:
        if last and not said[3] and said[0] < last[0]:
            yield last, said
        if not said[3]:
            last = said


def compare(log, paths):
    packed = list(of_log(log))
    wanted = by_thread(of_captures(paths))
    got = by_thread(said for said, _ in packed)
    for key in sorted(set(wanted) | set(got), key=str):
        for number, (want, have) in enumerate(itertools.zip_longest(wanted.get(key, []), got.get(key, []))):
            if want != have:
                for name, a, b in zip(("ticks pid tid continues text flags stream format function stack kinds arguments").split(),
                                      want or [None] * 12, have or [None] * 12):
                    if a != b:
                        yield f"thread {key}, message {number}: {name}: captured {short(a)}, packed {short(b)}"
                break
    for before, behind in itertools.islice(is_in_order(said for said, _ in packed), 3):
        yield f"out of order: {before[:3]}, then {behind[:3]}"
    numbers = collections.defaultdict(list)
    for _, message in packed:
        numbers[message.log].append(message.number)
    for owner, each in numbers.items():
        if each != list(range(len(each))):
            yield f"messages of log {owner:x} are not numbered from 0 in their order"
    ends = sum(end["MESSAGES"] for name, end in log.ends if name == "END")
    if ends != len(packed):
        yield f"END tells of {ends} messages, there are {len(packed)}"


def far_off(log, paths):
    """A message whose wall time is another than the capture's anchors say."""
    readers = [captured.Reader(path) for path in itertools.chain(*map(captured.captures, paths))]
    for message in log.messages():
        off = min(abs(reader.wall(message.ticks) - message.wall) for reader in readers)
        if off > FAR:
            yield f"message {message.number}: its wall time is {off / 1e6:.3f} ms away from what the anchors say"


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    log = packed_log.Log(data)
    problems = [f"frame at {offset}: {what}" for offset, what in log.damage]
    if sum(frame.end - frame.offset for frame in log.found) != len(data):
        problems.append("there are bytes between frames")
    if log.unknown_tags or log.unknown_fields:
        problems.append(f"{log.unknown_tags} unknown tags, {log.unknown_fields} unknown fields")
    problems += itertools.islice(compare(log, sys.argv[2:]), 10)
    problems += itertools.islice(far_off(log, sys.argv[2:]), 1)
    if problems:
        sys.exit("\n".join(problems[:10]))
    print(sum(1 for _ in log.messages()), "messages")


if __name__ == "__main__":
    main()
