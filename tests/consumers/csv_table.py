# csv_table.py FILE PATH: compares one table of all calls with what binlog-show says of PATH.
import csv
import re
import sys

import exports

csv.field_size_limit(1 << 30)


def exact(text):  # as manual page says: one ' before it, and \xNN for what would move a cursor
    text = text[1:] if text.startswith("'") else text
    return re.sub(r'\\x([0-9a-f]{2})', lambda found: chr(int(found[1], 16)), text).encode('latin-1', 'surrogateescape') \
        if text.isascii() else text.encode()


with open(sys.argv[1], newline='', encoding='utf-8') as file:
    rows = list(csv.reader(file))
head, rows = rows[0], rows[1:]
exports.ok('each row has all columns', {len(row) for row in rows} == {len(head)})
formulas = [cell for row in rows for name, cell in zip(head, row) if name not in ('time', 'pid', 'tid') and cell[:1] in '=+-@\t' and cell]
exports.same('no text is a formula', [], formulas)
entries = []
for row in rows:
    entry = dict(zip(head, row))
    entry['time'] = exports.nanoseconds(entry['time'])
    entry['pid'], entry['tid'] = int(entry['pid']), int(entry['tid'])
    entry['message'] = exact(entry['message'])
    entries.append(entry)
calls, _ = exports.check(entries, sys.argv[2], exact=False)
shown = exports.show('--columns=message', sys.argv[2])
got = b''.join(entry['message'] + (b'' if entry['message'].endswith(b'\n') else b'\n') for entry in calls
               if entry['message'].isascii() and b'\\' not in entry['message'] and entry['message'].isascii()
               and not re.search(rb'[^ -~\n]', entry['message']))
want = [line for line in got.split(b'\n') if line not in shown.split(b'\n')]
exports.same('plain messages are those of the lines', [], want)
exports.finish()
