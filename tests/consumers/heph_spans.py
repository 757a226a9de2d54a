# heph_spans.py DIRECTORY: spans as events of Heph: when they began and ended, on whose stream, and within which others.
import os
import random
import subprocess
import sys

import exports
import heph_packets as heph

os.chdir(sys.argv[1])
SHOW = os.environ['SHOW']


def show(*options):
    return subprocess.run([SHOW, '-q', '-u', *options], capture_output=True, check=False).stdout


def paired(said):  # messages (time, thread, text), in their order: spans [begin, end or None, thread, text, rule]
    opened, spans = {}, []
    for place, (time, thread, text) in enumerate(said):
        verb, _, rest = text.partition(' ')
        if verb in ('leave', 'done'):
            key = ('enter', thread) if verb == 'leave' else ('start', rest)
            mine = [span for span in opened.get(key, []) if span['thread'] == thread] or opened.get(key, [])
            if mine:
                span = mine[-1]
                opened[key].remove(span)
                span.update(end=time, ended=place)
        if verb in ('enter', 'start'):
            spans.append({'begin': time, 'end': None, 'began': place, 'ended': 10**9, 'thread': thread, 'text': text,
                          'rule': verb, 'number': len(spans) + 1})
            opened.setdefault(('enter', thread) if verb == 'enter' else ('start', rest), []).append(spans[-1])
    for span in spans:  # that which encloses it, the innermost
        around = [other for other in spans if other['thread'] == span['thread'] and other['began'] < span['began'] and
                  (other['ended'] > span['ended'] or other['end'] is None)]
        span['parent'] = max((other['number'] for other in around), default=None)
    return spans


def compare(name, said, trace, last):
    packets = [packet for packet in heph.read(trace) if isinstance(packet, dict)]
    epoch = next((packet[1] for packet in heph.read(trace) if isinstance(packet, tuple)), 0)
    threads, events, counters, numbered = {}, [], {}, True
    for packet in packets:
        numbered = numbered and packet['counter'] == counters.get(packet['stream'], 0)
        counters[packet['stream']] = packet['counter'] + 1
        own = {key: value for key, _, value in packet['attributes']}
        if 'binlog.span' in own:
            events.append((own, packet))
    places = iter(said)
    for packet in packets:
        if 'binlog.span' not in {key for key, _, _ in packet['attributes']}:
            threads[next(places)[1]] = packet['stream']
    wanted = paired(said)
    exports.ok(name + ': as many events as messages and spans', len(packets) == len(said) + len(wanted),
               (len(packets), len(said), len(wanted)))
    exports.ok(name + ': the events of a stream are counted, spans as well', numbered)
    exports.same(name + ': when each began and ended, on whose stream, and what began it', sorted(
        (span['number'], span['begin'], last if span['end'] is None else span['end'], threads[span['thread']], span['text'])
        for span in wanted), sorted((own['binlog.span'], epoch + packet['start'], epoch + packet['end'], packet['stream'],
                                     packet['description']) for own, packet in events))
    exports.same(name + ': each within the innermost of its thread that encloses it',
                 [(span['number'], span['parent']) for span in wanted],
                 sorted(((own['binlog.span'], own.get('binlog.parent')) for own, _ in events)))
    exports.same(name + ': the rule of each, and what has not ended', [
        (span['number'], span['rule'], int(span['end'] is None)) for span in wanted],
        sorted((own['binlog.span'], own['binlog.rule'].split()[0], own.get('binlog.open', 0)) for own, _ in events))
    byte = {own['binlog.span']: packet for own, packet in events}
    exports.ok(name + ': the interval of a parent encloses that of its child', all(
        byte[own['binlog.parent']]['start'] <= packet['start'] and packet['end'] <= byte[own['binlog.parent']]['end'] and
        byte[own['binlog.parent']]['stream'] == packet['stream'] for own, packet in events if 'binlog.parent' in own))


# A program, whose threads are nested and overlap.
for capture, names in (('spans', ['start %d => done %d by arg1']),
                       ('nested', ['enter %s => leave', 'start %d => done %d by arg1'])):
    said = []
    for line in show('--columns=time,pid,tid,message', capture).decode().split('\n')[:-1]:
        day, time, pid, tid, text = line.split(maxsplit=4)
        said.append((exports.nanoseconds(day + ' ' + time), (pid, tid), text))
    trace = show('-o', 'heph', *[word for rule in names for word in ('--spans', rule)], capture)
    compare(capture, said, trace, max(time for time, _, _ in said))
    with open('exported', 'wb') as file:
        file.write(trace)
    exports.ok(capture + ': read again it is the same again', show('-o', 'heph', 'exported') == trace)

# Traces of others: nested at random.
dice = random.Random(5)
for turn in range(6):
    made, said, at, depth, number = [heph.epoch(1610113734118010000)], [], 0, {}, 0
    running = []
    for counter in range(400):
        stream, at = dice.choice([3, 4]), at + dice.choice([0, 1, 1000, 10**9])
        choice = dice.randrange(4)
        if choice == 0 or (choice == 1 and depth.get(stream, 0) == 0):
            text, attributes = 'enter %d' % counter, []
            depth[stream] = depth.get(stream, 0) + 1
        elif choice == 1:
            text, attributes = 'leave', []
            depth[stream] -= 1
        elif choice == 2 or not running:
            number += 1
            running.append(number)
            text, attributes = 'start', [('n', heph.U64, number)]
        else:
            text, attributes = 'done', [('n', heph.U64, running.pop(dice.randrange(len(running))))]
        made.append(heph.event(text, *attributes, stream=stream, counter=sum(1 for one in said if one[1] == stream), start=at))
        said.append((1610113734118010000 + at, stream, text + ''.join(' n=%d' % value for _, _, value in attributes)))
    with open('trace', 'wb') as file:
        file.write(b''.join(made))
    options = ['--spans', 'enter * => leave', '--spans', 'start n=%lu => done n=%lu by n']
    trace = show('-o', 'heph', *options, 'trace')
    compare('trace %d' % turn, said, trace, said[-1][0])
    with open('exported', 'wb') as file:
        file.write(trace)
    exports.ok('trace %d: read again it is the same again' % turn, show('-o', 'heph', 'exported') == trace)
    exports.same('trace %d: and its messages are those that were' % turn, show('--columns=time,tid,message', 'trace').split(b'\n'), [
        line for line in show('--columns=time,tid,message', 'exported').split(b'\n') if b'binlog.span' not in line])
exports.finish()
