"""Other loggers and tracers, on the same messages in the same run; each is optional, and named when it is absent."""
import os
import shutil
import subprocess
import time

from bench import Unavailable
from calls import MESSAGES, Rounds, run_messages

CXX = ["-std=gnu++17", "-O2", "-g", "-w", "-D_GNU_SOURCE"]
# Short enough for their queues, which are emptied in the pauses.
BURSTS = ["calls=1000", "pause=2000"]


def need(program, package):
    if not shutil.which(program):
        raise Unavailable(f"there is no {program} (package {package})")


def need_header(header, package):
    done = subprocess.run(["gcc", "-E", "-x", "c", "-o", "/dev/null", "-"], input=f"#if !__has_include(<{header}>)\n#error\n#endif\n",
                          stderr=subprocess.DEVNULL, text=True, check=False)
    if done.returncode:
        raise Unavailable(f"there is no {header} (package {package})")


class Plain:
    """glibc and binlog, as everywhere else; what all others are compared with."""

    def __init__(self, bench, way):
        self.bench, self.way = bench, way
        self.program = bench.path("messages_printf")
        if not os.path.exists(self.program):
            self.program = bench.messages("printf")

    def measure(self):
        return run_messages(self.bench, self.program, self.way)

    def end(self):
        self.bench.forget_capture()


class Spdlog:
    """The library of its package, compiled."""

    def __init__(self, bench):
        self.bench = bench
        need("g++", "g++")
        need_header("spdlog/spdlog.h", "libspdlog-dev")
        self.program = bench.messages("spdlog", "-lspdlog", "-lfmt", compiler=["g++", "-x", "c++", *CXX, "-DSPDLOG_COMPILED_LIB",
                                                                              "-DSPDLOG_FMT_EXTERNAL"])

    def measure(self):
        return self.bench.result([self.program], *BURSTS, f"batches={self.bench.choose(60, 20)}",
                                 environment={"PEER_FILE": self.bench.path("spdlog.log")})

    def end(self):
        pass


class Lttng:
    """A session with a daemon: the one that runs, or else one of ours, which is ended."""

    def __init__(self, bench, peer, events):
        self.bench, self.daemon = bench, None
        need_header("lttng/tracef.h", "liblttng-ust-dev")
        need("lttng", "lttng-tools")
        self.environment = {"LTTNG_HOME": bench.dir, "LTTNG_UST_REGISTER_TIMEOUT": "-1", "HOME": bench.dir}
        self.program = bench.messages(peer, "-llttng-ust", "-ldl")
        self.session = f"bench{os.getpid()}"
        if not self.lttng("list", check=False):
            self.daemon = subprocess.Popen(["lttng-sessiond", "--no-kernel"], env={**os.environ, **self.environment},
                                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 20
        while not self.lttng("list", check=False):
            if time.monotonic() > deadline:
                self.end()
                raise Unavailable("lttng-sessiond does not start")
            time.sleep(0.1)
        try:
            self.lttng("create", self.session, "--output=" + bench.path("lttng"))
            self.lttng("enable-event", "--session=" + self.session, "--userspace", events)
            self.lttng("start", self.session)
        except Unavailable:
            self.end()
            raise

    def lttng(self, *arguments, check=True):
        done = subprocess.run(["lttng", *arguments], env={**os.environ, **self.environment}, capture_output=True, text=True,
                              check=False)
        if check and done.returncode:
            raise Unavailable(f"lttng {arguments[0]} failed: {(done.stderr.strip().splitlines() or ['?'])[-1]}")
        return done.returncode == 0

    def measure(self):
        return self.bench.result([self.program], *BURSTS, f"batches={self.bench.choose(60, 20)}", environment=self.environment)

    def end(self):
        self.lttng("destroy", self.session, check=False)
        if self.daemon:
            self.daemon.terminate()
            self.daemon.wait()


class Tracer:
    """A program that runs ours."""

    def __init__(self, bench, command, count):
        self.bench, self.command, self.count = bench, command, count
        need(command[0], command[0])
        self.program = bench.path("messages_printf")

    def measure(self):
        shutil.rmtree(self.bench.path("tracer"), ignore_errors=True)
        return self.bench.result([*self.command, self.program], *self.count, timeout=120)

    def end(self):
        shutil.rmtree(self.bench.path("tracer"), ignore_errors=True)


# The name says how its figures are made: see Rounds.
OURS = "streaming to a capture"
PEERS = [
    (OURS, "whole", "no", lambda bench: Plain(bench, "streaming")),
    ("glibc to /dev/null", "", "", lambda bench: Plain(bench, "null")),
    ("glibc to a file", "", "", lambda bench: Plain(bench, "file")),
    ("LTTng-UST tracepoint", "none", "yes", lambda bench: Lttng(bench, "tracepoint", "bench:*")),
    ("LTTng-UST tracef", "none", "yes", lambda bench: Lttng(bench, "tracef", "lttng_ust_tracef:*")),
    ("spdlog, asynchronous", "none", "yes", Spdlog),
    ("uftrace, with arguments", "none", "no", lambda bench: Tracer(
        bench, ["uftrace", "record", "--force", "-d", bench.path("tracer"), "-A", "fprintf@arg1,arg2/s,arg3,arg4"],
        ["calls=1000", "batches=5"])),
    ("ltrace", "none", "no", lambda bench: Tracer(
        bench, ["ltrace", "-o", "/dev/null", "-e", "fprintf+fwrite"], ["calls=12", f"batches={bench.choose(5, 2)}"])),
]


def peers(bench):
    rounds, absent, present = Rounds(), [], []
    for name, stack, source, make in PEERS:
        try:
            peer = make(bench)
        except Unavailable as why:
            absent.append((name, why))
            continue
        try:
            for turn in range(1 if isinstance(peer, Tracer) else bench.choose(10, 4)):
                bench.progress(f"{name}, round {turn + 1}")
                rounds.add(name, peer.measure())
            present.append((name, stack, source))
        except Unavailable as why:
            absent.append((name, why))
        finally:
            peer.end()
    table(bench, rounds, present)
    for name, why in absent:
        bench.say(f"{name} was not measured: {why}.")


def table(bench, rounds, present):
    bench.say("## Others", "",
              "The same program and messages; nanoseconds per call, least / median. Those that have a thread or a daemon for the "
              "rest of the work are measured in bursts of 1000 calls with 2 ms in between; that other work is not counted. binlog: "
              "all of its calls, least and median of the rounds.")
    mix = {name: rounds.figure(name, "mix") for name, _, _ in present}
    ours = mix.get(OURS)
    bench.table(["ns per call", *MESSAGES, "mix", "mix : binlog", "backtrace", "changes of the source"],
                [[name, *(rounds.cell(name, message) for message in MESSAGES + ["mix"]),
                  f"{mix[name] / ours:,.1f}" if ours else "", stack, source] for name, stack, source in present])
    bench.figures["peers"] = list(mix.items())
