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
finish
