#!/usr/bin/env python3
"""run_terminal.py RUN DIRECTORY: binlog-run on a pseudo-terminal.

What it says there, and that neither the program nor who waits for it notices.
Prints "ok: sentence" or "not ok: sentence" for each check.
"""
import fcntl, os, pty, re, select, signal, sys, termios, time

run, directory = sys.argv[1:3]
os.chdir(directory)
os.environ["BINLOG_CACHE"] = directory
for name in ("BINLOG_DIR", "BINLOG_STREAMS", "BINLOG_CONFIG", "LD_PRELOAD"):
    os.environ.pop(name, None)
failed = False


def check(holds, sentence, detail=""):
    global failed
    print(("ok: " if holds else "not ok: ") + sentence)
    if not holds:
        failed = True
        print("    " + repr(detail)[:2000])


class Terminal:
    """A command whose parent, as a shell, waits for it."""

    def __init__(self, command, redirect=None):
        self.master, slave = pty.openpty()
        self.text = b""
        self.child = os.fork()
        if self.child == 0:
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
            for fd in (0, 1, 2):
                os.dup2(slave, fd)
            os.closerange(3, 64)
            # So that the command is a job of a session, not its leader.
            job = os.fork()
            if job == 0:
                os.setpgid(0, 0)
                signal.signal(signal.SIGTTOU, signal.SIG_IGN)
                os.tcsetpgrp(0, os.getpid())
                signal.signal(signal.SIGTTOU, signal.SIG_DFL)
                if redirect:
                    redirect()
                os.execvp(command[0], command)
            signal.signal(signal.SIGTTOU, signal.SIG_IGN)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            while True:
                status = os.waitpid(job, os.WUNTRACED)[1]
                os.tcsetpgrp(0, os.getpgrp())
                os.write(1, b"<status %d>" % status)
                if not os.WIFSTOPPED(status):
                    time.sleep(0.3)
                    os._exit(0)
                time.sleep(0.2)
                os.tcsetpgrp(0, job)
                os.killpg(job, signal.SIGCONT)
        os.close(slave)

    def read(self, until, seconds=20):
        """Until that was read, or everybody has closed the terminal."""
        end = time.monotonic() + seconds
        while until not in self.text and time.monotonic() < end:
            if not select.select([self.master], [], [], 0.05)[0]:
                continue
            try:
                self.text += os.read(self.master, 1 << 16)
            except OSError:
                return True
        return until in self.text

    def type(self, keys):
        os.write(self.master, keys)

    def finish(self):
        """All text, without carriage returns; and whether nobody is left."""
        gone = self.read(b"never\0")
        if not gone:
            os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        os.close(self.master)
        return self.text.replace(b"\r", b"").decode(errors="replace"), gone


def on_terminal(*command, **more):
    return Terminal(command, **more).finish()[0]


STATUS = re.compile(r"<status (\d+)>")
HIDDEN = ("binlog-run: standard output and error are recorded, not written (prompts are); "
          "--streams=all=tee does both\n")

# ---- what is said, and when ----

text, gone = Terminal([run, "-o", "log", "seq", "3"]).finish()
check(text == HIDDEN + "binlog-run: 1 message recorded in log, to read: binlog-show log\n<status 0>",
      "it says how much was recorded, where, and how to read it, before the parent's wait returns", text)
check(gone, "nobody is left afterwards")
show = os.path.join(os.path.dirname(run), "binlog-show")
check(os.popen("%s --raw log" % show).read() == "1\n2\n3\n", "what it names reads it")

text = on_terminal(run, "sh", "-c", "seq 2; seq 2; exit 7")
check(text.endswith("binlog-run: 2 messages of 2 programs recorded in binlog.data, to read: binlog-show\n"
                    "<status %d>" % (7 << 8)), "programs that it starts count, and so does its exit status", text)
text = on_terminal(run, "-o", "it's", "seq", "3")
command = text.split("to read: ")[-1].split("\n")[0]
check(os.popen("PATH=%s:$PATH; %s --raw" % (os.path.dirname(run), command)).read() == "1\n2\n3\n",
      "a directory with a quote in its name can be copied to a shell", text)
text = on_terminal(run, "-o", "nothing", "true")
check("true: nothing was recorded" in text and text.endswith("<status 0>"), "a program that says nothing", text)
text = on_terminal(run, "-o", "exec", "sh", "-c", "exec seq 3")
check(re.search(r": 1 message recorded .*\n<status 0>$", text), "a program that executes another", text)
text = on_terminal(run, "-o", "small", "--max-size=64K", "sh", "-c", "while test $((i += 1)) -lt 20000; do echo $i; done",
                   redirect=lambda: os.dup2(os.open("/dev/null", os.O_WRONLY), 1))
numbers = [int(n) for n in re.findall(r"(\d+) message", text)]
check(len(numbers) == 2 and sum(numbers) == 19999 and "passed through" in text,
      "what was passed through for want of room is told of, once", text)
for mode in "pass", "tee":
    check("not written" not in on_terminal(run, "-o", "seen", "-s", "all=" + mode, "seq", "3"),
          "all=%s: nothing is said of text that is written" % mode)


def into(path):
    return lambda: os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 1)


text = on_terminal(run, "-o", "file", "seq", "3", redirect=into("out"))
check("out: nothing was written there, the text is in the capture: binlog-show --raw --stream=stdout file\n" in text
      and os.stat("out").st_size == 0, "an empty file is explained", text)
text = on_terminal(run, "-o", "file", "-s", "stdout=tee", "seq", "3", redirect=into("out"))
check("out: " not in text and open("out").read() == "1\n2\n3\n", "and not one that is written", text)

# ---- when nothing is to be said ----

check(on_terminal(run, "-Q", "-o", "quiet", "seq", "3") == "<status 0>", "--quiet: nothing is said")


def error_to(path):
    def redirect():
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 2)
    return redirect


text = on_terminal(run, "-o", "no", "-s", "all=tee", "sh", "-c", "echo x; echo y >&2", redirect=error_to("err"))
check(text == "x\n<status 0>" and open("err").read() == "y\n", "standard error in a file: nothing is said", text)
text = on_terminal(run, "-o", "no", "-s", "all=tee", "seq", "2", redirect=lambda: os.close(2))
check(text == "1\n2\n<status 0>", "standard error closed: nothing is said", text)

# ---- as natively ----

SEES = ("for i in 0 1 2; do readlink /proc/self/fd/$i; done; ls /proc/self/fd; cat /proc/$$/task/$$/children >children; wc -w <children; "
        "ps -o pid=,ppid=,pgid=,sid=,tpgid= -p $$ | awk '{print $1 == $3, $2 == $4, $1 == $5}'; "
        "grep -E 'SigBlk|SigIgn|Pnd' /proc/self/status; wait; exit 9")


def plain(text):
    return re.sub(r"/dev/pts/\d+", "TTY", text)


native = plain(on_terminal("sh", "-c", SEES))
recorded = plain(on_terminal(run, "-o", "sees", "-s", "all=pass", "sh", "-c", SEES))
check(recorded.startswith(native.split("<")[0]) and STATUS.findall(native) == STATUS.findall(recorded),
      "the program has the same descriptors, children, group, session and signals", (native, recorded))

open("busy", "wb").write(open("/bin/true", "rb").read())
os.chmod("busy", 0o700)
with open("busy", "ab"):
    text = on_terminal(run, "-o", "busy.data", "./busy")
check(text.endswith("binlog-run: ./busy: Text file busy\n<status %d>" % (126 << 8)),
      "what cannot be executed: that is said, and no more", text)

for name, keys in ("^C", b"\x03"), ("^\\", b"\x1c"):
    ends = []
    for command in ["sh", "-c", "ulimit -c 0; printf ready; exec sleep 60"], [run, "-o", "keys", "sh", "-c",
                                                                "ulimit -c 0; printf ready; exec sleep 60"]:
        terminal = Terminal(command)
        terminal.read(b"ready")
        time.sleep(0.3)
        terminal.type(keys)
        text, gone = terminal.finish()
        ends.append(STATUS.findall(text))
    check(ends[0] == ends[1] and ends[0], "%s ends it with the same status" % name, ends)
    check(gone and re.search(r"\nbinlog-run: 1 message recorded in keys, ", text), "%s: it says what was recorded" % name, text)

statuses = []
for command in ["sh", "-c", "printf ready; sleep 0.8; exit 4"], [run, "-o", "stop", "sh", "-c", "printf ready; sleep 0.8; exit 4"]:
    terminal = Terminal(command)
    terminal.read(b"ready")
    time.sleep(0.3)
    terminal.type(b"\x1a")
    text, gone = terminal.finish()
    statuses.append(STATUS.findall(text))
check(statuses[0] == statuses[1] and len(statuses[0]) == 2, "^Z stops it, and it goes on in the foreground", statuses)
check("message recorded in stop" in text and text.endswith("<status %d>" % (4 << 8)), "and at its end it is told of", text)

text, gone = Terminal([run, "-o", "killed", "sh", "-c", "echo x; kill -9 $$"]).finish()
check(STATUS.findall(text) == ["9"] and gone and re.search(r"binlog-run: 1 message recorded in killed, ", text),
      "SIGKILL: what was recorded is told of, and nobody is left", text)

sys.exit(failed)
