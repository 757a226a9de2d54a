#!/bin/bash
# A packed log that has lost its definitions comes back from the executables, with the very bytes that were said; with
# others in their place it is refused by name, and what was said is there all the same, as places and arguments.
. tests/support/lib.sh
. tests/packed/common.sh
TMP=$(realpath "$TMP")

program() { # DIR NAME SOURCE [OPTION...]: a program that has its formats, and where it will be looked for
	mkdir -p "$1"
	$CC -std=gnu11 -D_GNU_SOURCE -I. -O1 -w -o "$1/$2" "$3" "${@:4}" || exit 1
}
# NAME ARGUMENT... of $TMP/bin: what it says natively, and its log in batches and plain.
record() {
	(cd "$TMP/files" && exec "$TMP/bin/$1" "${@:2}") >"$TMP/$1.stdout" 2>"$TMP/$1.stderr" </dev/null
	say "$1" "$TMP/bin/$1" "${@:2}"
	pack "$TMP/$1.batches" "$TMP/c/$1" && pack "$TMP/$1.plain" "$TMP/c/$1" --plain
	verdict $? "$1 is packed" "$(cat "$TMP/$1".*.complaint)"
}
hurt() { # LOG TAG...: to $TMP/hurt
	frames=$(python3 "$packed/hurt_log.py" "$1" "$TMP/hurt" "${@:2}")
}
is_whole() { # SENTENCE NAME [OPTION...]: the bytes of both streams are those of the native run
	local stream
	for stream in stdout stderr; do
		"$show" --raw --as-written -q --stream=$stream "${@:3}" "$TMP/hurt" >"$TMP/got" 2>"$TMP/complaint"
		cmp -s "$TMP/$2.$stream" "$TMP/got" || {
			not_ok "$1" "$stream: $(cmp "$TMP/$2.$stream" "$TMP/got" 2>&1; diff -a "$TMP/$2.$stream" "$TMP/got" | head -n 4; head -n 2 "$TMP/complaint")"
			return
		}
	done
	ok "$1"
}
# A plain log that has lost its sites does not know streams; it has formats and arguments.
is_said() { # SENTENCE NAME [OPTION...]: the bytes are those of the native run, which is silent on stderr
	"$show" --raw -q "${@:3}" "$TMP/hurt" >"$TMP/got" 2>"$TMP/complaint"
	cmp -s "$TMP/$2.stdout" "$TMP/got"
	verdict $? "$1" "$(cmp "$TMP/$2.stdout" "$TMP/got" 2>&1; diff -a "$TMP/$2.stdout" "$TMP/got" | head -n 4; head -n 2 "$TMP/complaint")"
}
mkdir -p "$TMP/files"
program "$TMP/bin" varying tests/bench/varying.c
program "$TMP/bin" all_kinds "$packed/all_kinds.c"
program "$TMP/bin" nameless tests/bench/varying.c -Wl,--build-id=none
record varying 5000 7
record all_kinds 12
record nameless 3000 9

# ---- from the executables ----
for name in varying all_kinds nameless; do
	hurt "$TMP/$name.batches" definitions
	verdict $((frames < 10)) "$name: its $frames definitions are destroyed"
	is_whole "$name: without its definitions it says what the program said" $name
	hurt "$TMP/$name.batches" definitions PREAMBLE
	is_whole "$name: without its preamble, too" $name
	for tag in STRING SITE MODULE THREAD STREAM BACKTRACE PROCESS MAPPING PREAMBLE; do
		hurt "$TMP/$name.batches" $tag
		is_whole "$name: without any $tag" $name
	done
	[ $name != all_kinds ] || continue
	for tag in definitions STRING SITE MODULE THREAD BACKTRACE PROCESS MAPPING; do
		hurt "$TMP/$name.plain" $tag
		is_said "$name, plain: without any $tag" $name
	done
done
hurt "$TMP/varying.batches" definitions
"$show" -q "$TMP/varying.batches" | sed 's/^[^[]*\[/[/' >"$TMP/want"
"$show" -q "$TMP/hurt" 2>/dev/null | sed 's/^[^[]*\[/[/' >"$TMP/got"
same_file "lines have their process, thread and stream without definitions" "$TMP/want" "$TMP/got"

# ---- others in their place ----
for name in varying nameless; do
	mv "$TMP/bin/$name" "$TMP/$name.moved"
	other=(-g3 -O2)
	[ $name = varying ] || other+=(-Wl,--build-id=none)
	program "$TMP/bin" $name tests/bench/varying.c "${other[@]}"
	for how in batches plain; do
		hurt "$TMP/$name.$how" definitions
		"$show" "$TMP/hurt" >"$TMP/got" 2>"$TMP/complaint"
		same "$name, $how: another executable in its place: that something is missing is said" 1 $?
		grep -q "^$TMP/bin/$name: .*\(not the\|another\)" "$TMP/complaint"
		verdict $? "$name, $how: the other one is refused by name" "$(sort "$TMP/complaint" | uniq | grep -v "check sum" | head -n 3)"
		said=$(grep -c "<fmt [^>]*$name+0x[0-9a-f]*>" "$TMP/got")
		wanted=$(wc -l <"$TMP/$name.stdout")
		same "$name, $how: each message is there as the place of its format" "$wanted" "$said"
		wanted=$(grep -o 'basic+udp:host=[0-9.]*,port=[0-9]*' "$TMP/$name.stdout" | md5sum)
		said=$(grep -o 'basic+udp:host=[0-9.]*,port=[0-9]*' "$TMP/got" | md5sum)
		same "$name, $how: with its arguments" "$wanted" "$said"
		is_said "$name, $how: --exe names the right one" $name --exe "$TMP/$name.moved"
		"$show" -q --raw --exe "$TMP/bin/all_kinds" "$TMP/hurt" >"$TMP/got" 2>&1
		grep -q "basic+udp" "$TMP/got" && ! cmp -s "$TMP/got" "$TMP/$name.stdout"
		verdict $? "$name, $how: --exe with a third one helps nothing" "$(head -n 3 "$TMP/got")"
	done
	mv "$TMP/bin/$name" "$TMP/$name.other"
	hurt "$TMP/$name.batches" definitions
	"$show" "$TMP/hurt" >"$TMP/got" 2>"$TMP/complaint"
	same "$name: without any executable all is there as places" "$(wc -l <"$TMP/$name.stdout")" \
		"$(grep -c "<fmt [^>]*$name+0x[0-9a-f]*>" "$TMP/got")"
done
finish
