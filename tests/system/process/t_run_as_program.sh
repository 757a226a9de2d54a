#!/bin/bash
# The library run as a program: it says what it is and what it would record from
# here, as binlog-run and the recording itself then show.
. tests/support/lib.sh
mkdir "$TMP/here"
about() { # [VARIABLE=VALUE...]: in an empty directory
	(cd "$TMP/here" && env "$@" "$lib" 2>"$TMP/errors")
}
line() { # NAME: what is said of it
	sed -n "s/^$1: //p" "$TMP/said"
}
about >"$TMP/said"
same "the library run as a program ends well" 0 $?
same "and says nothing on standard error" "" "$(cat "$TMP/errors")"
same "its first line has the release that the package has" "$(sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)" \
	"$(sed -n '1s/^libbinlog\.so \([^,]*\), .*/\1/p' "$TMP/said")"
same "and the version of captures that binlog-run has" "$("$BUILD/binlog-run" --version | grep -oE '[0-9]+$')" \
	"$(head -n 1 "$TMP/said" | grep -oE '[0-9]+$')"
verdict $(($(wc -l <"$TMP/said") > 12)) "it says so in a few lines" "$(cat "$TMP/said")"
same "it records nothing, and leaves nothing" "" "$(ls -A "$TMP/here")"
libc=$(getconf GNU_LIBC_VERSION)
case $libc in # of Debian 11, where only a library more could tell
"glibc 2.31" | "glibc 2.32" | "glibc 2.33") libc="not known: before glibc 2.34 it cannot be asked by a program alone" ;;
esac
same "it knows libc's version, or says that it does not" "$libc" "$(line libc)"
same "the directory is the one that would be made" "$TMP/here/binlog.data" "$(line directory)"
if counter_is_trusted; then trusted="which the kernel trusts"; else trusted="does not trust"; fi
line clock | grep -q "$trusted"
verdict $? "whether the clock is trusted is what the kernel says" "$(line clock)"
line streams | grep -q 'stdout=auto, here recorded, not written; stderr=auto, here recorded, not written; syslog=replace'
verdict $? "what becomes of streams: files" "$(line streams)"
about | cat >"$TMP/said"
line streams | grep -q 'stdout=auto, here recorded and written'
verdict $? "what becomes of streams: a pipe" "$(line streams)"
loader=$(readelf -lW "$lib" | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
for way in "" "$loader"; do
	$way "$lib" >"$TMP/said" 2>&1 </dev/null
	same "it runs${way:+ by its loader, too}" 0 $?
done
LD_PRELOAD=$lib BINLOG_DIR=$TMP/itself "$lib" >"$TMP/said"
same "preloaded into itself it says the same" "libbinlog.so" "$(head -c 12 "$TMP/said")"
"$lib" >&- 2>"$TMP/errors"
same "where nothing can be said it ends with 1" 1 $?
"$lib" </dev/null >/dev/full 2>/dev/null
same "likewise on a full device" 1 $?

# --- settings that are wrong

said_of() { # SENTENCE EXPRESSION VARIABLE=VALUE...
	about "${@:3}" >"$TMP/said"
	same "$1: it ends well all the same" 0 $?
	grep -qE "$2" "$TMP/said"
	verdict $? "$1: is said" "$(cat "$TMP/said")"
}
said_of "settings that are right" '^settings: 3, all understood$' BINLOG_DEPTH=3 BINLOG_LEVEL=err BINLOG_MAX_SIZE=16M
said_of "a name that is none" '^settings: BINLOG_DEPHT: no such setting' BINLOG_DEPHT=3
said_of "a level that is none" '^settings: level=loud: not understood' BINLOG_LEVEL=loud
said_of "a size that is none" '^settings: ring=16Q: not understood' BINLOG_RING=16Q
said_of "a number that is none" '^settings: depth=3x: not understood' BINLOG_DEPTH=3x
said_of "streams that are none" '^settings: streams: stdout=always: no such mode' BINLOG_STREAMS=stdout=always
said_of "control characters" '^settings: level=.\[31m: not' BINLOG_LEVEL="$(printf '\033[31m')"
same "control characters do not reach the terminal" "" "$(LC_ALL=C tr -d '\n -~' <"$TMP/said")"
said_of "a library that is disabled" '^recorded: nothing, since BINLOG_DISABLE is set' BINLOG_DISABLE=1
printf '[rules]\nfunc parse_* drop\n' >"$TMP/conf"
said_of "rules" "^rules: $TMP/conf: readable; in force" BINLOG_CONFIG="$TMP/conf"
printf '[rules]\nfunc parse_* drop\nfunc parse_* drip\n' >"$TMP/conf"
said_of "a rule that is wrong" "^rules: .*line 2 of the rules is wrong" BINLOG_CONFIG="$TMP/conf"
said_of "a file that is not there" "^rules: $TMP/none: No such file or directory: it has no effect" BINLOG_CONFIG="$TMP/none"
long=$(printf '%05000d' 0)
said_of "a path that is too long" "^directory: /0+: File name too long" BINLOG_DIR="/$long"
said_of "a hundred thousand bytes" "^settings: level=0" BINLOG_LEVEL="$long$long$long$long$long$long$long$long$long$long"
finish
