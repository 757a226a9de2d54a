#!/bin/bash
# D17: what a program can see of its own process is as natively: descriptors,
# mappings, threads, thread-local storage, signals, environment, limits.  With
# LONG=1 also what a start costs.
. tests/support/lib.sh
build footprint -lm
exec 9>"$TMP/natively"
natively "$TMP/native" env -i A=1 B=2 "$TMP/footprint"
exec 9>"$TMP/recorded.report"
recorded "$TMP/recorded" env -i A=1 LD_PRELOAD="$lib" B=2 BINLOG_DIR="$TMP/recorded/capture" "$TMP/footprint"
exec 9>&-
same "D17: what it prints is recorded" "$(sort "$TMP/native/stdout")" "$(sort "$TMP/recorded/stdout")"
got() { sed -n "s/^$1: *//p" "$TMP/$2"; }
# The directories of the two runs differ by name; our own variables are the only ones that are new.
common() {
	sed -E 's#^(directory: .*)/(native|recorded)/files#\1#' "$1" |
		grep -vE '^environment: (LD_PRELOAD|BINLOG_[A-Z]+)=|^mappings|^(high|open) descriptors|^SigCgt|^SigQ'
}
same "D17: errno, heap, descriptors, threads, signals, masks, timers, limits and environment are as natively" \
	"$(common "$TMP/natively")" "$(common "$TMP/recorded.report")"
verdict $(($(common "$TMP/natively" | wc -l) < 100)) "D17: $(common "$TMP/natively" | wc -l) things are compared"
more=$(($(got mappings recorded.report) - $(got mappings natively)))
verdict $((more > 16)) "D17: with 20 threads it has at most 16 more mappings: $more"
same "D17: it meets no descriptor of ours" "$(got "high descriptors" natively)" "$(got "high descriptors" recorded.report)"
more=$(($(got "open descriptors" recorded.report | tail -n 1) - $(got "open descriptors" natively | tail -n 1)))
verdict $((more > 1)) "D17: the kernel has at most one, by which the file grows: $more"
# The kernel knows of handlers that sigaction() does not show: those of the signals that kill, for the last words.
handlers() { # of SigCgt, those that are no fatal signals: ILL TRAP ABRT BUS FPE SEGV SYS
	got SigCgt "$1" | while read -r mask; do printf '%x\n' $((0x$mask & ~0x400004f8)); done
}
same "D17: the kernel has no handler of ours but for signals that kill" "$(handlers natively)" "$(handlers recorded.report)"
bytes=$(readelf -lW "$lib" | awk '$1 == "TLS" { print $6 }')
verdict $((bytes > 1024)) "D17: at most 1024 bytes of thread-local storage: $((bytes))"
same "D17: no library comes with us" "" "$(readelf -dW "$lib" | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p' | grep -vE '^(libc|ld-linux-[^/]*)\.so')"

if [ -n "${LONG:-}" ]; then
	build startup -O2
	echo 'int main(void) { return 0; }' | $CC -x c -o "$TMP/nothing" -
	for place in "$TMP" /dev/shm; do
		[ -w "$place" ] || continue
		mkdir "$place/start.$$"
		read -r alone with inert < <("$TMP/startup" 1000 "$lib" "$place/start.$$" "$TMP/nothing")
		rm -rf "${place:?}/start.$$"
		verdict $((with - alone > 1000)) \
			"D17: a start takes less than 1000 us more: $((with - alone)) in $place (inert: $((inert - alone)), alone: $alone)"
	done
fi
finish
