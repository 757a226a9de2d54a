#!/bin/bash
# What glibc prints by itself, past every function that could be replaced: getopt, argp, psignal, fmtmsg and their like.
# Recorded they leave nothing behind (see also t_snippets.sh); written, too, or passed, they leave what they do natively.
. tests/support/lib.sh

# ---- every such function, in the two modes in which the snippets are not tried ----
$CC -std=gnu11 -D_GNU_SOURCE -O0 -g -w -Wno-error=implicit-function-declaration -fno-builtin -U_FORTIFY_SOURCE -o "$TMP/contexts" \
	"$here/snippets/snippets.c" "$here/snippets/contexts.c" -pthread -ldl 2>/dev/null || exit 1
functions=$(sed -n '/^\/\* ---- what glibc prints/,/^\/\* ---- syslog/p; /^\/\* ---- error/,/^$/p' \
	wrappers/functions.def | sed -nE 's/^(PLAIN|VARIADIC)\([^,]*, ([a-z_]*),.*/\2/p
		s/^(PLAIN|VARIADIC)_VOID\(([a-z_]*),.*/\2/p')
count=$(echo "$functions" | wc -l)
verdict $((count < 35)) "functions.def has $count functions of this kind" "$functions"

run_all() { # DIR COMMAND...: each in a directory below DIR
	local function
	rm -rf "$1"
	for function in $functions; do
		mkdir -p "$1/$function/files"
		(cd "$1/$function/files" && BINLOG_DIR=$1/$function/capture exec "${@:2}" "$function" main) \
			>"$1/$function/stdout" 2>"$1/$function/stderr" 9>"$1/$function/results" </dev/null
		echo "status $?" >>"$1/$function/results"
		mkdir -p "$1/$function/capture"
		raw stdout "$1/$function/capture" >"$1/$function/said.stdout" 2>/dev/null
		raw stderr "$1/$function/capture" >"$1/$function/said.stderr" 2>/dev/null
	done 2>/dev/null
}
differing() { # DIR: what is not as natively
	local function part
	for function in $functions; do
		for part in stdout stderr results; do
			cmp -s "$TMP/native/$function/$part" "$1/$function/$part" || echo "$function: $part"
		done
	done | grep -v '^malloc_.*: stderr' # it tells of the buffers of stdio, too
}
unsaid() { # DIR: what was written but not recorded
	local function part
	for function in $functions; do
		for part in stdout stderr; do
			cmp -s "$1/$function/$part" "$1/$function/said.$part" || echo "$function: $part"
		done
	done
}
run_all "$TMP/native" "$TMP/contexts"
run_all "$TMP/tee" env LD_PRELOAD="$lib" BINLOG_STREAMS=all=tee "$TMP/contexts"
run_all "$TMP/pass" env LD_PRELOAD="$lib" BINLOG_STREAMS=all=pass "$TMP/contexts"
same "with tee all of them write as natively" "" "$(differing "$TMP/tee")"
# Others are not to wait for a text until the network has answered.
same "with tee all of them are recorded, but rcmd and rexec" "rcmd: stderr
rcmd_af: stderr" "$(unsaid "$TMP/tee")"
same "with pass all of them write as natively" "" "$(differing "$TMP/pass")"
same "with pass nothing is recorded" "" "$(find "$TMP/pass" -name 'said.*' -size +0)"

# ---- what else may happen meanwhile ----
build internal
compare "a program whose exit handlers print after argp's help" "$TMP/internal" handlers --help
compare "a program whose exit handlers print after argp's complaint" "$TMP/internal" handlers --nonsense
compare "a function that jumps out of argp's help" "$TMP/internal" jump
compare "a jump out of argp's help, then a message, then SIGKILL" "$TMP/internal" jump kill
compare "help of 3,000,000 bytes" "$TMP/internal" large 3000000
compare "a wide stderr" "$TMP/internal" wide
compare "getopt while another thread holds stderr" "$TMP/internal" locked
compare "parsers that put another file in the place of stderr" "$TMP/internal" redirect
compare "parsers that choose other FILEs for argp" "$TMP/internal" other
compare "argp within argp" "$TMP/internal" nested
compare "a child forked by a parser" "$TMP/internal" fork
compare "a buffer that stderr has of its own" "$TMP/internal" buffered
if [ -e /dev/log ]; then
	skip "fmtmsg to the console: a native run would be in this machine's log"
else
	compare "fmtmsg to the console, that is to syslog" "$TMP/internal" console
fi
for how in kill _exit; do
	natively "$TMP/native" "$TMP/internal" last "$how"
	recorded "$TMP/recorded" "$TMP/internal" last "$how"
	same_file "argp's complaint is there when an exit handler ends by $how" \
		"$TMP/native/stderr" "$TMP/recorded/stderr"
done
natively "$TMP/native" "$TMP/internal" killed
BINLOG_STREAMS=all=tee recorded "$TMP/recorded" "$TMP/internal" killed
same_file "what a parser of argp prints is written at once, with tee" \
	"$TMP/native/stderr" "$TMP/recorded/real.stderr"
same_file "and recorded, with tee" "$TMP/native/stderr" "$TMP/recorded/stderr"

# What has no room in the lent buffer is written: nothing is lost.
natively "$TMP/native" "$TMP/internal" large 9000000
recorded "$TMP/recorded" "$TMP/internal" large 9000000
cat "$TMP/recorded/real.stdout" "$TMP/recorded/stdout" >"$TMP/both"
same_file "help of 9,000,000 bytes is partly written, partly recorded" "$TMP/native/stdout" "$TMP/both"

# Four threads and a signal handler at once: each line whole, none lost.
natively "$TMP/native" "$TMP/internal" threads
recorded "$TMP/recorded" "$TMP/internal" threads
for part in stdout stderr; do
	sort "$TMP/native/$part" | grep -v signal >"$TMP/wanted"
	sort "$TMP/recorded/$part" | grep -v signal >"$TMP/got"
	same_file "threads that print while glibc does, $part" "$TMP/wanted" "$TMP/got"
	same "of these nothing was written, $part" "" "$(head -n 3 "$TMP/recorded/real.$part")"
done
finish
