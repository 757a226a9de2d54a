#!/bin/sh
# binlog-symbolize names every instruction of nested programs as addr2line
# does: function, file, line and every inlined caller.
#
# addr2line is asked each address twice, and the second answer counts: for a
# C++ function without a mangled name (main, extern "C") its first answer is
# the name of the nearest symbol, its second one that of the function.
# Written alike by both: "(discriminator N)" is dropped, and what is unknown
# is "?? at ??:?" (addr2line also writes "?? ??:0", and ":?" where the symbol
# table has a source file with an empty name).
set -u
export BINLOG_CACHE= # answers of an earlier run would prove nothing

TMP=$(cd "$TMP" && pwd)
symbolize=$(cd "$BUILD" && pwd)/binlog-symbolize
nest=$(pwd)/tests/nest
failed=0

ok()
{
	echo "ok: $1"
}

not_ok()
{
	echo "not ok: $1"
	failed=1
}

# check SENTENCE COMMAND...
check()
{
	sentence=$1
	shift
	if "$@"; then ok "$sentence"; else not_ok "$sentence"; fi
}

# addresses FILE [OPTION...]: of every instruction but those of the stubs that
# lead to other files, for which addr2line has no names
addresses()
{
	objdump -d "$@" | awk '/^Disassembly/ { stubs = /\.plt/ } !stubs' |
		sed -n 's/^ *\([0-9a-f]*\):\t.*/\1/p'
}

# answers_of_addr2line FILE ADDRESSES [OPTION...]
answers_of_addr2line()
{
	file=$1
	list=$2
	shift 2
	sed p "$list" | addr2line -aipf "$@" -e "$file" 2>/dev/null |
		awk '/^0x[0-9a-f]+: / { keep = seen[$1]++ } keep' |
		sed -E 's/^0x[0-9a-f]+: //
			s/ \(discriminator [0-9]+\)//
			s/^\?\? \?\?:0$/?? at ??:?/
			s/ at :\?$/ at ??:?/'
}

# ask NAME ADDRESSES [OPTION...]: NAME is a file or a build-id
ask()
{
	name=$1
	list=$2
	shift 2
	sed "s|^|$name+0x|" "$list" | "$symbolize" "$@" 2>"$TMP/stderr"
}

# same SENTENCE: "want" equals "got", and there is something in it
same()
{
	frames=$(wc -l <"$TMP/want")
	if [ "$frames" -gt 100 ] && cmp -s "$TMP/want" "$TMP/got"; then
		ok "$1 ($frames frames)"
	else
		not_ok "$1 ($frames frames)"
		diff "$TMP/want" "$TMP/got" | head -6
	fi
}

# compare SENTENCE FILE
compare()
{
	addresses "$2" >"$TMP/list"
	answers_of_addr2line "$2" "$TMP/list" -C >"$TMP/want"
	ask "$2" "$TMP/list" >"$TMP/got"
	same "$1"
}

# compiled SENTENCE FILE COMMAND...: builds FILE and compares
compiled()
{
	sentence=$1
	file=$2
	shift 2
	if (cd "$nest" && "$@" -o "$file") 2>"$TMP/compiler"; then
		compare "$sentence" "$file"
	else
		not_ok "$sentence"
		head -5 "$TMP/compiler"
	fi
}

every_kind_of_program()
{
	for version in 4 5; do
		with="with DWARF $version is named as addr2line does"
		compiled "a PIE in C $with" "$TMP/pie$version" \
			gcc -gdwarf-$version -O2 -fPIE -pie nest.c other.c
		compiled "a program in C at a fixed address $with" \
			"$TMP/fixed$version" \
			gcc -gdwarf-$version -O2 -no-pie nest.c other.c
		compiled "a shared library in C $with" "$TMP/lib$version.so" \
			gcc -gdwarf-$version -O2 -fPIC -shared -DSHARED \
			nest.c other.c
		compiled "a PIE in C++ $with" "$TMP/cxx$version" \
			g++ -gdwarf-$version -O2 nest.cc
		compiled "a program in C++ at a fixed address $with" \
			"$TMP/cxxfixed$version" \
			g++ -gdwarf-$version -O3 -no-pie nest.cc
		compiled "a shared library in C++ $with" \
			"$TMP/cxx$version.so" \
			g++ -gdwarf-$version -O2 -fPIC -shared -DSHARED nest.cc
	done
}

special_builds()
{
	(cd "$nest" && g++ -g -O0 nest.cc -o "$TMP/O0")
	compiled "relative source directories are joined as addr2line does" \
		"$TMP/relative" gcc -g -O2 "-ffile-prefix-map=$nest=." \
		../nest/nest.c other.c
	compiled "a relative directory in DWARF 4 is joined as well" \
		"$TMP/relative4" gcc -gdwarf-4 -O2 \
		"-ffile-prefix-map=$nest=." ../nest/nest.c other.c
	compiled "compressed debug sections are read" "$TMP/compressed" \
		gcc -g -O2 -gz nest.c other.c
	compiled "what the linker has dropped is not found in what is left" \
		"$TMP/dropped.so" gcc -g -O2 -fPIC -shared -DSHARED \
		-ffunction-sections -Wl,--gc-sections nest.c other.c
	compiled "a row that begins an epilogue does not end the lines" \
		"$TMP/epilogue" gcc -g epilogue.s
	compiled "a program without debug information is named by its symbols" \
		"$TMP/symbols" g++ -O2 nest.cc
	addresses "$TMP/cxx5" >"$TMP/list"
	answers_of_addr2line "$TMP/cxx5" "$TMP/list" >"$TMP/want"
	ask "$TMP/cxx5" "$TMP/list" --no-demangle >"$TMP/got"
	same "--no-demangle leaves the names as they are"
}

rust()
{
	if ! command -v rustc >/dev/null; then
		echo "skip: a program in Rust (there is no rustc)"
		return
	fi
	compiled "a program in Rust is named as addr2line does" \
		"$TMP/rust" rustc -g -O nest.rs
}

# addr2line 2.40 does not find range lists by index (DW_FORM_rnglistx), which
# clang writes in DWARF 5: it gives a function the lines of what is inlined
# into it and leaves the inlined one out, as the same program in DWARF 4
# proves.  So here the oracle is llvm-symbolizer, for .text only: it names the
# code in .plt after a symbol of another section.  Code without debug
# information, of which it says nothing, is left out.
clang_program()
{
	if ! command -v clang >/dev/null ||
		! command -v llvm-symbolizer >/dev/null; then
		echo "skip: range lists by index (no clang, llvm-symbolizer)"
		return
	fi
	compiled "a program by clang with DWARF 4 is named as addr2line does" \
		"$TMP/clang4" clang -gdwarf-4 -O2 nest.c other.c
	(cd "$nest" && clang -gdwarf-5 -O2 nest.c other.c -o "$TMP/clang5")
	addresses "$TMP/clang5" -j .text | while read -r address; do
		echo "0x$address"
	done >"$TMP/all"
	llvm-symbolizer -p -i -C -e "$TMP/clang5" <"$TMP/all" |
		sed -E '/^$/d; s/:[0-9]+$//; s/:0$/:?/' >"$TMP/answers"
	# one line per address, so that both can be filtered alike
	awk '/^ \(inl/ { printf "|%s", $0; next }
		{ if (NR > 1) print ""; printf "%s", $0 }
		END { print "" }' "$TMP/answers" |
		paste "$TMP/all" - | grep -v '	?? at' >"$TMP/known"
	cut -f1 "$TMP/known" | sed 's/^0x//' >"$TMP/list"
	cut -f2 "$TMP/known" | tr '|' '\n' |
		sed 's/^ *(inlined/ (inlined/' >"$TMP/want"
	ask "$TMP/clang5" "$TMP/list" >"$TMP/got"
	same "range lists by index are read as llvm-symbolizer does"
}

build_id_of()
{
	readelf -n "$1" | sed -n 's/.*Build ID: *//p'
}

# The answers for the whole file are the oracle for the split one.
separate_files()
{
	whole=$TMP/cxx5
	split=$TMP/split
	mkdir -p "$split/.debug" "$TMP/far$split" "$TMP/empty"
	addresses "$whole" >"$TMP/list"
	answers_of_addr2line "$whole" "$TMP/list" -C >"$TMP/want"

	objcopy --only-keep-debug "$whole" "$split/program.debug"
	objcopy --strip-all --add-gnu-debuglink="$split/program.debug" \
		"$whole" "$split/program"
	ask "$split/program" "$TMP/list" -d "$TMP/empty" >"$TMP/got"
	same "a debug file beside the program is used"
	answers_of_addr2line "$split/program" "$TMP/list" -C >"$TMP/linked"
	check "addr2line says the same of the split program" \
		cmp -s "$TMP/want" "$TMP/linked"

	mv "$split/program.debug" "$split/.debug/"
	ask "$split/program" "$TMP/list" -d "$TMP/empty" >"$TMP/got"
	same "a debug file in .debug is used"

	mv "$split/.debug/program.debug" "$TMP/far$split/"
	ask "$split/program" "$TMP/list" -d "$TMP/empty" -d "$TMP/far" \
		>"$TMP/got"
	same "a debug file below a debug directory is used"

	cp "$TMP/far$split/program.debug" "$split/program.debug"
	printf x >>"$split/program.debug"
	echo 1 >"$TMP/one"
	ask "$split/program" "$TMP/one" -d "$TMP/empty" >"$TMP/got"
	check "a debug file with another CRC32 is not used" \
		grep -q 'CRC32 differs' "$TMP/stderr"

	id=$(build_id_of "$whole")
	below=$TMP/ids/.build-id/$(echo "$id" | cut -c1-2)
	mkdir -p "$below"
	cp "$TMP/far$split/program.debug" \
		"$below/$(echo "$id" | cut -c3-).debug"
	rm "$split/program.debug"
	ask "$split/program" "$TMP/list" -d "$TMP/ids" >"$TMP/got"
	same "a debug file is found by the build-id"
	ask "$id" "$TMP/list" -d "$TMP/ids" >"$TMP/got"
	same "a build-id alone is enough"
	ask "$id" "$TMP/one" -d "$TMP/empty" >"$TMP/got"
	check "an unknown build-id is status 1" test $? -eq 1
	check "an unknown build-id is a sentence" \
		grep -q 'no debug file with this build-id' "$TMP/stderr"
	cp "$TMP/fixed5" "$below/$(echo "$id" | cut -c3-).debug"
	ask "$id" "$TMP/one" -d "$TMP/ids" >"$TMP/got"
	check "a debug file with another build-id is not used" \
		grep -q 'no debug file with this build-id' "$TMP/stderr"
}

# Exported symbols have gaps, and a name from beyond a gap would be a lie.
exported_symbols_only()
{
	strip --strip-all -o "$TMP/stripped.so" "$TMP/lib5.so"
	nm -S "$TMP/lib5.so" | awk '$3 == "T" && $4 == "other" { print $1 }' |
		sed 's/^0*//' >"$TMP/one"
	ask "$TMP/stripped.so" "$TMP/one" >"$TMP/got"
	check "a stripped library is named by what it exports" \
		grep -qx 'other at ??:?' "$TMP/got"
	nm "$TMP/lib5.so" | awk '$3 ~ /^cloned/ { print $1 }' |
		sed -n '$s/^0*//p' >"$TMP/one"
	ask "$TMP/stripped.so" "$TMP/one" >"$TMP/got"
	check "a hidden function of a stripped library has no name" \
		grep -qx '?? at ??:?' "$TMP/got"
}

# refuses SENTENCE FILE WORDS: in time, with status 1 and the reason
refuses()
{
	echo "$2+0x1000" >"$TMP/question"
	timeout 10 "$symbolize" "$TMP/question" >"$TMP/got" 2>"$TMP/stderr"
	status=$?
	if [ $status -eq 1 ] && grep -qx '?? at ??:?' "$TMP/got" &&
		grep -q "$3" "$TMP/stderr"; then
		ok "$1"
	else
		not_ok "$1 (status $status)"
		cat "$TMP/stderr"
	fi
}

what_is_no_program()
{
	mkfifo "$TMP/fifo"
	truncate -s 1T "$TMP/holes"
	head -c 100 "$TMP/cxx5" >"$TMP/cut"
	refuses "a missing file is a sentence" "$TMP/none" 'no such file'
	refuses "a FIFO is not waited for" "$TMP/fifo" 'not a regular file'
	refuses "a directory is a sentence" "$TMP" 'not a regular file'
	refuses "a device is not read" /dev/zero 'not a regular file'
	refuses "a text is a sentence" "$nest/nest.c" 'not an ELF file'
	refuses "a file of holes is a sentence" "$TMP/holes" 'not an ELF file'
	refuses "a cut program is a sentence" "$TMP/cut" 'damaged'
	refuses "the kernel's code is a sentence" '[vdso]' 'kernel'
	refuses "a deleted file is a sentence" "$TMP/gone (deleted)" \
		'no such file'
}

# status WANTED SENTENCE COMMAND...
status()
{
	wanted=$1
	sentence=$2
	shift 2
	"$@" >/dev/null 2>&1
	got=$?
	if [ $got -eq "$wanted" ]; then
		ok "$sentence"
	else
		not_ok "$sentence (status $got)"
	fi
}

command_line()
{
	head -1 "$TMP/list" | sed "s|^|$TMP/O0+0x|" >"$TMP/good"
	echo nonsense >"$TMP/bad"
	status 0 "status 0 when all is resolved" "$symbolize" "$TMP/good"
	status 1 "status 1 when a line is no address" "$symbolize" "$TMP/bad"
	status 1 "status 1 when one of two files is missing" \
		"$symbolize" "$TMP/none" "$TMP/good"
	status 2 "status 2 when there is nothing to read" \
		"$symbolize" "$TMP/none"
	status 2 "status 2 for an unknown option" "$symbolize" --nonsense
	status 0 "--help is status 0" "$symbolize" --help
	status 0 "--version is status 0" "$symbolize" --version
	cp "$TMP/O0" "$TMP/a+0x1+b"
	sed "s|O0|a+0x1+b|" "$TMP/good" >"$TMP/plus"
	status 0 "a file name may have +0x in it" "$symbolize" "$TMP/plus"
}

# Whoever reads it asks one by one, and the process that reads the program is
# killed in between: what .symtab says is left.
asked_one_by_one()
{
	start=$(nm "$TMP/O0" | sed -n 's/^\([0-9a-f]*\) T main$/0x\1/p')
	mkfifo "$TMP/asked" "$TMP/answered"
	timeout 60 sh -c 'echo $$ >"$1/pid"; exec "$2"' sh "$TMP" "$symbolize" \
		<"$TMP/asked" >"$TMP/answered" 2>"$TMP/stderr" &
	exec 3>"$TMP/asked" 4<"$TMP/answered"
	echo "$TMP/O0+$start" >&3
	read -r first <&4
	read -r pid <"$TMP/pid"
	kill -SEGV $(cat "/proc/$pid/task/$pid/children")
	echo "$TMP/O0+$start" >&3
	read -r again <&4
	printf '%s+0x%x\n' "$TMP/O0" $((start + 1)) >&3
	read -r left <&4
	exec 3>&- 4<&-
	wait
	check "an answer comes before the next question" \
		matches "$first" 'main at /*:[1-9]*'
	check "what was answered stays" [ "$first" = "$again" ]
	check "names of symbols are left when the reader is killed" \
		matches "$left" 'main at *:[?]'
	check "and it is said why there are no lines" \
		grep -q "^standard input:3: $TMP/O0: no lines.* signal 11 " "$TMP/stderr"
}

# matches TEXT PATTERN
matches()
{
	case $1 in
	$2) ;;
	*) return 1 ;;
	esac
}

every_kind_of_program
special_builds
[ -z "${LONG:-}" ] || rust
clang_program
separate_files
exported_symbols_only
what_is_no_program
addresses "$TMP/O0" >"$TMP/list"
command_line
asked_one_by_one
exit $failed
