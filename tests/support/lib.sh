# Common to the tests of the recording side.  A command is run twice, each time
# in an empty directory: natively, and with the library preloaded; what
# binlog-show makes of the capture has to be what the native run left behind.
#
#   DIR/files            the working directory, and what the command left there
#   DIR/stdout stderr    what it said: written natively, decoded when recorded
#   DIR/real.stdout ...  what still reached the files of a recorded run
#   DIR/status           how it ended: the shell's number
# shellcheck shell=bash
set -u
export PATH=/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin
unset LD_PRELOAD "${!BINLOG_@}" 2>/dev/null
# Where captures go that could not be made: no test sees those of another.
export XDG_STATE_HOME=$TMP/elsewhere
CC=${CC:-gcc}
lib=$BUILD/libbinlog.so
show=$BUILD/binlog-show
here=$PWD/tests
failed=0

# What takes long, or what needs other languages, other processors, npm: LONG_PACKAGES of tests/packages.mk.
is_long() { [ -n "${LONG:-}" ]; }
ok() { echo "ok: $1"; }
skip() { echo "skip: $1"; }
not_ok() { # SENTENCE [DETAIL]
	echo "not ok: $1"
	[ $# -lt 2 ] || printf '%s\n' "$2" | head -n 12 | cut -c 1-200 | sed 's/^/    /'
	failed=1
}
verdict() { # STATUS SENTENCE [DETAIL]
	if [ "$1" -eq 0 ]; then ok "$2"; else not_ok "${@:2}"; fi
}
same() { # SENTENCE WANTED GOT
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1" "$(diff <(printf '%s\n' "$2") <(printf '%s\n' "$3"))"
	fi
}
same_file() { # SENTENCE WANTED GOT
	if cmp -s "$2" "$3"; then
		ok "$1"
	else
		not_ok "$1" "$(ls -l "$2" "$3"; diff -a "$2" "$3" | head -n 8)"
	fi
}

build() { # NAME [OPTION...]: the program $TMP/NAME from tests/victims/NAME.c
	$CC -std=gnu11 -D_GNU_SOURCE -g -O1 -w -I"$here/.." -o "$TMP/$1" \
		"$here/victims/$1.c" -pthread "${@:2}" -ldl || exit 1
}

# Whether the kernel keeps its own time by the time stamp counter; where it does not, each recorded call asks the kernel, and none takes the
# short way.
counter_is_trusted() { [ "$(uname -m)" != x86_64 ] || [ "$(cat /sys/devices/system/clocksource/clocksource0/current_clocksource 2>/dev/null)" = tsc ]; }

# Programs of packages that are unpacked (tests/unpack-packages) come behind those that are installed; their libraries are
# found by them alone, since the loader looks at no such place for other tests.
unpacked() {
	local root=$DEBS/root directory
	PATH+=:$root/usr/sbin:$root/usr/bin
	for directory in "$root"/usr/lib/*-linux-gnu* "$root"/usr/lib/*-linux-gnu*/systemd; do
		[ ! -d "$directory" ] || LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$directory
	done
	[ -z "${LD_LIBRARY_PATH:-}" ] || export LD_LIBRARY_PATH
}
# Below what a program has been installed or unpacked; nothing for /.
prefix_of() { # PROGRAM
	local path
	path=$(type -P "$1")
	echo "${path%/usr/*}"
}
# Why a program of such a package is not there.
not_unpacked() { cat "$DEBS/why" 2>/dev/null || echo "not installed, and not below $DEBS"; }

# What programs made of the objects of readers are linked with: READ_LIBS, as make has it.
libraries_of_readers() {
	echo 'tell: ; @echo $(READ_LIBS)' | make -s --no-print-directory -f Makefile -f - tell
}

# The shell itself is not preloaded: what is recorded is the command alone.
natively() { # DIR COMMAND...
	local dir=$1
	rm -rf "$dir"
	mkdir -p "$dir/files"
	{ # the shell says "Killed" when it was
		(cd "$dir/files" && exec timeout -s KILL "${COMMAND_TIME:-300}" "${@:2}") \
			>"$dir/stdout" 2>"$dir/stderr" </dev/null
		echo $? >"$dir/status"
	} 2>/dev/null
}
recorded() { # DIR COMMAND...: BINLOG_... variables are the caller's
	local dir=$1
	rm -rf "$dir" "$XDG_STATE_HOME"
	mkdir -p "$dir/files"
	{
		(cd "$dir/files" && exec timeout -s KILL "${COMMAND_TIME:-300}" env \
			LD_PRELOAD="$lib" BINLOG_DIR="$dir/capture" "${@:2}") \
			>"$dir/real.stdout" 2>"$dir/real.stderr" </dev/null
		echo $? >"$dir/status"
	} 2>/dev/null
	decode "$dir"
}
# What fails to be decoded is part of what is compared.
decode() { # DIR
	local stream
	for stream in stdout stderr; do
		"$show" --raw --as-written -q --stream=$stream "$1/capture" \
			>"$1/$stream" 2>"$1/complaint" ||
			cat "$1/complaint" >>"$1/$stream"
	done
}

# What is wrong with a recorded run, in words; nothing when all is well.
differences() { # NATIVE RECORDED
	local part
	for part in stdout stderr status; do
		cmp -s "$1/$part" "$2/$part" && continue
		echo "$part differs:"
		diff -a "$1/$part" "$2/$part" | head -n 6
	done
	for part in real.stdout real.stderr; do
		[ -s "$2/$part" ] || continue
		echo "$part is not empty:"
		head -c 300 "$2/$part"
	done
	diff -r "$1/files" "$2/files"
}
compare() { # SENTENCE COMMAND...: recorded as native in every respect
	local why
	natively "$TMP/native" "${@:2}"
	recorded "$TMP/recorded" "${@:2}"
	why=$(differences "$TMP/native" "$TMP/recorded" | tr -d '\0')
	if [ -z "$why" ]; then ok "$1"; else not_ok "$1" "$why"; fi
}

# The table of binlog-show --processes, without the lines that say what a program was started with.
process_rows() { # OPTION... DIR
	"$show" --processes -q "$@" 2>&1 | awk 'NR == 1 || $1 ~ /^[0-9]+$/ || !/^    /'
}

raw() { # STREAM DIR: what a capture says; complaints go to stderr
	"$show" --raw -q --stream="$1" "$2"
}
until_true() { # COMMAND...: until it succeeds, 20 s at most
	local turns=0
	until "$@" 2>/dev/null; do
		[ $((turns += 1)) -le 2000 ] || return 1
		sleep 0.01
	done
}
is_zombie() { # PID: with no thread that still runs, as when only the first one has ended
	grep -q '^State:	Z' "/proc/$1/status" && ! grep -q '^Threads:	[2-9]' "/proc/$1/status"
}
has_ended() { ! kill -0 "$1" || is_zombie "$1"; } # PID
finish() { exit $failed; }
