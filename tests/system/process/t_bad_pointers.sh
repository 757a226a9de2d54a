#!/bin/bash
# Pointers that cannot be read, or written to by "%n": a recorded call dies
# where and as the native one does, after everything that was said before, and
# a program that survives that goes on.
. tests/support/lib.sh
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

# What the kernel reads natively: it writes what is there, and says so, or that
# nothing is; no signal comes.
build unreadable
for way in '' own blocked thread; do
	compare "bytes that are there in part go as far as natively${way:+: $way}" "$TMP/unreadable" $way
done
for setting in BINLOG_RING=1M BINLOG_MAX_SIZE=64K BINLOG_STREAMS=all=tee BINLOG_SIGNALS=0 BINLOG_LEVEL=error; do
	export "${setting?}"
	recorded "$TMP/recorded" "$TMP/unreadable"
	unset "${setting%%=*}"
	same "$setting: the same is returned" "$(cat "$TMP/native/status" "$TMP/native/files/results")" \
		"$(cat "$TMP/recorded/status" "$TMP/recorded/files/results")"
done
[ "$(grep -c -e '-1 14$' "$TMP/native/files/results")" -ge 1000 ]
verdict $? "natively the kernel refuses many"
finish
