# What binlog-show itself says of a capture, to compare what others have read in an export with; see tests/support/exports.sh.
import collections
import math
import os
import subprocess
import sys

NS = 1000000000


def ok(sentence, good, detail=''):
    print(('ok: ' if good else 'not ok: ') + sentence)
    if not good:
        print('    ' + repr(detail)[:600])
        ok.failed = True


ok.failed = False


def same(sentence, wanted, got):
    wanted, got = list(wanted), list(got)
    at = next((i for i, (a, b) in enumerate(zip(wanted, got)) if a != b), min(len(wanted), len(got)))
    ok(sentence, wanted == got, (len(wanted), len(got), at, wanted[at:at + 2], got[at:at + 2]))


def show(*options):
    return subprocess.run([os.environ['SHOW'], '-q', *options], stdout=subprocess.PIPE, check=False).stdout


def column(name, path):
    return show('--columns=' + name, path).decode().split('\n')[:-1]


def nanoseconds(text):  # 2026-11-21 02:27:03.123456789, in UTC
    import calendar
    import time
    second, fraction = text.split('.')
    return calendar.timegm(time.strptime(second.replace('T', ' '), '%Y-%m-%d %H:%M:%S')) * NS + int(fraction)


# An entry has some of: time (ns), ticks, pid, tid, thread, stream, level, function, event, message (bytes), args [(name, value)].
def check(entries, path, exact=True):
    calls = [entry for entry in entries if 'event' not in entry]
    events = [entry for entry in entries if 'event' in entry]
    first = entries[0]
    lines = list(zip(column('time', path), column('stream', path)))
    times = [nanoseconds(time) for time, _ in lines]
    if 'time' in first and (events or 'thread' in first):
        wanted = times if events else [time for time, (_, stream) in zip(times, lines) if stream != '-']
        same('the times are those of binlog-show', wanted, [entry['time'] for entry in entries])
    for name in ('ticks', 'pid', 'tid'):
        if name in first:
            wanted = column(name, path)
            if not events:
                wanted = [text for text, (_, stream) in zip(wanted, lines) if stream != '-']
            same('so is ' + name, map(int, wanted), [entry[name] for entry in entries])
    for name in ('thread', 'program', 'stream', 'level', 'function', 'module', 'ident'):
        if name in first or any(name in entry for entry in calls):
            wanted = [text for text, (_, stream) in zip(column(name, path), lines) if stream != '-']
            same('so is ' + name, wanted, [entry.get(name, '-') or '-' for entry in calls])
    if exact:
        for stream in ('stdout', 'stderr'):
            got = b''.join(entry['message'] for entry in calls if entry['stream'] == stream)
            ok('what was said on %s is there, byte for byte' % stream, got == show('--raw', '--stream=' + stream, path), got[:60])
    return calls, events


def by_format(calls, begin):
    return [entry['args'] for entry in calls if entry.get('format', '').startswith(begin)]


FLOATS = [math.nan, math.nan, math.inf, -math.inf, 0.0, -0.0, 0.1, 1.0 / 3, 1e300, -5e-324, 1234567.125, 4e9, 1e15 + 0.5,
          sys.float_info.max, 0.000001, 123456789.123456]
HOSTILE = [b'plain', b'', b'\x1b[31mred\x1b[0m', b'\xff\xfe\xc3(', b'\xed\xa0\x80\xf4\x90\x80\x80\xe2\x82',
           b'comma, "quote" \'tick\'\r\nnext;line\ttab\\', b"=cmd|' /C calc'!A0", b'+1', b'-2', b'@sum', b'\t=1',
           b'\xe2\x80\xae right to left \xe2\x80\xa8 line', b'</script><!--<b>&amp;', 'gr\u00fc\u00df \U0001f600 \u0085'.encode(),
           b'a;b;c 12']


def same_float(a, b):
    return (math.isnan(a) and math.isnan(b)) or (a == b and math.copysign(1, a) == math.copysign(1, b))


# What the program's source says.  `text` makes bytes of what the export has for text, `pointer` a number.
def check_values(calls, text=bytes, pointer=int, null=None):
    (least,) = by_format(calls, 'least')
    same('integers of 64 bits are exact', [('least', -2**63), ('most', 2**63 - 1), ('all', 2**64 - 1), ('size', 2**53 + 1)], least)
    (cut,) = by_format(calls, 'cut:')
    same('others are as their directive prints them', [('byte', 44), ('short', 4464), ('hex', 2**32 - 1), ('octal', 8)], cut)
    (at,) = by_format(calls, 'at %p')
    same('pointers and characters', [0x7fff12345678, 0, b'A', '\U0001f600'.encode(), b'\xe9'],
         [pointer(value) for _, value in at[:2]] + [text(value) for _, value in at[2:]])
    (stars,) = by_format(calls, 'width')
    same('a width is an argument as well', [8, 42, 6, -7, 2, 2.5], [value for _, value in stars])
    (number,) = by_format(calls, 'errno')
    same('errno is a number', [2], [value for name, value in number if name == 'errno'])
    got = [float(args[0][1]) for args in by_format(calls, 'value=')]
    ok('floating-point numbers are the same doubles', len(got) == len(FLOATS) and all(map(same_float, FLOATS, got)), got)
    same('texts are the same bytes', HOSTILE, [text(args[0][1]) for args in by_format(calls, 'text <')])
    same('a precision cuts them', [value[:3] for value in HOSTILE], [text(args[1][1]) for args in by_format(calls, 'text <')])
    (nothing,) = by_format(calls, 'no text')
    ok('a null pointer has no value', not nothing or nothing[0][1] == null, nothing)
    (wide,) = by_format(calls, 'wide %ls and')
    same('wide text is UTF-8', ['gr\u00fc\u00df \U0001f600'.encode(), b'ab'], [text(value) for _, value in wide])
    work = by_format(calls, 'worker')
    sums = collections.Counter()
    for args in work:
        for name, value in args:
            sums[name] += 0 if name == 'from' else value
    same('the sums of the arguments of all threads', [400, 600, 4 * 4950 * 2**32, 4 * 4950 * 0.75],
         [len(work), sums['worker'], sums['request'], sums['took']])


def finish():
    sys.exit(ok.failed)
