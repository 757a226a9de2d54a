#!/bin/bash
# The place that binlog-show --location tells is the one where the author of a message has written it, whatever the message
# went through: functions that log for others, macros, templates, streams, and calls that compilers turn into jumps.
. tests/support/lib.sh

# Each text begins with the line that it was written in.
wrong_places() { # CAPTURE FILE
	"$show" -q --location "$1" | awk -v file="$2" '{
		if (!match($0, /(stdout|stderr|user\.info): /)) { print "? " $0; next }
		rest = substr($0, RSTART + RLENGTH)
		if (!match(rest, /[0-9]+: [^:]*$/)) { print "no line: " $0; next }
		line = substr(rest, RSTART); sub(/:.*/, "", line)
		if (index(rest, file ":" line ": ") != 1) print rest
	}'
}

check() { # TITLE MESSAGES SOURCE COMPILER...
	local title=$1 messages=$2 source=$3 out=$TMP/program
	shift 3
	"$@" -w -g -o "$out" "$here/victims/$source" 2>"$TMP/why" || {
		not_ok "$title: it compiles" "$(cat "$TMP/why")"
		return
	}
	rm -rf "$TMP/capture"
	LD_PRELOAD=$lib BINLOG_DIR=$TMP/capture "$out" >"$TMP/out" 2>"$TMP/err" </dev/null
	same "$title: all is recorded" "$messages" "$("$show" -q "$TMP/capture" | wc -l)"
	same "$title: the place is that of the author" "" "$(wrong_places "$TMP/capture" "$source")"
}

# Two jumps that a compiler makes one are one place.
for level in 0 1 2 3 s; do
	check "gcc -O$level" 21 call_sites.c gcc -O$level -fno-crossjumping
	check "g++ -O$level" 8 call_sites_cxx.cc g++ -O$level
done
check "gcc -O2 -D_FORTIFY_SOURCE=2" 21 call_sites.c gcc -O2 -D_FORTIFY_SOURCE=2
check "gcc -O2 -flto" 21 call_sites.c gcc -O2 -flto
check "gcc -O2 -no-pie" 21 call_sites.c gcc -O2 -no-pie -fno-pie
check "gcc -O2 -gdwarf-4" 21 call_sites.c gcc -O2 -gdwarf-4
if command -v clang >/dev/null; then
	for level in 0 2; do
		check "clang -O$level" 21 call_sites.c clang -O$level
		check "clang++ -O$level" 8 call_sites_cxx.cc clang++ -O$level
	done
else
	skip "clang: no such program here"
fi

# ---- frames of jumps are marked, and only where there is no doubt ----
gcc -O2 -w -g -o "$TMP/program" "$here/victims/call_sites.c"
rm -rf "$TMP/capture"
LD_PRELOAD=$lib BINLOG_DIR=$TMP/capture "$TMP/program" >/dev/null 2>&1
same "a function that has jumped to another one that jumps: both are on the stack" \
	"variadic jumps_to_variadic jumps_to_one_that_jumps main" \
	"$("$show" -q --stacks "$TMP/capture" | grep -A 5 "jumps to a function" | awk '/stdio|^--/ { next } /jumps to/ { delete names; n = 0; next } { names[n++] = $2 } END { for (i = 0; i < 4; i++) print names[i] }' | xargs)"
"$show" --raw -q "$TMP/capture" >"$TMP/raw"
"$show" --raw -q --location "$TMP/capture" >"$TMP/raw.where"
same_file "the bytes are the same with --location" "$TMP/raw" "$TMP/raw.where"
finish
