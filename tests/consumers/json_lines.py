# json_lines.py FILE PATH: compares JSON lines with what binlog-show says of PATH.
import base64
import json
import math
import sys

import exports

SPECIAL = {'NaN': math.nan, 'Infinity': math.inf, '-Infinity': -math.inf}


def exact(entry, key, also):
    return base64.b64decode(entry[also]) if also in entry else entry[key].encode()


def value_of(arg):
    value = arg['value']
    if arg['type'] == 'float':
        return SPECIAL.get(value, value)
    return exact(arg, 'value', 'bytes') if isinstance(value, str) and arg['type'] != 'pointer' else value


def entry_of(line):
    entry = json.loads(line)
    made = {key: entry[key] for key in entry if key not in ('time', 'args', 'message')}
    made['time'] = entry['time_ns']
    if exports.nanoseconds(entry['time'].rstrip('Z')) != entry['time_ns'] or not entry['time'].endswith('Z'):
        raise ValueError(entry['time'])
    if 'message' in entry:
        made['message'] = exact(entry, 'message', 'message_bytes')
        made['args'] = [(arg['name'], value_of(arg)) for arg in entry['args']]
    return made


with open(sys.argv[1], 'rb') as file:
    text = file.read()
exports.ok('no byte of it moves a cursor', not any(byte < 32 and byte != 10 or byte == 127 for byte in text))
entries = [entry_of(line) for line in text.split(b'\n')[:-1]]
calls, events = exports.check(entries, sys.argv[2])
exports.check_values(calls, pointer=lambda value: int(value, 16))
exports.same('processes and how they ended', ['exited with status 1', 'exited with status 2', 'killed by SIGSEGV'],
             sorted(event['words'] for event in events))
exports.finish()
