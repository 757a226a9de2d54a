#!/bin/bash
# B16: RLIMIT_FSIZE, from the start and set by the program, before the capture
# may grow and while it does: no SIGXFSZ, nothing lost, all of it counted.
. tests/support/lib.sh
. tests/support/accounts.sh
build disk_full
lines=600

# Natively to pipes, since files could not be written either.
under() { # MODE WAY COMMAND...: what is wrong; the command runs disk_full
	local status
	rm -rf "$TMP/limited"
	{
		{
			BINLOG_DIR=$TMP/limited BINLOG_STREAMS=all=$1 "${@:3}" "$lib" \
				"$TMP/disk_full" "$2" $lines "$TMP" 2>&3 9>&4 | cat >"$TMP/real"
			echo "${PIPESTATUS[0]}" >"$TMP/status"
		} 3>&1 | cat >"$TMP/real.err"
	} 4>&1 | cat >"$TMP/calls"
	status=$(cat "$TMP/status")
	[ "$status" -eq 3 ] || echo "it ended with $status"
	cat "$TMP/real.err" >>"$TMP/real"
	account "$1" "$TMP/native" "$TMP/real" "$TMP/limited" "$(cat "$TMP/calls")"
}
check() { # SENTENCE MODE WAY COMMAND...
	local why
	why=$(under "${@:2}")
	verdict ${#why} "B16: $1, $2: $(cat "$TMP/sum")" "$why"
}
preloaded() { LD_PRELOAD=$1 "${@:2}"; }
# shellcheck disable=SC2317
limited() { (ulimit -f "$1" && LD_PRELOAD=$2 exec "${@:3}"); }

"$TMP/disk_full" nothing $lines "$TMP" >"$TMP/native" 2>"$TMP/native.err" 9>/dev/null
cat "$TMP/native.err" >>"$TMP/native"
for mode in replace tee; do
	for blocks in 0 1 64 200; do
		check "ulimit -f $blocks from the start" $mode nothing limited $blocks
	done
	for bytes in 0 4096 40000 300000; do
		check "$bytes bytes, set by the program and taken back" $mode limit=$bytes preloaded
	done
done

# An output that is replaced does not grow, so its limit is not met; one that
# is also written meets it as natively.
"$TMP/disk_full" limit=40000 $lines "$TMP" >"$TMP/out" 2>/dev/null 9>/dev/null
status=$?
same "natively the limit of the output kills" 153 $status
BINLOG_DIR=$TMP/own BINLOG_STREAMS=all=tee LD_PRELOAD=$lib \
	"$TMP/disk_full" limit=40000 $lines "$TMP" >"$TMP/written" 2>/dev/null 9>/dev/null
same "B16: and so it does where the output is also written" $status $?
same_file "B16: after the same bytes" "$TMP/out" "$TMP/written"
rm -rf "$TMP/own"
BINLOG_DIR=$TMP/own BINLOG_STREAMS=all=replace LD_PRELOAD=$lib \
	"$TMP/disk_full" limit=4000000 $lines "$TMP" >"$TMP/written" 2>/dev/null 9>/dev/null
same "B16: a replaced output ends as it does without a limit" 3 $?
same "B16: and has all of it" "$(grep -vc errors "$TMP/native")" "$(raw stdout "$TMP/own" | wc -l)"
# ---- a limit below what the capture has already ----
cat >"$TMP/later.c" <<'END'
#include <stdio.h>
#include <sys/resource.h>
int main(void)
{
	struct rlimit limit = {4096, 4096};

	printf("before\n");
	setrlimit(RLIMIT_FSIZE, &limit);
	for (int i = 0; i < 20000; i++)
		printf("line %d\n", i);
	return 3;
}
END
$CC -O1 -w -o "$TMP/later" "$TMP/later.c" || exit 1
LD_PRELOAD=$lib BINLOG_DIR=$TMP/capture.later "$TMP/later" | cat >"$TMP/later.real"
same "B16: a limit below the size of the capture does not kill" 3 "${PIPESTATUS[0]}"
same_file "B16: below the size of the capture nothing is lost" \
	<(echo before; for ((i = 0; i < 20000; i++)); do echo "line $i"; done) "$TMP/later.real"
finish
