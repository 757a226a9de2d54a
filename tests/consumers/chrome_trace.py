# chrome_trace.py FILE PATH: what the Trace Event Format asks of each event, and what binlog-show says of PATH.
import math
import sys
from decimal import Decimal

import json

import exports

REQUIRED = {'M': {'name', 'ph', 'pid', 'tid', 'args'}, 'i': {'name', 'cat', 'ph', 's', 'pid', 'tid', 'ts', 'args'}}
SPECIAL = {'NaN': math.nan, 'Infinity': math.inf, '-Infinity': -math.inf}

with open(sys.argv[1], 'rb') as file:
    trace = json.loads(file.read(), parse_float=Decimal)
names, entries, problems = {}, [], []
start = int(trace['otherData']['start_ns'])
last = -1
for event in trace['traceEvents']:
    if set(event) != REQUIRED[event['ph']] or not isinstance(event['pid'], int) or not isinstance(event['name'], str):
        problems.append(event)
    if event['ph'] == 'M':
        names[(event['name'], event['pid'], event['tid'] if event['name'] == 'thread_name' else 0)] = event['args']['name']
        continue
    if event['ts'] <= last or event['ts'] != Decimal(float(event['ts'])).quantize(Decimal('0.001')) or event['s'] not in 'tp':
        problems.append(event)
    last = event['ts']
    args = event['args']
    entry = {'time': exports.nanoseconds(args['time'].removesuffix('Z')), 'pid': event['pid'], 'tid': event['tid']}
    if abs(start + int(event['ts'] * 1000) - entry['time']) > 3:  # those of one nanosecond come one after another
        problems.append(event)
    if 'words' in args:
        entry.update(event=event['name'], words=args['words'])
    else:
        stream, level = event['cat'].split(',')
        entry.update(stream=stream, level=level, thread=names[('thread_name', event['pid'], event['tid'])],
                     program=names[('process_name', event['pid'], 0)], format=event['name'], message=args['message'].encode(),
                     args=[(name, float(value) if isinstance(value, Decimal) else SPECIAL.get(value, value))
                           for name, value in args['values'].items()])
    entries.append(entry)
exports.same('each event has what is required, and a time of its own that a double holds', [], problems)
calls, _ = exports.check(entries, sys.argv[2], exact=False)
values = exports.by_format(calls, 'worker')
exports.same('the sums of the arguments of all threads', [400, 600, 14850.0],
             [len(values), sum(dict(args)['worker'] for args in values), float(sum(dict(args)['took'] for args in values))])
(least,) = exports.by_format(calls, 'least')
exports.same('integers of 64 bits keep their digits', [-2**63, 2**63 - 1, 2**64 - 1, 2**53 + 1], [value for _, value in least])
exports.finish()
