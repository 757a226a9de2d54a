"""damage_formats.py HOW FROM TO: a copy of a capture in which the definition of every format is damaged.

HOW is `kind` (it is of an unknown kind, so that it is skipped), `length` (it is longer than its record), `zeros` (its
text is), `directives` (other arguments seem to be taken, of those that take some).  Prints how many there were.
"""
import sys
from capture_records import CONTEXT, STRING, Context, u32, walk

how, source, target = sys.argv[1:]
with open(source, 'rb') as file:
    data = bytearray(file.read())
strings = {}
formats = set()
for writer, kind, at, _ in walk(data):
    if kind == STRING:
        strings[writer, u32(data, at + 8)] = at
    elif kind == CONTEXT:
        context = Context(data, at)
        if context.format and (context.kinds or how != 'directives'):
            formats.add((writer, context.format))
for key in formats:
    at = strings[key]
    length = u32(data, at + 12)
    text = slice(at + 24, at + 24 + length)
    if how == 'kind':
        data[at] = 15
    elif how == 'length':
        data[at + 14] = 1
    elif how == 'zeros':
        data[text] = bytes(length)
    elif how == 'directives':
        data[text] = b'%f%d%s%d%f%s%p%s%f'[:length].ljust(length, b'%')
with open(target, 'wb') as file:
    file.write(data)
print(len(formats))
