# heph_lost.py DIRECTORY: what the counters of a trace of Heph say was missed is shown where it is missing, with its time.
import json
import os
import random
import subprocess
import sys

import exports
import heph_packets as heph

os.chdir(sys.argv[1])
SHOW, PACK = os.environ['SHOW'], os.environ['BUILD'] + '/binlog-pack'


def show(*options):  # status, output
    done = subprocess.run([SHOW, '-q', '-u', *options], capture_output=True, check=False)
    return done.returncode, done.stdout


def lines(*options):
    return show('--columns=time,tid,message', *options)[1].decode().split('\n')[:-1]


def keep(path, data):
    with open(path, 'wb') as file:
        file.write(data)
    subprocess.run([PACK, '-fq', '-o', path + '.blog', path], capture_output=True, check=False)


# Events of some streams, of which some are left out: what is missing is known, and since when.
dice = random.Random(4)
EPOCH = 1610113734118010000
made, wanted, last, missing = [heph.epoch(EPOCH)], [], {}, {}
counters = {stream: dice.choice([0, 5, 2**32 - 20]) for stream in (1, 2, 77)}
at = 0
for number in range(500):
    stream, at = dice.choice(sorted(counters)), at + dice.randrange(10**10)
    counter = counters[stream]
    counters[stream] = (counter + 1) % 2**32
    if stream in last and dice.randrange(4) == 0:
        missing[stream] = missing.get(stream, 0) + 1
        continue
    if stream in missing:
        wanted.append((EPOCH + at, stream, missing.pop(stream), at - last[stream]))
    wanted.append((EPOCH + at, stream, 'event %d' % number))
    last[stream] = at
    made.append(heph.event('event %d' % number, stream=stream, counter=counter, start=at))
keep('lost', b''.join(made))


def text(row):  # time, stream, and the text, or how many are lost in how long
    return row[2] if len(row) == 3 else '(%d lost in the last %d.%09d s)' % (row[2], row[3] // 10**9, row[3] % 10**9)


for path in ('lost', 'lost.blog'):
    got = [line.split(maxsplit=3) for line in lines(path)]
    exports.same('%s: where what is missing is shown' % path, [(time, str(stream), text((time, stream, *rest)))
                                                               for time, stream, *rest in wanted],
                 [(exports.nanoseconds(day + ' ' + time), stream, said) for day, time, stream, said in got])
    status, out = show('-o', 'json', path)
    got = [json.loads(line) for line in out.decode().split('\n')[:-1]]
    exports.same('%s: JSON has it as an event' % path, [('lost', row[2], row[0], row[1]) for row in wanted if len(row) == 4],
                 [(each['event'], each['count'], each['time_ns'], each['tid']) for each in got if 'event' in each])
    exports.same('%s: and that is status 1' % path, [1], [status])
    got = json.loads(show('-o', 'chrome', path)[1])['traceEvents']
    exports.same('%s: Chrome an instant of the thread' % path, [(row[1], text(row)) for row in wanted if len(row) == 4],
                 [(each['tid'], each['args']['words']) for each in got if each['name'] == 'lost'])
trace = b''.join(made)
firsts = {}
for packet in heph.read(trace):
    if isinstance(packet, dict):
        firsts.setdefault(packet['stream'], packet['counter'])
for path in ('lost', 'lost.blog'):
    exports.same('%s: written as Heph its counters miss the same' % path,
                 [(packet['description'], (packet['counter'] - firsts[packet['stream']]) % 2**32)
                  for packet in heph.read(trace) if isinstance(packet, dict)],
                 [(packet['description'], packet['counter']) for packet in heph.read(show('-o', 'heph', path)[1])
                  if isinstance(packet, dict)])
exports.same('a stream can be asked for alone', [row for row in lines('lost') if row.split()[2] == '77'],
             lines('--tid', '77', 'lost'))

# Of what binlog-show has exported some packets are lost on their way.
packets, rest = [], show('-o', 'heph', 'capture')[1]
while rest:
    size = int.from_bytes(rest[4:8], 'big')
    packets, rest = packets + [rest[:size]], rest[size:]
wanted, counters, kept = 0, {}, []
for packet in packets:
    event = next(iter(heph.read(packet)))
    if isinstance(event, dict) and event['stream'] in counters and dice.randrange(5) == 0:
        continue
    kept.append(packet)
    if isinstance(event, dict):
        wanted += event['counter'] - counters.get(event['stream'], event['counter'] - 1) - 1
        counters[event['stream']] = event['counter']
keep('own', b''.join(kept))
for path in ('own', 'own.blog'):
    got = [json.loads(line) for line in show('-o', 'json', path)[1].decode(errors='replace').split('\n')[:-1]]
    exports.same('%s: those are lost that did not come' % path, [wanted],
                 [sum(each['count'] for each in got if each.get('event') == 'lost')])
    exports.ok('%s: and of the thread that the next one is of' % path, all(
        (a['pid'], a['tid'], a['stream'], a['time']) == (b['pid'], b['tid'], b['stream'], b['time'])
        for a, b in zip(got, got[1:]) if a.get('event') == 'lost'))
exports.same('packed it says the same', show('own'), show('own.blog'))
exports.ok('and as Heph again', show('-o', 'heph', 'own')[1] == show('-o', 'heph', 'own.blog')[1])
exports.finish()
