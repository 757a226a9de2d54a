#!/usr/bin/env python3
"""top_terminal.py TOP CTL PID DIRECTORY: binlog-top on a pseudo-terminal, by its keys.

Prints "ok: sentence" or "not ok: sentence" for each check.
"""
import fcntl, json, os, pty, re, signal, struct, subprocess, sys, tempfile, termios, time

top, ctl, pid, directory = sys.argv[1:5]
failed = False


def check(holds, sentence, detail=""):
    global failed
    print(("ok: " if holds else "not ok: ") + sentence)
    if not holds:
        failed = True
        for line in str(detail).splitlines()[:30]:
            print("    " + repr(line)[:180])


class Terminal:
    """One binlog-top and what it has drawn."""

    def __init__(self, place, rows=24, columns=100, **environment):
        self.master, self.slave = pty.openpty()
        self.resize(rows, columns)
        self.before = termios.tcgetattr(self.slave)
        self.output = self.all = b""
        names = dict(os.environ, **{"TERM": "xterm", **environment})
        self.child = subprocess.Popen([top, "-d", "0.2", place], stdin=self.slave, stdout=self.slave,
                                      stderr=self.slave, env=names, start_new_session=True, preexec_fn=self.control)
        os.set_blocking(self.master, False)

    def control(self):
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def resize(self, rows, columns):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self):
        try:
            new = os.read(self.master, 1 << 20)
            self.output += new
            self.all += new
        except (BlockingIOError, OSError):
            pass

    def frame(self):
        """The newest whole page, as text."""
        whole = self.output.split(b"\033[J")
        return whole[-2].split(b"\033[H")[-1].decode(errors="replace") if len(whole) > 1 else ""

    def wait(self, condition, seconds=10):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read()
            if condition():
                return True
            time.sleep(0.02)
        return False

    def shows(self, text, seconds=10):
        return self.wait(lambda: text in self.frame(), seconds)

    def type(self, keys):
        os.write(self.master, keys.encode())

    def fresh(self):
        """A page that is begun from here on."""
        self.output = b""
        return self.wait(lambda: self.output.count(b"\033[J") > 1)

    def ended(self):
        return self.wait(lambda: self.child.poll() is not None)

    def is_restored(self):
        self.read()
        given = all(self.all.count(b"\033[?%dh" % mode) == self.all.count(b"\033[?%dl" % mode) for mode in (1049, 1000, 1006))
        return termios.tcgetattr(self.slave) == self.before and given and b"\033[?25h" in self.all


def status(key):
    told = subprocess.run([ctl, pid, "status", "--json"], capture_output=True).stdout
    return json.loads(told)[key]


def said():
    """How many calls there are in the capture, after whatever was begun."""
    time.sleep(0.05)
    return status("calls")


# ---- what is shown, and keys ----
terminal = Terminal(directory)
check(terminal.shows("serve_request"), "the busiest call is on the screen, with its function", terminal.frame())
check(terminal.shows('"request %ld took %d us\\n"'), "and its format", terminal.frame())
check(terminal.shows("\u4f60\u597d"), "and characters of two columns", terminal.frame())
terminal.type("\t")
check(terminal.shows("THREADS") and terminal.shows("paced"), "Tab: processes", terminal.frame())
terminal.type("\t")
check(terminal.shows("TID THREAD"), "Tab: threads", terminal.frame())
plain = re.sub(r"\033\[[0-9;]*[mKJH]|\033\[\?[0-9]+[hl]", "", terminal.all.decode(errors="replace"))
check(not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", plain), "nothing of a program's reaches the terminal raw",
      re.findall(r".{0,20}[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f].{0,20}", plain))
terminal.type("\t")
check(terminal.shows("SUPPRESSED"), "Tab: captures", terminal.frame())
terminal.type("\t/TOOK\r")
check(terminal.wait(lambda: "request" in terminal.frame() and "slow" not in terminal.frame()), "/: only what has a text in it",
      terminal.frame())
terminal.type("/\x15\r")
check(terminal.shows("slow"), "/ and nothing: all", terminal.frame())
terminal.type("h")
check(terminal.shows("next view"), "h: the keys", terminal.frame())
terminal.type("hp")
check(terminal.shows("paused"), "p: paused", terminal.frame())
terminal.type("p")

# ---- switching ----
terminal.type("lerr\r")
check(terminal.shows("level err: in force in 1"), "l: says that the level is in force", terminal.frame())
check(status("level") == "err", "binlog-ctl sees it, too", status("level"))
first = said()
time.sleep(0.2)
check(first > 0 and said() == first, "and the program's log has stopped", (first, said()))
terminal.type("+")
check(terminal.shows("level warning") and terminal.wait(lambda: status("level") == "warning"), "+: one more", terminal.frame())
check(terminal.wait(lambda: said() > first), "and what is so important is recorded again", said())
terminal.type("-")
check(terminal.wait(lambda: status("level") == "err"), "-: one less", terminal.frame())
terminal.type("lnonsense\r")
check(terminal.shows("no such level"), "a level that is none is said", terminal.frame())
terminal.type("lall\r")
check(terminal.wait(lambda: status("level") == "all" or status("level") == "library"), "l: all", status("level"))
terminal.type("r")
check(terminal.wait(lambda: not status("on")), "r: nothing is recorded", terminal.frame())
terminal.shows(", off")
terminal.type("r")
check(terminal.wait(lambda: status("on")), "r: and again", terminal.frame())

# ---- sizes ----
def lines():
    return re.sub(r"\033\[[0-9;]*[mKJH]", "", terminal.frame()).replace("\r", "").split("\n")


def fits(rows, columns):
    return lines() != [""] and len(lines()) <= rows and all(len(line) <= columns for line in lines())


for rows, columns in (10, 40), (3, 20), (1, 1):
    terminal.resize(rows, columns)
    os.killpg(terminal.child.pid, signal.SIGWINCH)
    check(terminal.wait(lambda: fits(rows, columns)), f"{rows} lines of {columns} columns", "\n".join(lines()))
terminal.type("q")
check(terminal.ended() and terminal.child.returncode == 0, "q: ends", terminal.child.returncode)
check(terminal.is_restored(), "and the terminal is as it was before")

# ---- mouse ----
def last():
    return [line for line in lines() if line][-1]


def line_of(text):
    """On which line it is, from 1 on."""
    return next((i for i, line in enumerate(lines(), 1) if text in line), 0)


def sgr(column, line, button=0, end="M"):
    return f"\033[<{button};{column};{line}{end}"


def x10(column, line, button=0):
    return "\033[M" + "".join(chr(32 + part) for part in (button, column, line))


def marked():
    """What the rows that are drawn the other way round say."""
    return [line for line in re.findall(r"\033\[7m(.*?)\033\[0m", terminal.frame()) if "%" in line]


terminal = Terminal(directory)
terminal.shows("request")
check(terminal.all.count(b"\033[?1000h") == 1 and b"\033[?1006h" in terminal.all, "a terminal with a mouse is asked for it")
check(terminal.shows("click sorts"), "which the last line says", terminal.frame())
columns = line_of("CALLS/S")
for how, report in ("SGR", sgr), ("X10", x10):
    for name, column in ("CALLS", 18), ("BYTES/S", 28), ("CALLS/S", 4):
        terminal.type(report(column, columns))
        check(terminal.wait(lambda: f" {name}*" in " " + lines()[columns - 1]), f"{how}: a click on {name} sorts by it", lines()[columns - 1])
    terminal.type(report(60, columns))
    check(terminal.wait(lambda: "*" not in lines()[columns - 1] and "by name" in last()), f"{how}: on words, by name", terminal.frame())
    terminal.type(report(18, columns))
    terminal.wait(lambda: "CALLS*" in terminal.frame())
    terminal.type(report(18, columns))
    check(terminal.wait(lambda: len(lines()) > columns and line_of("serve_request") > line_of("slow") > 0), f"{how}: again, the other way round",
          terminal.frame())
    terminal.type(report(18, columns))
    terminal.wait(lambda: 0 < line_of("serve_request") < line_of("slow"))
    terminal.type(report(50, line_of("slow")))
    check(terminal.wait(lambda: len(marked()) == 1 and "slow" in marked()[0]), f"{how}: a click on a row marks it", terminal.frame())
    check(terminal.wait(lambda: "slow" in last()), f"{how}: and the last line says what it is", terminal.frame())
    terminal.type("R")
    check(terminal.wait(lambda: 0 < line_of("slow") < line_of("serve_request")) and len(marked()) == 1 and "slow" in marked()[0],
          f"{how}: it stays marked where it goes to", terminal.frame())
    terminal.type("R")
    terminal.wait(lambda: 0 < line_of("serve_request") < line_of("slow"))
    terminal.type(report(50, line_of("slow")))
    check(terminal.wait(lambda: not marked() and "q quit" in last()), f"{how}: another click lets it go", terminal.frame())
    terminal.type(report(5, 5, 65))
    check(terminal.wait(lambda: line_of("serve_request") == 0), f"{how}: the wheel scrolls", terminal.frame())
    terminal.type(report(5, 5, 64))
    check(terminal.wait(lambda: line_of("serve_request") > 0), f"{how}: and back", terminal.frame())
    terminal.type(report(50, 1) + report(50, len(lines())) + report(50, columns + 1, 2))
    terminal.fresh()
    check(not marked(), f"{how}: clicks elsewhere, and of other buttons, do nothing", terminal.frame())
terminal.type(sgr(50, columns + 1, 0, "m"))
terminal.fresh()
check(not marked(), "letting go of a button does nothing", terminal.frame())
# A column whose byte is the key that quits, one byte after the other.
for byte in x10(ord("q") - 32, columns):
    terminal.type(byte)
    terminal.fresh()
check(terminal.child.poll() is None and terminal.wait(lambda: "by name" in last()), "a report that comes in parts is no key", terminal.frame())
terminal.type(sgr(4, columns, 65) * 300 + sgr(4, columns, 64) * 300)
check(terminal.wait(lambda: line_of("serve_request") > 0) and terminal.child.poll() is None, "600 reports at once", terminal.frame())
terminal.type("/")
terminal.shows("show only")
terminal.type(sgr(18, columns) + "TOOK\r")
check(terminal.wait(lambda: "request" in terminal.frame() and "slow" not in terminal.frame()), "a click does not end a question", terminal.frame())
os.kill(terminal.child.pid, signal.SIGTSTP)
check(terminal.wait(lambda: terminal.all.count(b"\033[?1000l") == 1) and terminal.wait(terminal.is_restored), "stopped: the mouse is given back")
os.kill(terminal.child.pid, signal.SIGCONT)
check(terminal.wait(lambda: terminal.all.count(b"\033[?1000h") == 2), "and taken again")
terminal.type("\x03")
check(terminal.ended() and terminal.is_restored() and terminal.all.count(b"\033[?1000l") == 2, "Control-C: the mouse is given back")


def asks(name, **environment):
    """Whether it asks such a terminal for its mouse, and says so; None: neither yes nor no."""
    one = Terminal(directory, TERM=name, **environment)
    shown = one.shows("request")
    one.type("q")
    found = b"\033[?1000h" in one.all
    return found if one.ended() and shown and one.is_restored() and (b"click" in one.all) == found else None


def is_known(name):
    """Whether ncurses knows of its mouse."""
    return "kmous=" in subprocess.run(["infocmp", "-1", name], capture_output=True, text=True).stdout


for name in "xterm-256color", "screen", "linux", "vt100", "ansi", "no-such-terminal", "../x/xterm":
    check(asks(name) == is_known(name), f"{name}: a mouse is asked for where terminfo has one: {is_known(name)}")
with tempfile.TemporaryDirectory() as place:
    os.mkdir(place + "/x")
    whole = open(next(path for path in ("/lib/terminfo/x/xterm", "/usr/share/terminfo/x/xterm") if os.path.exists(path)), "rb").read()
    for size in 0, 11, 12, 700:
        with open(place + "/x/xterm", "wb") as file:
            file.write(whole[:size])
        check(asks("xterm", TERMINFO=place) is False, f"an entry of {size} bytes has none")
    with open(place + "/x/xterm", "wb") as file:
        file.write(whole[:2] + b"\xff" * 5000)
    check(asks("xterm", TERMINFO=place) is False, "nor one that lies about its sizes")

# ---- colours ----
terminal = Terminal(directory)
check(terminal.shows("request") and "\033[7m" in terminal.frame(), "there are colours", terminal.frame())
terminal.type("q")
terminal.ended()
terminal = Terminal(directory, NO_COLOR="1")
check(terminal.shows("request") and not re.search(r"\033\[[0-9;]*m", terminal.frame()), "NO_COLOR: there are none", terminal.frame())

# ---- stopped ----
os.kill(terminal.child.pid, signal.SIGTSTP)


def state():
    with open(f"/proc/{terminal.child.pid}/stat") as stat:
        return stat.read().rsplit(")", 1)[1].split()[0]


check(terminal.wait(lambda: state() == "T") and terminal.is_restored(), "stopped: the terminal is as it was before", state())
os.kill(terminal.child.pid, signal.SIGCONT)
check(terminal.wait(lambda: termios.tcgetattr(terminal.slave) != terminal.before) and terminal.fresh(), "and goes on", state())

# ---- ends ----
terminal.type("\x03")
check(terminal.ended() and terminal.child.returncode == -signal.SIGINT, "Control-C: ends by it", terminal.child.returncode)
check(terminal.is_restored(), "and the terminal is as it was before")
for number in signal.SIGTERM, signal.SIGQUIT, signal.SIGSEGV, signal.SIGABRT:
    terminal = Terminal(directory)
    terminal.shows("request")
    os.kill(terminal.child.pid, number)
    check(terminal.ended() and terminal.child.returncode == -number and terminal.is_restored(),
          f"{number.name}: the same", terminal.child.returncode)
terminal = Terminal(directory, TERM="dumb")
check(terminal.ended() and terminal.child.returncode == 2, "a terminal that cannot be drawn on is refused", terminal.output)
sys.exit(failed)
