#!/bin/bash
# B5k, D1: SIGKILL at random moments, with the capture on a disk and in memory:
# what has returned before is in the capture, whole, and nothing is damaged.
# KILLS is how many; LONG=1 means many.
. tests/support/lib.sh
kills=${KILLS:-$([ -n "${LONG:-}" ] && echo 1000 || echo 200)}
build kill -O2
build kill_check -O2
page=$TMP/page

kill_once() { # CAPTURE: after 4 to 24 ms; with KILL_TALKING=1, of its talking
	rm -rf "$1"
	KILL_AFTER=$((4000 + RANDOM % 20000)) KILL_PRELOAD=$lib \
		BINLOG_DIR=$1 "$TMP/kill_check" "$page" \
		"$TMP/kill" "$page" >"$TMP/real" 2>&1
}
# Also that no thread has more than one line that has not returned, and that
# binlog-show finds no damage.
check() { # CAPTURE [CLAIM]
	"$TMP/kill_check" "$page" "$show" "$@"
}
kill_often() { # CAPTURE WHERE
	local bad=0 lines=0 empty=0 i
	: >"$TMP/whys"
	# In turns at any moment, its start and a slow machine's included, and
	# surely while it prints.
	for ((i = 0; i < kills / 2; i++)); do
		if KILL_TALKING=$((i % 2)) kill_once "$1" && [ ! -s "$TMP/real" ] && [ ! -d "$1" ]; then
			empty=$((empty + 1)) # it has not come to our constructor
		elif [ -s "$TMP/real" ] || ! check "$1" >"$TMP/why" 2>"$TMP/complaint"; then
			bad=$((bad + 1))
			head -qn 3 "$TMP/real" "$TMP/why" "$TMP/complaint" >>"$TMP/whys"
		else
			lines=$((lines + $(cat "$TMP/why")))
		fi
	done
	verdict $bad "B5k D1: $((kills / 2)) kills, captures on $2: no line that has returned is lost or torn" \
		"$bad runs: $(head -n 10 "$TMP/whys")"
	verdict $((lines < 50 * kills)) "$lines lines were said before the kills"
	verdict $((empty > kills / 4)) "most had begun when they were killed" "$empty"
}

kill_often "$TMP/capture" "$(stat -f -c %T "$TMP" | sed 's/^ext2.*/ext4/')"
memory=$(mktemp -d /dev/shm/binlog-tests.XXXXXX 2>"$TMP/why")
if [ -n "$memory" ] && [ "$(stat -f -c %T "$memory")" = tmpfs ]; then
	trap 'rm -rf "$memory"' EXIT
	kill_often "$memory/capture" tmpfs
else
	skip "B5k D1: captures on tmpfs: $(cat "$TMP/why") /dev/shm is none"
fi

# ---- the check itself ----
until KILL_TALKING=1 kill_once "$TMP/capture" && check "$TMP/capture" >"$TMP/why" && [ "$(cat "$TMP/why")" -gt 1000 ]; do
	[ $((tries = ${tries:-0} + 1)) -lt 10 ] || break
done
check "$TMP/capture" 2 >"$TMP/why"
same "the check finds lines that are not there" 1 $?
$CC -O1 -w -o "$TMP/tearer" -x c - <<'C' || exit 1
#include <stdio.h>
int main(int argc, char **argv)
{ /* binlog-show, but one byte in the middle is another */
	char command[4096];
	snprintf(command, sizeof(command), "$SHOW --raw -q %s", argv[3]);
	FILE *log = popen(command, "r");
	for (long n = 0, c; (c = getc(log)) != EOF; n++)
		putchar(n == 10000 ? c ^ 1 : (int)c);
	return pclose(log) != 0;
}
C
SHOW=$show "$TMP/kill_check" "$page" "$TMP/tearer" "$TMP/capture" >"$TMP/why"
same "the check finds a changed byte" 1 $?
finish
