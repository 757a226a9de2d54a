"""What a call costs as something grows: each a curve, which should have no cliff."""
from bench import Unavailable, number

DEPTHS = [5, 6, 8, 10, 12, 16, 20, 24, 28, 32, 40, 50, 64, 80, 100, 150, 200]
STACKS = [11, 15, 20, 30, 40, 64, 100, 200]
BYTES = [0, 1, 3, 4, 8, 15, 16, 31, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65535]
SITES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, 500000, 1000000]
THREADS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000]
WAYS = {"glibc to /dev/null": ("/dev/null", False), "glibc to a file": ("text", False), "recorded": ("/dev/null", True)}

# name, amounts, title, the two figures, what is said of it
CURVES = [
    ("depth", DEPTHS, "Frames on the stack", ("least", "median"),
     "Batches of 20,000 calls from one place. At most 64 frames are recorded."),
    ("stacks", STACKS, "Frames on a stack that is not remembered", ("fastest round", "first round"),
     "Calls from one place and 4096 different stacks in turn: each is known, but not remembered. The walk through the program "
     "itself is taken off."),
    ("sites", SITES, "Places", ("fastest round", "first round"),
     "Calls from so many places in turn, each with a format of its own."),
    ("bytes", BYTES, "Bytes of a string", ("least", "median"), "`printf(\"text %s\\n\", text)`, in batches of 1 MiB."),
    ("threads", THREADS, "Threads", ("later calls", "first calls"),
     "That all live and say 300 messages each to one `FILE`; nanoseconds of the processor."),
]


def amounts_of(bench, name, amounts):
    if name == "sites":
        return [n for n in amounts if n <= bench.choose(1000000, 100000)]
    if name == "threads":
        return [n for n in amounts if n <= bench.choose(10000, 1000)]
    return amounts


def measure(bench, name, amounts):
    """For each way and amount the least of both figures."""
    if name == "sites":
        command = [bench.compile("sites", "tests/bench/sites.c", f"-DSITES={amounts[-1]}")]
        separate = True  # what has been said before is no first visit
    else:
        command = [bench.compile("curves", "tests/bench/curves.c", "-pthread")]
        separate = name == "threads"
    best, absent = {}, {}
    for _ in range(2 if name == "threads" else bench.choose(4, 2)):
        for way, (stdout, is_recorded) in WAYS.items():
            for some in [[amount] for amount in amounts] if separate else [amounts]:
                bench.forget_capture()
                what = [] if name == "sites" else [name]
                try:
                    found = bench.result(command, *what, *some, environment=bench.recorded() if is_recorded else None,
                                         stdout=bench.path("text") if stdout == "text" else stdout, timeout=120)
                except Unavailable as why:
                    absent[way, some[0]] = str(why)
                    continue
                for amount, figures in found.items():
                    known = best.get((way, int(amount)), figures)
                    best[way, int(amount)] = [min(pair) for pair in zip(figures, known)]
    bench.forget_capture()
    return best, absent


def curves(bench):
    bench.say("## As it grows", "", "Nanoseconds per call, all of them the least of the rounds; recorded is streaming to a file.")
    bench.figures["curves"] = []
    for name, amounts, title, both, text in CURVES:
        bench.progress(f"curve: {title.lower()}")
        amounts = amounts_of(bench, name, amounts)
        best, absent = measure(bench, name, amounts)
        bench.say("", f"### {title}", "", text)
        bench.table([title.lower(), *(f"{way}, {which}" for way in WAYS for which in both)],
                    [[f"{amount:,}", *(number(figure) for way in WAYS for figure in best.get((way, amount), [None, None]))]
                     for amount in amounts])
        for (way, amount), why in absent.items():
            bench.say(f"{way}, {amount:,}: not measured: {why}.")
        bench.figures["curves"].append((title, {way: [(amount, best[way, amount][0]) for amount in amounts if (way, amount) in best]
                                                for way in WAYS}))
        if name == "stacks":
            bench.figures["misses"] = [best["recorded", depth][0] for depth in (11, 20)]
