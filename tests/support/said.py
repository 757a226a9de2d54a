# What calls said, as binlog-show --output=json has it, and as formats have it that strip a newline or escape bytes.
import base64
import json
import re

import exports

LEVELS = ['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug']


def calls(path, *options):
    lines = exports.show('--output=json', *options, path).split(b'\n')[:-1]
    entries = [json.loads(line) for line in lines]
    return [entry for entry in entries if 'message' in entry]


def text(call):  # bytes, without the newline at their end
    whole = base64.b64decode(call['message_bytes']) if 'message_bytes' in call else call['message'].encode()
    return whole[:-1] if whole.endswith(b'\n') else whole


def escaped(whole):  # as UTF-8 without NUL
    return whole.decode('utf-8', 'backslashreplace').replace('\0', '\\x00')


def unescaped(string):  # what nobody said with such a backslash in it
    return re.sub(rb'\\x([0-9a-f]{2})', lambda found: bytes([int(found[1], 16)]), string.encode())


def typed(call, values):  # of arguments that are bytes, by name: numbers where the call had numbers
    made = []
    for arg in call['args']:
        value = values.get(arg['name'])
        if value is not None and arg['type'] in ('integer', 'unsigned'):
            value = int(value)
        elif value is not None and arg['type'] == 'float':
            value = float(value)
        elif value is not None and arg['type'] == 'pointer':
            value = int(value, 16)
        made.append((arg['name'], value))
    return made


def compare(reader, wanted, got, names):
    for name in names:
        exports.same('%s reads each call as it was: %s' % (reader, name), [call[name] for call in wanted],
                     [call[name] for call in got])
