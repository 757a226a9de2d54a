# heph_pack.py DIRECTORY: a packed log of traces of Heph says, in every output, what the traces say.
import os
import random
import struct
import subprocess
import sys

import exports
import heph_packets as heph

os.chdir(sys.argv[1])
SHOW, PACK = os.environ['SHOW'], os.environ['BUILD'] + '/binlog-pack'


def run(*words, given=None):  # status, output, complaints
    done = subprocess.run(words, input=given, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors='replace').split('\n')[:-1]


def keep(path, data):
    with open(path, 'wb') as file:
        file.write(data)


def same(sentence, paths, *options):  # what is packed of the paths, and they themselves
    status, _, said = run(PACK, '-fq', *options, '-o', 'packed.blog', *paths)
    wanted = run(SHOW, '-u', *paths)
    exports.same(sentence + ': packing ends with the status of reading', [wanted[0]], [status])
    exports.ok(sentence + ': and says the same', said == wanted[2][:-1], (wanted[2], said))
    exports.same(sentence + ': the same lines and complaints', wanted, run(SHOW, '-u', 'packed.blog'))
    for style in ('json', 'csv', 'raw'):
        exports.same('%s: the same %s' % (sentence, style), run(SHOW, '-q', '-o', style, *paths)[1],
                     run(SHOW, '-q', '-o', style, 'packed.blog')[1])


def value(dice, kind):
    if kind == heph.STRING:
        return ''.join(dice.choice('ab =%]["\\,\u00fc\U0001f600\n\x1b') for _ in range(dice.randrange(9)))
    if kind == heph.F64:
        return dice.choice([0.0, -0.0, 0.1, 1e300, 5e-324, float('inf'), float('nan'), dice.random()])
    return dice.choice([0, 1, 2**31, 2**32 - 1, 2**63 - 1]) if kind == heph.U64 else dice.choice([0, -1, -2**63, 2**63 - 1])


def random_attribute(dice):
    kind = dice.choice([heph.U64, heph.I64, heph.F64, heph.STRING])
    name = dice.choice(['size', 'x', 'took', '']) + value(dice, heph.STRING)
    if dice.randrange(3) > 0:
        return name, kind, value(dice, kind)
    return name, kind | heph.ARRAY, [value(dice, kind) for _ in range(dice.randrange(5))]


def random_trace(dice, events=400):
    made, counters, at = [heph.epoch(dice.randrange(1, 2**60))], {}, 2**20
    for _ in range(events):
        stream = dice.randrange(5) * 1000003
        counters[stream] = counters.get(stream, -1) + 1
        at += dice.randrange(-500, 1000)
        made.append(heph.event(value(dice, heph.STRING), *(random_attribute(dice) for _ in range(dice.randrange(5))), stream=stream,
                               counter=counters[stream], substream=dice.choice([0, 0, 7, 2**64 - 1]), start=at,
                               end=at + dice.choice([0, 0, 5, 2**32])))
    return b''.join(made)


dice = random.Random(3)
EPOCH = heph.epoch(1610113734118010000)
keep('one', EPOCH + heph.SAMPLE_EVENT)
same("the description's example", ['one'])
same('as plain frames', ['one'], '--plain')
for at in range(3):
    trace = random_trace(dice)
    keep('random', trace)
    same('a random trace', ['random'], *[[], ['--plain'], ['--statements=never']][at])
    exports.ok('and the log of it written as Heph is that trace', run(SHOW, '-q', '-o', 'heph', 'packed.blog')[1] == trace)
exports.same('through a pipe', run(PACK, '-q', '-o', '-', 'random')[::2], run(PACK, '-q', '-o', '-', '-', given=trace)[::2])
keep('piped.blog', run(PACK, '-q', '-o', '-', '-', given=trace)[1])
exports.same('it is the same log', run(SHOW, '-q', 'random'), run(SHOW, '-q', 'piped.blog'))

# Several, and beside captures.
os.makedirs('other', exist_ok=True)
keep('other/one', EPOCH + heph.event('other', start=50) + heph.event('last', start=10**9, counter=1))
same('two of one name and epoch', ['one', 'other/one'])
same('beside captures, in the order of the times', ['capture', 'one', 'random'])
exports.ok('what binlog-show has exported', run(SHOW, '-q', '-o', 'heph', '--to', 'own.heph', 'capture')[0] == 0)
same('what binlog-show has exported', ['own.heph'])

# What is missing is missing in the log, too.
A, B = heph.event('A', counter=0), heph.event('B', counter=5)
for name, data in (('events that were missed', EPOCH + A + B), ('no epoch', A), ('garbage behind the first packet', EPOCH + b'garbage' + A),
                   ('cut off', EPOCH + A + B[:-1]), ('a length that lies', EPOCH + A + struct.pack('>II', heph.EVENT, 1 << 26) + bytes(99)),
                   ('an option that is not known', EPOCH + heph.option('colour', b'red') + A), ('an epoch alone', EPOCH)):
    keep('bad', data)
    same(name, ['bad'])
wrong = bytearray(heph.event('wrong'))
wrong[40:42] = b'\xff\xff'
keep('bad', EPOCH + A + wrong)
same('an event whose description is too long', ['bad'])
trace = random_trace(dice, 100)
for _ in range(5):
    hostile = bytearray(trace)
    for _ in range(dice.randrange(1, 20)):
        at = dice.randrange(8, len(hostile))
        hostile[at:at + dice.randrange(4)] = dice.randbytes(dice.randrange(4))
    keep('bad', hostile)
    same('damage anywhere', ['bad'])
many = heph.event('many', ('all', heph.STRING | heph.ARRAY, ['x' * 60000] * 100))
keep('long', EPOCH + many + heph.event('after', counter=1))
for option in ('-q', '--plain'):
    status, _, said = run(PACK, '-fq', option, '-o', 'long.blog', 'long')
    exports.same('a text of six megabytes is left out, and that is said (%s)' % option, [1, [
        '1 texts were left out: their events have more than a packed log can hold of one, 1 MiB: keep the trace, too']],
        [status, said])
    status, out, said = run(SHOW, '--columns=message', 'long.blog')
    exports.same('and told again when the log is shown', [1, b'many (null)\nafter\n', 'long:0: a text is incomplete'],
                 [status, out.split(b'\n', 1)[1], said[0][:28]])

# Refused.
for name, given, option in (('an empty file', b'', []), ('seven bytes', EPOCH[:7], [])):
    keep('none', given)
    status, out, said = run(PACK, '-fq', '-o', 'none.blog', 'none')
    exports.ok('%s is none' % name, status == 2 and len(said) == 1, (status, said))
    status, out, said = run(PACK, '-fq', '-o', 'none.blog', '-', given=given)
    exports.ok('%s from a pipe is none' % name, status == 2 and len(said) == 1, (status, said))
exports.same('a log is none to be packed', [2, ['binlog-pack: a packed log was given: it is packed already: '
             'give captures or directories of them']], run(PACK, '-fq', '-o', 'none.blog', 'log.blog')[::2])
exports.same('nor from a pipe', [2], [run(PACK, '-fq', '-o', 'none.blog', '-', given=out or b'\xc1')[0]])
before = open('one', 'rb').read()
exports.same('a trace is not overwritten by its log', [2, ['binlog-pack: the log would take the place of a capture: '
             'choose another name'], before], [*run(PACK, '-fq', '-o', 'one', 'one')[::2], open('one', 'rb').read()])
exports.finish()
