#!/bin/bash
# binlog-show --follow: what programs say is shown once and in order while they
# say it, of a directory and of one capture, with all filters and styles.  What
# is compared with are the numbers that the programs count, and what is shown of
# the same captures when all is over.
. tests/support/lib.sh
build follow -O2
cd "$TMP" || exit 1
export BINLOG_STREAMS=all=replace
capture=$TMP/capture

fresh() { rm -rf "$capture" "$TMP"/seen*; }
say() { # as tests/victims/follow.c, recorded
	LD_PRELOAD=$lib BINLOG_DIR=$capture exec "$TMP/follow" "$@" >out 9>/dev/null
}
follow() { # NAME ARGUMENT...: in the background, as $follower
	[ -p "$1" ] || : >"$1" # what is there of one before is not waited for
	: >"$1.err"
	"$show" --follow "${@:2}" "$capture" >"$1" 2>"$1.err" & follower=$!
}
stop() { # [SIGNAL]
	kill -"${1:-INT}" "$follower" 2>/dev/null
	wait "$follower"
}
counts() { [ "$(grep -c . "$1")" -ge "$2" ]; } # FILE LINES
has() { grep -q -- "$2" "$1"; } # FILE PATTERN
# The clock is known better at the end, by some nanoseconds.
timeless() { sed -E 's/^[0-9-]+ [0-9:.]+ //; s/"time(_ns)?":[^,]*,//g' "$@"; }
has_capture() { compgen -G "$capture/follow-$1-*.binlog" >/dev/null; } # PID
in_order() { awk -f "$here/support/follow_check.awk" "$1"; }

# A job in a script would not be interrupted: the shell has it ignore that.
set -m

# ---- a directory, from before it is there ----
fresh
follow seen --raw --lines=all
until_true has seen.err 'waiting for one'
same "a directory that is not there yet is waited for, and it says so" \
	"$capture: No such file or directory: waiting for one" "$(cat seen.err)"
(say a 3 2 4000 60000) & first=$!
until_true has seen '^a.0 100$'
(say b 2 0 4000 60000)
wait "$first"
until_true counts seen 44000
same "every line of 11 threads in 4 processes is shown once, in order" "44000 11" "$(in_order seen)"
(say c 1 0 10)
until_true counts seen 44010
same "a program that begins when all others have ended is followed, too" "44010 12" "$(in_order seen)"
stop
same "^C ends it with status 0 and no word" "0 1" "$? $(wc -l <seen.err)"

# ---- where it begins ----
follow seen
until_true counts seen 10
sleep 0.2
stop TERM
same "SIGTERM ends it likewise" 0 $?
same "the last ten lines come first" "$("$show" -q --lines=10 "$capture" | timeless)" "$(timeless seen)"
follow seen -n 3
until_true counts seen 3
sleep 0.2
stop
same "or as many as --lines says" "$("$show" -q --lines=3 "$capture" | timeless)" "$(timeless seen)"
# From a moment on at which nobody said anything.
from=$("$show" -q "$capture" | awk '/ b.0 0$/ { print $1, substr($2, 1, 11) }')
follow seen --since="$from"
until_true has seen 'c.0 9$'
stop
same "or all since --since" \
	"$("$show" -q --since="$from" "$capture" | timeless | sort)" "$(timeless seen | sort)"
follow seen --lines=0
sleep 0.3
(say d 1 0 5)
until_true counts seen 5
stop
same "or none of those that were said before" "5" "$(grep -c 'd.0 [0-4]$' seen)"

# ---- one capture ----
fresh
(say e 1 0 300 1000) & program=$!
until_true has_capture "$program"
"$show" --follow --lines=all --raw "$capture"/*.binlog >seen 2>seen.err
same "of one capture it ends with the program" "0 300 1" "$? $(in_order seen)"
grep -q 'its program has ended$' seen.err
verdict $? "and says so" "$(cat seen.err)"
wait "$program"
(say k 1 0 1000000 20000) & program=$!
until_true has_capture "$program"
"$show" -f -n all --raw "$capture"/follow-"$program"-*.binlog >seen 2>seen.err & follower=$!
until_true has seen '^k.0 500$'
kill -KILL "$program"
wait "$follower"
same "what a program has said that was killed is shown to its end" \
	"$("$show" -q --raw "$capture"/follow-"$program"-*.binlog | tail -n 1)" "$(tail -n 1 seen)"

# ---- filters, styles and columns ----
fresh
options=('--grep=7$' '--where=arg3>290' '--columns=program,thread,level,message'
	'--output=timeline --columns=core,message' '--format=%s*' '--around=.1.150$ --context=2' '--stacks --depth=2'
	'-p info --function=printf' '--caller=say -L' '--file=follow.c' '--output=json')
is_same() { timeless "$1" >"$1.timeless"; cmp -s "$1.timeless" "$2.timeless"; }
followers=()
for i in "${!options[@]}"; do
	# shellcheck disable=SC2086
	follow "seen$i" --lines=all --quiet ${options[i]}
	followers+=("$follower")
done
(say g 2 0 300 2000)
sleep 0.2
for i in "${!options[@]}"; do
	# shellcheck disable=SC2086
	"$show" --quiet ${options[i]} "$capture" >"wanted$i" 2>/dev/null
	timeless "wanted$i" >"wanted$i.timeless"
	until_true counts "seen$i" "$(wc -l <"wanted$i")"
	[ -s "wanted$i" ] && is_same "seen$i" "wanted$i"
	verdict $? "with ${options[i]} it shows what is shown afterwards" \
		"$(diff "wanted$i.timeless" "seen$i.timeless")"
done
kill -INT "${followers[@]}"
wait "${followers[@]}"

# ---- with somebody else who reads, and frees what was read ----
fresh
follow seen --raw --lines=all
"$BUILD/binlog-pack" -q --follow "$capture" -o log.blog 2>/dev/null & packer=$!
until_true has seen.err 'waiting for one'
(say h 2 1 40000 80000)
wait "$packer"
sleep 0.2
stop
# Only who waits a second for a processor comes too late, and says so.
[ "$(in_order seen)" = "160000 4" ] || grep -qE 'records are missing|block is a copy' seen.err
verdict $? "beside binlog-pack --follow nothing is missing unless it says so" "$(in_order seen; cat seen.err)"

fresh
"$BUILD/binlog-pack" -q --follow "$capture" -o late.blog 2>/dev/null & packer=$!
(say l 1 0 100000000 200000) & program=$!
until_true test -s late.blog
has_freed() { # it was, when this began
	"$show" -q "$capture" 2>&1 >/dev/null | grep -q 'has packed the rest'
}
until_true has_freed
follow seen
until_true has seen.err 'has freed its beginning.*read its log'
verdict $? "what was packed and freed before is not followed, and it says so" "$(cat seen.err)"
stop
kill -KILL "$program"
wait "$packer" "$program" 2>/dev/null

# ---- captures that are gone, and others in their place ----
fresh
follow seen --raw --lines=all
for i in 1 2 3 4 5; do
	(say "i$i" 1 0 20)
	until_true counts seen $((i * 20))
	"$BUILD/binlog-ctl" clean "$capture" >/dev/null
done
stop
same "captures are removed while it runs, and new ones shown all the same" "100 5" "$(in_order seen)"

# ---- who reads ----
fresh
(say j 1 0 1000000 1000) & program=$!
"$show" -f -n all "$capture" 2>/dev/null | head -n 1 >seen
same "it ends when nobody reads any more" 1 "$(wc -l <seen)"
(
	trap '' HUP
	exec "$show" -f -n 1 -q "$capture"
) >seen & follower=$!
until_true counts seen 1
kill -HUP "$follower"
shown=$(wc -l <seen)
until_true counts seen $((shown + 1000))
kill "$follower"
wait "$follower"
verdict $((shown + 1000 > $(wc -l <seen))) "with nohup it goes on when the terminal has gone" "$(wc -l <seen)"
kill -STOP "$program"
until_true grep -q '^State:	T' "/proc/$program/status"
follow seen --lines=3
until_true counts seen 3
sleep 0.2
stop
same "of one that goes on the last lines come first, too" \
	"$("$show" -q --lines=3 "$capture" | timeless)" "$(timeless seen)"
mkfifo pipe
(exec "$show" -f -q "$capture") >pipe 2>/dev/null & follower=$!
head -n 2 pipe >/dev/null
until_true has_ended "$follower"
verdict $? "also while nothing is said"
kill -KILL "$program"
wait "$program" 2>/dev/null
set +m

# ---- what cannot be followed ----
refused() { # WORDS ARGUMENT...
	local said status
	said=$(timeout 5 "$show" --follow "${@:2}" 2>&1 >/dev/null)
	status=$?
	[ "$status" -eq 2 ] && [ "$(wc -l <<<"$said")" = 1 ] && [[ $said == *"$1"* ]]
	verdict $? "${*:2} with --follow: $1" "$status: $said"
}
refused 'newest line last' --reverse
refused 'leave out --as-written' --raw --as-written
refused 'leave out --follow' --processes
refused 'leave out --follow' --output=captures
refused 'one directory or capture' "$capture" "$TMP"
refused 'not a capture' "$here/support/lib.sh"
refused 'check the path' "$TMP/not_there.binlog"

# ---- what it costs ----
if [ -n "${LONG:-}" ]; then
	cat >clocked.c <<'C'
	#include <stdio.h>
	#include <time.h>
	#include <unistd.h>
	int main(void)
	{
		for (int i = 0; i < 200; i++) {
			struct timespec now;
			clock_gettime(CLOCK_REALTIME, &now);
			printf("%ld.%09ld\n", now.tv_sec, now.tv_nsec);
			usleep(31000 + i * 100);
		}
	}
C
	$CC -D_GNU_SOURCE -w -o clocked clocked.c || exit 1
	fresh
	follow pipe --raw --lines=all
	LD_PRELOAD=$lib BINLOG_DIR=$capture ./clocked & program=$!
	late=$(python3 -c '
import sys, time
late = sorted(time.time() - float(line) for line in open("pipe"))
print("%.0f" % (late[-10] * 1e3), "%.0f" % (late[len(late) // 2] * 1e3))' & sleep 10; stop >&2; wait)
	echo "# milliseconds until a line is seen, nearly always and mostly: $late"
	[ "${late% *}" -lt 50 ]
	verdict $? "a message is seen within 50 ms" "$late"
	fresh
	(say l 1 0 1000000 10) & program=$!
	follow seen
	sleep 10
	ticks=$(awk '{ print $14 + $15 }' "/proc/$follower/stat")
	kill "$follower" "$program"
	echo "# of 10 s it took $ticks hundredths of processor time"
	[ "$ticks" -le 10 ]
	verdict $? "to follow takes no more than 1 % of a processor" "$ticks"
fi
# ---- damage ----
fresh
(say m 3 0 20000 60000) # slowly, so that threads are there at one time
cp "$capture"/*.binlog sound.binlog
rm "$capture"/*
damage() { # NAME: a copy of sound.binlog in the directory
	python3 - "$1" sound.binlog "$capture/$1.binlog" <<'EOF'
import struct, sys
what, source, target = sys.argv[1:]
bytes_ = bytearray(open(source, "rb").read())
blocks = [at for at in range(4096, len(bytes_), 4096)
          if bytes_[at:at + 4] == b"BLBK" and bytes_[at + 8:at + 16] == bytes_[16:24]]
def put(at, word): bytes_[at:at + 4] = struct.pack("<I", word)
second = next(at for at in blocks if struct.unpack_from("<I", bytes_, at + 28)[0] == 1)
other = next(at for at in blocks if bytes_[at + 24:at + 28] != bytes_[second + 24:second + 28])
if what == "magic": put(second, 1)
if what == "size": put(second + 4, 12288)
if what == "large": put(blocks[0] + 4, 1000000)
if what == "writer": bytes_[second + 24:second + 28] = bytes_[other + 24:other + 28]
if what == "sequence": put(second + 28, 1000)
if what == "ring": put(second + 28, 0x80000001)
if what == "twice": put(second + 28, 2)
if what == "copy": bytes_[second:second + 88] = bytes_[blocks[0]:blocks[0] + 88]
if what == "nonce": put(16, 1)
if what == "next": put(32, second)
if what == "published": bytes_ = bytes_[:second + 5000]
open(target, "wb").write(bytes_)
EOF
}
damage_told() { grep -vE 'its program has ended$|^[0-9]+ captured,' "$1" | sort; }
for what in magic size large writer sequence ring twice copy nonce next published; do
	damage $what
	"$show" "$capture/$what.binlog" >wanted 2>wanted.err
	status=$?
	"$show" --follow --lines=all "$capture/$what.binlog" >seen 2>seen.err
	same "a damaged capture that is at rest ($what): the same status" $status $?
	[ -s wanted ] && cmp wanted seen && [ "$(damage_told wanted.err)" = "$(damage_told seen.err)" ]
	verdict $? "and the same messages and damage" "$(damage_told wanted.err; echo; damage_told seen.err)"
done
finish
