#!/usr/bin/env python3
"""source_strings.py DIR...: the strings of C and C++ sources, as the compiler would have them.

Adjacent literals are one string, escapes are their bytes, macros that stand among literals are expanded, those of <inttypes.h>
among them; macros with arguments that make strings of them (`"%s: " FMT`, `#x`) are expanded where they are used.  What only the
build defines (VERSION) is a gap.  As a program: FILE:LINE and the string, as JSON, one a line.
"""
import bisect
import itertools
import json
import os
import re
import sys

SUFFIXES = (".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".y", ".l", ".inc", ".def", ".c.in", ".h.in", ".ipp", ".tcc", ".x", ".rl", ".gperf")
NOT_OF_PROGRAMS = {".git", ".pc", "test", "tests", "testsuite", "t", "regress", "doc", "docs", "examples", "fuzz", "debian", "win32"}
LARGEST = 8 << 20
ALTERNATIVES = 8
DEPTH = 6
STEPS = 400  # tokens of an expansion

TOKEN = re.compile(r'''
  (?P<skip>[ \t\r\f\v]+|\n|//(?:\\\r?\n|[^\n])*|/\*.*?\*/|\\\r?\n)
 |(?P<directive>(?<![^\n])[ \t]*\#(?:\\\r?\n|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|//(?:\\\r?\n|[^\n])*|[^\n])*)
 |(?P<raw>(?:u8|[LuU])?R"(?P<mark>[^()\\\s]{0,16})\((?P<inside>.*?)\)(?P=mark)")
 |(?P<string>(?:u8|[LuU])?"(?:[^"\\\n]|\\\r?\n|\\.)*")
 |(?P<char>[LuU]?'(?:[^'\\\n]|\\.)*')
 |(?P<name>[A-Za-z_]\w*)
 |(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
 |(?P<other>\#\#|.)
''', re.X | re.S)
ESCAPE = re.compile(r'\\(?:([0-7]{1,3})|x([0-9a-fA-F]+)|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(\r?\n)|(.))', re.S)
PLAIN = dict(zip("abefnrtv", "\a\b\033\f\n\r\t\v"))
BUILT = re.compile("VERSION|PACKAGE|NAME|DATE|TARGET|SYSCONF")
KEYWORDS = set("return case else extern sizeof goto do in and or not throw co_return static const char asm __asm__ __asm volatile default".split())

# Bytes are characters of latin-1 here, so that all of it is text.
def unescape(inside):
    def one(match):
        octal, hexa, short, long, newline, char = match.groups()
        if octal:
            return chr(int(octal, 8) & 255)
        if hexa:
            return chr(int(hexa, 16) & 255)
        if short or long:
            code = int(short or long, 16)
            return chr(code).encode("utf-8", "replace").decode("latin-1") if code < 0x110000 else ""
        return "" if newline else PLAIN.get(char, char)
    return ESCAPE.sub(one, inside)

def formats_of_integers():
    sizes = {"8": "hh", "16": "h", "32": "", "64": "l", "MAX": "l", "PTR": "l", "FAST8": "hh", "FAST16": "l", "FAST32": "l",
             "FAST64": "l", "LEAST8": "hh", "LEAST16": "h", "LEAST32": "", "LEAST64": "l"}
    for size, length in sizes.items():
        for letter in "diouxX":
            yield "PRI" + letter + size, length + letter
            yield "SCN" + letter + size, length + letter
INTEGERS = dict(formats_of_integers())

class Gap:
    """What only the build knows."""
    def __repr__(self):
        return "GAP"
GAP = Gap()

def tokens_of(text):
    """(kind, text, offset); strings are their bytes."""
    out = []
    for match in TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "skip":
            continue
        if kind == "string":
            value = match.group()
            quote = value.index('"')
            out.append(("string", unescape(value[quote + 1:-1]), match.start()))
        elif match.group("raw"):
            out.append(("string", match.group("inside"), match.start()))
        else:
            out.append((kind, match.group(), match.start()))
    return out

DEFINE = re.compile(r'\s*#\s*define\s+([A-Za-z_]\w*)(\(([^)]*)\))?(.*)', re.S)

class Macro:
    def __init__(self, parameters, body):
        self.parameters = parameters
        self.body = body

class Sources:
    def __init__(self, directories):
        self.files = []
        self.macros = {}
        self.makers = set()  # macros with arguments that make strings
        self.strings = {}    # string: (file, line)
        self.gapped = {}     # tuple of parts: (file, line)
        for top in directories:
            self.read(top)
        self.find_makers()
        for name, tokens, lines in self.files:
            self.take(tokens, name, lines, 0)
        self.files = None

    def read(self, top):
        for directory, names, files in os.walk(top):
            names[:] = sorted(n for n in names if n not in NOT_OF_PROGRAMS)
            for name in sorted(files):
                path = os.path.join(directory, name)
                if not name.endswith(SUFFIXES) or os.path.islink(path) or os.path.getsize(path) > LARGEST:
                    continue
                with open(path, encoding="latin-1", newline="") as file:
                    self.read_file(os.path.relpath(path, top), file.read())

    def read_file(self, name, text):
        lines = [match.start() for match in re.finditer("\n", text)]
        tokens = []
        for token in tokens_of(text):
            if token[0] != "directive":
                tokens.append(token)
                continue
            define = DEFINE.match(token[1])
            if not define:
                continue
            body = tokens_of(define.group(4))
            for kind in ("string", "name"):
                if any(t[0] == kind for t in body):
                    break
            else:
                continue
            parameters = None
            if define.group(2) is not None:
                parameters = [re.sub(r"[\s\\]", "", p) for p in define.group(3).split(",")]
                parameters = [p[:-3] or "__VA_ARGS__" if p.endswith("...") else p for p in parameters]
            self.macros.setdefault(define.group(1), []).append(Macro(parameters, body))
            # its literals may be used as they are
            tokens.append(("other", ";", token[2]))
            tokens.extend((kind, value, token[2]) for kind, value, _ in body)
            tokens.append(("other", ";", token[2]))
        self.files.append((name, tokens, lines))

    def find_makers(self):
        """Those whose body has a string, or #, or another such macro."""
        found = True
        while found:
            found = False
            for name, all_of in self.macros.items():
                if name in self.makers:
                    continue
                for macro in all_of:
                    if macro.parameters is not None and any(
                            kind == "string" or value == "#" or (kind == "name" and value in self.makers) for kind, value, _ in macro.body):
                        self.makers.add(name)
                        found = True
                        break

    def values(self, name, depth):
        """The strings that a macro without arguments may be; a gap: nobody knows."""
        if name in INTEGERS:
            return [[INTEGERS[name]]]
        all_of = self.macros.get(name)
        if not all_of or depth > DEPTH:
            return [[GAP]]
        out = []
        for macro in all_of:
            if macro.parameters is not None:
                continue
            run = self.run(macro.body, 0, depth + 1, True)
            if run and run[1] == len(macro.body):
                out.extend(run[0])
            if len(out) >= ALTERNATIVES:
                break
        if not out or BUILT.search(name):
            # what another file says, or the build
            out = out[:ALTERNATIVES - 1] + [[GAP]]
        return out[:ALTERNATIVES]

    def arguments(self, tokens, at):
        """Those behind the name before `at`, and where they end."""
        depth = 0
        arguments = [[]]
        for at in range(at, min(len(tokens), at + 4000)):
            kind, value, _ = tokens[at]
            if kind == "other":
                if value in "([{":
                    depth += 1
                    if depth == 1:
                        continue
                elif value in ")]}":
                    depth -= 1
                    if depth == 0:
                        return arguments, at + 1
                elif value == "," and depth == 1:
                    arguments.append([])
                    continue
            arguments[-1].append(tokens[at])
        return None, at

    @staticmethod
    def spelled(tokens):
        out = ""
        for kind, value, _ in tokens:
            if kind == "string":
                value = '"' + value + '"'
            out += (" " if out and kind in ("name", "number") and out[-1].isalnum() else "") + value
        return out

    def expand(self, macro, arguments):
        parameters = macro.parameters
        given = {}
        for i, name in enumerate(parameters):
            if i == len(parameters) - 1 and len(arguments) > len(parameters):
                rest = []
                for k, argument in enumerate(arguments[i:]):
                    if k:
                        rest.append(("other", ",", 0))
                    rest.extend(argument)
                given[name] = rest
            else:
                given[name] = arguments[i] if i < len(arguments) else []
        out = []
        i = 0
        while i < len(macro.body):
            kind, value, at = macro.body[i]
            if value == "#" and kind == "other" and i + 1 < len(macro.body) and macro.body[i + 1][1] in given:
                out.append(("string", self.spelled(given[macro.body[i + 1][1]]), at))
                i += 2
                continue
            if value == "##" and kind == "other" and out and i + 1 < len(macro.body):
                kind, value, at = macro.body[i + 1]
                right = given.get(value, [(kind, value, at)]) if kind == "name" else [(kind, value, at)]
                if right and out[-1][0] in ("name", "number") and right[0][0] in ("name", "number"):
                    out[-1] = (out[-1][0], out[-1][1] + right[0][1], out[-1][2])
                    out.extend(right[1:])
                else:
                    out.extend(right)
                i += 2
                continue
            if kind == "name" and value in given:
                out.extend(given[value])
            else:
                out.append((kind, value, at))
            i += 1
        return out

    def call(self, tokens, at, depth):
        """The strings that a macro with arguments is among literals, and where it ends."""
        arguments, end = self.arguments(tokens, at + 1)
        if arguments is None or end - at > STEPS or depth > DEPTH:
            return [[GAP]], max(end, at + 1)
        out = []
        for macro in self.macros.get(tokens[at][1], [])[:ALTERNATIVES]:
            if macro.parameters is None:
                continue
            expanded = self.expand(macro, arguments)
            run = self.run(expanded, 0, depth + 1, True) if expanded else None
            if run and run[1] == len(expanded):
                out.extend(run[0])
        return out[:ALTERNATIVES] or [[GAP]], end

    def run(self, tokens, at, depth, alone=False):
        """Adjacent strings from `at` on: (alternatives of parts, end).  None: there are none."""
        alternatives = [[]]
        has_string = False
        while at < len(tokens):
            kind, value, _ = tokens[at]
            if kind == "string":
                parts = [[value]]
                has_string = True
                at += 1
            elif kind == "name" and value not in KEYWORDS:
                if at + 1 < len(tokens) and tokens[at + 1][1] == "(" and tokens[at + 1][0] == "other":
                    if value not in self.macros or not any(m.parameters is not None for m in self.macros[value]):
                        if not has_string:
                            return None
                        break
                    parts, end = self.call(tokens, at, depth)
                else:
                    parts, end = self.values(value, depth), at + 1
                if not has_string and parts == [[GAP]] and (alone or end >= len(tokens) or tokens[end][0] != "string"):
                    return None
                has_string |= parts != [[GAP]]
                at = end
            elif alone and value in "()" and kind == "other":
                at += 1
                continue
            else:
                break
            alternatives = [a + b for a, b in itertools.islice(itertools.product(alternatives, parts), ALTERNATIVES)]
        return (alternatives, at) if has_string else None

    def note(self, parts, name, line):
        joined = []
        for part in parts:
            if part is GAP or not joined or joined[-1] is GAP:
                joined.append(part)
            else:
                joined[-1] += part
        if joined == [GAP]:
            return
        if len(joined) == 1:
            self.strings.setdefault(joined[0].split("\0")[0], (name, line))
        else:
            self.gapped.setdefault(tuple(None if part is GAP else part for part in joined), (name, line))

    def take(self, tokens, name, lines, depth, line=0):
        at = 0
        while at < len(tokens):
            kind, value, offset = tokens[at]
            if kind == "string" or (kind == "name" and value not in KEYWORDS and (
                    at + 1 < len(tokens) and tokens[at + 1][0] == "string" or value in self.macros)):
                here = line or bisect.bisect_left(lines, offset) + 1
                run = self.run(tokens, at, 0)
                if run:
                    for parts in run[0]:
                        self.note(parts, name, here)
                if kind == "name" and value in self.makers and depth < DEPTH and at + 1 < len(tokens) and tokens[at + 1][1] == "(":
                    arguments, end = self.arguments(tokens, at + 1)
                    if arguments is not None and end - at <= STEPS:
                        for macro in self.macros[value][:ALTERNATIVES]:
                            if macro.parameters is not None:
                                self.take(self.expand(macro, arguments), name, lines, depth + 1, here)
                if run and kind == "string":
                    at = max(run[1], at + 1)
                    continue
            at += 1

def main():
    sources = Sources(sys.argv[1:])
    for string, (name, line) in sources.strings.items():
        print(json.dumps([f"{name}:{line}", string]))
    for parts, (name, line) in sources.gapped.items():
        print(json.dumps([f"{name}:{line}", parts]))

if __name__ == "__main__":
    main()
