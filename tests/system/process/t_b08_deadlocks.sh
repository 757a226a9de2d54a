#!/bin/bash
# B8, B9: prints while the loader is busy.  A call that asked the loader for
# anything, or waited for one of its locks, would hang here.
. tests/support/lib.sh
$CC -g -w -O1 -shared -fPIC -o "$TMP/busy.so" "$here/victims/loader_lock_library.c" || exit 1
build loader_lock -ldl -rdynamic
runs=$([ -n "${LONG:-}" ] && echo 1000 || echo 100)

repeat() { # ROW WAY SENTENCE
	local why= ended=0 i
	natively "$TMP/native" "$TMP/loader_lock" "$2" "$TMP/busy.so"
	same "$1: it ends natively" 0 "$(cat "$TMP/native/status")"
	compare "$1: $3: recorded as it is natively" "$TMP/loader_lock" "$2" "$TMP/busy.so"
	rm -rf "$TMP/many"
	for ((i = 0; i < runs; i++)); do
		LD_PRELOAD=$lib BINLOG_DIR=$TMP/many timeout -s KILL 60 "$TMP/loader_lock" "$2" "$TMP/busy.so" >/dev/null 2>"$TMP/errors" &&
			ended=$((ended + 1))
	done
	same "$1: $3: $runs of $runs runs end" "$runs" "$ended"
	same "$1: and nothing of them is lost" \
		"$(for ((i = 0; i < runs; i++)); do cat "$TMP/native/stdout"; done | sort | uniq -c)" \
		"$(raw stdout "$TMP/many" | sort | uniq -c)"
}
repeat B8 library "a lock that a constructor wants"
repeat B9 callback "in a callback of dl_iterate_phdr"
finish
