"""What the tools do, and take, when a log is of a program in whose place something else is now.

DIRECTORY has the program, its capture below `capture`, and in `messages` what it wrote.
"""
import os
import subprocess
import sys
import tempfile


def run(*command):
    """Exit status, what was written to standard output, and to error, seconds of CPU, MiB."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as complaints:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=complaints)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        complaints.seek(0)
        return process.returncode, out.read(), complaints.read(), used.ru_utime, used.ru_maxrss / 1024


# A fixed work, and the seconds of CPU that it takes on the machine whose seconds the bounds are in.
REFERENCE = "texts = [str(number) for number in range(2000000)]"
REFERENCE_SECONDS = 0.8


def slowness():
    """How many times as long as on that machine this one takes now: 1 where it is faster."""
    return max(1, run(sys.executable, "-c", REFERENCE)[3] / REFERENCE_SECONDS)


def behind_words(lines):
    """The messages of lines that begin with time, process and stream."""
    return b"".join(line[line.index(b"message"):] for line in lines.splitlines(True) if b"message " in line)


class Tools:
    def __init__(self, build, directory, seconds, memory, secret=None):
        """No tool may take more `seconds` of CPU, as the reference counts them, or MiB of `memory`, or write `secret`."""
        self.build, self.directory, self.most = build, directory, (seconds, memory)
        self.program, self.capture = directory + "/program", directory + "/capture"
        self.secret, self.costs, self.failures = secret, {}, {}
        with open(directory + "/messages", "rb") as file:
            self.messages = file.read()

    def too_slow(self, seconds, command):
        """Whether also the least of three runs is, each beside the reference."""
        for _ in range(3):
            if seconds < self.most[0] * slowness():
                return False
            seconds = run(*command)[3]
        return True

    def check(self, tool, name, statuses, *command, messages=None):
        """`messages` takes the messages from what the tool wrote, where they have to be in it."""
        result = run(*command)
        status, out, complaints, seconds, memory = result
        wrong = [] if status in statuses else [f"status {status}"]
        if messages and messages(out) != self.messages:
            wrong.append("the messages are others")
        if seconds >= self.most[0] and self.too_slow(seconds, command):
            wrong.append(f"{seconds:.2f} s of CPU")
        if memory >= self.most[1]:
            wrong.append(f"{memory:.0f} MiB")
        if self.secret and self.secret in out + complaints:
            wrong.append("the secret is in what it wrote")
        if b"\033" in complaints:
            wrong.append("an escape is in what it complained of")
        self.costs.setdefault(tool, []).append((seconds, memory, name))
        if wrong:
            self.failures.setdefault(tool, []).append(f"{name}: {', '.join(wrong)}")

    def try_all(self, name, *options):
        """The `options` are for those who look for a program."""
        packed, question = self.directory + "/packed.blog", self.directory + "/question"
        with open(question, "w", encoding="utf-8") as file:
            file.write(f"{self.program}+0x1130\n")
        symbolize, show, pack = (f"{self.build}/binlog-{tool}" for tool in ("symbolize", "show", "pack"))
        self.check("binlog-symbolize", name, (0, 1), symbolize, *options, question)
        self.check("binlog-show --exe", name, (0,), show, "--raw", "--exe=" + self.program, *options, self.capture,
                   messages=bytes)
        self.check("binlog-show --stacks", name, (0, 1), show, "--stacks", *options, self.capture, messages=behind_words)
        self.check("binlog-show --index", name, (0, 1, 2), show, "--index", self.program)
        self.check("binlog-pack --with-symbols", name, (0, 1), pack, "-q", "-f", "--with-symbols", *options,
                   self.capture, "-o", packed)
        self.check("binlog-show of the packed log", name, (0, 1), show, "--raw", packed, messages=bytes)
        if os.path.isfile(self.program) and not os.path.islink(self.program):
            os.chmod(self.program, 0o700)
        self.check("binlog-run", name, (0, 2, 126, 127), f"{self.build}/binlog-run", "--dir=" + self.directory + "/new",
                   self.program)

    def tell(self):
        for tool, of in self.costs.items():
            most, largest = max(of), max(of, key=lambda cost: cost[1])
            print("not ok:" if tool in self.failures else "ok:", f"{tool}: {len(of)} files, at most {most[0]:.2f} s "
                  f"of CPU ({most[2]}) and {largest[1]:.0f} MiB ({largest[2]})")
            for failure in self.failures.get(tool, []):
                print("   ", failure)
