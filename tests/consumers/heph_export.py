# heph_export.py TRACE PATH: compares what a reader of Heph's format finds in an export with what binlog-show says of PATH.
import sys

import exports
import heph_packets as heph
import said

with open(sys.argv[1], 'rb') as file:
    packets = list(heph.read(file.read()))
exports.ok('the trace begins with its epoch, and has no other option', packets[0][0] == 'epoch' and
           not any(isinstance(packet, tuple) for packet in packets[1:]), packets[:2])
epoch, events = packets[0][1], packets[1:]
wanted = said.calls(sys.argv[2])
exports.same('there are as many events as calls', [len(wanted)], [len(events)])
calls, counters, streams = [], {}, {}
for call, event in zip(wanted, events):
    call['time'] = call['time_ns']
    call['message'] = said.escaped(said.text(call))
    call['format'] = said.escaped(call.get('format', '').encode())
    call['thread'] = said.escaped(call['thread'].encode())
    own = {name: value for name, kind, value in event['attributes'] if name.startswith('binlog.')}
    args = [(name, value) for name, kind, value in event['attributes'] if not name.startswith('binlog.')]
    streams.setdefault(event['stream'], set()).add((call['pid'], call['tid']))
    counters.setdefault(event['stream'], []).append(event['counter'])
    calls.append({
        'time': epoch + event['start'], 'message': event['description'] + ''.join(own.get('binlog.rest', [])), 'args': args,
        'format': own.get('binlog.format', ''), **{name: own['binlog.' + name] for name in
                                                   ('program', 'pid', 'tid', 'thread', 'stream', 'level', 'function')}})
said.compare('the reader', wanted, calls,
             ('time', 'message', 'format', 'program', 'pid', 'tid', 'thread', 'stream', 'level', 'function'))
exports.ok('an event takes no time, and is in no substream', all(event['start'] == event['end'] and event['substream'] == 0
                                                                 for event in events))
exports.ok('each thread has a stream, and each stream a thread', all(len(threads) == 1 for threads in streams.values()) and
           len(streams) == len(set().union(*streams.values())), streams)
exports.ok('the events of each are counted', all(counts == list(range(len(counts))) for counts in counters.values()))
types = {name: kind for event in events for name, kind, _ in event['attributes']}
exports.same('types are those of the directives', [heph.I64, heph.U64, heph.I64, heph.F64, heph.STRING, heph.U64],
             [types[name] for name in ('least', 'all', 'byte', 'took', 'from', 'at')])
exports.check_values(calls, null='(null)', text=lambda value: said.unescaped(value) if isinstance(value, str) else
                     chr(value).encode() if value > 255 else bytes([value]))
exports.finish()
