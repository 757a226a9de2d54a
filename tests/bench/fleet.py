"""Many hosts: what sending messages to a server takes, beside clickhouse-client with the same rows, and questions there and of logs."""
import glob
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request

import packed
from bench import Unavailable, middle, number
from packed import Run, Subject

CONFIG = """<yandex><logger><level>warning</level><log>{dir}/log</log><errorlog>{dir}/errors</errorlog></logger>
<http_port>{http}</http_port><tcp_port>{tcp}</tcp_port><listen_host>127.0.0.1</listen_host>
<path>{dir}/data/</path><tmp_path>{dir}/tmp/</tmp_path><users_config>{dir}/users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database>
<mark_cache_size>67108864</mark_cache_size><timezone>UTC</timezone></yandex>
"""
USERS = """<yandex><profiles><default/></profiles><quotas><default/></quotas>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users></yandex>
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def unpacked(bench, name):
    """A command, with the libraries that were unpacked beside it; None: it is not there."""
    root = os.environ.get("DEBS", bench.build + "/debs") + "/root/usr"
    program = shutil.which(name, path=os.pathsep.join([os.environ["PATH"], "/usr/sbin", root + "/bin", root + "/sbin"]))
    libraries = os.pathsep.join(glob.glob(root + "/lib/*-linux-gnu*"))
    return program and ["env", *(["LD_LIBRARY_PATH=" + libraries] if libraries else []), program]


class Server:
    """One of its own, on loopback, in a directory that goes with it."""

    def __init__(self, bench):
        self.program, self.client = unpacked(bench, "clickhouse-server"), unpacked(bench, "clickhouse-client")
        if not self.program:
            raise Unavailable("there is no clickhouse-server: `make deps-check` unpacks one")
        self.dir = tempfile.mkdtemp(dir=bench.dir)
        self.http, self.tcp = free_port(), free_port()
        for name, text in (("config.xml", CONFIG), ("users.xml", USERS)):
            with open(f"{self.dir}/{name}", "w") as file:
                file.write(text.format(dir=self.dir, http=self.http, tcp=self.tcp))
        self.process = subprocess.Popen([*self.program, f"--config-file={self.dir}/config.xml"], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(200):
            try:
                self.ask("SELECT 1")
                return
            except OSError:
                time.sleep(0.1)
        self.end()
        raise Unavailable("clickhouse-server does not answer")

    def ask(self, statement):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.http}/", statement.encode(), timeout=600) as answer:
            return answer.read().decode().strip()

    def url(self, database):
        return f"clickhouse://127.0.0.1:{self.http}/{database}"

    def seconds(self):
        """Of processors, that it has taken so far."""
        with open(f"/proc/{self.process.pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        self.process.kill()
        self.process.wait()


class Turn:
    """A command, and what it made the server do."""

    def __init__(self, server, command, rounds, before=None, stdin=None):
        runs = []
        for _ in range(rounds):
            if before:
                before()
            begin = server.seconds()
            if stdin:
                with open(stdin, "rb") as file:
                    run = Run(command, stdin=file)
            else:
                run = Run(command)
            runs.append((run.wall, run.cpu, server.seconds() - begin))
        self.wall, self.cpu = (min(run[i] for run in runs) for i in (0, 1))
        self.server = middle([run[2] for run in runs])


def sent(bench, server, subject, rows):
    """One subject's rows."""
    ship, rounds = [bench.build + "/binlog-ship", "-q"], bench.choose(5, 2)

    def forget():
        server.ask("DROP DATABASE IF EXISTS fleet")
        for name in os.listdir(subject.capture):
            if name.endswith(".shipped"):
                os.remove(f"{subject.capture}/{name}")

    for what, options in (("as usual", []), ("`--compress=0`", ["--compress=0"]), ("`--without-text`", ["--without-text"]),
                          ("`--without-stacks`", ["--without-stacks"])):
        turn = Turn(server, [*ship, *options, "--to=" + server.url("fleet"), subject.capture], rounds, before=forget)
        count = int(server.ask("SELECT count() FROM fleet.messages"))
        server.ask("OPTIMIZE TABLE fleet.messages")
        disk = int(server.ask("SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = 'fleet' AND table = 'messages'"))
        rows.append([f"{subject.name}, {what}", f"{count:,}", number(count / turn.cpu / 1000), number(count / turn.wall / 1000),
                     number(count / turn.server / 1000) if turn.server else "", f"{disk / count:.1f}"])
    forget()
    subprocess.run([*ship, "--to=" + server.url("fleet"), subject.capture], check=False)
    if not server.client:
        bench.say("clickhouse-client was not measured: it is not there.")
        return
    columns = server.ask("SELECT name FROM system.columns WHERE database = 'fleet' AND table = 'messages' AND default_kind = ''").split("\n")
    columns = ", ".join(columns)
    client = [*server.client, "--host=127.0.0.1", f"--port={server.tcp}"]
    text = bench.path("rows.tsv")
    Run([*client, f"--query=SELECT {columns} FROM fleet.messages FORMAT TSV"], stdout=text)
    server.ask("CREATE TABLE fleet.copy AS fleet.messages ENGINE = MergeTree PARTITION BY received ORDER BY (statement, host, time)")
    turn = Turn(server, [*client, f"--query=INSERT INTO fleet.copy ({columns}) FORMAT TSV"], rounds, stdin=text)
    rows.append([f"{subject.name}, clickhouse-client: TSV", f"{count:,}", number(count / turn.cpu / 1000), number(count / turn.wall / 1000),
                 number(count / turn.server / 1000) if turn.server else "", ""])
    os.remove(text)


QUESTIONS = {
    "how many": ["--count"],
    "statistics": ["--stats"],
    "an argument's values": ["--values=arg1"],
    "those above": ["--where=arg1 > 1000", "--count"],
    "lines with a text": ["--grep=Lost replica"],
    "all lines": [],
}


def asked(bench, server, subject, rows):
    rounds = bench.choose(5, 2)
    Run([subject.pack, "-q", "-f", "-o", subject.log, subject.capture])
    for what, options in QUESTIONS.items():
        show = Run([subject.show, "-q", *options, subject.log], rounds=rounds)
        query = Turn(server, [bench.build + "/binlog-query", "-q", "--at=" + server.url("fleet"), *options], rounds)
        rows.append([f"{subject.name}, {what}", f"{show.wall * 1000:.0f}", f"{query.wall * 1000:.0f}", f"{query.cpu * 1000:.0f}",
                     f"{query.server * 1000:.0f}", f"{show.wall / query.wall:.2f}"])


def fleet(bench):
    bench.say("## Many hosts")
    try:
        server = Server(bench)
    except Unavailable as why:
        bench.say("", f"Sending to a server, and asking it, were not measured: {why}.")
        return
    sending, asking = [], []
    try:
        for name, drive in packed.subjects(bench):
            if name not in ("six messages, varying", "memcached -vv"):
                continue
            bench.progress(f"{name}: sent to a server, and asked for")
            try:
                subject = Subject(bench, name.replace(" ", "_").replace(",", ""), drive)
                subject.name = name
                sent(bench, server, subject, sending)
                asked(bench, server, subject, asking)
                subject.forget()
            except (Unavailable, OSError, subprocess.TimeoutExpired) as why:
                bench.say("", f"{name} was not measured: {why}.")
        version = server.ask("SELECT version()")
    finally:
        server.end()
    bench.say("", f"`binlog-ship` to ClickHouse {version} on the same machine: thousands of messages per second of the shipper's processor "
              "time, of time, and of the server's processor time; bytes of a message on the server's disk. Below, `clickhouse-client` "
              "with the same rows as text.")
    bench.table(["", "messages", "per s of a core", "per s", "per s of the server's", "bytes on disk"], sending)
    bench.say("Questions to the server, beside `binlog-show` and the packed log; milliseconds.")
    bench.table(["", "binlog-show", "binlog-query", "of its processors", "of the server's", "times faster"], asking)
