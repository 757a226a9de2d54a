#!/bin/bash
# BINLOG_MAX_SIZE: a capture grows no further; the text then goes where it
# would have gone, and is counted.
. tests/support/lib.sh
. tests/support/accounts.sh
build disk_full
build fault_load
"$TMP/disk_full" nothing 1500 "$TMP" >"$TMP/native" 2>"$TMP/native.err" 9>/dev/null
cat "$TMP/native.err" >>"$TMP/native"

capped() { # SIZE MODE: what is wrong
	local status
	rm -rf "$TMP/capture"
	BINLOG_MAX_SIZE=$1 BINLOG_DIR=$TMP/capture BINLOG_STREAMS=all=$2 LD_PRELOAD=$lib \
		"$TMP/disk_full" nothing 1500 "$TMP" >"$TMP/real" 2>"$TMP/real.err" 9>"$TMP/calls"
	status=$?
	[ $status -eq 3 ] || echo "it ended with $status"
	cat "$TMP/real.err" >>"$TMP/real"
	account "$2" "$TMP/native" "$TMP/real" "$TMP/capture" "$(cat "$TMP/calls")"
}
size_of_capture() { find "$TMP/capture" -name '*.binlog' -printf %s 2>/dev/null | grep . || echo 0; }
for mode in replace tee; do
	while read -r size bytes wanted; do
		why=$(capped "$size" $mode)
		verdict ${#why} "BINLOG_MAX_SIZE=$size, $mode: $(cat "$TMP/sum")" "$why"
		verdict $(($(size_of_capture) > bytes)) "BINLOG_MAX_SIZE=$size, $mode: no larger than that" "$(size_of_capture)"
		grep -qE "$wanted" "$TMP/sum"
		verdict $? "BINLOG_MAX_SIZE=$size, $mode: as much as fits is recorded" "$(cat "$TMP/sum")"
	done <<-'SIZES'
		0         0        ^0.captured,.4503.passed
		4096      4096     ^0.captured,.4503.passed
		64K       65536    ^[1-9][0-9]*.captured,.[1-9][0-9]*.passed,.0
		1m        1048576  ^[1-9][0-9]*.captured,.[1-9][0-9]*.passed,.0
		1000001   1000001  ^[1-9][0-9]*.captured,.[1-9][0-9]*.passed,.0
		1G        9999999  ^4503.captured,.0.passed,.0
		99999999T 9999999  ^4503.captured,.0.passed,.0
		much      9999999  ^4503.captured,.0.passed,.0
	SIZES
done
capped 64K replace >/dev/null
"$show" "$TMP/capture" >/dev/null 2>&1
same "what is passed at the cap is no damage" 0 $?
before=$(tail -n 1 "$TMP/decoded")
first=$(head -n 1 "$TMP/real")
same "where the capture ends, the file begins" "$(grep -aFxn "$before" "$TMP/native" | cut -d : -f 1)" \
	$(($(grep -aFxn "$first" "$TMP/native" | cut -d : -f 1) - 1))

# Characters and calls in turns: those that were collected come after what was passed before them.
cat >"$TMP/turns.c" <<'END'
#include <stdio.h>
int main(int count, char **arguments)
{
	for (int i = 0; i < 3000; i++) {
		fprintf(stdout, "line %d of many", i);
		putc('x', stdout);
		count > 1 && *arguments[1] == 'm' ? putc_unlocked('y', stdout) : 0;
		putc('\n', stdout);
	}
	return 0;
}
END
gcc -O2 -o "$TMP/turns" "$TMP/turns.c"
for size in 4096 16K 40K; do
	for how in functions macros; do
		rm -rf "$TMP/capture"
		"$TMP/turns" $how >"$TMP/native.turns"
		BINLOG_MAX_SIZE=$size BINLOG_DIR=$TMP/capture LD_PRELOAD=$lib "$TMP/turns" $how >"$TMP/real.turns"
		"$show" --raw -q "$TMP/capture" >"$TMP/decoded.turns" 2>/dev/null
		cat "$TMP/real.turns" >>"$TMP/decoded.turns"
		same_file "BINLOG_MAX_SIZE=$size: characters by $how keep their order" "$TMP/native.turns" "$TMP/decoded.turns"
	done
done

# Threads and children share one cap.
for way in threads forks long; do
	(cd "$TMP" && "$TMP/fault_load" $way >"$TMP/native" 9>/dev/null)
	rm -rf "$TMP/capture"
	BINLOG_MAX_SIZE=40K BINLOG_DIR=$TMP/capture LD_PRELOAD=$lib \
		"$TMP/fault_load" $way >"$TMP/real" 9>"$TMP/calls"
	why=$(account replace "$TMP/native" "$TMP/real" "$TMP/capture" "$(cat "$TMP/calls")")
	verdict ${#why} "BINLOG_MAX_SIZE=40K, $way: $(cat "$TMP/sum")" "$why"
	verdict $(($(size_of_capture) > 40960)) "BINLOG_MAX_SIZE=40K, $way: no larger than that" "$(size_of_capture)"
done

# What appends stands where it natively would, however much of it was passed before anybody asked.
cat >"$TMP/positions.c" <<'END'
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>
int main(int count, char **arguments)
{
	static char text[4000];
	const struct iovec v[] = {{"one\n", 4}, {"two\n", 4}};
	for (int i = 0; i < atoi(arguments[count - 1]); i++) {
		for (size_t k = 0; k < sizeof text; k++)
			text[k] = (char)(33 + rand() % 90);
		if (write(1, text, sizeof text) < 0)
			return 1;
	}
	for (int way = 0; way < 4; way++) {
		long done = way == 0   ? pwritev(1, v, 2, 3)
			    : way == 1 ? pwrite(1, "p\n", 2, 1)
			    : way == 2 ? pwritev2(1, v, 2, 3, 0)
				       : pwritev2(1, v, 2, -1, 0);
		fprintf(stderr, "%d: %ld, at %ld, ", way, done, (long)lseek(1, 0, SEEK_CUR));
		if (way % 2)
			fprintf(stderr, "end %ld", (long)lseek(1, 0, SEEK_END));
		fputs("\n", stderr);
	}
	return 0;
}
END
gcc -O2 -w -o "$TMP/positions" "$TMP/positions.c"
for texts in 0 3 100; do
	echo "was there" | tee "$TMP/native.file" >"$TMP/real.file"
	rm -rf "$TMP/capture"
	"$TMP/positions" $texts >>"$TMP/native.file" 2>"$TMP/native.said"
	BINLOG_MAX_SIZE=64K BINLOG_STREAMS=stderr=pass BINLOG_DIR=$TMP/capture LD_PRELOAD=$lib \
		"$TMP/positions" $texts >>"$TMP/real.file" 2>"$TMP/real.said"
	same_file "BINLOG_MAX_SIZE=64K: positions of an output that appends, after $texts texts" "$TMP/native.said" "$TMP/real.said"
done
finish
