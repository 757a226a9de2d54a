"""pairs.py BUILD ROUNDS [NAME...]: runs each command of stdin natively and recorded, in turns, in the working directory

Prints one row of a table per command.  One that is slower recorded by more than 5 % is marked with what it costs
more: if its fastest run takes so much more of the processor, or if both its fastest and its median run take so much
longer.  How much longer alone depends on what else the machine does.
"""
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import time

LIMIT = 1.05
WAYS = ("native", "recorded")


def empty_captures():
    """Files are emptied and not removed: a file system may be slow to give a name or number out again."""
    os.makedirs("emptied", exist_ok=True)
    for file in os.scandir("capture") if os.path.isdir("capture") else ():
        os.truncate(file, 0)
        os.rename(file, f"emptied/{len(os.listdir('emptied'))}")


def run(argv, way, recording):
    """Wall seconds, and those of the processor, of one run; its output is in the file named as the way."""
    empty_captures()
    flags = os.O_CREAT | os.O_WRONLY | os.O_TRUNC
    output = [os.open(way + kind, flags, 0o600) for kind in (".out", ".err")]
    actions = [(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0)]
    actions += [(os.POSIX_SPAWN_DUP2, fd, 1 + i) for i, fd in enumerate(output)]
    start = time.perf_counter()
    pid = os.posix_spawnp(argv[0], argv, {**os.environ, **(recording if way == "recorded" else {})}, file_actions=actions)
    _, status, usage = os.wait4(pid, 0)
    end = time.perf_counter()
    for fd in output:
        os.close(fd)
    return end - start, usage.ru_utime + usage.ru_stime, status


def size_of_capture():
    return sum(file.stat().st_blocks * 512 for file in os.scandir("capture")) if os.path.isdir("capture") else 0


def compare(build):
    """What is wrong with the last recorded run, or nothing."""
    for stream, kind in ("stdout", "out"), ("stderr", "err"):
        if os.path.getsize("recorded." + kind):
            return stream + " was written"
        if not os.path.isdir("capture"):
            return "no capture" if os.path.getsize("native." + kind) else ""
        with open("decoded", "wb") as decoded:
            subprocess.run([build + "/binlog-show", "--raw", "--as-written", "-q", "--stream=" + stream, "capture"],
                           stdout=decoded, check=False)
        if subprocess.run(["cmp", "-s", "decoded", "native." + kind], check=False).returncode:
            return stream + " differs"
    return ""


class Pair:
    """One command, run both ways so many times: lists of seconds by way, bytes of text and capture, what is wrong."""

    def __init__(self, build, argv, rounds):
        recording = {"LD_PRELOAD": build + "/libbinlog.so", "BINLOG_DIR": os.getcwd() + "/capture"}
        self.wall = {way: [] for way in WAYS}
        self.cpu = {way: [] for way in WAYS}
        ends = {way: set() for way in WAYS}
        for turn in range(rounds + 1):
            for way in WAYS if turn % 2 == 0 else reversed(WAYS):
                seconds, busy, status = run(argv, way, recording)
                ends[way].add(status)
                if turn:  # the first one finds caches cold
                    self.wall[way].append(seconds)
                    self.cpu[way].append(busy)
                if way == "recorded" and turn == 0:
                    self.captured, self.wrong = size_of_capture(), compare(build)
        self.text = os.path.getsize("native.out") + os.path.getsize("native.err")
        self.wrong = self.wrong or ("" if ends["native"] == ends["recorded"] else "it ended otherwise")

    def ratios(self, values):
        """Recorded to native: of the fastest and of the median runs."""
        return [of(values["recorded"]) / max(of(values["native"]), 1e-9) for of in (min, statistics.median)]


def milliseconds(values):
    return f"{1e3 * min(values):.2f} / {1e3 * statistics.median(values):.2f}"


def measure(command, build, rounds):
    pair = Pair(build, shlex.split(command), rounds)
    of_wall, of_cpu = pair.ratios(pair.wall), pair.ratios(pair.cpu)
    slower = of_cpu[0] > LIMIT or min(of_wall) > LIMIT
    more = 1e3 * (min(pair.cpu["recorded"]) - min(pair.cpu["native"]))
    remark = pair.wrong or (f"**slower**, {more:.1f} ms" if slower else "")
    cells = [command if len(command) < 60 else command[:57] + "..."]
    for values, ratios in (pair.wall, of_wall), (pair.cpu, of_cpu):
        cells += [milliseconds(values["native"]), milliseconds(values["recorded"]), "{:.3f} / {:.3f}".format(*ratios)]
    cells += [f"{pair.text / 1e6:.2f}", f"{pair.captured / 1e6:.2f}", remark]
    print("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |", flush=True)
    return bool(pair.wrong), slower


def main():
    build, rounds, names = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    print("| command | wall ms, native | recorded | ratio | user + system ms, native | recorded | ratio | text MB "
          "| capture MB | |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    commands = [line.strip() for line in sys.stdin if line.strip()]
    commands = [line for line in commands if not names or any(name in line for name in names)]
    found = [measure(line, build, rounds) for line in commands if shutil.which(shlex.split(line)[0])]
    print(f"\nEach figure: the fastest / the median of {rounds} runs. {sum(slow for _, slow in found)} of {len(found)} commands "
          f"are slower by more than {100 * (LIMIT - 1):.0f} %; {sum(wrong for wrong, _ in found)} were not captured exactly.")
    return any(wrong for wrong, _ in found)


if __name__ == "__main__":
    sys.exit(main())
