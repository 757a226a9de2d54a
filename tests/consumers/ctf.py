# ctf.py TRACE PATH: compares what babeltrace2 reads in a CTF trace with what binlog-show says of PATH.
import sys

import bt2
import exports
import said

LEVELS = ['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', None, None, None, None, None, None, None, 'debug']
# bits, signed, base
TYPES = {'least': (64, True, 10), 'all': (64, False, 10), 'byte': (8, True, 10), 'short': (16, True, 10),
         'hex': (32, False, 16), 'octal': (32, False, 8), 'at': (64, False, 16), 'worker': (32, True, 10)}


def plain(field):
    if isinstance(field, bt2._StringFieldConst):
        return str(field)
    return float(field) if isinstance(field, bt2._RealFieldConst) else int(field)


def type_of(field):
    return field.field_value_range, isinstance(field, bt2._SignedIntegerFieldClassConst), int(field.preferred_display_base)


def text(value):
    if isinstance(value, str):
        return said.unescaped(value)
    return chr(value).encode() if value > 255 else bytes([value])


def entry_of(message):
    event = message.event
    context = event.common_context_field
    level = event.cls.log_level # a number, or since babeltrace2 2.1 one of an enumeration
    fields = [(name, plain(value)) for name, value in event.payload_field.items()]
    return {'time': message.default_clock_snapshot.ns_from_origin, 'level': LEVELS[getattr(level, 'value', level)],
            'format': event.name, 'args': fields[:-1], 'message': fields[-1][1],
            **{name: plain(context[name]) for name in ('pid', 'tid', 'thread', 'program', 'stream')}}


calls, types, streams = [], {}, {}
for message in bt2.TraceCollectionMessageIterator(sys.argv[1]):
    if type(message) is not bt2._EventMessageConst:
        continue
    calls.append(entry_of(message))
    streams.setdefault(message.event.stream.id, set()).add((calls[-1]['pid'], calls[-1]['tid']))
    for name, member in message.event.cls.payload_field_class.items():
        if isinstance(member.field_class, bt2._IntegerFieldClassConst):
            types[name] = type_of(member.field_class)
wanted = said.calls(sys.argv[2])
for call in wanted:
    call['time'] = call['time_ns']
    call['message'] = said.escaped(said.text(call))
    call['thread'] = said.escaped(call['thread'].encode())
order = lambda call: (call['time'], call['pid'], call['tid'])  # the only one among several streams
for name in ('time', 'pid', 'tid', 'level', 'thread', 'program', 'stream', 'message'):
    exports.same('babeltrace2 reads each call as it was: ' + name, [call[name] for call in sorted(wanted, key=order)],
                 [call[name] for call in sorted(calls, key=order)])
exports.ok('each thread has a stream, and each stream a thread', sorted(map(len, streams.values())) == [1] * len(streams) and
           len(streams) == len({(call['pid'], call['tid']) for call in wanted}), streams)
exports.same('integers have the size, sign and base of their directives', sorted(TYPES.items()),
             sorted((name, types[name]) for name in TYPES))
exports.check_values(calls, text=text, null='(null)')
exports.finish()
