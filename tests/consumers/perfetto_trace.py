# perfetto_trace.py FILE PATH: reads a trace by the rules of Perfetto's importer, and compares it with what binlog-show says of
# PATH.  The library of Protocol Buffers does the parsing, of messages that tests/consumers/perfetto.proto describes.
import re
import sys

import perfetto_pb2

import exports

CLEARED, NEEDED = 1, 2
REALTIME, BOOTTIME = 1, 6
trace = perfetto_pb2.Trace()
with open(sys.argv[1], 'rb') as file:
    trace.ParseFromString(file.read())
size = trace.ByteSize()
trace.DiscardUnknownFields()
exports.ok('it has no field that Perfetto does not know', trace.ByteSize() == size, size - trace.ByteSize())


def exact(text):  # NUL and what is not UTF-8 is \xNN
    return re.sub(rb'\\x([0-9a-f]{2})', lambda found: bytes([int(found[1], 16)]), text.encode())


class Importer:
    def __init__(self):
        self.valid = False
        self.names, self.annotations, self.tracks = {}, {}, {}
        self.clock = BOOTTIME
        self.problems = []
        self.entries = []

    def take(self, packet):
        if packet.trusted_packet_sequence_id == 0:
            self.problems.append('no sequence')
        if packet.sequence_flags & CLEARED:
            self.valid = True
            self.names, self.annotations = {}, {}
        if packet.sequence_flags & NEEDED and not self.valid:
            self.problems.append('state is not valid')
        if packet.HasField('trace_packet_defaults'):
            self.clock = packet.trace_packet_defaults.timestamp_clock_id
        for known, entries in ((self.names, packet.interned_data.event_names),
                               (self.annotations, packet.interned_data.debug_annotation_names)):
            for entry in entries:
                if entry.iid == 0 or entry.iid in known:
                    self.problems.append('an id twice, or none')
                known[entry.iid] = entry.name
        if packet.HasField('track_descriptor'):
            self.tracks[packet.track_descriptor.uuid] = packet.track_descriptor
        if packet.HasField('track_event'):
            self.event(packet, packet.track_event)

    def event(self, packet, event):
        track = self.tracks[event.track_uuid]
        if event.type != event.TYPE_INSTANT or self.clock != REALTIME:
            self.problems.append('another type or clock')
        if track.HasField('thread') and self.tracks[track.parent_uuid].process.pid != track.thread.pid:
            self.problems.append('a thread of another process')
        values = []
        for annotation in event.debug_annotations:
            name = annotation.name if annotation.WhichOneof('name_field') == 'name' else self.annotations[annotation.name_iid]
            value = getattr(annotation, annotation.WhichOneof('value'))
            values.append((name, exact(value) if isinstance(value, str) else value))
        entry = {'time': packet.timestamp}
        own = dict(value for value in values if value[0].startswith('binlog '))
        if track.HasField('process'):
            entry.update(event=event.name, pid=track.process.pid, tid=track.process.pid, words=own['binlog words'])
        else:
            entry.update(pid=track.thread.pid, tid=track.thread.tid, thread=track.thread.thread_name,
                         program=self.tracks[track.parent_uuid].process.process_name, stream=event.categories[0],
                         level=event.categories[1], format=self.names[event.name_iid], message=own['binlog message'],
                         args=[value for value in values if not value[0].startswith('binlog ')],
                         caller=own.get('binlog caller', b'-').decode(), line=own.get('binlog line', 0),
                         stack=[frame.function_name for frame in event.callstack.frames])
        self.entries.append(entry)


importer = Importer()
for packet in trace.packet:
    importer.take(packet)
exports.same('its importer has no complaint', [], importer.problems)
clocks = {clock.clock_id: clock.timestamp for clock in trace.packet[0].clock_snapshot.clocks}
exports.ok('the trace is in wall time, and boot time is known', trace.packet[0].clock_snapshot.primary_trace_clock == REALTIME and
           set(clocks) == {1, 3, 6} and clocks[3] <= clocks[6] < clocks[1], clocks)
calls, events = exports.check(importer.entries, sys.argv[2])
exports.check_values(calls)
if len(sys.argv) > 3:
    places = zip(exports.column('caller', sys.argv[2]), exports.column('stream', sys.argv[2]))
    exports.same('callers are those of the column', [name.strip() for name, stream in places if stream.strip() != '-'],
                 [call['caller'] for call in calls])
    exports.ok('stacks have the outermost function first', all(call['stack'][-1] == call['caller'] for call in calls) and
               {call['stack'][0] for call in calls} <= {'_start', 'clone3', '__clone3', '__GI___clone3', '__clone'},
               {call['stack'][0] for call in calls})
exports.finish()
