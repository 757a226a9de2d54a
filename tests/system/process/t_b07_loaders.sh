#!/bin/bash
# B7: the ways to load a library, and to find a function, by which a call does
# not reach us.  What escapes is written as natively; which ways these are is
# the list tests/support/escapes.txt, which is compared with what happens.
. tests/support/lib.sh
library=$here/victims/loaders_library.c
$CC -g -w -O1 -shared -fPIC -o "$TMP/plain.so" "$library" &&
	$CC -g -w -O1 -shared -fPIC -Wl,-Bsymbolic -o "$TMP/symbolic.so" "$library" &&
	$CC -g -w -O1 -shared -fPIC -fno-plt -Wl,-z,now -o "$TMP/noplt.so" "$library" &&
	$CC -g -w -O1 -shared -fPIC -fvisibility=protected -Wl,-z,lazy -o "$TMP/protected.so" "$library" &&
	$CC -g -w -O1 -shared -fPIC -DOWN_PRINTF -o "$TMP/own.so" "$library" || exit 1
build loaders -ldl
cp "$TMP/loaders" "$TMP/loaders_plt"
build loaders -ldl -fno-plt -Wl,-z,now
cp "$TMP/loaders" "$TMP/loaders_noplt"
build loaders -ldl -no-pie -fno-pie
cp "$TMP/loaders" "$TMP/loaders_nopie"
build loaders -ldl -static-pie 2>/dev/null

: >"$TMP/escapes"
way() { # WORD PROGRAM ARGUMENT...
	local verdict=recorded
	natively "$TMP/native" "${@:2}"
	recorded "$TMP/recorded" "${@:2}"
	[ ! -s "$TMP/recorded/real.stdout" ] || verdict=escapes
	echo "$1: $verdict" >>"$TMP/escapes"
	# Wherever it went: once, and in the order of what is in one place.
	same "B7: $1: all is there once: recorded, or written as natively" \
		"$(sort "$TMP/native/stdout"; cat "$TMP/native/status")" \
		"$(sort "$TMP/recorded/stdout" "$TMP/recorded/real.stdout"; cat "$TMP/recorded/status")"
}
program=$TMP/loaders_plt
way dlopen "$program" now "$TMP/plain.so"
way RTLD_LAZY "$program" lazy "$TMP/plain.so"
way RTLD_GLOBAL "$program" global "$TMP/plain.so"
way RTLD_DEEPBIND "$program" deepbind "$TMP/plain.so"
way dlmopen "$program" dlmopen "$TMP/plain.so"
way -Bsymbolic "$program" now "$TMP/symbolic.so"
way "-fno-plt, library" "$program" now "$TMP/noplt.so"
way "-fno-plt, program" "$TMP/loaders_noplt" now "$TMP/plain.so"
way "-no-pie, program" "$TMP/loaders_nopie" now "$TMP/plain.so"
way "protected visibility" "$program" now "$TMP/protected.so"
way "a printf of its own, by write" "$program" now "$TMP/own.so"
way "dlsym(RTLD_DEFAULT)" "$program" dlsym-default
way "dlsym(RTLD_NEXT) of the program" "$program" dlsym-next
way "dlsym() in libc itself" "$program" dlsym-libc
way "dlvsym() in libc itself" "$program" dlvsym
way "syscall(SYS_write)" "$program" syscall
way "the syscall instruction" "$program" instruction
same "B7: what escapes is what tests/support/escapes.txt lists" "$(grep -v '^#' tests/support/escapes.txt)" "$(cat "$TMP/escapes")"
finish
