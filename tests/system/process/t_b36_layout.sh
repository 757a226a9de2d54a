#!/bin/bash
# B36: a file that processes of 32 and of 64 bits share: the layout is the same
# for every machine, and has nothing in it whose size a machine decides.
. tests/support/lib.sh
cat >"$TMP/layout.c" <<'C'
#include "record/layout.h"
C
asserted=$(grep -c '^_Static_assert' record/layout.h)
structs=$(grep -cE '^struct binlog_[a-z_]+ \{' record/layout.h)
same "B36: the size of each struct of the layout is asserted" "" \
	"$(grep -oE '^struct binlog_[a-z_]+ \{' record/layout.h | while read -r _ name _; do
		grep -qE "^_Static_assert\(sizeof\(struct $name\) ==" record/layout.h || echo "$name"
	done)"
verdict $((asserted < 2 * structs)) "B36: and the places of fields: $asserted assertions about $structs structs"
tried=0
built_for() { # NAME COMPILER OPTION...
	local why
	if ! echo 'int x;' | "${@:2}" -fsyntax-only -x c - 2>/dev/null; then
		skip "B36: $1: there is no compiler for it"
		return
	fi
	tried=$((tried + 1))
	why=$("${@:2}" -std=gnu11 -ffreestanding -fsyntax-only -Wall -Wno-unused -I. "$TMP/layout.c" 2>&1)
	verdict $? "B36: the same for $1" "$why"
}
built_for x86-64 gcc -m64
built_for "32 bits (i386, where 64-bit numbers are aligned to 4)" gcc -m32
built_for "64-bit registers, 32-bit addresses (x32)" gcc -mx32
for machine in aarch64-linux-gnu arm-linux-gnueabihf riscv64-linux-gnu; do
	built_for $machine clang --target=$machine
done
verdict $((tried < 2)) "B36: for more than one machine"
# Comments aside: no type of another size elsewhere, no pointer, no lock.
same "B36: every field has a type of fixed width" "" "$(
	$CC -fpreprocessed -dD -E -P -std=gnu11 record/layout.h | awk '
		/^struct binlog_[a-z_]+ *\{/ { inside = 1; next }
		/^\}/ { inside = 0 }
		{ sub(/^[ \t]*BINLOG_NO_STRING /, "") } # says how it ends, and nothing about its size
		inside && !/^[ \t]*(u?int(8|16|32|64)_t|binlog_u64|char|struct binlog_[a-z_]+) [a-z_]+(\[[A-Za-z0-9_]+\])?(, [a-z_]+)*;/ &&
			!/^[ \t]*struct binlog_[a-z_]+$/ && !/^[ \t]*[a-z_]+;$/')"
finish
