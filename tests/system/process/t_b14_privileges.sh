#!/bin/bash
# B14: a program gives up its rights, its root directory, its file system or its
# descriptors, and goes on with threads and children: all they say is recorded
# or written, nothing twice, and what is written is counted.
. tests/support/lib.sh
if [ "$(id -u)" -ne 0 ]; then
	skip "B14: what gives rights up has to be root"
	exit 0
fi
. tests/support/nobody.sh
build privileges
mkdir -m 755 "$TMP/root"

sum() { # WORD: the number before it in the sum of binlog-show
	"$show" "$TMP/recorded/capture" 2>&1 >/dev/null |
		grep -oE "[0-9]+ $1" | cut -d ' ' -f 1
}
# Of threads and children the order is nobody's, that of each is its own.
by_speaker() { sort -s -k 1,2 "$@"; }

gives_up() { # WAY all|some: what has to be recorded
	local way=$1 lines
	natively "$TMP/native" "$TMP/privileges" "$way" "$TMP/root"
	if [ "$(cat "$TMP/native/status")" -ne 5 ]; then
		skip "B14: $way: $(tail -n 1 "$TMP/native/stderr")"
		return
	fi
	recorded "$TMP/recorded" "$TMP/privileges" "$way" "$TMP/root"
	same "B14: $way: the program ends as natively" 5 "$(cat "$TMP/recorded/status")"
	same "B14: $way: and says nothing else" "" "$(cat "$TMP"/recorded/*stderr)"
	by_speaker "$TMP/native/stdout" >"$TMP/wanted"
	by_speaker <(cat "$TMP/recorded/stdout" "$TMP/recorded/real.stdout") >"$TMP/got"
	same_file "B14: $way: each line is recorded or written, once, in order" \
		"$TMP/wanted" "$TMP/got"
	lines=$(wc -l <"$TMP/recorded/real.stdout")
	if [ "$2" = all ]; then
		same "B14: $way: all are recorded" 0 "$lines"
	fi
	same "B14: $way: what was written is counted" \
		"$lines of $(wc -l <"$TMP/wanted")" \
		"$(sum passed) of $(($(sum passed) + $(sum captured)))"
}
for way in nothing chroot chroot-only setuid setresuid seteuid syscall \
	user-namespace pid-namespace mount no-new-privileges no-descriptors; do
	gives_up $way all
done
gives_up instruction some

# ---- by somebody who may do less from the beginning ----
mkdir -m 755 "$TMP/theirs"
cp "$TMP/privileges" "$lib" "$TMP/theirs"
chmod 755 "$TMP/theirs"/*
[ "$(id -u)" -ne 0 ] || chown 65534 "$TMP/theirs" # captures are lengthened by their paths there
if [ -z "$rootless" ]; then
	skip "B14: $why_not"
	finish
fi
nobodys() { # DIRECTORY WAY
	as_nobody env LD_PRELOAD="$TMP/theirs/libbinlog.so" BINLOG_DIR="$1" XDG_STATE_HOME="$TMP/theirs/state" \
		"$TMP/theirs/privileges" "$2" / 2>"$TMP/errors"
}
by_speaker < <(as_nobody "$TMP/theirs/privileges" nothing /) >"$TMP/wanted"
nobodys "$TMP/theirs/capture" closed-directory >"$TMP/real"
same "B14: the directory of the captures is closed to the program: it ends as natively" 5 $?
chmod 700 "$TMP/theirs/capture"
by_speaker <(raw stdout "$TMP/theirs/capture") "$TMP/real" >"$TMP/got"
same_file "B14: it is closed: nothing is lost" "$TMP/wanted" "$TMP/got"
verdict $((!$(wc -l <"$TMP/real"))) "B14: it is closed before the end: some is written"
mkdir -m 755 "$TMP/locked"
nobodys "$TMP/locked/capture" nothing >"$TMP/real"
same "B14: a directory that cannot be made: the program ends as natively" 5 $?
by_speaker <(raw stdout "$TMP"/theirs/state/binlog/*) "$TMP/real" >"$TMP/got"
same_file "B14: it cannot be made: everything is recorded elsewhere, or written" "$TMP/wanted" "$TMP/got"
same "B14: it cannot be made: and nothing is said about it" "" "$(cat "$TMP/errors")"
finish
