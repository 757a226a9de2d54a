#!/bin/bash
# Pointers that cannot be read, or written to by "%n": a recorded call dies
# where and as the native one does, after everything that was said before, and
# a program that survives that goes on.
. tests/lib.sh
ulimit -S -c 0
build bad_pointers -fno-builtin

natively "$TMP/list" "$TMP/bad_pointers" list
count=0 wrong=
while read -r name; do
	natively "$TMP/native" "$TMP/bad_pointers" "$name"
	recorded "$TMP/recorded" "$TMP/bad_pointers" "$name"
	cmp -s "$TMP/native/status" "$TMP/recorded/status" ||
		wrong+="$name: status $(cat "$TMP/recorded/status"), natively $(cat "$TMP/native/status")"$'\n'
	[ "$(head -n 1 "$TMP/recorded/stdout")" = "before 1" ] ||
		wrong+="$name: what was said before is not there"$'\n'
	# 139: by SIGSEGV
	[ "$(cat "$TMP/native/status")" != 139 ] || count=$((count + 1))
done <"$TMP/list/stdout"
verdict ${#wrong} "each of $count calls with a bad pointer ends as natively" "$wrong"
[ $count -ge 25 ]
verdict $? "natively these are deadly"

natively "$TMP/native" "$TMP/bad_pointers"
recorded "$TMP/recorded" "$TMP/bad_pointers"
same "a program that jumps out of the handler has met the same" \
	"$(cat "$TMP/native/status" "$TMP/native/files/results")" \
	"$(cat "$TMP/recorded/status" "$TMP/recorded/files/results")"
# What a call had said before it died is no promise of libc's.
for stream in stdout stderr; do
	same "what it says after each is recorded: $stream" \
		"$(grep -aoE '(and after )?[a-z_]+$' "$TMP/native/$stream")" \
		"$(grep -aoE '(and after )?[a-z_]+$' "$TMP/recorded/$stream")"
done
finish
