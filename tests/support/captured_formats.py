"""captured_formats.py SHOW PROGRAM DIR [direct]: whether the index of a program has the formats that it has used.

Prints how many constant formats of the program are in the captures in DIR, how many of these are in the index, and, one
in a line, those that are not.  With `direct` those that went through vprintf and its like do not count.
"""
import glob
import re
import struct
import subprocess
import sys
from capture_records import CONTEXT, MODULE, STRING, Context, u32, u64, walk

PRINTS = re.compile(rb'printf|syslog|warn|err')
ESCAPES = {7: '\\a', 8: '\\b', 9: '\\t', 10: '\\n', 11: '\\v', 12: '\\f', 13: '\\r', 34: '\\"', 92: '\\\\'}

show, program, directory = sys.argv[1:4]
if len(sys.argv) > 4:
    PRINTS = re.compile(rb'^(_*[^_v]*printf|_*[^_v]*printf_chk|syslog|warn|err)')


def literal(text):
    return '"' + ''.join(ESCAPES.get(c, chr(c) if 32 <= c < 127 else '\\x%02x' % c) for c in text) + '"'


def formats(data):
    """Texts of formats that are at an address inside of the program."""
    strings, used, ranges = {}, set(), []
    for writer, kind, at, _ in walk(data):
        if kind == STRING:
            length = u32(data, at + 12)
            strings[writer, u32(data, at + 8)] = (u64(data, at + 16), data[at + 24:at + 24 + length])
        elif kind == MODULE:
            start, end = struct.unpack_from('<QQ', data, at + 8)
            id_bytes, path_bytes = struct.unpack_from('<II', data, at + 48)
            path = at + 56 + id_bytes
            if data[path:path + path_bytes] == program.encode():
                ranges.append((start, end))
        elif kind == CONTEXT:
            context = Context(data, at)
            if context.format and PRINTS.search(strings[writer, context.function][1]):
                used.add(strings[writer, context.format])
    return {text for address, text in used if any(start <= address < end for start, end in ranges)}


index = subprocess.run([show, '--index', program], stdout=subprocess.PIPE, check=True).stdout.decode(errors='replace')
used = set()
for path in glob.glob(directory + '/*.binlog'):
    with open(path, 'rb') as file:
        used |= formats(file.read())
missing = [literal(text) for text in used if literal(text) not in index]
print(len(used), len(used) - len(missing))
print('\n'.join(missing))
