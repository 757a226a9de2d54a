#!/bin/bash
# B23: a program forbids itself the system calls that the library would make, or
# is started where some are refused: it lives, and all it says is recorded as
# long as there is room in memory, and written after that.
. tests/support/lib.sh
build sandbox
build without

sum() { # WORD: the number before it in the sum of binlog-show
	"$show" "$TMP/recorded/capture" 2>&1 >/dev/null |
		grep -oE "[0-9]+ $1" | cut -d ' ' -f 1
}
# "all": everything is recorded; "some": what does not fit is written after it.
sealed() { # WAY LINES all|some
	local say="B23: $1, $2 lines"
	natively "$TMP/native" "$TMP/sandbox" "$1" "$2"
	if [ "$(cat "$TMP/native/status")" -ne 3 ]; then
		skip "$say: natively it ends with $(cat "$TMP/native/status")"
		return
	fi
	recorded "$TMP/recorded" "$TMP/sandbox" "$1" "$2"
	same "$say: it ends as natively" 3 "$(cat "$TMP/recorded/status")"
	cat "$TMP/recorded/stdout" "$TMP/recorded/real.stdout" >"$TMP/got"
	# What is short may still fit where something longer did not.
	same_file "$say: each is recorded or written, once" \
		<(sort "$TMP/native/stdout") <(sort "$TMP/got")
	for part in stdout real.stdout; do
		awk '/^[a-z]+: / { if ($3 + 0 < n[$1] + 0) exit 1; n[$1] = $3 }' \
			"$TMP/recorded/$part"
		verdict $? "$say: what each thread says is in order in $part"
	done
	same "$say: the rest of what it says" "end" "$(cat "$TMP"/recorded/*stderr)"
	if [ "$3" = all ]; then
		same "$say: all are recorded" "" "$(head -c 200 "$TMP/recorded/real.stdout")"
	else
		verdict $(($(wc -l <"$TMP/recorded/stdout") < 20000)) \
			"$say: a MiB of records fits" "$(wc -l "$TMP"/recorded/*stdout)"
		same "$say: what was written is counted" \
			"$(cat "$TMP"/recorded/real.* | wc -l)" "$(sum passed)"
	fi
}
for way in strict strict-syscall filter prctl-syscall syscall child; do
	sealed $way 1000 all
	[[ -z ${LONG:-} && $way != strict && $way != child ]] || sealed $way 200000 some
done
sealed tsync 3000 all
sealed tsync-silent 3000 all
sealed tsync 50000 some
# What is refused changes nothing.
sealed wrong 100000 all
sealed wrong-syscall 100000 all

# ---- filters that are there from the beginning ----
said='BEGIN { for (i = 0; i < 20000; i++) printf "line %d\n", i >"/dev/stderr" }'
for what in populate mremap truncate rename create shared ftruncate madvise \
	mprotect fstat fcntl getrandom pwrite64 readlinkat; do
	natively "$TMP/native" "$TMP/without" $what awk "$said"
	if [ "$(cat "$TMP/native/status")" -ne 0 ]; then
		skip "B23: without $what: not even awk runs"
		continue
	fi
	recorded "$TMP/recorded" "$TMP/without" $what awk "$said"
	same "B23: without $what: the program ends as natively" \
		0 "$(cat "$TMP/recorded/status")"
	same_file "B23: without $what: all is recorded or written" \
		<(sort "$TMP/native/stderr") <(grep -v ': not opened: ' \
			"$TMP/recorded/stderr" | sort - "$TMP/recorded/real.stderr")
done
finish
