"""numbers_of_text.py SHOW CAPTURE: what --values, --histogram and the like say, beside the same out of the texts alone.

Texts, formats and times are those of `binlog-show --output=json`; each check is a line `ok: ...` or `not ok: ...`.
"""
import collections
import json
import math
import re
import subprocess
import sys

show, capture = sys.argv[1:3]
failed = False
NAMES = {"step": "step=%ld", "odd": "odd=%d", "signed": "signed: %d", "short": "short %hhd", "hash": "hash %lx", "of": "of %p", "size": "size=%",
         "took": "took %", "ratio": "ratio=%", "long": "long=%", "arg1": "", "arg2": ""}


def run(*options):
    done = subprocess.run([show, "-q", "--utc", *options, capture], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{options}: {done.returncode}: {done.stderr}")
    return done.stdout


def rows(*options):
    return [json.loads(line) for line in run("--json", *options).splitlines()]


def check(sentence, wrong):
    global failed
    print(("not ok: " if wrong else "ok: ") + sentence)
    if wrong:
        failed = True
        print("    " + str(wrong)[:300])


# ---- the texts ----
Said = collections.namedtuple("Said", "time format text numbers")


def value_of(directive, text):
    if directive == "%p" or directive.endswith("x"):
        return int(text, 16)
    if directive[-1] not in "fg":
        return int(text)
    return float(text) if math.isfinite(float(text)) else None


def numbers_of(form, text):
    """{name: value} of each directive that is a number, by the word before it and as argN."""
    found = {}
    pieces = re.split(r"(%[-0-9.]*(?:hh|l|L|z)?[a-z])", form)
    matched = re.fullmatch("".join(re.escape(piece) if i % 2 == 0 else "(.*)" for i, piece in enumerate(pieces)), text)
    for i in range(1, len(pieces), 2):
        if pieces[i] == "%s":
            continue
        word = re.search(r"(\w+)\W*$", pieces[i - 1])
        number = value_of(pieces[i], matched.group(i // 2 + 1))
        for name in {word.group(1), f"arg{i // 2 + 1}"}:
            found[name] = number
    return found


said = []
for entry in (json.loads(line) for line in run("--output=json").splitlines()):
    form = entry.get("format", "")
    said.append(Said(entry["time_ns"], form, entry["message"], numbers_of(form.rstrip("\n"), entry["message"].rstrip("\n"))))


def values_by_site(name):
    by_site = collections.defaultdict(list)
    for each in said:
        if name in each.numbers:
            by_site[each.format].append(each.numbers[name])
    return by_site


# ---- --values ----
def near(number, wanted, part):
    return abs(number - wanted) <= abs(wanted) * part


def wrong_numbers(row, values):
    finite = sorted(value for value in values if value is not None)
    count = len(finite)
    if row["messages"] != count:
        return f"{row['messages']} messages, not {count}"
    if count == 0:
        return None
    mean = math.fsum(finite) / count
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in finite) / count)
    if not near(row["min"], finite[0], 1e-14) or not near(row["max"], finite[-1], 1e-14):
        return f"from {row['min']} to {row['max']}, not {finite[0]} to {finite[-1]}"
    if isinstance(finite[0], int) and (row["min"], row["max"]) != (finite[0], finite[-1]):
        return f"from {row['min']} to {row['max']}, not {finite[0]} to {finite[-1]}"
    if abs(row["mean"] - mean) > max(abs(mean), spread / 1000) / 10**5:
        return f"mean {row['mean']}, not {mean}"
    if not near(row["stddev"], spread, 1e-5):
        return f"stddev {row['stddev']}, not {spread}"
    for key, part in (("p50", 500), ("p90", 900), ("p99", 990), ("p99.9", 999)):
        wanted = finite[-(-count * part // 1000) - 1]
        if not near(row[key], wanted, 1 / 1024 + 1e-5):
            return f"{key} {row[key]}, not {wanted}"
    return None


def wrong_values(name):
    by_site = values_by_site(name)
    shown = rows("--values", name)
    total = [row for row in shown if row["at"] == "all"]
    sites = [row for row in shown if row["at"] != "all"]
    if sorted(row["format"] for row in sites) != sorted(by_site):
        return f"{[row['format'] for row in sites]} are not {list(by_site)}"
    if [row["messages"] for row in sites] != sorted((row["messages"] for row in sites), reverse=True):
        return "the site with the most is not the first"
    for row in sites:
        wrong = wrong_numbers(row, by_site[row["format"]])
        if wrong:
            return f"{row['format']!r}: {wrong}"
    if len(sites) > 1:
        return wrong_numbers(total[0], [value for values in by_site.values() for value in values])
    return "a sum of one" if total else None


for name in NAMES:
    check(f"--values {name}: as reckoned from the texts", wrong_values(name))


# ---- --histogram, --rcdf ----
def all_values(name):
    return [value for values in values_by_site(name).values() for value in values if value is not None]


def wrong_histogram(name, *options):
    values = all_values(name)
    bars = rows("--histogram", name, *options)
    edges = [(bar["from"], bar["below"]) for bar in bars]
    if any(one[1] > other[0] for one, other in zip(edges, edges[1:])):
        return "bars overlap"
    if sum(bar["messages"] for bar in bars) != len(values):
        return f"{sum(bar['messages'] for bar in bars)} of {len(values)}"
    for bar, (start, end) in zip(bars, edges):
        count = sum(start <= value < end for value in values)
        if count != bar["messages"]:
            return f"{bar}: there are {count}"
    return None if len(bars) > 1 else "one bar"


for name in ("step", "odd", "signed", "short", "hash", "of", "size", "took", "ratio", "long"):
    check(f"--histogram {name}: bars have what is between their ends", wrong_histogram(name))
check("--histogram with -n: so many bars at most", wrong_histogram("took", "-n", "7") or len(rows("--histogram=took", "-n7")) > 7)


def wrong_rcdf(name, *options):
    values = all_values(name)
    shown = rows("--rcdf", name, *options)
    for row, after in zip(shown, shown[1:] + [{"value": math.inf}]):
        count = sum(value >= row["value"] for value in values)
        if row["at_least"] != count or row["value"] >= after["value"] or not near(row["share"], count / len(values), 1e-5):
            return f"{row}: {count} are at least as large, next is {after}"
    return None if len(shown) > 1 and shown[0]["at_least"] == len(values) else "all are not there"


for name in ("step", "odd", "short", "size", "took"):
    check(f"--rcdf {name}: so many are at least as large", wrong_rcdf(name))

check("--rcdf with -n: so many rows at most", wrong_rcdf("took", "-n", "20") or len(rows("--rcdf=took", "-n20")) > 20)

# ---- --count, --where ----
WHERE = {
    "size > 100": lambda n: n.get("size") is not None and n["size"] > 100,
    "100.5 >= size": lambda n: n.get("size") is not None and n["size"] <= 100,
    "size < -50 || size > 4294967": lambda n: n.get("size") is not None and (n["size"] < -50 or n["size"] > 4294967),
    "signed >= -100 && short != 5 && !(signed > 70000)": lambda n: n.get("signed") is not None and -100 <= n["signed"] <= 70000 and n["short"] != 5,
    "took <= 50.5": lambda n: n.get("took") is not None and n["took"] <= 50.5,
    "took > ratio": lambda n: n.get("took") is not None and n["took"] > n["ratio"],
    "hash >= 9223372036854775808 || arg2 == 1": lambda n: (n.get("hash") is not None and n["hash"] >= 2**63) or n.get("arg2") == 1,
    "step == 1700 || odd == 1 && step < 2000": lambda n: n.get("step") is not None and (n["step"] == 1700 or (n["odd"] == 1 and n["step"] < 2000)),
    "!(!(odd == 1) && step > 1100)": lambda n: n.get("step") is not None and (n["odd"] == 1 or n["step"] <= 1100),
    "!(size == 3)": lambda n: n.get("size") is not None and n["size"] != 3,
    "size > 10 && nothing == 1": lambda n: False,
    "short > 1e30": lambda n: False,
    "short < 99999999999999": lambda n: n.get("short") is not None,
}
for expression, holds in WHERE.items():
    wanted = sum(holds(each.numbers) for each in said)
    got = int(run("--count", "--where", expression))
    check(f"--count --where '{expression}': {wanted}", f"{got}, not {wanted}" if got != wanted else None)
COMPARED = {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b, "==": lambda a, b: a == b,
            "!=": lambda a, b: a != b}


def wrong_bounds():
    odds = [each.numbers["odd"] for each in said if "odd" in each.numbers]
    for comparison, holds in COMPARED.items():
        for bound in (-1, 0, 0.5, 1, 2):
            for expression, number in ((f"odd {comparison} {bound}", sum(holds(odd, bound) for odd in odds)),
                                       (f"{bound} {comparison} odd", sum(holds(bound, odd) for odd in odds))):
                got = int(run("--count", "--where", expression))
                if got != number:
                    return f"{expression}: {got}, not {number}"
    return None


check("--where compares exactly at each bound", wrong_bounds())
counted = {int(run("--count")), rows("--count")[0]["messages"]}
check("--count: all calls", None if counted == {len(said)} else f"{counted}, not {len(said)}")
wanted = [each for each in said if WHERE["size > 100"](each.numbers)]
got = rows("--values=size", "--where=size > 100")[-1]
check("--values of those that --where chooses", wrong_numbers(got, [each.numbers["size"] for each in wanted]))


# ---- --largest ----
def lines_of(*options):
    return [line.split(": ", 1)[1] for line in run(*options).splitlines()]


def wrong_largest(option, name, number, largest):
    with_name = [each for each in said if each.numbers.get(name) is not None]
    ordered = sorted(with_name, key=lambda each: each.numbers[name], reverse=largest)
    got = lines_of(option, name, "-n", str(number))
    wanted = [each.text.rstrip("\n") for each in ordered[:number]]
    if [line.split(": ")[-1] if "signed" in line else line for line in got] == wanted:
        return None
    return None if got == wanted else f"{got[:3]}, not {wanted[:3]}"


for name in ("size", "took", "ratio", "odd"):
    check(f"--largest {name}: the largest first", wrong_largest("--largest", name, 12, True))
    check(f"--smallest {name}: the smallest first", wrong_largest("--smallest", name, 5, False))
check("--largest alone: ten", None if len(lines_of("--largest", "took")) == 10 else "others")


# ---- times: --stats, --per, --intervals ----
def wrong_stats():
    by_format = collections.defaultdict(list)
    for each in said:
        by_format[each.format].append(each)
    shown = rows("--stats")
    seconds = (max(each.time for each in said) - min(each.time for each in said)) / 10**9
    for row in shown:
        here = said if row["at"] == "all" else by_format[row["format"] or ""]
        wanted = (len(here), sum(len(each.text.encode()) for each in here), min(each.time for each in here), max(each.time for each in here))
        if (row["messages"], row["bytes"], row["first"], row["last"]) != wanted:
            return f"{row}, not {wanted}"
        if not near(row["per_second"], len(here) / seconds, 1e-5):
            return f"{row}: rate is {len(here) / seconds}"
        if abs(row["percent"] - 100 * len(here) / len(said)) > 0.006:
            return f"{row}: a part of {len(said)}"
    return None if len(shown) == len({each.format for each in said}) + 1 else f"{len(shown)} rows, {len(by_format)} formats"


check("--stats: messages, bytes, rate and times of each place", wrong_stats())
check("--stats -n 3: the three busiest", None if rows("--stats", "-n", "3")[:3] == rows("--stats")[:3] and len(rows("--stats", "-n", "3")) == 4 else "others")


def wrong_per(interval, nanos):
    shown = rows("--per", interval)
    wanted = collections.Counter(each.time // nanos * nanos for each in said)
    starts = range(min(wanted), max(wanted) + 1, nanos)
    if [(row["from"], row["messages"]) for row in shown] != [(start, wanted[start]) for start in starts]:
        return f"{shown[:3]}, not {sorted(wanted.items())[:3]}"
    return None


check("--per 1ms: messages in each millisecond", wrong_per("1ms", 10**6))
check("--per 17us: any length", wrong_per("17us", 17000))
starts = [row["from"] for row in rows("--per", "auto")]
check("--per auto: at most 50, of one length", None if len(starts) <= 50 and len({b - a for a, b in zip(starts, starts[1:])}) <= 1 else starts)
check("and of one that has all", wrong_per("auto", starts[1] - starts[0]) if len(starts) > 1 else "one")


def wrong_intervals():
    by_format = collections.defaultdict(list)
    for each in said:
        by_format[each.format].append(each.time)
    for row in rows("--intervals"):
        times = by_format[row["format"] or ""]
        between = [b - a for a, b in zip(times, times[1:])]
        if row["messages"] != len(times):
            return f"{row}: {len(times)} messages"
        wrong = wrong_numbers({**row, "messages": len(between)}, between) if between else row["min"] is not None
        if wrong:
            return f"{row['format']!r}: {wrong}"
    return None


check("--intervals: from one message to the next", wrong_intervals())
sys.exit(failed)
