#!/bin/bash
# Tables and lists of binlog-show on terminals of 60, 80 and 120 columns, with colours and without: nothing is wider than
# the terminal, and what is looked for most is there.  Columns are those of libc.
. tests/support/lib.sh
cd "$TMP" || exit 1
unset NO_COLOR PAGER LESS COLUMNS
export TZ=UTC LC_ALL=C.UTF-8 BINLOG_CACHE=$TMP/cache BINLOG_PAGER=
escape=$'\033'

cat >talk.c <<'C'
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <syslog.h>

int main(int argc, char **argv)
{
	for (int i = 0; i < 40; i++) {
		printf("begin %d\n", i);
		printf("done %d of 40, with words enough that eighty columns do not hold them all, and a number: size=%d\n", i, i * i);
	}
	printf("日本語のテキストはとても長いので、八十桁の端末には収まりません。日本語のテキスト: %d\n", argc);
	fprintf(stderr, "WARNING: little is left\n");
	syslog(LOG_ERR, "all is lost, which nobody has said before, and nobody will say again as long as this program goes: %d", argc);
	for (int i = 0; i < argc * 30; i++)
		printf("an argument that there is, said as often as there are arguments to be talked about, and more: %d\n", i);
	if (argc > 4)
		printf("a statement that is new in a run with so many arguments, and long enough to be cut: %d\n", argc);
	printf("two\nlines\n");
	return 0;
}
C
$CC -g -O0 -w -o talk talk.c || exit 1
words='a command line of many words that does not fit into eighty columns, nor into so many as there are on a wider one'
# shellcheck disable=SC2086 # words of it
long=$(printf '/a/directory/%02d:' {1..30})
LD_PRELOAD=$lib BINLOG_DIR=before ./talk >/dev/null 2>err
# shellcheck disable=SC2086 # a list of words
LD_PRELOAD=$lib BINLOG_DIR=after PATH=$long$PATH ./talk $words "and two more" >/dev/null 2>err
on() { # COLUMNS COMMAND...: what is on such a terminal
	local columns=$1
	shift
	python3 "$here/support/on_terminal.py" "$columns" 24 -- "$@"
}
plain() { sed "s/$escape\[\(0\|1\|2\|1;3[13]\)m//g" "$@"; }
wider() { python3 "$here/support/screen_width.py" "$@"; }
today=$(date -u +%F)

# NAME | OPTIONS | what is there, extended regular expressions, each of one line at least
while IFS='|' read -r name options wanted; do
	eval "set -- $options"
	for columns in 60 80 120; do
		NO_COLOR=1 on "$columns" "$show" "$@" >seen
		same "$name, $columns columns: nothing is wider" "" "$(wider "$columns" <seen)"
		same "$name, $columns columns: nothing but text" "" "$(grep "$escape" seen)"
		same "$name, $columns columns: in colours the same" "$(cat seen)" "$(on "$columns" "$show" "$@" | plain)"
		while read -r line; do
			grep -qE -- "$line" seen || echo "$line"
		done <<<"${wanted// & /$'\n'}" >missing
		same "$name, $columns columns: what is looked for most is there" "" "$(cat missing)"
		[ "$(date -u +%F)" = "$today" ] || continue
		same "$name, $columns columns: times of today have no date" "" "$(grep "^[^-+ ].*$today" seen)"
	done
	same "$name: what a terminal cuts is whole in a file" "" "$("$show" "$@" | grep '…')"
done <<'TABLE'
-P|-q -P after|^ *PID +STARTED +RECORDED.* END +PROGRAM$ & ^ *[0-9]+ +[0-9:]{8} +[0-9]+ .*ended.* talk a .*…$ & ^    .*in /.* & PATH=/a/directory/01:.*…$
--anomalies|-q --anomalies after|^[0-9:]{8}\.[0-9]{6} err .* "all is lost.*…$ & ^    rare: said only once among
--spans|--spans='done %d of 40, with words enough that eighty columns do not hold them all, and a number: size=%d => begin %d' before|^[0-9:]{8}\.[0-9]{6} +0\.[0-9]{9} talk\[[0-9]+:[0-9]+\].*…$ & ^ *SPANS .*MAX .*SPANS OF$ & ^ +39 .*done %d of.*…$
--diff|-q --diff before after|^ +CALLS +THEN .*AT +FORMAT$ & ^appeared +0 +1 .*"a stat.*…$ & ^more +30 +[0-9]+ .*"an arg.*…$ & ^[-+] .*talk
--stats|-q --stats before|^MESSAGES .*AT +FORMAT$ & ^ +40 .*"begin %d.n"$ & "done %d of.*…$
--values|-q --values=size before|^MESSAGES .*FORMAT$ & ^ +40 
--histogram|-q --histogram=size before|^FROM +BELOW +MESSAGES +SHARE & ^ +0 .*###$
--per|-q --per=auto before|^FROM +MESSAGES & ###*$
--rates|-q --rates before|FORMAT$ & "done .*…$
TABLE

# ---- lines ----
# What was said is all there, however narrow the terminal is: a line that is longer goes on below.  What stands around it fits.
line_of() { grep -n "$1" talk.c | head -n 1 | cut -d : -f 1; }
begins=$(line_of 'begin %d') warns=$(line_of WARNING)
while IFS='|' read -r name options least wanted; do
	eval "set -- $options"
	for columns in 80 120; do
		NO_COLOR=1 on "$columns" "$show" -q "$@" >seen
		same "$name, $columns columns: nothing but text" "" "$(grep "$escape" seen)"
		same "$name, $columns columns: in colours the same" "$(cat seen)" "$(on "$columns" "$show" -q "$@" | plain)"
		same "$name, $columns columns: short lines fit" "" "$(grep -E 'begin|little|^    #|^    /' seen | wider "$columns")"
		[ "$(grep -cE 'begin|WARNING' seen)" -ge "$least" ]
		verdict $? "$name, $columns columns: all of what was said is there" "$(head -n 5 seen)"
		while read -r line; do
			grep -qE -- "$line" seen || echo "$line"
		done <<<"${wanted// & /$'\n'}" >missing
		same "$name, $columns columns: what is looked for most is there" "" "$(cat missing; head -n 3 missing | grep -q . && head -n 3 seen)"
	done
done <<TABLE
lines|before|41|^[0-9:]{8}\.[0-9]{6} talk\[[0-9]+\] stdout: begin 7  +(main )?talk\.c:$begins\$ & ^[0-9:.]+ talk\[[0-9]+\] stderr: WARNING: little is left  +(main )?talk\.c:$warns\$
-L|-L before|41|^[0-9:]{8}\.[0-9]{6} talk\[[0-9]+\] stdout: talk\.c:$begins: main: begin 7\$
--stacks|-S --stream=stderr,stdout before|41|^    #0 main at .*talk\.c:$begins\$ & ^    #1 to #[0-9]+: libc, starting the program\$
--where|--where='begin >= 7' before|33|^[0-9:]{8}\.[0-9]{6} talk\[[0-9]+\] stdout: begin 7  +(main )?talk\.c:$begins\$
-n|-n 3 --stream=stdout,stderr --grep='[bW][eA][gR]' before|3|^[0-9:]{8}\.[0-9]{6} talk\[[0-9]+\] stderr: WARNING: little is left  +(main )?talk\.c:$warns\$
TABLE
same "--where: and nothing else" 0 "$(NO_COLOR=1 on 120 "$show" -q --where='begin >= 7' before | grep -cvE 'begin ([7-9]|[1-3][0-9]) ')"

# ---- bars ----
"$show" -q --histogram=size before >file
bars() { # their lengths, a line each
	awk 'NR > 1 { print length($5) }' "$@"
}
counts() { awk 'NR > 1 { print $3 }' "$@"; }
same "in a file the longest bar has 50" 50 "$(bars file | sort -n | tail -n 1)"
for columns in 60 80 120; do
	on "$columns" "$show" -q --histogram=size before >seen
	same "--histogram, $columns columns: the longest bar ends where the terminal does" "$columns" "$(wider <seen)"
	same "--histogram, $columns columns: bars are as long as there are messages" "" "$(paste <(counts seen) <(bars seen) |
		awk '{ count[NR] = $1; bar[NR] = $2; most = $1 > most ? $1 : most; longest = $2 > longest ? $2 : longest }
			END { for (i in count) { off = bar[i] - count[i] / most * longest; if (off > 1 || off < -1) print count[i], bar[i] } }')"
	same "--histogram, $columns columns: the numbers are those of a file" "$(counts file)" "$(counts seen)"
done
same "a terminal that has no room for bars has the numbers" "$(counts file)" "$(on 20 "$show" -q --histogram=size before | awk 'NR > 1 { print $3 }')"

# ---- wide characters, and those that combine ----
cat >wide.c <<'C'
#include <stdio.h>
int main()
{
	printf("%s\n", "plain");
	printf("x\n");
	return 0;
}
C
for name in 日本語 é́́accents ascii; do
	$CC -g -O0 -w -o "$name" wide.c
	LD_PRELOAD=$lib BINLOG_DIR=wide "./$name" >/dev/null
done
for how in --stats --rates; do
	on 100 "$show" -q "$how" wide >seen
	same "$how: names of wide characters and accents leave all formats in one column" 1 \
		"$(grep '"' seen | sed 's/"[^"]*"$//' | while IFS= read -r line; do wider <<<"$line"; done | sort -u | wc -l)"
	same "$how: all three names are there" 3 "$(grep -c '"x"' seen)"
done

# ---- formats that are cut are marked in files, too ----
same "a format of more than 60 bytes ends in a mark behind the quotes" '"done %d of 40, with words enough that eighty columns do not "...' \
	"$("$show" -q --stats before | grep -o '"done.*')"
same "and is not cut within a character" 1 "$("$show" -q --stats before | grep -c '"日本語のテキストはとても長いので、八十桁"\.\.\.$')"
same "--rates: the same" 1 "$("$show" -q --rates before | grep -c '"done .* do not "\.\.\.$')"
same "--diff: the same" 1 "$("$show" -q --diff before after | grep -c '"a statement that is new in a run with so many arguments, and"\.\.\.$')"
same "--anomalies: the same" 1 "$("$show" -q --anomalies after | grep -c ' "all is lost, which nobody has said before, and nobody will s"\.\.\.$')"
same "a short one has none" 1 "$("$show" -q --stats before | grep -c '"begin %d.n"$')"

# ---- a terminal that can do nothing ----
if type less >/dev/null 2>&1; then
	unset BINLOG_PAGER
	for term in dumb ''; do
		python3 "$here/support/on_terminal.py" 80 10 -- env TERM=$term "$show" -q before >seen
		same "TERM=$term: no pager that asks for a key" "0 $("$show" -q before | grep -c begin)" \
			"$(grep -ciE 'fully functional|RETURN' seen) $(grep -c begin seen)"
	done
	python3 "$here/support/on_terminal.py" 80 10 -- env TERM=dumb BINLOG_PAGER='sed s/begin/BEGIN/' "$show" -q before >seen
	same "unless one is named" 40 "$(grep -c BEGIN seen)"
else
	skip "less: it is not there"
fi
finish
