# perfetto_spans.py FILE: the slices of a trace, each with its key and how many nanoseconds it takes.
import sys

import perfetto_pb2

trace = perfetto_pb2.Trace()
with open(sys.argv[1], 'rb') as file:
    trace.ParseFromString(file.read())
tracks = {packet.track_descriptor.uuid for packet in trace.packet if packet.HasField('track_descriptor')}
begun = {}
for packet in sorted((packet for packet in trace.packet if packet.HasField('track_event')), key=lambda packet: packet.timestamp):
    event = packet.track_event
    if event.track_uuid not in tracks:
        print('no such track', event.track_uuid)
    if event.type == event.TYPE_SLICE_BEGIN:
        begun[event.track_uuid] = packet
    elif event.type == event.TYPE_SLICE_END:
        begin = begun[event.track_uuid]
        key = next(value.string_value for value in begin.track_event.debug_annotations if value.name == 'binlog key')
        print(key, packet.timestamp - begin.timestamp)
