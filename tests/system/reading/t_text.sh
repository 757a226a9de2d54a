#!/bin/bash
# --text: logs that nobody has recorded, each line as a message
. tests/support/lib.sh
export TZ=UTC
cd "$TMP" || exit 1

log=$TMP/server.log
{
	echo 'before any time'
	echo '2026/11/24 16:30:01 [notice] 12#0: one'
	echo '	continued'
	echo '2026/11/24 16:30:03 [error] 12#0: two'
	echo '2026/11/24 16:30:02 [warn] 12#0: three'
} >"$log"
"$show" --text=server.log --raw >raw 2>said
same_file "--raw gives the bytes of the file" server.log raw
same "and nothing is said" "" "$(cat said)"
same "each line has its time, or that of the line before, in the order of the file" \
	"16:30:01 before any time
16:30:01 2026/11/24 16:30:01 [notice] 12#0: one
16:30:01 	continued
16:30:03 2026/11/24 16:30:03 [error] 12#0: two
16:30:02 2026/11/24 16:30:02 [warn] 12#0: three" \
	"$("$show" -q --text=server.log | sed 's/^2026-11-24 \(........\)\.000000000 server\.log server\.log: /\1 /')"
same "lines are chosen by time" "2026/11/24 16:30:03 [error] 12#0: two" \
	"$("$show" -q --text=server.log --raw --since='2026-11-24 16:30:03')"
same "and by what they begin with" "2026/11/24 16:30:03 [error] 12#0: two
2026/11/24 16:30:02 [warn] 12#0: three" "$("$show" -q --text=server.log --raw -p warning)"
printf '%s\n' '12:M 24 Nov 2026 16:30:01.123 # marked' '12:M 24 Nov 2026 16:30:01.124 * not' >marks.log
same "a mark alone behind a time is a level, too" "12:M 24 Nov 2026 16:30:01.123 # marked" \
	"$("$show" -q --text=marks.log --raw -p warning)"
same "and by pattern" "	continued" "$("$show" -q --text=server.log --raw --grep=cont)"
same "times that say no zone are local ones" 1795555801000000000 \
	"$(TZ=America/New_York "$show" -q --text=server.log -o json --grep=one | grep -o '[0-9]\{19\}' | head -n 1)"
same "but with --utc" "2026-11-24 16:30:01.000000000" \
	"$(TZ=America/New_York "$show" -q --utc --text=server.log --grep=one --columns=time)"

echo '2026-11-24T16:30:02.5Z other' >other.log
same "several files are merged by time, each in its order" "before any time
2026/11/24 16:30:01 [notice] 12#0: one
	continued
2026-11-24T16:30:02.5Z other
2026/11/24 16:30:03 [error] 12#0: two
2026/11/24 16:30:02 [warn] 12#0: three" "$("$show" -q --text=server.log --text=other.log --raw)"
natively_said=$(cat other.log server.log | "$show" --text=- -q --raw | cksum)
same "- is standard input" "$(cat other.log server.log | cksum)" "$natively_said"

recorded "$TMP/run" sh -c 'echo recorded'
same "a log goes with what was recorded" "5 1" \
	"$("$show" -q --text=server.log "$TMP/run/capture" --raw | awk '/recorded/ { r++; next } { n++ } END { print n, r }')"

printf 'no newline' >end.log
same "the last line may have no newline" "no newline" "$("$show" -q --raw --text=end.log; echo)"
same "that no line has a time is said" "end.log:10: times are not known: no line begins with one: all of it is shown at the time of the file's last change" \
	"$("$show" -q --raw --text=end.log 2>&1 >/dev/null)"
touch -d '2026-01-02 03:04:05.5' end.log
same "and it is shown at the time of the file" "2026-01-02 03:04:05.500000000" \
	"$("$show" -q --text=end.log --columns=time 2>/dev/null)"
head -c 3000000 /dev/urandom | cat - server.log >garbage.log
"$show" -q --raw --text=garbage.log >raw 2>said
same_file "any bytes come out as they are" garbage.log raw
{
	printf '2026/11/24 16:30:01 '
	head -c 2500000 /dev/zero | tr '\0' x
	printf '\r\nshort\n'
} >long.log
"$show" --raw --text=long.log >raw 2>said
same_file "a line that is too long is read in full" long.log raw
verdict "$(grep -q 'a line is taken for several' said; echo $?)" "and that it was is said" "$(cat said)"
: >empty.log
"$show" --text=empty.log >raw 2>said
same "an empty file has no messages" "0 captured, 0 passed, 0 dropped" "$(cat raw said)"

complains() { # SENTENCE COMPLAINT OPTION...
	"$show" -q "${@:3}" >said 2>&1
	same "$1: the status" 2 $?
	same "$1" "$2" "$(cat said)"
}
complains "a directory is no text" "$TMP: not opened: Is a directory: check the path and its permissions" --text="$TMP"
complains "a file that is not there is named" "none.log: not opened: No such file or directory: check the path and its permissions" \
	--text=none.log
not_text='not read: this is no text: it is a program, a capture, or compressed: give what was recorded without --text, and unpack what is compressed: xzcat FILE | binlog-show --text=-'
xz <server.log >server.log.xz
complains "what xz has compressed is no text" "server.log.xz: $not_text" --text=server.log.xz
capture=$(ls "$TMP"/run/capture/*.binlog)
complains "nor is a capture" "$capture: $not_text" --text="$capture"
complains "it is not followed" "binlog-show: --text: what was not recorded cannot be followed: leave out --follow" \
	--text=server.log --follow
complains "nor compared" "binlog-show: --text: what was not recorded is read as messages alone: leave out --index, --diff and --recover" \
	--text=server.log --diff a b
complains "what is read is not written over" "binlog-show: server.log: not opened: it is one of those that are read: choose another place" \
	--text=server.log --to=server.log
finish
