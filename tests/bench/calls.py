"""Single calls: the six messages, their tails and bytes, syslog, and instructions."""
import os
import subprocess

from bench import Unavailable, middle, number

MESSAGES = ["m1", "m2", "m3", "m4", "m5", "m6"]
DEPTHS = [5, 10, 20]


class Rounds:
    """For each way of running, of each row the least and the median that was seen."""

    def __init__(self):
        self.rows = {}

    def add(self, way, result):
        for name, figures in result.items():
            least, median, mean = figures
            self.rows.setdefault((way, name), []).append((least, median, mean))
        six = [result[name] for name in MESSAGES if name in result]
        if len(six) == 6:
            means = tuple(sum(column) / 6 for column in zip(*six))
            self.rows.setdefault((way, "mix"), []).append(means)

    def least(self, way, name):
        return min(figures[0] for figures in self.rows[way, name])

    def median(self, way, name):
        return middle(figures[1] for figures in self.rows[way, name])

    def mean(self, way, name):
        return min(figures[2] for figures in self.rows[way, name])

    def cell(self, way, name):
        if is_of_all(way):
            typical = middle(figures[2] for figures in self.rows[way, name])
            return f"{number(self.mean(way, name))} / {number(typical)}"
        return f"{number(self.least(way, name))} / {number(self.median(way, name))}"

    def figure(self, way, name):
        return self.mean(way, name) if is_of_all(way) else self.least(way, name)

    def over_clock(self, way, name):
        """By how much more than reading the clock, which was measured in the same runs and in the same manner."""
        return self.figure(way, name) - self.figure(way, "rdtsc")


def is_of_all(way):
    """Where some calls cost more than others by what they do, a new block or waiting for a thread, all of them count."""
    return way.startswith("streaming") or way in ("null-2", "file-2")


def run_messages(bench, program, way, threads=1, frames=5, prefix=(), **options):
    """One run of messages in one way of running: null, file, prefaulted, streaming."""
    options = {"threads": threads, "frames": frames, **options}
    recorded = way in ("prefaulted", "streaming")
    if way == "prefaulted":
        options.update(calls=500, batches=bench.choose(300, 150), populate=1)
    else:
        options.setdefault("batches", bench.choose(15, 5))
    bench.forget_capture()
    return bench.result([*prefix, program], *(f"{name}={value}" for name, value in options.items()),
                        stdout=bench.path("text") if way == "file" else "/dev/null",
                        environment=bench.recorded() if recorded else None)


def frames_shown(bench):
    """Of how many frames the backtraces of the capture are; inlined functions are none."""
    depths, depth = set(), 0
    for line in bench.show("--stacks", "--depth=64", "-q").decode().splitlines() + ["end"]:
        if line.startswith("    #"):
            depth += not line.endswith("(inlined)")
        elif depth:
            depths.add(depth)
            depth = 0
    return depths


def check_capture(bench, program):
    """What was measured is really recorded: the text is the native one, the backtraces have the frames that are claimed."""
    for frames in DEPTHS:
        run_messages(bench, program, "file", frames=frames, calls=60, batches=2)
        with open(bench.path("text"), "rb") as text:
            printed = text.read()
        run_messages(bench, program, "streaming", frames=frames, calls=60, batches=2)
        if printed != bench.show("--raw", "-q"):
            raise SystemExit("bench: the capture does not hold what was printed")
        if frames_shown(bench) != {frames}:
            raise SystemExit(f"bench: backtraces of {frames} frames are expected, there are some of {sorted(frames_shown(bench))}")


def calls(bench):
    program = bench.messages("printf")
    check_capture(bench, program)
    rounds = Rounds()
    ways = [("null", "null", {}), ("file", "file", {})]
    ways += [(f"{way}{frames}", way, {"frames": frames}) for frames in DEPTHS for way in ("prefaulted", "streaming")]
    ways += [(f"{way}-2", way, {"threads": 2}) for way in ("null", "file", "prefaulted", "streaming")]
    for turn in range(bench.choose(30, 12)):
        bench.progress(f"the six messages, round {turn + 1}")
        for name, way, options in ways:
            rounds.add(name, run_messages(bench, program, way, **options))
    one_thread(bench, rounds)
    two_threads(bench, rounds)
    bytes_of_records(bench, program)
    bench.forget_capture()


def one_thread(bench, rounds):
    clock = min(rounds.least(way, "rdtsc") for way, name in rounds.rows if name == "rdtsc")
    calibration = [figures[0] for (_, name), all_rounds in rounds.rows.items() if name == "snprintf" for figures in all_rounds]
    bench.calibration += calibration
    names = MESSAGES + ["mix", "turn"]
    bench.say("## A call, with its exact backtrace", "",
              "Nanoseconds per call, least / median. m1 to m6 are the messages of NanoLog's benchmark, mix their mean, turn all six "
              "one after the other. `rdtsc` is the bare instruction in a loop, in the same runs; it and `snprintf` are not recorded.", "",
              "5, 10, 20: frames of the stack, all of them in the record. *Prefaulted*: the benchmark maps the pages of the block "
              "that is being filled (MADV_POPULATE_WRITE) between batches of 500 calls; a batch that needs a new block is in the "
              "median, not in the least. *Streaming*: the mean of all calls of a run, with new blocks and page faults; the capture is "
              f"on {bench.file_system}.")
    head = ["ns per call", "glibc to /dev/null", "glibc to a file"]
    columns = ["null", "file"]
    for way in "prefaulted", "streaming":
        head += [f"{way}, {frames}" for frames in DEPTHS]
        columns += [f"{way}{frames}" for frames in DEPTHS]
    bench.table(head, [[name, *(rounds.cell(way, name) for way in columns)] for name in names + ["rdtsc", "snprintf"]])
    over = {way: [rounds.over_clock(way, name) for name in MESSAGES] for way in columns[2:]}
    bench.table(["more than rdtsc, ns", *head[3:]], [
        ["median of the six", *(f"{(sorted(over[way])[2] + sorted(over[way])[3]) / 2:.1f}" for way in columns[2:])],
        ["largest of the six", *(f"{max(over[way]):.1f}" for way in columns[2:])],
        ["mix", *(f"{rounds.over_clock(way, 'mix'):.1f}" for way in columns[2:])]])
    bench.table(["glibc : recorded, least", *head[3:]], [
        [f"{name}, {text}", *(f"{rounds.least(way, name) / rounds.figure(column, name):.1f}" for column in columns[2:])]
        for way, text in (("null", "to /dev/null"), ("file", "to a file")) for name in names[:7]])
    deepest = [over[f"prefaulted{frames}"] for frames in DEPTHS]
    bench.figures.update(clock=clock, messages={way: {name: rounds.figure(way, name) for name in names} for way in columns},
                         median=max((sorted(values)[2] + sorted(values)[3]) / 2 for values in deepest),
                         largest=max(map(max, deepest)), streaming=rounds.over_clock("streaming5", "mix"))


def two_threads(bench, rounds):
    ways = ["null-2", "file-2", "prefaulted-2", "streaming-2"]
    bench.say("### Two threads that say the same at the same time", "",
              "Per thread, to one `FILE`, 5 frames. Prefaulted: the fastest batch / the median of both; all others: the mean of all "
              "calls, least / median of the rounds.")
    bench.table(["ns per call", "glibc to /dev/null", "glibc to a file", "prefaulted", "streaming"],
                [[name, *(rounds.cell(way, name) for way in ways)] for name in MESSAGES + ["mix", "turn", "rdtsc"]])
    bench.figures.update(prefaulted_two=rounds.over_clock("prefaulted-2", "mix"),
                         streaming_two=rounds.over_clock("streaming-2", "mix"))


def turns(bench):
    """Threads that share an output by a lock, whose lines are in order."""
    program = bench.compile("turns", "tests/bench/turns.c", "-pthread")
    ways = {"glibc to /dev/null": "/dev/null", "glibc to a file": bench.path("text"), "recorded": None}
    names = ["one", "free", "bursts", "turns", "flag"]
    least = {way: {} for way in ways}
    for _ in range(bench.choose(9, 3)):
        for way, stdout in ways.items():
            bench.forget_capture()
            rows = bench.result([program], bench.choose(1000000, 200000), stdout=stdout or "/dev/null",
                                environment=None if stdout else bench.recorded())
            for name in names:
                least[way][name] = min(least[way].get(name, rows[name][0]), rows[name][0])
    bench.forget_capture()
    bench.say("## Threads that share an output", "",
              "Nanoseconds per call of each thread, streaming, the best of the rounds. *Free*: two at the same time; *bursts*: two, each "
              "1,000 lines with a mutex; *turns*: two, a line each in turns by a flag, with the way of the flag between two cores, "
              "which is the last column.")
    bench.table(["ns per call", "one thread", "free", "bursts", "turns", "the flag alone"],
                [[way, *(number(least[way][name]) for name in names)] for way in ways])


def bytes_of_records(bench, program):
    sizes = {}
    for name in MESSAGES:
        count = {"calls": 20000, "batches": 9}  # and one more at first
        bench.forget_capture()
        bench.result([program], name, *(f"{key}={value}" for key, value in count.items()), environment=bench.recorded())
        captured = 0
        for file in os.scandir(bench.capture):
            with open(file, "rb") as capture:
                captured += len(capture.read().rstrip(b"\0"))
        bench.result([program], name, "calls=1", "batches=1", stdout=bench.path("text"))
        sizes[name] = (captured / 200000, os.path.getsize(bench.path("text")) / 2)
    mix = [sum(column) / 6 for column in zip(*sizes.values())]
    bench.say("### Bytes per record", "", "From 200,000 records each, headers of blocks and definitions included.")
    bench.table(["bytes", *MESSAGES, "mix"],
                [[what, *(f"{sizes[name][i]:.1f}" for name in MESSAGES), f"{mix[i]:.1f}"]
                 for i, what in enumerate(("record", "text"))])
    bench.figures["bytes"] = mix[0]


def tails(bench):
    program = bench.compile("latency", "tests/bench/latency.c", bench.populate())
    ways = {"nothing": ["empty=1"], "glibc to /dev/null": [], "glibc to a file": [], "prefaulted": ["populate=1"], "streaming": []}
    best = {}
    for turn in range(bench.choose(5, 2)):
        bench.progress(f"one call per microsecond, round {turn + 1}")
        for way, options in ways.items():
            bench.forget_capture()
            found = bench.result([program], f"calls={bench.choose(1000000, 300000)}", *options,
                                 stdout=bench.path("text") if way == "glibc to a file" else "/dev/null",
                                 environment=bench.recorded() if way in ("prefaulted", "streaming") else None)
            for name, (value,) in found.items():
                best[way, name] = min(value, best.get((way, name), value))
    names = ["p50", "p99", "p99.9", "p99.99", "max"]
    bench.say("## One call per microsecond", "",
              "The six messages in turn, one thread, 5 frames; nanoseconds, the least of the rounds. Each figure has one reading of "
              "the clock in it, and its step of about 10 ns: `nothing` is what is measured of an empty function.")
    bench.table(["", *names], [[way, *(number(best[way, name]) for name in names)] for way in ways])
    bench.figures["tails"] = [best["prefaulted", name] for name in names[1:4]]
    bench.forget_capture()


def system_log(bench):
    program = bench.messages("syslog")
    socket = [bench.compile("log_socket", "tests/bench/log_socket.c")]
    ways = {"glibc": (None, "200"), "recorded": (bench.recorded(), "2000"),
            "below the level": ({**bench.recorded(LEVEL="warning"), "MASKED": "1"}, "200")}
    rounds = Rounds()
    bench.say("## syslog()", "")
    try:
        for turn in range(bench.choose(15, 8)):
            bench.progress(f"syslog, round {turn + 1}")
            for way, (environment, count) in ways.items():
                bench.forget_capture()
                rounds.add(way, bench.result([*socket, program], f"calls={count}", "batches=15", environment=environment))
    except Unavailable as why:
        bench.say(f"Not measured: {why}.")
        return
    bench.say("Beside a process that reads /dev/log and throws it away, in a mount namespace of its own (nothing else listens there). "
              "*Below the level*: LOG_DEBUG with `BINLOG_LEVEL=warning`. Least / median.")
    bench.table(["ns per call", *ways, "glibc : recorded"],
                [[name, *(rounds.cell(way, name) for way in ways),
                  f"{rounds.least('glibc', name) / rounds.least('recorded', name):.0f}"] for name in MESSAGES + ["mix"]])
    bench.figures.update(syslog=rounds.least("glibc", "mix") / rounds.least("recorded", "mix"),
                         masked=rounds.least("below the level", "mix"), syslog_ns=rounds.least("recorded", "mix"))
    bench.forget_capture()


def instructions(bench):
    bench.progress("instructions")
    bench.say("## Instructions of a call", "",
              "Counted by single-stepping: the cheapest of three calls that were met before, from the entry of the program's linkage "
              "table to the return. The same on every run; `make check` has bounds for them.")
    try:
        program = bench.compile("instructions", "tests/victims/instructions.c", "-fno-builtin")
        found = {}
        for way, frames in (("native", 5), *(("recorded", depth) for depth in DEPTHS)):
            bench.forget_capture()
            preload = [f"{name}={value}" for name, value in bench.recorded(LEVEL="info").items()] if way == "recorded" else []
            done = subprocess.run([program, "count", "env", *preload, program, str(frames)], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True, check=False, cwd=bench.dir)
            if done.returncode:
                raise Unavailable(done.stderr.strip())
            found[way, frames] = {name: int(count) for name, count in map(str.split, done.stderr.splitlines())}
    except Unavailable as why:
        bench.say("", f"Not counted: {why}.")
        return
    recorded = [found["recorded", depth] for depth in DEPTHS]
    bench.table(["call", "glibc", *(f"{depth} frames" for depth in DEPTHS), "each further frame"],
                [[f"`{name}`", native, *(column[name] for column in recorded),
                  f"{(recorded[2][name] - recorded[0][name]) / (DEPTHS[2] - DEPTHS[0]):.1f}"]
                 for name, native in found["native", 5].items()])
    few = ["format0", "format1", "format2"]
    bench.figures.update(instructions=max(recorded[0][name] for name in few), masked_instructions=recorded[0]["syslog_below_level"],
                         frame=max(recorded[2][name] - recorded[0][name] for name in few) / (DEPTHS[2] - DEPTHS[0]))
