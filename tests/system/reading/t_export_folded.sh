#!/bin/bash
# --output=folded: how many calls each stack has made, as speedscope reads it and as binlog-show's own stacks say.
. tests/support/exports.sh
record_exports
cd "$TMP" || exit 1
export_to folded folded capture
export_to packed folded log.blog
same_file "a packed log says the same as its captures" folded packed
same "all calls are counted" "$("$show" -q -o json capture | grep -c '"message"')" "$(awk '{ n += $NF } END { print n }' folded)"
# The lines of --stacks, turned round.
"$show" -q -S --grep worker capture | own_stacks | awk '/^    #0 / { if (stack) print stack; stack = "" }
	/^    #[0-9]+ / { name = $2; sub(/\+0x.*/, "", name); stack = name (stack ? ";" stack : "") } END { print stack }' |
	sort | uniq -c | awk '{ print "exports;" $2 ";\"worker %d request %ld took %f us from %s\\n\" " $1 }' >wanted
grep worker folded | sort >got
same_file "the functions are those of --stacks, the outermost first" wanted got
same "--depth leaves the outer ones out" 'exports;outer;inner;"worker %d request %ld took %f us from %s\n" 400' \
	"$("$show" -q -o folded -d 2 capture | grep worker)"
if ! is_long; then
	: # what npm has is asked for by `make check-long`
elif npm_package speedscope 1.25.0; then
	node "$consumers/speedscope.js" "$package" folded | sort >read
	sort folded >wanted
	same_file "the importer of speedscope reads the same stacks and counts" wanted read
else
	skip "speedscope of npm cannot be had"
fi

# Names that the format has a meaning for.
cat >'semi;colon 12.c' <<'END'
#include <stdio.h>
int main(void) { printf("a;b %d;;\n", 1); return 0; }
END
gcc -g -o 'semi;colon 12' 'semi;colon 12.c' && BINLOG_DIR=semi LD_PRELOAD=$lib './semi;colon 12' >/dev/null
same "semicolons of names and formats are none that divide" 'semi:colon 12;main;"a:b %d::\n" 1' "$("$show" -q -o folded -d 1 semi)"
finish
