#!/bin/bash
# The text of a message whose format's definition is damaged comes back from the program that was recorded: by the
# address in the definition, or by the call.  Another program in its place is refused.
. tests/support/lib.sh
export PYTHONDONTWRITEBYTECODE=1

build_statements() { # NAME OPTION...: the program that has every kind of statement
	$CC -w -D_GNU_SOURCE -o "$TMP/$1" "${@:2}" "$here/victims/statements.c" || exit 1
}
capture_of() { # DIR: its only capture
	local files=("$1"/*.binlog)
	echo "${files[0]}"
}
# What is shown of a damaged copy equals what is shown of the capture; and it is damaged.  Which of two formats a call
# was given cannot be known when their addresses are lost.
compare_damaged() { # SENTENCE HOW CAPTURE
	local formats
	mkdir -p "$TMP/damaged"
	formats=$(python3 "$here/support/damage_formats.py" "$2" "$3" "$TMP/damaged/x.binlog")
	"$show" --raw -q "$3" 2>/dev/null |
		if [ "$2" = kind ]; then sed 's/^single 1/<fmt CALL> args: 1/'; else cat; fi >"$TMP/wanted"
	"$show" --raw -q "$TMP/damaged" 2>"$TMP/complaints" | sed 's/^<fmt program+0x[0-9a-f]*>/<fmt CALL>/' >"$TMP/got"
	if [ "${formats:-0}" -lt 3 ] || cmp -s "$3" "$TMP/damaged/x.binlog"; then
		not_ok "$1" "only ${formats:-0} formats were damaged"
	else
		same_file "$1 ($formats formats)" "$TMP/wanted" "$TMP/got"
	fi
}
without_texts() { grep -c '<fmt program+0x[0-9a-f]*>' "$1"; }

for options in "-O2" "-O0 -no-pie" "-O2 -fno-plt -Wl,--build-id=none"; do
	# shellcheck disable=SC2086 # a list of options
	build_statements program $options -fno-optimize-sibling-calls
	recorded "$TMP/run" "$TMP/program"
	capture=$(capture_of "$TMP/run/capture")
	for how in kind length zeros directives; do
		compare_damaged "formats damaged by '$how' come back: $options" $how "$capture"
	done
done
grep -q 'a format was read out of the program' "$TMP/complaints"
verdict $? "that a format is not from the capture is said" "$(head -n 3 "$TMP/complaints")"

# Bytes have no format, whatever the program hands to such calls: nothing is missing of them.
recorded "$TMP/whole" objdump -d "$TMP/program"
for way in --stats "-o json" "-o csv" "-o logfmt" --raw; do
	# shellcheck disable=SC2086 # two words
	same "nothing is read out of the program for what is whole: $way" 0 \
		"$("$show" $way "$TMP/whole/capture" 2>&1 >/dev/null | grep -c 'a format was read out')"
done

strip "$TMP/program"
build_statements program -O2 -fno-optimize-sibling-calls
recorded "$TMP/run" "$TMP/program"
capture=$(capture_of "$TMP/run/capture")
strip "$TMP/program"
compare_damaged "formats come back from a stripped program" kind "$capture"
python3 "$here/support/damage_formats.py" kind "$capture" "$TMP/damaged/x.binlog" >"$TMP/count"

# ---- another file in its place ----
cp "$TMP/program" "$TMP/kept"
build_statements program -O1 -Dmain=other_main -Wl,--defsym=main=other_main
"$show" --raw -q "$TMP/damaged" >"$TMP/got" 2>"$TMP/complaints"
grep -qF "$TMP/program: not the file that was recorded" "$TMP/complaints"
verdict $? "another program with the same name is refused by name" "$(head -n 3 "$TMP/complaints")"
[ "$(without_texts "$TMP/got")" -gt 3 ]
verdict $? "no text of it is shown" "$(head -n 5 "$TMP/got")"
"$show" --raw -q --force "$TMP/damaged" 2>/dev/null | grep -qE 'printf|<fmt'
verdict $? "with --force it is used, and what does not fit is not"
rm "$TMP/program"
"$show" --raw -q "$TMP/damaged" >"$TMP/got" 2>"$TMP/complaints"
grep -qF "$TMP/program: " "$TMP/complaints"
verdict $? "a program that is gone is named" "$(head -n 3 "$TMP/complaints")"
mkdir -p "$TMP/root$TMP"
mv "$TMP/kept" "$TMP/root$TMP/program"
"$show" --raw -q --sysroot="$TMP/root" "$TMP/damaged" 2>/dev/null | sed 's/^<fmt program+0x[0-9a-f]*>/<fmt CALL>/' >"$TMP/got"
same_file "formats come back from a copy below --sysroot" "$TMP/wanted" "$TMP/got"

# ---- a program of the system, stripped, with functions of its own that print ----
recorded "$TMP/run" ls -l /nonexistent /
compare_damaged "formats of ls come back by their addresses" zeros "$(capture_of "$TMP/run/capture")"
finish
