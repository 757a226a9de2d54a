"""What all axes share: the place where everything lies, compiling, running natively and recorded, tables."""
import os
import shutil
import subprocess
import sys
import time

CFLAGS = ["-std=gnu11", "-O2", "-g", "-w", "-D_GNU_SOURCE"]


class Bench:
    """One run of the benchmark: `build` has the library, `dir` is empty at first and on the file system of the build."""

    def __init__(self, build, directory, quick):
        self.build, self.dir, self.quick = build, directory, quick
        self.library = build + "/libbinlog.so"
        self.root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        self.capture = self.path("capture")
        self.out = []  # lines of Markdown
        self.figures = {}  # for the table of goals and the plot
        self.calibration = []  # of snprintf, in nanoseconds
        self.started = time.monotonic()

    def path(self, name):
        return os.path.join(self.dir, name)

    def choose(self, full, quick):
        return quick if self.quick else full

    # ---- output ----
    def say(self, *lines):
        self.out += lines

    def progress(self, text):
        print(f"bench: {time.monotonic() - self.started:4.0f} s: {text}", file=sys.stderr, flush=True)

    def table(self, head, rows):
        self.say("", row_of(head), row_of(["---"] + ["---:"] * (len(head) - 1)), *map(row_of, rows), "")

    # ---- programs ----
    def compile(self, name, source, *options, compiler=None):
        """The path of the program; a sentence why there is none in .why of what is raised otherwise."""
        program = self.path(name)
        command = compiler or [os.environ.get("CC", "gcc"), *CFLAGS]
        done = subprocess.run([*command, "-I.", "-o", program, source, *options], cwd=self.root, capture_output=True,
                              text=True, check=False)
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if "error" in line or "cannot find" in line]
            raise Unavailable(f"{source} does not compile: {(lines or ['?'])[0][:200]}")
        return program

    def populate(self):
        """The object of populate.c."""
        there = os.path.exists(self.path("populate.o"))
        return self.path("populate.o") if there else self.compile("populate.o", "tests/bench/populate.c", "-c")

    def messages(self, peer, *options, name=None, compiler=None):
        """messages.c as it speaks through peers/PEER.h."""
        options = ["-x", "none", self.populate(), "-pthread", *options]
        return self.compile(name or "messages_" + peer, "tests/bench/messages.c",
                            f'-DPEER="tests/bench/peers/{peer}.h"', *options, compiler=compiler)

    def recorded(self, **options):
        """The environment of a recorded run; as_such=... are variables without their BINLOG_."""
        settings = {"DIR": self.capture, "DEPTH": 64, "MAX_SIZE": "16G", **options}
        return {"LD_PRELOAD": self.library, **{"BINLOG_" + key: str(value) for key, value in settings.items()}}

    def run(self, command, stdout="/dev/null", environment=None, timeout=600, **others):
        """Runs it, in the directory; whoever fails is named."""
        with open(stdout, "wb") as out, open(self.path("stderr"), "wb") as err:
            try:
                done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=self.dir, check=False,
                                      env={**os.environ, **(environment or {})}, timeout=timeout, **others)
            except subprocess.TimeoutExpired:
                raise Unavailable(f"{os.path.basename(command[0])} took longer than {timeout} s") from None
        if done.returncode:
            with open(self.path("stderr"), errors="replace") as err:
                why = (err.read().strip().splitlines() or [f"status {done.returncode}"])[-1]
            raise Unavailable(f"{os.path.basename(command[0])} failed: {why[:200]}")

    def result(self, command, *arguments, **how):
        """Rows of what the program writes to its RESULT: lists of a name and numbers."""
        self.run([*command, self.path("result"), *map(str, arguments)], **how)
        with open(self.path("result")) as result:
            rows = [line.split() for line in result]
        return {name: [float(number) for number in numbers] for name, *numbers in rows}

    def forget_capture(self):
        """And the text: the memory that they free is what the next run gets, where new memory may be ten times dearer."""
        shutil.rmtree(self.capture, ignore_errors=True)
        if os.path.exists(self.path("text")):
            os.remove(self.path("text"))

    def show(self, *options):
        """What binlog-show prints."""
        return subprocess.run([self.build + "/binlog-show", *options, self.capture], stdout=subprocess.PIPE, check=False).stdout


class Unavailable(Exception):
    """Something that is measured only where it is there; its text says what is missing."""


def row_of(cells):
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def middle(values):
    values = sorted(values)
    return values[len(values) // 2]


def number(value):
    """Three digits that mean something. A difference that is lost in the noise is none."""
    if value is None:
        return ""
    value = max(value, 0)
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if value >= 200 else f"{value:.1f}"
