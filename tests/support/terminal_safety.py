#!/usr/bin/env python3
"""terminal_safety.py BUILD DIRECTORY: what the tools send to a terminal when every name and text is hostile.

Runs each on a pseudo-terminal; prints "ok: sentence" or "not ok: sentence" for each check.
"""
import glob
import os
import pty
import re
import select
import subprocess
import sys
import time
import tty

BUILD, PLACE = sys.argv[1:3]
TEXT_ONLY = ("html", "heph", "journal", "syslog", "perfetto", "msgpack")
# Each of these would do something to a terminal, or to who reads it.
BAD = [b"\033]8;;x\033\\", b"\033]52;c;eA==\a", b"\033]0;t\a", b"\033Pq\033\\", b"\033[35m", b"\033[2J", b"\033_a\033\\",
       b"\033^p\033\\", b"\033Xs\033\\", b"\033c", b"\x9b35m", b"\x9d0;t\x9c", b"\xc2\x9b35m", b"\xc2\x9d0;t\xc2\x9c",
       b"\xc2\x90q", b"\xe2\x80\xae", b"\xe2\x80\xaa", b"\xe2\x81\xa6", b"\xe2\x81\xa9", b"\xe2\x80\x8e", b"\xe2\x80\x8f",
       b"\xd8\x9c", b"\xe2\x80\xa8", b"\xe2\x80\xa9", b"\xf3\xa0\x81\xa1", b"\xef\xbb\xbf", b"\x7f", b"\b", b"\r", b"\x0e",
       b"\x05", b"\xc0\x9b", b"\xe0\x82\x9b", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xff", b"\xc2"]
# What the tools themselves say to a terminal; none of it is in BAD.
OWN = re.compile(rb"\033\[(?:0|1;31|1;33|1|2)m|\r\033\[K|\r\[[# ]{40}\]")
TOP = re.compile(rb"\033\[\?(?:1049|1000|1006|25)[hl]|\033\[[HKJ]|\033\[[0-9;]*m|\r\n")
UNSEEN = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]")
failed = False


def check(holds, sentence, detail=b""):
    global failed
    print(("ok: " if holds else "not ok: ") + sentence)
    if not holds:
        failed = True
        print("    " + repr(detail)[:600])


def harm(output, own=OWN):
    """What has reached the terminal and should not have, with what is around it; None: nothing."""
    text = own.sub(b"", output).decode("utf-8", "surrogateescape")
    found = UNSEEN.search(text) or re.search("[\udc80-\udcff]", text)
    return text[max(found.start() - 40, 0):found.end() + 20].encode("utf-8", "surrogateescape") if found else None


def on_terminal(command, ends="12", keys=b"", environment=None, lines=0):
    """What a command says to a terminal, by those descriptors; the others go nowhere.  Killed after so many lines."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    names = dict(os.environ, TERM="xterm", **{"BINLOG_PAGER": "", **(environment or {})})
    where = {end: slave if end in ends else subprocess.DEVNULL for end in "12"}
    child = subprocess.Popen(command, stdin=slave if keys else subprocess.DEVNULL, stdout=where["1"], stderr=where["2"],
                             env=names, cwd=SCRATCH)
    os.close(slave)
    said, until = b"", time.monotonic() + 20
    while time.monotonic() < until:
        if not select.select([master], [], [], 0.5)[0]:
            continue
        try:
            said += os.read(master, 1 << 16)
        except OSError:
            break
        if keys and len(said) > 500:
            os.write(master, keys[:1])
            keys = keys[1:] or keys
        if lines and said.count(b"\n") > lines:
            break
    if child.poll() is None:
        child.kill() if time.monotonic() >= until or lines else None
    child.wait()
    os.close(master)
    return said


def safe(name, command, marks=(), own=OWN, **how):
    said = on_terminal(command, **how)
    missing = [mark for mark in marks if mark not in said]
    check(harm(said, own) is None and said, name + ": nothing but text reaches the terminal", harm(said, own) or said)
    if missing:
        check(False, name + ": what is hostile is shown at all", (missing, said[-300:]))
    return said


def bad_name(mark, room, without=b"/\0"):
    """A name that begins with the mark and has as much of BAD as there is room for."""
    name = mark
    for piece in sorted(BAD, key=len):
        piece = bytes(byte for byte in piece if byte not in without)
        if len(name) + len(piece) <= room:
            name += piece
    return name.ljust(room, b"_") if room < 100 else name


def build_victim():
    """The program, its library, and their capture: under hostile names, with hostile names in them."""
    compiler = os.environ.get("CC", "gcc")
    made = PLACE + "/victim"
    subprocess.run([compiler, "-w", "-g", "-O1", "-D_GNU_SOURCE", "-o", made, "tests/victims/hostile_names.c"], check=True)
    with open(made, "rb") as file:
        code = file.read()
    for word, mark in (("function", b"zFUNCz"), ("source_file", b"zSRCz")):
        found = re.search(rb"hostile_%s_that[a-z_.]*" % word.encode(), code)[0]
        code = code.replace(found, bad_name(mark, len(found)))
    program = PLACE.encode() + b"/" + bad_name(b"zPROGz", 120)
    with open(program, "wb") as file:
        file.write(code)
    os.chmod(program, 0o755)
    library = PLACE.encode() + b"/" + bad_name(b"zLIBz", 120) + b".so"
    source = b'#include <stdio.h>\nvoid say(void) { printf("zMODz said\\n"); }\n'
    subprocess.run([compiler, "-w", "-g", "-shared", "-fPIC", "-o", library, "-xc", "-"], input=source, check=True)
    with open(PLACE + "/text", "wb") as file:
        pairs = b"".join(bytes((a, b)) + b"x" for a in range(256) for b in range(256))
        file.write(b"zTEXTz" + b" ".join(BAD) + pairs)
    log = PLACE.encode() + b"/" + bad_name(b"zLOGz", 120)
    return [program, PLACE + "/text", library, log, bad_name(b"zTH", 15)], program, library


def record(command, directory, more=(), **how):
    names = dict(os.environ, LD_PRELOAD=BUILD + "/libbinlog.so", BINLOG_DIR=directory, BINLOG_STREAMS="file:*=replace")
    return subprocess.Popen([*command, *more], env=names, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **how)


def tool(name, *arguments):
    return [BUILD + "/binlog-" + name, *arguments]


def check_styles(name, path):
    """Every style, of a capture or a packed log."""
    columns = subprocess.run(tool("show", "--columns=help"), stdout=subprocess.PIPE, check=True).stdout
    columns = b",".join(line.split()[0] for line in columns.splitlines() if line[:1].isalnum() or line[:1] == b"-")
    styles = subprocess.run(tool("show", "--output=help"), stdout=subprocess.PIPE, check=True).stdout
    styles = [line.split()[0].decode() for line in styles.splitlines()]
    everything = (b"zFORMz", b"zFUNCz", b"zSRCz", b"zPROGz", b"zTEXTz", b"zTH", b"zSYSLOGz")
    options = {"values": ["--values=name"], "histogram": ["--histogram=name"], "rcdf": ["--rcdf=name"], "per": ["--per=1s"],
               "largest": ["--largest=zFORMz"], "smallest": ["--smallest=zFORMz"],
               "spans": ["--spans=*zFORMz* => *zFORMz*", "--longest=3"]}
    marks = {"json": everything[:1] + everything[3:5], "folded": everything[1:2], "processes": everything[3:4],
             "captures": everything[3:4], "timeline": (b"zTEXTz",), "stats": everything[:1], "rates": everything[:1]}
    for style in styles:
        if style == "raw":
            continue
        said = safe(f"{name}, {style}", tool("show", *options.get(style, ["--output=" + style]), path), marks.get(style, ()))
        if style in TEXT_ONLY:
            check(b"standard output is a terminal" in said, f"{name}, {style}: it is not for terminals", said)
    shown = tool("show", "--stacks", "--location", "--source", "--pointers", path)
    safe(f"{name}, lines with all that is known", shown, everything)
    safe(f"{name}, in colours", [*shown, "--color=always", "--reverse"], everything)
    safe(f"{name}, all columns", tool("show", b"--columns=" + columns, path), (*everything, b"zLIBz", b"zLOGz"))
    safe(f"{name}, only standard output is the terminal", shown, everything, ends="1")
    safe(f"{name}, only standard error is the terminal", tool("show", "--output=json", "--debug-dir=/zNONEz", path), ends="2")
    paged = SCRATCH + "/paged"
    on_terminal(tool("show", "--stacks", path), environment={"BINLOG_PAGER": "cat >" + paged})
    with open(paged, "rb") as file:
        text = file.read()
    check(harm(text) is None and b"zFUNCz" in text, f"{name}: what the pager is given is text", harm(text) or text)


def check_options():
    """Each option of each tool with a hostile value, and hostile operands."""
    value = b"zVALz" + b"".join(piece for piece in BAD if b"/" not in piece)
    for name in ("show", "pack", "symbolize", "top", "ctl", "run"):
        table = subprocess.run(tool(name, "--help" if name != "show" else "--help=all"), stdout=subprocess.PIPE, check=True).stdout
        options = sorted(set(re.findall(rb"--[a-z-]+=", table)))
        said = b"".join(on_terminal(tool(name, option + value, b"zOPERANDz" + value)) for option in options)
        said += on_terminal(tool(name, b"--" + value)) + on_terminal(tool(name, value, value))
        check(harm(said) is None and b"z" in said, f"binlog-{name}: its {len(options)} options quote values as text",
              harm(said) or said)


def check_files(capture, packed, program):
    """Names of files, and what stands in files that people write."""
    hostile = SCRATCH.encode() + b"/" + bad_name(b"zNAMEz", 120)
    with open(capture, "rb") as file:
        whole = file.read()
    with open(hostile, "wb") as file:
        file.write(whole[:8192] + b"\1" * 5000 + whole[16384:])
    for name in ("show", "pack"):
        more = ["-f", "-o", SCRATCH + "/packed"] if name == "pack" else []
        safe(f"binlog-{name}, a damaged capture", tool(name, hostile, *more), (b"zNAMEz",))
        safe(f"binlog-{name}, what is not there", tool(name, hostile + b"none", *more), (b"zNAMEz",))
    safe("binlog-pack, what is there", tool("pack", capture, "-o", hostile), (b"zNAMEz",))
    with open(hostile, "wb") as file:
        file.write(packed[:3000] + b"\1" * 3000 + packed[6000:])
    safe("binlog-show, a damaged log", tool("show", hostile), (b"zNAMEz",))
    safe("binlog-show --recover, a damaged log", tool("show", "--recover", hostile), ends="2", marks=(b"zNAMEz",))
    safe("binlog-show --diff", tool("show", "--diff", capture, hostile))
    safe("binlog-show --index", tool("show", "--index", program), (b"zFORMz",))
    safe("binlog-show --index, no program", tool("show", "--index", hostile), (b"zNAMEz",))
    text = b"zCONFz" + b"".join(BAD)
    for line in (b"[output %s]\n", b"[%s]\n", b"%s = 1\n", b"[output x]\nstyle = %s\n", b"[output x]\nto = %s\n", b"[rules]\n%s\n",
                 b"[rules]\nformat \"x\" %s\n", b"level = %s\n", b"streams = %s\n", b"[rules]\nformat \"%s\n"):
        with open(hostile, "wb") as file:
            file.write(line % text)
        said = on_terminal(tool("show", b"--config=" + hostile, capture))
        said += on_terminal(tool("run", b"--config=" + hostile, "true"))
        said += on_terminal(tool("ctl", SCRATCH, b"rules=" + hostile))
        check(harm(said) is None and said, f"a file with {line!r} is quoted as text", harm(said) or said)
    with open(hostile, "wb") as file:
        file.write(program + b"+0x1\nzADDRz" + text + b"\n" + b"".join(
            program + b"+0x%x\n" % address for address in range(0x1100, 0x1500, 16)))
    safe("binlog-symbolize", tool("symbolize", hostile), (b"zFUNCz", b"zSRCz", b"zNAMEz"))
    for name in (b"./" + os.path.basename(hostile), hostile + b"none"):
        safe("binlog-run, what is no program", tool("run", name), (b"zNAMEz",))


def check_live(command, program):
    """A program that runs meanwhile."""
    directory = PLACE.encode() + b"/" + bad_name(b"zLIVEz", 100)
    child = record(command, directory, ["stay"], stdin=subprocess.PIPE)
    for _ in range(500):
        if glob.glob(glob.escape(directory) + b"/*.binlog"):
            break
        time.sleep(0.02)
    safe("binlog-ctl status", tool("ctl", directory, "status"), (b"zLIVEz", b"zPROGz", b"zFORMz"))
    safe("binlog-ctl status --json", tool("ctl", "--json", directory, "status"), (b"zLIVEz", b"zPROGz"))
    rule = b"".join(piece for piece in BAD if min(piece) > 0x7f)  # the grammar has no others
    safe("binlog-ctl, a rule", tool("ctl", directory, "rule", b'format "zRULEz' + rule + b'" drop'))
    safe("binlog-ctl rules", tool("ctl", directory, "rules"), (b"zRULEz",))
    safe("binlog-ctl snapshot", tool("ctl", directory, "snapshot", directory + b".now"), (b"zLIVEz",))
    safe("binlog-ctl list", tool("ctl", "list", directory), (b"zPROGz",))
    safe("binlog-top -b", tool("top", "-b", "-n", "1", "-d", "0.1", directory), (b"zFORMz", b"zPROGz"))
    safe("binlog-top", tool("top", "-n", "4", "-d", "0.1", directory), (b"zSRCz",), own=TOP, keys=b"psctv")
    safe("binlog-show -f", tool("show", "-f", directory), (b"zPROGz",), lines=2)
    child.stdin.close()
    child.wait()
    safe("binlog-ctl clean", tool("ctl", "clean", directory), (b"zPROGz",))


def check_library():
    """What is preloaded says nothing of its own, whatever its variables are."""
    value = b"zVALz" + b"".join(BAD)
    with open("rules/config_keys.def", encoding="ascii") as file:
        names = ["BINLOG_" + name.upper() for name in re.findall(r"CONFIG_KEY\((\w+)", file.read())]
    for name in [*names, "BINLOG_CONFIG", "BINLOG_RUN", "BINLOG_PARENT"]:
        said = on_terminal(["sh", "-c", ":"], environment={"LD_PRELOAD": BUILD + "/libbinlog.so", name: value})
        if said:
            check(False, f"the library says nothing about {name}", said)
    check(len(names) > 5, "the library says nothing about the values of its variables", names)


os.chdir(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
SCRATCH = PLACE + "/scratch"
os.mkdir(SCRATCH)
COMMAND, PROGRAM, LIBRARY = build_victim()
CAPTURES = PLACE.encode() + b"/" + bad_name(b"zDIRz", 100)
check(record(COMMAND, CAPTURES).wait() == 0, "the program is recorded")
PACKED = PLACE.encode() + b"/" + bad_name(b"zPACKz", 100) + b".blog"
safe("binlog-pack", tool("pack", "--with-symbols", "-o", PACKED, CAPTURES))
check_styles("captures", CAPTURES)
check_styles("a packed log", PACKED)
CAPTURE = glob.glob(glob.escape(CAPTURES) + b"/*.binlog")[0]
with open(PACKED, "rb") as packed_file:
    check_files(CAPTURE, packed_file.read(), PROGRAM)
check_options()
check_live(COMMAND, PROGRAM)
check_library()
sys.exit(failed)
