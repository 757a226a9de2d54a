#!/bin/bash
# Directories of captures that others can write to, own, or prepare: captures are new files that only their user may
# read, wherever that is; nothing else is written, read or waited for, and the program is as natively.
. tests/support/lib.sh
. tests/support/nobody.sh
if [ "$(id -u)" -ne 0 ] || [ -z "$rootless" ]; then
	skip "directories that others can write to: only root can make them here${why_not:+: $why_not}"
	exit 0
fi
build two_halves
wanted() { # THREADS
	"$TMP/two_halves" "$1" </dev/null | sort
}
wanted 1 >"$TMP/want1"
wanted 2 >"$TMP/want2"

# Records it, with COMMAND in between its halves; sets $status.
recorded_in() { # DIRECTORY THREADS [COMMAND...]
	local child
	rm -f "$TMP/go"
	mkfifo "$TMP/go"
	timeout 60 env LD_PRELOAD="$lib" BINLOG_DIR="$1" "$TMP/two_halves" "$2" <"$TMP/go" >"$TMP/written" 2>"$TMP/errors" &
	child=$!
	exec 5>"$TMP/go"
	if [ $# -gt 2 ]; then
		until_true has_captures "$1"
		"${@:3}"
	fi
	exec 5>&-
	wait $child
	status=$?
}
has_captures() { [ -n "$(find "$1" -name '*.binlog' -size +0)" ]; } # DIRECTORY
# Each line was recorded or written, once.
nothing_is_lost() { # SENTENCE THREADS CAPTURE...
	{
		"$show" --raw -q "${@:3}" 2>/dev/null
		cat "$TMP/written"
	} | sort >"$TMP/got"
	same "$1: the program ends as natively" 7 "$status"
	same_file "$1: each line is recorded or written" "$TMP/want$2" "$TMP/got"
}
only_ours() { # SENTENCE DIRECTORY: what is new there
	same "$1: captures are their user's alone" "600 root" "$(stat -c '%a %U' "$2"/*.binlog | sort -u)"
	as_nobody sh -c 'cat "$1"/*' - "$2" >"$TMP/read" 2>/dev/null
	same "$1: nobody else can read them" 0 "$(grep -c "the first half" "$TMP/read")"
}

# ---- whose directory it is ----
chmod 755 "$TMP"
secret() { # what is not to be changed
	rm -f "$TMP/secret"
	echo "a secret" >"$TMP/secret"
	chmod 600 "$TMP/secret"
}
is_secret() { same "$1: what it would lead to is as it was" "a secret 600" "$(cat "$TMP/secret") $(stat -c %a "$TMP/secret")"; }
shared() { # SENTENCE PREPARE...: commands for $place
	local threads trace=$TMP/trace
	place=$TMP/place
	for threads in 1 2; do
		rm -rf "$place"
		mkdir -m 755 "$place"
		"${@:2}"
		recorded_in "$place" $threads
		nothing_is_lost "$1, $threads threads" $threads "$place"
		[ $threads = 1 ] || continue
		only_ours "$1" "$place"
	done
	rm -rf "$place"
	mkdir -m 755 "$place"
	"${@:2}"
	LD_PRELOAD=$lib BINLOG_DIR=$place strace -f -o "$trace" -e trace=truncate "$TMP/two_halves" 2 </dev/null >/dev/null 2>&1
	by_path=$(grep -c '[ ]truncate(' "$trace")
}
if ! strace -o /dev/null true 2>/dev/null; then
	skip "what is done by a path: strace does not work here"
fi
shared "a directory of one's own" true
[ "$by_path" -gt 0 ]
verdict $? "a directory of one's own: a capture is lengthened by its path"
for kind in "everybody's:1777" "writable for all:777" "writable for its group:775" "with the bit for the group:2770"; do
	shared "${kind%:*}" chmod "${kind#*:}" "$TMP/place"
	[ "$kind" = "everybody's:1777" ] && continue
	same "${kind%:*}: no path is relied upon" 0 "$by_path"
done
shared "another user's" chown 65534 "$TMP/place"
same "another user's: no path is relied upon" 0 "$by_path"
linked() { rm -rf "$TMP/target" && mv "$place" "$TMP/target" && ln -s "$TMP/target" "$place"; }
shared "a link to one" linked
same "a link to one: no path is relied upon" 0 "$by_path"
rm -rf "$place" "$TMP/target"
inherits() { # an access control list: user 65534 may read and write all that is made there
	python3 -c '
import os, struct, sys
entries = ((1, 7, -1), (2, 7, 65534), (4, 7, -1), (16, 7, -1), (32, 7, -1))
acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)
os.setxattr(sys.argv[1], "system.posix_acl_default", acl)' "$place" 2>/dev/null
}
mkdir "$TMP/place"
if place=$TMP/place inherits; then
	shared "one whose list gives all to another user" inherits
else
	skip "access control lists: there are none here"
fi

# ---- the mask ----
for mask in 0 777 077; do
	rm -rf "$TMP/masked"
	(
		umask $mask
		LD_PRELOAD=$lib BINLOG_DIR=$TMP/masked "$TMP/two_halves" 1 </dev/null >/dev/null
	)
	same "umask $mask: modes are what they are to be" "700 600" "$(stat -c %a "$TMP/masked" "$TMP"/masked/*.binlog | paste -sd ' ')"
	rm -rf "$TMP/masked"
	(
		umask $mask
		"$BUILD/binlog-run" --dir="$TMP/masked" "$TMP/two_halves" 1 </dev/null >/dev/null
	)
	same "umask $mask: those of binlog-run, too" "700 600" "$(stat -c %a "$TMP/masked" "$TMP"/masked/*.binlog | paste -sd ' ')"
done

# ---- what is put in the place of a capture while its program runs ----
swap() { # HOW
	local path
	path=$(echo "$place"/*.binlog)
	mv "$path" "$TMP/moved.binlog"
	case $1 in
	link) ln -s "$TMP/secret" "$path" ;;
	name) ln "$TMP/secret" "$path" ;;
	FIFO) mkfifo "$path" ;;
	directory) mkdir "$path" ;;
	file) as_nobody touch "$path" 2>/dev/null || : >"$path" ;;
	esac
}
away() { # the whole directory
	mv "$place" "$TMP/away"
	mkdir "$place"
	ln -s "$TMP/secret" "$place/$(basename "$TMP"/away/*.binlog)"
}
for threads in 1 2; do
	for mode in 755 777; do
		for how in link name FIFO directory file; do
			secret
			rm -rf "$TMP/place" "$TMP/moved.binlog"
			mkdir -m $mode "$TMP/place"
			place=$TMP/place
			recorded_in "$place" $threads swap $how
			nothing_is_lost "a $how in its place, $threads threads, mode $mode" $threads "$TMP/moved.binlog"
			is_secret "a $how in its place, $threads threads, mode $mode"
		done
	done
	secret
	rm -rf "$TMP/place" "$TMP/away"
	mkdir -m 755 "$TMP/place"
	recorded_in "$TMP/place" $threads away
	nothing_is_lost "another directory in its place, $threads threads" $threads "$TMP/away"
	is_secret "another directory in its place, $threads threads"
done

# ---- what is there before ----
planted() { # SENTENCE NAME COMMAND...: in a directory that others may write to
	secret
	rm -rf "$TMP/place"
	mkdir -m 1777 "$TMP/place"
	(cd "$TMP/place" && "${@:3}")
	recorded_in "$TMP/place" 1
	same "$1: the program is recorded all the same" "first" "$("$show" --raw -q "$TMP/place" | sed -n 's/^the \(first\) half$/\1/p')"
	nothing_is_lost "$1" 1 "$TMP/place"
	is_secret "$1"
}
say_nothing() { echo "level = none" >"$1"; }
by_nobody() { say_nothing control.conf && chown 65534 control.conf; }
for_all() { say_nothing control.conf && chmod 666 control.conf; }
other_name() { say_nothing "$TMP/ours" && ln "$TMP/ours" control.conf; }
a_link() { say_nothing "$TMP/ours" && ln -s "$TMP/ours" control.conf; }
planted "a control.conf of another user" control.conf by_nobody
planted "one that all may write to" control.conf for_all
planted "one that is a link" control.conf a_link
planted "one that is another name of a file" control.conf other_name
planted "one that is a FIFO" control.conf mkfifo control.conf
planted "one that is a directory" control.conf mkdir control.conf
planted "one that is a device without an end" control.conf ln -s /dev/zero control.conf
recorded_control() { say_nothing control.conf; }
rm -rf "$TMP/place"
mkdir -m 1777 "$TMP/place"
(cd "$TMP/place" && recorded_control)
recorded_in "$TMP/place" 1
same "a control.conf of one's own is obeyed" "" "$("$show" --raw -q "$TMP/place" 2>/dev/null)"

# ---- what is no directory, and no configuration ----
as_natively() { # SENTENCE VARIABLE=VALUE [CAPTURES]
	timeout 20 env LD_PRELOAD="$lib" BINLOG_DIR="$TMP/usual" "$2" "$TMP/two_halves" 1 </dev/null >"$TMP/written" 2>"$TMP/errors"
	status=$?
	nothing_is_lost "$1" 1 "${3:-$TMP/usual}"
	same "$1: nothing is said" "" "$(cat "$TMP/errors")"
	rm -rf "$TMP/usual" "$XDG_STATE_HOME/binlog"
}
mkfifo "$TMP/fifo"
python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$TMP/socket"
for what in fifo socket two_halves none/none; do
	as_natively "captures are to go to a path that cannot have any ($what)" BINLOG_DIR="$TMP/$what" "$TMP/$what"
done
for what in "$TMP/fifo" "$TMP/socket" "$TMP" /dev/zero /proc/self/mem "$TMP/none"; do
	as_natively "the configuration is ${what##*/}" BINLOG_CONFIG="$what"
done
finish
