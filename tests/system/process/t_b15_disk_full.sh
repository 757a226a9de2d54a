#!/bin/bash
# B15, D7: the disk of the capture is full: no SIGBUS, no SIGXFSZ, nothing
# lost, nothing said twice, and all of it counted.
# In a mount namespace of its own, so that nothing mounted here outlives it.
if [ -z "${IN_NAMESPACE:-}" ]; then
	export IN_NAMESPACE=1
	if [ "$(id -u)" -eq 0 ]; then options=-m; else options=-Urm; fi
	unshare $options true 2>/dev/null && exec unshare $options bash "$0"
fi
. tests/support/lib.sh
. tests/support/accounts.sh
build disk_full
mkdir "$TMP/disk"

with() { # PROBLEM MODE LINES WAY: one run on the disk; prints what is wrong
	local status
	rm -rf "$TMP/disk/capture" "$XDG_STATE_HOME"
	"$TMP/disk_full" nothing "$3" "$TMP" >"$TMP/native" 2>"$TMP/native.err" 9>/dev/null
	cat "$TMP/native.err" >>"$TMP/native"
	BINLOG_DIR=$TMP/disk/capture BINLOG_STREAMS=all=$2 LD_PRELOAD=$lib timeout -s KILL 60 \
		"$TMP/disk_full" "$4" "$3" "$TMP/disk" >"$TMP/real.out" 2>"$TMP/real.err" 9>"$TMP/calls"
	status=$?
	[ $status -eq 3 ] || echo "it ended with $status"
	cat "$TMP/real.out" "$TMP/real.err" >"$TMP/real"
	account "$2" "$TMP/native" "$TMP/real" "$TMP/disk/capture" "$(cat "$TMP/calls")"
}
check() { # SENTENCE MODE LINES WAY [WANTED of the sum]
	local why
	why=$(with "$@")
	[ -z "${5:-}" ] || grep -qE "$5" "$TMP/sum" || why+="not as wanted: $(cat "$TMP/sum")"
	verdict ${#why} "$kind: $1, $2" "$why"
}
take_all_but() { # KIB: fills the disk but for so much
	rm -rf "$TMP/disk/capture" "$XDG_STATE_HOME"
	dd if=/dev/zero of="$TMP/disk/taken" bs=64k 2>/dev/null
	sync -f "$TMP/disk"
	[ "$1" -eq 0 ] || truncate -s -"$1"K "$TMP/disk/taken"
	sync -f "$TMP/disk"
}
give_back() { rm -f "$TMP/disk/taken"; sync -f "$TMP/disk"; }

on_disk() { # LINES: of which three times as many fill more than half of it
	local lines=$1 room keep
	for mode in replace tee; do
		check "filled after some was mapped, and room later" $mode "$lines" fill '[1-9][0-9]* passed'
		check "less room than what is said" $mode $((lines * 3)) nothing '[1-9][0-9]* passed'
		check "filled and emptied meanwhile" $mode "$lines" race
		take_all_but 0
		check "full from the beginning: elsewhere, or counted" $mode 100 nothing '^(303 captured, 0 passed|0 captured)'
		give_back
		take_all_but 200
		check "200 KiB are left" $mode 300 nothing
		give_back
	done
	check "there is room" replace 100 nothing ' 0 passed'
	with - replace $((lines * 3)) nothing >/dev/null
	room=$(df --output=avail "$TMP/disk" | tail -n 1)
	keep=$(($(df --output=size "$TMP/disk" | tail -n 1) / 32))
	verdict $((room < keep * 3 / 4)) "$kind: about a 32nd of the disk stays free for others" "$room KiB, $keep KiB"
	with - replace "$lines" fill >/dev/null
	"$show" "$TMP/disk/capture" >/dev/null 2>"$TMP/complaint"
	same "$kind: what was passed is no damage" "0 $(cat "$TMP/sum")" "$? $(cat "$TMP/complaint")"
}

kind="B15, D7, tmpfs of 1 MB"
if mount -t tmpfs -o size=1m none "$TMP/disk" 2>/dev/null; then
	on_disk 400
	umount "$TMP/disk"
else
	skip "$kind: it cannot be mounted here"
fi
kind="B15, D7, ext4 of 16 MB"
truncate -s 16M "$TMP/image"
if ! type -P mkfs.ext4 >/dev/null || ! mkfs.ext4 -q -F -b 4096 "$TMP/image" 2>/dev/null; then
	skip "$kind: there is no mkfs.ext4"
elif mount -o loop "$TMP/image" "$TMP/disk" 2>"$TMP/why"; then
	on_disk 6000
	umount "$TMP/disk"
else
	skip "$kind: it cannot be mounted here: $(head -n 1 "$TMP/why")"
fi
finish
