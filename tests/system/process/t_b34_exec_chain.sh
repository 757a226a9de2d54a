#!/bin/bash
# B34: programs that execute programs: sh, env, then a program of ours; each has
# a capture, all belong to one run, and the chain can be seen.
. tests/support/lib.sh
$CC -w -o "$TMP/say" -x c - <<'C' || exit 1
#include <stdio.h>
int main(int argc, char **argv)
{
	printf("said by %s\n", argv[1]);
	return argc > 2;
}
C
script='echo first; (env A=1 "$0" second; echo third); exec env B=1 "$0" fourth and fails'
natively "$TMP/native" sh -c "$script" "$TMP/say"
recorded "$TMP/recorded" sh -c "$script" "$TMP/say"
why=$(differences "$TMP/native" "$TMP/recorded")
verdict ${#why} "B34: what a chain of programs says is all there, in order" "$why"
capture=$TMP/recorded/capture
same "B34: each program has a capture, named after it" "sh env env say say" \
	"$(ls "$capture" | sed 's/-.*//' | sort -f | awk '$0 == "sh" { first = $0; next } { rest = rest " " $0 } END { print first rest }')"
run() { od -A n -t x8 -j 24 -N 8 "$1"; } # binlog(5): the number of the run
same "B34: all belong to one run" 1 \
	"$(for file in "$capture"/*; do run "$file"; done | sort -u | wc -l)"
# PID, END and the name of the program, between tabs.
process_rows "$capture" | awk '
	NR == 1 { from = index($0, "END"); to = index($0, "PROGRAM"); next }
	{ end = substr($0, from, to - from); sub(/ +$/, "", end); program = substr($0, to); gsub(/[|\\_]/, " ", program)
	  split(program, words, " "); print $1 "\t" end "\t" words[1] }' >"$TMP/tree"
pids() { awk -F '\t' -v name="$1" '$3 == name { print $1 }' "$TMP/tree"; }
same "B34: the program that was executed last has the pid of the shell" \
	"$(pids sh | sort -n | head -n 1)" "$(pids say | sort -n | head -n 1)"
same "B34: the chain is linked: who has executed whom" "sh executed env
env executed say
say exit status 1" "$(awk -F '\t' -v pid="$(pids sh | sort -n | head -n 1)" '$1 == pid { print $3, $2 }' "$TMP/tree")"
# A program that takes the library out of its environment ends the chain, no more.
recorded "$TMP/recorded" sh -c 'echo first; env -i "$0" second; env A=1 "$0" third' "$TMP/say"
same "B34: a program without our variables writes by itself" "said by second" \
	"$(cat "$TMP/recorded/real.stdout")"
same "B34: and those around it are recorded" "first
said by third" "$(cat "$TMP/recorded/stdout")"
finish
