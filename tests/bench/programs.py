"""Whole programs: what a run of them takes, how often a stack is remembered, and what a start costs."""
import os
import random
import re
import shutil
import socket
import struct
import subprocess
import time

import pairs
from bench import Unavailable


def write_packets(path, count):
    """A packet capture of TCP, UDP and ICMP, DNS among them; the same every time."""
    chance = random.Random(1)
    address = lambda: bytes([10, 0, chance.randrange(4), chance.randrange(1, 250)])  # noqa: E731
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for i in range(count):
            kind, payload = chance.choice([6, 6, 6, 17, 17, 1]), bytes(chance.randrange(64))
            port = chance.randrange(1024, 65000)
            if kind == 6:
                body = struct.pack(">HHIIBBHHH", port, chance.choice([22, 80, 443]), i * 1000, i * 7, 5 << 4,
                                   chance.choice([2, 16, 18, 24, 17]), 64240, 0, 0) + payload
            elif kind == 17:
                name = b"\x04host" + bytes([4]) + b"%04d" % chance.randrange(10000) + b"\x07example\x00"
                query = struct.pack(">HHHHHH", i & 0xffff, 0x100, 1, 0, 0, 0) + name + struct.pack(">HH", 1, 1)
                body = struct.pack(">HHHH", port, 53, 8 + len(query), 0) + query
            else:
                body = struct.pack(">BBHHH", chance.choice([0, 8]), 0, 0, 77, i & 0xffff) + payload
            packet = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(body), i & 0xffff, 0, 64, kind, 0) + address() + address() + body
            packet = bytes(6) + b"\x02\0\0\0\0\x01" + b"\x08\0" + packet
            file.write(struct.pack("<IIII", 1700000000 + i // 1000, i % 1000 * 1000, len(packet), len(packet)) + packet)
    os.chmod(path, 0o644)


def commands(bench):
    write_packets(bench.path("packets"), bench.choose(100000, 20000))
    directory = bench.choose("/usr", "/usr/lib")
    return {
        "tcpdump -r": ["tcpdump", "-nn", "-r", "packets"] + (["-Z", "root"] if os.getuid() == 0 else []),
        "objdump -d": ["objdump", "-d", "/bin/bash"],
        "ls -lR": ["ls", "-lR", directory],
        "seq": ["seq", str(bench.choose(5000000, 1000000))],
    }


def end_to_end(bench):
    rows, slower = [], []
    os.chdir(bench.dir)
    for name, command in commands(bench).items():
        if not shutil.which(command[0]):
            bench.say(f"{name} was not measured: there is no {command[0]}.")
            continue
        bench.progress(f"{name}, natively and recorded")
        bench.forget_capture()
        pair = pairs.Pair(bench.build, command, bench.choose(15, 5))
        rows.append([f"`{' '.join(command)}`"] + [cell for values in (pair.wall, pair.cpu) for cell in (
            pairs.milliseconds(values["native"]), pairs.milliseconds(values["recorded"]), f"{pair.ratios(values)[0]:.3f}")]
            + [f"{pair.text / 1e6:.1f}", f"{pair.captured / 1e6:.1f}", pair.wrong or "exact"])
        slower.append((name, pair.ratios(pair.cpu)[0]))
    shutil.rmtree(bench.path("emptied"), ignore_errors=True)
    bench.forget_capture()
    bench.say("## Whole programs", "",
              "Natively with the output to a file, and recorded, in turns; milliseconds, least / median; ratios of the least.")
    bench.table(["command", "native", "recorded", "ratio", "user + system, native", "recorded", "ratio", "text MB", "capture MB",
                 "text"], rows)
    bench.figures["programs"] = slower


# ---- how often a stack is remembered ----
def gdb_script(bench, command):
    """Counts the walks over the stack; the program is recorded, gdb and its shell are not."""
    wrapper = " ".join(["env", *(f"{name}={value}" for name, value in bench.recorded(DEPTH=16).items())])
    lines = ["set confirm off", "set pagination off", "set breakpoint pending on", "set debuginfod enabled off",
             "set exec-wrapper " + wrapper, "handle SIGTERM SIGPIPE nostop noprint pass", "break unwind_walk", "ignore 1 1000000000",
             f"run {' '.join(command[1:])} >{bench.path('out')} 2>{bench.path('err')} </dev/null", "info breakpoints"]
    return ["gdb", "-q", "-nx", "-batch", *(part for line in lines for part in ("-ex", line)), shutil.which(command[0])]


def walks_of(bench, command, drive=None):
    """How many stacks were walked in a run under gdb."""
    with open(bench.path("gdb"), "w") as out:
        gdb = subprocess.Popen(gdb_script(bench, command), stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                               cwd=bench.dir)
    try:
        if drive:
            drive()
        gdb.wait(timeout=bench.choose(120, 40))
    except (subprocess.TimeoutExpired, OSError) as why:
        gdb.terminate()
        gdb.wait()
        raise Unavailable(f"under gdb: {why}") from None
    with open(bench.path("gdb")) as said:
        text = said.read()
    if "in unwind_walk" not in text:
        raise Unavailable("the library has no function unwind_walk to count")
    hits = re.search(r"breakpoint already hit (\d+) time", text)
    return int(hits.group(1)) if hits else 0


def records_of(bench):
    done = subprocess.run([bench.build + "/binlog-show", bench.capture], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True, check=False)
    said = re.search(r"(\d+) captured", done.stderr)
    if not said or said.group(1) == "0":
        raise Unavailable("nothing was recorded")
    return int(said.group(1))


class Memcached:
    """Eight clients of a server that says everything."""

    def __init__(self, bench):
        self.bench = bench
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.pid_file = bench.path("memcached.pid")
        self.command = ["memcached", "-vv", "-U", "0", "-l", "127.0.0.1", "-p", str(self.port), "-P", self.pid_file]
        self.command += ["-u", "root"] if os.getuid() == 0 else []

    def connect(self):
        for _ in range(200):
            try:
                return socket.create_connection(("127.0.0.1", self.port), timeout=20)
            except ConnectionRefusedError:
                time.sleep(0.1)
        raise OSError("memcached does not listen")

    def ask(self, times):
        """Answers of so many commands, by clients that send several at once."""
        clients = [self.connect() for _ in range(8)]
        for i in range(times // 4):
            client = clients[i % 8]
            client.sendall(b"set key%d 0 0 5\r\nvalue\r\nget key%d\r\nget none\r\ndelete key%d\r\n" % (i % 500, i % 500, i % 3))
            answer = b""
            while answer.count(b"\r\n") < 6:
                answer += client.recv(4096)

    def pid(self):
        with open(self.pid_file) as file:
            return int(file.read())

    def drive(self):
        self.ask(80000)
        os.kill(self.pid(), 15)


class Nginx(Memcached):
    """Answers from memory, and writes a line for each request to its standard output, a file."""

    def __init__(self, bench):
        super().__init__(bench)
        root = bench.path("nginx")
        os.makedirs(root, exist_ok=True)
        with open(root + "/conf", "w") as conf:
            conf.write(f"""
                daemon off; master_process off; pid {root}/pid; error_log stderr;
                events {{ }}
                http {{ access_log /dev/stdout; client_body_temp_path {root}/1; proxy_temp_path {root}/2; fastcgi_temp_path {root}/3;
                uwsgi_temp_path {root}/4; scgi_temp_path {root}/5; keepalive_requests 100000000;
                server {{ listen 127.0.0.1:{self.port}; location / {{ return 200 "hello"; }} }} }}""")
        self.pid_file = root + "/pid"
        self.command = ["nginx", "-e", "stderr", "-c", root + "/conf"]

    def ask(self, times):
        clients = [self.connect() for _ in range(8)]
        request = b"GET /some/path HTTP/1.1\r\nHost: here\r\n\r\n" * 8
        for i in range(times // 8):
            client = clients[i % 8]
            client.sendall(request)
            answer = b""
            while answer.count(b"hello") < 8:
                answer += client.recv(65536)


def answers_of(bench, server, environment, times):
    """Answers a second, and microseconds of the server's processor for each."""
    with open(bench.path("server.log"), "wb") as log:
        process = subprocess.Popen(server.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={**os.environ, **environment})
        try:
            server.ask(2000)
            ticks = cpu_of(process.pid)
            start = time.monotonic()
            server.ask(times)
            passed = time.monotonic() - start
            return times / passed, (cpu_of(process.pid) - ticks) * 1e6 / times
        finally:
            process.terminate()
            process.wait()


def cpu_of(pid):
    """Seconds of all threads."""
    with open(f"/proc/{pid}/schedstat") as file:
        own = int(file.read().split()[0])
    others = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        if int(task) != pid:
            with open(f"/proc/{pid}/task/{task}/schedstat") as file:
                others += int(file.read().split()[0])
    return (own + others) / 1e9


def servers(bench):
    bench.say("## Servers", "",
              "With all that they say in a file: answers a second to eight clients that wait for several at once, and microseconds of the "
              "server's processor for each; natively and recorded in turns, the best of each.")
    rows = []
    for name, server in (("`memcached -vv`", Memcached(bench)), ("`nginx`, access log", Nginx(bench))):
        if not shutil.which(server.command[0]):
            bench.say("", f"{name} was not measured: there is no {server.command[0]}.")
            continue
        bench.progress(f"servers: {name}")
        times = bench.choose(200000, 40000)
        both = []
        for _ in range(bench.choose(5, 2)):
            bench.forget_capture()
            both.append([answers_of(bench, server, environment, times) for environment in ({}, bench.recorded(DEPTH=16))])
        native, recorded = ([max(run[i][0] for run in both), min(run[i][1] for run in both)] for i in (0, 1))
        rows.append([name, f"{native[0]:,.0f}", f"{recorded[0]:,.0f}", f"{recorded[0] / native[0]:.2f}", f"{native[1]:.2f}",
                     f"{recorded[1]:.2f}", f"{recorded[1] / native[1]:.2f}"])
        bench.figures["server " + server.command[0]] = recorded[0] / native[0]
    bench.forget_capture()
    if rows:
        bench.table(["server", "natively", "recorded", "ratio", "processor, natively", "recorded", "ratio"], rows)


def memo(bench):
    rows, rates = [], []
    todo = {name: (command, None) for name, command in commands(bench).items() if name != "seq"}
    server = Memcached(bench)
    todo["memcached -vv"] = (server.command, server.drive)
    bench.say("## How often a stack is remembered", "",
              "Walks over the stack (calls of `unwind_walk`, counted by gdb) against records. A hit is a record without a walk; the "
              "first visit of each place and stack is always a walk.")
    for name, (command, drive) in todo.items():
        absent = next((program for program in ("gdb", command[0]) if not shutil.which(program)), None)
        if absent:
            bench.say("", f"{name} was not measured: there is no {absent}.")
            continue
        bench.progress(f"{name}: walks over the stack")
        bench.forget_capture()
        try:
            walks = walks_of(bench, command, drive)
            records = records_of(bench)
        except Unavailable as why:
            bench.say("", f"{name} was not measured: {why}.")
            continue
        rates.append(100 * (1 - walks / records))
        rows.append([f"`{' '.join(command)}`" if not drive else "`memcached -vv`, 8 clients", f"{records:,}", f"{walks:,}",
                     f"{rates[-1]:.2f} %"])
    if rows:
        bench.table(["program", "records", "walks", "remembered"], rows)
        bench.figures["memo"] = min(rates)
    bench.forget_capture()


# ---- start-up ----
def start(bench):
    bench.progress("start-up")
    program = bench.compile("startup", "tests/bench/startup.c")
    line = bench.compile("one_line", "tests/bench/one_line.c")
    with open(bench.path("empty.c"), "w") as file:
        file.write("")
    empty = bench.compile("empty.so", bench.path("empty.c"), "-shared", "-fPIC")
    best = []
    for _ in range(bench.choose(8, 4)):
        shutil.rmtree(bench.path("starts"), ignore_errors=True)
        os.mkdir(bench.path("starts"))
        bench.run([program, str(bench.choose(400, 200)), bench.path("starts"), line, empty, bench.library,
                   f"further:{bench.library}", f"shared:{bench.library}"],
                  stdout=bench.path("result"))
        with open(bench.path("result")) as result:
            words = [row.split() for row in result]
        # fastest, more, "median", median, more, faults
        rows = [(float(row[0]), float(row[3]), int(row[5])) for row in words]
        best = [tuple(map(min, zip(*pair))) for pair in zip(rows, best or rows)]
    shutil.rmtree(bench.path("starts"), ignore_errors=True)
    none, inert = best[0][0], best[1][0]
    bench.say("## Start-up", "", "From posix_spawn to the end of wait, of a program that prints a line to a file; microseconds, in turns.")
    bench.table(["preloaded", "least", "median", "more than nothing", "more than an empty library", "page faults"],
                [[name, f"{least:.0f}", f"{median:.0f}", f"{least - none:.0f}", f"{least - inert:.0f}", faults]
                 for name, (least, median, faults) in zip(("nothing", "an empty library", "libbinlog.so", "the same, a later program of a run",
                                                        "with BINLOG_CAPTURES=run"), best)])
    bench.figures.update(start=best[2][0] - none, shared_start=best[4][0] - inert)
