#!/bin/bash
# binlog-top: in batch mode its rates are those that the program itself tells; on a terminal it shows the calls, switches
# levels, survives any size and any name, and gives the terminal back however it ends.
. tests/support/lib.sh
top=$BUILD/binlog-top
build paced
cd "$TMP" || exit 1
start() { # RATE: until it has a capture; its number into $running
	rm -rf capture said
	LD_PRELOAD=$lib BINLOG_DIR=$TMP/capture BINLOG_RING=${ring:-} "$TMP/paced" "$1" >out 2>out2 &
	running=$!
	until_true has_capture
}
has_capture() { [ -n "$(ls capture 2>/dev/null)" ]; }
ends() {
	kill -TERM "$running"
	wait "$running" 2>/dev/null
}
near() { awk -v a="$1" -v b="$2" -v most="$3" 'BEGIN { exit !(a > 0 && b > 0 && a <= b * most && b <= a * most) }'; } # TIMES
rows() { # VIEW: of the last page
	awk -v view="$1" '/^binlog-top / { delete row; n = 0 } NF == 1 { inside = $1 == view; next }
		inside && /%/ && $1 != "CALLS/S" { row[n++] = $0 } END { for (i = 0; i < n; i++) print row[i] }' batch
}

# ---- rates ----
measure() { # RATE: twice at most: the machine may have something else to do
	local try
	for try in 1 2 3; do
		start "$1"
		"$top" -b -n 2 -d 0.5 capture >batch 2>errors
		ends
		shown=$(awk '/calls\/s/ { rate = $1 } END { print rate }' batch)
		told=$(awk '{ print $2 }' said)
		! near "$shown" "$told" "$within" || return
	done
}
# The machine may have something else to do all the time, and then the program
# is not heard of for a while, and makes up for it.
within=$([ -n "${LONG:-}" ] && echo 1.1 || echo 5) # times
for rate in 200 2000000; do
	measure $rate
	near "$shown" "$told" "$within"
	verdict $? "$rate lines a second: it shows $shown, the program says $told" "$(cat errors)"
done
same "each place, and the busiest first" 'serve_request "request %ld took %d us\n"' \
	"$(rows sites | head -n 1 | grep -o 'serve_request .*' | sed 's/ paced.c:[0-9]*//')"
same "how much each of them says" "90% 9% 1%" "$(rows sites | awk '{ gsub(/%/, "", $4); printf "%s%d%%", (NR > 1 ? " " : ""), $4 }')"
same "their levels" "info info warning" "$(rows sites | awk '{ print $5 }' | paste -sd ' ')"
same "one process, one thread, one capture" "1 1 1" "$(rows processes | wc -l) $(rows threads | wc -l) $(rows captures | wc -l)"
same "all that was said is counted" "$(rows captures | awk '{ print $2 }')" "$(rows sites | awk '{ n += $2 } END { print n }')"
ring=1M measure 100000
near "$shown" "$told" "$within"
verdict $? "a ring that is overwritten meanwhile: it shows $shown, the program says $told" "$(cat errors)"
same "and how much of the past it holds" 1 "$(rows captures | grep -cE 'ring of 1024K holds 0\.[0-9]+ s')"
same "no control character reaches a file" 0 "$(LC_ALL=C grep -acP '[\x00-\x08\x0b-\x1f\x7f\x9b]' batch)"
start 1000
"$top" -b -n 1 -d 0.1 -v sites -f TOOK -m 1 "$running" >batch
same "of one process, one view, filtered" "serve_request" "$(rows sites | grep -o serve_request)$(rows threads)"

limits_told() { # ARGUMENT...: how often
	"$top" -b -n 2 -d 0.1 "$@" "$running" 2>&1 >batch | grep -c -- '--limit=modules=N'
}
same "a limit that was met is told once, at the end; not otherwise" "1 0" "$(limits_told --limit=modules=1) $(limits_told)"

# ---- a terminal ----
python3 "$here/support/top_terminal.py" "$top" "$BUILD/binlog-ctl" "$running" capture
[ $? -eq 0 ] || failed=1
ends
"$top" -b -n 1 -d 0.1 capture >batch
same "when all have ended it says so" "1 0" "$(grep -c 'binlog-ctl list' batch) $(grep -c SHARE batch)"

# ---- captures that are damaged ----
# Far more is claimed than there is: nobody looks for it.
mkdir lies
cp capture/*.binlog lies/a.binlog
printf '\0\0\0\0\0\0\377\0' | dd of=lies/a.binlog bs=1 seek=32 conv=notrunc status=none
tail -f /dev/null >>lies/a.binlog &
held=$!
timeout 20 "$top" -b -n 1 -d 0.1 -v sites lies >batch 2>&1
same "a capture that lies about its size: what there is is counted" "0 1" "$? $(rows sites | grep -c serve_request)"
kill $held
wait $held 2>/dev/null

# ---- binlog-pack frees what it shows ----
start 1000000
"$BUILD/binlog-pack" -q --follow capture -o log.blog 2>errors &
follower=$!
is_freed() { [ "$(od -An -tu8 -j 240 -N 8 capture/*.binlog)" -gt 8000000 ]; }
until_true is_freed
"$top" -b -n 6 -d 0.3 -v sites capture >batch 2>>errors
ends
wait $follower
shown=$(awk '/calls\/s/ { sum += $1; n++ } END { printf "%.0f", sum / n }' batch)
near "$shown" "$(awk '{ print $2 }' said)" "$([ -n "${LONG:-}" ] && echo 1.5 || echo 5)"
verdict $? "begun when binlog-pack has freed the beginning: it shows $shown, the program says $(awk '{ print $2 }' said)" "$(cat errors)"
same "and knows the calls, by its log" serve_request "$(rows sites | grep -o serve_request | head -n 1)"

# ---- mistakes ----
says() { # SENTENCE STATUS COMMAND...: what it says, and how it ends
	"${@:3}" >told 2>&1 </dev/null
	same "$1" "$2 1" "$? $(wc -l <told)"
}
says "no such directory" 2 "$top" -b nowhere
says "no such process" 2 "$top" -b 4194305
says "no such view" 2 "$top" -b -v nothing capture
says "no such time" 2 "$top" -d 0 capture
says "two places" 2 "$top" capture capture
says "no terminal" 2 "$top" capture
"$top" -b -n 1 -d 0.1 capture >/dev/full 2>told
same "standard output that is full" "1 1" "$? $(grep -c 'No space' told)"
finish
