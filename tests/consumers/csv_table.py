# csv_table.py FILE PATH TEXTS: compares one table of all calls with what binlog-show says of PATH, and that of the texts
# with the program's source.
import csv
import re
import sys

import exports

csv.field_size_limit(1 << 30)


def read(path):
    with open(path, newline='', encoding='utf-8') as file:
        rows = list(csv.reader(file))
    exports.ok('each row has all columns', {len(row) for row in rows} == {len(rows[0])})
    return [dict(zip(rows[0], row)) for row in rows[1:]]


def formulas(rows):
    return [cell for row in rows for name, cell in row.items() if name not in ('time', 'pid', 'tid') and re.match('[-=+@\t]', cell)]


# As binlog-export(7) says: a ' before it is none of it, and what would move a cursor is \xNN.
def exact(text):
    text = text[1:] if text.startswith("'") else text
    return re.sub(rb'\\x([0-9a-f]{2})', lambda found: bytes([int(found[1], 16)]), text.encode())


rows = read(sys.argv[1])
texts = read(sys.argv[3])
exports.same('no text is a formula', [], formulas(rows) + formulas(texts))
exports.same('texts are the same bytes', exports.HOSTILE, [exact(row['text']) for row in texts])
exports.same('also when they are cut', [value[:3] for value in exports.HOSTILE], [exact(row['cut']) for row in texts])
for row in rows:
    row['time'] = exports.nanoseconds(row['time'])
    row['pid'], row['tid'] = int(row['pid']), int(row['tid'])
    row['message'] = exact(row['message'])
exports.check(rows, sys.argv[2])
exports.finish()
