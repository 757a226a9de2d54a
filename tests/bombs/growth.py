"""growth.py KIB COMMAND... -- SMALL LARGE: runs the command with each file in the directory SMALL, and with that of the
same name in LARGE, which holds four times as much; says where that takes more than six times as long.

Time is that of the processor, the least of up to three runs; 30 ms more are granted.  Memory is at most KIB,
and 48 times what the file has: a text that is put together has a page.  LONG=1: all figures are printed to standard error.
"""
import os
import subprocess
import sys

GRANTED = 30


def size_of(path):
    if os.path.isdir(path):
        return sum(entry.stat().st_size for entry in os.scandir(path))
    return os.stat(path).st_size


def run(command):
    """(status, milliseconds, KiB)."""
    process = subprocess.Popen(["timeout", "60", *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, (usage.ru_utime + usage.ru_stime) * 1000, usage.ru_maxrss


def main():
    kib = int(sys.argv[1])
    command, (small, large) = sys.argv[2:sys.argv.index("--")], sys.argv[sys.argv.index("--") + 1:]
    for name in sorted(os.listdir(small)):
        least, most = float("inf"), float("inf")
        for _ in range(3):
            _, took, _ = run([*command, f"{small}/{name}"])
            status, took_more, memory = run([*command, f"{large}/{name}"])
            least, most = min(least, took), min(most, took_more)
            if most <= 6 * least + GRANTED:
                break
        said = f"{os.path.basename(command[0])} {' '.join(command[1:])} {name}: status {status}, {least:.0f} and {most:.0f} ms, {memory / 1024:.0f} MiB"
        if os.environ.get("LONG"):
            print(said, file=sys.stderr)
        if status not in (0, 1) or most > 6 * least + GRANTED or memory > kib + size_of(f"{large}/{name}") * 48 / 1024:
            print(said)


main()
