#!/bin/bash
# libunwind as a second opinion: real programs are recorded with our own unwinder and with libunwind, and each message has
# the same stack.  LONG=1: a hundred thousand stacks.
. tests/support/lib.sh
export XDG_CACHE_HOME=$TMP/cache
if ! ldconfig -p | grep -q libunwind.so.8; then
	skip "two unwinders: libunwind is not installed"
	finish
fi

same "libunwind is the one that unwinds when it is asked for" 1 "$(BINLOG_UNWINDER=libunwind BINLOG_STREAMS=all=tee \
	LD_PRELOAD=$lib BINLOG_DIR=$TMP/maps awk 'BEGIN { printf "said\n"; fflush(); while ((getline < "/proc/self/maps") > 0)
		if (/libunwind\.so/) found = 1; print found + 0 }' | tail -n 1)"

total=0
stacks() { # UNWINDER COMMAND...: of each message, and nothing that differs from run to run
	rm -rf "$TMP/capture"
	BINLOG_UNWINDER=$1 LD_PRELOAD=$lib BINLOG_DIR=$TMP/capture "${@:2}" </dev/null >/dev/null 2>&1
	"$show" --stacks --columns=stream,message "$TMP/capture" 2>/dev/null
}
alike() { # COMMAND...
	stacks cfi "$@" >"$TMP/own"
	stacks libunwind "$@" >"$TMP/other"
	local count
	count=$(grep -c '^    #0 ' "$TMP/own")
	total=$((total + count))
	same_file "$1: $count stacks are as libunwind has them" "$TMP/other" "$TMP/own"
}
many=$(is_long && echo 20000 || echo 1000)
alike objdump -d "$(is_long && echo /bin/ls || echo /bin/true)"
alike readelf -aW /bin/bash
alike nm -D "$($CC -print-file-name=libc.so.6)"
alike ls -lR /usr/include
alike bash -c "for ((i = 0; i < $many; i++)); do echo \$i; done"
alike gawk "BEGIN { for (i = 0; i < $many; i++) printf \"%d %s\n\", i, \"words\" }"
alike sqlite3 :memory: "with recursive c(x) as (select 1 union all select x + 1 from c where x < $many) select x, x * 2 from c"
alike jq -n "range($many)"
alike python3 -c "import json
for i in range($many): print('line %d %s' % (i, json.dumps({'a': i})))"
alike g++ --help=optimizers
least=$(is_long && echo 100000 || echo 5000)
verdict $((total < least)) "$total stacks, at least $least"
finish
