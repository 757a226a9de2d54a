"""The packed log: how small, how fast to make and to read, beside the text that zstd has compressed; and how much memory."""
import os
import random
import re
import shutil
import subprocess
import threading
import time

import programs
from bench import Unavailable, number

# What memory may be, in KiB: for one large log, for 10,000 threads, for 1,000 files.
MEMORY = 64 << 10


class Run:
    """What a command took, whose output is thrown away or goes to a file."""

    def __init__(self, command, stdout="/dev/null", stdin=subprocess.DEVNULL, rounds=1):
        self.wall = self.cpu = float("inf")
        self.memory = 0
        for _ in range(rounds):
            self.once(command, stdout, stdin)

    def once(self, command, stdout, stdin):
        with open(stdout, "wb") as out:
            start = time.monotonic()
            process = subprocess.Popen(command, stdin=stdin, stdout=out, stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            raise Unavailable(f"{' '.join(command[:3])}: status {process.returncode}")
        self.wall = min(self.wall, time.monotonic() - start)
        self.cpu = min(self.cpu, usage.ru_utime + usage.ru_stime)
        self.memory = max(self.memory, usage.ru_maxrss)


class Subject:
    """One capture, its text, its packed log."""

    def __init__(self, bench, name, drive):
        self.bench, self.name = bench, name
        self.log, self.text = bench.path(name + ".blog"), bench.path(name + ".txt")
        self.capture = bench.path(name + ".capture")
        self.show, self.pack = bench.build + "/binlog-show", bench.build + "/binlog-pack"
        drive(bench.recorded(DIR=self.capture))
        self.records = self.count()
        self.size = sum(os.stat(f"{self.capture}/{file}").st_blocks * 512 for file in os.listdir(self.capture))

    def count(self):
        done = subprocess.run([self.show, self.capture], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        said = re.search(r"(\d+) captured", done.stderr)
        if not said or said.group(1) == "0":
            raise Unavailable(f"{self.name}: nothing was recorded")
        return int(said.group(1))

    def measure(self):
        rounds = 3
        self.packing = Run([self.pack, "-q", "-f", "-o", self.log, self.capture], rounds=rounds)
        self.lines = Run([self.show, "-q", "--utc", self.capture], stdout=self.text)
        self.packed = os.path.getsize(self.log)
        self.raw = Run([self.show, "-q", "--raw", self.log], rounds=rounds)
        self.reading = Run([self.show, "-q", "--utc", self.log], rounds=rounds)
        self.compressed = {level: self.zstd(level) for level in (3, 19)}

    def zstd(self, level):
        out = self.text + ".zst"
        Run(["zstd", "-q", "-f", f"-{level}", "-T1", "-o", out, self.text])
        return os.path.getsize(out)

    def forget(self):
        for path in (self.capture, self.log, self.text, self.text + ".zst"):
            shutil.rmtree(path, ignore_errors=True)
            if os.path.exists(path):
                os.remove(path)

    def row(self):
        each = lambda size: f"{size / self.records:.3f}"  # noqa: E731
        half = self.packed / self.compressed[19]
        rate = lambda run: number(self.records / run.cpu / 1e6)  # noqa: E731
        return [self.name, f"{self.records:,}", each(self.size), each(os.path.getsize(self.text)), each(self.compressed[3]),
                each(self.compressed[19]), each(self.packed), f"{half:.2f}", rate(self.packing), rate(self.reading), rate(self.raw),
                f"{self.packing.memory / 1024:.0f}", f"{self.reading.memory / 1024:.0f}"]


def command_of(bench, *command):
    def drive(environment):
        with open(bench.path("stderr"), "wb") as err:
            subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err, cwd=bench.dir,
                           env={**os.environ, **environment}, check=False)
    return drive


def memcached_of(bench, rounds):
    def drive(environment):
        server = programs.Memcached(bench)
        process = subprocess.Popen(server.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env={**os.environ, **environment}, cwd=bench.dir)
        chance = random.Random(1)
        clients = [server.connect() for _ in range(8)]
        for i in range(rounds):
            client = clients[i % 8]
            key, size = chance.randrange(5000), chance.randrange(200)
            client.sendall(b"set user:%d 0 0 %d\r\n%s\r\nget user:%d\r\nget session:%d\r\ndelete user:%d\r\n" % (
                key, size, b"v" * size, chance.randrange(5000), i, chance.randrange(5000)))
            answer = b""
            while len(re.findall(rb"(?:STORED|END|DELETED|NOT_FOUND)\r\n", answer)) < 4:
                answer += client.recv(65536)
        for client in clients:
            client.close()
        process.terminate()
        process.wait(timeout=20)
    return drive


def subjects(bench):
    """(name, what makes it say about a million things)."""
    amount = bench.choose(1000000, 100000)
    varying = bench.compile("varying", "tests/bench/varying.c")
    yield "six messages, constant", command_of(bench, varying, str(amount), "0")
    yield "six messages, varying", command_of(bench, varying, str(amount), "1")
    programs.write_packets(bench.path("packets"), amount // 17)
    if shutil.which("tcpdump"):
        yield "tcpdump -r", command_of(bench, "tcpdump", "-nn", "-r", "packets", *(["-Z", "root"] if os.getuid() == 0 else []))
    if shutil.which("memcached"):
        yield "memcached -vv", memcached_of(bench, amount // 13)
    if shutil.which("objdump"):
        yield "objdump -d", command_of(bench, *["objdump", "-d", "--stop-address=" + bench.choose("0x68000", "0x36000"), "/bin/bash"])


def sizes(bench):
    rows = []
    for name, drive in subjects(bench):
        bench.progress(f"{name}: packed")
        try:
            subject = Subject(bench, name.replace(" ", "_").replace(",", ""), drive)
            subject.name = name
            subject.measure()
            rows.append(subject.row())
            bench.figures["packed " + name] = subject.packed / subject.records
            subject.forget()
        except (Unavailable, OSError, subprocess.TimeoutExpired) as why:
            bench.say(f"{name} was not measured: {why}.")
    bench.say("## The packed log", "",
              "Bytes per record: of the capture, of its text in lines with times, of that text compressed, of the packed log; "
              "millions of records per second of processor time; peak memory in MiB.")
    bench.table(["", "records", "capture", "text", "zstd -3", "zstd -19", "packed", "packed / zstd -19", "packing", "lines", "--raw",
                 "MiB, packing", "MiB, reading"], rows)


def filters(bench):
    """One message in a thousand, out of the log and out of the compressed text."""
    bench.progress("filters")
    amount = str(bench.choose(6000000, 600000))
    varying = bench.compile("varying", "tests/bench/varying.c")
    subject = Subject(bench, "rare", command_of(bench, varying, amount, "1", "1000"))
    Run([subject.pack, "-q", "-f", "-o", subject.log, subject.capture])
    Run([subject.show, "-q", subject.capture], stdout=subject.text)
    Run(["gzip", "-kf", subject.text])
    search = Run(["zgrep", "Lost replica", subject.text + ".gz"], rounds=3)
    found = {option: Run([subject.show, "-q", option, subject.log], rounds=3) for option in ("--stream=stderr", "--grep=Lost replica")}
    bench.say(f"One record in a thousand of {subject.records:,}: `zgrep` in the text's .gz takes {search.wall * 1000:.0f} ms of time and "
              f"{search.cpu * 1000:.0f} ms of processors; of the packed log:")
    bench.table(["", "ms", "of processors", "times faster"], [[f"`{option}`", f"{run.wall * 1000:.0f}", f"{run.cpu * 1000:.0f}", f"{search.wall / run.wall:.1f}"]
                                             for option, run in found.items()])
    bench.figures["packed filter"] = min(search.wall / run.wall for run in found.values())
    os.remove(subject.text + ".gz")
    subject.forget()


# ---- memory ----
def feed(path, times, pipe):
    with open(path, "rb") as file:
        data = file.read()
    try:
        with open(pipe, "wb", buffering=0) as out:
            for _ in range(times):
                out.write(data)
    except BrokenPipeError:
        pass


def memory_of_large(bench, subject, rows):
    """A log of 10 GB: one of large texts, again and again."""
    size = os.path.getsize(subject.log)
    reader, writer = os.pipe()
    thread = threading.Thread(target=feed, args=(subject.log, (10 << 30) // size + 1, writer))
    thread.start()
    run = Run([subject.show, "-q", "--raw", "-"], stdin=reader)
    os.close(reader)
    thread.join()
    rows.append(["a log of 10 GiB from a pipe", "", f"{run.memory / 1024:.0f}", "yes" if run.memory <= MEMORY else "no"])


def memory(bench):
    rows = []
    victim = bench.compile("threads", "tests/victims/threads.c", "-pthread")
    threads = str(bench.choose(10000, 1000))
    echo = "for i in $(seq %d); do /bin/echo line $i; done" % bench.choose(1000, 100)
    many = command_of(bench, "sh", "-c", f"exec {victim} many {threads} 9>/dev/null")
    for name, drive in ((f"{threads} threads", many), ("as many files as processes", command_of(bench, "sh", "-c", echo))):
        bench.progress("memory: " + name)
        subject = Subject(bench, "memory", drive)
        packing = Run([subject.pack, "-q", "-f", "-o", subject.log, subject.capture])
        reading = Run([subject.show, "-q", subject.log])
        most = max(packing.memory, reading.memory)
        rows.append([f"{name}, {len(os.listdir(subject.capture))} captures", f"{packing.memory / 1024:.0f}", f"{reading.memory / 1024:.0f}",
                     "yes" if most <= MEMORY else "no"])
        subject.forget()
    if os.environ.get("LONG"):
        bench.progress("memory: 10 GiB")
        large = command_of(bench, "sh", "-c", "exec od -A n -t x1 -w3000 -N 30000000 /dev/urandom")
        subject = Subject(bench, "large", large)
        Run([subject.pack, "-q", "-f", "-o", subject.log, subject.capture])
        memory_of_large(bench, subject, rows)
        subject.forget()
    bench.say("Peak memory, MiB:")
    bench.table(["", "packing", "reading", "at most 64"], rows)


def packed(bench):
    if not os.path.exists(bench.build + "/binlog-pack"):
        bench.say("Packed logs were not measured: there is no binlog-pack.")
        return
    for part in (sizes, filters, memory):
        try:
            part(bench)
        except Unavailable as why:
            bench.say(f"{part.__name__}: not measured: {why}.")
