#!/bin/bash
# What --raw --as-written says would have reached the files is what reaches them natively: for programs that do
# everything to their FILEs by which stdio decides when to write, in an order that a seed decides.
. tests/support/lib.sh
build written

# What is in one file natively, and what is said to have been written to it.
one_file() { # SEED
	rm -rf "$TMP/got"
	"$TMP/written" $1 >"$TMP/native.one" 2>&1 </dev/null
	LD_PRELOAD=$lib BINLOG_DIR=$TMP/got "$TMP/written" $1 >"$TMP/real.one" 2>&1 </dev/null
	"$show" --raw --as-written -q "$TMP/got" >"$TMP/decoded.one"
	cmp -s "$TMP/native.one" "$TMP/decoded.one" && [ ! -s "$TMP/real.one" ]
}
two_files() { # SEED
	local stream
	rm -rf "$TMP/got"
	"$TMP/written" $1 >"$TMP/native.stdout" 2>"$TMP/native.stderr" </dev/null
	LD_PRELOAD=$lib BINLOG_DIR=$TMP/got "$TMP/written" $1 >"$TMP/real.one" 2>"$TMP/real.two" </dev/null
	for stream in stdout stderr; do
		"$show" --raw --as-written -q --stream=$stream "$TMP/got" >"$TMP/decoded.one"
		cmp -s "$TMP/native.$stream" "$TMP/decoded.one" || return 1
	done
}
many() { # FUNCTION SENTENCE SEED...
	local seed wrong=
	for seed in "${@:3}"; do
		"$1" "$seed" 2>/dev/null || wrong+=" $seed"
	done
	verdict ${#wrong} "$2" "with the seeds$wrong"
}
fresh=$((RANDOM * 32768 + RANDOM))
calm() { seq "$1" "$2" | sed 's/$/ calm/'; }
mapfile -t fixed < <(calm 101 140)
mapfile -t new < <(calm $fresh $((fresh + 59)))
many one_file "stdout and stderr one file: 60 programs that change their buffers" $(seq 60)
many two_files "stdout and stderr two files: 40 of these" $(seq 61 100)
many two_files "stdout and stderr two files: 40 programs that do not" "${fixed[@]}"
many one_file "a block beyond the buffer that is recorded in parts" "793431796 calm"
many one_file "stdout and stderr one file: 60 new ones" "${new[@]}"
if [ -n "${LONG:-}" ]; then
	mapfile -t more < <(calm 1000 4999)
	many one_file "4,000 more" "${more[@]}"
fi
finish
