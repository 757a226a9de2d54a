#!/usr/bin/env python3
"""judge.py WORK RULES NAME...: whether the statements of recorded programs are those of their sources.

WORK/NAME.json is what binlog-show says, WORK/NAME.trees names the directories of the sources, WORK/NAME.dialect whose formats they
have (printf if there is none), WORK/NAME.header what the program puts before its messages, as Loghub
has it; a line for each opinion of that.  RULES/apart has the messages that no statement has made, RULES/explained the disagreements where the
judge is wrong.  Which string of the source a text was made of is found without a look at what is judged: the one that accounts for
most of the text.  Prints checks and a table; WORK/NAME.found has what was found, one kind of message a line.
"""
import collections
import json
import os
import pickle
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import source_strings

SHARE_EACH, SHARE_ALL = 0.90, 0.97
PASSED_ON = 4  # different statements of one stack

PRINTF = re.compile(r"%(?:\d+\$)?[-+ #0'I]*(?:\*|\d+)?(?:\.(?:\*|\d+)?)?(?:hh|h|ll|l|L|q|j|z|t)?([diouxXeEfFgGaAcsCSpnm%])")
NGINX = re.compile(r"%(?:\*s|0?\d*m?[uxX]*(?:\.\d+)?([OPMTzidlLDArpfcsVvZN%]))")
APR = re.compile(r"%(?:(p[AITtmBFSpr])|[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+)?)?(?:hh|h|ll|l|q|j|z|t)?([diouxXeEfFgGaAcspn%]))")
DIALECTS = {"printf": PRINTF, "nginx": NGINX, "apr": APR}
ANY = r"[\s\S]*?"
NUMBER = r"\s*[-+]?\d+\s*"
MADE = {
    **dict.fromkeys("diu", NUMBER), **dict.fromkeys("xXop", r"\s*(?:0[xX])?(?:[0-9a-fA-F]+|\(nil\))\s*"),
    **dict.fromkeys("eEfFgGaA", r"\s*[-+]?(?:[0-9a-fA-FxXpP][-+.\w]*|nan|inf)\s*"), **dict.fromkeys("cC", r"[\s\S]"), "n": "",
}

class Format:
    """A string of the source as what texts are made of."""
    def __init__(self, text, where, dialect):
        self.text, self.where = text, where
        parts, last = [], 0
        stripped = text.rstrip("\r\n")
        for match in DIALECTS[dialect].finditer(stripped):
            parts.append(stripped[last:match.start()])
            last = match.end()
            letter = next((g for g in match.groups() if g), "s")
            if letter == "%":
                parts.append(None)
            else:
                numeric = letter in MADE and (dialect != "nginx" or letter in "ipxXfc")
                parts.append(("made", (MADE[letter] if numeric else ANY)))
        parts.append(stripped[last:])
        literals, segments, template = [""], [""], ""
        for part in parts:
            if isinstance(part, tuple):
                literals.append("")
                if part[1] == ANY:
                    segments.append(ANY)
                else:
                    segments[-1] += part[1]
                template += "<*>"
            else:
                part = "%" if part is None else part
                literals[-1] += part
                segments[-1] += re.escape(part)
                template += part
        self.literals = literals
        self.weight = sum(len(re.sub(r"\s", "", literal)) for literal in literals)
        self.letters = sum(len(re.sub(r"[\W_]", "", literal)) for literal in literals)
        self.longest = max(literals, key=len)
        self.template = re.sub(r"(?:<\*>)+", "<*>", template).strip()
        # whole words alone
        if re.match("[A-Za-z0-9_]", literals[0]):
            segments[0] = r"(?<![A-Za-z0-9_])" + segments[0]
        if re.search("[A-Za-z0-9_]$", literals[-1]):
            segments[-1] += "(?![A-Za-z0-9_])"
        # the first place where a segment is will do: none is gone back to, or twenty of them take hours
        self.regex = segments[0] + "".join(f"(?>{segment})" for segment in segments[1:])
        self.compiled = None
        self.directives = len(literals) - 1
        self.sentence = self.directives > 0 or len(stripped.split()) > 1
        self.says = self.letters >= 2 and self.weight >= 3
        self.bare = stripped

    def tier(self, content):
        """How well it accounts for a text: 0 not at all, 1 a word in it, 2 directives alone, 3 a sentence in it, 4 from its beginning on."""
        if self.weight > len(content) or self.longest not in content:
            return 0
        if not self.sentence:
            return 4 if self.bare and self.bare == content else 1 if self.says else 0
        if not self.says and self.directives < 2:
            return 0
        at = 0
        for literal in self.literals:
            at = content.find(literal, at)
            if at < 0:
                return 0
            at += len(literal)
        if self.compiled is None:
            self.compiled = re.compile(self.regex)
        match = self.compiled.search(content)
        if not match:
            return 0
        return 2 if not self.says else 4 if match.start() == 0 else 3

def grams(text):
    return {text[i:i + 4] for i in range(len(text) - 3)}

class Source:
    def __init__(self, trees, dialect):
        self.strings, self.gapped = {}, []
        for tree in trees:
            cache = tree + ".strings"
            try:
                with open(cache, "rb") as file:
                    strings, gapped = pickle.load(file)
            except (OSError, EOFError, ValueError):
                found = source_strings.Sources([tree])
                strings, gapped = found.strings, found.gapped
                with open(cache, "wb") as file:
                    pickle.dump((strings, gapped), file)
            for string, where in strings.items():
                self.strings.setdefault(string, where)
            for parts, where in gapped.items():
                regex = "".join("[\\s\\S]*" if part is None else re.escape(part) for part in parts)
                if sum(len(part) for part in parts if part) >= 4:
                    self.gapped.append((re.compile(regex), parts, where))
        self.formats = [f for f in (Format(s, w, dialect) for s, w in self.strings.items() if len(s) < 4000) if f.weight or f.directives > 1]
        # by the rarest four characters in a row that a text has to have
        seen = collections.Counter(g for f in self.formats for g in grams(f.longest))
        self.by_gram = collections.defaultdict(list)
        for it in self.formats:
            self.by_gram[min(grams(it.longest), key=seen.__getitem__, default="")].append(it)
        self.cache = {}

    def has(self, constant):
        """"source", "gap" (as far as is known without the build), or None."""
        if constant in self.strings:
            return "source"
        # what is not read as UTF-8 is not the same here
        for regex, _, _ in self.gapped:
            if regex.fullmatch(constant):
                return "gap"
        return None

    def makers(self, contents):
        """The formats that account for most of a text, all alike; there may be several opinions of where it begins."""
        key = "\0".join(contents)
        if key not in self.cache:
            best, found = 0, []
            candidates = list(self.by_gram[""])
            for gram in sorted(set(g for content in contents for g in grams(content))):
                candidates.extend(self.by_gram.get(gram, ()))
            for it in sorted(candidates, key=lambda f: -f.weight):
                if best == 4 and found[0].weight > it.weight:
                    break
                tier = max(it.tier(content) for content in contents)
                if tier > best:
                    best, found = tier, [it]
                elif tier and tier == best and (tier == 2 or it.weight == found[0].weight):
                    found.append(it)
            self.cache[key] = found
        return self.cache[key]

def read_rules(path, columns):
    rules = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.rstrip("\n")
            if line and not line.startswith("#"):
                fields = line.split("\t")
                if len(fields) != columns:
                    sys.exit(f"judge.py: {path}: {len(fields)} columns for {columns}: {line}")
                rules.append(fields)
    return rules

def latin(text):
    """As the strings of the source are: a character for each byte."""
    return text.encode("utf-8", "surrogateescape").decode("latin-1")

def says(constant, dialect):
    return any(c.isalnum() for c in DIALECTS[dialect].sub("", constant))

def is_more_than_data(constant, dialect):
    form = Format(constant, None, dialect)
    return form.directives > 1 or form.weight > 0

def shown(text):
    return json.dumps(text, ensure_ascii=True)

def contents_of(headers, text):
    return [header.sub("", text, count=1).rstrip("\r\n") for header in headers]

def stack_of(message):
    return tuple((frame.get("module"), frame.get("address")) for frame in message.get("stack", ()) if frame.get("on_stack", True))

def find_passed_on(messages, makers_of):
    """Stacks that say what many statements of the source have made, none of which is sure: from a pipe, a table, a list of lines."""
    of, sure = collections.defaultdict(set), set()
    for message in messages:
        if not message.get("stack"):
            continue
        if message.get("statement") == "sure":
            sure.add(stack_of(message))
            continue
        makers = makers_of(latin(message["message"]))
        if makers and makers[0].says and makers[0].sentence:
            of[stack_of(message)].add(makers[0].text)
    return {stack for stack, texts in of.items() if len(texts) >= PASSED_ON and stack not in sure}

def is_line(text):
    """What a log file has on a line of its own."""
    text = text.rstrip("\r\n")  # servers end them like this, too
    return text and "\n" not in text and "\r" not in text

def judge_lines(judged, lines, dialect):
    """The same messages as lines of a file, of which --text knows the program alone."""
    if len(lines) != len(judged.lines):
        judged.lines = []
    for (text, truth), line in zip(judged.lines, lines):
        constant = latin(line.get("format", "")) if line.get("statement") else ""
        if truth:
            judged.texts.append((truth, Format(constant, None, dialect).template if constant else latin(text)))

class Judged:
    def __init__(self):
        self.counts = collections.Counter()
        self.apart = collections.Counter()
        self.kinds = collections.OrderedDict()
        self.grouped = []  # (template of truth, template that is shown)
        self.lines = []  # of each message that is one line: (its text, template of truth or None)
        self.texts = []  # of each of these with a truth, as --text shows it: as in grouped
        self.wrong = collections.OrderedDict()
        self.foreign = collections.OrderedDict()

def judge(work, name, apart, explained):
    def lines_of(what):
        try:
            with open(os.path.join(work, f"{name}.{what}"), encoding="utf-8") as file:
                return file.read().split("\n")
        except OSError:
            return []
    dialect = (lines_of("dialect") or ["printf"])[0].strip() or "printf"
    source = Source([t for t in lines_of("trees") if t], dialect)
    apart = [(reason, re.compile(regex, re.S)) for program, reason, regex in apart if program in (name, "*")]
    explained = {(ours, truth) for program, ours, truth, _ in explained if program in (name, "*")}
    headers = [re.compile(header, re.S) for header in lines_of("header")[:-1] or [""]]
    judged = Judged()
    messages = [json.loads(line) for line in lines_of("json") if line]
    messages = [message for message in messages if "message" in message]
    passed_on = find_passed_on(messages, lambda text: source.makers(contents_of(headers, text)))
    for message in messages:
        text = latin(message["message"])
        constant = latin(message.get("format", ""))
        own = not message.get("statement") and constant and says(constant, "printf")
        if is_line(message["message"]):
            judged.lines.append((message["message"].rstrip("\n"), None))
        reason = next((why for why, regex in apart if regex.search(text)), None)
        if not reason and not any(c.isalnum() for c in text):
            reason = "no words"
        if not reason and message.get("statement") != "sure" and stack_of(message) in passed_on and not own:
            reason = "passed on: one and the same stack has texts of many statements"
        if not reason and len(text) == 1:
            reason = "characters, one at a time"
        how = message.get("statement") or ("own" if own else "none")
        makers = [] if reason else source.makers(contents_of(headers, text))
        kind = "right"
        truth = makers[0] if makers else None
        if how == "none" and not reason and (not truth or not truth.sentence or not truth.says):
            # the judge knows none, too: what the call puts around data is all there is
            if constant and source.has(constant) and is_more_than_data(constant, dialect):
                how, makers = "own", [Format(constant, source.strings.get(constant), dialect)]
                truth = makers[0]
            else:
                reason = "data, no words of the source in it"
        if how == "none" and truth and constant and ((shown(constant), "*") in explained or (shown(constant), shown(truth.text)) in explained):
            how = "own"
        if reason:
            judged.counts["apart"] += 1
            judged.apart[reason] += 1
            continue
        judged.counts["messages"] += 1
        judged.counts[how] += 1
        if how == "none":
            kind = "none"
        else:
            has = source.has(constant)
            if not has:
                kind = "foreign"
            same = [m for m in makers if m.text.rstrip("\r\n") == constant.rstrip("\r\n")]
            if same:
                truth = same[0]
            elif has == "gap" and not (makers and makers[0].weight > Format(constant, None, dialect).weight):
                kind = "gap"
                truth = Format(constant, None, dialect)
            elif kind != "foreign":
                kind = "other"
                pair = (shown(constant), shown(truth.text) if truth else "-")
                if pair in explained or (pair[0], "*") in explained or ("*", pair[1]) in explained:
                    kind = "explained"
                    truth = Format(constant, None, dialect)
        judged.counts["is " + kind] += 1
        if kind in ("foreign", "other") and how == "sure":
            judged.counts["wrong"] += 1
        if kind in ("foreign", "other") and how == "own":
            judged.counts["given"] += 1
        key = (kind, how, constant, truth.text if truth else None)
        if key not in judged.kinds:
            judged.kinds[key] = [0, text, truth.where if truth else None, message.get("function", "")]
        judged.kinds[key][0] += 1
        if truth:
            ours = Format(constant, None, dialect).template if constant else text
            judged.grouped.append((truth.template, ours))
            if is_line(message["message"]):
                judged.lines[-1] = (judged.lines[-1][0], truth.template)
        else:
            judged.counts["unjudged"] += 1
    judge_lines(judged, [json.loads(line) for line in lines_of("text.json") if line], dialect)
    with open(os.path.join(work, f"{name}.found"), "w", encoding="utf-8") as file:
        for (kind, how, constant, truth), (count, text, where, function) in sorted(
                judged.kinds.items(), key=lambda item: (item[0][0], item[0][1], -item[1][0])):
            place = f"{where[0]}:{where[1]}" if where else "-"
            print(kind, how, count, shown(constant), shown(truth) if truth else "-", place, function, shown(text[:200]), sep="\t", file=file)
    return judged

def loghub(grouped):
    """FGA and FTA of Loghub-2.0: F1 of groups that are exactly right, and of those whose template is, too."""
    truths, ours = collections.defaultdict(set), collections.defaultdict(set)
    for i, (truth, predicted) in enumerate(grouped):
        truths[truth].add(i)
        ours[predicted].add(i)
    right = named = 0
    for predicted, members in ours.items():
        of = {grouped[i][0] for i in members}
        if len(of) == 1:
            truth = of.pop()
            if truths[truth] == members:
                right += 1
                named += truth == predicted
    def f1(correct):
        if not correct:
            return 0.0
        precision, recall = correct / len(ours), correct / len(truths)
        return 2 * precision * recall / (precision + recall)
    return f1(right), f1(named), len(truths), len(ours)

def main():
    work, rules = sys.argv[1:3]
    apart = read_rules(os.path.join(rules, "apart"), 3)
    explained = read_rules(os.path.join(rules, "explained"), 4)
    total, reasons, grouped, texts = collections.Counter(), collections.Counter(), [], []
    failed = False
    def check(right, sentence, detail=()):
        nonlocal failed
        failed |= not right
        print(("ok: " if right else "not ok: ") + sentence)
        for line in list(detail)[:12] if not right else ():
            print("    " + line[:300])
    head = f"{'program':12} {'messages':>8} {'own':>6} {'sure':>6} {'likely':>6} {'none':>6} {'share':>6} {'apart':>6} {'wrong':>6} {'FGA':>6} {'FTA':>6} {'templates':>9} {'shown':>6}"
    table = [head]
    def row(name, counts, groups):
        share = (counts["own"] + counts["sure"] - counts["wrong"] - counts["given"]) / max(1, counts["messages"])
        fga, fta, truths, ours = loghub(groups)
        table.append(f"{name:12} {counts['messages']:8} {counts['own']:6} {counts['sure']:6} {counts['likely']:6} {counts['none']:6} "
                     f"{100 * share:5.1f}% {counts['apart']:6} {counts['wrong']:6} {fga:6.3f} {fta:6.3f} {truths:9} {ours:6}")
        return share
    for name in sys.argv[3:]:
        judged = judge(work, name, apart, explained)
        share = row(name, judged.counts, judged.grouped)
        def of_kinds(*wanted):
            return [f"{how} {shown(constant)}, but the source has {shown(truth) if truth else 'none'}: {shown(value[1][:100])}"
                    for (kind, how, constant, truth), value in judged.kinds.items() if (kind, how) in wanted or kind in wanted]
        check(share >= SHARE_EACH, f"{name}: {100 * SHARE_EACH:.0f} % of the messages have their statement",
              of_kinds("none", ("right", "likely"), ("other", "own")))
        check(not judged.counts["wrong"], f"{name}: no statement is another than the source has", of_kinds(("other", "sure"), ("foreign", "sure")))
        total.update(judged.counts)
        reasons.update(judged.apart)
        grouped.extend(((name, truth), (name, ours)) if truth != ours else ((name, truth),) * 2 for truth, ours in judged.grouped)
        check(judged.texts, f"{name}: its messages as lines of a file are read by --text, one by one")
        texts.extend((name, *pair) for pair in judged.texts)
    share = row("all", total, grouped)
    check(share >= SHARE_ALL, f"{100 * SHARE_ALL:.0f} % of all messages have their statement")
    for line in table:
        print(line)
    print(f"\n{'by --text':12} {'lines':>8} {'same':>6} {'other':>6} {'none':>6} {'FGA':>6} {'FTA':>6}")
    for name in [*sys.argv[3:], "all"]:
        pairs = [(truth, ours) for of, truth, ours in texts if name in (of, "all")]
        same, none = sum(truth == ours for truth, ours in pairs), sum("<*>" not in ours and truth != ours for truth, ours in pairs)
        fga, fta, _, _ = loghub(pairs)
        print(f"{name:12} {len(pairs):8} {same:6} {len(pairs) - same - none:6} {none:6} {fga:6.3f} {fta:6.3f}")
    print("apart: " + "; ".join(f"{count} {reason}" for reason, count in reasons.most_common()))
    is_ = {kind: total["is " + kind] for kind in ("right", "gap", "explained", "other", "foreign")}
    print(f"judged: {is_['right']} right, {is_['gap']} as far as the build is not known, {is_['explained']} explained, {is_['other']} other, "
          f"{is_['foreign']} not in the source, {total['given']} of these the call's own, {total['unjudged']} without any string of the source")
    sys.exit(failed)

if __name__ == "__main__":
    main()
