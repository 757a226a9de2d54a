#!/bin/bash
# B5s, B5a, B5c, D2: handlers that print in the middle of prints, on the
# smallest alternate stacks, that jump or switch away, and threads that are
# cancelled: nothing hangs, nothing is lost, every line is whole.
. tests/support/lib.sh
runs=${RUNS:-$([ -n "${LONG:-}" ] && echo 50 || echo 2)}
lines=$([ -n "${LONG:-}" ] && echo 1000000 || echo 100000)
jumps=$([ -n "${LONG:-}" ] && echo 100000 || echo 5000)
export COMMAND_TIME=${LONG:+600}
COMMAND_TIME=${COMMAND_TIME:-300}
cancels=$([ -n "${LONG:-}" ] && echo 10000 || echo 500)

in_capture() { "$show" --raw "$TMP/recorded/capture" 2>"$TMP/complaint"; }
said() { # COMMAND...: recorded, with descriptor 9 in $TMP/said
	exec 9>"$TMP/said"
	recorded "$TMP/recorded" "$@"
	exec 9>&-
	in_capture >"$TMP/lines"
}
# What is wrong with how it ended: a signal, a complaint, text that was passed.
ending() {
	[ "$(cat "$TMP/recorded/status")" = 0 ] || echo "status $(cat "$TMP/recorded/status")"
	cat "$TMP/complaint"
	head -c 300 "$TMP"/recorded/real.stdout
	head -c 300 "$TMP"/recorded/real.stderr
}
# Of the header of the capture: how many writers there were, and where the
# next block will be.
writers() { od -A n -t u4 -j 40 -N 4 "$TMP"/recorded/capture/*.binlog | tr -d ' '; }
claimed() { od -A n -t u8 -j 32 -N 8 "$TMP"/recorded/capture/*.binlog | tr -d ' '; }

# ---- a storm of signals ----
build interrupt -O1
check_storm() { # MAIN HANDLER: prints what is wrong with $TMP/lines
	awk -v main="$1" -v handler="$2" '
	$1 == "main" { n = a++; want = "main " n " with some text and x"
		if (n % 4 == 1) want = sprintf("main %d %5d|%-20s|", n, 7, "padded")
		if (n % 4 == 2) want = sprintf("main %d %f", n, n / 3)
		if (n % 4 == 3) want = "main " n }
	$1 == "handler" { n = b++; want = "handler " n
		if (n % 4 == 0) want = "handler " n " with a text"
		if (n % 4 == 1) want = sprintf("handler %d %6.2f", n, 1.5)
		if (n % 4 == 2) { want = $0; if ($0 !~ "^handler " n " 0x[0-9a-f]+$") want = "-" } }
	$0 != want { print NR ": " $0; if (++bad > 5) exit }
	END { if (!bad && (a != main || b != handler)) print "of " main " and " handler ": " a " and " b }' "$TMP/lines"
}
for microseconds in 100 20; do
	bad=0
	all=0
	: >"$TMP/why"
	for ((i = 0; i < runs; i++)); do
		said "$TMP/interrupt" $microseconds "$lines"
		read -r main handler <"$TMP/said"
		why=$(ending; check_storm "${main:-0}" "${handler:-0}")
		all=$((all + ${handler:-0}))
		[ -z "$why" ] || { bad=$((bad + 1)); printf '%s\n' "$why" >>"$TMP/why"; }
	done
	verdict $bad "B5s D2: $runs times $lines lines with a signal every $microseconds us: nothing hung, lost or torn, and captured = calls" \
		"$(cat "$TMP/why")"
	verdict $((all < runs * 50)) "B5s: the handler has interrupted often" "$all"
done

# ---- alternate stacks of the smallest size ----
build handlers
compare "B5s: handlers that log on the smallest stack that libc itself can do with, the last one a full stack" "$TMP/handlers"

# ---- out of the middle of calls ----
build jumps -O1
said "$TMP/jumps" "$jumps"
read -r main handler grown <"$TMP/said"
same "B5a: $jumps jumps out of the middle of calls: all that has returned is there, in order, and nothing else" "" "$(
	ending
	awk -v main="$main" -v handler="$handler" '
	# What was jumped out of may be there, and is said again.
	$0 == last[$1] { next }
	{ last[$1] = $0 }
	$1 == "main" { n = a++; want = "main " n
		if (n % 4 == 1) want = want " 7"
		if (n % 4 == 2) want = want " text"
		if (n % 4 == 3) want = want " 0.50" }
	$1 == "handler" { n = b++; want = "handler " n " text" }
	$0 != want { print NR ": " $0 ", not " want; if (++bad > 5) exit }
	END { if (!bad && (a < main || b < handler || a > main + 1 || b > handler + 1))
		print "of " main " and " handler ": " a " and " b }' "$TMP/lines"
)"
verdict $(($(writers) > 24)) "B5a: they have used up no writers" "$(writers)"
verdict $((grown > 4096)) "B5a: nor memory" "$grown KiB"
verdict $(($(claimed) > 1000000 + 64 * main)) "B5a: nor room in the capture" "$(claimed) bytes, $main lines"

build switch
recorded "$TMP/recorded" "$TMP/switch" 50
in_capture >"$TMP/lines"
same "B5a: a handler that switches between coroutines in the middle of calls, and back" "" "$(
	ending
	awk '
	{ n = seen[$2]++; want = "coroutine " $2 " line " n
		want = want (n % 2 ? " some text that takes a while" : " " n * 2 " some text") }
	$0 != want { print NR ": " $0 ", not " want; if (++bad > 5) exit }
	END { for (i = 0; i < 20 && !bad; i++) if (seen[i] != 50) print i ": " seen[i] + 0 }' "$TMP/lines"
)"
verdict $(($(writers) > 40)) "B5a: they have used up no writers" "$(writers)"

# ---- cancelled at any moment ----
build cancel -O1
check_cancelled() { # prints what is wrong with $TMP/said and $TMP/lines
	awk '
	FNR == NR && $1 == "grown" { next }
	FNR == NR { returned[$1] = $2; threads++; next }
	$1 == "thread" { n = seen[$2]++; want = "thread " $2 " line " n
		if (n % 2 == 0) want = want " abcdefghijklmnopqrstuvwxyz" }
	$1 != "thread" { want = $1 " " ++order[$1]; ends++ }
	$0 != want { print FNR ": " $0 ", not " want; if (++bad > 5) exit }
	END { for (i = 1; i <= threads && !bad; i++)
			if (seen[i] < returned[i] || seen[i] > returned[i] + 1)
				{ print "thread " i ": " seen[i] " of " returned[i]; bad++ }
		if (ends != 3 * threads) print ends " ends" }' "$TMP/said" "$TMP/lines"
}
for type in deferred asynchronous; do
	said "$TMP/cancel" $type "$cancels" 2000
	same "B5c: $cancels threads, $type cancelled: all that has returned is there, one more at most, and what they say at their end" \
		"" "$(ending; check_cancelled)"
	verdict $(($(writers) > 16)) "B5c: they have used up no writers" "$(writers)"
	grown=$(sed -n 's/^grown //p' "$TMP/said")
	verdict $((grown > 4096)) "B5c: nor memory" "$grown KiB"
done
said "$TMP/cancel" deferred 3 999999999
same "B5c: a thread that does nothing but print is cancelled as natively" "" "$(ending; check_cancelled)"
finish
