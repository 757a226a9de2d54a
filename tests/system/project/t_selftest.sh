#!/bin/bash
# binlog-run --selftest: says what works, leaves nothing, and finds what does not.
. tests/support/lib.sh
run=$BUILD/binlog-run
export TMPDIR=$TMP/temporary
mkdir "$TMPDIR" "$TMP/here"

tests_itself() { # STATUS SENTENCE COMMAND...
	local status
	(cd "$TMP/here" && exec "${@:3}" --selftest >"$TMP/out" 2>"$TMP/errors" </dev/null)
	status=$?
	same "$2: it ends with $1" "$1" "$status"
	same "$2: it leaves nothing behind" "" "$(find "$TMPDIR" "$TMP/here" -mindepth 1)"
}
works() { # SENTENCE COMMAND...
	tests_itself 0 "$@"
	same "$1: the last line is ok" ok "$(tail -n 1 "$TMP/out")"
	same "$1: nothing is said of errors" "" "$(cat "$TMP/errors")"
}
says() { # SENTENCE EXPRESSION COMMAND...
	tests_itself 1 "$1" "${@:3}"
	verdict $(($(wc -l <"$TMP/errors") != 1)) "$1: that is one sentence" "$(cat "$TMP/errors")"
	grep -q "^binlog-run: --selftest: .*$2" "$TMP/errors"
	verdict $? "$1: it says what, and what to do" "$(cat "$TMP/errors")"
	! grep -q '^ok$' "$TMP/out"
	verdict $? "$1: nothing is ok"
}
works "as it is built" "$run"
verdict $(($(wc -l <"$TMP/out") > 18)) "it says so in a few lines" "$(cat "$TMP/out")"
for line in "library: $(realpath "$lib")" "directory: $TMP/here/binlog.data" "kernel: $(uname -sr)" "recorded: 20007 calls, none of which was written"; do
	grep -qxF "$line" "$TMP/out"
	verdict $? "a line is: ${line%%: *}" "$(cat "$TMP/out")"
done
grep -q '^read back: [0-9]* bytes, as they are natively$' "$TMP/out" && grep -q '^a call: [0-9]* ns, without being recorded [0-9]* ns$' "$TMP/out"
verdict $? "how much was read back, and what a call costs, is said" "$(cat "$TMP/out")"
works "settings are not those of the test" env BINLOG_STREAMS=all=pass BINLOG_LEVEL=emerg BINLOG_DISABLE=1 BINLOG_DEPTH=0 "$run"
grep -q '^recorded: nothing, since BINLOG_DISABLE is set' "$TMP/out"
verdict $? "but are told" "$(cat "$TMP/out")"
tests_itself 0 "within a run that is recorded" env LD_PRELOAD="$lib" BINLOG_DIR="$TMP/outer" "$run"

# --- what is wrong

at() { # DIRECTORY FILE...: a copy of binlog-run, and of these files
	mkdir -p "$1"
	cp "$run" "${@:2}" "$1"
	echo "$1/binlog-run"
}
says "without the library" "libbinlog.so: neither beside" "$(at "$TMP/alone" "$show")"
says "without binlog-show" "binlog-show: not beside binlog-run: build or install" "$(at "$TMP/blind" "$lib")"
other=$(at "$TMP/cut" "$show")
head -c 1000 "$lib" >"$TMP/cut/libbinlog.so"
says "a library that is cut off" "it cannot be preloaded: build or install it again" "$other"
other=$(at "$TMP/empty" "$show")
echo 'void f(void) {}' | $CC -shared -o "$TMP/empty/libbinlog.so" -x c -
says "another library of that name" "names no loader" "$other"
other=$(at "$TMP/deaf" "$show")
$CC -shared -fPIC -nostartfiles -Wl,-e,entry -o "$TMP/deaf/libbinlog.so" -x c - <<C
#include <unistd.h>
const char interpreter[] __attribute__((section(".interp"))) = "$(readelf -lW "$lib" | sed -n 's/.*interpreter: \(.*\)\]/\1/p')";
void entry(void) { _exit(0); }
C
says "a library that does not record" "the small program was not recorded: see what was said above" "$other"
for way in "printf other" "cat" "exit 2" "kill -9 \$\$"; do
	other=$(at "$TMP/liar" "$lib")
	printf '#!/bin/sh\n%s\n' "$way" >"$TMP/liar/binlog-show"
	chmod +x "$TMP/liar/binlog-show"
	case $way in
	exit* | kill*) what="the record could not be read back" ;;
	*) what="not what the program says natively" ;;
	esac
	says "binlog-show that does: ${way%% *}" "$what" "$other"
done
printf '#!/bin/sh\nexec "%s" "$@" | tr s S\n' "$show" >"$TMP/liar/binlog-show"
says "bytes that are others" "not what the program says natively" "$other"
says "no directory for temporary files" "No such file or directory: set TMPDIR" env TMPDIR="$TMP/none" "$run"
"$run" --selftest >/dev/full 2>"$TMP/errors"
same "nobody can be told" 1 $?
printf '#!/bin/sh\nexec sleep 9\n' >"$TMP/liar/binlog-show"
(cd "$TMP/here" && exec "$other" --selftest) >"$TMP/out" 2>&1 &
until_true grep -q recorded: "$TMP/out" || sleep 1
kill $! 2>/dev/null
until_true grep -q sleep "/proc/$(cat "/proc/$!/task/$!/children" | tr -d ' ')/cmdline"
kill "$(cat "/proc/$!/task/$!/children" | tr -d ' ')" 2>/dev/null
wait $! 2>/dev/null
same "interrupted it leaves nothing behind" "" "$(find "$TMPDIR" -mindepth 1)"
finish
