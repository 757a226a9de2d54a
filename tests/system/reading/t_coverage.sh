#!/bin/bash
# --coverage: which statements have made messages and which never did, as gcov counts them when the same source is built
# for it; of a program, a library and a header that both include; and for genhtml.
. tests/support/lib.sh

mkdir "$TMP/src" "$TMP/gcov"
cat >"$TMP/src/both.h" <<'END'
#include <stdio.h>
static inline void note(int x)
{
	if (x > 2)
		fprintf(stderr, "noted %d\n", x);
	else
		fprintf(stderr, "not noted\n");
}
END
cat >"$TMP/src/library.c" <<'END'
#include "both.h"
#include <syslog.h>
void library(int x)
{
	syslog(LOG_INFO, "library %d", x);
	if (x == 3)
		syslog(LOG_ERR, "library failed: %m");
	note(x);
	fflush(stdout);
}
END
cat >"$TMP/src/app.c" <<'END'
#include "both.h"
#include <string.h>
void library(int x);
static void __attribute__((noinline)) tail(int x)
{
	if (x & 1)
		printf("odd tail %d\n", x);
	else
		printf("even tail %d\n", x);
}
static void never(int x)
{
	printf("never %d\n", x);
	fprintf(stderr, "never \033[2J %s\n", "either");
}
int main(int argc, char **argv)
{
	puts("begin");
	for (int i = 0; i < 5; i++) {
		printf("i=%d\n", i);
		if (i + argc == 100)
			printf("i is %s\n", "seven");
	}
	for (int i = 1; i < argc; i++)
		library(i);
	if (argc > 20)
		never(argc);
	note(argc);
	tail(argc);
	if (argc > 10)
		fputs("many\n", stderr);
	return 0;
}
END
record() { # NAME ARGUMENT...
	BINLOG_DIR=$TMP/$1 LD_PRELOAD=$lib LD_LIBRARY_PATH=$TMP "$TMP/app" "${@:2}" >/dev/null 2>&1 || exit 1
}
make_app() { # OPTION...
	rm -rf "$TMP/one" "$TMP/two"
	$CC -g "$@" -w -shared -fPIC -o "$TMP/liblibrary.so" "$TMP/src/library.c" &&
		$CC -g "$@" -w -o "$TMP/app" "$TMP/src/app.c" -L"$TMP" -llibrary || exit 1
	record one a b
	record two
}
# What gcov says of the same source: "file:line count" of each line with a statement.  A function of the header stands
# there once for all, and then for each of the files that include it.
(
	cd "$TMP/gcov" || exit 1
	gcc --coverage -w -o app ../src/app.c ../src/library.c && ./app a b >/dev/null 2>&1 && ./app >/dev/null 2>&1 &&
		gcov -m ./*.gcda >/dev/null 2>&1
)
ls "$TMP"/gcov/*.gcov >/dev/null 2>&1 || { skip "coverage: there is no gcov"; finish; }
for file in app.c library.c both.h; do
	sed -n -E 's/^ *([0-9#]+)\*?: *([0-9]+):.*(printf|puts|syslog)\(.*/\2 \1/p' "$TMP/gcov/$file.gcov" |
		sed "s/#####/0/; s/^/$file:/"
done | awk '$2 + 0 >= n[$1] + 0 { n[$1] = $2 + 0 } END { for (line in n) print line, n[line] }' | sort >"$TMP/truth"
coverage() { "$show" -q "$@" "$TMP/one" "$TMP/two" 2>"$TMP/why"; }
lines() { awk -F '[:,]' '/^SF:/ { n = split($2, part, "/"); file = part[n] } /^DA:/ { print file ":" $2, $3 }' | sort; }
check() { # OPTION...: without tail calls, of which it may not be known
	make_app "$@"
	coverage --output=lcov >"$TMP/info"
	same "every statement has fired as often as gcov says: $*" "$(cat "$TMP/truth")" "$(lines <"$TMP/info")"
}
check -O0
check -O2 -fno-optimize-sibling-calls
same "its sums are those of its lines" "$(wc -l <"$TMP/truth") $(grep -vc ' 0$' "$TMP/truth")" \
	"$(awk -F : '/^LF/ { n += $2 } /^LH/ { f += $2 } END { print n, f }' "$TMP/info")"
same "there are some that have, and some that have not" "6 6" \
	"$(grep -vc ' 0$' "$TMP/truth") $(grep -c ' 0$' "$TMP/truth")"

# For people.
coverage --coverage >"$TMP/out"
sums() { # of the truth, by file
	awk '{ split($1, at, ":"); n[at[1]]++; n["all"]++; f[at[1]] += $2 > 0; f["all"] += $2 > 0 }
		END { for (file in n) printf "%d|%d|0|%.1f|%s\n", n[file], f[file], 100 * f[file] / n[file], file }' "$TMP/truth" |
		LC_ALL=C sort -t '|' -k 5
}
same "a line for each file, and one for all" "$(sums)" \
	"$(sed -n '2,/^$/p' "$TMP/out" | grep . | sed -E 's/ +/|/g; s/^\|//; s/\|[^|]*\/([^|]*)$/|\1/' | LC_ALL=C sort -t '|' -k 5)"
same "those that never did, with line, function and format" "$(sed -n 's/ 0$//p' "$TMP/truth")" \
	"$(sed -n '/^never:/,$p' "$TMP/out" | sed -n -E 's/^[^ ]*\/([^/ ]*:[0-9]+): [a-z]+: [a-z_]+ ".*/\1/p' | sort)"
same "as they stand in the source" 'never: fprintf "never \x1b[2J %s\n"' \
	"$(sed -n 's/.*: \(never: fprintf\)/\1/p' "$TMP/out")"
same "of one library alone" "library.c" "$(coverage --coverage --module 'liblib*' | awk '/[.]c:/ { print $1 }' |
	sed 's/.*\/\([^:]*\):.*/\1/' | sort -u)"
same "a library that was on no stack is not known" "all app.c both.h" \
	"$("$show" -q --coverage "$TMP/two" | sed -n '2,/^$/p' | awk '{ sub(/.*\//, "", $NF); print $NF }' | sort | paste -sd ' ' | sed 's/^ //')"
same "of some of its messages" "1" "$(coverage --coverage --format 'begin' | awk '/ all$/ { print $2 }')"
"$BUILD/binlog-pack" "$TMP/one" "$TMP/two" -o "$TMP/log.blog" >/dev/null 2>&1
same_file "packed, the same" "$TMP/out" <("$show" -q --coverage "$TMP/log.blog" 2>&1)
same "as the index of the program" "$("$show" -q --index "$TMP/app" "$TMP/one" "$TMP/two" | awk '{ print $1 }' | sort -n | paste -sd ' ')" \
	"$(coverage --output=lcov --module app | sed -n 's/^DA:.*,//p' | sort -n | paste -sd ' ')"

# Jumps at the end of functions leave no return address.
make_app -O2
coverage --output=lcov >"$TMP/info"
same "what is called by a jump has not fired less than gcov says, or it is said not to be known" "" \
	"$(join <(lines <"$TMP/info") "$TMP/truth" | awk '$2 != $3')"
odd=app.c:$(grep -n 'odd tail' "$TMP/src/app.c" | cut -d : -f 1)
same "one that was made is found by its place" "$(grep "^$odd " "$TMP/truth")" "$(lines <"$TMP/info" | grep "^$odd ")"

# Without names.
make_app -O0
strip "$TMP/app" "$TMP/liblibrary.so"
record one a b
coverage --coverage >"$TMP/nameless"
same "stripped: the same numbers, by program and library" \
	"$(awk '/^(app|both)/ { n++; f += $2 > 0 } END { print n, f }' "$TMP/truth")" \
	"$(awk '$NF == "app" { print $1, $2 }' "$TMP/nameless")"
same "and the addresses of those that never did" 0 "$(sed -n '/^never/,$p' "$TMP/nameless" | sed 1d |
	grep -vcE '^(app|liblibrary.so)\+0x[0-9a-f]+: [^ ]+: [a-z_]+ "')"

# Another file than was recorded says nothing.
make_app -O0
cp "$TMP/liblibrary.so" "$TMP/keep"
$CC -g -O1 -w -DOTHER -shared -fPIC -o "$TMP/liblibrary.so" "$TMP/src/library.c"
coverage --coverage >"$TMP/out"
same "of a library that is another now nothing is said, but that" "1 0 1" \
	"$? $(grep -c library.c "$TMP/out") $(grep -c 'liblibrary.so:0: its statements are not known' "$TMP/why")"
cp "$TMP/keep" "$TMP/liblibrary.so"

# genhtml reads it.
if command -v genhtml >/dev/null; then
	coverage --output=lcov >"$TMP/info"
	genhtml -o "$TMP/html" "$TMP/info" >"$TMP/genhtml" 2>&1
	same "genhtml shows the same number of lines" "$(grep -vc ' 0$' "$TMP/truth") of $(wc -l <"$TMP/truth")" \
		"$(sed -n 's/.*lines.*(\([0-9]* of [0-9]*\) lines).*/\1/p' "$TMP/genhtml")"
else
	skip "genhtml: lcov is not installed"
fi
finish
