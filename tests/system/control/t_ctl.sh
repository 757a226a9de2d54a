#!/bin/bash
# binlog-ctl: list says what there is, clean removes the captures of processes that are gone, and nothing else.
. tests/support/lib.sh
ctl=$BUILD/binlog-ctl
if [ ! -x "$ctl" ]; then
	skip "binlog-ctl: it is not built"
	finish
fi
build linger
start() { # DIR [ARGUMENT...]: until it waits; its number into $running
	rm -rf "$1"
	mkdir "$1"
	(cd "$1" && LD_PRELOAD=$lib BINLOG_DIR=$1/captures exec "$TMP/linger" "${@:2}" >"$1/out" 2>&1) &
	until_true [ -e "$1/ready" ]
	running=$(cat "$1/ready")
}
ends() { # PID: waits for it
	wait "$1" 2>/dev/null
	until_true has_ended "$1"
}
gone() { # PID
	kill -KILL "$1"
	ends "$1"
}
in_run() { # COMMAND...: recorded, into $TMP/d
	LD_PRELOAD=$lib BINLOG_DIR=$TMP/d "$@" >>"$TMP/real" 2>&1
}
# The columns of a list: END, PROGRAM and FILE are words or more, all others are one.
column() { # NAME
	"$ctl" list "$TMP/d" 2>&1 | awk -v name="$1" '
		NR == 1 { at = index($0, name); after = substr($0, at + length(name))
			match(after, /[A-Z]/); next_at = RSTART ? at + length(name) + RSTART - 1 : 10000; next }
		{ cell = substr($0, at, next_at - at); sub(/ +$/, "", cell); print cell }'
}

# ---- list ----
(in_run sh -c 'exit 7')
(in_run sh -c 'exec seq 3')
{ in_run sh -c 'kill -KILL $$'; } 2>/dev/null
(LD_PRELOAD=$lib BINLOG_DIR=$TMP/d exec sleep 60) &
running=$!
has_capture() { ls "$TMP/d" | grep -q "^$1-.*binlog$"; }
until_true has_capture sleep
same "list: how each one ended" "exit status 7 executed seq ended cleanly cut off still running" \
	"$(column END | paste -sd ' ')"
same "list: programs" "sh sh seq sh sleep" "$(column PROGRAM | paste -sd ' ')"
same "list: files" "$(ls "$TMP/d" | sort)" "$(column FILE | sort)"
same "list: the number is that in the name" "$("$ctl" list "$TMP/d" | awk 'NR > 1 { print $NF }' | sed -E 's/.*-([0-9]+)-[0-9]+-[0-9a-f]+\.binlog/\1/')" \
	"$("$ctl" list "$TMP/d" | awk 'NR > 1 { print $1 }')"
same "list: sizes are those of the files" "$(cd "$TMP/d" && "$ctl" list . | awk 'NR > 1 { print $NF }' | xargs stat -c %s)" \
	"$("$ctl" list "$TMP/d" | awk 'NR > 1 { sub(/K/, "", $4); print $4 * 1024 }')"
same "list: in binlog.data without a name" "$("$ctl" list "$TMP/d")" \
	"$(mkdir "$TMP/here" && ln -s ../d "$TMP/here/binlog.data" && cd "$TMP/here" && "$ctl" list)"
BINLOG_MAX_SIZE=100000 in_run seq 100000
passed=$("$show" "$TMP/d" 2>&1 >/dev/null | awk '/captured/ { print $3 }')
verdict $((passed == 0)) "list: there are calls that passed" "$passed"
same "list: calls that passed" "$passed" "$("$ctl" list "$TMP/d" | awk 'NR > 1 { n += $5 } END { print n }')"

# ---- clean ----
bytes() { # FILES: of all together
	cat -- "$@" | wc -c
}
before=$(ls "$TMP/d")
alive=$(cd "$TMP/d" && echo sleep-*)
dead=$(echo "$before" | grep -v ^sleep)
size=$(cd "$TMP/d" && bytes $dead)
summary="$(echo "$dead" | wc -l) captures, $size bytes; 1 in use, 0 not old enough, 0 left"
got=$("$ctl" clean --dry-run "$TMP/d")
same "--dry-run: what would be removed" "would remove $summary" "$(echo "$got" | tail -n 1)"
same "--dry-run: each file is named" "$dead" "$(echo "$got" | sed -n 's/^would remove \(.*binlog\), .*/\1/p')"
same "--dry-run: nothing is removed" "$before" "$(ls "$TMP/d")"
"$ctl" clean -o 1h "$TMP/d" >"$TMP/out"
same "--older-than: all are younger" "removed 0 captures, 0 bytes; 0 in use, $(echo "$before" | wc -l) not old enough, 0 left" \
	"$(cat "$TMP/out")"
same "--older-than: nothing is removed" "$before" "$(ls "$TMP/d")"
old=$(echo "$dead" | head -n 1)
touch -d '3 days ago' "$TMP/d/$old"
"$ctl" clean --older-than=4d "$TMP/d" >/dev/null
verdict $(([ -e "$TMP/d/$old" ]; echo $?)) "--older-than=4d: one of three days stays"
"$ctl" clean --older-than=71h "$TMP/d" >"$TMP/out"
same "--older-than=71h: it goes" "removed $old" "$(head -n 1 "$TMP/out" | cut -d , -f 1)"
same "--older-than=71h: alone" "$(echo "$before" | grep -vFx "$old")" "$(ls "$TMP/d")"
"$ctl" clean "$TMP/d" >"$TMP/out"
same "clean: ends well" 0 $?
same "clean: only what runs is left" "$alive" "$(ls "$TMP/d")"
"$ctl" clean "$TMP/d" >/dev/null
same "clean: again" "$alive" "$(ls "$TMP/d")"
gone $running
"$ctl" clean "$TMP/d" >/dev/null
same "clean: what has run until now goes, too" "" "$(ls "$TMP/d")"

# ---- never of one that runs ----
for how in silent child closed thread; do
	start "$TMP/run" $how
	"$ctl" clean "$TMP/run/captures" >"$TMP/out"
	same "in use: $how" "removed 0 captures, 0 bytes; 1 in use, 0 not old enough, 0 left" "$(cat "$TMP/out")"
	kill -USR1 "$running"
	ends "$running"
	[ $how = closed ] || same "in use: $how: what it says afterwards is there" 1 \
		"$(raw stdout "$TMP/run/captures" | grep -c 'I am going')"
	"$ctl" clean "$TMP/run/captures" >"$TMP/out"
	same "in use: $how: gone when it has ended" "" "$(ls "$TMP/run/captures")"
done
start "$TMP/run" heir
same "list: a capture whose program has ended, but not its child" 1 "$("$ctl" list "$TMP/run/captures" | grep -c 'still running *linger')"
gone "$running"
if unshare --pid --fork true 2>/dev/null; then
	mkdir "$TMP/apart"
	(cd "$TMP/apart" && exec unshare --pid --fork --kill-child env LD_PRELOAD="$lib" BINLOG_DIR="$TMP/apart/captures" \
		"$TMP/linger" >out 2>&1) &
	outside=$!
	until_true [ -e "$TMP/apart/ready" ]
	same "in use: in another pid namespace, where it has the number 1" 1 "$(cat "$TMP/apart/ready")"
	"$ctl" clean "$TMP/apart/captures" >"$TMP/out"
	same "in use: in another pid namespace" 1 "$(ls "$TMP/apart/captures" | grep -c ^linger)"
	same "list: in another pid namespace" 1 "$("$ctl" list "$TMP/apart/captures" | grep -c 'still running *linger')"
	gone $outside
else
	skip "in use: in another pid namespace: none can be made here"
fi

# ---- what is no capture of ours ----
mkdir "$TMP/traps" "$TMP/traps/directory.binlog"
(BINLOG_DIR=$TMP/traps LD_PRELOAD=$lib exec true)
real=$(cd "$TMP/traps" && echo true-*)
cp "$TMP/traps/$real" "$TMP/outside"
ln -s ../outside "$TMP/traps/symlink.binlog"
ln -s ../nowhere "$TMP/traps/dangling.binlog"
ln "$TMP/outside" "$TMP/traps/hardlink.binlog"
mkfifo "$TMP/traps/fifo.binlog"
echo "a file of somebody" >"$TMP/traps/text.binlog"
: >"$TMP/traps/empty.binlog"
cp "$TMP/outside" "$TMP/traps/notes"
cp "$TMP/outside" "$TMP/traps/"$'line\nbreak.binlog'
head -c 4096 /dev/zero >"$TMP/traps/unborn.binlog.new"
head -c 4096 /dev/zero >"$TMP/traps/starting.binlog.new"
exec 8<>"$TMP/traps/starting.binlog.new"
timeout 20 "$ctl" clean "$TMP/traps" >"$TMP/out" 2>"$TMP/complaint"
same "traps: the status says that something was left" 1 $?
exec 8>&-
same "traps: what is not a capture of ours is left there" "dangling.binlog directory.binlog empty.binlog fifo.binlog \
hardlink.binlog notes starting.binlog.new symlink.binlog text.binlog" "$(ls "$TMP/traps" | paste -sd ' ')"
same "traps: what is one is gone" "removed 3 captures" "$(tail -n 1 "$TMP/out" | cut -d , -f 1)"
same "traps: the other file is untouched" "$(stat -c %s "$TMP/outside")" "$(bytes "$TMP/outside")"
same "traps: each has a sentence" "dangling directory empty fifo hardlink symlink text" \
	"$(sed -n 's/.*\/\(.*\)\.binlog: not removed: .*: .*/\1/p' "$TMP/complaint" | sort | paste -sd ' ')"
same "traps: every line is one of ours, whatever is in names" "" "$(grep -v '^binlog-ctl: \|^removed ' "$TMP/out" "$TMP/complaint")"
mkdir "$TMP/open"
cp "$TMP/outside" "$TMP/open/a.binlog"
chmod 777 "$TMP/open"
"$ctl" clean "$TMP/open" >"$TMP/out" 2>"$TMP/complaint"
same "a directory that others write to: refused" "2 1" "$? $(ls "$TMP/open" | wc -l)"
verdict $((!$(grep -c 'chmod go-w' "$TMP/complaint"))) "a directory that others write to: what can be done" "$(cat "$TMP/complaint")"
chmod 1777 "$TMP/open"
"$ctl" clean "$TMP/open" >"$TMP/out" 2>&1
same "a sticky directory is fine" "0 0" "$? $(ls "$TMP/open" | wc -l)"
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
public=$(mktemp -d /tmp/binlog-ctl.XXXXXX) && chmod 755 "$public" && trap 'rm -rf "$public"' EXIT
if [ "$(id -u)" -eq 0 ] && cp "$ctl" "$public/ctl" && as_nobody "$public/ctl" --version >/dev/null 2>&1; then
	mkdir "$public/d"
	cp "$TMP/outside" "$public/d/theirs.binlog"
	cp "$TMP/outside" "$public/d/ours.binlog"
	chmod 644 "$public/d/"*
	chmod 1777 "$public/d"
	chown 65534:65534 "$public/d/theirs.binlog"
	as_nobody "$public/ctl" clean "$public/d" >"$TMP/out" 2>"$TMP/complaint"
	same "another user's captures stay" "1 ours.binlog" "$? $(ls "$public/d")"
	verdict $((!$(grep -c 'belongs to another user' "$TMP/complaint"))) "another user's captures: said" "$(cat "$TMP/complaint")"
	chmod 755 "$public/d"
	chown 12345 "$public/d"
	as_nobody "$public/ctl" clean "$public/d" >"$TMP/out" 2>"$TMP/complaint"
	same "another user's directory is refused" 2 $?
	same "root may" "0 " "$("$ctl" clean "$public/d" >/dev/null; echo "$? $(ls "$public/d")")"
else
	skip "captures and directories of others: that takes root, and a place where others can come"
fi

# ---- usage ----
says() { # SENTENCE STATUS WORDS ARGUMENTS...: one line on stderr, with these words
	"$ctl" "${@:4}" >"$TMP/out" 2>"$TMP/complaint"
	same "$1" "$2 1 1" "$? $(wc -l <"$TMP/complaint") $(grep -c -- "^binlog-ctl: .*$3" "$TMP/complaint")"
}
says "a word that is not there" 2 "say list or clean, see binlog-ctl --help" level
says "two directories" 2 "one directory at a time" clean a b
says "no such directory" 2 "No such file" clean "$TMP/nowhere"
says "a file in place of a directory" 2 "Not a directory" clean "$TMP/outside"
for age in 7 d 7y 7d7d -7d 1.5h 99999999999s ''; do
	says "not an age: '$age'" 2 "as in 7d" clean --older-than="$age" "$TMP/d"
done
says "an option of clean with list" 2 "leave them out" list --dry-run
"$ctl" list "$TMP/nowhere" >"$TMP/out" 2>"$TMP/complaint"
same "list: no such directory" "2 1" "$? $(grep -c nowhere "$TMP/complaint")"
"$ctl" clean --no-such-option >"$TMP/out" 2>"$TMP/complaint"
same "an option that is not there" "2 1" "$? $(grep -c 'see binlog-ctl --help' "$TMP/complaint")"
"$ctl" --help >"$TMP/out"
same "--help names words and options" "0 4" "$? $(grep -cE '^  (list|clean|-o, --older-than=AGE|-n, --dry-run)' "$TMP/out")"
same "--version is one line" 1 "$("$ctl" --version | wc -l)"
"$ctl" --help >/dev/full 2>"$TMP/complaint"
same "standard output is full: said" "2 1" "$? $(grep -c 'No space' "$TMP/complaint")"

# ---- without arguments: what runs, and what can be said to it ----
build linger
start "$TMP/runs"
"$ctl" >"$TMP/out"
same "without arguments: what is recorded now is listed" "0 1" \
	"$? $(grep -cE "^ *$running +linger +$TMP/runs/captures/linger-$running-[^ ]*$" "$TMP/out")"
process=$(sed -n 's/^  binlog-ctl \([0-9]*\) status .*/\1/p' "$TMP/out")
verdict "$(grep -qE "^ *$process +[^ ]+ +/" "$TMP/out"; echo $?)" "the examples name one of them"
sed -nE "s/^  binlog-ctl [0-9]+ (.*[^ ])  +.*/\1/p" "$TMP/out" >"$TMP/examples"
same "there are four examples" 4 "$(wc -l <"$TMP/examples")"
while read -r example; do
	(cd "$TMP" && PATH=$BUILD:$PATH eval "binlog-ctl $running $example") >"$TMP/said" 2>&1
	same "the example is right: $example" 0 $?
done <"$TMP/examples"
kill "$running"
ends "$running"
verdict "$("$ctl" 2>&1 | grep -qE "^ *$running "; expr 1 - $?)" "what has ended is not listed"
finish
