# journal.py ENTRIES PATH: compares what journalctl -o json has made of an export with what binlog-show says of PATH.
import json
import sys

import exports
import said


def raw(value):  # text, or the bytes of what is none
    return bytes(value) if isinstance(value, list) else value.encode()


with open(sys.argv[1], encoding='utf-8') as file:
    entries = [json.loads(line) for line in file]
wanted = said.calls(sys.argv[2])
calls = []
for call, entry in zip(wanted, entries):
    call['time'] = call['time_ns']
    call['message'] = said.text(call)
    call['format'] = call.get('format', '')
    call['ident'] = call.get('ident', call['program'])
    args = {key[len('BINLOG_ARG_'):]: raw(value) for key, value in entry.items() if key.startswith('BINLOG_ARG_')}
    args = {arg['name']: args.get(arg['name'].upper()) for arg in call['args']}
    calls.append({
        'time': int(entry['BINLOG_TIME_NS']), 'pid': int(entry['SYSLOG_PID']), 'tid': int(entry['TID']),
        'thread': raw(entry['BINLOG_THREAD']).decode(), 'stream': entry['BINLOG_STREAM'],
        'function': entry['BINLOG_FUNCTION'], 'ident': raw(entry['SYSLOG_IDENTIFIER']).decode(),
        'level': said.LEVELS[int(entry['PRIORITY'])], 'message': raw(entry['MESSAGE']),
        'format': raw(entry.get('BINLOG_FORMAT', '')).decode(), 'args': said.typed(call, args)})
exports.same('the journal has as many entries as there are calls', [len(wanted)], [len(entries)])
said.compare('journalctl', wanted, calls, ('time', 'pid', 'tid', 'thread', 'stream', 'function', 'ident', 'level', 'message', 'format'))
exports.same('its time is the same, but in microseconds', [call['time'] // 1000 for call in wanted],
             [int(entry['__REALTIME_TIMESTAMP']) for entry in entries])
exports.same('so is the facility of what went to syslog', ['2' if call['stream'] == 'syslog' and 'mail' in call['format'] else '3' if
             call['stream'] == 'syslog' else None for call in wanted], [entry.get('SYSLOG_FACILITY') for entry in entries])
exports.ok('it was all in one boot, whose clock went on', len({entry['_BOOT_ID'] for entry in entries}) == 1 and
           all(int(a['__MONOTONIC_TIMESTAMP']) <= int(b['__MONOTONIC_TIMESTAMP']) for a, b in zip(entries, entries[1:])))
exports.check_values(calls)
exports.finish()
