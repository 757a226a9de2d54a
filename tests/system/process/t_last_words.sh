#!/bin/bash
# How programs end: what they, libc and libstdc++ say last, the signal that kills them, and everything that a program
# can learn of signals.  Natively and recorded; the text, the status and the program's own handlers have to be the same.
. tests/support/lib.sh
ulimit -c 0
build last_words -fstack-protector-all
build last_handlers
build last_status
words=$TMP/last_words

# The lines of a capture without time and process.
shown() { # [OPTION...]
	"$show" -q "$@" "$TMP/recorded/capture" 2>&1 | cut -d ' ' -f 3- | sed -E 's/^[^ ]*\[[0-9:]+\] //'
}
ends() { shown | grep '^end: '; }
# The function that an end is shown to have come from.
place() { shown --stacks | sed -n '/^end: /,$p' | sed '/ created by thread /,$d' | sed -nE 's/^ *#0 ([^ +]+)( at|\+0x[0-9a-f]+ in) .*/\1/p'; }

# ended SENTENCE WAY END [PLACE]: recorded as native, shown as an end
ended() {
	compare "$1" "$TMP/last_status" status "$words" "$2"
	same "$1: it is shown" "end: $3" "$(ends)"
	[ $# -lt 4 ] || same "$1: with its place" "$4" "$(place)"
}

# ---- what is said ----
for way in assert assert_perror assert_perror_unknown assert_without_function assert_long assert_buffered \
	smashing percent_n percent_n_stderr percent_n_descriptor percent_n_mapped percent_n_numbered \
	percent_n_then_gap gap_then_percent_n gap chk_fail stack_chk_fail; do
	ended "last words: $way" $way "killed by SIGABRT"
done
# Since glibc 2.41 it dies before it has said anything.
compare "last words: old_assert" "$TMP/last_status" status "$words" old_assert
by=$(grep -q 'status 11$' "$TMP/native/files/status" && echo 'SIGSEGV (address 0x0)' || echo SIGABRT)
same "last words: old_assert: it is shown" "end: killed by $by" "$(ends)"
for way in percent_n_constant percent_n_too_late; do
	compare "allowed: $way" "$words" $way
done
if [ -e /usr/share/locale/de/LC_MESSAGES/libc.mo ]; then
	# Of C.UTF-8 glibc translates nothing since 2.41.
	mkdir "$TMP/locale"
	localedef -i de_DE -f UTF-8 "$TMP/locale/de_DE.UTF-8" 2>"$TMP/locale.log"
	LOCPATH=$TMP/locale LC_ALL=de_DE.UTF-8 compare "an assert in the language of the user" "$words" assert_translated
	same "it is translated" 1 "$(grep -c Zusicherung "$TMP/recorded/stderr")"
else
	skip "an assert in the language of the user: libc's translations are not installed"
fi

# What libc writes to descriptor 2 by itself is taken out of the file again, and recorded.
for way in free double_free strcpy assert_wide percent_n_wide percent_n_syslog; do
	compare "libc's own: $way" "$words" $way
	same "libc's own: $way: the file is as if it had not been written" "" "$(cat "$TMP/recorded/real.stderr")"
	raw stderr "$TMP/recorded/capture" >"$TMP/said"
	same_file "libc's own: $way: and recorded" "$TMP/native/stderr" "$TMP/said"
	same "libc's own: $way: it is shown" "end: killed by SIGABRT" "$(ends)"
done
# What others have written there stays, before it, and so does libc's text if something comes after it.
said_before() { # FILE
	(exec 2>>"$1" && LD_PRELOAD=$lib BINLOG_DIR=$TMP/shared "$words" free)
}
printf 'of another\n' >"$TMP/shared.err"
said_before "$TMP/shared.err" >/dev/null
same "libc's own: other text in the file stays" "of another" "$(cat "$TMP/shared.err")"
rm -rf "$TMP/shared"
mkfifo "$TMP/shared.fifo"
cat "$TMP/shared.fifo" >"$TMP/shared.out" &
said_before "$TMP/shared.fifo" >/dev/null
wait $!
same "libc's own: in a pipe it is written" 1 "$(grep -c 'invalid pointer' "$TMP/shared.out")"
# Where the capture has no room left it stays, too: else it would be nowhere.
natively "$TMP/native" "$words" free_after_much
BINLOG_MAX_SIZE=16K recorded "$TMP/recorded" "$words" free_after_much
raw stderr "$TMP/recorded/capture" | cat - "$TMP/recorded/real.stderr" >"$TMP/said"
same_file "libc's own: with no room in the capture: it stays in the file" "$TMP/native/stderr" "$TMP/said"
if [ "$(uname -m)" = x86_64 ]; then
	recorded "$TMP/recorded" "$words" free_unseen
	same "libc's own: a file that is not the recorded one keeps it" "free(): invalid pointer" \
		"$(cat "$TMP/recorded/files/other")"
fi
for way in assert smashing percent_n_descriptor free; do
	natively "$TMP/native" "$words" $way
	BINLOG_STREAMS=all=tee recorded "$TMP/recorded" "$words" $way
	same_file "tee: $way: written as natively" "$TMP/native/stderr" "$TMP/recorded/real.stderr"
	raw stderr "$TMP/recorded/capture" >"$TMP/said"
	same_file "tee: $way: and recorded once" "$TMP/native/stderr" "$TMP/said"
	BINLOG_STREAMS=all=pass recorded "$TMP/recorded" "$words" $way
	same_file "pass: $way: written as natively" "$TMP/native/stderr" "$TMP/recorded/real.stderr"
	same "pass: $way: not recorded" "" "$(raw stderr "$TMP/recorded/capture")"
	same "pass: $way: but how it ended" "end: killed by SIGABRT" "$(ends)"
done

# ---- the signal ----
ended "abort()" abort "killed by SIGABRT" by_abort
ended "a fault" segv "killed by SIGSEGV (address 0x10)" faults
ended "a fault after half a line" segv_unfinished "killed by SIGSEGV (address 0x10)" faults
same "it is shown after that" "stdout: no newline" "$(shown | grep -v '^stderr' | head -n 1)"
ended "a fault at no address of a user" segv_far "killed by SIGSEGV" faults
ended "a jump to nowhere" jump "killed by SIGSEGV (address 0x0)" by_jump
ended "trap" trap "killed by SIGTRAP"
if [ "$(uname -m)" = x86_64 ]; then
	ended "a breakpoint" breakpoint "killed by SIGTRAP" by_breakpoint
	ended "a breakpoint at the end of a function" last_instruction "killed by SIGTRAP" ends_in_breakpoint
	ended "a fault at the beginning of one" first_instruction "killed by SIGSEGV (address 0x10)" begins_with_fault
fi
ended "raise(SIGSEGV)" raise "killed by SIGSEGV"
ended "raise(SIGABRT)" raise_abort "killed by SIGABRT"
ended "kill(SIGFPE) to itself" kill "killed by SIGFPE"
ended "kill(SIGSYS) to itself" kill_sys "killed by SIGSYS"
ended "sigqueue(SIGBUS) to itself" queue "killed by SIGBUS"
for way in segv_readonly:SIGSEGV:faults bus:SIGBUS:faults division:SIGFPE:by_division ill:SIGILL:by_ill; do
	IFS=: read -r way signal function <<<"$way"
	compare "$way" "$TMP/last_status" status "$words" "$way"
	same "$way: it is shown" "end: killed by $signal (address)" "$(ends | sed -E 's/0x[0-9a-f]+//; s/address /address/')"
	same "$way: with its place" "$function" "$(place)"
done
compare "killed by another process" "$TMP/last_status" status "$words" child
same "it is shown with the sender" "end: killed by SIGILL (sent by process N)" "$(ends | sed -E 's/[0-9]+\)/N)/')"
natively "$TMP/native" "$words" argument
recorded "$TMP/recorded" "$words" argument
same "a fault inside a recorded call: the status" "$(cat "$TMP/native/status")" "$(cat "$TMP/recorded/status")"
same "a fault inside a recorded call: it is shown" "end: killed by SIGSEGV (address 0x10)" "$(ends)"
ended "exit status" err "exited with status 3"
for way in overflow term sealed sealed_abort; do # nobody could say so
	compare "$way" "$TMP/last_status" status "$words" $way
	same "$way: nothing is shown" "" "$(ends)"
done
ended "a filter that fails leaves all as it was" not_sealed "killed by SIGSEGV (address 0x10)" faults
ended "the program that is executed" exec "killed by SIGSEGV (address 0x10)" faults

# ---- little stack, many threads, children ----
compare "an overflow of the stack, with another one for handlers" "$TMP/last_status" status "$words" overflow_altstack
same "it is shown" "end: killed by SIGSEGV (address)" "$(ends | sed -E 's/ 0x[0-9a-f]+//')"
ended "abort() on a small stack" small_abort "killed by SIGABRT" aborts
ended "a fault on a small stack" small_segv "killed by SIGSEGV (address 0x10)" faults
for room in 5000 6000 7000 8000 10000 14000; do
	compare "abort() with $room bytes of stack left" "$TMP/last_status" status "$words" low_$room
done
same "14000 are enough to record it" "end: killed by SIGABRT" "$(ends)"
for ((i = 0; i < 5; i++)); do
	for way in threads_abort threads_segv; do
		compare "$way, time $i" "$TMP/last_status" status "$words" $way
		verdict $(($(ends | grep -c 'killed by SIG') < 1)) "$way, time $i: it is shown" "$(shown)"
	done
done
compare "children of all kinds" "$TMP/last_status" status "$words" children
same "theirs are shown, but for a child of vfork" \
	"$(printf 'end: killed by %s\n' 'SIGSEGV (address 0x10)' SIGABRT 'SIGSEGV (address 0x10)' 'SIGSEGV (address 0x10)')" \
	"$(ends)"

# ---- with core files ----
for way in abort assert free smashing segv segv_far ill breakpoint raise kill children threads_segv; do
	for how in native recorded; do
		rm -rf "$TMP/core"
		mkdir "$TMP/core"
		(cd "$TMP/core" && ulimit -c unlimited && [ $how = native ] || export LD_PRELOAD=$lib
			BINLOG_DIR=$TMP/core-capture exec "$TMP/last_status" "$TMP/$how.status" "$words" $way) >/dev/null 2>&1
	done
	same "with core files: $way" "$(cat "$TMP/native.status")" "$(cat "$TMP/recorded.status")"
done
rm -rf "$TMP/core" "$TMP/core-capture"

# ---- what the program does about signals, and what it sees ----
for way in queries segv abort nested_abort assert returning ignored blocked once altstack jumps saved caught children; do
	compare "own handlers: $way" "$TMP/last_status" status "$TMP/last_handlers" $way
done
same "the program has seen something" 1 "$(($(wc -l <"$TMP/recorded/stdout") > 50))"
for way in segv:SIGSEGV altstack:SIGSEGV abort:SIGABRT nested_abort:SIGABRT ignored:SIGABRT saved:SIGFPE; do
	recorded "$TMP/recorded" "$TMP/last_handlers" "${way%:*}"
	same "what comes after the default action is back: ${way%:*}" "end: killed by ${way#*:}" "$(ends)"
done
for way in free messages; do
	natively "$TMP/native" "$TMP/last_handlers" $way
	recorded "$TMP/recorded" "$TMP/last_handlers" $way
	same_file "__abort_msg and handlers: $way" "$TMP/native/stdout" "$TMP/recorded/stdout"
	same "__abort_msg and handlers: $way: the status" "$(cat "$TMP/native/status")" "$(cat "$TMP/recorded/status")"
done
for ((i = 0; i < 3; i++)); do
	compare "threads that set handlers, time $i" "$TMP/last_status" status "$TMP/last_handlers" threads
done
recorded "$TMP/recorded" grep SigCgt /proc/self/status
verdict "$(grep -c 'SigCgt.*[1-9a-f]' "$TMP/recorded/stdout" | sed 's/1/0/; t; s/.*/1/')" \
	"handlers of ours are in place" "$(cat "$TMP/recorded/stdout")"

# ---- BINLOG_SIGNALS ----
export BINLOG_SIGNALS=0
compare "BINLOG_SIGNALS=0: the kernel knows of no handler" grep SigCgt /proc/self/status
compare "BINLOG_SIGNALS=0: a fault" "$TMP/last_status" status "$words" segv
same "BINLOG_SIGNALS=0: it is not shown" "" "$(ends)"
ended "BINLOG_SIGNALS=0: abort()" abort "killed by SIGABRT" by_abort
ended "BINLOG_SIGNALS=0: assert" assert "killed by SIGABRT" by_assert
export BINLOG_SIGNALS=all
ended "BINLOG_SIGNALS=all: SIGTERM" term "killed by SIGTERM"
compare "BINLOG_SIGNALS=all: own handlers" "$TMP/last_status" status "$TMP/last_handlers" queries
compare "BINLOG_SIGNALS=all: children" "$TMP/last_status" status "$TMP/last_handlers" children
compare "BINLOG_SIGNALS=all: a pipe that nobody reads" bash -c 'yes | head -n 1; echo "${PIPESTATUS[@]}"'
unset BINLOG_SIGNALS

# ---- C++ ----
if type -P g++ >/dev/null; then
	g++ -g -O1 -w -o "$TMP/last_exception" "$here/victims/last_exception.cc" -pthread || exit 1
	for way in error number unknown terminate; do
		for how in '' noexcept thread handler; do
			compare "C++: $way $how" "$TMP/last_status" status "$TMP/last_exception" $way $how
			same "C++: $way $how: it is shown" "end: killed by SIGABRT" "$(ends)"
		done
	done
else
	skip "C++ exceptions: g++ is not installed"
fi
finish
