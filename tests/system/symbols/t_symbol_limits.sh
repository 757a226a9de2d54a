#!/bin/bash
# What is not read of programs and libraries since it is beyond a limit is told once, with the file, the limit, what is
# missing and the switch that raises it; with the switch it is read.
. tests/support/lib.sh
export BINLOG_CACHE=
symbolize=$BUILD/binlog-symbolize

# Rows of the table: what is seen, and the value of one that is fixed.
seen() { # NAME
	awk -F'"' -v name="$1" '/^LIMIT\(/ && $2 == name { print $(NF - 1) }' base/limits.def
}
told() { # NAME VALUE FILE: the sentence is there, once
	same "$1: beyond $2 it is told once, with the file, the value and the switch" 1 \
		"$(grep -F -- "$3: $(seen "$1"): more than $2 " "$TMP/got" | grep -cF -- ": give --limit=$1=N with a larger N")"
}
beyond() { # NAME VALUE FILE COMMAND...: status 1 and a sentence, but not with all of it
	"${@:4}" "--limit=$1=$2" <"$TMP/asked" >"$TMP/got" 2>&1
	same "$1: the status tells that something is missing" 1 $?
	told "$1" "$2" "$3"
	"${@:4}" --no-limits <"$TMP/asked" >"$TMP/more" 2>&1
	same "$1: all is there without limits" 0 $?
	! cmp -s "$TMP/got" "$TMP/more" && ! grep -q 'more than' "$TMP/more"
	verdict $? "$1: which makes a difference" "$(cat "$TMP/more")"
}
named() { # NAME VALUE FILE FUNCTION [WHOLE]: it has this name; WHOLE is the file before it was stripped
	printf '%s+0x%s\n' "$3" "$(nm "${5:-$TMP/whole}" | awk -v name="$4" '$3 == name { print $1 }')" >"$TMP/asked"
	beyond "$1" "$2" "$3" "$symbolize"
	same "$1: and gives the name" 1 "$(grep -c "^$4 at " "$TMP/more")"
}

cat >"$TMP/tail.c" <<'END_OF_PROGRAM'
#include <stdio.h>
__attribute__((noipa)) int inner(int n) { return printf("said %d\n", n) + 1; }
__attribute__((noipa)) int jumps(int n) { return inner(n + 1); }
int main(void) { return jumps(1) - 8; }
END_OF_PROGRAM
gcc -g -O2 -gz=zlib -o "$TMP/whole" "$TMP/tail.c" || exit 1
named symbol-file 100 "$TMP/whole" jumps
named symbol-sections 3 "$TMP/whole" jumps
named symbol-read-times 0 "$TMP/whole" jumps
named symbol-unpacked 10 "$TMP/whole" jumps
named symbol-unpacked-times 0 "$TMP/whole" jumps
named symbol-overlaps 0 "$TMP/whole" jumps
named symbol-deaths 0 "$TMP/whole" jumps
echo 'int other(int n) { return n * 3; }' >"$TMP/other.c"
sed 's/^int main.*/int other(int); int main(void) { return jumps(other(1)) - 8; }/' "$TMP/tail.c" >"$TMP/two.c"
gcc -g -O1 -o "$TMP/two" "$TMP/two.c" "$TMP/other.c" || exit 1
named symbol-shared-times 0 "$TMP/two" other "$TMP/two"

# One byte more than is read unless a switch says so, and one section.
python3 - "$TMP" <<'P' || exit 1
import struct, sys
def write(name, sections, size):
    with open(f"{sys.argv[1]}/{name}", "wb") as file:
        file.write(struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 3, 62, 1, 0, 0, 64, 0, 64, 56, 0, 64, 0, 0))
        file.write(struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, sections, 0, 0, 0, 0))
        file.truncate(size)
write("fine", 3, 32 << 30)
write("larger", 3, (32 << 30) + 1)
write("sections", (1 << 22) + 1, 32 << 30)
P
unless_set() { # NAME VALUE FILE
	echo "$3+0x1010" >"$TMP/asked"
	"$symbolize" <"$TMP/asked" >"$TMP/got" 2>&1
	told "$1" "$2" "$3"
}
unless_set symbol-file $((32 << 30)) "$TMP/larger"
unless_set symbol-sections $((1 << 22)) "$TMP/sections"
"$symbolize" <<<"$TMP/fine+0x1010" >"$TMP/got" 2>&1
same "no limit is told where none is met" 0 "$(grep -c 'more than' "$TMP/got")"
# What costs more than it holds.
python3 "$here/support/elf_bombs.py" "$TMP/bombs" || exit 1
unless_set symbol-unpacked-times 64 "$TMP/bombs/packed_zlib"
for name in shared_lines shared_files shared_ranges shared_unit_ranges; do
	unless_set symbol-shared-times 4 "$TMP/bombs/$name"
done
unless_set symbol-overlaps 64 "$TMP/bombs/overlapping_units"
unless_set symbol-lookups $((1 << 28)) "$TMP/bombs/many_sections"

# Functions that pass their text on: the list has their calls.
cat >"$TMP/rounds.c" <<'END_OF_PROGRAM'
#include <stdio.h>
__attribute__((noipa)) void first(const char *text) { puts(text); }
__attribute__((noipa)) void second(const char *text) { first(text); }
__attribute__((noipa)) void third(const char *text) { second(text); }
__attribute__((noipa)) void fourth(const char *text) { third(text); }
__attribute__((noipa)) void fifth(const char *text) { fourth(text); }
int main(void) { fifth("said"); return 0; }
END_OF_PROGRAM
gcc -g -O1 -o "$TMP/rounds" "$TMP/rounds.c" || exit 1
beyond symbol-rounds 2 "$TMP/rounds" "$show" --index "$TMP/rounds"
same "symbol-rounds: calls that pass the text on are missing, and not without limits" "0 1" \
	"$(grep -c ': fifth: .* fourth ' "$TMP/got") $(grep -c ': fifth: .* fourth ' "$TMP/more")"
same "symbol-rounds: that with the text is known by what it is given" "1 1" \
	"$(grep -c '"said' "$TMP/got") $(grep -c '"said' "$TMP/more")"

# Of a stripped program, as the packagers of distributions make it.
if command -v xz >/dev/null; then
	objcopy --only-keep-debug "$TMP/whole" "$TMP/debug"
	objcopy -S --keep-symbol=jumps "$TMP/debug" "$TMP/mini" 2>/dev/null
	xz "$TMP/mini"
	strip -o "$TMP/stripped" "$TMP/whole"
	objcopy --add-section .gnu_debugdata="$TMP/mini.xz" "$TMP/stripped"
	named symbol-minidebuginfo 1000 "$TMP/stripped" jumps
	named symbol-xz 1000 "$TMP/stripped" jumps
	named symbol-unpacked 10 "$TMP/stripped" jumps
else
	skip "symbol-minidebuginfo, symbol-xz: there is no xz"
fi

# What is missing in stacks is told of answers, too, that are remembered; with a larger limit they are not.
recorded "$TMP/run" "$TMP/whole"
export BINLOG_CACHE=$TMP/cache
for name in symbol-tail-entries symbol-tail-calls; do
	for turn in first second; do
		beyond $name 0 "$TMP/whole" "$show" --stacks "$TMP/run/capture"
		same "$name: the function is missing, and not without limits, the $turn time" "0 1" \
			"$(grep -c ' jumps at .*(tail call)' "$TMP/got") $(grep -c ' jumps at .*(tail call)' "$TMP/more")"
	done
done
export BINLOG_CACHE=

# ---- those that nothing raises ----
fixed() { # NAME VALUE FILE COMMAND...
	local seen
	seen=$(awk -F'"' -v name="FORMAT_LIMIT($1," 'index($0, name) == 1 { print $(NF - 1) }' base/limits.def)
	"${@:4}" <"$TMP/asked" >"$TMP/got" 2>&1
	same "$1: beyond it is told once, with the file and the value" 1 "$(grep -cF -- "$3: $seen: more than $2 " "$TMP/got")"
}
within() { # NAME COMMAND...
	"${@:2}" <"$TMP/asked" >"$TMP/got" 2>&1
	same "$1: what is just below it is not told" 0 "$(grep -c 'more than' "$TMP/got")"
}
inlined() { # COUNT: a program with so many functions at one address, which is asked for
	{
		echo '#include <stdio.h>'
		echo 'static inline __attribute__((always_inline)) void f1(void) { puts("innermost"); }'
		for ((i = 2; i < $1; i++)); do
			echo "static inline __attribute__((always_inline)) void f$i(void) { f$((i - 1))(); }"
		done
		echo "int main(void) { f$(($1 - 1))(); return 0; }"
	} >"$TMP/inlined.c"
	gcc -g -O1 -o "$TMP/inlined" "$TMP/inlined.c" || exit 1
	echo "$TMP/inlined+0x$(objdump -d --no-show-raw-insn "$TMP/inlined" | awk '/<puts@plt>$/ && /call/ { print substr($1, 1, length($1) - 1) }')" \
		>"$TMP/asked"
}
inlined 513
fixed SYMBOL_INLINED 512 "$TMP/inlined" "$symbolize"
same "SYMBOL_INLINED: the inner ones are there" 512 "$(grep -c "inlined.c:" "$TMP/got")"
inlined 512
within SYMBOL_INLINED "$symbolize"
same "SYMBOL_INLINED: all are there" "main 512" "$(awk '/inlined by/ { name = $3 } END { print name, NR }' "$TMP/got")"

name=$(head -c 66000 /dev/zero | tr '\0' f)
printf 'int %s(int n) { return n; }\nint main(void) { return %s(0); }\n' "$name" "$name" >"$TMP/name.c"
gcc -g -O1 -fno-inline -o "$TMP/name" "$TMP/name.c" || exit 1
echo "$TMP/name+0x$(nm "$TMP/name" | awk '$3 ~ /^ffff/ { print $1 }')" >"$TMP/asked"
fixed SYMBOL_NAMES 65536 "$TMP/name" "$symbolize"

bytes() { # COUNT: a program with a text of so many bytes, its end included
	printf 'int puts(const char *);\nint main(void) { return puts("%s"); }\n' "$(head -c $(($1 - 1)) /dev/zero | tr '\0' x)" >"$TMP/text.c"
	gcc -O1 -o "$TMP/text" "$TMP/text.c" || exit 1
}
bytes 61441
fixed SYMBOL_TEXT 61440 "$TMP/text" "$show" --index "$TMP/text"
grep -q 'puts ?$' "$TMP/got"
verdict $? "SYMBOL_TEXT: the text is not there" "$(cut -c 1-200 "$TMP/got")"
bytes 40001
sed 's/puts("\(x*\)")/puts(argc > 1 ? "\1" : "y\1")/; s/main(void)/main(int argc)/' "$TMP/text.c" >"$TMP/texts.c"
gcc -O1 -w -o "$TMP/texts" "$TMP/texts.c" || exit 1
fixed SYMBOL_TEXT 61440 "$TMP/texts" "$show" --index "$TMP/texts"
bytes 61440
within SYMBOL_TEXT "$show" --index "$TMP/text"
same "SYMBOL_TEXT: the text is there" 61439 "$(grep -o 'x\{100,\}' "$TMP/got" | tr -d '\n' | wc -c)"
finish
