#!/bin/bash
# Names for code without DWARF: of exported functions, of MiniDebugInfo, of the stubs that lead to other files, of data,
# of what the kernel provides, of code that a program has made; sections that are compressed with zstd; and in
# binlog-show what pointers point to, and source lines.  The oracles are nm, objdump, gdb's words, the sources, and the
# file before it was stripped.
. tests/support/lib.sh
export BINLOG_CACHE= # answers of an earlier run would prove nothing
symbolize=$BUILD/binlog-symbolize
nest=$here/nest
TMP=$(realpath "$TMP")

names() { # FILE <ADDRESSES: "address name" of each, as binlog-symbolize has it
	sed "s|.*|$1+0x&|" >"$TMP/asked"
	"$symbolize" --no-demangle "$TMP/asked" 2>"$TMP/complaint" | sed 's/ at [^ ]*$//' |
		paste -d ' ' "$TMP/asked" - | sed 's/^[^ ]*+0x//'
}
same_names() { # SENTENCE FILE WANTED: lines "address name"
	cut -d ' ' -f 1 "$3" | names "$2" >"$TMP/got"
	if [ -s "$3" ]; then same_file "$1 ($(wc -l <"$3") addresses)" "$3" "$TMP/got"; else not_ok "$1: nothing to compare"; fi
}
each_byte() { # <"start size name" in decimal: every third address of each, with its name
	awk '{ for (i = 0; i < $2; i += 3) printf "%x %s\n", $1 + i, $3 }'
}
functions() { # FILE LETTERS: "start size name" of the functions that have a size
	nm -S --defined-only "$1" | awk -v letters="$2" 'NF == 4 && index(letters, $3) { print "0x" $1, "0x" $2, $4 }' |
		awk --non-decimal-data '{ print $1 + 0, $2 + 0, $3 }'
}

# As the packagers of distributions make it.
add_minidebuginfo() { # PROGRAM STRIPPED
	objcopy --only-keep-debug "$1" "$2.debug"
	comm -13 <(nm -D --defined-only --format=posix "$1" | awk '{ sub(/@.*/, "", $1); print $1 }' | sort) \
		<(nm --defined-only --format=posix "$1" | awk '$2 ~ /[TtD]/ { print $1 }' | sort) >"$2.keep"
	objcopy -S --keep-symbols="$2.keep" "$2.debug" "$2.mini" 2>/dev/null
	rm -f "$2.mini.xz"
	xz "$2.mini"
	strip --strip-all "$1" -o "$2"
	objcopy --add-section .gnu_debugdata="$2.mini.xz" "$2"
}
minidebuginfo() {
	if ! command -v xz >/dev/null; then
		skip "MiniDebugInfo: there is no xz"
		return
	fi
	g++ -O2 -fPIC -shared -DSHARED -o "$TMP/whole.so" "$nest/nest.cc" || exit 1
	add_minidebuginfo "$TMP/whole.so" "$TMP/mini.so"
	functions "$TMP/whole.so" Tt | each_byte | sort -u >"$TMP/all"
	# Where two functions share their code either name is right; such addresses are left out.
	cut -d ' ' -f 1 "$TMP/all" | uniq -d | grep -vwFf - "$TMP/all" >"$TMP/want" || cp "$TMP/all" "$TMP/want"
	same_names "a stripped library is named by what it exports and by MiniDebugInfo" "$TMP/mini.so" "$TMP/want"
	head -c 200 /dev/urandom >"$TMP/noise"
	objcopy --update-section .gnu_debugdata="$TMP/noise" "$TMP/mini.so" "$TMP/noisy.so"
	functions "$TMP/whole.so" T | each_byte >"$TMP/want"
	same_names "MiniDebugInfo that cannot be unpacked leaves the exported names" "$TMP/noisy.so" "$TMP/want"
}

stubs_of() { # FILE [OBJDUMP]: "address name"
	"${2:-objdump}" -d "$1" | sed -nE 's/^0*([0-9a-f]+) <([^+>]*@plt)>:$/\1 \2/p'
}
same_stubs() { # SENTENCE FILE [OBJDUMP]
	stubs_of "${@:2}" >"$TMP/want"
	same_names "$1" "$2" "$TMP/want"
}
stubs() {
	local source=$TMP/stubs.c
	cat >"$source" <<'C'
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words)
{
	free(realloc(malloc(10), 20));
	return printf("%d\n", count) + puts(words[0]);
}
C
	gcc -O1 -o "$TMP/lazy" "$source" && same_stubs "stubs are named as objdump names them" "$TMP/lazy"
	gcc -O1 -fcf-protection -Wl,-z,ibtplt,-z,lazy -o "$TMP/ibt" "$source" &&
		same_stubs "stubs in .plt.sec too" "$TMP/ibt"
	gcc -O1 -fno-plt -Wl,-z,now -o "$TMP/now" "$source" && same_stubs "stubs in .plt.got too" "$TMP/now"
	same_stubs "the stubs of the C++ library too" "$(realpath "$(g++ -print-file-name=libstdc++.so.6)")"
	objcopy --only-keep-debug "$TMP/lazy" "$TMP/lazy.debug"
	strip --strip-all "$TMP/lazy"
	(cd "$TMP" && objcopy --add-gnu-debuglink=lazy.debug lazy)
	same_stubs "stubs have their names also where all others are in a separate file" "$TMP/lazy"
	is_long || return
	if ! command -v aarch64-linux-gnu-gcc >/dev/null; then
		skip "stubs of aarch64: there is no compiler for it"
		return
	fi
	aarch64-linux-gnu-gcc -O1 -o "$TMP/arm" "$source" &&
		same_stubs "stubs of aarch64" "$TMP/arm" aarch64-linux-gnu-objdump
	aarch64-linux-gnu-gcc -O1 -no-pie -mbranch-protection=standard -Wl,-z,force-bti -o "$TMP/bti" "$source" \
		2>/dev/null && same_stubs "stubs of aarch64 with landing pads" "$TMP/bti" aarch64-linux-gnu-objdump
}

data() {
	cat >"$TMP/data.c" <<'C'
#include <stdio.h>
_Alignas(64) int table[10] = {1};
_Alignas(64) static int *volatile pointer = table;
static char buffer[100];
const char text[] = "text";
int main(void) { return buffer[0] + *pointer + text[1]; }
C
	gcc -O1 -o "$TMP/data" "$TMP/data.c" || exit 1
	functions "$TMP/data" DdBbRr | grep -vw completed.0 | each_byte >"$TMP/want"
	same_names "data has the name of its symbol" "$TMP/data" "$TMP/want"
	functions "$TMP/data" D | awk '$3 == "table" { printf "%x ??\n", $1 + $2 }' >"$TMP/want"
	same_names "what lies behind data has not" "$TMP/data" "$TMP/want"
}

compressed() {
	local offset
	g++ -g -O2 -o "$TMP/plain" "$nest/nest.cc" || exit 1
	objcopy --compress-debug-sections=zstd "$TMP/plain" "$TMP/zstd" 2>/dev/null
	if ! readelf -tW "$TMP/zstd" | grep -q 'ZSTD'; then
		skip "sections compressed with zstd: objcopy cannot make them"
		return
	fi
	objdump -d -j .text "$TMP/plain" | sed -n 's/^ *\([0-9a-f]*\):\t.*/\1/p' >"$TMP/list"
	sed "s|^|$TMP/plain+0x|" "$TMP/list" | "$symbolize" >"$TMP/want" 2>"$TMP/complaint"
	sed "s|^|$TMP/zstd+0x|" "$TMP/list" | "$symbolize" >"$TMP/got" 2>"$TMP/complaint"
	same_file "sections that are compressed with zstd are read" "$TMP/want" "$TMP/got"
	# libdwarf of Debian 13 needs it itself: without it nothing starts there.
	if ! ldd "$symbolize" | grep -q libzstd; then
		mkdir "$TMP/libraries"
		: >"$TMP/libraries/libzstd.so.1"
		sed -n "s|^|$TMP/zstd+0x|;1p" "$TMP/list" | LD_LIBRARY_PATH=$TMP/libraries "$symbolize" >"$TMP/got" 2>"$TMP/complaint"
		verdict "$(grep -q 'there is no libzstd.so.1' "$TMP/complaint"; echo $?)" "without libzstd.so.1 there is a sentence" \
			"$(cat "$TMP/complaint")"
	fi
	offset=$(readelf -SW "$TMP/zstd" | sed -n 's/.* \.debug_info *PROGBITS *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
	cp "$TMP/zstd" "$TMP/damaged"
	printf '\377\377\377\377' | dd of="$TMP/damaged" bs=1 seek=$((16#$offset + 60)) conv=notrunc status=none
	sed -n "s|^|$TMP/damaged+0x|;1p" "$TMP/list" | "$symbolize" >"$TMP/got" 2>"$TMP/complaint"
	verdict "$(grep -q 'compressed section is damaged' "$TMP/complaint"; echo $?)" \
		"a damaged section is said to be damaged" "$(cat "$TMP/complaint")"
}

# stacks_of PROGRAM [OPTION...]: what it says, and from where
stacks_of() {
	rm -rf "$TMP/capture"
	LD_PRELOAD=$lib BINLOG_DIR=$TMP/capture "$1" >"$TMP/stdout" 2>"$TMP/stderr"
	shown_stacks "${@:2}"
}
shown_stacks() { # [OPTION...]
	timeout 20 "$show" --stacks "$@" "$TMP/capture" 2>"$TMP/complaint" | sed 's/^ *#[0-9]* //'
}

# A signal at any moment while the kernel's code for the clock runs, most of the time.
signals() {
	cat >"$TMP/ticks.c" <<'C'
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
static volatile int ticks;
static void handler(int number)
{
	ticks += number > 0;
	printf("tick\n");
}
int main(void)
{
	struct itimerval every = {{0, 1000}, {0, 1000}};
	struct timespec now;
	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &every, NULL);
	while (ticks < 50)
		clock_gettime(CLOCK_MONOTONIC, &now);
	return 0;
}
C
	gcc -g -O1 -o "$TMP/ticks" "$TMP/ticks.c" || exit 1
	mkdir -p "$TMP/empty"
	stacks_of "$TMP/ticks" >"$TMP/got"
	same "what calls a handler is named as gdb does" 50 "$(grep -cx '<signal handler called>' "$TMP/got")"
	shown_stacks --debug-dir="$TMP/empty" >"$TMP/got"
	same "also where libc has no symbol for it" 50 "$(grep -cx '<signal handler called>' "$TMP/got")"
	if ! grep -q '\[vdso\]' "$TMP/got"; then
		skip "the kernel's code: it was never interrupted"
		return
	fi
	verdict "$(grep -qE '^_*(vdso_)?clock_gettime\+0x[0-9a-f]* in \[vdso\]$' "$TMP/got"; echo $?)" \
		"the kernel's code has names while it is the same kernel" "$(grep vdso "$TMP/got")"
	python3 - "$TMP"/capture/*.binlog <<'PYTHON'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
at = data.find(b"linux-vdso.so.")
while at >= 0:
    data[at - 1] ^= 1
    at = data.find(b"linux-vdso.so.", at + 1)
open(sys.argv[1], "wb").write(data)
PYTHON
	shown_stacks >"$TMP/got"
	verdict "$(grep -q '^\[vdso\]+0x' "$TMP/got" && ! grep -q 'in \[vdso\]' "$TMP/got"; echo $?)" \
		"the code of another kernel has none" "$(grep vdso "$TMP/got")"
	verdict "$(grep -q 'another kernel' "$TMP/complaint"; echo $?)" "and that is said" "$(cat "$TMP/complaint")"
}

made_code() {
	build jit
	stacks_of "$TMP/jit" >"$TMP/got"
	list=/tmp/perf-$(sed -n '1s/.* jit\[\([0-9]*\):.*/\1/p' "$TMP/got").map
	trap 'rm -f "$list"' EXIT
	same "code that the program has made is named as it has listed it" "LazyCompile:~made now+0x5" "$(sed -n 3p "$TMP/got")"
	shown_stacks --limit=jit-map=1 >"$TMP/got"
	verdict "$(grep -q 'perf-PID.map is too long: .*--limit=jit-map=N' "$TMP/complaint" &&
		sed -n 3p "$TMP/got" | grep -qx '0x[0-9a-f]*'; echo $?)" "a list that is too long is told of" "$(cat "$TMP/complaint")"
	mv "$list" "$TMP/list"
	ln -s "$TMP/list" "$list"
	shown_stacks >"$TMP/got"
	verdict "$(sed -n 3p "$TMP/got" | grep -qx '0x[0-9a-f]*'; echo $?)" "a list that is a link is not followed" "$(cat "$TMP/got")"
	rm "$list"
	mkfifo "$list"
	shown_stacks >"$TMP/got"
	verdict "$(sed -n 3p "$TMP/got" | grep -qx '0x[0-9a-f]*'; echo $?)" "a list that is a FIFO is not waited for" "$(cat "$TMP/got")"
	rm "$list"
	if [ "$(id -u)" -eq 0 ]; then
		cp "$TMP/list" "$list"
		chown nobody "$list"
		shown_stacks >"$TMP/got"
		verdict "$(sed -n 3p "$TMP/got" | grep -qx '0x[0-9a-f]*'; echo $?)" "nor is one of another user believed" "$(cat "$TMP/got")"
		rm "$list"
	fi
}

pointers() {
	cat >"$TMP/pointers.c" <<'C'
#include <stdarg.h>
#include <stdio.h>
int table[20] = {1};
static char buffer[30] = "x";
static void callback(void)
{
	buffer[0]++;
}
static void say(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
}
int main(void)
{
	int local = 0;
	printf("%p %p\n", (void *)table, (void *)&table[8]);
	printf("%20p|%-20p|%p\n", (void *)buffer, (void *)callback, (void *)main);
	printf("%p %p %p\n", (void *)0, (void *)&local, (void *)5);
	printf("%1$p %1$p\n", (void *)&buffer[29]);
	say("%d\n", local); /* calls vprintf */
	return 0;
}
C
	gcc -g -O1 -o "$TMP/pointers" "$TMP/pointers.c" || exit 1
	stacks_of "$TMP/pointers" >"$TMP/got"
	raw stdout "$TMP/capture" >"$TMP/plain"
	"$show" --pointers "$TMP/capture" 2>"$TMP/complaint" | sed 's/^.* stdout: //' >"$TMP/got"
	sed -E '1s/^(\S+) (\S+)$/\1 <table> \2 <table+0x20>/
		2s/^( *\S+)\|(\S+ *)\|(\S+)$/\1 <buffer>|\2 <callback>|\3 <main>/
		4s/^(\S+) (\S+)$/\1 <buffer+0x1d> \2 <buffer+0x1d>/' "$TMP/plain" >"$TMP/want"
	same_file "--pointers says what they point to in the program, and nothing of others" "$TMP/want" "$TMP/got"
	"$show" --raw --pointers --source -q "$TMP/capture" >"$TMP/got"
	same_file "--raw stays as it is" "$TMP/plain" "$TMP/got"
}

source_lines() {
	mkdir -p "$TMP/moved"
	stacks_of "$TMP/pointers" >"$TMP/got"
	grep -nE '[[:space:]]printf\(|calls vprintf' "$TMP/pointers.c" | sed -E 's/^([0-9]+):\s*/    pointers.c:\1: /' >"$TMP/want"
	"$show" --source "$TMP/capture" 2>"$TMP/complaint" | grep '^    ' >"$TMP/got"
	same_file "--source shows the line of each call, and for a function that takes any arguments that of its caller" "$TMP/want" "$TMP/got"
	mv "$TMP/pointers.c" "$TMP/moved"
	"$show" --source --path-map="$TMP/pointers.c=$TMP/moved/pointers.c" "$TMP/capture" 2>"$TMP/complaint" |
		grep '^    ' >"$TMP/got"
	same_file "--path-map leads to sources too" "$TMP/want" "$TMP/got"
	mkdir -p "$TMP/root$TMP"
	cp "$TMP/moved/pointers.c" "$TMP/pointers" "$TMP/root$TMP"
	"$show" --source --sysroot="$TMP/root" "$TMP/capture" 2>"$TMP/complaint" | grep '^    ' >"$TMP/got"
	same_file "and so does --sysroot" "$TMP/want" "$TMP/got"
	"$show" --source "$TMP/capture" 2>"$TMP/complaint" | grep '^    ' >"$TMP/got"
	verdict "$([ ! -s "$TMP/got" ]; echo $?)" "without the source nothing is shown" "$(cat "$TMP/got")"
	mkfifo "$TMP/pointers.c"
	timeout 10 "$show" --source "$TMP/capture" 2>"$TMP/complaint" | grep '^    ' >"$TMP/got"
	verdict "$([ "${PIPESTATUS[0]}" -eq 0 ] && [ ! -s "$TMP/got" ]; echo $?)" "a FIFO is not waited for" "$(cat "$TMP/got")"
}

minidebuginfo
stubs
data
compressed
signals
made_code
pointers
source_lines
finish
