#!/bin/bash
# BINLOG_QUOTA and binlog-ctl clean --quota: what is too much in a directory goes, the oldest first, and nothing that is in
# use, somebody else's, or no capture of ours.
# In a mount namespace of its own, so that nothing mounted here outlives it.
if [ -z "${IN_NAMESPACE:-}" ] && [ "$(id -u)" -eq 0 ]; then
	export IN_NAMESPACE=1
	unshare -m true 2>/dev/null && exec unshare -m bash "$0"
fi
. tests/support/lib.sh
. tests/support/nobody.sh
ctl=$BUILD/binlog-ctl
run=$BUILD/binlog-run
build linger

# Some captures, all of one size on disk, that were written to 9, 8, 7... days ago.
old() { # DIRECTORY HOW-MANY
	local i file before
	for ((i = 0; i < $2; i++)); do
		before=$(ls "$1" 2>/dev/null)
		BINLOG_DIR=$1 LD_PRELOAD=$lib seq 30000 >/dev/null
		file=$(comm -13 <(echo "$before") <(ls "$1"))
		touch -d "$((9 - i)) days ago" "$1/$file"
		echo "$file"
	done
}
taken() { echo $(($(stat -c %b "$@" | paste -sd +) * 512)); } # FILE...: bytes on disk
# A run that says little; how it is recorded is the caller's.
begin() { # DIRECTORY QUOTA [COMMAND...]
	(BINLOG_DIR=$1 BINLOG_QUOTA=$2 LD_PRELOAD=$lib exec "${@:3}") >"$TMP/out" 2>"$TMP/err"
}
d=$TMP/d

# ---- the oldest go ----
files=$(old "$d" 6)
one=$(taken "$d/$(echo "$files" | head -n 1)")
verdict $((one < 65536)) "there is something to be removed: $one bytes each"
begin "$d" $((3 * one)) echo hello
same "the program does not see it" "0 " "$? $(cat "$TMP/out" "$TMP/err")"
same "the oldest go, as many as it takes, and no more" "$(echo "$files" | tail -n 3)" "$(ls "$d" | grep '^seq')"
same "and what is recorded is there" "hello" "$("$show" --raw -q "$d"/echo*)"
begin "$d" 1G true
same "what fits stays" "$(echo "$files" | tail -n 3)" "$(ls "$d" | grep '^seq')"
begin "$d" 0 true
same "a quota of nothing is none" "$(echo "$files" | tail -n 3)" "$(ls "$d" | grep '^seq')"
begin "$d" much true
same "nor is what is no size" "$(echo "$files" | tail -n 3)" "$(ls "$d" | grep '^seq')"
rm -r "$d"

# ---- where it is set ----
kept() { # SENTENCE WANTED
	same "$1" "$2" "$(ls "$d" | grep -c '^seq')"
}
old "$d" 3 >/dev/null
printf 'quota = %d\n' $((2 * one)) >"$TMP/config"
(BINLOG_CONFIG=$TMP/config BINLOG_DIR=$d LD_PRELOAD=$lib exec true)
kept "in a file of settings" 2
"$run" --dir="$d" --quota=$((one * 3 / 2)) true
kept "by binlog-run" 1
for word in much 1Q -1 1GB; do
	"$run" --dir="$d" --quota="$word" true >"$TMP/out" 2>"$TMP/err"
	same "by binlog-run: no size: $word" "2 1" "$? $(grep -c "^binlog-run: $word: no size: .*BINLOG_QUOTA" "$TMP/err")"
done
BINLOG_QUOTA=much "$lib" | grep -q 'quota=much: not understood'
verdict $? "and the library says that it does not understand it"
rm -r "$d"

# ---- in use ----
for how in silent child thread; do
	rm -rf "$TMP/live" && mkdir "$TMP/live"
	(cd "$TMP/live" && BINLOG_DIR=$d LD_PRELOAD=$lib exec "$TMP/linger" $how >out 2>&1) &
	until_true [ -e "$TMP/live/ready" ]
	running=$(cat "$TMP/live/ready")
	old "$d" 2 >/dev/null
	touch -d '1 year ago' "$d"/linger*
	begin "$d" 1 true
	same "in use: $how: stays, though it is the oldest" "1 0" "$(ls "$d" | grep -c ^linger) $(ls "$d" | grep -c ^seq)"
	kill -USR1 "$running"
	until_true has_ended "$running"
	wait 2>/dev/null
	same "in use: $how: and is whole" 1 "$(raw stdout "$d"/linger* | grep -c 'I am going')"
	begin "$d" 1 true
	same "in use: $how: goes when it has ended" 0 "$(ls "$d" | grep -c ^linger)"
	rm -r "$d"
done

# ---- what is no capture of ours ----
traps() { # makes them, in $d
	mkdir -p "$d"
	real=$(old "$d" 1)
	cp "$d/$real" "$TMP/outside"
	ln -s "$TMP/outside" "$d/link-1-1-1.binlog"
	ln -s "$d/$real" "$d/other-1-1-1.binlog"
	ln "$TMP/outside" "$d/hard-${real#*-}"
	cp "$TMP/outside" "$d/renamed.binlog"
	cp "$TMP/outside" "$d/seq-1-${real#*-*-}"
	cp "$TMP/outside" "$d/a log-${real#*-}.kept"
	"$BUILD/binlog-pack" -q "$TMP/outside" -o "$d/packed.blog"
	cp "$d/packed.blog" "$d/packed-${real#*-}"
	echo "of somebody" >"$d/text-${real#*-}"
	: >"$d/empty-${real#*-}"
	mkfifo "$d/fifo-${real#*-}"
	mkdir "$d/directory-${real#*-}"
	touch -d '1 year ago' "$d"/*
}
traps
before=$(ls "$d" | grep -vFx "$real")
begin "$d" 1 timeout 20 true
same "traps: ends" 0 $?
same "traps: what is not surely a capture of ours stays" "$before" "$(ls "$d" | grep -v ^t)$(ls "$d" | sed -n 's/^text/\ntext/p')"
verdict "$([ ! -e "$d/$real" ]; echo $?)" "traps: what is one is gone"
rm -r "$d"

mkdir "$TMP/real"
ln -s "$TMP/real" "$TMP/linked"
old "$TMP/real" 2 >/dev/null
begin "$TMP/linked" 1 true
same "a link on the way: nothing is removed" 2 "$(ls "$TMP/real" | grep -c ^seq)"
chmod 777 "$TMP/real"
begin "$TMP/real" 1 true
same "a directory that others may write to: nothing is removed" 2 "$(ls "$TMP/real" | grep -c ^seq)"
chmod 700 "$TMP/real"
begin "$TMP/real" 1 true
same "else it would be" 0 "$(ls "$TMP/real" | grep -c ^seq)"
if [ "$(id -u)" -eq 0 ] && [ -n "$rootless" ]; then
	tools_for_nobody "$TMP/tools"
	mkdir -m 1777 "$TMP/shared"
	theirs=$(old "$TMP/shared" 1)
	chmod 644 "$TMP/shared/$theirs"
	as_nobody env BINLOG_DIR="$TMP/shared" LD_PRELOAD="$TMP/tools/libbinlog.so" seq 30000
	mine=$(ls "$TMP/shared" | grep -vFx "$theirs")
	as_nobody env BINLOG_DIR="$TMP/shared" BINLOG_QUOTA=1 LD_PRELOAD="$TMP/tools/libbinlog.so" true
	same "another user's stay, and are not counted" "there gone" \
		"$([ -e "$TMP/shared/$theirs" ] && echo there) $([ -e "$TMP/shared/$mine" ] || echo gone)"
	begin "$TMP/shared" 1 true
	verdict "$([ "$(find "$TMP/shared" -user 65534 | wc -l)" -eq 1 ]; echo $?)" "so they do when root records"
else
	skip "another user's captures: that takes root: $why_not"
fi

# ---- while it grows ----
old "$d" 4 >/dev/null
begin "$d" 2M sh -c 'exec seq 1000000'
same "it grows beyond the quota: the others go, but not itself" "0 1000000" \
	"$(($(ls "$d" | grep -c '^seq') - 1)) $("$show" --raw -q "$d"/seq* | tail -n 1)"
rm -r "$d"
# One run that goes on for long.
old "$d" 1 >/dev/null
begin "$d" 2M sh -c 'for i in $(seq 400); do seq 3000; done; ls -s --block-size=1 "$BINLOG_DIR"'
most=$(begin "$d" 0 true; taken "$d"/*)
verdict $((most > 8000000)) "a run of many programs: their captures go, too: $most bytes"
rm -r "$d"

# ---- at the same time ----
old "$d" 6 >/dev/null
pids=()
for i in {1..16}; do
	(BINLOG_DIR=$d BINLOG_QUOTA=$((2 * one + 16 * 16384)) LD_PRELOAD=$lib exec seq "$i" "$((i + 100))") >"$TMP/out.$i" 2>&1 &
	pids+=($!)
done
bad=0
for pid in "${pids[@]}"; do wait "$pid" || bad=$((bad + 1)); done
same "many start at once: all end well, and say nothing" "0 " "$bad $(cat "$TMP"/out.*)"
begin "$d" $((2 * one + 17 * 16384)) true
same "many start at once: each is recorded, and two of the old ones are left" "16 2" \
	"$(find "$d" -name 'seq*' -newermt '1 hour ago' | wc -l) $(find "$d" -name 'seq*' ! -newermt '1 hour ago' | wc -l)"
rm -r "$d"

# ---- beside binlog-pack ----
files=$(old "$d" 2)
(exec 9<"$d" && flock 9 && exec sleep 60) &
locker=$!
is_locked() { ! flock -n "$d" true; }
until_true is_locked
begin "$d" 1 true
same "while binlog-pack follows the directory nothing goes" "$files" "$(ls "$d" | grep ^seq)"
(sleep 0.3; kill "$locker") &
timeout 60 "$BUILD/binlog-pack" -q --follow "$d" -o "$TMP/followed.blog" 2>"$TMP/err"
same "and binlog-pack waits for a moment where a program does so" "0 " "$? $(cat "$TMP/err")"
same "and has them all" 2 "$("$show" --raw -q "$TMP/followed.blog" | grep -cx 30000)"
wait
rm -r "$d"

# ---- a full disk ----
mkdir "$TMP/disk"
if mount -t tmpfs -o size=2m none "$TMP/disk" 2>/dev/null; then
	chmod 700 "$TMP/disk"
	until [ "$(df --output=avail -B 1 "$TMP/disk" | tail -n 1)" -lt 300000 ]; do old "$TMP/disk" 1 >/dev/null; done
	BINLOG_DIR=$TMP/disk LD_PRELOAD=$lib seq 20000 >"$TMP/out"
	verdict "$([ -s "$TMP/out" ]; echo $?)" "a full disk: without a quota calls pass"
	begin "$TMP/disk" 1M seq 20000
	same "a full disk: with one there is room" "0 0" "$? $(wc -c <"$TMP/out")"
	umount "$TMP/disk"
else
	skip "a full disk: it cannot be mounted here"
fi

# ---- binlog-ctl clean ----
files=$(old "$d" 5)
"$ctl" clean --quota=$((2 * one)) --dry-run "$d" >"$TMP/out"
same "clean --dry-run: the oldest would go" "$(echo "$files" | head -n 3)" "$(sed -n 's/^would remove \(seq.*binlog\), .*/\1/p' "$TMP/out")"
same "clean --dry-run: and do not" 5 "$(ls "$d" | wc -l)"
"$ctl" clean --quota=$((2 * one)) --older-than=8d "$d" >"$TMP/out" 2>"$TMP/err"
same "clean: only those that are old enough: the status says that it does not fit" "1 3" "$? $(ls "$d" | wc -l)"
same "clean: a sentence says so" 1 "$(grep -c "$d: $((3 * one)) bytes are still taken, which is more than the quota" "$TMP/err")"
"$ctl" clean --quota=$((2 * one)) "$d" >"$TMP/out"
same "clean: the oldest go" "0 $(echo "$files" | tail -n 2)" "$? $(ls "$d")"
"$ctl" clean --quota=1T "$d" >"$TMP/out"
same "clean: what fits stays" "0 2" "$? $(ls "$d" | wc -l)"
"$ctl" clean --quota=0K "$d" >"$TMP/out"
same "clean: none" "0 0" "$? $(ls "$d" | wc -l)"
for size in much 1Q -1 1.5G 1GB ''; do
	"$ctl" clean --quota="$size" "$d" >"$TMP/out" 2>"$TMP/err"
	same "clean: no size: '$size'" "2 1" "$? $(grep -c 'as in 1G' "$TMP/err")"
done
finish
