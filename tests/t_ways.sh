#!/bin/bash
# Every way to an output past stdio: system calls by their numbers, asynchronous writes, copies that the kernel makes, what
# opens, copies, closes, cuts or makes room; natively and recorded, the output a file, one that is appended to, and a pipe.
# And what comes to the file by a way that nobody sees is told at the end.
. tests/lib.sh
build ways -w
ways='sys_write sys_writev sys_transfers sys_descriptors sys_file sys_open sys_leave sys_execute asynchronous list at_offsets
	pipes allocate flags vectors shared apart words'

run() { # DIR HOW WAY [VARIABLE=VALUE...]: in DIR; its stdout is a file, one that is appended to, or a pipe
	local dir=$1
	rm -rf "$dir"
	mkdir -p "$dir/files"
	echo "was there" >"$dir/out"
	(
		cd "$dir/files" || exit
		set -- "$2" env "${@:4}" timeout -s KILL 60 "$TMP/ways" "$3"
		case $1 in
		file) "${@:2}" >"$dir/out" ;;
		append) "${@:2}" >>"$dir/out" ;;
		both) "${@:2}" 1<>"$dir/out" ;;
		pipe) "${@:2}" | cat >"$dir/out"; exit "${PIPESTATUS[0]}" ;;
		esac
	) 2>"$dir/err" </dev/null
	echo $? >>"$dir/files/results"
}
recorded_run() { # DIR HOW WAY
	run "$1" "$2" "$3" LD_PRELOAD="$lib" BINLOG_DIR="$1/capture"
	mv "$1/out" "$1/real"
	"$show" --raw --as-written --stream=stdout "$1/capture" >"$1/out" 2>"$1/told"
}
in_mode() { # HOW WAY
	local n=$TMP/n r=$TMP/r why
	run "$n" "$1" "$2"
	recorded_run "$r" "$1" "$2"
	case $1 in
	pipe) why=$(cmp "$n/out" "$r/real" 2>&1) ;;
	append) why=$(echo "was there" | cmp - "$r/real" 2>&1; echo "was there" | cat - "$r/out" >"$r/all"; mv "$r/all" "$r/out") ;;
	*) why=$(cat "$r/real") ;;
	esac
	why+=$(cmp "$n/out" "$r/out" 2>&1; diff -ar "$n/files" "$r/files"; cat "$r/told")
	verdict ${#why} "$2, to a $1: recorded is what it writes natively" "$why"
}
for way in $ways; do
	for how in file append pipe; do
		in_mode $how "$way"
	done
done

# ---- what nobody sees ----
unseen() { # HOW WAY BYTES...: so many are told of, each by one sentence, and they are in the file
	recorded_run "$TMP/r" "$1" "$2"
	same "$2, to a $1: what was not seen is told" "$(printf '%s\n' "${@:3}")" \
		"$(sed -n 's/.*is missing: it came to the file itself.*(bytes \([0-9]*\)).*/\1/p' "$TMP/r/told")"
}
for how in file append; do
	unseen $how instruction 7
	verdict $((!$(grep -c "^unseen" "$TMP/r/real"))) "instruction, to a $how: it is in the file"
	unseen $how quick 7
	unseen $how in_child 7 10
	unseen $how cuts 7
	unseen $how nothing
done
same "what is not told of is not there" "" "$(cat "$TMP/r/told")"

own() { # MODES: both outputs in one file
	(cd "$TMP" && BINLOG_STREAMS=$1 LD_PRELOAD=$lib BINLOG_DIR=$TMP/own "$TMP/ways" executes >"$TMP/out" 2>&1)
	"$show" --raw "$TMP/own" 2>&1 >/dev/null | sed -n 's/.*text of \(.*\) is missing.*(bytes \([0-9]*\)).*/\1 \2/p'
	rm -rf "$TMP/own" "$TMP/results"
}
same "both outputs are one file: told once, before the program is another" "both outputs 7" "$(own '')"
same "an output that is written, too, is not told of" "" "$(own all=tee)"
same "nor one that is left alone while the other is not" "" "$(own stdout=pass)"
BINLOG_CONFIG=
recorded "$TMP/r" bash -c "echo said; env -u LD_PRELOAD echo plain; echo said"
"$show" --raw "$TMP/r/capture" >"$TMP/out" 2>"$TMP/told"
same "what a program says that is not recorded is told of at the end of one that is" "(bytes 6)" \
	"$(grep -o '(bytes [0-9]*)' "$TMP/told")"
finish
