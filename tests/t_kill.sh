#!/bin/bash
# SIGKILL at random moments: what was said before is in the capture, whole.
# KILLS is how many; LONG=1 means many.
. tests/lib.sh
kills=${KILLS:-$([ -n "${LONG:-}" ] && echo 1000 || echo 200)}
build kill -O2
build kill_check -O2
page=$TMP/page

kill_once() { # after 5 to 40 ms
	rm -rf "$TMP/capture"
	KILL_AFTER=$((5000 + RANDOM % 35000)) KILL_PRELOAD=$lib \
		BINLOG_DIR=$TMP/capture "$TMP/kill_check" "$page" \
		"$TMP/kill" "$page" >"$TMP/real" 2>&1
}
check() { "$TMP/kill_check" "$page" "$show" "$TMP/capture" "$@"; }

bad=0
lines=0
empty=0
for ((i = 0; i < kills; i++)); do
	if kill_once && [ ! -s "$TMP/real" ] && [ ! -d "$TMP/capture" ]; then
		empty=$((empty + 1)) # it has not come to our constructor
	elif [ -s "$TMP/real" ] || ! check >"$TMP/why" 2>"$TMP/complaint"; then
		bad=$((bad + 1))
		head -qn 3 "$TMP/real" "$TMP/why" "$TMP/complaint" >>"$TMP/whys"
	else
		lines=$((lines + $(cat "$TMP/why")))
	fi
done
verdict $bad "$kills kills: no line that was said is lost or torn" \
	"$bad runs: $(head -n 10 "$TMP/whys" 2>/dev/null)"
verdict $((lines < 100 * kills)) "$lines lines were said before the kills"
verdict $((empty > kills / 2)) "most had begun when they were killed" "$empty"

# The check itself.
until kill_once && check >"$TMP/why" && [ "$(cat "$TMP/why")" -gt 1000 ]; do
	[ $((tries = ${tries:-0} + 1)) -lt 10 ] || break
done
check 2 >"$TMP/why"
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
