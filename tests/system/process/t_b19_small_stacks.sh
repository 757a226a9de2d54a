#!/bin/bash
# B19: threads and coroutines with the smallest stacks, stacks without a proper
# end, stacks that go and come back; and how much of a stack a call takes.
. tests/support/lib.sh
most=4096

build small_stacks
compare "B19: small threads, coroutines, stacks that end in garbage or come back, a crash" "$TMP/small_stacks"
verdict $(($(wc -l <"$TMP/recorded/stdout") < 20000)) "B19: over 10,000 switches" "$(wc -l <"$TMP/recorded/stdout")"

# ---- measured ----
# Bound at once: the loader takes much of the stack, too.
build stack_use -O1 -Wl,-z,now
measure() { # natively|recorded WAY
	exec 9>"$TMP/used"
	"$1" "$TMP/$1" "$TMP/stack_use" "$2"
	exec 9>&-
	head -n 1 "$TMP/used"
}
check_extra() { # LIMIT WAY
	local native used
	native=$(measure natively "$2")
	used=$(measure recorded "$2")
	[ "$(cat "$TMP/recorded/status" "$TMP/natively/status" | sort -u)" = 0 ] || echo "$2: it failed"
	case $2 in
	nothing | syslog) ;;
	*) [ -s "$TMP/recorded/stdout" ] || [ -s "$TMP/recorded/stderr" ] || echo "$2: nothing was recorded" ;;
	esac
	[ $((used - native)) -le "$1" ] || echo "$2: $native bytes natively, $used recorded"
	extra[${#extra[@]}]="$2 $((used - native))"
}
extra=()
for way in nothing printf float general long wide deep stderr wprintf dprintf syslog perror warn error puts putchar \
	fwrite write many signal fork; do
	check_extra $most $way
done >"$TMP/why"
verdict "$(wc -l <"$TMP/why")" "B19: a call takes at most $most bytes of the stack more than natively" "$(cat "$TMP/why")"
printf '%s\n' "${extra[@]}" | sort -k 2nr | head -n 3 | sed 's/$/ bytes more/'
check_extra -100000 printf >"$TMP/why"
verdict $(($(wc -l <"$TMP/why") != 1)) "the check finds a call that takes more"
finish
