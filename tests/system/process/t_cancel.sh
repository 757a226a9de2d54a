#!/bin/bash
# Cancellation: the same calls are cancellation points as natively, what they leave behind is written as natively, and
# nobody hangs, says a text twice, or one that is not written; recorded, teed, and with a full capture.
. tests/support/lib.sh
build cancel_points
export COMMAND_TIME=${LONG:+120}
COMMAND_TIME=${COMMAND_TIME:-120}
count=$(is_long && echo 1000 || echo 45)

# ---- one call with a pending cancellation ----
told() { "$@" 9>"$TMP/told"; }
for name in printf pieces fputs fwrite puts putc fflush write writev dprintf wide error error_at_line perror psiginfo \
	syslog fclose getopt; do
	for buffer in 0 1 2; do
		told natively "$TMP/native" "$TMP/cancel_points" point $name $buffer
		mv "$TMP/told" "$TMP/native/told"
		told recorded "$TMP/recorded" "$TMP/cancel_points" point $name $buffer
		mv "$TMP/told" "$TMP/recorded/told"
		same_file "$name, buffer $buffer: cancelled or not as natively" "$TMP/native/told" "$TMP/recorded/told"
		case $name-$buffer in
		# Natively an orientation's first character stays behind, and what dprintf() has made is written at the end of the
		# process from the stack of a thread that has gone.
		wide-0 | dprintf-*) continue ;;
		esac
		same "$name, buffer $buffer: what it leaves behind as natively" "" \
			"$(differences "$TMP/native" "$TMP/recorded" | tr -d '\0')"
	done
done

# ---- at random moments ----
# Both at once: what has reached the pipe, and what was recorded.
piped() { # OPTION...: of cancel_points random
	rm -rf "$TMP/pipe"
	LD_PRELOAD=$lib BINLOG_DIR=$TMP/pipe timeout -s KILL $COMMAND_TIME "$TMP/cancel_points" random "$@" \
		9>"$TMP/told" | cat >"$TMP/piped"
	echo "${PIPESTATUS[0]}"
}
for buffer in none lines full; do
	told recorded "$TMP/run" "$TMP/cancel_points" random "$count" $RANDOM $buffer
	same "$count at random, $buffer: they end" 0 "$(cat "$TMP/run/status")"
	same "$count at random, $buffer: nothing is lost or twice" "" \
		"$(python3 tests/support/cancel_check.py "$TMP/run/stdout" "$TMP/told")"
	same "$count at random, $buffer, piped: they end" 0 "$(piped "$count" $RANDOM $buffer)"
	# In the pipe itself glibc has some twice: who is cancelled right after its write leaves the buffer as it was.
	"$show" --raw --as-written -q -s stdout "$TMP/pipe" >"$TMP/shown"
	same "$count at random, $buffer, piped: nothing recorded is lost or twice" "" \
		"$(python3 tests/support/cancel_check.py "$TMP/shown" "$TMP/told")"
	BINLOG_MAX_SIZE=64K told recorded "$TMP/run" "$TMP/cancel_points" random "$count" $RANDOM $buffer
	same "$count at random, $buffer, full capture: they end" 0 "$(cat "$TMP/run/status")"
done

# ---- it leaves a word: who was cancelled, and nobody else ----
build cancelled
told natively "$TMP/native" "$TMP/cancelled"
told recorded "$TMP/run" "$TMP/cancelled"
numbers() { grep " $1 " "$TMP/told" | cut -d ' ' -f 1 | sort; }
lines() { "$show" -q -u "$@" "$TMP/run/capture" | grep ' end: thread'; }
verdict $(($(numbers cancelled | wc -l) != 9 || $(numbers ended | wc -l) != 4)) "of 13 threads 9 are cancelled, as natively"
same "who is cancelled is told of, and nobody else" "$(numbers cancelled)" \
	"$(lines | sed 's/.*\[[0-9]*:\([0-9]*\)\].*/\1/' | sort)"
same "by whom" "$(printf '2 thread cancelled by itself\n7 thread cancelled by thread N')" \
	"$(lines | sed 's/.* end: //; s/thread [0-9]*$/thread N/' | sort | uniq -c | sed 's/^ *//')"
main=$("$show" -q -u "$TMP/run/capture" | sed -n 's/.*\[[0-9]*:\([0-9]*\)\] stdout: main$/\1/p')
same "that is the thread that has called it" "6 $main" \
	"$(lines | sed -n 's/.*cancelled by thread //p' | sort | uniq -c | sed 's/^ *//' | grep " $main\$")"
same "the stack is that of the moment" 1 "$("$show" -q --stacks "$TMP/run/capture" |
	awk '/ end: thread cancelled by itself/ { n = 1 } / in_silence at / && n { print 1; exit }')"
same "in its cleanup it goes on" 2 "$("$show" -q -u "$TMP/run/capture" | grep -c ' stdout: cleanup$')"
same "it is no text" "$(grep -a . "$TMP/native/stdout" | sed 's/[0-9][0-9]*/N/')" \
	"$(raw stdout "$TMP/run/capture" | grep -a . | sed 's/[0-9][0-9]*/N/')"
same "the process has not ended by it" "exit status 3" "$(process_rows "$TMP/run/capture" | sed -n '2s/.*\(exit status 3\).*/\1/p')"
"$BUILD/binlog-pack" -q -f -o "$TMP/log.blog" "$TMP/run/capture"
same "a packed log has the same" "$(lines)" "$("$show" -q -u "$TMP/log.blog" | grep ' end: thread')"
same "for machines it is no end of a process" "9 cancelled 1 end" \
	"$("$show" -q -o json "$TMP/run/capture" | grep -o '"event":"[a-z]*"' | cut -d '"' -f 4 | sort | uniq -c | xargs)"
finish
