#!/bin/bash
# Formats and stacks that never repeat: bounded memory, a ring within its size, every text, at the price of a native call.
. tests/support/lib.sh
build endless -O2
n=200000 part=20000
! is_long || n=10000000
export BINLOG_MAX_SIZE=8G

# What ring and definitions may take of a file: the ring and a quarter of it, its table, and the first page.
ring_most() { echo $(($1 * 5 / 4 + 400)); }

endless() { # WAY KIND N [ENVIRONMENT...]: resident, nanoseconds: of a recorded run
	rm -rf "$TMP/capture"
	env "${@:4}" BINLOG_DIR="$TMP/capture" LD_PRELOAD="$lib" "$TMP/endless" "$1" "$2" "$3" 9>"$TMP/used" >"$TMP/real" 2>&1
	read -r resident _ <"$TMP/used"
}
natively_endless() {
	"$TMP/endless" "$1" "$2" "$3" 9>"$TMP/native.used" >"$TMP/native" 2>&1
	read -r native_resident _ <"$TMP/native.used"
}

for way in printf fprintf dprintf vprintf vwarnx warnx warn error syslog wprintf perror; do
	for kind in plain typed once; do
		[ $way$kind != perrortyped ] && [ $way$kind != perroronce ] || continue
		natively_endless $way $kind $part
		endless $way $kind $part
		if [ $way != syslog ]; then
			"$show" --raw "$TMP/capture" >"$TMP/shown" 2>"$TMP/why"
			same_file "$way, $kind: all texts as they are" "$TMP/native" "$TMP/shown"
		fi
		endless $way $kind $n
		verdict $((resident - native_resident > 32768)) "$way, $kind: bounded memory" "$resident KiB, natively $native_resident"
		endless $way $kind $n BINLOG_RING=1M
		size=$(du -sk "$TMP/capture" | cut -f 1)
		verdict $((size > $(ring_most 1024))) "$way, $kind: a ring keeps its size" "$size KiB"
		verdict $((resident - native_resident > 32768)) "$way, $kind: bounded memory with a ring" "$resident KiB"
	done
done

natively_endless stacks plain $n
endless stacks plain $n
verdict $((resident - native_resident > 32768)) "new stacks: bounded memory" "$resident KiB, natively $native_resident"
"$show" --raw "$TMP/capture" >"$TMP/shown" 2>"$TMP/why"
is_long || same_file "new stacks: all texts as they are" "$TMP/native" "$TMP/shown"
for ring in 1 4; do
	endless stacks plain $n BINLOG_RING=${ring}M
	size=$(du -sk "$TMP/capture" | cut -f 1)
	verdict $((size > $(ring_most $((ring * 1024))))) "new stacks: a ring of $ring MiB keeps its size" "$size KiB"
	"$show" --raw "$TMP/capture" 2>/dev/null | tail -n 1000 >"$TMP/shown"
	tail -n 1000 "$TMP/native" >"$TMP/wanted"
	same_file "new stacks: and has the last texts" "$TMP/wanted" "$TMP/shown"
done

# The least of some runs, taken by turns, in processor time.  Where the native call makes no system call either, both do much
# the same, and are as equal as can be measured.
if is_long; then
	for way in printf fprintf dprintf warnx syslog; do
		native=999999 recorded=999999
		for _ in 1 2 3 4 5 6 7 8 9; do
			natively_endless $way plain 1000000
			read -r _ now <"$TMP/native.used"
			[ "$now" -ge "$native" ] || native=$now
			endless $way plain 1000000
			read -r _ now <"$TMP/used"
			[ "$now" -ge "$recorded" ] || recorded=$now
		done
		verdict $((recorded * 100 > native * 105)) "$way: at most the price of a native call" "$recorded ns, natively $native"
	done
fi
finish
