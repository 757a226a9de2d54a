#!/bin/bash
# B1, B2: calls before our constructor and after the destructors, and every way out of a program: all is recorded, and
# the reader says how each process ended, who is still running, and who descends from whom.
. tests/support/lib.sh
ulimit -c 0

# What --processes says, in the order of its lines: "PROGRAM: END", indented as the tree is.
ends() { # OPTION... DIR
	process_rows "$@" | awk '
		NR == 1 { from = index($0, "END"); to = index($0, "PROGRAM"); next }
		{ end = substr($0, from, to - from); sub(/ +$/, "", end)
		  program = substr($0, to); gsub(/[|\\_]/, " ", program)
		  match(program, /^ *[^ ]+/); print substr(program, 1, RLENGTH) ": " end }'
}
pids() { process_rows "$@" | awk 'NR > 1 { print $1 }'; }

# ---- every stage of a life, every way out ----
$CC -g -w -shared -fPIC -o "$TMP/liborder.so" "$here/victims/order_library.c" || exit 1
build order -L"$TMP" -lorder -Wl,-rpath,"$TMP"
while read -r way end; do
	compare "B1, B2: prints at every stage, ends by $way" "$TMP/order" "$way"
	if [ "$way" = return ]; then
		same "B1, B2: each stage is recorded once, in order" "resolver of an IFUNC|preinit|constructor of the library|\
constructor of the program|main,|chosen|in the library|in a thread|destructor of a thread's key|atexit|\
destructor of the program|destructor of the library" \
			"$(raw stdout "$TMP/recorded/capture" | sed -E 's/(, ?(last words|return|1)|: 1| 1)$//; s/^main$/main,/' |
				paste -sd '|')"
	fi
	if [ "$way" = clone ]; then
		same "B2: a child of clone ends with what its function returns" "    order: exit status 12" \
			"$(ends "$TMP/recorded/capture" | grep '^    order')"
	fi
	same "B2: ends by $way: the reader says so" "order: $end" "$(ends "$TMP/recorded/capture" | grep '^order')"
done <<'TABLE'
return exit status 2
exit exit status 3
_exit exit status 4
_Exit exit status 8
quick_exit exit status 5
abort killed by SIGABRT
fault killed by SIGSEGV (address 0x10)
kill cut off
exit_group exit status 9
thread_exit exit status 11
clone exit status 2
instruction cut off
pthread_exit exit status 6
exec executed echo
execlp executed echo
TABLE
same "B2: the other program that was executed is below" "    echo: ended cleanly" \
	"$(ends "$TMP/recorded/capture" | tail -n 1)"
same "B2: the library has no destructor, not even the compiler's own" "" \
	"$(readelf -dW "$lib" | sed -n 's/.*(FINI_ARRAYSZ) *//p')"

# ---- those that say nothing ----
while read -r end; do
	read -r command
	recorded "$TMP/recorded" sh -c "exec $command"
	same "B2: says nothing: $command" "$end" "$(ends "$TMP/recorded/capture" | tail -n 1 | sed 's/.*: //')"
done <<'TABLE'
ended cleanly
true
exit status 1
false
exit status 7
bash -c 'exit 7'
cut off
bash -c 'kill -9 $$'
killed by SIGSEGV
bash -c 'kill -SEGV $$'
TABLE

# ---- those that run ----
build linger
start() { # DIR [ARGUMENT...]
	rm -rf "$1"
	mkdir "$1"
	(cd "$1" && LD_PRELOAD=$lib BINLOG_DIR=$1/capture exec "$TMP/linger" "${@:2}" >"$1/out" 2>&1) &
	until_true [ -e "$1/ready" ]
}
patch() { # FILE OFFSET BYTES: in printf's notation
	# shellcheck disable=SC2059
	printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
number() { # N: 4 bytes of it
	printf '\\x%02x\\x%02x\\x%02x\\x%02x' $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) $(($1 >> 24))
}
for how in "" silent thread heir failed "heir failed" "silent failed"; do
	# shellcheck disable=SC2086
	start "$TMP/run" $how
	running=$(cat "$TMP/run/ready")
	[[ "$how" != heir* ]] || wait $!
	same "B2: still running: linger $how" "linger: still running" "$(ends "$TMP/run/capture" | tail -n 1 | sed 's/^ *//')"
	if [ "$how" = "" ] || [ "$how" = silent ]; then
		capture=$(echo "$TMP"/run/capture/*)
		mkdir "$TMP/copy"
		cp "$capture" "$TMP/copy"
		patch "$TMP/copy/"* 80 'another boot id!'
		same "B2: a process of another boot is not there: linger $how" "linger: cut off" "$(ends "$TMP/copy")"
		cp "$capture" "$TMP/copy"
		patch "$TMP/copy/"* 136 '\001'
		same "B2: numbers of another pid namespace mean nothing here: linger $how" "linger: cut off" \
			"$(ends "$TMP/copy")"
		patch "$capture" 136 '\001'
		same "B2: but who has the capture open is running: linger $how" "linger: still running" \
			"$(ends "$TMP/run/capture")"
		rm -r "$TMP/copy"
	fi
	kill -KILL $running
	wait $running 2>/dev/null
	until_true has_ended "$running"
	same "B2: killed meanwhile: linger $how" "linger: cut off" "$(ends "$TMP/run/capture" | tail -n 1 | sed 's/^ *//')"
done
began() { cut -d ' ' -f 22 "/proc/$1/stat"; } # in hundredths of a second
start "$TMP/run" silent
moment=$(($(od -An -t u8 -j 72 -N 8 "$TMP"/run/capture/*) / 10000000)) # the capture
kill -KILL $!
wait $! 2>/dev/null
sleep 60 &
until [ "$(began $!)" -gt $moment ]; do
	kill $!
	wait $! 2>/dev/null
	sleep 60 &
done
patch "$TMP"/run/capture/* 112 "$(number $!)"
same "B2: another process that has its number now, but began later, is not it" "linger: cut off" \
	"$(ends "$TMP/run/capture")"
kill $!
BINLOG_SIGNALS=all start "$TMP/run"
kill -TERM $!
wait $! 2>/dev/null
same "B2: SIGTERM, with BINLOG_SIGNALS=all" "linger: killed by SIGTERM (sent by process $$)" "$(ends "$TMP/run/capture")"
# A parent that does not wait for its child, which is a zombie therefore.
mkdir "$TMP/zombie"
(cd "$TMP/zombie" || exit
	LD_PRELOAD=$lib BINLOG_DIR=$TMP/zombie/capture "$TMP/linger" >out 2>&1 &
	echo $! >"$TMP/zombie/pid"
	exec sleep 60) &
parent=$!
until_true [ -e "$TMP/zombie/ready" ]
kill -KILL "$(cat "$TMP/zombie/pid")"
until_true is_zombie "$(cat "$TMP/zombie/pid")"
same "B2: a zombie does not run" "linger: cut off" "$(ends "$TMP/zombie/capture")"
kill $parent

# ---- the tree ----
build family
exec 9>"$TMP/pids"
recorded "$TMP/recorded" "$TMP/family"
exec 9>&-
same "processes that were forked, executed and spawned are a tree" "family: executed echo
    family: exit status 3
        family: ended cleanly
        echo: ended cleanly
    family: ended cleanly
    echo: ended cleanly
    echo: ended cleanly
    echo: ended cleanly" "$(ends "$TMP/recorded/capture")"
same "their numbers are their own" "$(cat "$TMP/pids")" "$(pids "$TMP/recorded/capture")"
same "each call is counted once, with the process that made it (echo makes two)" "1 1 1 2 0 2 2 2" \
	"$(process_rows "$TMP/recorded/capture" | awk 'NR > 1 { print $4 }' | paste -sd ' ')"
same "--pid: only that one" "$(sed -n 3p "$TMP/pids")" "$(pids --pid="$(sed -n 3p "$TMP/pids")" "$TMP/recorded/capture")"
same "--stream: only its messages count" 0 \
	"$(process_rows --stream=stderr "$TMP/recorded/capture" | awk 'NR > 1 { n += $4 } END { print n }')"
"$show" --processes "$TMP/recorded/capture" >"$TMP/out" 2>"$TMP/sum"
same "the sum below is that of all" "11 captured, 0 passed, 0 dropped" "$(cat "$TMP/sum")"
same "times are those of the files, in UTC if wanted" 0 "$(process_rows --utc "$TMP/recorded/capture" | awk '
	NR > 1 { print $2 "T" $3 "Z" }' | while read -r time; do
		age=$(($(date +%s) - $(date -d "$time" +%s)))
		[ $age -ge 0 ] && [ $age -lt 600 ] || echo "$time is not now"
	done | wc -l)"
finish
