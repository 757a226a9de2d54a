#!/bin/bash
# B15: no capture can be made, or not any more, in the directory that was asked
# for: it goes elsewhere, where it is found again; where nothing is left the
# program is as natively.  binlog-run says beforehand what is wrong.
if [ -z "${IN_NAMESPACE:-}" ] && [ "$(id -u)" -eq 0 ]; then
	export IN_NAMESPACE=1
	unshare -m true 2>/dev/null && exec unshare -m bash "$0"
fi
. tests/support/lib.sh
. tests/support/nobody.sh
run=$BUILD/binlog-run
said='seq 3; printf "%s\n" error >&2; exit 5'

# What is in /tmp is this test's own, so that it can be taken away.
own=
if [ "$(id -u)" -eq 0 ] && [ -n "${IN_NAMESPACE:-}" ] && [ "${BUILD#/tmp/}" = "$BUILD" ] && mkdir -p "$TMP/keep" && mount --bind "$TMP" /mnt 2>/dev/null; then
	mount -t tmpfs -o mode=1777 none /tmp && mkdir -p "$TMP" && mount --move /mnt "$TMP" && own=yes
fi
state=$TMP/state
mkdir "$state"

ended() { echo "$(cat "$TMP/out") $1"; } # STATUS
# Those that were written where nobody has asked for them.
elsewhere() { find "$state" /tmp/binlog-* -mindepth 2 -name '*.binlog' 2>/dev/null; }
forget() { rm -rf "$state"/* /tmp/binlog-"$(id -u)" /tmp/binlog-65534; }

natively_here() { # SENTENCE DIRECTORY: no place is left
	local status
	env -u XDG_STATE_HOME BINLOG_DIR="$2" LD_PRELOAD="$lib" sh -c "$said" >"$TMP/out" 2>"$TMP/err"
	status=$?
	same "B15: $1: the program is as natively" "$(seq 3) error 5" "$(cat "$TMP/out") $(cat "$TMP/err") $status"
	same "B15: $1: nothing is left behind" "" "$(find "$2" -mindepth 1 2>/dev/null | head -n 3)"
}
goes_elsewhere() { # SENTENCE DIRECTORY [COMMAND of whom...]
	local status
	forget
	"${@:3}" env XDG_STATE_HOME="$state" BINLOG_DIR="$2" LD_PRELOAD="$lib" sh -c "$said" >"$TMP/out" 2>"$TMP/err"
	status=$?
	same "B15: $1: the program does not see it" " 5" "$(cat "$TMP/out" "$TMP/err") $status"
	verdict $(($(elsewhere | wc -l) < 1)) "B15: $1: it is recorded elsewhere"
	same "B15: $1: and nothing is left in the directory" "" "$(find "$2" -mindepth 1 2>/dev/null | head -n 3)"
	same "B15: $1: only its user can look at it" "" "$(elsewhere | xargs -r dirname | sort -u | while read -r directory; do
		find "$directory/.." "$directory" -maxdepth 0 -perm /077
	done)"
}
reads() { # SENTENCE DIRECTORY: what is there is found by the name that was asked for
	XDG_STATE_HOME=$state "$show" --raw "$2" >"$TMP/out" 2>"$TMP/err"
	same "B15: $1: binlog-show finds it all" "$(seq 3; echo error)" "$(cat "$TMP/out")"
	same "B15: $1: and says so in one line" 1 "$(grep -c 'read as well: the directory that was asked for could not be written to' "$TMP/err")"
}
refused() { # SENTENCE DIRECTORY WHY
	"$run" --dir="$2" sh -c "$said" >"$TMP/out" 2>"$TMP/err"
	same "B15: $1: binlog-run does not begin" 2 $?
	verdict $(($(wc -l <"$TMP/err") != 1)) "B15: $1: and says so in one line" "$(cat "$TMP/err")"
	grep -qF "$3" "$TMP/err" && grep -qF "$2" "$TMP/err"
	verdict $? "B15: $1: which names the directory and the cause" "$(cat "$TMP/err")"
	forget
	XDG_STATE_HOME=$state "$run" --force --dir="$2" sh -c "$said" >"$TMP/out" 2>"$TMP/err"
	same "B15: $1: --force records it elsewhere" " 5" "$(ended $?)"
	grep -q "$3.*: choose a directory with --dir: meanwhile they go to $state/binlog/" "$TMP/err"
	verdict $? "B15: $1: and says where" "$(cat "$TMP/err")"
}

: >"$TMP/file"
goes_elsewhere "a file is there" "$TMP/file"
refused "a file is there" "$TMP/file" "Not a directory"
goes_elsewhere "nothing is there to make it in" "$TMP/none/capture"
reads "nothing is there to make it in" "$TMP/none/capture"
reads "a path with slashes behind it" "$TMP/none/capture///"
refused "nothing is there to make it in" "$TMP/none/capture" "No such file"
ln -s nowhere "$TMP/link"
goes_elsewhere "a link that leads nowhere" "$TMP/link"
reads "a link that leads nowhere" "$TMP/link"
long=$(printf '%0255d/' {1..17})
goes_elsewhere "a path that is too long" "$TMP/$long"
mkdir -p "$TMP/read-only"
if mount -t tmpfs -o ro none "$TMP/read-only" 2>/dev/null; then
	goes_elsewhere "a file system that is read-only" "$TMP/read-only"
	reads "a file system that is read-only" "$TMP/read-only"
	refused "a file system that is read-only" "$TMP/read-only" "Read-only"
	# Nobody has asked for a directory.
	forget
	for way in env "$run"; do
		(
			cd "$TMP/read-only" || exit
			preload=
			[ "$way" = "$run" ] || preload=$lib
			export XDG_STATE_HOME=$state
			LD_PRELOAD=$preload "$way" sh -c "$said" >"$TMP/out" 2>"$TMP/err"
			same "B15: a working directory that is read-only, by ${way##*/}: the program does not see it" " 5" "$(ended $?)"
			if [ "$way" = "$run" ]; then
				grep -q "^binlog-run: $TMP/read-only/binlog.data: .*Read-only.*: meanwhile they go to $state/binlog/" "$TMP/err"
				verdict $? "B15: by binlog-run: which says where it goes" "$(cat "$TMP/err")"
			fi
			"$show" --raw >"$TMP/out" 2>/dev/null
			same "B15: by ${way##*/}: binlog-show without a path finds it" "$(seq 3; echo error)" "$(cat "$TMP/out")"
		)
		forget
	done
	umount "$TMP/read-only"
else
	skip "B15: a file system that is read-only: it cannot be mounted here"
fi
mkdir "$TMP/full"
if mount -t tmpfs -o size=64k none "$TMP/full" 2>/dev/null; then
	head -c 1M /dev/zero >"$TMP/full/filler" 2>/dev/null
	forget
	XDG_STATE_HOME=$state BINLOG_DIR=$TMP/full LD_PRELOAD=$lib sh -c "$said" >"$TMP/out" 2>&1
	same "B15: a full disk: the program does not see it" " 5" "$(ended $?)"
	reads "a full disk" "$TMP/full"
	umount "$TMP/full"
else
	skip "B15: a full disk: it cannot be mounted here"
fi
if [ -n "$rootless" ]; then
	mkdir -m 555 "$TMP/forbidden"
	cp "$lib" "$TMP/libbinlog.so"
	mkdir "$TMP/keep/state"
	state=$TMP/keep/state lib=$TMP/libbinlog.so
	chmod 777 "$state"
	goes_elsewhere "a directory that one may not write to" "$TMP/forbidden" as_nobody
	state=$TMP/state lib=$BUILD/libbinlog.so
else
	skip "B15: a directory that one may not write to: $why_not"
fi

# /tmp is everybody's.
if [ -n "$own" ]; then
	place=/tmp/binlog-$(id -u)
	into_tmp() {
		env -u XDG_STATE_HOME BINLOG_DIR="$TMP/none/x" LD_PRELOAD="$lib" sh -c "$said" >"$TMP/out" 2>"$TMP/err"
	}
	forget
	into_tmp
	same "B15: without XDG_STATE_HOME it goes to /tmp" " 5" "$(ended $?)"
	same "B15: to a directory of this user alone" "700 $(id -u)" "$(stat -c '%a %u' "$place")"
	(umask 0; forget; into_tmp)
	same "B15: whatever the umask is" "700" "$(stat -c %a "$place")"
	(umask 777; forget; into_tmp)
	same "B15: however it is" "700" "$(stat -c %a "$place")"
	chmod 755 "$place"
	env -u XDG_STATE_HOME "$show" --raw -q "$TMP/none/x" >"$TMP/out" 2>/dev/null
	same "B15: binlog-show reads nothing that others could have a look at" "" "$(cat "$TMP/out")"
	for plant in "mkdir -m 777" "mkdir -m 750" "ln -s $TMP/target" "mkfifo" "touch" "theirs"; do
		rm -rf "$place" "$TMP/target"
		mkdir -m 700 "$TMP/target"
		if [ "$plant" = theirs ]; then
			mkdir -m 700 "$place"
			chown 65534 "$place" 2>/dev/null || continue
		else
			$plant "$place"
		fi
		natively_here "in /tmp somebody has made: $plant" "$TMP/none/x"
		same "B15: $plant: nothing is written there" "" "$(find "$place" "$TMP/target" -mindepth 1)"
	done
	rm -rf "$place"
	# What somebody else has put there for us is not read.
	mkdir -m 700 "$TMP/real"
	BINLOG_DIR=$TMP/real LD_PRELOAD=$lib echo forged
	env -u XDG_STATE_HOME BINLOG_DIR="$TMP/none/x" LD_PRELOAD="$lib" true
	name=$(cd "$place" && echo *)
	rm -rf "$place"
	mkdir -m 755 "$place" && cp -r "$TMP/real" "$place/$name" && chown -R 65534 "$place"
	env -u XDG_STATE_HOME "$show" --raw "$TMP/none/x" >"$TMP/out" 2>/dev/null
	same "B15: nothing that another user has put there is read" "2 " "$? $(cat "$TMP/out")"
	rm -rf "$place"
	mount -t tmpfs -o remount,ro none /tmp
	natively_here "/tmp is read-only, too" "$TMP/none/x"
	"$run" --force --dir="$TMP/none/x" sh -c "$said" >"$TMP/out" 2>"$TMP/err"
	status=$?
	same "B15: then --force runs it as natively" "$(seq 3) 5" "$(ended $status)"
	mount -t tmpfs -o remount,rw none /tmp
else
	skip "B15: what others have made in /tmp: it cannot be made this test's own"
fi

# A state directory that is relative has no meaning (XDG Base Directory Specification).
forget
XDG_STATE_HOME=state BINLOG_DIR=$TMP/none/x LD_PRELOAD=$lib sh -c "$said" >"$TMP/out" 2>&1
verdict "$([ ! -e state ]; echo $?)" "B15: XDG_STATE_HOME that is relative is passed over"
forget

# The working directory, in which it would be, is gone.
mkdir "$TMP/gone"
(
	cd "$TMP/gone" && rmdir "$TMP/gone"
	XDG_STATE_HOME=$state LD_PRELOAD=$lib sh -c "$said" >"$TMP/out" 2>"$TMP/err"
	echo $? >"$TMP/status"
)
same "B15: the working directory is gone: the program does not see it" " 5" \
	"$(cat "$TMP/out" "$TMP/err" | grep -v getcwd) $(cat "$TMP/status")"
verdict $(($(elsewhere | wc -l) < 1)) "B15: the working directory is gone: it is recorded elsewhere"

# It vanishes while programs of the run are still to come.
forget
script="seq 2; rm -r '$TMP/vanishing'; seq 3 4; seq 5 6; exit 7"
mkdir "$TMP/vanishing"
XDG_STATE_HOME=$state BINLOG_DIR=$TMP/vanishing/capture LD_PRELOAD=$lib sh -c "$script" >"$TMP/out" 2>&1
same "B15: the directory vanishes during the run: all ends as natively" 7 $?
same "B15: and what was not recorded by then is recorded elsewhere" "$(seq 3 6)" \
	"$(cat "$TMP/out"; XDG_STATE_HOME=$state "$show" --raw -q "$TMP/vanishing/capture" 2>/dev/null)"
finish
