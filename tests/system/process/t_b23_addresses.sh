#!/bin/bash
# B23b: the address space has a limit (RLIMIT_AS), from the start or set by the
# program: it has as much of it as natively, but for some megabytes, and what
# cannot be recorded is written.
. tests/support/lib.sh
build addresses

# Threads are in the order of their numbers, so order and place can be told.
limited() { # SENTENCE COMMAND...
	local why=''
	natively "$TMP/native" "${@:2}"
	recorded "$TMP/recorded" "${@:2}"
	cat "$TMP/recorded/real.stdout" >>"$TMP/recorded/stdout"
	: >"$TMP/recorded/real.stdout"
	why=$(differences "$TMP/native" "$TMP/recorded")
	verdict ${#why} "B23b: $1" "$why"
}
for sizes in '40 16 2' '64 32 4' '256 200 8' '1024 900 16'; do
	read -r limit allocate threads <<<"$sizes"
	limited "$limit MiB, set by the program, which takes $allocate" "$TMP/addresses" "$limit" "$allocate" "$threads"
	limited "$limit MiB from the start, the program takes $allocate" \
		prlimit --as=$((limit << 20)) "$TMP/addresses" 0 "$allocate" "$threads"
done
limited "enough for the program alone" prlimit --as=$((16 << 20)) "$TMP/addresses" 0 4 1
for kib in 20000 50000 200000 2000000; do
	limited "ulimit -v $kib, a real program" sh -c "ulimit -v $kib; exec seq 20000"
done
# What is taken while little is said.
cat >"$TMP/size.c" <<'C'
#include <stdio.h>
#include <string.h>
int main(void)
{
	char line[256];
	FILE *status = fopen("/proc/self/status", "r");
	printf("hello\n");
	while (fgets(line, sizeof(line), status))
		if (strncmp(line, "VmSize:", 7) == 0)
			fputs(line, stderr);
	return 0;
}
C
$CC -O1 -w -o "$TMP/size" "$TMP/size.c" || exit 1
natively "$TMP/native" "$TMP/size"
recorded "$TMP/recorded" "$TMP/size"
before=$(tr -dc 0-9 <"$TMP/native/stderr")
after=$(tr -dc 0-9 <"$TMP/recorded/stderr")
verdict $((after - before > 16384)) "B23b: $((after - before)) KiB of addresses are taken at first, less than 16 MiB"
finish
