# otlp.py RECORDS PATH: compares what OpenTelemetry's types have made of an export with what binlog-show says of PATH.
import base64
import json
import sys

import exports
import said

# The data model of OpenTelemetry, appendix B.
SEVERITIES = {'emerg': 21, 'alert': 19, 'crit': 18, 'err': 17, 'warning': 13, 'notice': 10, 'info': 9, 'debug': 5}
READERS = {'intValue': int, 'doubleValue': float, 'bytesValue': base64.b64decode, 'stringValue': str.encode}


def attributes(entry):
    made = {}
    for attribute in entry['attributes']:
        value = [READERS[kind](value) for kind, value in attribute['value'].items()]
        made[attribute['key']] = value[0] if value else None
    return made


def text(bytes_or_none):
    return bytes_or_none.decode() if bytes_or_none is not None else ''


with open(sys.argv[1], encoding='utf-8') as file:
    entries = [json.loads(line) for line in file]
wanted = said.calls(sys.argv[2])
exports.same('there are as many records as calls', [len(wanted)], [len(entries)])
calls = []
for call, entry in zip(wanted, entries):
    call['time'] = call['time_ns']
    call['message'] = said.text(call)
    call['format'] = call.get('format', '')
    call['severity'] = SEVERITIES[call['level']]
    call['body'] = call['message'].decode('utf-8', 'replace')
    own, resource = attributes(entry), attributes(entry['resource'])
    args = [(arg['name'], own[arg['name']]) for arg in call['args']]
    # There is no unsigned type of 64 bits.
    args = [(name, int(value) if name == 'all' else value) for name, value in args]
    calls.append({
        'time': int(entry['timeUnixNano']), 'pid': resource['process.pid'], 'tid': own['thread.id'],
        'program': text(resource['service.name']), 'thread': text(own['thread.name']), 'stream': text(own['log.iostream']),
        'function': text(own['binlog.function']), 'format': text(own.get('binlog.format')), 'level': entry['severityText'],
        'severity': entry['severityNumber'], 'body': entry['body']['stringValue'],
        'message': own.get('binlog.text', entry['body']['stringValue'].encode()), 'args': args})
said.compare('OpenTelemetry', wanted, calls, ('time', 'pid', 'tid', 'program', 'thread', 'stream', 'function', 'format', 'level',
                                              'severity', 'body', 'message'))
exports.same('a message to syslog has its facility', [2 if 'mail' in call['format'] else 3 for call in wanted if
             call['stream'] == 'syslog'], [attributes(entry)['syslog.facility.code'] for entry in entries if
             'syslog.facility.code' in attributes(entry)])
exports.check_values(calls)
exports.finish()
