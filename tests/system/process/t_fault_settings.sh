#!/bin/bash
# D6: the k-th system call of the library fails, for every k, where settings have it do more than its defaults: a ring
# with triggers, files of settings and of rules, log files, handlers for all signals, another unwinder.
. tests/support/lib.sh
. tests/support/accounts.sh
. tests/support/faults.sh

most=60
[ -z "${LONG:-}" ] || most=400
places() { # SENTENCE WAY MODE [INJECTION...]
	local n
	n=$(number_of_calls "$2" "$3" "${@:4}")
	n=$((n < most ? n : most))
	[ -n "${LONG:-}" ] || step=$((n / 20 + 1))
	every "$1: a system call fails once" "$2" "$3" 1 "$n" "${@:4}"
	every "$1: it and all that follow" "$2" "$3" 2 "$n" -a "${@:4}"
}

cat >"$TMP/conf" <<'END'
depth = 8
signals = all
redact = usual
[rules]
format "double*" level debug; format "none*" redact password hash
program fault_load thread worker* depth 2
format "none*" mark one
format "neither*" trigger since one over 1s
stream stderr func none drop
END
(
	export BINLOG_RING=256K BINLOG_TRIGGER=exit,signal,kill,all
	places "D6: a ring that waits" calls replace
	BINLOG_CONFIG=$TMP/conf places "D6: a ring and rules" children replace
	exit $failed
) || failed=1
(
	export BINLOG_CONFIG=$TMP/conf
	prepare() {
		mkdir -m 700 "$run/capture"
		(umask 077 && printf 'level = all\n[rules]\nformat "puts*" level notice\n' >"$run/capture/control.conf")
	}
	places "D6: files of settings" calls replace
	places "D6: handlers of all signals" handler replace
	exit $failed
) || failed=1
places "D6: log files" streams replace
places "D6: log files, also written" streams tee
BINLOG_UNWINDER=libunwind places "D6: the other unwinder" calls replace
BINLOG_SIGNALS=all BINLOG_MAX_SIZE=64K places "D6: a small capture" calls replace
finish
