#!/bin/bash
# B30: processes with the same pid: in two namespaces with one directory of
# captures, and one after the other within one capture.
. tests/support/lib.sh
build pids
lines() { sed 's/^[^]]*\] //'; }

# ---- one directory, two namespaces ----
namespace=(unshare --pid --fork --kill-child)
$CC -w -o "$TMP/speak" -x c - <<'C' || exit 1
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{ /* waits until the other one has spoken, too */
	char c;
	printf("%s is %d\n", argv[1], (int)getpid());
	write(9, "x", 1);
	read(8, &c, 1);
	for (int i = 0; i < atoi(argv[2]); i++)
		printf("%s line %d\n", argv[1], i);
	return 0;
}
C
if ! "${namespace[@]}" true 2>"$TMP/why"; then
	skip "B30: two namespaces: $(head -n 1 "$TMP/why")"
else
	mkfifo "$TMP/there" "$TMP/go"
	exec 7<>"$TMP/there" 8<>"$TMP/go"
	for who in one two; do
		"${namespace[@]}" env LD_PRELOAD="$lib" BINLOG_DIR="$TMP/shared" \
			"$TMP/speak" $who 5000 9>&7 >"$TMP/real.$who" 2>&1 &
	done
	read -r -u 7 -n 2 _
	printf xx >&8
	wait
	exec 7>&- 8>&-
	same "B30: two namespaces at the same time: two captures" 2 "$(ls "$TMP/shared" | wc -l)"
	for who in one two; do
		{
			echo "$who is 1"
			for ((i = 0; i < 5000; i++)); do echo "$who line $i"; done
		} >"$TMP/wanted"
		for capture in "$TMP"/shared/*; do
			raw stdout "$capture" | cmp -s - "$TMP/wanted" && ok "B30: that of $who is complete, as of pid 1" && continue 2
		done
		not_ok "B30: that of $who is complete, as of pid 1" "$(ls -l "$TMP/shared")"
	done
	same "B30: --pid=1 means both" 10002 "$("$show" --raw -q --pid=1 "$TMP/shared" | wc -l)"
	same "B30: both are processes of their own" 2 \
		"$("$show" --processes "$TMP/shared" | grep -c '^ *1 .* 5001 ')"
	same "B30: nothing was written" "" "$(cat "$TMP"/real.*)"
fi

# ---- one capture ----
tried() { # natively|recorded DIR WAY: again when somebody else was given the number meanwhile
	local attempt
	for attempt in 1 2 3 4 5; do
		exec 9>"$TMP/said"
		"$1" "$2" "$TMP/pids" "$3"
		exec 9>&-
		[ "$(cat "$2/status")" = 2 ] || break
		sleep 0.$attempt
	done
}
for way in namespace again; do
	tried natively "$TMP/native" $way
	tried recorded "$TMP/recorded" $way
	if [ "$(cat "$TMP/native/status")" = 2 ]; then
		skip "B30: the same pid twice ($way): the kernel does not allow it here"
		continue
	fi
	pid=$(head -n 1 "$TMP/said")
	same "B30: $way: two children had pid $pid" "$pid" "$(uniq "$TMP/said")"
	same "B30: $way: they are in one capture" 1 "$(ls "$TMP/recorded/capture" | wc -l)"
	why=$(differences "$TMP/native" "$TMP/recorded")
	verdict ${#why} "B30: $way: what one holds back is not written by the other" "$why"
	same "B30: $way: nor does one go on with the other's line" "stderr: unfinished 1, 
stderr: unfinished 2, finished 2" \
		"$("$show" -q "$TMP/recorded/capture" | lines | grep ^stderr | sort)"
	same "B30: $way: --pid=$pid means both" "child 1 lives
child 2 lives
held back by 2" "$("$show" --raw --as-written -q --stream=stdout --pid="$pid" "$TMP/recorded/capture")"
	same "B30: $way: they are two processes, with one parent" 2 \
		"$("$show" --processes "$TMP/recorded/capture" | grep -c "^ *$pid .*\\\\_ pids\$")"
done
finish
