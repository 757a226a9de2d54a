# heph_pipe.py DIRECTORY: traces of Heph through a pipe say what they say as files, whatever is in them; and beside logs.
import os
import random
import struct
import subprocess
import sys

import exports
import heph_packets as heph

os.chdir(sys.argv[1])
SHOW = os.environ['SHOW']


def run(*options, given=None, pieces=None):  # status, output, complaints
    shown = subprocess.Popen([SHOW, '-u', *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if pieces:
        for piece in pieces[:-1]:
            shown.stdin.write(piece)
            shown.stdin.flush()
        given = pieces[-1]
    out, said = shown.communicate(given)
    return shown.returncode, out, said.decode().replace('trace:', '-:').split('\n')[:-1]


def both(name, data, *options):
    with open('trace', 'wb') as file:
        file.write(data)
    wanted, got = run(*options, 'trace'), run(*options, '-', given=data)
    exports.same(name, wanted, got)
    return got


def event(text, at, **more):
    return heph.event(text, ('n', heph.I64, -at), start=at, **more)


EPOCH = heph.epoch(1610113734118010000)
A, B, C = event('A', 1), event('B', 2, counter=1), event('C', 3, counter=2)
got = both('a pipe is a trace by its first bytes', EPOCH + A + B)
exports.same('and shown with its times', [0, b'2021-01-08 13:48:54.118010001 heph[0:0] trace: A n=-1\n'
                                          b'2021-01-08 13:48:54.118010002 heph[0:0] trace: B n=-2\n',
                                          ['2 captured, 0 passed, 0 dropped']], got)
got = both('an epoch that comes last holds for all of it', A + B + EPOCH)
exports.ok('with its times', got[1].startswith(b'2021-01-08 13:48:54.118010001'), got)
both('of two epochs the last one', heph.epoch(1) + A + EPOCH + B)
both('without one times are relative', A + B)
both('as JSON the same', EPOCH + A + B, '-o', 'json', '-q')
both('and as Heph', EPOCH + A + B, '-o', 'heph', '-q')
both('what is missing is missing', EPOCH + A + C)
exports.same('byte by byte, too', run('-', given=EPOCH + A), run('-', pieces=[bytes([byte]) for byte in EPOCH + A]))
with open('trace', 'wb') as file:
    file.write(EPOCH + A)
with open('trace', 'rb') as file:
    done = subprocess.run([SHOW, '-u', '-'], stdin=file, capture_output=True, check=False)
exports.same('a file on standard input as well', run('trace')[:2], [done.returncode, done.stdout])

# Damage.
SIZED = struct.pack('>II', heph.EVENT, 1 << 26)
for name, between in (('bytes that are no packet', b'garbage'), ('a length beyond the end', SIZED + bytes(50)),
                      ('a length that is too small', struct.pack('>II', heph.EVENT, 41) + bytes(50)), ('zeros', bytes(300000)),
                      ('many lengths beyond the end', SIZED * 5000)):
    for at, data in ((0, EPOCH + between + A + B), (1, EPOCH + A + between + B), (2, EPOCH + A + B + between)):
        both('%s: the rest is read (%d)' % (name, at), data)
for end in range(8, len(EPOCH + A + B), 7):
    both('cut off behind byte %d' % end, (EPOCH + A + B)[:end])
dice = random.Random(2)
trace = EPOCH + b''.join(event('x' * dice.randrange(200), at, counter=at) for at in range(3000))
for _ in range(30):
    hostile = bytearray(trace)
    for _ in range(dice.randrange(1, 20)):
        at = dice.randrange(8, len(hostile))
        hostile[at:at + dice.randrange(4)] = dice.randbytes(dice.randrange(4))
    both('damage anywhere is the same damage', bytes(hostile))
for name, given in (('nothing', b''), ('seven bytes', EPOCH[:7]), ('garbage', b'garbage' * 10), ('text', b'A line.\n'),
                    ('a magic number, but no size', struct.pack('>II', heph.EVENT, 9) + bytes(100))):
    status, out, said = run('-', given=given)
    exports.ok('%s is no trace, and said to be none' % name, status == 2 and out == b'' and len(said) > 0, (status, out, said))

# More than is held.
large = A + b''.join(event('y' * 60000, at, counter=at - 1) for at in range(2, 40)) + heph.epoch(1610113734118010000) + \
    event('Z', 40, counter=39)
status, out, said = run('--limit=heph-held=1M', '-', given=large)
exports.same('an epoch behind what is held: times are relative, and wrong', [1, 40, [
    '-:0: times are relative: the trace does not say when it began: they are shown as if that had been at the beginning of 1970',
    '-:%d: times are wrong: the trace says when it began behind more than is held of a pipe (bytes %d): '
    'give it as a file, or raise --limit=heph-held=N' % ((len(large) - len(event('Z', 40)) - 23,) * 2)]],
    [status, out.count(b'\n'), said[:-1]])
both('as a whole it is held by default', large)
status, out, said = run('--limit=heph-held=1M', '-', given=EPOCH + large)
exports.same('the same epoch again is none', [0, 40], [status, out.count(b'\n')])

# Beside others.
with open('trace', 'wb') as file:
    file.write(EPOCH + A + B)
alone = run('-q', 'log.blog')[1]
for first, second in (('trace', 'log.blog'), ('log.blog', 'trace'), ('capture', 'trace')):
    status, out, said = run('-q', first, second)
    exports.same('%s and %s: in the order of their times' % (first, second), run('-q', 'trace')[1] + alone, out)
exports.same('a trace from a pipe beside a log', run('-q', 'trace', 'log.blog'), run('-q', '-', 'log.blog', given=EPOCH + A + B))
with open('log.blog', 'rb') as file:
    log = file.read()
exports.same('a log from a pipe beside a trace', run('-q', 'trace', 'log.blog'), run('-q', '-', 'trace', given=log))
exports.same('a log byte by byte is a log still', alone, run('-q', '-', pieces=[log[:3], log[3:9], log[9:]])[1])
exports.finish()
