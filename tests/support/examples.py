#!/usr/bin/env python3
"""examples.py PAGE...: the examples of man pages (mdoc) and of README.md, run as they stand there, or looked up.

An example is a command: a line with "$ " before it, one that begins with a program of $EXAMPLES_BIN, or, within a
sentence, code that has one of our tools with a word behind it, or sets a variable of ours.  Those of a page, or of a section of README.md, are run
one after the other in a copy of $EXAMPLES_SCENE, with no programs but those in $EXAMPLES_BIN.  Each has to end with 0, to
print something or leave a file, and to complain of nothing; below it may stand what it prints on a terminal, numbers
and paths aside.

Standard input has those of which something else is true, a line for each, with " | " between: HOW, PAGE, how the
command or the block begins, and WHAT:

    silent      it prints nothing, since WHAT
    endless     it may go on until it is ended, and has printed something, or left the file WHAT, before
    behind      the same, and those below it are run beside it, once the file WHAT is there
    anew        the same as usual, in a new copy
    tells       it has something to tell on standard error, too: WHAT matches it
    complains   it prints nothing else than a complaint that WHAT matches
    terminal    it is run on a terminal, and the keys WHAT are typed
    looked-up   it is not run, since WHAT: its options and words are looked up
    header      it is run, and of what stands below it the first line alone is what it prints
    text        a block that is no command: WHAT it is
    header-of   a block that is no command: WHAT prints its first line
    keys-of     a block of JSON, with the keys of what WHAT prints
    given-to    a block that is no command; WHAT has no complaint about it as a file, {}

Each line has to be about something, and a block that is neither a command nor named there is an error.
Prints "ok: sentence", "not ok: sentence", "skip: sentence".
"""
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TOOL = r'\bbinlog-(?:show|run|ctl|pack|query|ship|symbolize|top)\b'
BIN, SCENE, TMP = (os.environ[name] for name in ('EXAMPLES_BIN', 'EXAMPLES_SCENE', 'TMP'))
HERE = os.path.dirname(os.path.abspath(__file__))
# What is no complaint: the sums of binlog-show and binlog-pack, and of another program.
SUMS = re.compile(r'\d+ captured, \d+ passed, \d+ dropped\b|\d+ messages, \d+ bytes|'
                  r'Finishing after writing \d+ entries')
HOWS = 'silent endless behind anew tells complains terminal looked-up header text header-of keys-of given-to'.split()
PATIENCE = 60  # seconds, for what will never be
failed = 0


def verdict(good, sentence, detail=''):
    global failed
    print(('ok: ' if good else 'not ok: ') + sentence)
    if not good:
        failed = 1
        for line in str(detail).splitlines()[:12]:
            print('    ' + line[:200])
    sys.stdout.flush()


# ---- what stands in the pages ----
class Example:
    def __init__(self, page, line, text):
        self.page, self.line, self.text = page, line, text
        self.sample = []  # what it is said to print
        self.entry = None

    def name(self):
        return f'{self.page}:{self.line}: {" ".join(self.text.split())[:100]}'


class Block:  # of lines that belong together: commands, or something else
    def __init__(self, page, section, line, lines, inline=False, entry=None):
        self.page, self.section, self.line = page, section, line
        self.lines = lines
        self.examples, self.entry = [], entry
        prompted = any(line.startswith('$ ') for line in lines)
        more = False
        for number, text in enumerate(lines, line):
            if more:
                self.examples[-1].text += '\n' + text
            elif text.startswith('$ ') or not prompted and (inline or is_command(text)):
                self.examples.append(Example(page, number, text[2:] if prompted else text))
            elif prompted:
                self.examples[-1].sample.append(text)
            else:
                self.examples = []
                break
            last = self.examples[-1]
            more = not last.sample and (re.search(r'[\\|]$', last.text) or is_open(last.text))


def is_open(command):
    try:
        shlex.split(command.replace('\\\n', ''))
    except ValueError:
        return True
    return False


def is_command(line):
    words = line.split()
    while words and re.match(r'[A-Z_]+=', words[0]):
        del words[0]
    return (bool(words) and not line[0].isspace() and
            (words[0].startswith('./') or os.path.lexists(f'{BIN}/{words[0]}')))


def unescaped(text):
    for escape, character in (r'\e', '\\'), (r'\(dq', '"'), (r'\(aq', "'"), (r'\&', ''), (r'\-', '-'):
        text = text.replace(escape, character)
    return text


def within_sentence(page, section, number, code):
    if re.match(r'BINLOG_[A-Z]+=\S+$', code):
        yield Block(page, section, number, [code + ' binlog-run true'], True, ('silent', 'a setting alone'))
    elif re.search(TOOL + r'.* \S', code):
        yield Block(page, section, number, [code], True)


def blocks_of_page(path):
    page, section, literal, shown, begin = os.path.basename(path), '', False, [], 0
    for number, line in enumerate(open(path, encoding='utf-8'), 1):
        line = line.rstrip('\n')
        shows = line.startswith('.Dl ')
        if not shows and not literal and shown:
            yield Block(page, section, begin, shown)
            shown = []
        if line.startswith('.Sh '):
            section = line[4:]
        elif line.startswith('.Bd -literal'):
            literal = True
        elif line == '.Ed':
            literal = False
            if shown:
                yield Block(page, section, begin, shown)
            shown = []
        elif shows or literal and not line.startswith('.'):
            begin = begin if shown else number
            text = unescaped(line[4:] if shows else line)
            shown.append(text[1:-1] if shows and text[0] == text[-1] == '"' else text)
        elif line.startswith('.Ql '):
            code = unescaped(re.sub(r'( [.,:;])+$', '', line[4:]))
            yield from within_sentence(page, section, number, code)


def blocks_of_readme(path):
    page, section, shown, begin = os.path.basename(path), '', [], 0
    for number, line in enumerate([*open(path, encoding='utf-8'), ''], 1):
        line = line.rstrip('\n')
        if line.startswith('    '):
            begin = begin if shown else number
            # What is behind a command is a word about it.
            shown.append(line[4:] if line[4:].startswith('$ ') or shown and shown[0].startswith('$ ')
                         else re.sub(r'(\S)   *\S.*', r'\1', line[4:]))
            continue
        if shown:
            yield Block(page, section, begin, shown)
            shown = []
        if line.startswith('## '):
            section = line[3:]
        for code in re.findall(r'`([^`]*)`', line):
            if code.startswith('--'):
                yield Block(page, section, number, ['binlog-show ' + code], True, ('looked-up', 'options alone'))
            for command in code.split('; '):
                yield from within_sentence(page, section, number, command)


# ---- how they are run ----
# Where nobody listens.
SERVERS = (('logs.example.com', '127.0.0.1:1'), ('localhost', '127.0.0.1:1'), ('one,two,three', '127.0.0.1:1,127.0.0.1:2'))


class Scene:
    def __init__(self, name):
        self.directory = tempfile.mkdtemp(prefix=name.split('.')[0] + '.', dir=TMP)
        subprocess.run(['cp', '-a', '--sparse=always', SCENE + '/.', self.directory], check=True)
        self.exports = []
        self.without = None  # what the commands of a block lack
        self.beside = []  # what was started and goes on

    def running(self, name):  # a program of that name, which is recorded, and goes on
        if self.pid(name):
            return
        self.start(f'EXAMPLES_LIVE=. binlog-run {"./" + name if os.path.exists(f"{self.directory}/{name}") else name}')
        self.until(lambda: self.pid(name) and not self.ask(f'binlog-ctl {self.pid(name)} status').returncode)

    def ask(self, command):
        return subprocess.run(['bash', '-c', command], cwd=self.directory, env=self.environment(), text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def pid(self, name):
        return self.ask(f'pidof {name}').stdout.strip()

    @staticmethod
    def until(condition):
        end = time.monotonic() + PATIENCE
        while not condition() and time.monotonic() < end:
            time.sleep(0.02)

    # What stands in the text for things of a machine.
    def real(self, text):
        for host, nobody in SERVERS:
            text = text.replace(f'//{host}/', f'//{nobody}/')
        text = re.sub(r'(?<![\w.}/])/(var|srv)/', self.directory + r'/\1/', text)
        text = re.sub(r'/usr/(?:local/)?lib/[\w/-]*libbinlog\.so', os.environ['EXAMPLES_LIB'], text)
        text = re.sub(r'(?:/usr/s?bin|/lib/systemd)/([\w-]+)', lambda found: os.path.realpath(f'{BIN}/{found[1]}'), text)
        if re.search(r'\b(4312|PID)\b', text):
            self.running('app')
            text = re.sub(r'\b(4312|PID)\b', self.pid('app'), text)
        return text

    def environment(self):
        return {**os.environ, 'PATH': BIN, 'EXAMPLES_NOW': self.directory, 'PAGER': 'cat', 'HOME': self.directory}

    def start(self, command, out='/dev/null', err='/dev/null', before=()):
        text = self.real(command)
        with open(out, 'wb') as stdout, open(err, 'wb') as stderr:
            child = subprocess.Popen([*before, 'bash', '-c', text], cwd=self.directory, env=self.environment(),
                                     stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, start_new_session=True)
        self.beside.append(child)
        return child

    def end(self, child, how=signal.SIGTERM):
        for number in how, signal.SIGKILL:
            try:
                os.killpg(child.pid, number)
                child.wait(10)
                break
            except ProcessLookupError:
                child.wait()
                break
            except subprocess.TimeoutExpired:
                pass
        self.beside.remove(child)

    def remove(self, name):
        path = os.path.join(self.directory, name)
        if os.path.isfile(path):
            os.remove(path)

    def left(self, since, command):  # what it has written there, and a program beside it has not
        for directory, names, files in os.walk(self.directory):
            if self.beside and 'binlog.data' in names and not re.search('binlog-run|LD_PRELOAD', command):
                names.remove('binlog.data')
            for path in (os.path.join(directory, name) for name in files if not name.startswith('.example.')):
                if os.path.exists(path) and os.stat(path).st_mtime_ns >= since and os.stat(path).st_size:
                    return True
        return False

    def close(self):
        for child in self.beside[:]:
            self.end(child)
        shutil.rmtree(self.directory, ignore_errors=True)


def read(path):
    with open(path, encoding='utf-8', errors='replace') as file:
        return file.read()


def shape(line):  # numbers, paths and blanks aside
    line = re.sub(r'\x1b\[[0-9;?]*[A-Za-z]', '', line).split('...')[0]
    line = re.sub(r'\S*/(?=[\w.-]+:)', '', line).replace(' (inlined)', '')
    line = re.sub(r'\d+(\.\d+)?', '9', line)
    return ' '.join(line.split())


def missing(sample, said):  # the first line of the sample that was not said, in its order
    lines = iter([shape(line) for line in said.splitlines()])
    for wanted in (shape(line) for line in sample):
        if wanted and not any(line.startswith(wanted) for line in lines):
            return wanted
    return None


def absent(scene, command):  # what it takes and this machine has not
    def has_not(name):
        return os.path.lexists(f'{BIN}/{name}') and not os.path.exists(f'{BIN}/{name}')

    for name in re.findall(r'(?:/usr/s?bin|/lib/systemd)/([\w-]+)', command):
        if has_not(name):
            return name
    word = r'\s*([A-Za-z][\w.+-]*)(?=[\s)]|$)'
    for name in re.findall(r'(?:^|[|;&(])' + word, command) + re.findall(r'\b(?:pidof|binlog-run)' + word, command):
        if has_not(name) and not os.path.exists(f'{scene.directory}/{name}'):
            return name
    return next((name for name in os.environ['EXAMPLES_WITHOUT'].split() if name in command), None)


def run(scene, example):
    how, what = example.entry or ('', '')
    command = example.text
    scene.without = scene.without or absent(scene, command)
    if scene.without:
        print(f'skip: {example.name()}: there is no {scene.without}')
    elif how == 'looked-up':
        verdict(not unknown(command), f'{example.name()} (looked up: {what})', unknown(command))
    elif command.startswith('export '):
        scene.exports.append(command)
    elif how == 'anew':
        another = Scene(example.page)
        run_once(another, example, '', '')
        another.close()
    else:
        run_once(scene, example, how, what)


def run_once(scene, example, how, what):
    command = example.text.strip().rstrip('&')
    out, err = f'{scene.directory}/.example.out', f'{scene.directory}/.example.err'
    for name in ['app'] * ('binlog-ctl' in command) + re.findall(r'pidof ([\w-]+)', command):
        scene.running(name)
    for name in re.findall(r'binlog-pack .*-o ([\w./]+)', scene.real(command), re.S):
        scene.remove(name)
    time.sleep(0.01)  # the clock of files ticks
    open(out, 'wb').close()
    since = os.stat(out).st_mtime_ns
    text = '; '.join([*scene.exports, command])
    if how in ('endless', 'behind'):
        goes_on(scene, example, text, how, what)
        return
    start = []
    if how == 'terminal' or example.sample:
        start = ['python3', HERE + '/on_terminal.py', '140', '50', *([what] if how == 'terminal' else []), '--']
    child = scene.start(text, out, err, start)
    # Some try it again, for ever.
    scene.until(lambda: child.poll() is not None or how == 'complains' and re.search(what, read(err)))
    status = child.poll()
    scene.end(child)
    said, complaint = read(out), complaints(read(err), what if how == 'tells' else None)
    why = ''
    if how == 'complains':
        if said or not re.search(what, read(err)):
            why = read(err) + said
        verdict(not why, example.name(), why)
        return
    if status != 0:
        why += f'its status is {"none: it has not ended" if status is None else status}\n'
    if complaint:
        why += 'it complains: ' + complaint + '\n'
    if how == 'silent' and said:
        why += 'it prints something: ' + said[:200] + '\n'
    elif how != 'silent' and not said and not scene.left(since, command):
        why += 'it prints nothing, and leaves nothing\n'
    lost = missing(example.sample[:1] if how == 'header' else example.sample, said)
    if lost:
        why += f'not as shown: {lost}\n{said}'
    verdict(not why, example.name() + (', as shown' if example.sample else ''), why)


def goes_on(scene, example, text, how, what):
    out, err = f'{scene.directory}/.example.out', f'{scene.directory}/.example.err'

    def has_begun():
        return os.path.exists(f'{scene.directory}/{what}') if what else os.path.getsize(out)

    child = scene.start('export EXAMPLES_LIVE=.; ' + text, out, err)
    scene.until(lambda: has_begun() or child.poll() is not None)
    begun, gone = has_begun(), child.poll()
    if how == 'endless':
        scene.end(child)
        scene.remove(what)
    complaint = complaints(read(err))
    verdict(begun and not gone and not complaint, f'{example.name()}: goes on',
            f'status {gone}; {"something" if begun else "nothing"} printed\n{complaint}')


def complaints(said, usual=None):
    return '\n'.join(line for line in said.splitlines()
                     if not SUMS.match(line) and not (usual and re.search(usual, line)))


# ---- how they are looked up ----
helps = {}


def helped(tool, *words):
    if (tool, words) not in helps:
        asked = subprocess.run([f'{BIN}/{tool}', *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        helps[tool, words] = asked.stdout
    return helps[tool, words]


def unknown(command):  # what nobody knows of a command that is not run
    lost = []
    for part in re.split(r'[|;&]', command):
        words = shlex.split(part)
        if words and words[0] == 'make':
            known = helped('make', '-s', '-C', HERE + '/../..', 'help')
            lost += [f'make {word}' for word in words[1:] if not re.search(rf'^ *make {word}\b', known, re.M)]
        tool = re.search(TOOL, part)
        if not tool:
            continue
        known = helped(tool[0], '--help=all' if tool[0] == 'binlog-show' else '--help')
        for word in words[words.index(tool[0]) + 1 if tool[0] in words else 0:]:
            option = re.match(r'(--?[A-Za-z][a-z-]*)', word)
            setting = re.fullmatch(r'([a-z]+)=?', word)
            if option and not re.search(rf'(^|[ ,]){option[1]}\b', known, re.M):
                lost.append(f'{tool[0]} {option[1]}')
            elif setting and tool[0] == 'binlog-ctl' and not re.search(rf'^ +{setting[1]}\b', known, re.M):
                lost.append(f'{tool[0]} {setting[1]}')
    return '\n'.join(lost)


def block_told(block, how, what):  # what a block is that is not a command
    name = f'{block.page}:{block.line}: {block.lines[0][:70]}'
    if how == 'text':
        return
    scene = Scene(block.page)
    if how == 'given-to':
        with open(f'{scene.directory}/given', 'w') as file:
            file.write(scene.real('\n'.join(block.lines)) + '\n')
        what = what.replace('{}', 'given')
    asked = scene.ask(scene.real(what))
    scene.close()
    if how == 'given-to':
        complaint = complaints(asked.stdout) if asked.returncode else ''
        verdict(asked.returncode == 0 and not complaint, f'{name}: {what}', asked.stdout)
    elif how == 'keys-of':
        wanted = list(json.loads(''.join(block.lines)))
        keys = [list(json.loads(line)) for line in asked.stdout.splitlines() if line.startswith('{')]
        verdict(wanted in keys, f'{name}: has the keys of {what}', f'{wanted}\n{keys[:1]}')
    else:
        lost = missing(block.lines[:1] if how == 'header-of' else block.lines, asked.stdout)
        verdict(not lost, f'{name}: as of {what}', f'not as shown: {lost}\n{asked.stdout}')


# ---- all of them ----
def main():
    entries = [line.rstrip("\n").split(' | ') for line in sys.stdin if line.strip() and not line.startswith('#')]
    entries = [[*entry, ''][:4] for entry in entries]
    if not all(entry[0] in HOWS for entry in entries):
        verdict(False, 'what is listed is run in a way that there is', [entry for entry in entries if entry[0] not in HOWS])
    used = set()

    def entry_of(page, text):
        for number, (how, of, begin, what) in enumerate(entries):
            if of == page and text.startswith(begin):
                used.add(number)
                return how, what
        return None

    blocks = [block for path in sys.argv[1:]
              for block in (blocks_of_readme if path.endswith('.md') else blocks_of_page)(path)]
    scene, place = None, None
    for block in blocks:
        if not block.examples:
            entry = entry_of(block.page, block.lines[0])
            if entry:
                block_told(block, *entry)
            else:
                verdict(False, f'{block.page}:{block.line}: nobody has said what this is: {block.lines[0]}')
            continue
        if place != (block.page, block.section):
            if scene:
                scene.close()
            scene, place = Scene(block.page), (block.page, block.section)
        scene.without = None
        for example in block.examples:
            example.entry = block.entry or entry_of(example.page, example.text)
            run(scene, example)
    if scene:
        scene.close()
    for number, entry in enumerate(entries):
        if number not in used:
            verdict(False, f'the list of t_examples.sh has an example that is nowhere: {" | ".join(entry)}')
    print(f'ok: {sum(len(block.examples) for block in blocks)} examples of {len(sys.argv) - 1} pages')


main()
sys.exit(failed)
