#!/bin/bash
# Ordinary files that BINLOG_STREAMS=file:GLOB=MODE asks for: what the program
# writes into them comes back byte for byte, and in the files is what the mode says.
. tests/support/lib.sh
build files
ulimit -n "$(ulimit -Hn)"

list() { (cd "$1" && find . -type f -printf '%P\n' | sort); }
decoded() { # DIR GLOB [OPTION...]
	"$show" --raw -q --stream="file:$2" "${@:3}" "$1/capture"
}
# What is wrong in a recorded run, in words.
wrong_files() { # MODE OPTION...: those of decoding
	local name
	diff <(list "$TMP/native/files") <(list "$TMP/recorded/files")
	diff "$TMP/native/stdout" "$TMP/recorded/stdout"
	diff "$TMP/native/status" "$TMP/recorded/status"
	case $1 in
	replace) find "$TMP/recorded/files" -type f -size +0 -printf '%P is not empty\n' ;;
	*) diff -qr "$TMP/native/files" "$TMP/recorded/files" ;;
	esac
	list "$TMP/native/files" | while read -r name; do
		decoded "$TMP/recorded" "$TMP/recorded/files/$name" "${@:2}" >"$TMP/decoded" 2>"$TMP/complaint"
		cmp "$TMP/native/files/$name" "$TMP/decoded" 2>&1
		cat "$TMP/complaint"
	done
}
recorded_files() { # SENTENCE OPTIONS COMMAND...: in both modes
	local mode why
	natively "$TMP/native" "${@:3}"
	for mode in replace tee; do
		BINLOG_STREAMS="file:*.log=$mode" recorded "$TMP/recorded" "${@:3}"
		# shellcheck disable=SC2086 # a list of options
		why=$(wrong_files $mode $2 2>&1 | tr -d '\0')
		verdict ${#why} "$mode, --raw $2: $1" "$why"
	done
}
written=--as-written
recorded_files "opened for each of 10,000 lines" "" "$TMP/files" append 10000
recorded_files "opened for each line" $written "$TMP/files" append 1000
recorded_files "open() for each line" "" "$TMP/files" append_descriptor 5000
recorded_files "200 files" "" "$TMP/files" many 200
recorded_files "50 files" $written "$TMP/files" many 50
recorded_files "open, write, dprintf, writev, dup, creat" "" "$TMP/files" descriptors 100
recorded_files "open, write, dprintf, writev, dup, creat" $written "$TMP/files" descriptors 100
recorded_files "opened again and again, truncated and overwritten" $written "$TMP/files" again 200
recorded_files "what is held back at fork is written twice" $written "$TMP/files" forks
recorded_files "threads with a file each" "" "$TMP/files" threads 500
recorded_files "threads with a file each" $written "$TMP/files" threads 500
recorded_files "setvbuf and write in between" $written "$TMP/files" buffers
recorded_files "ftell, fseek, rewind, fsetpos" $written "$TMP/files" seeks
recorded_files "a shell's redirections, inherited by what it starts" $written bash -c \
	'{ echo a; /bin/echo b; echo c; seq 3; } >x.log; echo d >>x.log; exec 5>y.log; echo e >&5; seq 2 >&5; (echo f; exec seq 4) >&5'
recorded_files "awk, sed, perl, python" $written bash -c \
	'awk "BEGIN { for (i = 0; i < 1000; i++) print i, i / 7 >\"awk.log\" }"; seq 500 | sed -n "w sed.log" >/dev/null
	perl -e "open L, q(>>perl.log); print L qq(line \$_\n) for 1 .. 500; close L"
	python3 -c "
with open(\"python.log\", \"w\") as log:
    for i in range(500): print(\"entry\", i, file=log)"'

BINLOG_STREAMS='file:*.log=replace' recorded "$TMP/recorded" "$TMP/files" threads_shared 2000
for option in "" $written; do
	# shellcheck disable=SC2086
	decoded "$TMP/recorded" shared.log $option | sort >"$TMP/decoded"
	same_file "threads with one file: every line is there $option" \
		<(for t in 0 1 2 3; do seq -f "thread $t: %.0f" 0 1999; done | sort) "$TMP/decoded"
done

# ---- more files than there are numbers ----
natively "$TMP/native" "$TMP/files" many 5000
BINLOG_STREAMS='file:*.log=replace' recorded "$TMP/recorded" "$TMP/files" many 5000
(cd "$TMP/native/files" && seq -f %.0f.log 0 4999 | xargs cat) >"$TMP/wanted"
for option in "" $written; do
	# shellcheck disable=SC2086
	decoded "$TMP/recorded" '*.log' $option >"$TMP/decoded"
	same_file "5,000 files, one after the other $option" "$TMP/wanted" "$TMP/decoded"
done
for i in 0 2015 2016 4031 4999; do
	decoded "$TMP/recorded" "$i.log" >"$TMP/decoded"
	same_file "5,000 files: number $i" "$TMP/native/files/$i.log" "$TMP/decoded"
done
same "5,000 files: none is missing, none was written" "5000 0" \
	"$(list "$TMP/recorded/files" | wc -l) $(find "$TMP/recorded/files" -type f -size +0 | wc -l)"
BINLOG_STREAMS='file:*.log=replace' recorded "$TMP/recorded" "$TMP/files" threads_files 2500
"$show" -q --stream='file:*.log' "$TMP/recorded/capture" | awk '{
		n = split($4, path, "/"); if (path[n] != $5 ":" && path[n] != $5) print; lines++ }
	END { if (lines != 20000) print lines, "lines" }' >"$TMP/why"
sed -i 's/^/wrong: /' "$TMP/why"
verdict "$(wc -l <"$TMP/why")" "10,000 files, four threads: each text belongs to its file" "$(cat "$TMP/why")"
same "10,000 files, four threads: none was written" 0 \
	"$(find "$TMP/recorded/files" -type f -size +0 | wc -l)"
if [ "$(ulimit -n)" -ge 3100 ]; then
	BINLOG_STREAMS='file:*.log=replace' recorded "$TMP/recorded" "$TMP/files" together 3000
	(decoded "$TMP/recorded" '*.log' 2>/dev/null; find "$TMP/recorded/files" -type f -exec cat {} +) |
		sort >"$TMP/decoded"
	for word in first second; do seq -f "$word %.0f" 0 2999; done | sort >"$TMP/wanted"
	same_file "3,000 files at once: what is not recorded is written" "$TMP/wanted" "$TMP/decoded"
	got=$("$show" "$TMP/recorded/capture" 2>&1 >/dev/null | tail -n 1)
	lines=$(cat "$TMP"/recorded/files/*.log | wc -l)
	same "3,000 files at once: and counted" "$((6001 - lines)) captured, $lines passed, 0 dropped" "$got"
	same "3,000 files at once: none was written" 0 "$lines"
else
	skip "3,000 files at once: not so many descriptors"
fi

# ---- rotation: a file is known by what it was called when it was opened ----
for how in rotate rotate_appending; do
	natively "$TMP/native" "$TMP/files" $how 90
	BINLOG_STREAMS='file:app.log=replace' recorded "$TMP/recorded" "$TMP/files" $how 90
	for option in "" $written; do
		# shellcheck disable=SC2086
		decoded "$TMP/recorded" app.log $option >"$TMP/decoded"
		same_file "$how: all that app.log was, in order $option" \
			<(cat "$TMP"/native/files/app.log.{4,3,2,1} "$TMP/native/files/app.log") "$TMP/decoded"
	done
	same "$how: every file is there, and empty" "$(list "$TMP/native/files") 0" \
		"$(list "$TMP/recorded/files") $(cat "$TMP"/recorded/files/* | wc -c)"
done

# ---- what is a file that was asked for ----
mkdir -p "$TMP/recorded/files" "$TMP/place/real/sub"
ln -s real "$TMP/place/link"
asks() { # SENTENCE GLOB RECORDED...: of those that the command writes
	local got
	rm -rf "$TMP/got" "$TMP"/place/real/{,sub/}*.*
	(cd "$TMP/place" && BINLOG_STREAMS="$2" LD_PRELOAD=$lib BINLOG_DIR=$TMP/got exec bash -c '
		for f in real/a.log real/b.txt real/sub/c.log; do echo "$f" >$f; done; cd real && (exec printf "%s\n" d.log >d.log)')
	got=$("$show" --raw -q --stream='file:**' "$TMP/got" | tr '\n' ' ')
	same "$2: $1" "${*:3}" "${got% }"
}
asks "without a slash: the last component" 'file:*.log' real/a.log real/sub/c.log d.log
asks "a star does not match a slash" "file:$TMP/place/real/*.log" real/a.log d.log
asks "two do" "file:$TMP/place/**.log" real/a.log real/sub/c.log d.log
asks "relative to the directory at the start of the run, also in children" 'file:real/*.log' real/a.log d.log
asks "and to no other" 'file:sub/*.log'
asks "with a dot" 'file:./real/*.log' real/a.log d.log
asks "through a symbolic link" "file:$TMP/place/link/[a-c].log" real/a.log
asks "a later item wins" 'file:*=tee,file:*.log=pass' real/b.txt
asks "none" "file:*.nothing"
asks "what is not understood changes nothing" "file:*.log=tea,file:b.txt"  real/b.txt
asks "the mode is tee if there is none" 'file:a.log' real/a.log
same "file:a.log: it is also written" real/a.log "$(cat "$TMP/place/real/a.log")"
same "binlog-show finds it through a symbolic link" real/a.log \
	"$("$show" --raw -q --stream="file:$TMP/place/link/a.log" "$TMP/got")"
same "binlog-show finds it by the end of its path" real/a.log \
	"$("$show" --raw -q --stream="file:place/*/a.log" "$TMP/got")"
same "binlog-show finds no other" "" "$("$show" --raw -q --stream="stdout,file:/place/*/a.log" "$TMP/got")"
same "a line names the file" "$TMP/place/real/a.log: real/a.log" \
	"$("$show" -q --stream=file:a.log "$TMP/got" | cut -d' ' -f4-)"

long=$(printf 'long%.0s' {1..50})
mkdir -p "$TMP/place/$long/$long/$long/$long/$long"
(cd "$TMP/place/$long/$long/$long/$long/$long" && BINLOG_STREAMS='file:*.log=replace' LD_PRELOAD=$lib \
	BINLOG_DIR=$TMP/long exec sh -c 'echo deep >a.log; cat a.log')
same "a path of over 1,000 bytes" deep "$("$show" --raw -q --stream="file:$long/a.log" "$TMP/long")"

export BINLOG_STREAMS='file:*=replace'
(cd "$TMP/recorded/files" && LD_PRELOAD=$lib BINLOG_DIR=$TMP/own exec bash -c 'echo out; seq 3 >other') >"$TMP/out.log"
same "a run's own output that matches is its output" out "$(raw stdout "$TMP/own")"
same "and not a file" "$(seq 3)" "$("$show" --raw -q --stream='file:*' "$TMP/own")"
(cd "$TMP/recorded/files" && LD_PRELOAD=$lib BINLOG_DIR=$TMP/own exec bash -c \
	"cp $(find "$TMP/own" -type f | head -n 1) copy.binlog; cat copy.binlog >cat.binlog") >/dev/null
same_file "a capture never matches" "$TMP/recorded/files/copy.binlog" "$TMP/recorded/files/cat.binlog"
verdict $(($(cat "$TMP/recorded/files/copy.binlog" | wc -c) < 4096)) "and is written"
recorded "$TMP/recorded" "$TMP/files" unnamed
same "file:*: what never had a name is left alone" "$(printf 'read back: temporary\ndone')" \
	"$(cat "$TMP/recorded/stdout")"
same "file:*: what has lost its name still has it" "$(printf 'said\nsaid after')" \
	"$(decoded "$TMP/recorded" gone.log)"
BINLOG_STREAMS='file:*.log=replace' recorded "$TMP/recorded" bash -c \
	'exec 5>gone.log; rm gone.log; echo said >&5; exec seq 2 >&5'
same "what was removed before a program started still has its name" "$(echo said; seq 2)" \
	"$(decoded "$TMP/recorded" gone.log)"
unset BINLOG_STREAMS

# ---- what was there before ----
natively "$TMP/native" bash -c "echo before >old.log; exec $TMP/files existing"
for mode in replace tee; do
	recorded "$TMP/recorded" true
	echo before >"$TMP/recorded/files/old.log"
	(cd "$TMP/recorded/files" && BINLOG_STREAMS="file:*.log=$mode" LD_PRELOAD=$lib \
		BINLOG_DIR=$TMP/recorded/capture exec "$TMP/files" existing >/dev/null)
	decoded "$TMP/recorded" old.log $written >"$TMP/decoded"
	same_file "$mode: what was there is not recorded" <(tail -n 2 "$TMP/native/files/old.log") "$TMP/decoded"
	case $mode in
	replace) same "replace: it stays" before "$(cat "$TMP/recorded/files/old.log")" ;;
	tee) same_file "tee: it stays" "$TMP/native/files/old.log" "$TMP/recorded/files/old.log" ;;
	esac
done

# ---- binlog-run says what is wrong ----
for list in stdout=tea stdut=tee file: file:a=b stdout nonsense=auto,stderr=tee; do
	got=$(cd "$TMP" && "$BUILD/binlog-run" -s "$list" -o "$TMP/never" true 2>&1; echo "status $?")
	verdict "$(echo "$got" | grep -cv -e '^binlog-run: .*: .*: correct --streams or BINLOG_STREAMS$' -e '^status 2$')" \
		"binlog-run refuses --streams=$list" "$got"
done
got=$(cd "$TMP" && "$BUILD/binlog-run" -s 'file:/a=b/*=tee,,all=auto,file:x' -o "$TMP/never" true 2>&1; echo "status $?")
same "binlog-run takes what can be meant" "status 0" "$got"
finish
