#!/bin/bash
# B32, B33: clocks that jump, drift, change their frequency or are stopped: each
# thread's messages stay in order and never go back in time, the order between
# threads is the true one, and a jump is said.
. tests/support/lib.sh
$CC -std=gnu11 -D_GNU_SOURCE -w -I. -o "$TMP/make" tests/victims/clock_capture.c || exit 1

# MESSAGES have wall time, thread, number and true time; what is wrong with them, at most MICROSECONDS off.
judge() { # MICROSECONDS
	awk -v most="$1" '
		{ split($2, clock, ":"); thread = $(NF - 4); number = $(NF - 2); told = $NF
		  split(clock[3], second, ".")
		  shown = ((clock[1] - 22) * 3600 + (clock[2] - 13) * 60 + second[1] - 20) * 1e9 + second[2]
		  if (clock[1] < 22) shown += 86400e9
		  off = shown - told; if (off < 0) off = -off
		  if (off > most * 1000 && bad++ < 3) print "off by", off / 1e9, "s: " $0
		  if (shown < last[thread] && bad++ < 3) print "goes back: " $0
		  if (number != next_number[thread] + 0 && bad++ < 3) print "order of a thread: " $0
		  if (told < before && bad++ < 3) print "order of all: " $0
		  next_number[thread] = number + 1; last[thread] = shown; before = told; n++ }
		END { if (n < 1500) print n + 0, "messages" }'
}
scenario() { # NAME MICROSECONDS FLAGGED SENTENCE
	local why
	"$TMP/make" "$1" "$TMP/$1.binlog"
	why=$("$show" -u --output=line "$TMP/$1.binlog" 2>"$TMP/errors" | judge "$2")
	verdict ${#why} "B32: $4: order and times are right" "$why"
	same "B32: $4: $([ "$3" = 1 ] && echo "it is said, once" || echo "nothing is said")" "$3" "$(grep -c 'ticks jump' "$TMP/errors")"
}
scenario steady 1 0 "a steady counter"
scenario back 1000 1 "a counter set back by an hour"
scenario forward 1000 1 "a counter set forward by an hour"
scenario zero 1000 1 "a counter that begins anew"
scenario drift 1000 0 "clocks that drift by 500 ppm"
# Until the next anchor, less than a second later, the old frequency holds.
scenario faster 200000 0 "a frequency 20 percent higher"
scenario slower 200000 0 "a frequency 20 percent lower"
scenario suspend 1000 0 "a machine that slept for ten minutes"
# Until the next anchor nothing tells that it has slept.
scenario stop 601000000 0 "one that did, and its counter, too"

# B33: the capture of a process that was stopped, copied and restored: two of one name, each complete.
mkdir "$TMP/restored"
"$TMP/make" back "$TMP/restored/one.binlog"
cp "$TMP/restored/one.binlog" "$TMP/restored/two.binlog"
same "B33: a copied set of files: every message is there twice" "" \
	"$("$show" --raw -q "$TMP/restored" 2>/dev/null | sort | uniq -c | awk '$1 != 2' | head -n 3)"

# ---- where ticks come from ----
# The clock in the header: 1 is the counter of the processor, 2 is CLOCK_MONOTONIC.
clock_of() { od -An -tu4 -j 44 -N 4 "$1"/*.binlog | tr -d ' '; }
source=/sys/devices/system/clocksource/clocksource0/current_clocksource
recorded "$TMP/recorded" seq 3
if [ ! -r $source ]; then
	skip "B32: the kernel does not say what its clock is"
else
	same "B32: ticks are those of the counter if the kernel itself uses it" \
		"$([ "$(cat $source)" = tsc ] && echo 1 || echo 2)" "$(clock_of "$TMP/recorded/capture")"
	for name in hpet kvm-clock acpi_pm; do
		echo $name >"$TMP/source"
		if ! unshare -m sh -c "mount --bind '$TMP/source' $source" 2>/dev/null; then
			skip "B32: another clock of the kernel: cannot mount over $source"
			break
		fi
		rm -rf "$TMP/other"
		unshare -m sh -c "mount --bind '$TMP/source' $source && LD_PRELOAD='$lib' BINLOG_DIR='$TMP/other' seq 3" >"$TMP/real"
		same "B32: if it uses $name, they are nanoseconds" 2 "$(clock_of "$TMP/other")"
		same "B32: $name: and all is recorded" "$(seq 3)" "$(raw stdout "$TMP/other")"
	done
fi
finish
