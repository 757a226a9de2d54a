#!/bin/bash
# Every function that the library replaces, called from every context: what is
# decoded, what was returned, errno and all files are as they are natively.
. tests/support/lib.sh
contexts="main constructor thread threadexit signal fork exec dlopen atexit"

cd "$TMP" || exit 1
# What no header declares is called, too: gcc 14 takes that for an error.
flags="-std=gnu11 -D_GNU_SOURCE -O0 -g -w -Wno-error=implicit-function-declaration -fPIC -fno-builtin -U_FORTIFY_SOURCE"
$CC $flags -c "$here/snippets/snippets.c" "$here/snippets/dependency.c" \
	"$here/snippets/contexts.c" &&
	$CC -shared -Wl,-Bsymbolic -o libdependency.so snippets.o dependency.o &&
	cp libdependency.so plugin.so &&
	$CC -o contexts contexts.o snippets.o -L. -Wl,--no-as-needed -ldependency \
		-Wl,-rpath,"$TMP" -pthread -ldl || exit 1
export PLUGIN=$TMP/plugin.so

rows() { # FILE MACRO...: the second or first argument of each use
	sed 's/^#.*//' "$1" | $CC -E -P -x c "${@:2}" - | sed -n 's/^ROW //p'
}
all_rows=$(rows <(cat "$here"/../wrappers/*functions.def) -D'PLAIN(r,n,...)=ROW n' \
	-D'VARIADIC(r,n,...)=ROW n' -D'PLAIN_VOID(n,...)=ROW n' \
	-D'VARIADIC_VOID(n,...)=ROW n' -D'QUICK_VOID(n,...)=ROW n' \
	-D'HAND_ON(n,...)=ROW n' \
	-D'INPUT(r,n,...)=ROW n' \
	-D'INPUT_VARIADIC(r,n,...)=ROW n' -D'QUICK(r,n,...)=ROW n' \
	-D'QUICK_VARIADIC(r,n,...)=ROW n' \
	-D'QUICK_CHARACTER(r,n,...)=ROW n')
exported=$(nm -D --defined-only "$lib" | awk '$2 ~ /[TW]/ { print $3 }' | sort)
same "every exported function is a row of functions.def, and the reverse" \
	"$exported" "$(echo "$all_rows" | sort)"
with_snippet=$(rows <(cat "$here"/snippets/*.def) -D'SNIPPET(n,...)=ROW n' | sort -u)
same "every row of functions.def has a snippet, and the reverse" \
	"$(echo "$all_rows" | sort)" "$with_snippet"
called=$(nm -u snippets.o | awk '{ print $2 }' | sort | comm -12 - <(echo "$with_snippet"))
same "every snippet calls its function by that name" "$with_snippet" "$called"

# What syslog() sends is told by the snippets: a native run would disturb the
# machine's own log.  All other functions run natively, too.
syslog_functions=$(echo "$with_snippet" | grep log)

# Runs functions one after the other, each in a process and a directory of its
# own below DIR; their outputs go to DIR.stdout and DIR.stderr.
run_each() { # DIR CONTEXT FUNCTIONS [VARIABLE=VALUE...]
	local function
	rm -f "$1.stdout" "$1.stderr"
	if [ -n "$append" ]; then
		exec 5>>"$1.stdout" 6>>"$1.stderr"
	else
		exec 5>"$1.stdout" 6>"$1.stderr"
	fi
	for function in $3; do
		mkdir -p "$1/$function"
		(cd "$1/$function" && export _= "${@:4}" &&
			exec "$TMP/contexts" "$function" "$2") \
			>&5 2>&6 5>&- 6>&- 9>"$1/$function/results" </dev/null \
			7>>run/expected.stderr 8>>run/expected.syslog
		echo "status $?" >>"$1/$function/results"
	done
	exec 5>&- 6>&-
}
undated() { sed -E 's/^(<[0-9]+>)[A-Z][a-z]{2} [ 0-9][0-9] [0-9:]{8} /\1/'; }

# All of a group are recorded into one capture directory.
record_group() { # CONTEXT FUNCTIONS
	local stream
	rm -rf run
	mkdir run
	touch run/{expected,native}.{stdout,stderr,syslog}
	run_each "$TMP/run/recorded" "$1" "$2" LD_PRELOAD="$lib" \
		BINLOG_DIR="$TMP/run/capture"
	for stream in stdout stderr syslog; do
		[ -s run/recorded.$stream ] && echo "$stream was written to"
		raw $stream run/capture 2>&1 >run/recorded.$stream
	done
}
complain_native() { # CONTEXT FUNCTIONS
	local stream
	record_group "$@"
	run_each "$TMP/run/native" "$@"
	for stream in stdout stderr syslog; do
		diff -a run/native.$stream run/recorded.$stream
	done
	diff -ar run/native run/recorded
}
run_both() { # CONTEXT FUNCTIONS SETTING...: recorded with that, and natively
	rm -rf run
	mkdir run
	touch run/expected.{stderr,syslog}
	run_each "$TMP/run/recorded" "$1" "$2" LD_PRELOAD="$lib" \
		BINLOG_DIR="$TMP/run/capture" "${@:3}"
	run_each "$TMP/run/native" "$1" "$2"
}
# Where all is written, too.
complain_tee() { # CONTEXT FUNCTIONS
	local stream
	run_both "$@" BINLOG_STREAMS=all=tee
	for stream in stdout stderr; do
		diff -a run/native.$stream run/recorded.$stream
		raw $stream run/capture 2>&1 | diff -a run/native.$stream -
	done
	diff -ar run/native run/recorded
}
complain_syslog() { # CONTEXT FUNCTIONS
	local stream
	record_group "$@"
	undated <run/recorded.syslog | diff -a run/expected.syslog -
	for stream in stdout stderr; do
		diff -a run/expected.$stream run/recorded.$stream
	done
	grep -h status run/recorded/*/results | grep -vx 'status [07]'
}
# A capture without room for any record: all is passed.
complain_full() { # CONTEXT FUNCTIONS
	local stream
	run_both "$@" BINLOG_MAX_SIZE=4096
	for stream in stdout stderr; do
		diff -a run/native.$stream run/recorded.$stream
		raw $stream run/capture
	done 2>&1
	diff -ar run/native run/recorded
}
# One that becomes full: what is recorded and then what is written.  A process
# more may find it full while others have room: whole lines in another order.
complain_filling() { # CONTEXT FUNCTIONS
	local function stream how order holes bytes=0
	for function in $2; do
		rm -rf run
		mkdir -p run/{native,recorded}
		bytes=$(((bytes + 677) % 2800 + 1))
		for how in native recorded; do
			run_alone "$TMP/run/$how" "$function" "$1" $bytes
		done
		order=cat
		grep -qx "$function" <<<"$with_children" && order=sort
		# what is written at an offset leaves a hole for what was recorded
		holes=cat
		[[ $function != *pwrite* ]] || holes='tr -d \0'
		for stream in stdout stderr; do
			raw $stream run/capture 2>&1 |
				cat - run/recorded/$stream | $holes | $order >run/both
			$holes <run/native/$stream | $order | diff -a - run/both
			rm run/{native,recorded}/$stream
		done
		diff -ar run/native run/recorded
	done
}
run_alone() { # DIR FUNCTION CONTEXT BYTES: in DIR, with its outputs there
	local preload=()
	[ "${1##*/}" = native ] || preload=(LD_PRELOAD="$lib"
		BINLOG_DIR="$TMP/run/capture" BINLOG_MAX_SIZE=8192)
	(cd "$1" && export _= "${preload[@]}" &&
		exec "$TMP/contexts" "$2" "$3" "$4") </dev/null \
		>"$1/stdout" 2>"$1/stderr" 7>>run/expected.stderr \
		8>>run/expected.syslog 9>"$1/results"
	echo "status $?" >>"$1/results"
}
with_children=$(awk '/^SNIPPET/ { split($0, word, /[(,]/) }
	/CHILD\(|[fF]ork|clone|daemon|syscall/ { print word[2] }' "$here"/snippets/*.def)
check() { # HOW CONTEXT FUNCTIONS: when something is wrong, finds out where
	local function bad=''
	if [ -n "$(complain_"$1" "$2" "$3" | tr -d '\0')" ]; then
		for function in $3; do
			complain_"$1" "$2" "$function" >why
			[ -s why ] || continue
			bad+=" $function"
			{
				echo "$function in $2:"
				head -n 10 why | cut -c 1-160 | sed 's/^/  /'
			} >>whys
		done
		[ -n "$bad" ] || bad=" only when run together"
	fi
	verdict ${#bad} "$1: all functions in context $2${append:+, $append}" \
		"different:$bad"
}
append=""
for context in $contexts; do
	check native "$context" "$(echo "$with_snippet" | grep -v log)"
	check syslog "$context" "$syslog_functions"
done
# README.md says what is not recorded.
check tee main "$(echo "$with_snippet" | grep -vE 'log|splice|rcmd')"
text=$(echo "$with_snippet" | grep -v log)
if [ -n "${LONG:-}" ]; then
	for context in $contexts; do
		check full "$context" "$text"
		check filling "$context" "$text"
	done
else
	check full main "$text"
	check filling main "$(grep -E 'printf|put|write|tell|seek' <<<"$text")"
fi
append="outputs opened for appending"
check native main "$(echo "$with_snippet" | grep -E 'printf|write|send|splice|copy')"
[ -e whys ] && head -n 60 whys | tr -d '\0'
finish
