#!/bin/sh
# binlog-symbolize names every instruction of nested programs as addr2line
# does: function, file, line and every inlined caller; and it is used as a
# person would, with arguments, mistakes and stacks that were shown elsewhere.
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
build=$(cd "$BUILD" && pwd)
symbolize=$build/binlog-symbolize
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

# answers COMMAND...: into "got", what is said into "stderr"
answers()
{
	timeout 60 "$@" >"$TMP/got" 2>"$TMP/stderr" </dev/null
	status=$?
}

# said SENTENCE STATUS PATTERN: the answer was one sentence, with this status
said()
{
	if [ "$status" -eq "$2" ] && [ "$(wc -l <"$TMP/stderr")" -eq 1 ] &&
		grep -q "$3" "$TMP/stderr"; then
		ok "$1"
	else
		not_ok "$1 (status $status)"
		head -3 "$TMP/stderr"
	fi
}

# is_what SENTENCE: status 0, and "want" equals "got"
is_what()
{
	if [ "$status" -eq 0 ] && [ -s "$TMP/want" ] &&
		cmp -s "$TMP/want" "$TMP/got"; then
		ok "$1"
	else
		not_ok "$1 (status $status)"
		diff "$TMP/want" "$TMP/got" | head -6
		head -3 "$TMP/stderr"
	fi
}

# Words of the command line; addr2line is the oracle, which takes them alike.
arguments()
{
	mkdir -p "$TMP/here/bin" "$TMP/else/where" "$TMP/only"
	cp "$TMP/cxx5" "$TMP/here/app"
	cp "$TMP/cxx5" "$TMP/here/bin/in_path"
	objcopy --only-keep-debug "$TMP/cxx5" "$TMP/only/gone.debug"
	addresses "$TMP/cxx5" -j .text | sed -n '100,239p' >"$TMP/list"
	answers_of_addr2line "$TMP/cxx5" "$TMP/list" -C >"$TMP/want"
	cd "$TMP/here" || exit 1

	answers "$symbolize" ./app $(cat "$TMP/list")
	is_what "a file and offsets in it, without 0x"
	answers "$symbolize" "$TMP/here/app" $(sed 's/^/0x/' "$TMP/list")
	is_what "a file and offsets in it, with 0x"
	answers "$symbolize" app $(sed 's/^/0X/' "$TMP/list") -n
	check "options may stand behind the offsets" \
		grep -q '^_Z.* at ' "$TMP/got"
	answers "$symbolize" $(sed 's/^/app+0x/' "$TMP/list")
	is_what "addresses in a file of this directory"
	answers env PATH="$TMP/here/bin:$PATH" "$symbolize" \
		$(sed 's/^/in_path+0x/' "$TMP/list")
	is_what "addresses in a program that PATH has"
	answers env PATH="$TMP/here/bin:$PATH" "$symbolize" \
		in_path $(cat "$TMP/list")
	is_what "a program that PATH has and offsets in it"
	answers env LD_LIBRARY_PATH="$TMP/here/bin" "$symbolize" \
		$(sed 's/^/in_path+0x/' "$TMP/list")
	is_what "addresses in a library that LD_LIBRARY_PATH has"
	sed 's/^/in_path+0x/' "$TMP/list" |
		PATH="$TMP/here/bin:$PATH" "$symbolize" >"$TMP/got"
	status=$?
	is_what "lines of addresses in a program that PATH has"
	answers "$symbolize" --path-map="far=$TMP/here/app" \
		$(sed 's/^/far+0x/' "$TMP/list")
	is_what "addresses in a file that --path-map names"
	answers "$symbolize" -d "$TMP/only" $(sed 's/^/gone+0x/' "$TMP/list")
	is_what "addresses in a program of which only the debug file is here"
	id=$(build_id_of "$TMP/cxx5")
	mkdir -p "$TMP/own/.build-id/$(echo "$id" | cut -c1-2)"
	cp "$TMP/only/gone.debug" "$TMP/own/.build-id/$(echo "$id" |
		sed 's,^..,&/,').debug"
	answers "$symbolize" -d "$TMP/own" "$id" $(cat "$TMP/list")
	is_what "a build-id and offsets"

	sed 's/^/app+0x/' "$TMP/list" >"$TMP/here/file"
	first=$(head -1 "$TMP/list")
	echo "$first" >"$TMP/one"
	answers_of_addr2line app "$TMP/one" -C >>"$TMP/want"
	answers "$symbolize" file "app+0x$first"
	is_what "a file with addresses and an address"
	answers "$symbolize" -- - "app+0x$first"
	check "standard input and an address" test "$status" -eq 0
	cp app "app+0x1"
	answers "$symbolize" "app+0x1"
	said "what is a file is no address, whatever its name" 2 \
		'it is a program'
	rm "app+0x1"
	head -n -"$(answers_of_addr2line app "$TMP/one" -C | wc -l)" \
		"$TMP/want" >"$TMP/less"
	cp file 1139
	answers "$symbolize" missing 1139
	check "a number that is a file is read" \
		cmp -s "$TMP/less" "$TMP/got"
	cd - >/dev/null || exit 1
}

# A mistake is one sentence that says what to do instead.
mistakes()
{
	cd "$TMP/here" || exit 1
	answers "$symbolize" ./app
	said "a program alone is a mistake" 2 \
		'it is a program.*give offsets.*a.out 0x1139'
	answers "$symbolize" - <./app
	"$symbolize" <./app >"$TMP/got" 2>"$TMP/stderr"
	status=$?
	said "a program on standard input is one, too" 2 'it is a program'
	cp "$TMP/hello" .
	"$build/binlog-run" -o data ./hello >/dev/null 2>&1
	answers "$symbolize" data/*
	said "a capture is a mistake" 2 'capture.*binlog-show --stacks'
	"$build/binlog-pack" -o packed data >/dev/null 2>&1
	answers "$symbolize" packed
	said "a packed log is a mistake" 2 'packed log.*binlog-show --stacks'
	answers "$symbolize" nowhere
	said "a missing file says what an address is" 2 \
		'No such file.*an address, as a.out+0x1139'
	answers "$symbolize" nowhere+0x1139
	said "a missing module is a sentence" 1 'nowhere: no names: no such'
	answers "$symbolize" nowhere 0x1139
	said "a missing module with an offset is a sentence" 1 \
		'nowhere: no names: no such'
	answers "$symbolize" .
	said "a directory is a mistake" 2 'Is a directory'
	answers "$symbolize" . 0x1139
	said "offsets in a directory are a mistake" 1 'not a regular file'
	: >empty
	answers "$symbolize" empty 0x1139
	said "offsets in an empty file are a mistake" 1 'not an ELF file'
	answers "$symbolize" empty
	check "an empty file asks for nothing" \
		test "$status-$(cat "$TMP/got" "$TMP/stderr")" = 0-
	head -c 4096 /dev/urandom >garbage
	printf 'a\000b' | cat - garbage >zeros
	answers "$symbolize" zeros
	said "a file that is no text is a mistake" 2 'it is no text'
	cp app "$(printf 'a\001p')"
	printf 'a\001p+0x%s\n' "$first" >odd
	answers "$symbolize" odd
	check "but the name of a module may have any byte" \
		test "$status" -eq 0
	answers "$symbolize" /dev/zero
	said "a line without an end is given up" 2 'more than 64 MiB'
	answers "$symbolize" ./app 0x1139 main
	said "a name is no offset" 2 'main: not an offset'
	check "and nothing else is answered" test ! -s "$TMP/got"
	answers "$symbolize" ./app 0x11111111111111111
	said "a number of more than 64 bits is no offset" 2 'not an offset'
	answers "$symbolize" ./app 0xffffffffffffffff
	said "an offset beyond the file is a sentence" 1 \
		'no function of the file is there'
	answers "$symbolize" -- ./app -5
	said "a negative number is no offset" 2 ' -5: not an offset'
	answers "$symbolize" ./app 0x
	said "0x alone is no offset" 2 ' 0x: not an offset'
	answers "$symbolize" app+0x11111111111111111
	said "an address of more than 64 bits is none" 2 'No such file'
	cd - >/dev/null || exit 1
}

# frame_of NUMBER FILE ADDRESS [SUFFIX]: as binlog-show has it, by addr2line
frame_of()
{
	addr2line -Cfipe "$2" "$3" | awk -v number="$1" -v suffix="${4:-}" '
		{
			sub(/^ \(inlined by\) /, "")
			sub(/ \(discriminator [0-9]+\)/, "")
			line[NR] = $0
		}
		END {
			for (i = 1; i <= NR; i++)
				print "    #" number + i - 1 " " line[i] \
					(i < NR ? " (inlined)" : "") suffix
		}'
}

# The text of a log that was shown where there was no debug information.
stacks()
{
	cat >"$TMP/hello.c" <<'EOF'
#include <stdio.h>
#include <stdlib.h>
static inline __attribute__((always_inline)) void deep(int x)
{
	printf("hello %d\n", x);
}
static __attribute__((noinline)) void twice(int x)
{
	deep(x);
	deep(x + 1);
	__asm__ volatile("");
}
__attribute__((noinline)) void outer(int x)
{
	twice(x);
	__asm__ volatile("");
}
int main(void)
{
	outer(1);
	puts("#1 no+0x1");
	return 0;
}
EOF
	gcc -g -O2 "$TMP/hello.c" -o "$TMP/whole"
	mkdir -p "$TMP/shown" "$TMP/named"
	objcopy --strip-all "$TMP/whole" "$TMP/shown/hello"
	cp "$TMP/shown/hello" "$TMP/hello"
	cp "$TMP/whole" "$TMP/named/hello"
	(cd "$TMP/shown" && "$build/binlog-run" -o data ./hello) \
		>/dev/null 2>&1
	"$build/binlog-show" --stacks "$TMP/shown/data" >"$TMP/text" \
		2>/dev/null
	check "the log was shown without names" \
		test "$(grep -c '^    #[0-9]* hello+0x' "$TMP/text")" -ge 6

	# What is to come out: each frame of the program as addr2line has it.
	added=0
	while IFS= read -r line; do
		number=$(expr "$line" : '    #\([0-9]*\) ')
		address=$(expr "$line" : '    #[0-9]* hello+\(0x[0-9a-f]*\)$')
		if [ -n "$address" ]; then
			frame_of $((number + added)) "$TMP/whole" "$address" \
				>"$TMP/frame"
			cat "$TMP/frame"
			added=$((added + $(wc -l <"$TMP/frame") - 1))
		elif [ -n "$number" ]; then
			echo "    #$((number + added))${line#    #$number}"
		else
			added=0
			printf '%s\n' "$line"
		fi
	done <"$TMP/text" | sed 's/^\(    #[0-9]* _start\) at .*/\1/' \
		>"$TMP/want"
	(cd "$TMP/named" && "$symbolize") <"$TMP/text" 2>"$TMP/stderr" |
		sed 's/^\(    #[0-9]* _start\)+0x.* in hello/\1/' >"$TMP/got"
	status=0
	check "something in it is inlined" grep -q 'deep at .*(inlined)' \
		"$TMP/want"
	is_what "the stacks of a text get their names"
	(cd "$TMP/named" && "$symbolize" "$TMP/text") 2>"$TMP/stderr" |
		sed 's/^\(    #[0-9]* _start\)+0x.* in hello/\1/' >"$TMP/got"
	is_what "a file with such a text may be an argument"
	check "nothing is complained of" test ! -s "$TMP/stderr"

	# Names that are known already, and text that is nobody's.
	{
		echo '2026-01-01 00:00:00 hello[1:1] stdout: hello+0x1139'
		printf 'bytes \377\001\033[1m, #0 hello+0x1\r\n\n'
		echo '    #0 main at hello.c:3'
		echo '    #1 deep at hello.c:3 (inlined)'
		echo '    #2 jump+0x12 in hello (tail call)'
		echo '    #3 0x7f0000001234'
		echo '    #4 <signal handler called>'
		echo '    # 5 hello+0x1139'
		echo '    #6hello+0x1139'
		echo '    #7 hello+0x11111111111111111'
		echo '    #8 +0x1139'
		echo 'hello+0x1139'
		printf '    #9 the end'
	} >"$TMP/want"
	(cd "$TMP/named" && answers "$symbolize" "$TMP/want" &&
		exit "$status")
	status=$?
	is_what "all that is no frame to be named comes out as it is"
	check "and nothing is complained of" test ! -s "$TMP/stderr"

	frame_of 7 "$TMP/whole" "$(address_of main)" ' (hands the text on)' \
		>"$TMP/want"
	echo "    #7 hello+$(address_of main) (hands the text on)" >"$TMP/line"
	(cd "$TMP/named" && "$symbolize") <"$TMP/line" >"$TMP/got"
	status=0
	is_what "what is said of a frame besides stays"
	{ printf 'message\nhello\n\n' && cat "$TMP/line"; } >"$TMP/word"
	{ printf 'message\nhello\n\n' && cat "$TMP/want"; } >"$TMP/want2"
	mv "$TMP/want2" "$TMP/want"
	(cd "$TMP/named" && answers "$symbolize" "$TMP/word" && exit "$status")
	status=$?
	is_what "a text may begin with one word"

	printf '    #%d nowhere+0x1139\n' 0 1 2 >"$TMP/want"
	answers "$symbolize" "$TMP/want"
	said "a module that is nowhere is complained of once" 1 \
		'nowhere: no names: no file of this name.*--path-map'
	status=0
	is_what "and its frames come out as they are"
	echo '#3 main+0x1 in hello' >"$TMP/pipe"
	(cd "$TMP/named" && cat "$TMP/pipe" | "$symbolize") >"$TMP/got"
	check "a frame alone is such a text" grep -q '^#3 main at .*hello.c:' \
		"$TMP/got"
}

# address_of FUNCTION: in the program of stacks()
address_of()
{
	nm "$TMP/whole" | sed -n "s/^0*\([0-9a-f]*\) [tT] $1\$/0x\1/p"
}

# named_json IN OUT PROGRAM: whether OUT is IN, byte for byte, but for frames of
# the program without a line, which are those that addr2line has
named_json()
{
	python3 - "$@" <<'EOF'
import json, re, subprocess, sys

shown, named, program = sys.argv[1:]

def frames(frame):
    if frame.get("module") != "hello" or "line" in frame:
        return [frame]
    said = subprocess.run(["addr2line", "-Cfipe", program, frame["address"]],
        capture_output=True, text=True, check=True).stdout.splitlines()
    found = []
    for line in said:
        function, place = re.sub(r"^ \(inlined by\) ", "", line).split(" at ")
        place = re.sub(r" \(discriminator \d+\)$", "", place)
        now = {"function": function}
        if place[0] != "?":
            now["file"], number = place.rsplit(":", 1)
            now["line"] = int(number)
        now.update(module="hello", address=frame["address"])
        found.append(now)
    for inlined in found[:-1]:
        inlined["inlined"] = True
    return found

count = 0
shown, named = open(shown).readlines(), open(named).readlines()
assert len(shown) == len(named)
for before, after in zip(shown, named):
    part = re.compile(r'"stack":\[.*?\]')
    assert part.sub("", before) == part.sub("", after), after
    want = [one for frame in json.loads(before).get("stack", [])
        for one in frames(frame)]
    got = json.loads(after).get("stack", [])
    assert got == want, (got, want)
    assert [list(one) for one in got] == [list(one) for one in want]
    count += len(want)
assert count > 10
EOF
}

# Messages of -o json, likewise.
json()
{
	"$build/binlog-show" --stacks -o json "$TMP/shown/data" \
		>"$TMP/shown.json" 2>/dev/null
	(cd "$TMP/named" && answers "$symbolize" "$TMP/shown.json" &&
		exit "$status")
	status=$?
	check "the stacks of messages in JSON get their names" \
		named_json "$TMP/shown.json" "$TMP/got" "$TMP/whole"
	check "and nothing is complained of" \
		test "$status-$(cat "$TMP/stderr")" = 0-
	"$build/binlog-show" -o json "$TMP/shown/data" >"$TMP/want" 2>/dev/null
	answers "$symbolize" "$TMP/want"
	is_what "messages without stacks come out as they are"

	# what is no frame to be named, and JSON as others write it
	address=$(address_of main)
	{
		echo '{}'
		echo '{"args":[{"stack":[{"module":"hello","address":"0x1"}]}]}'
		echo '{"a":"\",\"stack\":[{\"module\":1","stack":{"module":"hello"}}'
		echo '{"stack":[]}'
		echo '{"stack":[1,null,"#0 hello+0x1",[],{}, {"module":"hello"}]}'
		echo "{\"stack\":[{\"module\":7,\"address\":\"$address\"}]}"
		echo "{\"stack\":[{\"module\":\"hel\\u0000lo\",\"address\":\"$address\"}]}"
		echo '{"stack":[{"module":"hello","address":"0x11111111111111111"}]}'
		echo '{"stack":[{"module":"hello","address":-5}]}'
		echo "{\"stack\":[{\"module\":\"hello\",\"address\":\"$address\",\"inlined\":true}]}"
		echo "{\"stack\":[{\"module\":\"hello\",\"address\":\"$address\",\"tail_call\":true}]}"
		echo "{\"stack\":[{\"function\":\"f\",\"line\":3,\"module\":\"hello\",\"address\":\"$address\"}]}"
		printf '{"stack":[{"address":"%s"}]}' "$address"
	} >"$TMP/want"
	(cd "$TMP/named" && answers "$symbolize" "$TMP/want" && exit "$status")
	status=$?
	is_what "what is no frame to be named in JSON comes out as it is"
	check "and nothing is complained of there" test ! -s "$TMP/stderr"
	place=$(addr2line -Cfipe "$TMP/whole" "$address" | sed 's/^main at //')
	names='"function":"main","file":"'${place%:*}'","line":'${place##*:}
	echo " {\"stack\" : [ {\"address\" : $((address)), \"x\":[1], \"module\": \"h\\u0065llo\"} , 1 ]} " |
		sed 's/^ //' >"$TMP/line"
	echo "{\"stack\" : [ {$names,\"address\":$((address)),\"x\":[1],\"module\":\"h\\u0065llo\"} , 1 ]} " \
		>"$TMP/want"
	(cd "$TMP/named" && answers "$symbolize" "$TMP/line" && exit "$status")
	status=$?
	is_what "JSON may be written in other ways"

	deep=$(awk 'BEGIN { while (i++ < 100000) printf "[" }')
	for bad in '{' '{"stack":[{"module":"hello","address":"0x1"}' \
		'{"stack":[{"module":"hello","address":"0x1"]}}' \
		'{"a":1,}' '{"a" 1}' '{"a":"' '{"a":"\' '{"a":1} x' '{1:2}' \
		"{\"a\":$deep"; do
		printf '%s\n' "$bad" >"$TMP/want"
		answers "$symbolize" "$TMP/want"
		[ "$status" -eq 1 ] && cmp -s "$TMP/want" "$TMP/got" &&
			grep -q 'want:1: left as it is: it is not one JSON' \
				"$TMP/stderr" || echo "$bad" | cut -c1-70
	done >"$TMP/wrong"
	check "broken JSON comes out as it is, and is complained of" \
		test ! -s "$TMP/wrong"
}

# A text may name a function and what is behind its start.
functions()
{
	# every instruction of the program's own functions
	for function in main outer twice; do
		address=$(address_of $function)
		bytes=$(nm -S "$TMP/whole" | awk -v name=$function '
			$4 == name { print $2 }' | sed 's/^0*/0x/')
		for offset in 0 1 5 $((bytes - 1)); do
			printf '    #0 %s+0x%x in hello\n' $function $offset >&3
			frame_of 0 "$TMP/whole" \
				"$(printf 0x%x $((address + offset)))"
		done
	done 3>"$TMP/text" >"$TMP/want"
	(cd "$TMP/named" && answers "$symbolize" "$TMP/text" && exit "$status")
	status=$?
	is_what "a function and an offset in a module are enough"
	sed 's/.* \(.*\) in hello/    #0 \1 in symbols/' "$TMP/text" \
		>"$TMP/text2"
	objcopy --strip-debug "$TMP/whole" "$TMP/named/symbols"
	(cd "$TMP/named" && answers "$symbolize" "$TMP/text2" &&
		exit "$status")
	status=$?
	cp "$TMP/text2" "$TMP/want"
	is_what "without debug information such a frame stays what it is"

	# C++: a name as people write it, and as linkers do
	nm "$TMP/cxx5" | sed -n 's/^0*\([0-9a-f]*\) [tTW] \(_Z.*\)$/\1 \2/p' |
		sort -u -k2 | head -20 >"$TMP/mangled"
	while read -r address name; do
		other=$(c++filt "$name")
		[ "$(nm -C "$TMP/cxx5" | grep -cF " $other")" -eq 1 ] ||
			continue
		echo "    #0 $other+0x1 in cxx5" >&3
		echo "    #0 $name+0x1 in cxx5" >&3
		frame_of 0 "$TMP/cxx5" "$(printf 0x%x $((0x$address + 1)))" \
			>"$TMP/frame"
		cat "$TMP/frame" "$TMP/frame"
	done <"$TMP/mangled" 3>"$TMP/text" >"$TMP/want"
	(cd "$TMP" && answers "$symbolize" "$TMP/text" && exit "$status")
	status=$?
	is_what "functions of C++ are found by either name"

	echo 'static int same(int x) { return x * 3; }' >"$TMP/one.c"
	echo 'int (*first)(int) = same;' >>"$TMP/one.c"
	sed 's/first/second/' "$TMP/one.c" >"$TMP/two.c"
	echo 'int main(void) { return 0; }' >>"$TMP/two.c"
	gcc -g "$TMP/one.c" "$TMP/two.c" -o "$TMP/named/namesakes"
	echo '    #0 same+0x1 in namesakes' >"$TMP/want"
	(cd "$TMP/named" && answers "$symbolize" "$TMP/want" && exit "$status")
	status=$?
	said "of two functions with one name none is chosen" 1 \
		'2 functions of the file are called same'
	status=0
	is_what "and the frame comes out as it is"
	echo '    #0 no_such+0x1 in hello' >"$TMP/want"
	(cd "$TMP/named" && answers "$symbolize" "$TMP/want" && exit "$status")
	status=$?
	said "a function that is not there is a sentence" 1 \
		'the file has no function no_such'
	echo '    #0 main+0x100000 in hello' >"$TMP/want"
	(cd "$TMP/named" && answers "$symbolize" "$TMP/want" && exit "$status")
	status=$?
	said "and so is an offset far behind its end" 1 \
		'the file has no function main that is so long'
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
stacks
json
functions
arguments
mistakes
exit $failed
