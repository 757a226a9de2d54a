# syslog_json.py FILE PATH: compares what rsyslogd has made of messages (JSON lines) with what binlog-show says of PATH.
import json
import sys

import exports
import said

BOM = b'\xef\xbb\xbf'


def raw(value):
    return value.encode('utf-8', 'surrogateescape')


def message_of(text):
    whole = raw(text)
    return whole[len(BOM):] if whole.startswith(BOM) else whole


with open(sys.argv[1], encoding='utf-8', errors='surrogateescape') as file:
    entries = [json.loads(line) for line in file]
wanted = said.calls(sys.argv[2])
exports.same('rsyslogd has as many messages as there are calls', [len(wanted)], [len(entries)])
calls = []
for call, entry in zip(wanted, entries):
    call['time'] = call['time_ns']
    call['message'] = said.text(call).replace(b'\0', b'#000')  # as rsyslogd has it, whatever it is told
    call['format'] = said.escaped(call.get('format', '').encode())
    call['ident'] = call.get('ident', call['program'])
    call['facility'] = 1 if call['stream'] != 'syslog' else 2 if 'mail' in call['format'] else 3
    own, args = entry['sd']['binlog@32473'], entry['sd'].get('args@32473', {})
    calls.append({
        'time': int(own['time_ns']), 'pid': int(entry['pid']), 'tid': int(own['tid']), 'thread': own['thread'],
        'stream': own['stream'], 'function': own['function'], 'format': own.get('format', ''), 'ident': entry['app'],
        'level': said.LEVELS[int(entry['pri']) % 8], 'facility': int(entry['pri']) // 8, 'message': message_of(entry['text']),
        'args': said.typed(call, {name: said.unescaped(value) for name, value in args.items()})})
said.compare('rsyslogd', wanted, calls,
             ('time', 'pid', 'tid', 'thread', 'stream', 'function', 'format', 'ident', 'level', 'facility', 'message'))
exports.same('its time is the same, but in microseconds', [call['time'] // 1000 for call in wanted],
             [exports.nanoseconds((entry['time'].split('+')[0] + '000')) // 1000 for entry in entries])
exports.ok('text that is UTF-8, and not ASCII alone, says so', all(
    raw(entry['text']).startswith(BOM) == (not call['message'].isascii() and '\\x' not in said.escaped(call['message']))
    for call, entry in zip(wanted, entries)))
exports.ok('messages of one place have one MSGID, and others another',
           len({entry['msgid'] for entry in entries}) == len({(entry['msgid'], call['format']) for call, entry in zip(calls, entries)}))
exports.check_values(calls)
exports.finish()
