#!/bin/bash
# B15: no capture can be made, or not any more, since of its directory: the
# program is as natively, and binlog-run says beforehand what is wrong.
if [ -z "${IN_NAMESPACE:-}" ] && [ "$(id -u)" -eq 0 ]; then
	export IN_NAMESPACE=1
	unshare -m true 2>/dev/null && exec unshare -m bash "$0"
fi
. tests/support/lib.sh
. tests/support/nobody.sh
run=$BUILD/binlog-run
said='seq 3; printf "%s\n" error >&2; exit 5'

here_as_natively() { # SENTENCE DIRECTORY [COMMAND of whom...]
	local status
	"${@:3}" env BINLOG_DIR="$2" LD_PRELOAD="$lib" sh -c "$said" >"$TMP/out" 2>"$TMP/err"
	status=$?
	same "B15: $1: the program is as natively" "$(seq 3) error 5" "$(cat "$TMP/out") $(cat "$TMP/err") $status"
	same "B15: $1: nothing is left behind" "" "$(find "$2" -mindepth 1 2>/dev/null | head -n 3)"
}
refused() { # SENTENCE DIRECTORY WHY
	"$run" --dir="$2" sh -c "$said" >"$TMP/out" 2>"$TMP/err"
	same "B15: $1: binlog-run does not begin" 2 $?
	verdict $(($(wc -l <"$TMP/err") != 1)) "B15: $1: and says so in one line" "$(cat "$TMP/err")"
	grep -qF "$3" "$TMP/err" && grep -qF "$2" "$TMP/err"
	verdict $? "B15: $1: which names the directory and the cause" "$(cat "$TMP/err")"
	"$run" --force --dir="$2" sh -c "$said" >"$TMP/out" 2>/dev/null
	echo $? >>"$TMP/out"
	same "B15: $1: --force runs it as natively" "$(seq 3; echo 5)" "$(cat "$TMP/out")"
}

: >"$TMP/file"
here_as_natively "a file is there" "$TMP/file"
refused "a file is there" "$TMP/file" "Not a directory"
here_as_natively "nothing is there to make it in" "$TMP/none/capture"
refused "nothing is there to make it in" "$TMP/none/capture" "No such file"
ln -s nowhere "$TMP/link"
here_as_natively "a link that leads nowhere" "$TMP/link"
long=$(printf '%0255d/' {1..17})
here_as_natively "a path that is too long" "$TMP/$long"
mkdir -p "$TMP/read-only"
if mount -t tmpfs -o ro none "$TMP/read-only" 2>/dev/null; then
	here_as_natively "a file system that is read-only" "$TMP/read-only"
	refused "a file system that is read-only" "$TMP/read-only" "Read-only"
	umount "$TMP/read-only"
else
	skip "B15: a file system that is read-only: it cannot be mounted here"
fi
if [ -n "$rootless" ]; then
	mkdir -m 555 "$TMP/forbidden"
	cp "$lib" "$TMP/libbinlog.so"
	lib=$TMP/libbinlog.so here_as_natively "a directory that one may not write to" "$TMP/forbidden" as_nobody
else
	skip "B15: a directory that one may not write to: $why_not"
fi

# The working directory, in which it would be, is gone.
mkdir "$TMP/gone"
(
	cd "$TMP/gone" && rmdir "$TMP/gone"
	LD_PRELOAD=$lib sh -c "$said" >"$TMP/out" 2>"$TMP/err"
	echo $? >"$TMP/status"
)
same "B15: the working directory is gone: the program is as natively" "$(seq 3) error 5" \
	"$(cat "$TMP/out") $(grep -v getcwd "$TMP/err") $(cat "$TMP/status")"

# It vanishes while programs of the run are still to come.
script="seq 2; rm -r '$TMP/vanishing'; seq 3 4; seq 5 6; exit 7"
mkdir "$TMP/vanishing"
BINLOG_DIR=$TMP/vanishing/capture LD_PRELOAD=$lib sh -c "$script" >"$TMP/out" 2>&1
same "B15: the directory vanishes during the run: all ends as natively" 7 $?
same "B15: and what was not recorded by then is written" "$(seq 3 6)" "$(cat "$TMP/out")"
finish
