#!/bin/bash
# A daemon that logs by syslog: what is decoded equals what arrives at /dev/log
# when it runs natively, and recorded nothing arrives there.
. tests/support/lib.sh
unshare=(unshare --mount --net --pid --fork --kill-child --mount-proc)
if [ "$(id -u)" -ne 0 ] || ! "${unshare[@]}" true 2>"$TMP/why"; then
	skip "a daemon and its /dev/log: $(head -n 1 "$TMP/why" 2>/dev/null || echo) needs root and namespaces"
	exit 0
fi
build daemon

run() { # MESSAGES [VARIABLE=VALUE...]
	: >"$1"
	timeout -s KILL 60 "${unshare[@]}" bash "$here/victims/daemon_sandbox.sh" "$@" \
		"$TMP/daemon" >"$1.output" 2>&1 </dev/null || not_ok "the sandbox ends with $?" "$(cat "$1.output")"
}
# The date goes; pids become numbers in the order in which they appear.
normal() {
	sed -E 's/^(<[0-9]+>)[A-Z][a-z]{2} [ 0-9][0-9] [0-9:]{8} /\1/' |
		awk '{ if (match($0, /\[[0-9]+\]:/)) {
			pid = substr($0, RSTART, RLENGTH)
			if (!(pid in seen)) seen[pid] = "[P" ++n "]:"
			$0 = substr($0, 1, RSTART - 1) seen[pid] substr($0, RSTART + RLENGTH)
		} print }'
}
dated() { grep -acvE '^<[0-9]+>[A-Z][a-z]{2} [ 0-9][0-9] [0-9:]{8} [a-z]+(\[[0-9]+\])?: ' "$1"; }

run "$TMP/native"
same "the native daemon sends its messages" 159 "$(wc -l <"$TMP/native")"
same "the messages have the usual form" 0 "$(dated "$TMP/native")"
for mode in replace tee pass; do
	run "$TMP/$mode" LD_PRELOAD="$lib" BINLOG_DIR="$TMP/$mode.capture" \
		BINLOG_STREAMS=syslog=$mode
	raw syslog "$TMP/$mode.capture" >"$TMP/$mode.raw"
	same "$mode: binlog-show reads all of it" 0 $?
	normal <"$TMP/native" >"$TMP/native.normal"
	normal <"$TMP/$mode" >"$TMP/$mode.normal"
	normal <"$TMP/$mode.raw" >"$TMP/$mode.raw.normal"
	if [ $mode = pass ]; then
		same_file "$mode: nothing is recorded" /dev/null "$TMP/$mode.raw"
	else
		same_file "$mode: decoded as it would have been sent" \
			"$TMP/native.normal" "$TMP/$mode.raw.normal"
		same "$mode: the messages have the usual form" 0 "$(dated "$TMP/$mode.raw")"
	fi
	if [ $mode = replace ]; then
		same_file "$mode: nothing is sent" /dev/null "$TMP/$mode"
	else
		same_file "$mode: all of it is sent" \
			"$TMP/native.normal" "$TMP/$mode.normal"
	fi
done
# At a level: as after setlogmask() where the capture has the text in place of the log, else the log has all.
above() { awk 'match($0, /^<[0-9]+>/) && substr($0, 2, RLENGTH - 2) % 8 <= 4' "$1"; }
for mode in replace tee; do
	run "$TMP/level.$mode" LD_PRELOAD="$lib" BINLOG_DIR="$TMP/level.$mode.capture" \
		BINLOG_STREAMS=syslog=$mode BINLOG_LEVEL=warning
	same "$mode: messages of the level and above are recorded, and no others" "$(above "$TMP/native" | normal)" \
		"$(raw syslog "$TMP/level.$mode.capture" | grep -av '^newline' | normal)"
	if [ $mode = replace ]; then
		same_file "$mode: those below are not sent" /dev/null "$TMP/level.$mode"
	else
		same "$mode: those below are sent, too" "$(cat "$TMP/native.normal")" "$(normal <"$TMP/level.$mode")"
	fi
done
# In another time zone, since the date is made from it.
TZ=America/St_Johns run "$TMP/zone" LD_PRELOAD="$lib" BINLOG_DIR="$TMP/zone.capture"
said=$(raw syslog "$TMP/zone.capture" | head -n 1 | cut -c 5-19)
there=$(($(TZ=America/St_Johns date -d "$said" +%s) - $(date +%s)))
verdict $((there < -100 || there > 1)) "dates are in the daemon's time zone" "$said: $there s away"
finish
