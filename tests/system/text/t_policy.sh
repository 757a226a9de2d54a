#!/bin/bash
# The rules of BINLOG_STREAMS and the other variables: what is recorded, what is
# written, and that everything inside a run works as without the library.
. tests/support/lib.sh
build deep

# ---- a run's own outputs and everything else that a shell can do ----
# Each is run by a preloaded shell whose stdout is a file, a pipe, /dev/null
# and a terminal; the files that it leaves are compared, too.
commands=(
	'seq 1000 | wc -c'
	'x=$(seq 5 | tr "\n" ,); echo "<$x>"; y=`printf "%03d" 7`; printf "%s\n" "$y"'
	'seq 3 >other; echo between; seq 4 >>other; wc -l other'
	'printf "%s\n" b a c | sort | tee copy | sed s/a/A/'
	# sort: ls writes in pieces, and an unfinished line is shown on a terminal.
	'{ echo out; ls /nonexistent; } 2>&1 | sort | cat -n'
	'cat <<end; tr a-z A-Z <<<"here string"
here document
end'
	'seq 10 >/dev/full; echo "status $?"; echo x >/dev/full; echo "status $?"'
	'seq 10 >&-; echo "status $?"; printf x >&-; echo "status $?"'
	'ls /nonexistent 2>&-; echo "status $?"'
	'exec 5>&1; seq 3 >&5; echo x >&5; exec >other; seq 2; echo y; seq 2 >&5'
	'seq 3 2>&1; ls /nonexistent 2>&1; echo end'
	'seq 100000 | head -n 2; echo "${PIPESTATUS[*]}"; false | true; echo "${PIPESTATUS[*]}"'
	'perl -e "open P, q(|cat -n); print P qq(piped\n); close P; print qq(after\n); print \`echo captured\`"'
	'awk "BEGIN { print \"b\\na\" | \"sort\"; close(\"sort\"); system(\"echo by system\"); while ((\"seq 2\" | getline l) > 0) print \"got\", l; print \"x\" >\"other\" }"'
	'diff <(seq 3) <(seq 4); echo "status $?"'
	'seq 3 >/dev/null; echo quiet; cat /dev/null'
	'(cd / && pwd && seq 2); for i in 1 2; do (echo "sub $i"; exit $i); echo "status $?"; done'
	'echo "int x = __LINE__;" | cc -E -P -; echo "int main(void) { return 4; }" >p.c; cc -o p p.c; ./p; s=$?; rm p; echo "status $s"'
	'printf "all:\n\t@echo made; seq 2 >out\n\t@cat out\n" >makefile; make; sort -r out'
	'find . -maxdepth 0 -exec echo found {} \; ; echo a b | xargs -n 1 echo; env printf "%d\n" 5'
	'exit 3'
	'echo partial; kill -TERM $$; echo never'
)
export MAKEFLAGS=--no-print-directory TERM=dumb
unset MAKELEVEL MFLAGS BINLOG_STREAMS

name() { local s=${1//$'\n'/ }; echo "${s:0:60}"; }
somewhere() { rm -rf "$TMP/dir" && mkdir "$TMP/dir" && cd "$TMP/dir" || exit; }
preloaded() { rm -rf "$TMP/got"; LD_PRELOAD=$lib BINLOG_DIR=$TMP/got exec "$@"; }

in_a_pipe() { # COMMAND: recorded, and written
	(somewhere && bash -c "$1" 2>/dev/null) | cat >"$TMP/native.pipe"
	status=${PIPESTATUS[0]}
	(somewhere && preloaded bash -c "$1" 2>/dev/null) | cat >"$TMP/recorded.pipe"
	same "stdout a pipe: status of: $(name "$1")" "$status" "${PIPESTATUS[0]}"
	same_file "stdout a pipe, written: $(name "$1")" "$TMP/native.pipe" "$TMP/recorded.pipe"
	raw stdout "$TMP/got" >"$TMP/decoded"
	same_file "stdout a pipe, recorded: $(name "$1")" "$TMP/native.pipe" "$TMP/decoded"
}
in_null() { # COMMAND, whose native run is in $TMP/native
	(somewhere && preloaded bash -c "$1") >/dev/null 2>&1
	status=$?
	same "stdout /dev/null: status of: $(name "$1")" "$(cat "$TMP/native/status")" $status
	# Both are one file; in which order was not known natively.
	same "stdout /dev/null: $(name "$1")" \
		"$(cat "$TMP/native/stdout" "$TMP/native/stderr" | sort)" \
		"$(raw stdout "$TMP/got" | sort)"
}
# script starts $SHELL or, without it, /bin/sh; bash makes itself the only command
# that it is given, dash stays and says on the terminal how that command ended.
on_a_terminal() { # COMMAND: what the terminal shows, of COMMAND alone
	somewhere
	SHELL=/bin/sh timeout 20 script -qec "exec $1" /dev/null </dev/null
}
in_a_terminal() { # COMMAND: shows nothing; recorded is what it would have shown
	printf '%s\n' "$1" >"$TMP/command"
	(on_a_terminal "bash $TMP/command") | tr -d '\r' >"$TMP/native.shown"
	rm -rf "$TMP/got"
	(on_a_terminal "env LD_PRELOAD=$lib BINLOG_DIR=$TMP/got bash $TMP/command") \
		>"$TMP/recorded.shown"
	# A message that comes through a pipe in pieces is shown: t_terminal.sh.
	same "a terminal shows nothing: $(name "$1")" "" \
		"$(grep -vE '^(ls: cannot access|seq: write error)' "$TMP/recorded.shown")"
	raw stdout "$TMP/got" >"$TMP/decoded"
	same_file "stdout a terminal: $(name "$1")" "$TMP/native.shown" "$TMP/decoded"
}
for command in "${commands[@]}"; do
	compare "stdout a file: $(name "$command")" bash -c "$command"
	# There a redirection to /dev/null is to the run's own output.
	[[ $command == */dev/null* ]] || in_null "$command" 2>/dev/null
	in_a_pipe "$command"
	in_a_terminal "$command"
done

socket_run='
import os, socket, subprocess, sys
a, b = socket.socketpair()
env = dict(os.environ, LD_PRELOAD=sys.argv[1], BINLOG_DIR=sys.argv[2])
p = subprocess.Popen(["bash", "-c", "echo shell; seq 3"], stdout=b, env=env)
p.wait(); b.close()
sys.stdout.buffer.write(a.makefile("rb").read())'
got=$(python3 -c "$socket_run" "$lib" "$TMP/socket")
same "stdout a socket: nothing is sent" "" "$got"
same "stdout a socket: recorded" "$(echo shell; seq 3)" "$(raw stdout "$TMP/socket")"

# ---- BINLOG_STREAMS ----
said='echo out; ls /nonexistent; seq 3; exit 4'
natively "$TMP/native" bash -c "$said"
streams() { # MODES SENTENCE STDOUT STDERR: which of "written recorded" for each
	local stream wanted why=
	BINLOG_STREAMS=$1 recorded "$TMP/recorded" bash -c "$said"
	for stream in stdout stderr; do
		wanted=$([ $stream = stdout ] && echo "$3" || echo "$4")
		[[ $wanted == *recorded* ]] && cp "$TMP/native/$stream" "$TMP/a" || : >"$TMP/a"
		[[ $wanted == *written* ]] && cp "$TMP/native/$stream" "$TMP/b" || : >"$TMP/b"
		why+=$(diff "$TMP/a" "$TMP/recorded/$stream")
		why+=$(diff "$TMP/b" "$TMP/recorded/real.$stream")
	done
	why+=$(diff "$TMP/native/status" "$TMP/recorded/status")
	verdict ${#why} "BINLOG_STREAMS=$1: $2" "$why"
}
streams stdout=pass "stdout is left alone" written recorded
streams stderr=pass "stderr is left alone" recorded written
streams stdout=tee "stdout is recorded and written" "written recorded" recorded
streams all=pass "both are left alone" written written
streams all=tee "both are recorded and written" "written recorded" "written recorded"
streams all=tee,stderr=replace "the later item wins" "written recorded" recorded
streams stdout=replace,stderr=tee "each has its own mode" recorded "written recorded"
streams "" "empty is the default" recorded recorded
streams "nonsense,stdout" "what is not understood changes nothing" recorded recorded
got=$(LD_PRELOAD=$lib BINLOG_DIR=$TMP/replaced BINLOG_STREAMS=stdout=replace seq 3)
same "stdout=replace: nothing goes into a pipe" "" "$got"
same "stdout=replace: it is in the capture" "$(seq 3)" "$(raw stdout "$TMP/replaced")"

# ---- BINLOG_DISABLE ----
for value in 1 yes; do
	got=$(cd "$(mktemp -d "$TMP/off.XXXX")" && BINLOG_DISABLE=$value LD_PRELOAD=$lib \
		bash -c 'echo out; seq 2; echo err >&2' 2>&1; ls -A "$TMP"/off.*)
	same "BINLOG_DISABLE=$value: writes natively, makes no directory" \
		"$(echo out; seq 2; echo err)" "$got"
	rm -rf "$TMP"/off.*
done
# Children by whatever call: a process that records nothing has no memory of its own for them to find empty.
build fault_load -I.
(cd "$TMP" && ./fault_load forks >forks.natively 9>/dev/null
	BINLOG_DISABLE=1 LD_PRELOAD=$lib ./fault_load forks >forks.off 9>/dev/null)
same_file "BINLOG_DISABLE=1: children say what they say natively" "$TMP/forks.natively" "$TMP/forks.off"
BINLOG_DISABLE=0 recorded "$TMP/recorded" seq 3
same "BINLOG_DISABLE=0: recorded" "$(seq 3)" "$(cat "$TMP/recorded/stdout")"

# ---- where captures are ----
modes() { (cd "$1" && find . -printf '%y %m %P\n' | sed 's/[^ ]*\.binlog$/FILE/' | sort); }
for mask in 000 022 077 277; do
	mkdir "$TMP/here"
	(cd "$TMP/here" && umask $mask && LD_PRELOAD=$lib exec seq 3) >"$TMP/real"
	[ -s "$TMP/real" ] && [ "$(id -u)" -ne 0 ] && [ $mask = 277 ] && continue
	same "umask $mask: binlog.data has mode 0700, its file 0600" \
		"$(printf 'd 700 binlog.data\nf 600 FILE')" \
		"$(modes "$TMP/here" | grep -v ' $')"
	rm -rf "$TMP/here"
done
mkdir "$TMP/here"
(cd "$TMP/here" && LD_PRELOAD=$lib BINLOG_DIR=sub exec bash -c \
	'echo first; cd /; echo second; seq 2; (echo third); exec echo last') >"$TMP/real"
same "a relative BINLOG_DIR means the same directory in all children" \
	"$(printf 'first\nsecond\n1\n2\nthird\nlast')" "$(raw stdout "$TMP/here/sub")"
same "and nothing was written" "" "$(cat "$TMP/real")"
recorded "$TMP/recorded" bash -c '(:); (:); (exit 3); : $(:) | :; echo said'
same "children that say nothing make no file" 1 \
	"$(find "$TMP/recorded/capture" -name '*.binlog' | wc -l)"
recorded "$TMP/recorded" bash -c 'seq 2 >other; (cd / && exec seq 3); cat other'
same "an exec'd child belongs to the run: its redirection is not its output" \
	"$(seq 3; seq 2)" "$(cat "$TMP/recorded/stdout")"
touch "$TMP/a-file"
got=$(LD_PRELOAD=$lib BINLOG_DIR=$TMP/a-file/sub bash -c 'echo out; seq 2; exit 5' 2>&1; echo "status $?")
same "without a place for captures everything is written" \
	"$(echo out; seq 2; echo status 5)" "$got"

# ---- BINLOG_DEPTH ----
frames() { # DEPTH
	BINLOG_DEPTH=$1 recorded "$TMP/recorded" "$TMP/deep" 40
	"$show" --stacks -q "$TMP/recorded/capture" | grep -c descend
}
for depth in 0 1 64; do
	got=$(frames $depth)
	same "BINLOG_DEPTH=$depth: the text is right" "down here: 0" "$(cat "$TMP/recorded/stdout")"
	case $depth in
	64) same "BINLOG_DEPTH=64: all 41 functions" 41 "$got" ;;
	*) same "BINLOG_DEPTH=$depth: the call site alone" 1 "$got" ;;
	esac
done
same "by default 16 frames" 16 "$(unset BINLOG_DEPTH; frames '')"

# ---- BINLOG_MAX_SIZE ----
limited() { # SIZE SENTENCE: every line once, recorded or written, and counted
	local sum captured passed
	natively "$TMP/native" awk 'BEGIN { for (i = 0; i < 20000; i++) printf "%d of many\n", i > "/dev/stderr" }'
	BINLOG_MAX_SIZE=$1 recorded "$TMP/recorded" awk \
		'BEGIN { for (i = 0; i < 20000; i++) printf "%d of many\n", i > "/dev/stderr" }'
	cat "$TMP/recorded/stderr" "$TMP/recorded/real.stderr" >"$TMP/both"
	same_file "BINLOG_MAX_SIZE=$1: $2" "$TMP/native/stderr" "$TMP/both"
	same "BINLOG_MAX_SIZE=$1: the status" 0 "$(cat "$TMP/recorded/status")"
	sum=$("$show" "$TMP/recorded/capture" 2>&1 >/dev/null | tail -n 1)
	captured=$(echo "$sum" | sed -n 's/\([0-9]*\) captured.*/\1/p')
	passed=$(echo "$sum" | sed -n 's/.* \([0-9]*\) passed.*/\1/p')
	same "BINLOG_MAX_SIZE=$1: what was passed is counted" \
		"$(wc -l <"$TMP/recorded/stderr") $(wc -l <"$TMP/recorded/real.stderr")" \
		"$captured $passed"
}
limited 64K "what does not fit is written"
recorded_lines=$(wc -l <"$TMP/recorded/stderr")
verdict $((recorded_lines < 100 || recorded_lines > 19000)) "some of it fits" "$recorded_lines lines"
verdict $(($(stat -c %s "$TMP"/recorded/capture/*) > 65536)) "the file is no larger" \
	"$(ls -l "$TMP/recorded/capture")"
limited 1M "all of it fits"
limited 4K "nothing fits"
natively "$TMP/native" seq 100
BINLOG_MAX_SIZE=0 recorded "$TMP/recorded" seq 100
same_file "BINLOG_MAX_SIZE=0: there is no capture, everything is written" \
	"$TMP/native/stdout" "$TMP/recorded/real.stdout"
finish
