# Common to the tests of packed logs: captures of many kinds, and how they are packed.
# shellcheck shell=bash
export PYTHONDONTWRITEBYTECODE=1
# What sanitizers find is no status of a tool.
export ASAN_OPTIONS=exitcode=99 UBSAN_OPTIONS=halt_on_error=1:exitcode=99
tool=$BUILD/binlog-pack
packed=$here/packed
if [ ! -x "$tool" ]; then
	not_ok "there is a program that packs: $tool"
	exit 1
fi

pack() { # LOG CAPTURE [OPTION...]: its complaints go to LOG.complaint
	timeout 60 "$tool" -f "${@:3}" -o "$1" "$2" >"$1.complaint" 2>&1
}
say() { # NAME COMMAND...: captures what it says in $TMP/c/NAME, its status is of no interest
	mkdir -p "$TMP/c" "$TMP/files"
	{
		(cd "$TMP/files" && exec timeout -s KILL 60 env LD_PRELOAD="$lib" BINLOG_DIR="$TMP/c/$1" "${@:2}") \
			>"$TMP/said" 2>"$TMP/said.errors" 9>/dev/null </dev/null
	} 2>/dev/null
	captured=("$TMP"/c/"$1"/*.binlog)
	[ -e "${captured[0]}" ] || skip "$1: nothing was captured"
}

# Everything that is small and of many kinds.
say_everything() {
	local victim
	for victim in threads forks wide soak; do
		build $victim
	done
	$CC -std=gnu11 -D_GNU_SOURCE -g -O1 -w -o "$TMP/all_kinds" "$packed/all_kinds.c" || exit 1
	$CC -std=gnu11 -D_GNU_SOURCE -g -O2 -w -I. -o "$TMP/varying" "$here/bench/varying.c" || exit 1
	say all_kinds "$TMP/all_kinds"
	say varying "$TMP/varying" 20000
	say threads "$TMP/threads" many 50
	say forks "$TMP/forks" 3 30000
	say wide "$TMP/wide" all C.UTF-8 0
	say soak "$TMP/soak" 6000 3 report
	say listing ls -lR /usr/share/doc/bash /usr/share/doc/coreutils /etc
	say shell sh -c 'echo one; for i in 1 2 3; do (echo sub $i; /bin/echo $i) & wait; done; printf "%s\n" last >&2; exec /bin/echo end'
	say killed sh -c '/bin/echo before; kill -KILL $$'
	say crash sh -c 'echo to be continued; /bin/echo x; kill -SEGV $$'
	say logger sh -c 'logger -s -t me "a message"; logger -p user.err another'
	say python python3 -c 'import syslog, os, sys, threading
for i in range(5):
    threading.Thread(target=lambda i=i: (syslog.syslog("thread %d" % i), os.write(1, b"x"))).start()
import ctypes
libc = ctypes.CDLL(None)
for i in range(300):
    libc.printf(b"%d %s %p\n", i, b"by ctypes", ctypes.c_void_p(i))
libc.fflush(None)'
	say large python3 -c 'import ctypes
libc = ctypes.CDLL(None)
for i in range(3):
    libc.printf(b"%d %s|%s\n", i, b"x" * 600000, bytes(range(1, 256)) * 1000)
    libc.printf(b"%s\n", b"y" * 3000000)
libc.fflush(None)'
	say sqlite sqlite3 :memory: 'create table t(a, b); insert into t values (1, "x"), (2.5, null); select * from t; select nothing'
	say silent true
}
