#!/bin/bash
# A log is of a program in whose place something else is now: no tool of ours waits for it, reads more of it than says
# that it is another one, follows it out of a sysroot, or shows what is in it.
. tests/support/lib.sh
export XDG_CACHE_HOME=$TMP/cache BINLOG_CACHE='' # nothing is remembered
nm "$show" | grep -q __asan_ && {
	skip "hostile paths: AddressSanitizer takes memory itself"
	finish
}
run=$TMP/run
mkdir "$run" "$TMP/traps"
cat >"$run/program.c" <<'END_OF_PROGRAM'
#include <stdio.h>
int main(void)
{
	for (int i = 0; i < 20; i++)
		printf("message %d of %s\n", i, "many");
	return 0;
}
END_OF_PROGRAM
gcc -g -O1 -Wl,--build-id=0x0123456789abcdef -o "$run/program" "$run/program.c" || exit 1
gcc -g -O1 -Wl,--build-id=0xfedcba9876543210 -o "$TMP/other" "$run/program.c" || exit 1
LD_PRELOAD=$lib BINLOG_DIR=$run/capture "$run/program" >/dev/null
"$run/program" >"$run/messages"
cp "$run/program" "$TMP/sound"

# ---- what is there instead ----
echo "SECRET_4711" >"$TMP/secret"
printf '\177ELFSECRET_4711 and no more of it' >"$TMP/traps/almost_elf"
mkfifo "$TMP/traps/fifo"
mkdir "$TMP/traps/directory"
python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$TMP/traps/socket"
ln -s /dev/zero "$TMP/traps/zeros"
ln -s /dev/tty "$TMP/traps/terminal"
ln -s /proc/self/mem "$TMP/traps/memory"
ln -s /proc/kmsg "$TMP/traps/kernel"
ln -s program "$TMP/traps/loop"
ln -s "$TMP/secret" "$TMP/traps/link_to_secret"
ln -s "../../../../../../../../..$TMP/secret" "$TMP/traps/way_to_secret"
ln -s /etc/shadow "$TMP/traps/shadow"
ln -s "$TMP/sound/x" "$TMP/traps/below_a_file"
cp "$TMP/other" "$TMP/traps/other_build"
printf '\177ELF' >"$TMP/traps/holes"
truncate -s 1T "$TMP/traps/holes"
cp "$TMP/other" "$TMP/traps/other_with_holes"
truncate -s 30G "$TMP/traps/other_with_holes"
head -c 700 "$TMP/sound" >"$TMP/traps/cut_off"

PYTHONPATH=$here/support PYTHONDONTWRITEBYTECODE=1 python3 - "$BUILD" "$run" "$TMP/traps" >"$TMP/verdicts" 2>&1 <<'END_OF_PYTHON'
import os
import sys

from executable_costs import Tools

build, directory, traps = sys.argv[1:]
tools = Tools(build, directory, seconds=0.1, memory=64, secret=b"SECRET_4711")
for trap in sorted(os.listdir(traps)):
    if os.path.isdir(tools.program) and not os.path.islink(tools.program):
        os.rmdir(tools.program)
    elif os.path.lexists(tools.program):
        os.remove(tools.program)
    os.rename(os.path.join(traps, trap), tools.program)
    tools.try_all(trap, "--debug-dir=" + traps)
tools.tell()
END_OF_PYTHON
cat "$TMP/verdicts"
grep -q '^ok: binlog-run' "$TMP/verdicts" && ! grep -q '^not ok' "$TMP/verdicts" || failed=1

# ---- another build ----
rm -rf "$run/program"
cp "$TMP/other" "$run/program"
"$show" --stacks "$run/capture" >"$TMP/out" 2>"$TMP/complaint"
grep -q "its build-id is fedcba9876543210 and should be 0123456789abcdef" "$TMP/complaint"
verdict $? "another build is refused by its build-id" "$(cat "$TMP/complaint")"

# ---- links out of a sysroot ----
rm -f "$run/program"
mkdir -p "$TMP/root$run"
ln -s "$TMP/sound" "$TMP/root$run/program"
"$show" --stacks --sysroot="$TMP/root" "$run/capture" >"$TMP/out" 2>"$TMP/complaint"
! grep -q ' main at ' "$TMP/out"
verdict $? "an absolute link does not lead out of a sysroot" "$(grep -m 3 main "$TMP/out")"
ln -sf "../../../../../../../../../../..$TMP/sound" "$TMP/root$run/program"
"$show" --stacks --sysroot="$TMP/root" "$run/capture" >"$TMP/out" 2>"$TMP/complaint"
! grep -q ' main at ' "$TMP/out"
verdict $? "a relative link does not lead out of a sysroot" "$(grep -m 3 main "$TMP/out")"
rm "$TMP/root$run/program"
cp "$TMP/sound" "$TMP/root$run/program"
"$show" --stacks --sysroot="$TMP/root" "$run/capture" >"$TMP/out" 2>"$TMP/complaint"
grep -q ' main at ' "$TMP/out"
verdict $? "a program within a sysroot is read" "$(head -n 3 "$TMP/out"; cat "$TMP/complaint")"

# ---- a program that shrinks and grows while it is read ----
cp "$TMP/sound" "$run/program"
bytes=$(stat -c %s "$TMP/sound")
(
	while :; do
		truncate -s 5000 "$run/program"
		truncate -s "$bytes" "$run/program"
		cat "$TMP/sound" >"$run/program"
	done
) 2>/dev/null &
racer=$!
wrong=0
for ((i = 0; i < 20; i++)); do
	timeout 20 "$show" --stacks "$run/capture" >"$TMP/out" 2>"$TMP/complaint"
	[ $? -le 1 ] && grep -o 'message .*' "$TMP/out" | cmp -s - "$run/messages" || wrong=$((wrong + 1))
done
kill $racer
wait $racer 2>/dev/null
same "a program that changes while it is read costs no message" 0 "$wrong"

# ---- holes ----
printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\4\0' >"$TMP/core"
truncate -s 1T "$TMP/core"
(ulimit -t 2 && timeout 60 "$show" "$TMP/core" >"$TMP/out" 2>&1)
same "a core of 1 TiB of holes is looked through at once" 2 $?
objcopy --only-keep-debug "$TMP/sound" "$TMP/sound.debug"
objcopy --strip-debug -R .note.gnu.build-id --add-gnu-debuglink="$TMP/sound.debug" "$TMP/sound" "$TMP/linked"
truncate -s 30G "$TMP/sound.debug"
echo "$TMP/linked+0x1130" >"$TMP/question"
(ulimit -t 2 && timeout 60 "$BUILD/binlog-symbolize" "$TMP/question" >"$TMP/out" 2>&1)
grep -q 'its CRC32 differs' "$TMP/out"
verdict $? "a debug file of 30 GiB of holes is not summed up" "$(cat "$TMP/out")"

# ---- names ----
name=$run/$'red \033[31m bell \007 line\nend'
cp "$TMP/sound" "$name"
LD_PRELOAD=$lib BINLOG_DIR=$TMP/names "$name" >/dev/null
rm "$name"
mkfifo "$name"
timeout 20 "$show" --stacks "$TMP/names" >"$TMP/out" 2>"$TMP/complaint"
[ $? -le 1 ] && [ -s "$TMP/complaint" ] && ! LC_ALL=C grep -q $'[\001-\010\013-\037]' "$TMP/complaint"
verdict $? "what a name holds reaches a complaint as text" "$(cat -v "$TMP/complaint")"
finish
