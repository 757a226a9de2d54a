"""false_frames.py MIB DIR: inputs in which frames are looked for again and again.  DIR/NAME.blog is one, of MIB MiB.

Each is a few bytes over and over, with one frame at the end that is whole and has to be found.
"""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "packed"))
from costly_logs import definitions, end, one  # noqa: E402

PATTERNS = {
    "map32": "c9", "reserved": "c1", "starts": "c1ce", "starts_alone": "c1ce00", "heads": "c1ce00000000c1",
    # A head of a frame is so many bytes; its record may begin within it:
    "every_4": "c1cec1bf",           # each is the sum of the one before, with records of 31 bytes
    "every_4_long": "c1cec1da",      # and of 49,614 bytes
    "every_8": "c1ce01810000c1da",   # whose records begin as records do
    "every_8_short": "c1ce01ff0181c1c4",
    "every_10": "c1ce01810000c1db003f",  # and of 4 MB
    "every_10_short": "c1ce01020304c1bf0181",
    "every_14": "c1ce01020304c1db003fffff0181",
    "too_long": "c1ce01020304c1dbffffffff",
}
# The same with nothing at a multiple of eight bytes.
BEFORE = {"every_8_odd": ("every_8", "c1ce01020304c1da7fff018100")}

if __name__ == "__main__":
    behind = definitions() + one() + end(1)
    inputs = {name: (b"", bytes.fromhex(pattern)) for name, pattern in PATTERNS.items()}
    inputs.update({name: (bytes.fromhex(before), inputs[of][1]) for name, (of, before) in BEFORE.items()})
    for name, (before, pattern) in inputs.items():
        size = int(sys.argv[1]) << 20
        with open(f"{sys.argv[2]}/{name}.blog", "wb") as file:
            file.write((before + pattern * (size // len(pattern)))[:size] + b"\0" * 64 + behind)
