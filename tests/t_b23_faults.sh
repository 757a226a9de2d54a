#!/bin/bash
# D6, B23b: a system call of the library fails, the k-th of them, once or from
# then on, for every k: the program says what it says natively, each line is
# written or recorded, once, and captured + passed + dropped are its calls.
. tests/lib.sh
. tests/accounts.sh
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
fault() { # WAY MODE INJECTION...: prints what is wrong
	local way=$1 mode=$2 status streams="all=$2"
	natively_said "$way"
	[ "$way" != streams ] || streams="file:file*.log=$mode,$streams"
	rm -rf "$run"
	mkdir -p "$run/files"
	(cd "$run/files" && BINLOG_DIR=$run/capture BINLOG_STREAMS=$streams exec timeout -s KILL 60 "$TMP/fault_injector" -l "$run/log" \
		"${@:3}" "$lib" "$load" "$way" >../stdout 2>../stderr 9>../calls </dev/null)
	status=$?
	[ $status -eq 3 ] || echo "it ended with $status"
	said_files "$run" >"$run/real"
	account "$mode" "$TMP/native.$way" "$run/real" "$run/capture" "$(cat "$run/calls")"
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
ways=calls
most=40
[ -z "${LONG:-}" ] || ways=${WAYS:-calls long threads forks handler streams children exhausted}
[ -z "${LONG:-}" ] || most=${MOST:-200}
for mode in replace tee; do
	for way in $ways; do
		n=$(number_of_calls $way $mode)
		n=$((n < most ? n : most))
		every "D6, B23b: the k-th system call fails once" $way $mode 1 $n
		[ -n "${LONG:-}" ] || step=2
		every "D6, B23b: the k-th and all that follow fail" $way $mode 1 $n -a
		step=1
	done
	every "D6: the disk is full in a child right after fork" children $mode 1 2 -a -c -s madvise -e EFAULT
	every "D6: the same once" children $mode 1 2 -c -s madvise -e EFAULT
	every "D6: nothing can be mapped in children" forks $mode 1 2 -a -c -s mprotect -e ENOMEM
	every "D6: no descriptor is left, and the disk is full, in a signal handler" exhausted $mode 1 2 -a -s madvise -e EFAULT
	every "D6: a long text meets a full disk in its middle" long $mode 3 7 -a -s madvise -e EFAULT
	every "D6: the same for a moment" long $mode 3 7 -s madvise -e EFAULT
done
why=$(fault exhausted replace)
verdict ${#why} "D6: no descriptor is left when a handler says the first thing" "$why"

# The checks themselves.
fault calls replace -k 1000 >/dev/null
cp "$TMP/decoded" "$TMP/whole"
sed 5d "$TMP/whole" >"$TMP/less"
why=$(judge replace "$TMP/native.calls" /dev/null "$TMP/less" 400 '400 captured, 0 passed, 0 dropped')
verdict $((!${#why})) "a line that is lost would be found"
why=$(judge replace "$TMP/native.calls" "$TMP/less" "$TMP/whole" 400 '400 captured, 0 passed, 0 dropped')
verdict $((!${#why})) "a line that is there twice would be found"
why=$(judge replace "$TMP/native.calls" /dev/null "$TMP/whole" 401 '400 captured, 0 passed, 0 dropped')
verdict $((!${#why})) "a call that is not counted would be found"
finish
