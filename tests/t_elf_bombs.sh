#!/bin/bash
# An executable that is made to cost far more than it holds costs no tool of ours more than 64 MiB and a second of CPU,
# and no message: tests/elf_bombs.py says what there is.
. tests/lib.sh
export XDG_CACHE_HOME=$TMP/cache BINLOG_CACHE='' # nothing is remembered
nm "$show" | grep -q __asan_ && {
	skip "bombs: AddressSanitizer takes memory itself"
	finish
}

# The log is of a program that has the build-id of the bombs, one of which is in its place when the log is read.
mkdir "$TMP/run"
cat >"$TMP/run/program.c" <<'END_OF_PROGRAM'
#include <stdio.h>
int main(void)
{
	for (int i = 0; i < 20; i++)
		printf("message %d of %s\n", i, "many");
	return 0;
}
END_OF_PROGRAM
gcc -O1 -Wl,--build-id=0x0123456789abcdef -o "$TMP/run/program" "$TMP/run/program.c" || exit 1
LD_PRELOAD=$lib BINLOG_DIR=$TMP/run/capture "$TMP/run/program" >/dev/null
"$TMP/run/program" >"$TMP/run/messages"
python3 "$here/elf_bombs.py" "$TMP/bombs" || exit 1
for bomb in "$TMP/bombs"/*; do
	echo "$bomb+0x1130"
done >"$TMP/questions"

# Each tool with each bomb: what it took, and what is wrong with what it did.
cat >"$TMP/explode.py" <<'END_OF_PYTHON'
import os
import subprocess
import sys
import tempfile

build, directory = sys.argv[1:]
program, capture = directory + "/run/program", directory + "/run/capture"
with open(directory + "/run/messages", "rb") as file:
    messages = file.read()


def run(*command):
    """Exit status, what it wrote to standard output, seconds of CPU, MiB."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as complaints:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=complaints)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        return process.returncode, out.read(), used.ru_utime, used.ru_maxrss / 1024


def check(sentence, bomb, result, statuses, wanted=None):
    status, said, seconds, memory = result
    wrong = []
    if status not in statuses:
        wrong.append(f"status {status}")
    if wanted is not None and said != wanted:
        wrong.append("the messages are others")
    if seconds >= 1:
        wrong.append(f"{seconds:.2f} s of CPU")
    if memory >= 64:
        wrong.append(f"{memory:.0f} MiB")
    costs.setdefault(sentence, []).append((seconds, memory, bomb))
    if wrong:
        failures.setdefault(sentence, []).append(f"{bomb}: {', '.join(wrong)}")


costs, failures = {}, {}
for bomb in sorted(os.listdir(directory + "/bombs")):
    path = f"{directory}/bombs/{bomb}"
    os.replace(path, program)
    with open(directory + "/question", "w", encoding="utf-8") as file:
        file.write(f"{program}+0x1130\n")
    check("binlog-symbolize", bomb, run(f"{build}/binlog-symbolize", directory + "/question"), (0, 1))
    check("binlog-show", bomb, run(f"{build}/binlog-show", "--raw", "--exe=" + program, capture), (0,), messages)
    result = run(f"{build}/binlog-show", "--stacks", capture)
    texts = b"".join(line[line.index(b"message"):] for line in result[1].splitlines(True) if b"message" in line)
    check("binlog-show --stacks", bomb, (result[0], texts) + result[2:], (0, 1), messages)
    check("binlog-show --index", bomb, run(f"{build}/binlog-show", "--index", program), (0, 1, 2))
    packed = directory + "/packed.blog"
    check("binlog-pack --with-symbols", bomb,
          run(f"{build}/binlog-pack", "-q", "-f", "--with-symbols", capture, "-o", packed), (0, 1))
    check("binlog-show of the packed log", bomb, run(f"{build}/binlog-show", "--raw", packed), (0, 1), messages)
    os.chmod(program, 0o700)
    check("binlog-run", bomb, run(f"{build}/binlog-run", "--dir=" + directory + "/new", program), (2, 126, 127))
for sentence, of in costs.items():
    most = max(of)
    largest = max(of, key=lambda cost: cost[1])
    print("not ok:" if sentence in failures else "ok:", f"{sentence}: {len(of)} bombs, at most {most[0]:.2f} s of CPU",
          f"({most[2]}) and {largest[1]:.0f} MiB ({largest[2]})")
    for failure in failures.get(sentence, []):
        print("   ", failure)
END_OF_PYTHON
python3 "$TMP/explode.py" "$BUILD" "$TMP" >"$TMP/verdicts" 2>&1
cat "$TMP/verdicts"
grep -q '^ok: binlog-run' "$TMP/verdicts" && ! grep -q '^not ok' "$TMP/verdicts" || failed=1
finish
