#!/bin/bash
# B21: a malloc that prints in every call, and one that always fails.  Each call
# of ours would be one more line, and we have to live without.
. tests/support/lib.sh
build allocator -fno-builtin -ldl
# A thread takes a little more as soon as some library has thread-local storage.
echo '__thread int any;' | $CC -shared -fPIC -x c -o "$TMP/thread_local.so" - || exit 1
natively "$TMP/native" env LD_PRELOAD="$TMP/thread_local.so" "$TMP/allocator"
recorded "$TMP/recorded" "$TMP/allocator"
why=$(differences "$TMP/native" "$TMP/recorded")
verdict ${#why} "B21: a malloc, calloc, realloc and free that print in every call" "$why"
verdict $(($(grep -c 'malloc of' "$TMP/recorded/stdout") < 200)) "B21: they have printed" "$(head "$TMP/recorded/stdout")"
compare "B21: a malloc that always fails" "$TMP/allocator" fails
same "B21: it has failed" 200 "$(grep -c 'not taken' "$TMP/recorded/stdout")"

# As a library, before us and after us.
$CC -g -w -O1 -shared -fPIC -D_GNU_SOURCE -DLIBRARY -o "$TMP/allocator.so" "$here/victims/allocator.c" || exit 1
for program in "ls -l /usr" "sort -R --random-source=/dev/zero /etc/passwd" "awk BEGIN{for(i=0;i<50;i++)print(i)}"; do
	# shellcheck disable=SC2086
	natively "$TMP/native" env LD_PRELOAD="$TMP/allocator.so" stdbuf -oL $program
	why=
	for order in "$lib:$TMP/allocator.so" "$TMP/allocator.so:$lib"; do
		# shellcheck disable=SC2086
		recorded "$TMP/recorded" env LD_PRELOAD="$order" stdbuf -oL $program
		why+=$(cat "$TMP"/recorded/real.*)
		# What stdio takes for itself when it prints is not taken.
		same "B21: ${program%% *} with such a library: its text" \
			"$(grep -av ' bytes, call ' "$TMP/native/stdout"; cat "$TMP/native/status")" \
			"$(grep -av ' bytes, call ' "$TMP/recorded/stdout"; cat "$TMP/recorded/status")"
		verdict $(($(grep -ac ' bytes, call ' "$TMP/recorded/stdout") < 20)) "B21: ${program%% *}: it has printed"
	done
	verdict ${#why} "B21: ${program%% *}: nothing is written" "$why"
done
finish
