#!/bin/bash
# binlog-symbolize says what llvm-symbolizer and addr2line say: functions, files
# and lines, of every frame of the inline chain.
#
# Names are compared as the linker has them, since the tools demangle
# differently.  Where the two differ from one another, ours has to be the
# answer of one of them, for a reason that tests/agreement/explained gives;
# compare.awk decides which.  LONG asks 10,000 addresses of each program
# instead of a few hundred, and of larger ones.
set -u
export LC_ALL=C
export BINLOG_CACHE= # answers of an earlier run would prove nothing
here=$(pwd)/tests
symbolize=$BUILD/binlog-symbolize
TMP=$(cd "$TMP" && pwd)
addresses=${LONG:+10000}
addresses=${addresses:-400}
failed=0
used=$TMP/used
: >"$used"

ok() { echo "ok: $1"; }
skip() { echo "skip: $1"; }
not_ok() {
	echo "not ok: $1"
	failed=1
}
has() { command -v "$1" >/dev/null; }

llvm_symbolizer=
for name in llvm-symbolizer-14 llvm-symbolizer; do
	has $name && llvm_symbolizer=${llvm_symbolizer:-$name}
done
if [ -z "$llvm_symbolizer" ] || ! has addr2line; then
	skip "agreement with other tools (no llvm-symbolizer or no addr2line)"
	exit 0
fi

# spread FILE: addresses of instructions, spread evenly over its code
spread() {
	objdump -d -j .text --no-show-raw-insn "$1" |
		sed -n 's/^ *\([0-9a-f]*\):\t.*/\1/p' >"$TMP/all"
	awk -v wanted="$addresses" -v all="$(wc -l <"$TMP/all")" '
		{ due += wanted }
		due >= all || all <= wanted { print; due -= all }' "$TMP/all"
}

frames() { awk -f "$here/agreement/frames.awk"; }

# addr2line is asked twice, and the second answer counts: for a C++ function
# without a mangled name its first one is the name of the nearest symbol.
ask_addr2line() { # FILE ADDRESSES
	sed p "$2" | addr2line -aipf -e "$1" 2>/dev/null |
		awk '/^0x[0-9a-f]+: / { keep = seen[$1]++ } keep'
}

# compare SENTENCE FILE [ORACLE [OPTION...]]: ORACLE is the file that the other
# tools are given, the options are ours
compare() {
	local sentence=$1 file=$2 oracle=${3:-$2} count
	shift $(($# < 3 ? $# : 3))
	spread "$file" >"$TMP/list"
	count=$(wc -l <"$TMP/list")
	sed "s|^|$file+0x|" "$TMP/list" |
		"$symbolize" --no-demangle "$@" 2>"$TMP/stderr" | frames >"$TMP/ours"
	sed 's/^/0x/' "$TMP/list" |
		"$llvm_symbolizer" -p -i --no-demangle -e "$oracle" 2>/dev/null |
		frames >"$TMP/llvm"
	ask_addr2line "$oracle" "$TMP/list" | frames >"$TMP/addr2line"
	awk -f "$here/agreement/compare.awk" "$TMP/list" "$TMP/ours" \
		"$TMP/llvm" "$TMP/addr2line" >"$TMP/differences"
	cut -f1 "$TMP/differences" | sort -u >>"$used"
	if [ "$count" -lt $((addresses / 3)) ] ||
		[ "$(wc -l <"$TMP/ours")" -ne "$count" ]; then
		not_ok "$sentence ($count addresses, $(wc -l <"$TMP/ours") answers)"
		head -n 2 "$TMP/stderr"
	elif grep -q '^unexplained' "$TMP/differences"; then
		not_ok "$sentence ($count addresses)"
		grep -c '^unexplained' "$TMP/differences"
		grep '^unexplained' "$TMP/differences" | head -n 4 |
			tr '\t' '\n' | cut -c 1-300
	else
		ok "$sentence ($count addresses, $(grep -c '|' "$TMP/ours") of them inlined)"
	fi
}

# program NAME SENTENCE COMPILER...: compiles it, and compares unless there is
# no such compiler or SENTENCE is empty
program() {
	local file=$TMP/$1 sentence=$2
	shift 2
	if ! has "$1"; then
		[ -z "$sentence" ] || skip "$sentence (there is no $1)"
		return 1
	fi
	if ! "$@" -o "$file" 2>"$TMP/compiler"; then
		not_ok "$(basename "$file") is compiled"
		head -n 5 "$TMP/compiler"
		return 1
	fi
	[ -z "$sentence" ] || compare "$sentence" "$file"
}

# What is compiled: small programs, or larger ones that take their time.
if [ -n "${LONG:-}" ]; then
	# our own tools, as a program in C
	mapfile -t c < <(find base record rules sandbox decoder symbolizer tools/show -name "*.c"; echo "$BUILD/outside/html_template.c")
	made_with() { # VARIABLE of the Makefile
		echo "tell: ; @echo \$($1)" | make -s --no-print-directory -f Makefile -f - tell
	}
	read -ra c_headers <<<"$(made_with DWARF_HEADERS)"
	read -ra c_libraries <<<"$(made_with READ_LIBS)"
	c+=(-std=gnu11 -D_GNU_SOURCE -I. -w "${c_headers[@]}")
	cxx=(-std=c++17 "$here/agreement/templates.cc" -pthread)
else
	c=("$here/nest/nest.c" "$here/nest/other.c")
	c_libraries=()
	cxx=("$here/nest/nest.cc")
fi

installed_programs() {
	local libc debug python
	libc=$(ldd /bin/sh | sed -n 's/.* => \(.*libc\.so[^ ]*\) .*/\1/p')
	debug=$(readelf -n "$libc" | sed -n 's/.*Build ID: *\(..\)\(.*\)/\1\/\2.debug/p')
	debug=/usr/lib/debug/.build-id/$debug
	if [ -e "$debug" ]; then
		compare "libc with its debug package: as the others say" \
			"$libc" "$debug"
	else
		skip "libc with its debug package (libc6-dbg is not installed)"
	fi
	[ -n "${LONG:-}" ] || return 0
	python=$(command -v python3-dbg)
	if [ -n "$python" ]; then
		compare "python3-dbg: as the others say" "$(realpath "$python")"
	else
		skip "python3-dbg (it is not installed)"
	fi
}

compiled_programs() {
	program clang "clang -O2 -g: as the others say" \
		clang -O2 -g "${c[@]}" "${c_libraries[@]}"
	program clang4 "clang -O2 -gdwarf-4: as the others say" \
		clang -O2 -gdwarf-4 "${c[@]}" "${c_libraries[@]}"
	program lto "gcc -O3 -flto -g: as the others say" \
		gcc -O3 -flto -g "${c[@]}" "${c_libraries[@]}"
	program cxx "g++ -O2 -g: as the others say" g++ -O2 -g "${cxx[@]}"
	program cxx4 "g++ -O2 -gdwarf-4: as the others say" \
		g++ -O2 -gdwarf-4 "${cxx[@]}"
	program cxx0 "g++ -O0 -g: as the others say" g++ -O0 -g "${cxx[@]}"
	program clangxx "clang++ -O2 -g: as the others say" \
		clang++ -O2 -g "${cxx[@]}"
	[ -z "${LONG:-}" ] || program rust "rustc -O -g: as the others say" \
		rustc -O -g "$here/nest/nest.rs"
}

# same_code NAME NAME
same_code() {
	objcopy -O binary -j .text "$TMP/$1" "$TMP/code" &&
		objcopy -O binary -j .text "$TMP/$2" "$TMP/code2" &&
		cmp -s "$TMP/code" "$TMP/code2"
}

# split_program COMPILER VERSION [PACKER]: the others are asked about the same
# program with all debug information in it
split_program() {
	local name=split-$1-$2 what="$1 -gdwarf-$2 -gsplit-dwarf" sources
	local options=(-O2 -gdwarf-"$2")
	sources=("${c[@]}")
	[[ $1 == *++ ]] && sources=("${cxx[@]}")
	program "$name-whole" "" "$1" "${options[@]}" "${sources[@]}" \
		"${c_libraries[@]}" || { skip "$what"; return; }
	mkdir -p "$TMP/$name-objects"
	if ! split_compile "$name" "$1" "${options[@]}" -gsplit-dwarf "${sources[@]}"; then
		not_ok "$what is compiled"
		return
	fi
	if ! same_code "$name" "$name-whole"; then
		not_ok "$what makes the code that it makes without"
		return
	fi
	compare "$what: .dwo files say what the whole program does" \
		"$TMP/$name" "$TMP/$name-whole"
	[ $# -ge 3 ] || return
	has "$3" || { skip "$what: .dwp (there is no $3)"; return; }
	timeout 60 "$3" -e "$TMP/$name" -o "$TMP/$name.dwp" 2>"$TMP/stderr" ||
		{ not_ok "$what: $3 makes a package"; return; }
	rm -r "$TMP/$name-objects"
	compare "$what: a package says what the whole program does" \
		"$TMP/$name" "$TMP/$name-whole"
}

# split_compile NAME COMPILER OPTION... SOURCE...
split_compile() {
	local name=$1 source object objects=() options=()
	shift
	for source; do
		[[ $source == *.c || $source == *.cc ]] || options+=("$source")
	done
	for source; do
		[[ $source == *.c || $source == *.cc ]] || continue
		object=$TMP/$name-objects/$(basename "$source").o
		"${options[@]}" -c -o "$object" "$source" 2>"$TMP/compiler" || return 1
		objects+=("$object")
	done
	"${options[@]}" -o "$TMP/$name" "${objects[@]}" "${c_libraries[@]}"
}

# Where else a .dwo file may be, and what is said when it is not.
split_files() {
	local dir=$TMP/split-files question
	mkdir -p "$dir/build" "$dir/moved"
	(cd "$dir/build" &&
		gcc -g -O2 -gsplit-dwarf -c "$here/nest/nest.c" "$here/nest/other.c" &&
		gcc -o ../moved/program nest.o other.o) || return
	question="$dir/moved/program+0x$(nm "$dir/moved/program" | awk '$3 == "main" { print $1 }')"
	mv "$dir/build/nest.dwo" "$dir/right"
	mv "$dir/build/other.dwo" "$dir/build/nest.dwo"
	if echo "$question" | "$symbolize" 2>&1 | grep -q 'nest\.dwo, which is not'; then
		ok "a .dwo file of another unit is not used, and the right one is asked for"
	else
		not_ok "a .dwo file of another unit is not used, and the right one is asked for"
	fi
	mv "$dir/right" "$dir/moved/nest.dwo"
	if echo "$question" | "$symbolize" >"$TMP/ours" 2>"$TMP/stderr" && [ ! -s "$TMP/stderr" ]; then
		ok "a .dwo file beside the program is found"
	else
		not_ok "a .dwo file beside the program is found"
	fi
}

# Two programs whose common parts dwz has moved into a third file.
dwz_pair() { # VERSION [OPTION...]
	local version=$1 what="after dwz${2:+ ${*:2}}, DWARF $1" pair
	pair=$TMP/dwz-$(echo "$*" | tr -d ' ')
	if ! has dwz; then
		skip "$what (there is no dwz)"
		return
	fi
	program "dwz-one-$version" "" g++ -O2 -gdwarf-"$version" "${cxx[@]}"
	program "dwz-two-$version" "" g++ -O1 -gdwarf-"$version" "${cxx[@]}"
	mkdir -p "$pair/.dwz" "$pair/debug"
	cp "$TMP/dwz-one-$version" "$pair/one"
	cp "$TMP/dwz-two-$version" "$pair/two"
	if ! (cd "$pair" && dwz "${@:2}" -m .dwz/common -M .dwz/common one two) \
		2>"$TMP/stderr"; then
		not_ok "$what: it moves what two programs have in common"
		return
	fi
	compare "$what: as before" "$pair/one" "$TMP/dwz-one-$version"
	mv "$pair/.dwz" "$pair/debug/"
	compare "$what: the common file is found below a debug directory" \
		"$pair/two" "$TMP/dwz-two-$version" -d "$pair/debug"
}

# The list is what the reader is told: it has no rule that is not used, and no
# difference is without one.
list_of_differences() {
	local missing
	missing=$(sort -u "$used" | grep -v '^unexplained$' |
		while read -r rule; do
			grep -q "^$rule: " "$here/agreement/explained" || echo "$rule"
		done)
	if [ -z "$missing" ]; then
		ok "every difference has its reason in the list"
	else
		not_ok "every difference has its reason in the list ($missing)"
	fi
}

installed_programs
compiled_programs
packer=dwp
has dwp || packer=llvm-dwp # binutils of Debian 13 are without it
split_program gcc 4 $packer
split_program gcc 5 # dwp 2.40 crashes of it, llvm-dwp 14 does not end
split_program clang 4 $packer
split_program clang 5 llvm-dwp
split_files
dwz_pair 4
dwz_pair 5
dwz_pair 5 --dwarf-5
list_of_differences
exit $failed
