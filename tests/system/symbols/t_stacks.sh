#!/bin/bash
# Every frame of every message of a nested C and C++ program, with inlining, in a PIE, in a program that is not one and
# in a shared library: the program counters are those of glibc's backtrace(), the names those of addr2line -if.
set -u
TMP=$(realpath "$TMP")
BUILD=$(realpath "$BUILD")
src=$PWD/tests/victims
failed=0
ok() { echo "ok: $1"; }
not_ok() { echo "not ok: $1"; failed=1; }

# names FILE OFFSET: the frames at a return address, innermost first, "function at file:line", as addr2line names them.
# For C++ it may have two answers: its first one gives the innermost frame the name of the symbol around the address,
# also where that frame is inlined; asked again it names each frame by its debug information.  Then the second answer
# counts, but for the frame that is not inlined, the last, which has the name of the symbol.
names() {
	local address
	address=$(printf '0x%x' $(($2 - 1)))
	printf '%s\n%s\n' "$address" "$address" | addr2line -aiCpf -e "$1" |
		sed -E 's/ \(discriminator [0-9]+\)//; s/^ \(inlined by\) //' |
		awk '/^0x[0-9a-f]+: / { answer++; n = 0; sub(/^0x[0-9a-f]+: /, "") }
			{ frame[answer, ++n] = $0; count = n }
			function name(line) { return substr(line, 1, match(line, / at [^ ]*$/) - 1) }
			function place(line) { return substr(line, match(line, / at [^ ]*$/)) }
			END {
				if (name(frame[1, 1]) != name(frame[2, 1]))
					frame[2, count] = name(frame[1, 1]) place(frame[2, count])
				for (i = 1; i <= count; i++)
					print frame[2, i]
			}'
}

# expected ORACLE PROGRAM: for each message its number, and its frames, one per line; a frame of libc is "libc"
expected() {
	local number frames frame file
	declare -A known
	while read -r number frames; do
		echo "message $number"
		for frame in $frames; do
			file=${frame%+*}
			[ "$file" != program ] || file=$2
			case $file in
			"$TMP"/*) ;;
			*) echo libc; continue ;;
			esac
			[ -n "${known[$frame]+set}" ] || known[$frame]=$(names "$file" "${frame##*+}")
			[ "${known[$frame]}" = '' ] || echo "${known[$frame]}"
		done
	done <"$1" | grep -v '^?? ??:0$'
}

# shown CAPTURES: the same from binlog-show; frames of the C library and of _start have no file below $TMP or tests/
shown() {
	"$BUILD/binlog-show" --stacks --depth=64 "$1" 2>/dev/null | awk '
		/ stdout: message [0-9]+$/ { print "message " $NF; next }
		/^ +#?[0-9]* / { print }' |
		sed -E 's/^ +#[0-9]+ +//; s/^ +//; s/ \(inlined\)$//; s/^\(inlined by\) //'
}

# check SENTENCE OPTIONS...: builds, records, compares
check() {
	local what=$1
	shift
	rm -rf "$TMP/captures" "$TMP"/stacks "$TMP"/*.so
	gcc "$@" -fPIC -shared -o "$TMP/libstacks.so" "$src/stacks_library.c" &&
		g++ "$@" -o "$TMP/stacks" "$src/stacks.cc" "$TMP/libstacks.so" || { not_ok "$what: does not compile"; return; }
	LD_PRELOAD=$BUILD/libbinlog.so BINLOG_DIR=$TMP/captures BINLOG_DEPTH=64 "$TMP/stacks" "$TMP/oracle" >"$TMP/out" ||
		not_ok "$what: the program fails"
	# Of the C library's frames only what follows from its debug package could be compared; of _start nothing.
	expected "$TMP/oracle" "$TMP/stacks" | grep -vE '^(libc$|_start )' >"$TMP/want"
	shown "$TMP/captures" | grep -vE ' at \./| in libc\.so\.6$|^libc\.so\.6\+|^_start' >"$TMP/got"
	if [ "$(grep -c '^message ' "$TMP/got")" -gt 20 ] && cmp -s "$TMP/want" "$TMP/got"; then
		ok "$what: $(grep -vc '^message ' "$TMP/got") frames of $(grep -c '^message ' "$TMP/got") messages are named as addr2line -if names them"
	else
		not_ok "$what: frames differ from addr2line -if"
		diff "$TMP/want" "$TMP/got" | head -n 20
	fi
}

check "a PIE and a library, -O2" -O2 -g
check "a PIE and a library, -O0" -O0 -g
check "not a PIE, -O2" -O2 -g -no-pie
check "-O3, DWARF 4" -O3 -gdwarf-4
check "-O1, with frame pointers" -O1 -g -fno-omit-frame-pointer

# A handler for a fault at the first instruction of a function: the instruction before it is another function's.
gcc -O2 -g -o "$TMP/crash" "$src/crash.c" || exit 1
rm -rf "$TMP/captures"
LD_PRELOAD=$BUILD/libbinlog.so BINLOG_DIR=$TMP/captures "$TMP/crash" >"$TMP/out"
"$BUILD/binlog-show" --stacks "$TMP/captures" 2>/dev/null | sed -nE 's/^ +#[0-9]+ ((handler|before|faults|main) at .*)/\1/p' >"$TMP/got"
grep -nE '/\* (handler|faults|main) \*/' "$src/crash.c" |
	sed -E "s|^([0-9]+):.*/\* ([a-z]+) \*/.*|\2 at $src/crash.c:\1|" >"$TMP/want"
if [ -s "$TMP/want" ] && cmp -s "$TMP/want" "$TMP/got"; then
	ok "the function that a signal has interrupted, at its first instruction"
else
	not_ok "the function that a signal has interrupted"
	diff "$TMP/want" "$TMP/got"
fi
exit $failed
