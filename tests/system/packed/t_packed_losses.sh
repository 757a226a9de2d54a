#!/bin/bash
# What is damaged in captures is damaged in their log, too: as much is told of it, however much it is.
. tests/support/lib.sh
. tests/packed/common.sh

$CC -std=gnu11 -D_GNU_SOURCE -g -O2 -w -I. -o "$TMP/varying" "$here/bench/varying.c" || exit 1
say varying "$TMP/varying" 2000000 1

damage() { # TIMES: as many places of the capture, far apart, become others
	python3 - "$1" "$TMP"/c/varying/*.binlog <<'P'
import sys
times = int(sys.argv[1])
with open(sys.argv[2], "r+b") as file:
    data = file.read()
    used = len(data.rstrip(b"\0"))
    for i in range(times):
        file.seek((i + 1) * used // (times + 2))
        file.write(b"\xff" * 64)
P
}
losses() { # PATH: how many damages are told
	"$show" -q --raw "$1" 2>&1 >/dev/null | awk '/^and [0-9]+ more of this kind$/ {n += $2; next} {n++} END {print n + 0}'
}
for times in 3 100; do
	damage $times
	told=$(losses "$TMP/c/varying")
	[ "$told" -ge $((times < 32 ? times : 40)) ]
	verdict $? "$times damages: the capture has $told" "$told"
	"$tool" -q -f -o "$TMP/log.blog" "$TMP/c/varying" 2>"$TMP/said"
	same "and binlog-pack says as many" "$told" \
		"$(awk '/^and [0-9]+ more of this kind$/ {n += $2; next} {n++} END {print n + 0}' "$TMP/said")"
	same "$times damages: the log has as many" "$told" "$(losses "$TMP/log.blog")"
	"$show" --recover "$TMP/c/varying" >"$TMP/recovered.blog" 2>"$TMP/said"
	same "$times damages: so has what --recover makes" "$told" "$(losses "$TMP/recovered.blog")"
done
finish
