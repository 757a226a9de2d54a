"""hurt_log.py LOG TARGET TAG...: a copy of a packed log in which one byte of every frame with one of these tags is another.

Without its parity, by which they would come back.  A TAG is a name of packed_tags.def, or `definitions` for all of 1 to 8.  Prints how many frames that were.
"""
import sys

sys.dont_write_bytecode = True
import packed_log  # noqa: E402

source, target, *names = sys.argv[1:]
tags = {packed_log.TAGS[name] for name in names if name != "definitions"}
if "definitions" in names:
    tags |= set(range(1, 9))
with open(source, "rb") as file:
    data = bytearray(packed_log.without_parity(file.read()))
hurt = 0
for frame in packed_log.frames(bytes(data)):
    if frame.record[0] in tags:
        data[frame.end - 1 - hurt % len(frame.record)] ^= 0x10
        hurt += 1
with open(target, "wb") as file:
    file.write(data)
print(hurt)
