#!/bin/bash
# Packed logs that another program has written, with every kind of column nested in every way, are read as they are
# meant; a frame that lies costs itself alone, and neither memory nor time.  LONG=1: 1,000 logs instead of 40.
. tests/support/lib.sh
export PYTHONDONTWRITEBYTECODE=1
# What sanitizers find is no status of the tool.
export ASAN_OPTIONS=exitcode=99 UBSAN_OPTIONS=halt_on_error=1:exitcode=99
packed=$here/packed

# ---- what another writer has written ----
seeds=$([ -n "${LONG:-}" ] && echo 1000 || echo 40)
for how in batches plain stored; do
	wrong=0
	why=
	for ((seed = 1; seed <= seeds; seed++)); do
		python3 "$packed/make_log.py" $seed 600 "$TMP/log" "$TMP/want" $how || exit 1
		"$show" --raw "$TMP/log" >"$TMP/got" 2>"$TMP/said"
		status=$?
		"$show" "$TMP/log" >"$TMP/lines" 2>>"$TMP/said"
		if ! cmp -s "$TMP/want" "$TMP/got" || [ $status -ne 0 ] || [ "$(cat "$TMP/said")" != "600 captured, 0 passed, 0 dropped" ]; then
			wrong=$((wrong + 1))
			[ -n "$why" ] || why="seed $seed, status $status: $(cmp "$TMP/want" "$TMP/got" 2>&1; diff -a "$TMP/want" "$TMP/got" | head -n 4; head -n 3 "$TMP/said")"
		fi
	done
	verdict $wrong "$seeds logs of random columns in $how are read as they are meant" "$wrong are not: $why"
done

# ---- what is newer than the reader ----
python3 - "$packed" "$TMP" <<'P' || exit 1
import sys
sys.path.insert(0, sys.argv[1])
from make_log import Maker
from packed_log import frame_at, frame_bytes, make_frame, objects, pack
for how in ("batches", "plain"):
    maker = Maker(5, how == "plain")
    log, text, number = b"", b"", 0
    for frame, words, _ in maker.frames(500):
        tag, payload = objects(frame_at(frame, 0).record)
        payload.update({number % 60 + 60: [number, b"new", {1: None}], 100: b"text", 101: -1.5})
        log += frame_bytes(pack(tag) + pack(payload)) + make_frame(50 + number % 50, {0: maker.log, 1: 0, 2: b"unknown"})
        text += words
        number += 1
    open(f"{sys.argv[2]}/newer.{how}", "wb").write(log)
    open(f"{sys.argv[2]}/newer.{how}.want", "wb").write(text)
    open(f"{sys.argv[2]}/newer.{how}.count", "w").write(f"{number}\n")
P
for how in batches plain; do
	"$show" --raw "$TMP/newer.$how" >"$TMP/got" 2>"$TMP/said"
	"$show" "$TMP/newer.$how" >"$TMP/lines" 2>>"$TMP/said"
	same_file "unknown tags and fields are skipped in $how" "$TMP/newer.$how.want" "$TMP/got"
	number=$(sed -nE 's/.* not known \(number ([0-9]+)\).*/\1/p' "$TMP/said" | head -n 1)
	[ "${number:-0}" -ge "$(cat "$TMP/newer.$how.count")" ]
	verdict $? "and counted: a tag for each of $(cat "$TMP/newer.$how.count") frames, and fields" "$(cat "$TMP/said")"
done

# ---- what lies ----
mkdir "$TMP/hostile"
python3 "$packed/hostile_logs.py" "$TMP/hostile" || exit 1
limit=$((64 << 10)) seconds=$(is_long && echo 1 || echo 9)
nm "$show" | grep -q __asan_ && limit=$((4 << 20)) seconds=9 # AddressSanitizer takes memory and time itself
said=$(python3 - "$show" "$TMP/hostile" $limit $seconds <<'P'
import glob, os, subprocess, sys, time
show, directory, limit, seconds = sys.argv[1:]
before, behind = (open(f"{directory}/{name}", "rb").read() for name in ("before", "behind"))
wrong = []
logs = sorted(glob.glob(directory + "/*.blog"))
for log in logs:
    thorough = os.environ.get("LONG") or not os.path.basename(log).startswith("batch_")
    for options in (["--raw", "-q"], ["-q", "--stacks", "--location", "--pointers"], ["-P"])[:3 if thorough else 1]:
        name = f"{os.path.basename(log)} {' '.join(options)}"
        start = time.monotonic()
        with open(directory + "/got", "w+b") as got:
            process = subprocess.Popen(["timeout", "10", show, *options, log], stdout=got, stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            took = time.monotonic() - start
            got.seek(0)
            first = got.read(len(before))
            got.seek(-min(os.path.getsize(directory + "/got"), len(behind)), 2)
            last = got.read()
        if process.returncode not in (0, 1, 2):
            wrong.append(f"{name}: status {process.returncode}")
        elif options[0] == "--raw" and not log.endswith("many_logs.blog") and (first != before or last != behind):
            wrong.append(f"{name}: what is before or behind the lie is missing")
        if min(took, usage.ru_utime + usage.ru_stime) > int(seconds):
            wrong.append(f"{name}: {took:.1f} s")
        if usage.ru_maxrss > int(limit):
            wrong.append(f"{name}: {usage.ru_maxrss} KiB")
print(len(logs))
print("\n".join(wrong[:12]))
sys.exit(bool(wrong))
P
)
verdict $? "a frame that lies costs itself alone, in $(head -n 1 <<<"$said") logs, at most $((limit >> 10)) MiB and $seconds s" "$(tail -n +2 <<<"$said")"
finish
