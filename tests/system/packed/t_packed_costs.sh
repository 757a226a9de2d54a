#!/bin/bash
# Packed logs with many of everything cost what they are long: they are read in little time and memory, and wholly.
. tests/support/lib.sh
export PYTHONDONTWRITEBYTECODE=1

limit=$((100 << 10)) seconds=$(is_long && echo 2 || echo 30)
nm "$show" | grep -q __asan_ && limit=$((4 << 20)) # AddressSanitizer takes memory itself
mkdir "$TMP/logs"
python3 "$here/packed/costly_logs.py" "$TMP/logs" || exit 1

cheap() { # NAME WHAT [OPTION]: with --raw, --grep and the option
	python3 - "$show" "$TMP/logs/$1.blog" "$TMP/got" $limit $seconds "${3:--P}" >"$TMP/said" 2>&1 <<'P'
import os, subprocess, sys, time
show, log, got, limit, most, option = sys.argv[1:]
for options in (["--raw"], ["-q", "--grep=said"], ["-q", option]):
    with open(got if options == ["--raw"] else os.devnull, "wb") as out:
        process = subprocess.Popen(["timeout", "60", show, *options, log], stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = usage.ru_utime + usage.ru_stime
    if process.returncode not in (0, 1) or seconds > int(most) or usage.ru_maxrss > int(limit):
        sys.exit(f"{options}: status {process.returncode}, {seconds:.1f} s, {usage.ru_maxrss} KiB")
P
	verdict $? "$2: at most $seconds s and $((limit >> 10)) MiB" "$(cat "$TMP/said")"
	[ ! -e "$TMP/logs/$1" ] || same_file "and nothing of it is lost" "$TMP/logs/$1" "$TMP/got"
}

cheap moved "120,000 times a module has moved"
cheap captures "70,000 captures" --stacks
cheap long_path "5,000 names of a module with a path of 4 MB" --stacks
cheap deep_stacks "36,000 stacks in 6 logs, each like another"
cheap many_places "4,000 sites with stacks through 1,000 modules"
cheap many_processes "8,000 processes that say the same 50 things"
cheap nobody "sites that nobody is said to have used"
cheap other_arguments "one id, two sites" --stacks
"$show" -q "$TMP/logs/other_arguments.blog" >"$TMP/got" 2>"$TMP/said"
grep -q ' stdout: <fmt ?> args: 2$' "$TMP/got" && grep -q ' stderr: <fmt ?> args: "ab", "c", 3$' "$TMP/got"
verdict $? "what is lost is shown with what each batch says of it" "$(cat "$TMP/got")"

"$show" --raw "$TMP/logs/other_losses.blog" >"$TMP/got" 2>"$TMP/said"
same_file "a loss of a kind that is not known costs nothing" "$TMP/logs/other_losses" "$TMP/got"
[ "$(grep -c 'something is missing: damage of a kind that is not known here (code 9999)' "$TMP/said")" -eq 1 ] &&
	[ "$(grep -c 'in this core file' "$TMP/said")" -eq 1 ]
verdict $? "and is said to be one" "$(cat "$TMP/said")"

# ---- two logs, one of them on standard input ----
cat "$TMP/logs/nobody.blog" "$TMP/logs/moved.blog" | "$show" --raw - "$TMP/logs/captures.blog" >"$TMP/got" 2>"$TMP/said"
cat "$TMP/logs/nobody" "$TMP/logs/moved" "$TMP/logs/captures" >"$TMP/want"
same_file "a log on standard input is read whole beside another" "$TMP/want" "$TMP/got"
finish
