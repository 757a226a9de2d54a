#!/bin/bash
# BINLOG_CAPTURES=run: programs that a recorded one starts share its capture. What they say is what they say natively; nothing
# is lost where some are killed, where the capture is packed meanwhile, or full; and who may not share has a capture of its own.
. tests/support/lib.sh
pack=$BUILD/binlog-pack
run=$BUILD/binlog-run
$CC -O1 -w -o "$TMP/say" -x c - <<'C' || exit 1
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
/* WORD TIMES [kill]: says it so often; then it is killed in the middle of its life. */
int main(int argc, char **argv)
{
	for (int i = 0; i < atoi(argv[2]); i++)
		printf("%s %d of %d\n", argv[1], i, atoi(argv[2]));
	fflush(stdout);
	if (argc > 3)
		kill(getpid(), SIGKILL);
	return 0;
}
C
say=$TMP/say

shared() { # DIRECTORY COMMAND...: recorded, in a run of its own
	local directory=$1
	shift
	rm -rf "$directory"
	BINLOG_CAPTURES=run BINLOG_DIR=$directory LD_PRELOAD=$lib "$@" >"$TMP/out" 2>"$TMP/err"
}
captures() { find "$1" -name '*.binlog' | wc -l; }
text() { "$show" --raw -q "$@" 2>"$TMP/why"; }

# ---- one capture, the same text, who is whose child ----
script='/bin/echo one; "$0" two 3; (/bin/echo in a subshell); sh -c "/bin/echo four; exec /bin/echo five"; ls /nonexistent; true; exit 3'
sh -c "$script" "$say" >"$TMP/want" 2>/dev/null
shared "$TMP/c" sh -c "$script" "$say"
same "the status is the program's" 3 $?
same "one capture for all" 1 "$(captures "$TMP/c")"
text --stream=stdout "$TMP/c" >"$TMP/got"
same_file "what it says is what was said natively" "$TMP/want" "$TMP/got"
"$show" --processes -q "$TMP/c" 2>/dev/null >"$TMP/processes"
same "each program that has said something is there, with its arguments" \
	"$(printf '%s\n' 'echo five' 'echo four' 'echo in a subshell' 'echo one' 'ls /nonexistent' 'say two 3')" \
	"$(sed -n 's/.*\\_ \(\(say\|ls\|echo\)\( [^\\]*\)\?\)$/\1/p' "$TMP/processes" | sed 's/[[:space:]]*$//' | sort)"
same "and how it ended" "exit status 2" "$(grep -o 'exit status 2' "$TMP/processes")"
"$pack" -q -o "$TMP/c.blog" "$TMP/c"
"$show" --processes -q "$TMP/c.blog" 2>/dev/null | sed 's/^ *//' >"$TMP/packed"
sed -i 's/^ *//' "$TMP/processes"
same_file "packed it is the same" "$TMP/processes" "$TMP/packed"
BINLOG_DIR=$TMP/p LD_PRELOAD=$lib sh -c "$script" "$say" >/dev/null 2>&1
verdict $(($(captures "$TMP/p") < 7)) "without it each program has one" "$(ls "$TMP/p")"

# ---- a program that executes another one in its place ----
shared "$TMP/x" env "$say" second 2
same "nobody has the capture of a program that has executed another one: that has its own" "2 2" "$(captures "$TMP/x") $(text "$TMP/x" | grep -c second)"
shared "$TMP/x" sh -c 'env "$0" second 2; :' "$say"
same "but that of its parent, if there is one" "1 2" "$(captures "$TMP/x") $(text "$TMP/x" | grep -c second)"

# ---- many at once, some of them killed ----
many() { # the words, one a line: each program says its own 20 times, one of seven is killed
	seq "$1" | xargs -P 8 -I{} sh -c 'if [ $(({} % 7)) = 0 ]; then "$0" {} 20 kill; else "$0" {} 20; fi; :' "$say"
}
many 300 2>/dev/null | sort >"$TMP/want"
export -f many
export say
shared "$TMP/m" bash -c 'many 300'
text --stream=stdout "$TMP/m" | sort >"$TMP/got"
same_file "300 programs, eight at once, 42 of them killed: each line is there, once" "$TMP/want" "$TMP/got"
same "in one capture" 1 "$(captures "$TMP/m")"

# ---- while it is packed and freed ----
rm -rf "$TMP/f"
mkdir "$TMP/f"
"$pack" -q --follow -o "$TMP/f.blog" "$TMP/f" 2>"$TMP/why" &
packer=$!
for _ in 1 2 3; do
	BINLOG_CAPTURES=run BINLOG_DIR=$TMP/f LD_PRELOAD=$lib bash -c 'many 100; sleep 0.3' >/dev/null 2>"$TMP/err"
done
sleep 1
kill -TERM $packer
wait $packer
for _ in 1 2 3; do many 100 2>/dev/null; done | sort >"$TMP/want"
# shellcheck disable=SC2046 # none or some
text --stream=stdout "$TMP/f.blog" $(find "$TMP/f" -name '*.binlog') | sort >"$TMP/got"
same_file "packed while three runs go on, one after the other: nothing is lost" "$TMP/want" "$TMP/got"

# ---- who comes when all others have ended ----
rm -rf "$TMP/l"
BINLOG_CAPTURES=run BINLOG_DIR=$TMP/l LD_PRELOAD=$lib sh -c 'BINLOG_DISABLE=1 sh -c "sleep 0.5; unset BINLOG_DISABLE; \"\$0\" late 2" "$0" & "$0" early 1' \
	"$say" >/dev/null 2>&1
for _ in $(seq 50); do
	[ "$(text "$TMP/l" | wc -l)" = 3 ] && break
	sleep 0.1
done
same "what is started when nobody has the capture any more has one of its own" 2 "$(captures "$TMP/l")"
same "and nothing is lost" "$(printf '%s\n' 'early 0 of 1' 'late 0 of 2' 'late 1 of 2')" "$(text "$TMP/l")"

# ---- a capture that is full ----
rm -rf "$TMP/s"
seq 1 40 | xargs -I{} "$say" {} 3000 | sort >"$TMP/want"
BINLOG_MAX_SIZE=1M BINLOG_CAPTURES=run BINLOG_DIR=$TMP/s LD_PRELOAD=$lib sh -c 'seq 1 40 | xargs -I{} "$0" {} 3000' "$say" >"$TMP/out" 2>/dev/null
text --stream=stdout "$TMP/s" | grep ' of ' | sort >"$TMP/got"
same_file "where a quarter of it is used programs have captures of their own: nothing is passed" "$TMP/want" "$TMP/got"

# ---- who may not share ----
own() { # WHY COMMAND...: which says `own`, started by a program that is recorded
	rm -rf "$TMP/o" "$TMP/other"
	BINLOG_CAPTURES=run BINLOG_DIR=$TMP/o LD_PRELOAD=$lib sh -c '"$@"; :' sh "${@:2}" >"$TMP/out" 2>"$TMP/err"
	same "$1: a capture of its own" "2 own 0 of 1" \
		"$(find "$TMP/o" "$TMP/other" -name '*.binlog' 2>/dev/null | wc -l) $(text "$TMP/o" "$TMP"/other* 2>/dev/null | cat - "$TMP/out" | grep own)"
}
own "another level" env BINLOG_LEVEL=info "$say" own 1
own "another directory" env BINLOG_DIR="$TMP/other" "$say" own 1
own "each its own" env BINLOG_CAPTURES=program "$say" own 1
own "a ring" env BINLOG_RING=1M "$say" own 1
own "captures that go on in others" env BINLOG_FULL=spill "$say" own 1
if unshare -pf true 2>/dev/null; then
	own "another namespace of processes" unshare -pf "$say" own 1
else
	skip "another namespace of processes: there is no unshare"
fi
rm -rf "$TMP/o"
BINLOG_CAPTURES=run BINLOG_DIR=$TMP/o LD_PRELOAD=$lib sh -c 'chmod 640 "$BINLOG_DIR"/*; "$0" own 1' "$say" >/dev/null 2>&1
same "a capture that others may read: not shared" 2 "$(captures "$TMP/o")"

# ---- names out of the environment ----
shared "$TMP/e" sh -c 'echo "$BINLOG_RUN" >"$0"; "$1" own 1' "$TMP/variable" "$say"
BINLOG_DIR=$TMP/e "$run" true 2>/dev/null
variable=$(sed 's/:[^:]*$//' "$TMP/variable")
[ -n "$variable" ] || variable=$(text "$TMP/e" | head -n 1 | sed 's/:[^:]*$//')
head -c 8192 /dev/urandom >"$TMP/victim.binlog"
chmod 600 "$TMP/victim.binlog"
cp "$TMP/victim.binlog" "$TMP/victim.before"
cp "$(find "$TMP/m" -name '*.binlog')" "$TMP/other-run.binlog"
cp "$TMP/other-run.binlog" "$TMP/other-run.before"
for name in ../victim.binlog ../other-run.binlog link.binlog fifo.binlog victim.binlog other-run.binlog '' .binlog 'x'; do
	rm -rf "$TMP/n"
	mkdir -m 700 "$TMP/n"
	ln -s "$TMP/victim.binlog" "$TMP/n/link.binlog"
	mkfifo -m 600 "$TMP/n/fifo.binlog"
	ln "$TMP/victim.binlog" "$TMP/n/victim.binlog"
	cp -p "$TMP/other-run.binlog" "$TMP/n/other-run.binlog"
	(
		exec 9<>"$TMP/n/other-run.binlog" 8<>"$TMP/victim.binlog"
		BINLOG_RUN="$variable:$name" BINLOG_CAPTURES=run BINLOG_DIR=$TMP/n LD_PRELOAD=$lib timeout -s KILL 30 "$say" own 1 >"$TMP/out" 2>"$TMP/err"
	)
	same "BINLOG_RUN names '$name': the program goes on, in a capture of its own" "0 own 0 of 1" \
		"$? $(rm -f "$TMP/n/fifo.binlog" "$TMP/n/other-run.binlog" "$TMP/n/link.binlog" "$TMP/n/victim.binlog"; text "$TMP/n" | grep own)"
	cmp -s "$TMP/n/other-run.binlog" "$TMP/other-run.before"
done
same_file "no file was written that a variable named" "$TMP/victim.before" "$TMP/victim.binlog"
same_file "nor a capture of another run" "$TMP/other-run.before" "$TMP/other-run.binlog"

# ---- binlog-run ----
BINLOG_DIR=$TMP/r "$run" --captures=run sh -c '"$0" a 1; "$0" b 1' "$say" >/dev/null 2>&1
same "binlog-run --captures=run" 1 "$(captures "$TMP/r")"
"$run" --captures=nobody true >"$TMP/out" 2>"$TMP/err"
same "binlog-run --captures=nobody is refused by one sentence" "2 1" "$? $(grep -c 'nobody: not known: give program or run' "$TMP/err")"
finish
