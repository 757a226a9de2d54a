# heph_slices.py DIRECTORY: events of Heph that took time are shown by --spans=took, each within those that enclose it, and are
# slices for Chrome and Perfetto.
import json
import os
import random
import subprocess
import sys
from decimal import Decimal

import exports
import heph_packets as heph
import perfetto_pb2

os.chdir(sys.argv[1])
SHOW, PACK = os.environ['SHOW'], os.environ['BUILD'] + '/binlog-pack'
EPOCH = 1610113734118010000


def show(*options):
    return subprocess.run([SHOW, '-q', '-u', *options], capture_output=True, check=False).stdout


def nested(dice, first, last, depth=0):  # intervals within this one, no two of which begin or end together
    at = first
    while last - at > 10 and dice.randrange(4) > 0 and depth < 7:
        begin = at + dice.randrange(1, (last - at) // 2)
        end = begin + dice.randrange(2, last - begin)
        yield begin, end, depth
        yield from nested(dice, begin, end, depth + 1)
        at = end + 1


dice = random.Random(6)
for turn in range(4):
    events = []  # stream, substream, begin, end, depth, text
    for stream in (0, 9):
        for substream in (0, 7, 2**63 + 1):
            events += [(stream, substream, *each, 'event %d' % (len(events) + number))
                       for number, each in enumerate(nested(dice, 1, 10**dice.choice([2, 3, 12])))]
    moments = [(stream, 0, at, at, 0, 'moment %d' % at) for stream, at in zip((0, 9, 9), (5, 500, 3))]
    written = sorted(events + moments, key=lambda event: event[3]) if turn % 2 else sorted(events + moments, key=lambda event: event[2])
    if turn == 2:
        dice.shuffle(written)
    counters = {}
    with open('slices', 'wb') as file:
        file.write(heph.epoch(EPOCH))
        for stream, substream, begin, end, _, text in written:
            counters[stream] = counters.get(stream, -1) + 1
            file.write(heph.event(text, stream=stream, counter=counters[stream], substream=substream, start=begin, end=end))
    subprocess.run([PACK, '-fq', '-o', 'slices.blog', 'slices'], check=True)
    for path in ('slices', 'slices.blog'):
        name = '%s %d: ' % (path, turn)
        # --spans
        got = []
        for line in show('--spans', 'took', path).decode().split('\n\n')[0].split('\n'):
            if line:
                day, time, took, who, text = line.split(maxsplit=4) if ': ' in line else line.split()
                indent = line.split(']: ', 1)[1]
                got.append((int(who[len('heph[0:'):-2]), exports.nanoseconds(day + ' ' + time) - EPOCH,
                            int(took.replace('.', '')), (len(indent) - len(indent.lstrip())) // 2, text.split(' took=')[0]))
        exports.same(name + 'each span with its begin, how long it took and how deep it is', sorted(
            (stream, begin, end - begin, depth, text) for stream, _, begin, end, depth, text in events), sorted(got))
        order = {text: (stream, substream, begin) for stream, substream, begin, _, _, text in events}
        places = [order[row[4]] for row in got]
        exports.ok(name + 'substream by substream, by their begin', all(
            a[2] < b[2] or a[:2] != b[:2] for a, b in zip(places, places[1:])) and
            sum(a[:2] != b[:2] for a, b in zip(places, places[1:])) == len({place[:2] for place in places}) - 1)
        exports.same(name + 'the longest', sorted((end - begin for _, _, begin, end, _, _ in events), reverse=True)[:5], [
            int(line.split()[2].replace('.', '')) for line in
            show('--spans', 'took', '--longest', '5', path).decode().split('\n')[:5] if ']: ' in line][:len(events)])

        # Chrome
        trace = json.loads(show('-o', 'chrome', path), parse_float=Decimal)
        base = int(trace['otherData']['start_ns'])
        begun, slices, instants = {}, [], []
        entries = [each for each in trace['traceEvents'] if each['ph'] != 'M']
        for each in sorted(entries, key=lambda each: each['ts']):
            at = base + int(each['ts'] * 1000) - EPOCH
            if each['ph'] == 'X':
                slices.append((each['tid'], 0, at, at + int(each['dur'] * 1000), each['name']))
            elif each['ph'] == 'i':
                instants.append((each['tid'], at, each['name']))
            elif each['ph'] == 'b':
                begun.setdefault(each['id'], []).append((each['tid'], at, each['name']))
            else:
                tid, begin, title = begun[each['id']].pop()
                slices.append((tid, int(each['id'].split('.')[1]), begin, at, title if title == each['name'] else 'unnested'))
        exports.same(name + 'Chrome: slices of their threads, and of substreams', sorted(
            (stream, substream, begin, end, text) for stream, substream, begin, end, _, text in events), sorted(slices))
        exports.same(name + 'Chrome: what takes no time is no slice',
                     sorted((stream, begin, text) for stream, _, begin, _, _, text in moments), sorted(instants))
        exports.ok(name + 'Chrome: times are exact as doubles', all(
            each[key] == Decimal(float(each[key])).quantize(Decimal('0.001')) for each in entries for key in ('ts', 'dur') if key in each))

        # Perfetto
        trace = perfetto_pb2.Trace()
        trace.ParseFromString(show('-o', 'perfetto', path))
        tracks = {packet.track_descriptor.uuid: packet.track_descriptor for packet in trace.packet if packet.HasField('track_descriptor')}
        names, stacks, slices = {}, {}, []
        for packet in trace.packet:
            names.update((entry.iid, entry.name) for entry in packet.interned_data.event_names)
        for packet in sorted((packet for packet in trace.packet if packet.HasField('track_event')), key=lambda packet: packet.timestamp):
            event = packet.track_event
            track = tracks[event.track_uuid]
            if track.HasField('process'):
                stream = substream = 0  # no thread has the number 0: they are the process's own
            else:
                substream = 0 if track.HasField('thread') else int(track.name.split()[1])
                stream = (track if track.HasField('thread') else tracks[track.parent_uuid]).thread.tid
            if event.type == event.TYPE_SLICE_BEGIN:
                stacks.setdefault(event.track_uuid, []).append((stream, substream, packet.timestamp - EPOCH, names[event.name_iid]))
            elif event.type == event.TYPE_SLICE_END:
                stream, substream, begin, title = stacks[event.track_uuid].pop()
                slices.append((stream, substream, begin, packet.timestamp - EPOCH, title))
        exports.same(name + 'Perfetto: slices of their threads, and of substreams', sorted(
            (stream, substream, begin, end, text) for stream, substream, begin, end, _, text in events), sorted(slices))

# Spans by rules, within each other.
trace = json.loads(show('-o', 'chrome', '--spans', 'enter %s => leave', '--spans', 'start %d => done %d by arg1', 'nested'))
wanted = {own['binlog.span']: own.get('binlog.parent') for own in (
    {key: value for key, _, value in packet['attributes']} for packet in heph.read(show(
        '-o', 'heph', '--spans', 'enter %s => leave', '--spans', 'start %d => done %d by arg1', 'nested'))
    if isinstance(packet, dict)) if 'binlog.span' in own}
exports.same('Chrome: which span is within which', sorted(wanted.items(), key=lambda item: item[0]), sorted(
    ((each['args']['span'], each['args'].get('parent')) for each in trace['traceEvents'] if each['ph'] == 'b'),
    key=lambda item: item[0]))
trace = perfetto_pb2.Trace()
trace.ParseFromString(show('-o', 'perfetto', '--spans', 'enter %s => leave', '--spans', 'start %d => done %d by arg1', 'nested'))
got = {}
for packet in trace.packet:
    own = {value.name: value.uint_value for value in packet.track_event.debug_annotations}
    if 'binlog span' in own:
        got[own['binlog span']] = own.get('binlog parent')
exports.same('Perfetto: likewise', sorted(wanted.items(), key=lambda item: item[0]), sorted(got.items(), key=lambda item: item[0]))
done = subprocess.run([SHOW, '-o', 'html', '--spans', 'took', 'slices'], capture_output=True, check=False)
exports.same('a report has no such spans', [2, b'', b'binlog-show: --spans: took: the report has no such spans: leave out --output, '
             b'or give chrome or perfetto\n'], [done.returncode, done.stdout, done.stderr])
exports.finish()
