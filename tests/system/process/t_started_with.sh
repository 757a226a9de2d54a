#!/bin/bash
# What a process was started with: its arguments, where, on which host, and the variables that matter. The oracle is what
# was given to it, and a shell, which has to read the line as the same words.
. tests/support/lib.sh
. tests/packed/common.sh
cat >"$TMP/says.c" <<'C'
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	printf("%d words\n", argc);
	fflush(stdout);
	if (argc == 2 && argv[1][0] == 'f' && fork() == 0) {
		printf("child\n");
		return 0;
	}
	wait(NULL);
	return 0;
}
C
gcc -O1 -w -o "$TMP/says" "$TMP/says.c" || exit 1
rows() { "$show" -q --processes "$@"; }
of() { sed -n "s/.*\(says.*\)/\1/p" | head -n 1; }
# A line of words, as the shell reads them: one a line, newlines as \n.
words() { (eval "set -- $(sed "s/\\\\n/'\$'\\\\n''/g")" && for word; do echo "$word"; done); }

given=(plain 'two words' "it's" '' '$HOME `x` \' '*' "a;b|c" 'ü')
LANG=C.UTF-8 TZ=Asia/Tokyo SECRET_TOKEN=hunter2 LC_TIME=C recorded "$TMP/run" "$TMP/says" "${given[@]}"
rows "$TMP/run/capture" >"$TMP/rows"
same "the words of argv, as a shell takes them" "$(printf '%s\n' says "${given[@]}")" "$(of <"$TMP/rows" | words)"
line=$(sed -n '3s/^ *//p' "$TMP/rows")
same "where, on which host" "$TMP/says in $TMP/run/files on $(uname -n) with" "$(cut -d ' ' -f 1-6 <<<"$line")"
for variable in LANG=C.UTF-8 TZ=Asia/Tokyo LC_TIME=C "LD_PRELOAD=$lib" "BINLOG_DIR=$TMP/run/capture"; do
	same "with ${variable%%=*}" 1 "$(grep -cF " $variable" <<<"$line")"
done
same "other variables are not recorded" 0 "$(cat "$TMP/run/capture"/* | grep -caE 'hunter2|BINLOG_RUN=')"
"$tool" -q -f -o "$TMP/log.blog" "$TMP/run/capture"
same "and so in a packed log" "$(cat "$TMP/rows")" "$(rows "$TMP/log.blog")"

recorded "$TMP/newline" "$TMP/says" "two
lines" $'\x1b[31m'
same "control characters are escaped" "says 'two\\x0alines' '\\x1b[31m'" "$(rows "$TMP/newline/capture" | of)"

recorded "$TMP/family" sh -c "'$TMP/says' a; cd /; TZ=Asia/Tokyo '$TMP/says' b; '$TMP/says' fork"
rows "$TMP/family/capture" >"$TMP/rows"
same "what is as before is not said again" "in / with TZ=Asia/Tokyo" "$(grep -A 1 'says b' "$TMP/rows" | sed -n '2s/^ *//p')"
same "a forked child has what its parent has" "\_ says" "$(grep -A 9 'says fork' "$TMP/rows" | tail -n 1 | grep -o '\\_.*')"

# ---- more than has room ----
long=$(head -c 7000 /dev/zero | tr '\0' x)
recorded "$TMP/long" "$TMP/says" "$long"
same "a long word is there" 1 "$(rows "$TMP/long/capture" | grep -cw "$long")"
recorded "$TMP/longer" "$TMP/says" "$long" "$long" last
same "what has no room is cut, and the message is right" "4 words" "$(cat "$TMP/longer/stdout")"
same "and nothing is damaged" 0 "$("$show" --processes "$TMP/longer/capture" 2>&1 >"$TMP/rows" | grep -cv captured)"
recorded "$TMP/none" perl -e 'exec { $ARGV[0] } ""' "$TMP/says"
same "an empty name" "1 words" "$(cat "$TMP/none/stdout")"

# ---- a library whose constructor comes before ours, and prints ----
echo '#include <stdio.h>
__attribute__((constructor)) static void first(void) { fprintf(stderr, "early\n"); }' |
	gcc -w -shared -fPIC -x c -o "$TMP/libearly.so" - || exit 1
gcc -O1 -w -o "$TMP/says" "$TMP/says.c" -Wl,--no-as-needed -L"$TMP" -learly -Wl,-rpath,"$TMP" || exit 1
recorded "$TMP/early" "$TMP/says" "${given[@]}"
same "a constructor has called us before there was ours: the words of argv are there all the same" \
	"$(printf '%s\n' says "${given[@]}")" "$(rows "$TMP/early/capture" | of | words)"
if strace -o /dev/null true 2>/dev/null; then
	BINLOG_DIR=$TMP/early/capture strace -o "$TMP/trace" -E "LD_PRELOAD=$lib" "$TMP/says" >/dev/null 2>&1
	same "and nothing has to be asked of /proc for it" 0 "$(grep -c '/proc/self/\(auxv\|environ\)' "$TMP/trace")"
else
	skip "what is asked of /proc: there is no strace"
fi
finish
