# For tests of system calls that fail: a program says what it says while those
# of the library fail, and each line is written or recorded, once.  After
# tests/support/lib.sh and tests/support/accounts.sh; ends the test where ptrace is not allowed.
# BINLOG_... variables are the caller's.
# shellcheck shell=bash
build fault_injector
build fault_load
load=$TMP/fault_load
run=$TMP/run

said_files() { cat "$1"/stdout "$1"/stderr "$1"/files/*.log 2>/dev/null; }
natively_said() { # WAY: into $TMP/native.WAY
	[ -e "$TMP/native.$1" ] && return
	mkdir -p "$TMP/native/files"
	(cd "$TMP/native/files" && exec "$load" "$1" >../stdout 2>../stderr 9>/dev/null)
	said_files "$TMP/native" >"$TMP/native.$1"
	rm -r "$TMP/native"
}
# With a ring: what it has overwritten counts as never said.  It says how much
# that is, and all of it was said before what is left.
overwritten() { # WAY CALLS: 0 if nothing is; natively what is left was said, by so many calls, into $TMP/left
	local bytes
	: >"$TMP/left"
	bytes=$("$show" --all "$run/capture" 2>&1 >/dev/null | sed -n 's/.* s: \(.*\) MB of what was said before were overwritten$/\1/p')
	[ -e "$TMP/order.$1" ] || "${in_order[@]}" "$load" "$1" >"$TMP/order.$1" 2>&1 9>/dev/null
	"$show" --raw "$run/capture" 2>/dev/null | awk -v bytes="${bytes:-0}" -v calls="$2" -v left="$TMP/left" '
		FNR == 1 { file++ }
		file == 1 { said[FNR] = $0; number[$0] = FNR; first = FNR + 1; last = FNR; next }
		file == 2 { written[$0]; next }
		number[$0] < first { first = number[$0] }
		END {
			for (i = 1; i <= last; i++)
				if (i < first && !(said[i] in written)) lost++; else print said[i] >left
			print calls - lost, (lost * 8 <= bytes * 1e6 ? "" : lost " are not there, but " bytes " MB overwritten")
		}' "$TMP/order.$1" "$run/real" -
}
in_order=(stdbuf -o0)
prepare() { :; } # what is there before a run; a test may have its own
fault() { # WAY MODE INJECTION...: prints what is wrong
	local way=$1 mode=$2 status streams="all=$2" calls natively why
	natively_said "$way"
	[ "$way" != streams ] || streams="file:file*.log=$mode,$streams"
	rm -rf "$run" "$XDG_STATE_HOME"
	mkdir -p "$run/files"
	prepare
	(cd "$run/files" && BINLOG_DIR=$run/capture BINLOG_STREAMS=$streams exec timeout -s KILL 60 "$TMP/fault_injector" -l "$run/log" \
		"${@:3}" "$lib" "$load" "$way" >../stdout 2>../stderr 9>../calls </dev/null)
	status=$?
	[ $status -eq 3 ] || echo "it ended with $status"
	said_files "$run" >"$run/real"
	calls=$(cat "$run/calls")
	natively=$TMP/native.$way
	if [ -n "${BINLOG_RING:-}" ]; then
		read -r calls why <<<"$(overwritten "$way" "$calls")"
		[ -z "$why" ] || echo "$why"
		natively=$TMP/left
	fi
	account "$mode" "$natively" "$run/real" "$run/capture" "$calls"
}
number_of_calls() { # WAY MODE INJECTION...: how many can fail
	fault "$@" >/dev/null
	sed -n 's/^counted //p' "$run/log"
}
step=1
every() { # SENTENCE WAY MODE FROM TO INJECTION...
	local k why bad=0 failures=0 whys=''
	for ((k = $4; k <= $5; k += step)); do
		why=$(fault "$2" "$3" -k $k "${@:6}")
		failures=$((failures + $(grep -c ^failed "$run/log")))
		[ -n "$why" ] || continue
		bad=$((bad + 1))
		[ $bad -gt 3 ] || whys+="$k: $(grep failed "$run/log"): $why"$'\n'
	done
	[ $failures -gt 0 ] || whys="nothing has failed"
	verdict $((bad + !failures)) "$1: $2, $3, $((($5 - $4) / step + 1)) places" "$bad: $whys"
}

if ! "$TMP/fault_injector" "$lib" true 2>/dev/null; then
	skip "B23b: system calls cannot be made to fail here: ptrace is not allowed"
	finish
fi
