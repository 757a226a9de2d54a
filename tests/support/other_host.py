"""other_host.py CAPTURE OUT HOST SALT SHIFT JUMP: the capture of another machine that has run the same, as it would have written it

Each file of the directory CAPTURE goes to the directory OUT.  Its random numbers are others, told by SALT, and so is the boot of the kernel; its host is called HOST, a
name as long as the one that it had; its wall clock is SHIFT nanoseconds ahead, and is set JUMP nanoseconds further in the middle of
what it says.  Numbers may be negative; a clock before 1970 is at its beginning.  The format is that of binlog(5).
"""
import hashlib
import os
import struct
import sys

sys.dont_write_bytecode = True

from capture_records import blocks, u64, walk  # noqa: E402

CLOCK, PROCESS = 1, 2
TICKS, REALTIME = 0, 8  # in an anchor


def main(capture, out, host, salt, shift, jump):
    shift, jump, host = int(shift), int(jump), host.encode()
    other = lambda number: int.from_bytes(hashlib.sha256(f"{salt} {number}".encode()).digest()[:8], "little") | 1  # noqa: E731
    files = {name: bytearray(open(f"{capture}/{name}", "rb").read()) for name in os.listdir(capture) if name.endswith(".binlog")}
    # All processes of a run see the clock set at the same moment.
    ticks = [u64(data, at + 32) for data in files.values() for _, _, at, _ in blocks(data)]
    middle = (min(ticks) + max(ticks)) // 2
    os.makedirs(out)
    for name, data in files.items():
        def put(at, number):
            data[at:at + 8] = struct.pack("<Q", number)

        def set_clock(anchor):
            wall = u64(data, anchor + REALTIME) + shift + (jump if u64(data, anchor + TICKS) > middle else 0)
            put(anchor + REALTIME, max(wall, 0))

        places = [at for _, _, at, _ in blocks(data)]
        for _, kind, at, size in walk(data):
            if kind == CLOCK:
                set_clock(at + 8)
            elif kind == PROCESS:
                record = bytes(data[at:at + size])
                begin = record.find(b"\0host-")
                if begin >= 0:
                    end = record.index(b"\0", begin + 1)
                    assert end - begin - 1 == len(host), record[begin:end]
                    data[at + begin + 1:at + end] = host
        for at in places:
            put(at + 8, other(u64(data, at + 8)))
            set_clock(at + 32)
        data[80:96] = hashlib.sha256(f"boot {salt}".encode()).digest()[:16]
        for at in (16, 24, 1256):
            if u64(data, at):
                put(at, other(u64(data, at)))
        set_clock(48)
        with open(f"{out}/{name}", "wb") as file:
            file.write(data[:max(end for _, _, _, end in blocks(data))])


main(*sys.argv[1:])
