#!/bin/bash
# LONG=1 only: it takes minutes, and measures.
#
# B18, D19: how long a call can take while somebody writes a lot to the same
# disk.  A store to a mapped page waits for its write-back on some file systems;
# on tmpfs there is none.
. tests/support/lib.sh
build stalls -O2
seconds=${SECONDS_EACH:-60}

writes() { # DIRECTORY
	while :; do
		dd if=/dev/zero of="$1/dd" bs=1M count=256 conv=fsync 2>/dev/null
		rm -f "$1/dd"
	done
}
stalls() { # NAME DIRECTORY [MOST]: ten calls every millisecond
	local count median most high kind place
	place=$(mktemp -d "$2/binlog-stalls.XXXXXX") || return
	kind=$(stat -f -c %T "$place")
	writes "$place" &
	LD_PRELOAD=$lib BINLOG_DIR=$place/capture "$TMP/stalls" "$seconds" >/dev/null 9>"$TMP/said"
	kill %% 2>/dev/null
	wait 2>/dev/null
	read -r count median high most <"$TMP/said"
	same "B18: $1 ($kind): all of it is recorded" "$((count * 10))" "$("$show" --raw -q --stream=stdout "$place/capture" | wc -l)"
	verdict $((${most%.*} >= ${3:-100000000})) \
		"D19: $1 ($kind), dd at work: ten calls take $median us, 99.99 % $high us, at most $most us" "more than ${3:-} us"
	rm -rf "$place"
}
# 1 ms is the promise; what the scheduler of a busy machine adds is not ours.
nothing() { # the same without the library: what the machine itself does
	local count median high most
	writes "$1" &
	"$TMP/stalls" "$seconds" >/dev/null 9>"$TMP/said"
	kill %% 2>/dev/null
	wait 2>/dev/null
	rm -f "$1/dd"
	read -r count median high most <"$TMP/said"
	echo "${most%.*}"
}
floor=$(nothing /dev/shm)
stalls "a capture on tmpfs (natively at most $floor us)" /dev/shm $((1000 > 3 * floor ? 1000 : 3 * floor))
stalls "a capture on a disk" "$TMP"
finish
