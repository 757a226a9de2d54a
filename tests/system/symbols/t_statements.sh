#!/bin/bash
# What a program formats itself and prints from one place is known by its statements (decoder/statements): which
# constant, at which line, with which arguments. The oracle is the source (tests/victims/handed_statements.c); a stripped program,
# whose lines nobody knows, has to give the same statements.
. tests/support/lib.sh
source=$here/victims/handed_statements.c

# LINE|how|format|arguments of the source: of the marked lines.
# `b` has more put behind it; `f` is a word that is known to be a format where calls, or functions, have a sign of any arguments.
wanted() {
	awk -v machine="$(uname -m)" '
	match($0, /\/\*[!?fb2-] .*\*\/$|\/\*[!?fb2-] \*\/$/) {
		mark = substr($0, RSTART + 2, 1)
		values = substr($0, RSTART + 4, RLENGTH - 6)
		sub(/ +$/, "", values)
		code = substr($0, 1, RSTART - 1)
		sub(/" \[preauth\]", /, "", code)
		if (mark == "2") sub(/^[^?]*\? "[^"]*" : /, "", code)
		match(code, /"(\\.|[^"\\])*"/)
		format = substr(code, RSTART + 1, RLENGTH - 2)
		gsub(/\\"/, "\"", format)
		if (mark == "-") format = "%d:%c %s %c %s\\n"
		how = mark == "?" || (mark == "f" && machine !~ /^(x86_64|aarch64)$/) ? "likely" : mark == "-" ? "none" : "sure"
		print NR "|" how "|" format "|" (mark == "-" ? "" : values)
	}' "$source" | sort
}
# The same of a capture; without lines for a stripped program.
found() { # CAPTURE
	"$show" -q --location -o json "$1" | python3 -c '
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if "message" not in m:
        continue
    how = m.get("statement", "none")
    values = [str(round(a["value"], 2) if a["type"] == "float" else a["value"]).strip() for a in m["args"]] if how != "none" else []
    print(m.get("line", "") if how != "none" else "LAST", how, json.dumps(m["format"])[1:-1].replace("\\\"", "\""), " ".join(values), sep="|")' |
		sort
}
wanted >"$TMP/wanted"
[ "$(wc -l <"$TMP/wanted")" -ge 20 ] || not_ok "the source has no marked lines"
last=$(grep -n '/\*- \*/' "$source" | cut -d: -f1)
without_lines() { sed 's/^[^|]*//' | sort; }

check() { # TITLE COMPILER...
	local title=$1
	shift
	"$@" -std=gnu11 -D_GNU_SOURCE -w -g -o "$TMP/program" "$source" 2>"$TMP/why" || {
		not_ok "$title: it compiles" "$(cat "$TMP/why")"
		return
	}
	recorded "$title"
	found "$TMP/capture" | sed "s/^LAST/$last/" | sort >"$TMP/found"
	same_file "$title: statements, lines and arguments are those of the source" "$TMP/wanted" "$TMP/found"
	"${STRIP:-strip}" "$TMP/program"
	recorded "$title, stripped"
	same "$title, stripped: the same statements" "$(without_lines <"$TMP/wanted")" \
		"$(found "$TMP/capture" | without_lines)"
}
emulated=() preloaded=(env LD_PRELOAD="$lib")
recorded() { # TITLE
	rm -rf "$TMP/capture"
	"${emulated[@]}" "$TMP/program" 2>"$TMP/native"
	BINLOG_DIR=$TMP/capture "${preloaded[@]}" "$TMP/program" 2>/dev/null
	"$show" --statements=always --raw -q "$TMP/capture" >"$TMP/raw"
	same_file "$1: the text is the same to the byte" "$TMP/native" "$TMP/raw"
}
for level in 0 1 2 3 s; do
	check "gcc -O$level" gcc -O$level
done
check "gcc -O2 -no-pie" gcc -O2 -no-pie -fno-pie
check "gcc -O2 -D_FORTIFY_SOURCE=2" gcc -O2 -D_FORTIFY_SOURCE=2
check "gcc -O2 -flto" gcc -O2 -flto
if command -v clang >/dev/null; then
	check "clang -O2" clang -O2
else
	skip "clang: no such program here"
fi

# ---- for another processor, in an emulator ----
cross=aarch64-linux-gnu
if ! is_long; then
	: # it takes a compiler and an emulator
elif ! command -v $cross-gcc qemu-aarch64 >"$TMP/why" || ! why=$(env -u MAKEFLAGS make -s -j2 O="$TMP/arm" CC=$cross-gcc \
	"$TMP/arm/libbinlog.so" 2>&1 >/dev/null); then
	skip "statements of programs for aarch64: no $cross-gcc, no qemu-aarch64, or no library by them: ${why:-}"
else
	emulated=(qemu-aarch64 -L /usr/$cross)
	preloaded=("${emulated[@]}" -E LD_PRELOAD="$TMP/arm/libbinlog.so")
	STRIP=$cross-strip
	for level in 0 1 2 3 s; do
		check "aarch64: gcc -O$level" $cross-gcc -O$level
	done
	check "aarch64: gcc -O2 -no-pie" $cross-gcc -O2 -no-pie -fno-pie
	check "aarch64: gcc -O2 -D_FORTIFY_SOURCE=2" $cross-gcc -O2 -D_FORTIFY_SOURCE=2
	check "aarch64: gcc -O2 -mbranch-protection=standard" $cross-gcc -O2 -mbranch-protection=standard
	if clang --target=$cross -O2 -o "$TMP/program" -x c - <<<'int main(void) { return 0; }' 2>/dev/null; then
		check "aarch64: clang -O2" clang --target=$cross -O2
	else
		skip "aarch64: clang does not link there"
	fi
	emulated=() preloaded=(env LD_PRELOAD="$lib")
	unset STRIP
fi

# ---- in a library ----
gcc -std=gnu11 -D_GNU_SOURCE -O2 -w -shared -fPIC -Dmain=run -o "$TMP/libsays.so" "$source"
echo 'int run(int, char **); int main(int n, char **v) { return run(n, v); }' >"$TMP/main.c"
gcc -o "$TMP/program" "$TMP/main.c" -L"$TMP" -lsays -Wl,-rpath,"$TMP"
strip "$TMP/libsays.so"
recorded "a library"
same "a stripped library: the same statements" "$(without_lines <"$TMP/wanted")" \
	"$(found "$TMP/capture" | without_lines)"

# ---- as a user asks ----
same "--stats tells statements apart" "1 1 1" "$("$show" -q --stats "$TMP/capture" |
	awk '/"Accepted %s:%d"/ { a++ } /"epoll timer: %M"/ { b++ } /"failed: %m"/ { c++ } END { print a, b, c }')"
same "--where knows their arguments" 'connection from ::1 port 22' "$("$show" -q --raw --where 'port == 22' \
	"$TMP/capture" | tr -d '\r' | sed 's/^[a-z]*: //')"
same "--values: numbers" "60000" "$("$show" -q --values=timer "$TMP/capture" | grep -o '\<60000\>' | sort -u)"
same "--format chooses by the statement" 1 "$("$show" -q --raw --format='user %s is*' "$TMP/capture" | wc -l)"
same "spans between statements" 1 "$("$show" -q --spans 'Accepted %s:%d => exiting' "$TMP/capture" 2>/dev/null |
	grep -c Accepted)"
same "--output=timeline: arguments by name, what was put before and behind as it was" \
	'2026/11/24 10:00:00 [notice] 12#12: *7 open() "arg1(Host)" failed (2: No such file or directory)' \
	"$("$show" -q -o timeline "$TMP/capture" | sed -n 's/.*\(2026.*failed (2.*\)/\1/p')"
same "--priority knows the level that is put before a statement" "Accepted" \
	"$("$show" -q --raw -p notice..notice "$TMP/capture" | grep -o '^.* \* ready' | sed 's/.*/Accepted/' | head -n 1)"
same "stacks: what hands the text on is marked" "3" "$("$show" -q --stacks --grep='Accepted' "$TMP/capture" |
	grep -c '(hands the text on)')"
same "--message=statement leaves out what is put before, and nothing else" \
	"$("$show" -q --message=whole "$TMP/capture" | sed 's/^.*stderr: //; s/^1234:M .* [-*.#] //; s/^2026.*: \*7 //; s/^2026.*LOG:  //; s/^run: //; s/^fatal: //; s/^1909.75:main thread: //; s/^(CRON) [A-Za-z]* (//')" \
	"$("$show" -q --message=statement "$TMP/capture" | sed 's/^.*stderr: //; s/^1234:M .* - Made/Made/')"
same "--statements=never all have one place" 1 "$("$show" --statements=never -q --stats "$TMP/capture" | grep -c '%d:%c %s %c %s')"

# ---- which have made messages, and what two runs differ in ----
# Not those that are handed on through a pointer to a function, or into memory that another function prints.
listed() { grep -nE '/\*[!?2]' "$source" | grep -vE '[^a-z](call|make)[(]' | cut -d : -f 1; }
for options in -O0 -O2 "-Os -no-pie -fno-pie"; do
	# shellcheck disable=SC2086 # they are several
	gcc $options -std=gnu11 -D_GNU_SOURCE -w -g -o "$TMP/program" "$source"
	recorded "gcc $options"
	"$show" -q -o lcov "$TMP/capture" >"$TMP/lcov"
	same "gcc $options: coverage has each statement once" "$(listed | sed 's/$/,1/')" \
		"$(sed -n 's/^DA://p' "$TMP/lcov" | grep -F "$(listed | sed 's/$/,/')" | grep -E "^($(listed | paste -sd '|')),")"
	"$show" --index "$TMP/program" "$TMP/capture" 2>/dev/null >"$TMP/index"
	same "gcc $options: the index counts their messages" "$(listed | sed 's/$/ 1/')" \
		"$(awk '{ split($2, place, ":"); print place[2], $1 }' "$TMP/index" | grep -E "^($(listed | paste -sd '|')) " | sort -n)"
	strip "$TMP/program"
	recorded "gcc $options, stripped"
	"$show" --index "$TMP/program" "$TMP/capture" 2>/dev/null | awk '{ print $1, $4 }' | sort >"$TMP/stripped"
	awk '{ print $1, $4 }' "$TMP/index" | sort >"$TMP/whole"
	same_file "gcc $options: so it does when it is stripped" "$TMP/whole" "$TMP/stripped"
done
LD_PRELOAD=$lib BINLOG_DIR=$TMP/other "$TMP/program" a b c 2>/dev/null
same "--diff: statements of two runs" 'appeared "many arguments: %d"
vanished "only few arguments: %d"' "$("$show" -q --diff "$TMP/capture" "$TMP/other" |
	sed -nE 's/^(appeared|vanished) .*(".*")$/\1 \2/p' | sort)"
same "--diff --statements=never: all of one place" "" "$("$show" -q --statements=never --diff "$TMP/capture" "$TMP/other" |
	grep -E '^(appeared|vanished) ')"
same "--rates: by statement" 1 "$("$show" -q --rates "$TMP/capture" | grep -c '"Accepted %s:%d"')"

# ---- a stack through many libraries: few processes read them at a time ----
mkdir -p "$TMP/chain"
cat >"$TMP/chain/0.c" <<'C'
#include <stdarg.h>
#include <stdio.h>
void f0(const char *t, ...) { char b[99]; va_list l; va_start(l, t); vsnprintf(b, 99, t, l); va_end(l); printf("%s\n", b); __asm__(""); }
C
echo 'void f0(const char *, ...); void f1(void) { f0("link %d of a chain", 1); __asm__(""); }' >"$TMP/chain/1.c"
for i in 2 3 4 5 6 7 8 9; do
	echo "void f$((i - 1))(void); void f$i(void) { f$((i - 1))(); __asm__(\"\"); }" >"$TMP/chain/$i.c"
done
before=
for i in 0 1 2 3 4 5 6 7 8 9; do
	# shellcheck disable=SC2086 # nothing, or an option
	gcc -O1 -shared -fPIC -o "$TMP/chain/libf$i.so" "$TMP/chain/$i.c" -L"$TMP/chain" $before -Wl,-rpath,"$TMP/chain"
	before=-lf$i
done
echo 'void f9(void); int main(void) { f9(); return 0; }' >"$TMP/main.c"
gcc -o "$TMP/program" "$TMP/main.c" -L"$TMP/chain" -lf9 -Wl,-rpath,"$TMP/chain"
rm -rf "$TMP/capture"
LD_PRELOAD=$lib BINLOG_DIR=$TMP/capture "$TMP/program" >/dev/null
if BINLOG_CACHE='' strace -f -o "$TMP/trace" -e trace=clone,clone3 "$show" -q --stats "$TMP/capture" >"$TMP/stats" 2>/dev/null; then
	awk '/clone3?\(.*= [0-9]+$|clone3? resumed.*= [0-9]+$/ { now++; all++ } /\+\+\+ / { now-- } now > most { most = now }
		END { print all, most }' "$TMP/trace" >"$TMP/counted"
	read -r all most <"$TMP/counted"
	[ "$all" -ge 11 ] && [ "$most" -le 8 ]
	verdict $? "of $all processes that read programs no more than 8 are there at a time" "$most"
	same "the statement is found all the same" 1 "$(grep -c '"link %d of a chain"' "$TMP/stats")"
else
	skip "the number of processes: there is no strace that works here"
fi
finish
