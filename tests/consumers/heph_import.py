# heph_import.py DIRECTORY: makes traces in it that binlog-show is asked to read, and to write again.
import os
import random
import struct
import subprocess
import sys

import exports
import heph_packets as heph

os.chdir(sys.argv[1])


def show(data, *options):  # status, output, complaints
    with open('trace', 'wb') as file:
        file.write(data)
    done = subprocess.run([os.environ['SHOW'], '-u', *options, 'trace'], capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr.decode().split('\n')[:-1]


def texts(data):  # status, the texts of the lines, complaints but for the sum
    status, out, said = show(heph.epoch(0) + data)
    return status, [line.split(' trace: ', 1)[1] for line in out.decode().split('\n')[:-1]], said[:-1]


def again(data):
    return show(data, '-q', '-o', 'heph')[1]


LINE = b'2021-01-08 13:48:54.118010100 heph[0:0] trace: My event Test=123 Test2=[123.456, 789] took=100 substream=1\n'
SUM = ['1 captured, 0 passed, 0 dropped']
OPTION, EVENT = heph.SAMPLE_OPTION, heph.SAMPLE_EVENT
exports.same("the description's packets have 23 and 91 bytes", [23, 91], [len(OPTION), len(EVENT)])
exports.same('they are a line', [0, LINE, SUM], show(OPTION + EVENT))
exports.same('and byte for byte the same again', OPTION + EVENT, again(OPTION + EVENT))
exports.same('an option that comes late holds for all events', [0, LINE, SUM], show(EVENT + OPTION))
status, out, said = show(EVENT)
exports.same('without it times are relative, and that is said', [0, LINE.replace(b'2021-01-08 13:48:54.118010100',
             b'1970-01-01 00:00:00.000000100'), True], [status, out, said[0].startswith('trace:0: times are relative: ')])
exports.same('and written without it again', EVENT, again(EVENT))
exports.same('attributes are arguments', LINE, show(OPTION + EVENT, '-q', '--where', 'Test > 122 && took == 100')[1])
exports.same('which events are chosen by', b'', show(OPTION + EVENT, '-q', '--where', 'Test > 123')[1])

odd = heph.event('say "%d" x=%', ('a "n=m', heph.STRING, '%s]'), ('', heph.I64, -1), ('e', heph.F64 | heph.ARRAY, []),
                 ('two', heph.STRING | heph.ARRAY, ['a, b', '']), ('took', heph.U64, 1), ('substream', heph.U64, 2))
exports.same('descriptions and names are no formats',
             [0, ['say "%d" x=% "a \\"n=m"=%s] ""=-1 e=[] two=[a, b, ] took=1 substream=2 took=0 substream=0'], []], texts(odd))
exports.same('and the same again', odd, again(odd))
many = heph.event('many', ('before', heph.U64, 1), ('all', heph.U64 | heph.ARRAY, list(range(1000))), ('after', heph.I64, -1))
exports.same('an array of a thousand is shown whole',
             [0, ['many before=1 all=[%s] after=-1' % ', '.join(map(str, range(1000)))], []], texts(many))
long = heph.event('d' * 65535, ('n' * 65535, heph.STRING, 's' * 65535))
exports.same('so are the longest strings', [0, ['d' * 65535 + ' ' + 'n' * 65535 + '=' + 's' * 65535], []], texts(long))
exports.same('and are the same again', long, again(long))


def value(dice, kind):
    if kind == heph.STRING:
        return ''.join(dice.choice('ab =%]["\\,\u00fc\U0001f600\n\x1b') for _ in range(dice.randrange(9)))
    if kind == heph.F64:
        return dice.choice([0.0, -0.0, 0.1, 1e300, 5e-324, float('inf'), dice.random()])
    return dice.choice([0, 1, 2**31, 2**32 - 1, 2**63 - 1]) if kind == heph.U64 else dice.choice([0, -1, -2**63, 2**63 - 1])


def random_attribute(dice):
    kind = dice.choice([heph.U64, heph.I64, heph.F64, heph.STRING])
    name = dice.choice(['size', 'x', 'took', 'substream', 'arg1', '']) + value(dice, heph.STRING)
    if dice.randrange(3) > 0:
        return name, kind, value(dice, kind)
    return name, kind | heph.ARRAY, [value(dice, kind) for _ in range(dice.randrange(5))]


def random_trace(dice):
    made, counters, at = [heph.epoch(dice.randrange(1, 2**60))], {}, 0
    for _ in range(300):
        stream = dice.randrange(5) * 1000003
        counters[stream] = counters.get(stream, -1) + 1
        at += dice.randrange(1000)
        made.append(heph.event(value(dice, heph.STRING), *(random_attribute(dice) for _ in range(dice.randrange(5))), stream=stream,
                               counter=counters[stream], substream=dice.choice([0, 0, 7, 2**64 - 1]), start=at,
                               end=at + dice.choice([0, 0, 5, 2**32])))
    return b''.join(made)


dice = random.Random(1)
for _ in range(5):
    trace = random_trace(dice)
    exports.ok('a random trace is byte for byte the same again', again(trace) == trace)


def counted(*counters):
    return texts(b''.join(heph.event(str(counter), counter=counter) for counter in counters))


def loss(offset, number):
    return 'trace:%d: events are missing: the counter of their stream goes on behind them (events %d): they are lost; ' \
           'the rest was read' % (offset, number)


ONE = len(heph.event('1'))
exports.same('what a counter misses is lost', [1, ['1', '2', '(2 lost in the last 0.000000000 s)', '5'], [loss(23 + 2 * ONE, 2)]], counted(1, 2, 5))
exports.same('it is in the sum', ['3 captured, 0 passed, 2 dropped'],
             show(b''.join(heph.event('x', counter=counter) for counter in (1, 2, 5)))[2][-1:])
exports.same('counters go round', [0, []], counted(2**32 - 1, 0, 1)[::2])
exports.same('and miss events there as well', [1, [loss(23 + ONE + 9, 2)]], counted(2**32 - 2, 1)[::2])
exports.same('a trace that does not count misses nothing', [0, []], counted(0, 0, 0)[::2])
exports.same('streams are counted by themselves', [0, []], texts(
    b''.join(heph.event('x', stream=stream, counter=counter) for counter in range(3) for stream in (1, 2)))[::2])

A, B = heph.event('A', counter=0), heph.event('B', counter=1)
SIZED = struct.pack('>II', heph.EVENT, 0xffffffff)
for name, between in (('bytes that are no packet', b'garbage'), ('a packet of impossible size', SIZED + bytes(50)),
                      ('a packet that is too small', struct.pack('>II', heph.EVENT, 41) + bytes(50)), ('zeros', bytes(100000))):
    exports.same('behind %s the rest is read' % name, [1, ['A', 'B'], [
        'trace:%d: skipped: no packet of a Heph trace begins here (bytes %d): events in it are lost; the rest was read; '
        '--limit=heph-packet=N takes longer ones' %
        (23 + len(A), len(between))]], texts(A + between + B))
exports.same('a trace may be cut off', [1, ['A'], [
    'trace:%d: cut off: the trace ends within this packet (bytes %d): whole packets before the end were read; '
    'copy the file again, in full' % (23 + len(A), len(B) - 1)]], texts(A + B[:-1]))
wrong = bytearray(heph.event('wrong'))
wrong[40:42] = b'\xff\xff'
exports.same('an event whose description is too long is lost', [1, ['A', 'B'], [
    'trace:%d: an event was skipped: the lengths in it do not fit its size: it is lost; the rest was read' % (23 + len(A))]],
    texts(A + wrong + B))
for kind in (0, 5, 0x80, 0x85, 0xff):
    body = heph.event('C', ('good', heph.U64, 1), counter=1) + heph.string('bad') + bytes([kind, 0, 1])
    body = body[:4] + struct.pack('>I', len(body)) + body[8:]
    exports.same('attributes of type %#x are left out' % kind, [1, ['A', 'C good=1', 'B'], [
        'trace:%d: attributes were skipped: the type of the next one is not known, or its length does not fit (bytes 8): '
        'the event is shown with those before' % (23 + len(A))]], texts(A + body + heph.event('B', counter=2)))
exports.same('an option that is not known is passed over', [0, ['A'], ['trace:23: passed over: an option of the trace that is '
             'not known: no event is missing']], texts(heph.option('colour', b'red') + A))

trace = random_trace(dice)[:20000]
statuses = set()
for _ in range(100):
    hostile = bytearray(trace)
    for _ in range(dice.randrange(1, 20)):
        at = dice.randrange(8, len(hostile))
        hostile[at:at + dice.randrange(4)] = dice.randbytes(dice.randrange(4))
    statuses.add(show(bytes(hostile), '-q')[0])
exports.ok('damage anywhere ends no reading', statuses <= {0, 1}, statuses)
exports.finish()
