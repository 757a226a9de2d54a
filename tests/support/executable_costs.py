"""What the tools do, and take, when a log is of a program in whose place something else is now.

DIRECTORY has the program, its capture below `capture`, and in `messages` what it wrote.
"""
import os
import subprocess
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


class Tools:
    def __init__(self, build, directory, seconds, memory, secret=None):
        """No tool may take more `seconds` of CPU or MiB of `memory`, or write `secret`."""
        self.build, self.directory, self.most = build, directory, (seconds, memory)
        self.program, self.capture = directory + "/program", directory + "/capture"
        self.secret, self.costs, self.failures = secret, {}, {}
        with open(directory + "/messages", "rb") as file:
            self.messages = file.read()

    def check(self, tool, name, statuses, result, said=None):
        status, out, complaints, seconds, memory = result
        wrong = [] if status in statuses else [f"status {status}"]
        if said is not None and said != self.messages:
            wrong.append("the messages are others")
        if seconds >= self.most[0]:
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
        self.check("binlog-symbolize", name, (0, 1), run(symbolize, *options, question))
        result = run(show, "--raw", "--exe=" + self.program, *options, self.capture)
        self.check("binlog-show --exe", name, (0,), result, result[1])
        result = run(show, "--stacks", *options, self.capture)
        texts = [line[line.index(b"message"):] for line in result[1].splitlines(True) if b"message " in line]
        self.check("binlog-show --stacks", name, (0, 1), result, b"".join(texts))
        self.check("binlog-show --index", name, (0, 1, 2), run(show, "--index", self.program))
        result = run(pack, "-q", "-f", "--with-symbols", *options, self.capture, "-o", packed)
        self.check("binlog-pack --with-symbols", name, (0, 1), result)
        result = run(show, "--raw", packed)
        self.check("binlog-show of the packed log", name, (0, 1), result, result[1])
        if os.path.isfile(self.program) and not os.path.islink(self.program):
            os.chmod(self.program, 0o700)
        result = run(f"{self.build}/binlog-run", "--dir=" + self.directory + "/new", self.program)
        self.check("binlog-run", name, (0, 2, 126, 127), result)

    def tell(self):
        for tool, of in self.costs.items():
            most, largest = max(of), max(of, key=lambda cost: cost[1])
            print("not ok:" if tool in self.failures else "ok:", f"{tool}: {len(of)} files, at most {most[0]:.2f} s "
                  f"of CPU ({most[2]}) and {largest[1]:.0f} MiB ({largest[2]})")
            for failure in self.failures.get(tool, []):
                print("   ", failure)
