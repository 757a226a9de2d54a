# ctf_names.py TRACE [PATH]: the integers of the events that babeltrace2 reads, by name, and how many events were lost.
import sys

import bt2

for message in bt2.TraceCollectionMessageIterator(sys.argv[1]):
    if type(message) is bt2._DiscardedEventsMessageConst:
        print('lost', message.count)
    if type(message) is bt2._EventMessageConst:
        print(message.default_clock_snapshot.ns_from_origin, *(f'{name}={int(field)}' for name, field in
              message.event.payload_field.items() if isinstance(field, bt2._IntegerFieldConst)))
