#!/bin/sh
# binlog-run: which programs it refuses, and the sentence and status of each
# refusal; that ld.so and Linux agree with it.
# shellcheck disable=SC2086
. tests/support/run_common.sh

runs "an ordinary program runs with the library in it" "$run" "$app"
natively "$app"
check "judge: ld.so loads the probe into an ordinary program" loaded

# --- what cannot be preloaded

poke() { # FILE OFFSET OCTAL...: a copy of the program with bytes changed
	cp "$app" "$TMP/$1"
	printf '%b' "$3" | dd of="$TMP/$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}
poke foreign 18 '\0363\0000'
unpreloadable "a program for another machine does not load it" "$TMP/foreign"
refuses "a program for another machine is refused" 2 \
	"foreign: built for ELF machine 243" "$run" "$TMP/foreign"
poke cousin 18 '\0267\0000'
[ "$(uname -m)" = x86_64 ] && cousin=aarch64 || { cousin=x86-64; poke cousin 18 '\0076\0000'; }
unpreloadable "a program for $cousin does not load it" "$TMP/cousin"
refuses "a program for $cousin is refused by that name" 2 \
	"cousin: built for $cousin: libbinlog.so is for [ax][^:]*: record a build for that instead" "$run" "$TMP/cousin"
poke swapped 5 '\0002'
refuses "a program of the other byte order is refused" 2 \
	"swapped: built for ELF machine" "$run" "$TMP/swapped"
poke core 16 '\0004\0000'
refuses "a core file is refused" 126 "core: an ELF file of type 4" \
	"$run" "$TMP/core"

$CC -Wl,--dynamic-linker=/nowhere/ld.so "$TMP/app.c" -o "$TMP/lost"
refuses "a missing dynamic loader is named" 127 \
	"lost: its dynamic loader /nowhere/ld.so: No such file" "$run" "$TMP/lost"
ld=$(tr '\0' '\n' <"$app" | LC_ALL=C grep -a -o '/lib[0-9a-z]*/ld-.*' | head -n 1)
if [ -n "$ld" ]; then
	runs "glibc's loader run as a program is no static program" \
		"$run" "$ld" "$app"
fi

# A tree with a libc of its own, beside its loader, which is told by what it defines.
old=$TMP/old/lib
mkdir -p "$old"
cp "$(readlink -f "$ld")" "$old/ld.so"
$CC -Wl,--dynamic-linker="$old/ld.so" "$TMP/app.c" -o "$TMP/elder"
cp "$(dirname "$(readlink -f "$ld")")/libc.so.6" "$old"
runs "a libc that is not the system's, and young enough" "$run" "$TMP/elder"
LC_ALL=C sed -i 's/GLIBC_2\.30/GLIBC_0.30/g' "$old/libc.so.6"
refuses "an older libc than 2.31 is named" 2 \
	"elder: its $old/libc.so.6 is older than glibc 2.31, the oldest that libbinlog.so knows: record it on a newer system" \
	"$run" "$TMP/elder"
refuses "and so it is where its loader is run as a program" 2 "old/lib/ld.so: its $old/libc.so.6 is older" \
	"$run" "$old/ld.so" "$app"

# --- what cannot be run

refuses "a name that is nowhere in PATH" 127 "no-such-program: not found" \
	env PATH=/usr/bin:/bin "$run" no-such-program
refuses "a path at which there is nothing" 127 "No such file" \
	"$run" "$TMP/no-such-program"
refuses "an empty name" 127 "No such file" "$run" ""
refuses "a directory" 126 "Permission denied" "$run" "$TMP"
refuses "a file that is not executable" 126 "Permission denied" \
	"$run" "$TMP/app.c"
for name in no-such-program "$TMP/nothing" "$TMP/bin" "$TMP/app.c"; do
	env "$name" 2>/dev/null
	wanted=$?
	"$run" "$name" 2>/dev/null
	got=$?
	same "judge: env ends alike for $(basename "$name")" $wanted $got
done
mkdir -p "$TMP/path1" "$TMP/path2/tool" "$TMP/path3"
echo text >"$TMP/path1/tool"
same "PATH: a file without permission is not found but noticed" 126 \
	"$(PATH=$TMP/path1:$PATH "$run" tool 2>/dev/null; echo $?)"
cp "$app" "$TMP/path3/tool"
for path in "$TMP/path1:$TMP/path2:$TMP/path3" "" ":/" "/:"; do
	same "PATH: what is found in '$(echo "$path" | sed "s|$TMP/||g")'" \
		"$(cd "$TMP/path3" && PATH=$path /usr/bin/env tool 2>&1)" \
		"$(cd "$TMP/path3" && PATH=$path "$run" tool 2>&1)"
done
printf '#!/no/interpreter\n' >"$TMP/orphan"
printf '#!\n' >"$TMP/empty-line"
printf 'echo hello\n' >"$TMP/text"
printf '#!%s\n' "$TMP/circle" >"$TMP/circle"
: >"$TMP/empty"
chmod +x "$TMP/orphan" "$TMP/empty-line" "$TMP/text" "$TMP/circle" "$TMP/empty"
refuses "a script without its interpreter" 127 \
	"its interpreter /no/interpreter: No such file" "$run" "$TMP/orphan"
refuses "a script that names no interpreter" 127 "empty-line: its interp" \
	"$run" "$TMP/empty-line"
refuses "a script that runs itself" 126 "circle: scripts" "$run" "$TMP/circle"
refuses "a text file" 2 "text: neither an ELF program nor a script" \
	"$run" "$TMP/text"
refuses "an empty file" 2 "empty: neither an ELF program nor a script" \
	"$run" "$TMP/empty"
chain=$TMP/app
for n in 1 2 3 4 5 6; do
	printf '#!%s\n' "$chain" >"$TMP/chain$n"
	chmod +x "$TMP/chain$n"
	chain=$TMP/chain$n
	natively "$chain" args
	loaded && wanted=0 || wanted=126
	"$run" "$chain" args >/dev/null 2>&1
	same "judge: Linux ends alike for $n scripts in a row" $wanted $?
done

# --- damaged files: a sentence, whatever the damage

for size in 4 5 19 40 63 64 100 700; do
	head -c $size "$app" >"$TMP/cut"
	chmod +x "$TMP/cut"
	refuses "the first $size bytes of a program are refused" 2 \
		"cut: a damaged ELF file: " "$run" "$TMP/cut"
done
poke headers 32 '\0377\0377\0377\0377\0377\0377\0377\0177'
refuses "program headers in nowhere are refused" 2 "damaged ELF" \
	"$run" "$TMP/headers"
poke entry 54 '\0001\0000'
refuses "program headers of an odd size are refused" 2 "damaged ELF" \
	"$run" "$TMP/entry"
poke odd 4 '\0003'
refuses "a class that ELF does not have is refused" 2 "odd: a damaged ELF" \
	"$run" "$TMP/odd"
poke many 56 '\0377\0377'
refuses "too many program headers are refused" 2 "damaged ELF" \
	"$run" "$TMP/many"
printf '#!/\033[31mred\n' >"$TMP/red"
chmod +x "$TMP/red"
refuses "names do not reach the terminal raw" 127 '/\\x1b\[31mred' \
	"$run" "$TMP/red"

# --- the library

elsewhere() { # DIRECTORY: binlog-run there
	mkdir -p "$1"
	cp "$run" "$1"
	echo "$1/binlog-run"
}
other=$(elsewhere "$TMP/alone")
refuses "a missing library is named" 2 "libbinlog.so: neither beside" \
	"$other" "$app"
same "--force runs a program without the library" "hello from the program" \
	"$("$other" --force "$app")"
other=$(elsewhere "$TMP/broken")
echo "no library" >"$TMP/broken/libbinlog.so"
refuses "a library that is none is refused" 2 "not an ELF file" \
	"$other" "$app"
head -c 1000 "$probe" >"$TMP/broken/libbinlog.so"
refuses "a cut library is refused" 2 "it cannot be preloaded" \
	"$other" "$app"
LC_ALL=C sed 's/GLIBC_2\./GLIBC_9./g' "$probe" >"$TMP/broken/libbinlog.so"
fresh
! LD_PRELOAD="$TMP/broken/libbinlog.so" "$app" >/dev/null 2>&1
verdict $? "judge: ld.so refuses a library for a newer glibc"
refuses "a libc too old for the library is named" 2 \
	"libc.so.6 is too old: libbinlog.so needs GLIBC_9" "$other" "$app"
for place in lib/binlog lib; do
	prefix=$TMP/prefix-$(basename $place)
	other=$(elsewhere "$prefix/bin")
	mkdir -p "$prefix/$place"
	cp "$probe" "$prefix/$place/"
	runs "the library is found in ../$place" "$other" "$app"
done

exit $failed
