#!/bin/bash
# --text with --exe: which statement of a stripped program has made each line of a log that nobody recorded
# (decoder/statements/statement_index.h). The oracle is the source (tests/victims/handed_statements.c), as in t_statements.
. tests/support/lib.sh
export TZ=UTC
source=$here/victims/handed_statements.c

# how|format|arguments of the source: of the marked lines.  Of a text alone nothing is sure, and one without words of its own
# may be anything.
awk '
match($0, /\/\*[!?2fb-] .*\*\/$|\/\*[!?2fb-] \*\/$/) {
	mark = substr($0, RSTART + 2, 1)
	values = substr($0, RSTART + 4, RLENGTH - 6)
	sub(/ +$/, "", values)
	code = substr($0, 1, RSTART - 1)
	sub(/" \[preauth\]", /, "", code)
	if (mark == "2") sub(/^[^?]*\? "[^"]*" : /, "", code)
	match(code, /"(\\.|[^"\\])*"/)
	format = substr(code, RSTART + 1, RLENGTH - 2)
	gsub(/\\"/, "\"", format)
	bare = format
	gsub(/%[-.*#0-9]*[a-zA-Z%]/, "", bare)
	# a text alone tells neither that more was put behind it, nor that the call puts it in brackets: an argument does
	none = mark ~ /[b-]/ || code ~ /(in_brackets|by_jump)\(/ || bare !~ /[a-z][a-z][a-z]/
	print (none ? "none||" : "likely|" format "|" values)
}' "$source" | sort >"$TMP/wanted"
[ "$(grep -c '^likely' "$TMP/wanted")" -ge 18 ] || not_ok "the source has no marked lines"

found() { # OPTION...
	"$show" -q -o json "$@" | python3 -c '
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    how = m.get("statement", "none")
    values = [str(round(a["value"], 2) if a["type"] == "float" else a["value"]).strip() for a in m["args"]] if how != "none" else []
    print(how, json.dumps(m["format"])[1:-1].replace("\\\"", "\"") if how != "none" else "", " ".join(values), sep="|")' |
		sort
}
check() { # TITLE COMPILER...
	"${@:2}" -std=gnu11 -D_GNU_SOURCE -w -o "$TMP/program" "$source" || exit 1
	strip "$TMP/program"
	"$TMP/program" 2>"$TMP/log"
	found --text="$TMP/log" --exe="$TMP/program" >"$TMP/found"
	same_file "$1: statements and arguments are those of the source" "$TMP/wanted" "$TMP/found"
	"$show" -q --raw --statements=always --text="$TMP/log" --exe="$TMP/program" >"$TMP/raw"
	same_file "$1: the text is the same to the byte" "$TMP/log" "$TMP/raw"
}
for level in 0 2 s; do
	check "gcc -O$level" gcc -O$level
done
check "gcc -O2 -no-pie" gcc -O2 -no-pie -fno-pie
gcc -std=gnu11 -D_GNU_SOURCE -O2 -w -shared -fPIC -Dmain=run -o "$TMP/libsays.so" "$source"
echo 'int run(int, char **); int main(int n, char **v) { return run(n, v); }' >"$TMP/main.c"
gcc -o "$TMP/program" "$TMP/main.c" -L"$TMP" -lsays -Wl,-rpath,"$TMP"
strip "$TMP/libsays.so"
same "statements of a library, beside the program" "$(cat "$TMP/wanted")" \
	"$(found --text="$TMP/log" --exe="$TMP/program" --exe="$TMP/libsays.so")"

# ---- where they are ----
gcc -std=gnu11 -D_GNU_SOURCE -w -O2 -g -o "$TMP/program" "$source" || exit 1
text() { "$show" -q --text="$TMP/log" --exe="$TMP/program" "$@"; }
same "the place is that of the statement" \
	"$(grep -n '/\*[!?2f] .*\*/$\|/\*[!?2f] \*/$' "$source" | grep -v '%-8s\|in_brackets\|by_jump("nobody' | cut -d: -f1 | sort -n | uniq)" \
	"$(text -o json --location | python3 -c '
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if "statement" in m:
        print(m["line"])' | sort -n | uniq)"
same "a function, without lines" "by_pointer" "$(text --grep='by a pointer' --columns=caller)"

# ---- as a user asks ----
same "--stats tells statements apart" "1 1 1" "$(text --stats |
	awk '/"Accepted %s:%d"/ { a++ } /"epoll timer: %M"/ { b++ } /"failed: %m"/ { c++ } END { print a, b, c }')"
same "--where knows their arguments" 'connection from ::1 port 22' "$(text --raw --where 'port == 22' |
	tr -d '\r' | sed 's/^[a-z]*: //')"
same "--values: numbers" "60000" "$(text --values=timer | grep -o '\<60000\>' | sort -u)"
same "--format chooses by the statement" 1 "$(text --raw --format='user %s is*' | wc -l)"
same "spans between statements" 1 "$(text --spans 'Accepted %s:%d => exiting' 2>/dev/null | grep -c Accepted)"
same "--priority knows the level that is put before a statement" 1 "$(text --raw -p notice..notice | grep -c ' \* ready')"
same "--statements=never: lines have none" 0 "$(text --statements=never -o json | grep -c '"statement"')"
same "without --exe there are none" 0 "$("$show" -q --statements=always -o json --text="$TMP/log" | grep -c '"statement"')"

same "which is said where they are asked for" "--text: statements are not known: no program is named: give it with --exe" \
	"$("$show" --stats --text="$TMP/log" 2>&1 >/dev/null | grep -v captured)"
same "and else not" "" "$("$show" --text="$TMP/log" 2>&1 >/dev/null | grep -v captured)"

# ---- which of several ----
cat >"$TMP/twice.c" <<'C'
#include <stdio.h>
__attribute__((noipa)) void one(int n) { printf("opened by %d\n", n); puts(""); }
__attribute__((noipa)) void two(int n) { printf("opened by %d\n", n); puts(""); }
__attribute__((noipa)) void three(const char *s) { printf("%s was opened\n", s); puts(""); }
__attribute__((noipa)) void four(const char *s) { printf("dor %sopened\n", s); puts(""); }
__attribute__((noipa)) void five(int n) { printf("twice[%d]: ", n); puts(""); }
int main(int n, char **v) { one(n); two(n); three(*v); four(*v); five(n); return 0; }
C
gcc -O2 -o "$TMP/twice" "$TMP/twice.c" || exit 1
printf 'opened by 3\ndor was opened\nNov 24 16:30:01 host twice[12]: opened by 4\nopened by them\nprefix opened by 3\ntwice[12]: said\n' >"$TMP/twice.log"
same "that a text may be of several is said; the most literal one is taken" 'one of several "opened by %d\n"
one of several "%s was opened\n"
one of several "opened by %d\n"' "$("$show" -q --text="$TMP/twice.log" --exe="$TMP/twice" --columns=statement,format |
	sed 's/ *$//' | grep -v '^-')"
same "what is put before texts is no statement of them, nor is one behind a text of which nothing is known" 3 \
	"$("$show" -q --text="$TMP/twice.log" --exe="$TMP/twice" --columns=statement | grep -c '^-')"

# ---- recorded, but said by another process ----
cat >"$TMP/passes.c" <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>
__attribute__((noipa)) void says(int to, const char *name)
{
	char text[100];
	size_t length = (size_t)sprintf(text, "receiver: found %s in %d places\n", name, 3);

	for (size_t i = 0; i < length; i++) /* in a way that nobody records */
		syscall(1, to, text + i, 1L);
}
__attribute__((noipa)) void passes_on(int from)
{
	char text[100];
	ssize_t length, all = 0;

	while ((length = read(from, text + all, sizeof(text) - (size_t)all)) > 0)
		all += length;
	write(1, text, (size_t)all);
	__asm__("");
}
int main(void)
{
	int ends[2];

	if (pipe(ends) || fork() == 0) {
		says(ends[1], "it");
		_exit(0);
	}
	close(ends[1]);
	passes_on(ends[0]);
	wait(NULL);
	return 0;
}
C
gcc -O2 -g -w -o "$TMP/passes" "$TMP/passes.c" || exit 1
recorded "$TMP/passed" "$TMP/passes"
passed() { "$show" -q --columns=statement,caller,format "$TMP/passed/capture" "$@" | grep -v 'end:\|^statement' | sed 's/  */ /g'; }
same "who passes a text on has no statement" "" "$(passed | grep places)"
same "with --statements=always it may be any of the program" 'likely says "receiver: found %s in %d places\n"' \
	"$(passed --statements=always | grep places)"
"$show" -q --raw --statements=always "$TMP/passed/capture" >"$TMP/raw"
same "and the text stays the same" "receiver: found it in 3 places" "$(cat "$TMP/raw")"
same "the stack is that of who passes it on, and where the statement is" "passes_on says not on this stack" \
	"$("$show" -q --stacks --statements=always "$TMP/passed/capture" | grep -o 'passes_on\|says\|not on this stack' | xargs)"
same "which is no frame of the stack for a program that reads it" 'says' \
	"$("$show" -q --stacks --statements=always -o json "$TMP/passed/capture" | grep places |
		jq -r '[.stack[] | select(.on_stack == false) | .function] | join(" ")')"
same "nor one of a flame graph" "passes;main;passes_on" \
	"$("$show" -q --statements=always -o folded "$TMP/passed/capture" | grep places | sed 's/.*\(passes;\)/\1/; s/;_start\|;__libc[a-z_]*//g; s/\(passes_on\).*/\1/')"

# ---- programs that are not there ----
complains() { # SENTENCE WANTED OPTION...
	"$show" -q "${@:3}" --stats >"$TMP/out" 2>"$TMP/said"
	verdict "$(grep -q "$2" "$TMP/said"; echo $?)" "$1" "$(cat "$TMP/said")"
	verdict "$([ -s "$TMP/out" ]; echo $?)" "$1: lines are shown all the same"
}
complains "a program that is not there is named" 'none: ' --text="$TMP/log" --exe="$TMP/none"
complains "so is one that is none" 'twice.c: ' --text="$TMP/log" --exe="$TMP/twice.c"
complains "and one that is a directory" "$TMP: " --text="$TMP/log" --exe="$TMP"
finish
