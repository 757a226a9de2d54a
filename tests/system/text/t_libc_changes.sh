#!/bin/bash
# What differs from one glibc to the next (record/libc_changes.def) is as the libc has it that the program runs with:
# texts, what is lost of a call that fails, return values and errno; also after packing.
. tests/support/lib.sh
build failing -fno-builtin

for mode in full lines none small wide; do
	compare "calls that fail, $mode: as natively" "$TMP/failing" $mode
done
# Before glibc 2.34 there is a library of its own for threads, which most programs do not have.
cc -std=gnu11 -D_GNU_SOURCE -O1 -w -fno-builtin -o "$TMP/failing" "$here/victims/failing.c"
compare "by a program without threads: as natively" "$TMP/failing" full

# ---- the capture names the libc ----
version=$(getconf GNU_LIBC_VERSION)
version=${version#glibc }
number=$((${version%%.*} * 1000 + ${version#*.}))
named() { od -An -tu4 -j156 -N4 "$1" | xargs; }
same "a capture names its libc" $number "$(named "$TMP"/recorded/capture/*.binlog)"
"$BUILD/binlog-pack" -q -o "$TMP/packed" "$TMP/recorded/capture"
for stream in stdout stderr; do
	"$show" --raw --as-written -q --stream=$stream "$TMP/packed" >"$TMP/got"
	same_file "packed: $stream is as natively" "$TMP/native/$stream" "$TMP/got"
done

# ---- one that names none is of 2.36 ----
older() { # what the capture says if its libc is this number
	cp "$TMP"/recorded/capture/*.binlog "$TMP/older.binlog"
	printf "%b" "$(printf '\\x%02x' $(($1 & 255)) $(($1 >> 8)) 0 0)" |
		dd of="$TMP/older.binlog" bs=1 seek=156 conv=notrunc status=none
	[ "$(named "$TMP/older.binlog")" = "$1" ] || echo "it has $(named "$TMP/older.binlog")"
	"$show" --raw --as-written -q --stream=stderr "$TMP/older.binlog" 2>&1
}
older 2036 >"$TMP/of_36"
older 0 >"$TMP/of_none"
same_file "a capture that names no libc is read as one of 2.36" "$TMP/of_36" "$TMP/of_none"
finish
