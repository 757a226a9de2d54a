"""branches.py JSON NEVER: a table of the branches that were taken, by
directory and file, from what gcov says of all objects; and into the file NEVER
those that never were, as `file:line: n: source`.

Exits with 1 when less is taken than tests/coverage/gates asks for, or when an
exclusion in tests/coverage/excluded is not needed any more."""

import collections
import fnmatch
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def table(name, columns):
    """Lines of fields between tabs, without comments."""
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if not line or line.startswith("#"):
                continue
            fields = line.split("\t")
            if len(fields) != columns:
                sys.exit(f"{name}:{number}: {columns} fields are wanted")
            yield fields


def read_counts(path):
    """How often each branch was taken: {file: {(line, function): [count]}}.
    A line has those of all objects that it was compiled into."""
    counts = collections.defaultdict(dict)
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            for file in json.loads(line)["files"]:
                if file["file"].startswith("/"):
                    continue
                add_file(counts[file["file"]], file["lines"])
    return counts


def add_file(places, lines):
    for line in lines:
        if not line["branches"]:
            continue
        place = (line["line_number"], line.get("function_name", ""))
        taken = [branch["count"] for branch in line["branches"]]
        known = places.setdefault(place, [0] * len(taken))
        known.extend([0] * (len(taken) - len(known)))
        for i, count in enumerate(taken):
            known[i] += count


class Source:
    """The lines of a file, each with single blanks."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.lines = [" ".join(line.split()) for line in file]

    def at(self, number):
        return self.lines[number - 1]


class Exclusions:
    """What need not be taken: so many branches of a line, which is known by
    its text and function.  With a question mark behind the number it may be
    that it is taken: whether one of two threads is faster."""

    def __init__(self):
        self.left = {}
        for file, function, count, text, _reason in table("excluded", 5):
            by_chance = count.endswith("?")
            self.left[file, function, text] = [
                int(count.rstrip("?")), False, by_chance]

    def of(self, file, function, text, never):
        """How many of the `never` taken ones are excluded."""
        known = self.left.get((file, function, text))
        if not known:
            return 0
        known[1] = known[1] or never > 0 or known[2]
        return min(known[0], never)

    def stale(self):
        return [key for key, (_, used, _) in self.left.items() if not used]


class Sum:
    def __init__(self):
        self.all = self.taken = self.excluded = 0

    def add(self, other):
        self.all += other.all
        self.taken += other.taken
        self.excluded += other.excluded

    def percent(self):
        wanted = self.all - self.excluded
        return 100.0 * self.taken / wanted if wanted else 100.0

    def show(self, name):
        print(f"{self.percent():7.2f} {self.taken:7} {self.all:7} "
              f"{self.excluded:5}  {name}")


def judge_file(file, places, exclusions, never):
    result = Sum()
    source = Source(file)
    for (line, function), taken in sorted(places.items()):
        missing = sum(1 for count in taken if not count)
        result.all += len(taken)
        result.taken += len(taken) - missing
        text = source.at(line)
        excluded = exclusions.of(file, function, text, missing)
        result.excluded += excluded
        if missing > excluded:
            never.write(f"{file}:{line}: {function}: {missing - excluded} of "
                        f"{len(taken)}: {text}\n")
    return result


def show_tables(files):
    directories = collections.defaultdict(Sum)
    print("percent   taken     all excluded")
    for file, result in sorted(files.items()):
        result.show(file)
        directories[os.path.dirname(file)].add(result)
    print()
    for directory, result in sorted(directories.items()):
        result.show(directory + "/")


def gate_of(gates, file):
    """The first that the file is of."""
    for number, (_, patterns, _name) in enumerate(gates):
        if any(fnmatch.fnmatchcase(file, p) for p in patterns.split()):
            return number
    return None


def judge_gates(files):
    """True when all hold."""
    gates = list(table("gates", 3))
    sums = [Sum() for _ in gates]
    for file, result in files.items():
        number = gate_of(gates, file)
        if number is not None:
            sums[number].add(result)
    print()
    holds = True
    for (least, _, name), result in zip(gates, sums):
        result.show(f"{name}: at least {least} % is wanted")
        holds = holds and result.percent() >= float(least)
    return holds


def main():
    counts = read_counts(sys.argv[1])
    exclusions = Exclusions()
    with open(sys.argv[2], "w", encoding="utf-8") as never:
        files = {file: judge_file(file, places, exclusions, never)
                 for file, places in sorted(counts.items())
                 if not file.startswith("tests/") and os.path.exists(file)}
    show_tables(files)
    holds = judge_gates(files)
    for file, function, text in exclusions.stale():
        print(f"not ok: excluded, but taken or gone: {file}: {function}: "
              f"{text}")
        holds = False
    print(f"those never taken: {sys.argv[2]}")
    sys.exit(0 if holds else 1)


main()
