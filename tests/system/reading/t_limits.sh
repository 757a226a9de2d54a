#!/bin/bash
# Each limit that can be set: beyond it is what base/limits.def says, with the name of the switch; not below it.
. tests/support/lib.sh
. tests/packed/common.sh
export XDG_CACHE_HOME=$TMP/cache

cat >"$TMP/limits.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	static char text[100000];

	memset(text, 'x', sizeof(text) - 1);
	printf("first %30d\n", 1);
	printf("second %f %f\n", 1e300, 1e300);
	printf("%s\n", text);
	printf("short %s\n", "text");
	for (int i = 0; i < 5; i++)
		printf("line %d\n", i);
	fprintf(stderr, "begun, ");
	printf("begun as well, ");
	if (fork() == 0)
		exit(0);
	wait(NULL);
	printf("ended\n");
	fprintf(stderr, "ended, too\n");
	FILE *far = fopen("far", "w");
	fprintf(far, "here");
	fseek(far, 100000, SEEK_SET);
	fprintf(far, "there");
	fclose(far);
	return 0;
}
END
$CC -g -O1 -w -o "$TMP/limits" "$TMP/limits.c" || exit 1
recorded "$TMP/run" "$TMP/limits"
capture=$TMP/run/capture
"$tool" -q -o "$TMP/log.blog" "$capture"
"$show" -q --output=heph --to="$TMP/trace.heph" "$capture"
BINLOG_STREAMS="file:*far=replace" recorded "$TMP/far" "$TMP/limits"
recorded "$TMP/other" "$TMP/limits"
"$show" -q --output=heph --to="$TMP/two.heph" "$capture" "$TMP/other/capture"

seen() { # NAME: what limits.def says is seen
	awk -F'"' -v name="$1" '/^LIMIT\(/ && $2 == name { print $(NF - 1) }' base/limits.def
}
tested=
limit() { # NAME VALUE ARGUMENT...: of binlog-show; told beyond VALUE, not otherwise, and not without limits
	local name=$1 said
	tested+="$name "
	said=$(seen "$name")
	"$show" "--limit=$name=$2" "${@:3}" >"$TMP/got" 2>&1
	grep -qaF -- "$said" "$TMP/got"
	verdict $? "$name: beyond $2 it says: $said" "$(cut -c 1-300 "$TMP/got")"
	case $said in
	--) ;;
	*) grep -aF -- "$said" "$TMP/got" | grep -qE -- "--limit=($name|[a-z-]+=N.*\b$name\b)|--limit=$name=N" ;;
	esac
	verdict $? "$name: and names the switch" "$(cut -c 1-300 "$TMP/got")"
	for how in --quiet --no-limits; do
		"$show" "$how" "${@:3}" >"$TMP/got" 2>&1
		! grep -qaF -- "$said" "$TMP/got"
		verdict $? "$name: not otherwise ($how)" "$(cut -c 1-300 "$TMP/got")"
	done
}
# Of those that nothing raises, unit_program exceeds ancestors, unit_stdio_model stdio-buffer, unit_pack packed-stack and
# packed-ancestors.
elsewhere() { # NAME TEST: which exceeds it, where there is what it takes
	tested+="$1 "
	grep -qE -- "(--limit=|named |beyond |unless_set )$1[= ]|for name in .*$1[ ;]" tests/system/*/"$2.sh"
	verdict $? "$1: exceeded in $2"
}
limit messages 3 "$capture"
limit padding 10 "$capture"
limit digits 300 "$capture"
limit call-text 10 --output=json "$TMP/run/capture"
limit open-lines 1 "$capture"
limit open-line-bytes 4 "$capture"
limit around-bytes 1 --context=4 --around='first|ended' "$capture"
limit modules 1 "$capture"
limit definitions 100 "$TMP/log.blog"
limit contexts 0 "$TMP/log.blog"
limit mapped-names 1 "$TMP/log.blog"
limit forks 0 --raw --as-written "$capture"
limit fork-bytes 1 --raw --as-written "$capture"
limit heph-packet 1000 "$TMP/trace.heph"
# A trace on standard input whose epoch is behind two events.
python3 - "$here/support" >"$TMP/late.heph" <<'P'
import sys
sys.path.insert(0, sys.argv[1])
import heph_packets as heph
sys.stdout.buffer.write(heph.event('A', start=1) + heph.event('B', start=2, counter=1) + heph.epoch(1610113734118010000))
P
tested+="heph-held "
"$show" --limit=heph-held=1 - <"$TMP/late.heph" >"$TMP/got" 2>&1
grep -qF "$(seen heph-held)" "$TMP/got"
verdict $? "heph-held: beyond 1 it says so" "$(cat "$TMP/got")"
"$show" - <"$TMP/late.heph" >"$TMP/got" 2>&1
! grep -qF "$(seen heph-held)" "$TMP/got"
verdict $? "heph-held: not otherwise" "$(cat "$TMP/got")"
printf 'Nov 24 16:30:01 text\n' >"$TMP/text.log"
limit text-line 10 --text="$TMP/text.log"
head -c 100000 /dev/zero | tr '\0' '\n' | gzip >"$TMP/newlines.log.gz"
limit unpacked 1 --text="$TMP/newlines.log.gz"
limit spans 1 --output=spans --spans='line %d => ended' "$capture"
limit span-bytes 1 --output=spans --spans='line %d => ended' "$capture"
limit span-stacks 1 --stacks --output=spans --spans='line %d => ended' --spans='first %30d => second %f' "$capture"
limit sites 1 --output=stats "$capture"
limit anomaly-numbers 1 --output=anomalies "$capture"
limit callers 0 --diff "$capture" "$capture"
limit roles 0 --diff "$capture" "$capture"
limit role-messages 1 --diff "$capture" "$capture"
limit stacks 1 --output=folded "$capture"
limit stack-bytes 1 --output=folded "$capture"
limit tracks 1 --output=chrome "$capture"
limit ctf-classes 1 --output=ctf --to="$TMP/ctf" "$capture"
limit heph-streams 0 "$TMP/trace.heph"
limit heph-processes 0 "$TMP/trace.heph"
limit heph-names 1 "$TMP/two.heph"
limit heph-places 1 "$TMP/trace.heph"
limit heph-place-bytes 1 "$TMP/trace.heph"
limit heph-threads 0 --output=heph --to="$TMP/again.heph" "$capture"
limit written-files 1 --raw --as-written "$capture"
limit holes 1000 --raw --as-written "$TMP/far/capture"
limit source-bytes 10 --source "$capture"
limit source-columns 5 --source "$capture"
limit html-value 3 --output=html --where='arg1 == "text"' "$capture"
limit html-values 1 --output=html --where='arg2 > 0' "$capture"
limit html-text 3 --output=html --where='arg2 > 0' "$capture"
limit html-captures 0 --output=html --where='arg2 > 0' "$capture"
"$show" --limit=source-columns=5 --source "$capture" >"$TMP/got" 2>&1
same "what is shown shorter than it is does not count for the status" 0 $?
elsewhere ctf-files t_export_ctf
elsewhere jit-map t_symbol_names
for name in file sections read-times unpacked unpacked-times minidebuginfo xz tail-entries tail-calls \
	shared-times overlaps lookups rounds deaths; do
	elsewhere symbol-$name t_symbol_limits
done
python3 - "$packed" "$TMP/two.blog" <<'P' || exit 1
import sys
sys.path.insert(0, sys.argv[1])
from costly_logs import definitions, end, one
with open(sys.argv[2], "wb") as file:
    file.write(b"".join((definitions(1), definitions(2), one(0, 1), one(0, 2), end(1, 1), end(1, 2))))
P
limit logs 1 "$TMP/two.blog"
rm -rf "$XDG_CACHE_HOME"
limit symbol-memory 1 --stacks "$capture"
tested+="symbol-seconds "
slow() { # ARGUMENT...: of binlog-symbolize, which asks a process that waits for two seconds
	strace -f -o "$TMP/trace" -e inject=pread64:delay_enter=2000000:when=1 "$BUILD/binlog-symbolize" "$@" <<<"$TMP/limits+0x1139" 2>&1
}
rm -rf "$XDG_CACHE_HOME"
slow --no-limits >"$TMP/got"
! grep -qF "$(seen symbol-seconds)" "$TMP/got"
verdict $? "symbol-seconds: not without limits" "$(cat "$TMP/got")"
rm -rf "$XDG_CACHE_HOME"
slow --limit=symbol-seconds=1 >"$TMP/got"
grep -qF "reading it takes more than 1 $(seen symbol-seconds)" "$TMP/got"
verdict $? "symbol-seconds: beyond 1 it says so, with the switch" "$(cat "$TMP/got")"
tested+=tables
"$show" -q --limit=tables=1 --output=csv --to="$TMP/few" "$capture"
"$show" -q --output=csv --to="$TMP/all" "$capture"
[ -s "$TMP/few/rest.csv" ] && [ ! -e "$TMP/all/rest.csv" ]
verdict $? "tables: beyond 1 there is a rest.csv, not otherwise" "$(ls "$TMP/few" "$TMP/all")"
same "that is all that can be set" "$(sed -n 's/^LIMIT([^"]*"\([^"]*\)".*/\1/p' base/limits.def | sort)" "$(tr ' ' '\n' <<<"$tested" | sort)"
same "what --limit=help says is what was set" "padding 2048" "$("$show" --limit=padding=2K --limit=help | awk '$1 == "padding" { print $1, $2 }')"
same "no such limit" "binlog-show: --limit=x=1: no limit that can be set: give NAME=N with a name of --limit=help" "$("$show" --limit=x=1 2>&1)"
same "no such number" "binlog-show: --limit=padding=much: not a number: give digits, and K, M or G behind them" "$("$show" --limit=padding=much 2>&1)"
"$tool" -q -f --limit=modules=1 -o "$TMP/less.blog" "$capture" >"$TMP/got" 2>&1
grep -qF -- "--limit=modules=N" "$TMP/got"
verdict $? "binlog-pack has limits, too" "$(cat "$TMP/got")"

# What a log that is continued remembers of its captures: one byte more than is written, and as many.
python3 - "$packed" "$TMP" <<'P' || exit 1
import sys
sys.path.insert(0, sys.argv[1])
from costly_logs import frame
for name, more in ("fits", 0), ("longer", 1):
    with open(f"{sys.argv[2]}/{name}.blog", "wb") as file:
        file.write(frame("POSITION", MORE=1) + frame("CONTROL", NONCE=1, BYTES=(1 << 20) + more, RECORDS=b"x") + frame("POSITION", WRITERS=[]))
P
for name in fits longer; do
	"$tool" --follow "$capture" -o "$TMP/$name.blog" >"$TMP/got" 2>&1
	same "control: $name" "$([ $name = fits ] || echo 1)" \
		"$(grep -oF 'what a log keeps of a capture that grows is too long: more than 1048576 bytes' "$TMP/got" | sed 's/.*/1/')"
done

# ---- those that nothing raises ----
mkdir "$TMP/lies"
python3 "$here/bombs/logs.py" "$TMP/lies" || exit 1
fixed() { # NAME ARGUMENT...: what is seen beyond it
	local said
	said=$(awk -F'"' -v name="$1" '/^FIXED_LIMIT\(/ && $2 == name { print $(NF - 1) }' base/limits.def)
	"$show" "${@:2}" >"$TMP/got" 2>&1
	grep -qaF -- "$said" "$TMP/got" && [ -n "$said" ]
	verdict $? "$1: beyond it says: $said" "$(cut -c 1-300 "$TMP/got")"
}
fixed nesting "$TMP/lies/deep_arrays.blog"
fixed objects "$TMP/lies/flat.blog"
fixed index-objects "$TMP/lies/index.blog"
fixed file-logs "$TMP/lies/logs.blog"
cat >"$TMP/deep.c" <<'END'
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>
__attribute__((noinline)) static void below(int level)
{
	if (level > 0)
		below(level - 1);
	else
		printf("begin %s\n", getenv("LONG"));
	__asm__ volatile("");
}
#define INLINE static inline __attribute__((always_inline)) void
#define IN(number, outer) INLINE inlined##outer(void) { inlined##number(); }
INLINE inlined0(void) { printf("inlined\n"); }
IN(0, 1) IN(1, 2) IN(2, 3) IN(3, 4) IN(4, 5) IN(5, 6) IN(6, 7) IN(7, 8) IN(8, 9)
IN(9, 10) IN(10, 11) IN(11, 12) IN(12, 13) IN(13, 14) IN(14, 15) IN(15, 16) IN(16, 17)
static void fork_on(int level)
{
	printf("level %d\n", level);
	fflush(stdout);
	if (level > 0 && fork() == 0) {
		fork_on(level - 1);
		_exit(0);
	}
	wait(NULL);
}
int main(int argc, char **argv)
{
	static wchar_t wide[5001];

	setlocale(LC_ALL, "C.UTF-8");
	wmemset(wide, 'x', 5000);
	printf("wide %ls\n", wide);
	for (int i = 0; i < 70; i++)
		printf("open %d\n", 1);
	fflush(stdout);
	if (fork() == 0) {
		printf("close %d\n", 1);
		exit(0);
	}
	wait(NULL);
	inlined17();
	below(0);
	for (int i = 0; i < 70; i++)
		printf("part ");
	for (int i = 0; i < 70; i++) {
		static const char *const parts[] = {"a %d ", "b %d "};
		printf(parts[i % 2], i);
	}
	printf("\n");
	fork_on(70);
	return 0;
}
END
$CC -g -O0 -w -o "$TMP/deep" "$TMP/deep.c" || exit 1
printf '[rules]\nfile nowhere.c category none\n' >"$TMP/rules"
LONG=$(printf 'x%.0s' {1..5000}) BINLOG_CONFIG=$TMP/rules recorded "$TMP/deeper" "$TMP/deep"
deep=$TMP/deeper/capture
fixed span-key --output=spans --spans='begin %s => part  by begin' "$deep"
fixed span-text --output=spans --spans='begin %s => part' "$deep"
fixed branches --output=processes "$deep"
fixed html-sites --output=html "$deep"
fixed span-keys --output=spans --spans='open %d => close %d by arg1' "$deep"
fixed wide-text --where='arg1 ~ "x"' "$deep"
fixed ruled-inlined --columns=category,location,message "$deep"
mkdir "$TMP/ruled"
for i in {1..65}; do
	cp "$deep"/deep-*.binlog "$TMP/ruled/$i.binlog"
done
fixed ruled-captures --columns=category,message "$TMP/ruled"
fixed parentheses --where="$(printf '(%.0s' {1..65})arg1 > 0$(printf ')%.0s' {1..65})" "$capture"
head -c 1100000 /dev/zero | tr '\0' '#' >"$TMP/long.conf"
fixed config-bytes --config="$TMP/long.conf" "$capture"
mkdir "$TMP/beyond"
python3 "$packed/beyond_limits.py" "$TMP/beyond" || exit 1
beyond() { # NAME ARGUMENT...: of the log of this name
	fixed "$@" "$TMP/beyond/$1.blog"
}
beyond stack-names --output=folded
for style in msgpack perfetto; do
	fixed export-stack --stacks --output=$style "$TMP/beyond/stack-names.blog"
done
beyond address-names --stacks
beyond format-files
beyond generations --output=processes
beyond html-frames --stacks --output=html
beyond html-numbers --output=html
TZ=$TMP/beyond/zone beyond html-zones --output=html
finish
