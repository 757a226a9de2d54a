# msgpack_maps.py FILE PATH: compares maps of MessagePack with what binlog-show says of PATH.
import sys

import msgpack

import exports


def exact(value):
    return value.encode() if isinstance(value, str) else value


with open(sys.argv[1], 'rb') as file:
    maps = list(msgpack.Unpacker(file, raw=False, max_buffer_size=1 << 28, strict_map_key=True))
entries = []
for entry in maps:
    entry['time'] = entry.pop('time_ns')
    if 'message' in entry:
        entry['message'] = exact(entry['message'])
        entry['args'] = [(arg['name'], exact(arg['value'])) for arg in entry['args']]
    entries.append(entry)
calls, _ = exports.check(entries, sys.argv[2])
exports.check_values(calls)
exports.finish()
