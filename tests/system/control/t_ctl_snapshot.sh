#!/bin/bash
# binlog-ctl PID|DIR snapshot OUT: copies of captures while programs write to them at full load.  Each one is read
# without a complaint, has every message of each thread from the first on, whole and once, and stays what it was.
. tests/support/lib.sh
ctl=$BUILD/binlog-ctl
build follow -O2
capture=$TMP/capture
cd "$TMP" || exit 1
say() { # as tests/victims/follow.c, recorded
	rm -rf "$capture" out
	setsid "${environment[@]}" LD_PRELOAD="$lib" BINLOG_DIR="$capture" BINLOG_MAX_SIZE=8G "$TMP/follow" "$@" >out 9>time &
	program=$!
	until_true has_begun
	sleep 0.3
}
environment=(env)
has_begun() { ls "$capture"/follow* >/dev/null; }
gone() { # with its children
	kill -KILL -- "-$program" 2>/dev/null
	wait "$program" 2>/dev/null
}
counted() { # CAPTURE...: complaints are part of it
	"$show" --raw "$@" 2>complaint | awk -f "$here/support/follow_check.awk"
	grep -v 'captured, 0 passed, 0 dropped' complaint
}
check_all() { # NAME...: what is wrong with any of them
	local copy
	for copy in "$@"; do
		counted "$copy" >counts
		grep -qE '^[0-9]+ [0-9]+$' counts && [ "$(wc -l <counts)" -eq 1 ] || { echo "$copy:"; cat counts; }
		cut -d ' ' -f 1 counts >>numbers
	done
}

# ---- at full load ----
at_load() { # ROUNDS RATE EACH: so many copies, of which one in so many is read at once
	local rounds=$1 rate=$2 each=$3 i
	say a 3 1 200000000 "$rate"
	for ((i = 1; i <= rounds; i++)); do
		"$ctl" "$program" snapshot "copy$i.binlog" >>told 2>>errors
		# Read at once, and once more when all is over.
		((i % each)) || check_all "copy$i.binlog" >>wrong
	done
	"$ctl" "$capture" snapshot copies >>told 2>>errors
	verdict $? "a directory: a copy of each capture in it" "$(cat errors)"
	"$ctl" "$capture" snapshot copy.blog >>told 2>>errors
	verdict $? "a packed log" "$(cat errors)"
	gone
	same "binlog-ctl has no complaint" "" "$(cat errors)"
	same "each of $rounds copies is whole: no message of a thread is missing before another one, or there twice" "" \
		"$(cat wrong; check_all copy*.binlog)"
	verdict $(($(sort -n numbers | tail -n 1) <= 0)) "there is something in it: from $(sort -n numbers | head -n 1) to $(sort -n numbers | tail -n 1) messages"
	same "so is that of the directory, and has its name" "$(cd "$capture" && ls) " "$(cd copies && ls) $(check_all copies)"
	same "and the packed log" "" "$(check_all copy.blog)"
	same "nothing else is left" 0 "$(find . -name '*.new*' | wc -l)"
	same "only its owner reads them" "600 600 700" "$(stat -c %a copy1.binlog copy.blog copies | paste -sd ' ')"
	[ "$(du -k copy1.binlog | cut -f 1)" -le $(($(stat -c %s copy1.binlog) / 1024 + 64)) ]
	verdict $? "where nothing is there are holes" "$(ls -ls copy1.binlog)"
	rm -rf copy* wrong numbers
}
if [ -n "${LONG:-}" ]; then
	at_load 30 1000000 3
	at_load 8 5000000 100
elif nm "$show" | grep -q __asan_; then
	at_load 6 50000 3 # it reads more slowly than they write
else
	at_load 6 500000 3
fi

# ---- of a ring ----
environment=(env BINLOG_RING=16M)
rounds=$([ -n "${LONG:-}" ] && echo 30 || echo 6)
say r 2 0 100000000 5000000
sleep 0.5
for ((i = 1; i <= rounds; i++)); do
	"$ctl" "$program" snapshot "ring$i.binlog" >>told 2>>errors
	sleep 0.05
done
"$ctl" "$program" >status
gone
same "status of a ring: how large it is, and how far back it reaches" 1 "$(grep -c '^  ring      16777216 bytes, holds all of the last [0-9.e-]* s$' status)"
for copy in ring*.binlog; do
	"$show" --raw "$copy" 2>complaint | awk '
		NF != 2 { print FILENAME "line " NR ": " $0; exit }
		$1 in last && $2 != last[$1] + 1 { print "line " NR ": " $0 ", after " last[$1]; exit }
		{ last[$1] = $2 }
		END { if (NR < 1000) print NR " lines only" }' >gaps
	[ -s gaps ] && { echo "$copy:"; cat gaps; }
	grep -v 'captured, 0 passed, 0 dropped\|the last [0-9.]* s' complaint
done >wrong
same "a ring: each copy has the newest of each thread, without a gap" "" "$(cat wrong)"
same "and no complaint" "" "$(cat errors)"
environment=(env)

# ---- a capture that has no name any more ----
say d 1 0 20000000 10000
rm "$capture"/follow*
"$ctl" "$program" snapshot deleted >told 2>errors
same "a capture that was deleted can be copied" "0 1" "$? $(ls deleted | wc -l)"
same "whole" "" "$(check_all deleted)"
says() { # SENTENCE STATUS WORDS ARGUMENTS...
	"$ctl" "${@:4}" >told 2>complaint
	same "$1" "$2 1 1" "$? $(wc -l <complaint) $(grep -c -- "^binlog-ctl: .*$3" complaint)"
}
touch there.binlog there.blog
says "a name that is there" 1 "it is there already: choose another name" "$program" snapshot there.binlog
says "likewise of a log" 1 "it is there already: choose another name" "$program" snapshot there.blog
says "no name" 2 "what it is about is missing" "$program" snapshot
says "a place that is not there" 1 "No such file" "$program" snapshot nowhere/at/all.binlog
same "what was there is as it was" "0 0" "$(stat -c %s there.binlog there.blog | paste -sd ' ')"
gone
same "what has ended can be copied, too: an empty directory has nothing" 1 "$(mkdir empty; "$ctl" empty snapshot other 2>/dev/null; echo $?)"
finish
