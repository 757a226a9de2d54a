"""measure.py MILLISECONDS KIB COMMAND... -- PATH...: runs the command with each path; says which takes more than that.

Time is that of the processor, from before exec, the least of up to three runs: others may be at work beside.  A status that
is neither 0, 1 nor 2 is an offence, too.  LONG=1: all figures are printed to standard error.
"""
import os
import subprocess
import sys


def run(command):
    """(status, milliseconds, KiB)."""
    process = subprocess.Popen(["timeout", "60", *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, (usage.ru_utime + usage.ru_stime) * 1000, usage.ru_maxrss


def main():
    milliseconds, kib = map(int, sys.argv[1:3])
    command, paths = sys.argv[3:sys.argv.index("--")], sys.argv[sys.argv.index("--") + 1:]
    for path in paths:
        for _ in range(3):
            status, took, memory = run([*command, path])
            if took <= milliseconds:
                break
        said = f"{' '.join(os.path.basename(word) for word in [*command, path])}: status {status}, {took:.0f} ms, {memory / 1024:.0f} MiB"
        if os.environ.get("LONG"):
            print(said, file=sys.stderr)
        if status not in (0, 1, 2) or took > milliseconds or memory > kib:
            print(said)


main()
