#!/bin/sh
# binlog-run: which programs it refuses, and the sentence and status of each
# refusal; that ld.so and Linux agree with it.
# shellcheck disable=SC2086
. tests/run_common.sh

runs "an ordinary program runs with the library in it" "$run" "$app"
natively "$app"
check "judge: ld.so loads the probe into an ordinary program" loaded

# --- what cannot be preloaded

if $CC -static "$TMP/app.c" -o "$TMP/static" 2>/dev/null; then
	unpreloadable "a static program ignores LD_PRELOAD" "$TMP/static"
	refuses "a static program is refused" 2 \
		"$TMP/static: statically linked: LD_PRELOAD has no effect on it: record a dynamically linked build instead" \
		"$run" "$TMP/static"
	fresh
	same "--force runs a static program" "hello from the program" \
		"$("$run" --force "$TMP/static")"
	printf '#! \t%s -x\n' "$TMP/static" >"$TMP/script"
	chmod +x "$TMP/script"
	refuses "a script with a static interpreter is refused" 2 \
		"$TMP/script: its interpreter $TMP/static: statically linked" \
		"$run" "$TMP/script"
	printf '#!%s\n' "$TMP/script" >"$TMP/script2"
	chmod +x "$TMP/script2"
	refuses "a script run by such a script is refused" 2 \
		"$TMP/script2: its interpreter $TMP/static: statically linked" \
		"$run" "$TMP/script2"
else
	skip "static programs: $CC -static does not link"
fi
if $CC -static-pie -fPIE "$TMP/app.c" -o "$TMP/static-pie" 2>/dev/null; then
	unpreloadable "a static-pie program ignores LD_PRELOAD" "$TMP/static-pie"
	refuses "a static-pie program is refused" 2 "statically linked" \
		"$run" "$TMP/static-pie"
else
	skip "static-pie programs: $CC -static-pie does not link"
fi

poke() { # FILE OFFSET OCTAL...: a copy of the program with bytes changed
	cp "$app" "$TMP/$1"
	printf '%b' "$3" | dd of="$TMP/$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}
if ! $CC -m32 "$TMP/app.c" -o "$TMP/narrow" 2>/dev/null; then
	poke narrow 4 '\0001'
	printf '\003' | dd of="$TMP/narrow" bs=1 seek=18 conv=notrunc 2>/dev/null
fi
unpreloadable "a 32-bit program does not load a 64-bit library" "$TMP/narrow"
refuses "a 32-bit program is refused" 2 "narrow: a 32-bit program" \
	"$run" "$TMP/narrow"
poke foreign 18 '\0363\0000'
unpreloadable "a program for another machine does not load it" "$TMP/foreign"
refuses "a program for another machine is refused" 2 \
	"foreign: built for ELF machine 243" "$run" "$TMP/foreign"
poke swapped 5 '\0002'
refuses "a program of the other byte order is refused" 2 \
	"swapped: built for ELF machine" "$run" "$TMP/swapped"
poke core 16 '\0004\0000'
refuses "a core file is refused" 126 "core: an ELF file of type 4" \
	"$run" "$TMP/core"

$CC -Wl,--dynamic-linker=/lib/ld-musl-other.so.1 "$TMP/app.c" -o "$TMP/musl"
refuses "a program that names musl's loader is refused" 2 \
	"musl: linked with musl" "$run" "$TMP/musl"
if musl-gcc "$TMP/app.c" -o "$TMP/musl-real" 2>/dev/null; then
	refuses "a program made by musl-gcc is refused" 2 "linked with musl" \
		"$run" "$TMP/musl-real"
	musl=$(ls /lib/ld-musl-*.so.1 | head -n 1)
	cp "$musl" "$TMP/loader"
	$CC -Wl,--dynamic-linker="$TMP/loader" "$TMP/app.c" -o "$TMP/renamed"
	refuses "musl's loader is known under another name too" 2 \
		"its dynamic loader $TMP/loader is not glibc's" \
		"$run" "$TMP/renamed"
else
	skip "programs made by musl-gcc: it is not installed"
fi
$CC -Wl,--dynamic-linker=/nowhere/ld.so "$TMP/app.c" -o "$TMP/lost"
refuses "a missing dynamic loader is named" 127 \
	"lost: its dynamic loader /nowhere/ld.so: No such file" "$run" "$TMP/lost"
ld=$(tr '\0' '\n' <"$app" | grep -a -m 1 '^/lib.*/ld-')
if [ -n "$ld" ]; then
	runs "glibc's loader run as a program is no static program" \
		"$run" "$ld" "$app"
fi

# --- setuid, setgid, capabilities

raised() { # NAME WORDS COPY
	as=$user
	natively "$TMP/$3"
	as=
	if loaded; then
		skip "$1: this place does not raise programs"
		return
	fi
	refuses "a $1 program is refused" 2 "$3: runs with .*$2" \
		$user "$run" "$TMP/$3"
	fresh
	same "--force runs a $1 program" "hello from the program" \
		"$($user "$run" --force "$TMP/$3")"
}
if [ "$(id -u)" -ne 0 ]; then
	su=$(command -v su)
	[ -u "${su:-/}" ] && refuses "a setuid program is refused" 2 \
		"runs with the rights of user 0 (setuid)" "$run" su
	skip "setgid and setcap programs: only root can make them"
elif [ -z "$user" ]; then
	skip "setuid, setgid and setcap programs: nobody cannot come here"
else
	for bit in u g; do
		cp "$app" "$TMP/set$bit"
		chmod $bit+s "$TMP/set$bit"
	done
	raised setuid "user 0 (setuid)" setu
	raised setgid "group 0 (setgid)" setg
	runs "root records a program that is setuid root" "$run" "$TMP/setu"
	cp "$app" "$TMP/own"
	chown 65534:65534 "$TMP/own"
	chmod u+s,g+s "$TMP/own"
	runs "a setuid program of the caller's own is run" \
		$user "$run" "$TMP/own"
	unpreloadable "not by root when it is setuid nobody" "$TMP/own"
	refuses "root is refused one that is setuid nobody" 2 \
		"user 65534 (setuid)" "$run" "$TMP/own"
	runs "setuid counts for nothing where it is forbidden" \
		setpriv --no-new-privs $user "$run" "$TMP/setu"
	printf '#!%s\n' "$TMP/setu" >"$TMP/by-setuid"
	chmod +x "$TMP/by-setuid"
	refuses "a script with a setuid interpreter is refused" 2 "setuid" \
		$user "$run" "$TMP/by-setuid"
	cp "$app" "$TMP/caps"
	if setcap cap_net_raw+ep "$TMP/caps" 2>/dev/null; then
		raised setcap "(setcap)" caps
		runs "root records a program with capabilities" \
			"$run" "$TMP/caps"
	else
		skip "setcap programs: setcap does not work here"
	fi
	cp "$app" "$TMP/closed"
	chmod 711 "$TMP/closed"
	runs "a program that may not be read is run" \
		$user "$run" "$TMP/closed"
fi

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
refuses "names do not reach the terminal raw" 127 '/?\[31mred' \
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
for place in "two words" "a:colon"; do
	other=$(elsewhere "$TMP/$place")
	cp "$probe" "$TMP/$place/"
	fresh
	LD_PRELOAD="$TMP/$place/libbinlog.so" "$app" >/dev/null 2>&1
	! loaded
	verdict $? "judge: ld.so splits a path like '$place'"
	refuses "a library in '$place' is refused" 2 "a space or a colon" \
		"$other" "$app"
done
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
cp "$probe" "$TMP/broken/libbinlog.so"
chmod 0 "$TMP/broken/libbinlog.so"
if [ -n "$user" ]; then
	refuses "an unreadable library is named" 2 "make it readable" \
		$user "$other" "$app"
fi
for place in lib/binlog lib; do
	prefix=$TMP/prefix-$(basename $place)
	other=$(elsewhere "$prefix/bin")
	mkdir -p "$prefix/$place"
	cp "$probe" "$prefix/$place/"
	runs "the library is found in ../$place" "$other" "$app"
done

exit $failed
