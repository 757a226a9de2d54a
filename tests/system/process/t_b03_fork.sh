#!/bin/bash
# B3b, B3c, B3d: children, made in every way that there is, by a process whose
# threads print; what they inherit, what they cost, and that silent ones leave
# nothing behind.
# LONG=1: 900 children of each way, 100,000 silent and 100,000 printing ones,
# and that a fork is at most 5 % slower than natively.
. tests/support/lib.sh
long=${LONG:-}
in_capture() { "$show" --raw -q "$TMP/recorded/capture"; }
files() { find "$1" -type f | wc -l; }
# What is taken of the file, see binlog(5): it may have been made larger before.
bytes() { od -A n -t u8 -j 32 -N 8 "$1"/*.binlog | tr -d ' '; }

# ---- the storm ----
build forks
count=${long:+900}
count=${count:-25}
exec 9>"$TMP/said"
COMMAND_TIME=1200 recorded "$TMP/recorded" "$TMP/forks" "$count" ${long:+100000}
exec 9>&-
in_capture >"$TMP/lines"
same "B3b: children of threads that print: the program ends" 0 "$(cat "$TMP/recorded/status")"
same "B3b: no child failed or hung" "" "$(grep -v ^thread "$TMP/said")"
for way in fork _Fork SYS_fork clone vfork vfork-before vfork-exec spawn between grandchild daemon; do
	for ((i = 0; i < count; i++)); do
		echo "child $way $i on stderr"
		echo "child $way $i says hello"
	done | sort >"$TMP/wanted"
	grep "^child $way " "$TMP/lines" | sort >"$TMP/got"
	case $way in vfork* | spawn) row=B3c ;; *) row=B3b ;; esac
	same_file "$row: what $count children made by $way say is there once" "$TMP/wanted" "$TMP/got"
done
for who in sharer main; do
	for i in {0..9}; do
		for line in {0..499}; do echo "$who $i line $line"; done
	done >"$TMP/wanted"
	grep "^$who " "$TMP/lines" >"$TMP/got"
	same_file "B3c: a CLONE_VM child and its parent print at the same time: every line of the $who, in order" \
		"$TMP/wanted" "$TMP/got"
done
same "B3b: every line of the threads is there, in order" "$(sort "$TMP/said")" "$(awk '
	$1 != "thread" { next }
	$0 != "thread " $2 " line " n[$2]++ + 0 " of many" { print NR ": " $0; exit }
	END { for (t in n) print "thread", t, n[t] }' "$TMP/lines" | sort)"
same "B3b: and nothing else" "" "$(grep -v '^child \|^thread \|^sharer \|^main ' "$TMP/lines" | head -n 5)"
same "B3b: nothing was written" "" "$(head -c 300 "$TMP"/recorded/real.stdout; head -c 300 "$TMP"/recorded/real.stderr)"
same "B3b: forked children are in their parent's capture, executed ones in their own" \
	$((2 * count + 1)) "$(files "$TMP/recorded/capture")"

# ---- what is held back is inherited ----
build heirs
natively "$TMP/native" "$TMP/heirs" 60
recorded "$TMP/recorded" "$TMP/heirs" 60
sort -o "$TMP/native/stdout" "$TMP/native/stdout"
sort -o "$TMP/recorded/stdout" "$TMP/recorded/stdout"
same "B3b: natively each child writes what was held back" 123 "$(grep -c '^held' "$TMP/native/stdout")"
why=$(differences "$TMP/native" "$TMP/recorded")
verdict ${#why} "B3b: two threads fork at once: each child writes what it has inherited" "$why"

# ---- handlers of pthread_atfork ----
build fork_handlers
build fork_handlers -DLIBRARY -shared -fPIC -o "$TMP/fork_handlers.so"
for way in fork again twice nested in-child flushing thread _Fork forkpty library unloaded; do
	wrong=
	for ((handlers = 0; handlers < 16; handlers++)); do
		natively "$TMP/native" "$TMP/fork_handlers" $way $handlers "$TMP/fork_handlers.so"
		recorded "$TMP/recorded" "$TMP/fork_handlers" $way $handlers "$TMP/fork_handlers.so"
		why=$(differences "$TMP/native" "$TMP/recorded")
		[ -z "$why" ] || wrong+="$handlers: $why"
	done
	verdict ${#wrong} "B3b: $way: children inherit what handlers of pthread_atfork print, and what was held back" "$wrong"
done

# ---- silent children ----
build silent
exec 9>"$TMP/said"
recorded "$TMP/none" "$TMP/silent" 0 0 early
recorded "$TMP/recorded" "$TMP/silent" ${long:+100000} ${long:-1000} 0 early
exec 9>&-
n=$(awk 'NR == 2 { print $1 }' "$TMP/recorded/stdout")
same "B3d: $n silent children: all of them end well" "$n forks, 0 failed" "$(tail -n 1 "$TMP/recorded/stdout")"
same "B3d: they leave no file behind" 1 "$(files "$TMP/recorded/capture")"
same "B3d: nor make that of their parent larger" \
	"$(bytes "$TMP/none/capture")" "$(bytes "$TMP/recorded/capture")"

# ---- children that say a little ----
build brood
n=${long:+100000}
n=${n:-200}
COMMAND_TIME=600 recorded "$TMP/recorded" "$TMP/brood" "$n"
for ((i = 0; i < n; i++)); do echo "child $i of $n"; done >"$TMP/wanted"
same_file "B3d: $n children that speak: all is there" "$TMP/wanted" "$TMP/recorded/stdout"
same "B3d: in one file" 1 "$(files "$TMP/recorded/capture")"
size=$(bytes "$TMP/recorded/capture")
verdict $((size > 4096 * (n + 16))) "B3d: which grows by one page for each" "$size bytes"

# ---- what a fork costs ----
if [ "$long" ]; then
	# Of a process with 16 MiB in use; the least of many short rounds, in
	# turn, and of more rounds where others disturb.
	least() { sort -n -k "$1,$1" "$2" | awk -v n="$1" 'NR == 1 { print $n }'; }
	is_more() { # COLUMN: than 5 %
		native=$(least "$1" "$TMP/cost.native")
		ours=$(least "$1" "$TMP/cost.recorded")
		awk -v a="$native" -v b="$ours" 'BEGIN { exit !(b > a * 1.05) }'
	}
	for ((round = 0; round < 1000; round++)); do
		"$TMP/silent" 40 16 early 9>>"$TMP/cost.native" >"$TMP/out"
		LD_PRELOAD=$lib BINLOG_DIR=$TMP/cost "$TMP/silent" 40 16 early 9>>"$TMP/cost.recorded" >"$TMP/out"
		((round % 100 == 99)) && ! is_more 1 && ! is_more 2 && break
	done
	is_more 1
	verdict $((!$?)) "B3d: a fork takes at most 5 % longer, by the clock" "$native and $ours microseconds"
	is_more 2
	verdict $((!$?)) "B3d: a fork takes at most 5 % longer, of processor time" "$native and $ours microseconds"
fi
finish
