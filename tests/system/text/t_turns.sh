#!/bin/bash
# What threads and processes say in turns is in order, however they wait for each other; a number that one thread has
# closed and another one has got is a new file; a message that is under way when main returns is there.
. tests/support/lib.sh
lines=$(is_long && echo 3000000 || echo 200000)
export COMMAND_TIME=${LONG:+600}
COMMAND_TIME=${COMMAND_TIME:-300}
# Turns that go to sleep, or that a flag gives to one of many, take a time slice each.
count() { # HOW SPEAKERS
	case $1-$2 in
	flag-8) echo $((lines / 50)) ;;
	condition-* | *-8) echo $((lines / 10)) ;;
	*) echo "$lines" ;;
	esac
}
build turns -O2

disorder() { awk '$1 != NR - 1 { n++ } END { print n + 0 " of " NR " out of order" }' "$@"; }
for how in mutex ticket condition flag; do
	for who in threads processes programs; do
		for speakers in 2 8; do
			count=$(count $how $speakers)
			recorded "$TMP/run" "$TMP/turns" $how $who $speakers "$count"
			same "$speakers $who in turns by a $how: as written" \
				"0 of $count out of order" "$(disorder "$TMP/run/stdout")"
			same "$speakers $who in turns by a $how: raw" "0 of $count out of order" \
				"$("$show" --raw -s stdout "$TMP/run/capture" | disorder)"
		done
	done
done
rm -rf "$TMP/run"

recorded "$TMP/close" "$TMP/turns" close "$(is_long && echo 8 || echo 2)"
same "what another thread has closed is a new file" "0 lost" "$(cat "$TMP/close/stderr")"

missing=0 other=0
for ((i = 0; i < 60; i++)); do
	(exec 2>/dev/null; cd "$TMP" && rm -rf pipe && LD_PRELOAD="$lib" BINLOG_DIR=$TMP/pipe ./turns last | cat >piped)
	"$show" --raw -q "$TMP/pipe" >"$TMP/shown"
	# Nothing says which of the two comes first.
	cmp -s <(sort "$TMP/piped") <(sort "$TMP/shown") || other=$((other + 1))
	grep -q thread "$TMP/piped" || missing=$((missing + 1))
done
same "what reached a pipe as main returned is what was recorded" 0 "$other"
echo "# $missing of 60 threads were later than main"
exit $failed
