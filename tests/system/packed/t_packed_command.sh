#!/bin/bash
# binlog-pack harms nothing that is there, and says in one sentence why it did not do what it was told.
. tests/support/lib.sh
pack=$BUILD/binlog-pack
recorded "$TMP/run" sh -c '/bin/echo one; /bin/echo two'
captures=$TMP/run/capture
"$pack" -q "$captures" -o "$TMP/log.blog"
verdict $? "captures are packed"
cp "$TMP/log.blog" "$TMP/kept.blog"
capture=$(ls "$captures"/*.binlog | head -n 1)
sha256sum "$captures"/*.binlog >"$TMP/sums"

refuses() { # WHAT WORDS ARGUMENT...: exits with 2 and one sentence with these words, and leaves all as it was
	"$pack" "${@:3}" >"$TMP/out" 2>"$TMP/said" </dev/null
	local status=$?
	[ $status -eq 2 ] && [ ! -s "$TMP/out" ] && [ "$(wc -l <"$TMP/said")" -eq 1 ] && grep -q -- "$2" "$TMP/said"
	verdict $? "$1: refused in one sentence" "status $status: $(cat "$TMP/said")"
	cmp -s "$TMP/log.blog" "$TMP/kept.blog" && sha256sum --status -c "$TMP/sums" && [ ! -e "$TMP/new.blog" ]
	verdict $? "and nothing is changed"
	cp "$TMP/kept.blog" "$TMP/log.blog"
}

refuses "the log is there" "File exists" "$captures" -o "$TMP/log.blog"
refuses "a log is to be packed" "packed already" "$TMP/log.blog" -o "$TMP/new.blog"
refuses "a log is input and output" "packed already" -f "$captures" "$TMP/log.blog" -o "$TMP/log.blog"
refuses "standard input is to be packed" "packed already" - -o "$TMP/new.blog"
refuses "a capture is to become the log" "take the place of a capture" -f "$captures" -o "$capture"
ln -s "$capture" "$TMP/link"
refuses "a link to a capture is to become the log" "capture" -f "$captures" -o "$TMP/link"
ln -s "$TMP/log.blog" "$TMP/other"
refuses "the log is a link" "symbolic link" -f "$captures" -o "$TMP/other"
refuses "the log is a directory" "directory" -f "$captures" -o "$TMP/run"
refuses "there is no capture" "No such file" "$TMP/nowhere" -o "$TMP/new.blog"
finish
