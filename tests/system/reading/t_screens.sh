#!/bin/bash
# binlog-show on a terminal: the same as in a file, but shorter: what it shows of 80 and of 120 columns, with colours and
# without.  What it prints into a pipe says what has to be there.
. tests/support/lib.sh
cd "$TMP" || exit 1
unset NO_COLOR PAGER LESS COLUMNS
export TZ=UTC LC_ALL=C BINLOG_CACHE=$TMP/cache BINLOG_PAGER=
escape=$'\033'

cat >talk.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <syslog.h>
#include <unistd.h>

static void tell(int i)
{
	printf("step %d of the long way that the program goes, with words enough that eighty columns do not hold them: %s\n", i,
		i == 3 ? "x" : "a longer text");
}

static void *other(void *nothing)
{
	printf("another thread says %p\n", nothing);
	return nothing;
}

int main()
{
	pthread_t thread;

	for (int i = 0; i < 6; i++)
		tell(i);
	fprintf(stderr, "WARNING: little is left\n");
	syslog(LOG_ERR, "all is lost");
	pthread_create(&thread, NULL, other, NULL);
	pthread_join(thread, NULL);
	printf("two\nlines\n");
	return 0;
}
C
$CC -g -O0 -w -pthread -o talk talk.c || exit 1
LD_PRELOAD=$lib BINLOG_DIR=capture ./talk >/dev/null 2>err
"$BUILD/binlog-pack" -q -o log.blog capture
on() { # COLUMNS COMMAND...: what is on such a terminal
	local columns=$1
	shift
	python3 "$here/support/on_terminal.py" "$columns" 24 -- "$@"
}
plain() { sed "s/$escape\[\(0\|1\|2\|1;3[13]\)m//g" "$@"; }
today=$(date -u +%F)
short() { # the lines of a file as a terminal has them, if they are of today
	sed -E "s/^$today ([0-9:]{8}\.[0-9]{6})[0-9]{3} (.*)/\1 \2/; s/^([^ ]* [^ []*)\[([0-9]+):\2\]/\1[\2]/"
}
# Where a line's author has written it stands at its end, where there is room: `tell talk.c:9`, or `talk.c:9`.
placeless() { sed -E 's/ +([a-z_]+ )?talk\.c:[0-9]+$//'; }
# Further lines begin below the first one, which is shorter here.
flat() { sed -E 's/^ +(lines)/\1/'; }

# ---- lines ----
for from in capture log.blog; do
	"$show" -q "$from" | short | flat >wished
	for columns in 80 120; do
		on "$columns" "$show" -q "$from" >seen
		same "$from, $columns columns: short times, one number where the thread is the first" "$(cat wished)" \
			"$(plain seen | placeless | flat)"
		same "$from, $columns columns: errors and warnings have their colours" 2 "$(grep -c "$escape\[1;3[13]m" seen)"
		same "$from, $columns columns: without colours the same" "$(cat wished)" \
			"$(NO_COLOR=1 on "$columns" "$show" -q "$from" | placeless | flat)"
	done
done
[ "$(date -u +%F)" = "$today" ] || skip "midnight: times of today have come to have dates"
same "lines of a message stand below each other" 1 "$(on 80 "$show" -q capture | plain | placeless |
	awk '/ two$/ { at = index($0, "two") } /^ *lines$/ { print index($0, "lines") == at }')"
same "--width has the looks of a terminal elsewhere" "$(NO_COLOR=1 on 100 "$show" -q capture)" "$("$show" -q --width=100 capture)"
same "and the other way round" "$("$show" -q capture)" "$(on 100 "$show" -q --width=0 --color=never capture)"
same "in a pipe and in a file nothing is short" "$("$show" -q --width=0 capture | cksum)" \
	"$("$show" -q capture | cksum)"
"$show" -q capture >file
same "each line of a file begins with its date" "" "$(grep -vE '^([0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}\.[0-9]{9} talk\[[0-9]+:[0-9]+\]| +lines$)' file)"
same "what fits into 100 columns" 0 "$(on 100 "$show" -q --stream=stderr,syslog capture | plain | awk 'length > 100' | wc -l)"

# ---- places ----
# What is right is told by -L, by the source, and by the columns of libc.
line_of() { grep -n "$1" talk.c | head -n 1 | cut -d : -f 1; }
warns="main talk.c:$(line_of WARNING)"
says="other talk.c:$(line_of 'another thread')"
for from in capture log.blog; do
	for columns in 80 100 120; do
		NO_COLOR=1 on "$columns" "$show" -q "$from" >seen
		same "$from, $columns columns: no line that a place is on is wider" "" "$(grep 'talk\.c:' seen |
			python3 "$here/support/screen_width.py" "$columns")"
		same "$from, $columns columns: places end where it does" "$columns" "$(grep 'talk\.c:' seen |
			python3 "$here/support/screen_width.py")"
		if [ "$columns" -eq 80 ]; then
			same "$from, 80 columns: file and line alone" "${warns#* } ${says#* }" \
				"$(sed -nE 's/.*little is left  +//p; s/.*thread says .nil.  +//p' seen | paste -sd ' ')"
		else
			same "$from, $columns columns: function, file and line" "$warns $says" \
				"$(sed -nE 's/.*little is left  +//p; s/.*thread says .nil.  +//p' seen | paste -sd ' ')"
		fi
		same "$from, $columns columns: a line that is long has none" 0 "$(grep 'the long way' seen | grep -c 'talk\.c')"
		same "$from, $columns columns: of several lines the first has it" 1 "$(grep -A 1 ' two  *.*talk\.c:' seen | grep -c '^ *lines$')"
	done
	same "$from: they are those of -L" "$("$show" -q -L "$from" | sed -nE 's/.*: (talk\.c:[0-9]+): ([a-z_]+): .*/\2 \1/p')" \
		"$(NO_COLOR=1 on 250 "$show" -q "$from" | grep -oE '[a-z_]+ talk\.c:[0-9]+$')"
done
same "in colours places are dim, behind the colour of the text" 1 \
	"$(on 120 "$show" -q capture | grep -c "little is left$escape\[0m  *$escape\[2m$warns$escape\[0m\$")"
FORCE_HYPERLINK=1 on 120 "$show" -q capture >seen
same "where links are known a place is one" "file://$(hostname)$TMP/talk.c#$(line_of WARNING)" \
	"$(grep 'little is left' seen | sed "s/.*$escape\]8;;\(file[^$escape]*\)$escape.*/\1/")"
same "and ends where the terminal does" 120 "$(grep 'little is left' seen | python3 "$here/support/screen_width.py")"
cat >sized.c <<'C'
#include <stdio.h>
int main()
{
	for (int i = 0; i < 8; i++)
		printf("size=%d\n", i * i);
	return 0;
}
C
$CC -g -O0 -w -o sized sized.c
LD_PRELOAD=$lib BINLOG_DIR=sized.data ./sized >/dev/null
for how in -L -S --source --columns=pid,message; do
	same "$how: places are not there twice" "" "$(NO_COLOR=1 on 200 "$show" -q $how capture | grep -E '(little|another).*  (main|other) talk\.c:[0-9]+$')"
done
same "--largest: the largest have them, too" 1 \
	"$(NO_COLOR=1 on 120 "$show" -q --largest=size -n 1 sized.data | grep -c 'size=49  *main sized.c:5$')"
same "in a pipe there are none" 0 "$("$show" -q capture | grep -c 'talk\.c')"
cat >tabs.c <<'C'
#include <stdio.h>
int main()
{
	printf("a\tb\t%d\n", 7);
	printf("日本語 %d\n", 7);
	return 0;
}
C
$CC -g -O0 -w -o tabs tabs.c
LD_PRELOAD=$lib BINLOG_DIR=tabbed ./tabs >/dev/null
same "tabs and wide characters take their columns" "100 100" \
	"$(NO_COLOR=1 on 100 "$show" -q tabbed | expand | while IFS= read -r line; do python3 "$here/support/screen_width.py" <<<"$line"; done | paste -sd ' ')"
same "and are where they were" 2 "$(NO_COLOR=1 on 100 "$show" -q tabbed | grep -cE 'a	b	7  +main tabs.c:4|日本語 7  +main tabs.c:5')"
cat >begun.c <<'C'
#include <pthread.h>
#include <stdio.h>
static void *begin_line(void *nothing)
{
	printf("begun:");
	return nothing;
}
int main()
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, begin_line, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	puts("end");
	return 0;
}
C
$CC -g -O0 -w -pthread -o begun begun.c
LD_PRELOAD=$lib BINLOG_DIR=begun.data ./begun >/dev/null
# What was freed is overwritten.
same "a line that is not whole until its thread has long ended has its place" 2 \
	"$(GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.perturb=85 "$show" -q --width=100 begun.data |
		grep -c 'begun:  *begin_line begun.c:5$')"
mv talk talk.away
same "what is not there is not complained of: nobody has asked" "$("$show" -q capture | short | flat)" \
	"$(BINLOG_CACHE='' NO_COLOR=1 on 120 "$show" -q capture | placeless | flat)"
mv talk.away talk
sleep 3.1 # of a file that has just changed nothing is kept
BINLOG_CACHE=$TMP/cached on 120 "$show" -q capture >first
mv talk.c talk.moved
same "what was found is kept for the next time" "$(cat first)" "$(BINLOG_CACHE=$TMP/cached on 120 "$show" -q capture)"
[ -n "$(ls cached)" ]
verdict $? "in the cache"
mv talk.moved talk.c

# ---- a text that a program has formatted itself ----
cat >format.c <<'C'
#include <stdio.h>

static void say(const char *text)
{
	fputs(text, stdout);
}

static void work(int i)
{
	char text[200];

	snprintf(text, sizeof(text), "work %d of many\n", i);
	say(text);
}

int main()
{
	char text[200];

	work(1);
	snprintf(text, sizeof(text), "begin of %s\n", "all");
	say(text);
	return 0;
}
C
$CC -g -O0 -w -o format format.c
LD_PRELOAD=$lib BINLOG_DIR=formatted ./format >/dev/null
same "of a text that was formatted before, the place is where its words stand" \
	"work format.c:$(grep -n 'work %d' format.c | cut -d : -f 1) main format.c:$(grep -n 'begin of' format.c | cut -d : -f 1)" \
	"$(NO_COLOR=1 on 100 "$show" -q formatted | sed -E 's/.*(many|all)  +//' | paste -sd ' ')"
same "unless statements are not wanted" 2 "$(NO_COLOR=1 on 100 "$show" -q --statements=never formatted | grep -c "  say format.c:")"
{
	sed '/^int main/,$d' format.c
	# all that is looked through for statements, in a program that is too large for that
	echo '__asm__(".pushsection .text; .space 0x2800000; .popsection");'
	sed -n '/^int main/,$p' format.c
} >large.c
$CC -g -O0 -w -o large large.c
LD_PRELOAD=$lib BINLOG_DIR=large.data ./large >/dev/null
same "a program of 40 MiB is not looked through for them" 2 "$(NO_COLOR=1 on 100 "$show" -q large.data | grep -c '  say large.c:')"
same "unless places are asked for" 0 "$("$show" -q -L large.data | grep -c 'large.c:[0-9]*: say')"

# ---- a limit that is met by what nobody has asked for ----
for limit in symbol-sections=1 symbol-overlaps=0; do
	BINLOG_CACHE='' on 100 "$show" -q --limit=$limit formatted >seen
	same "$limit: it is not told, and nothing is missing" "0 2" "$? $(wc -l <seen)"
	BINLOG_CACHE='' on 100 "$show" -q -L --limit=$limit formatted >seen
	same "$limit: where places are asked for it is" "1 1" "$? $(grep -c "give --limit=${limit%=*}=N" seen)"
done

# ---- days ----
cat >days <<'LOG'
2026-11-20T23:59:58.5Z one
2026-11-20T23:59:59.25Z two
2026-11-21T00:00:01Z three
2026-11-21T00:00:02Z four
2026-11-23T00:00:02Z five
LOG
same "the day stands where it changes, and before the first line if that is not of today" \
	"--- 2026-11-20
23:59:58.500000 days days: 2026-11-20T23:59:58.5Z one
23:59:59.250000 days days: 2026-11-20T23:59:59.25Z two
--- 2026-11-21
00:00:01.000000 days days: 2026-11-21T00:00:01Z three
00:00:02.000000 days days: 2026-11-21T00:00:02Z four
--- 2026-11-23
00:00:02.000000 days days: 2026-11-23T00:00:02Z five" "$(NO_COLOR=1 on 80 "$show" -q --text=days)"
same "as the time zone has it" "--- 2026-11-21 --- 2026-11-23" \
	"$(TZ=Etc/GMT-1 NO_COLOR=1 on 80 "$show" -q --text=days | grep '^---' | paste -sd ' ')"
for how in '-n 2' --reverse '--around=three -C 1'; do
	# shellcheck disable=SC2086 # lists of words
	same "$how: lines are not all there, or turned round: each has its date" \
		"$("$show" -q --text=days $how | sed -E 's/^(.{26}).../\1/')" "$(NO_COLOR=1 on 80 "$show" -q --text=days $how)"
	# shellcheck disable=SC2086
	same "$how: unless it is of today" "" "$("$show" -q --width=80 ${how/three/step 3} capture | grep "^$today")"
done

same "--largest: nor are they in order" "$("$show" -q --largest=arg1 capture | short)" \
	"$(NO_COLOR=1 on 300 "$show" -q --largest=arg1 capture | placeless)"

# ---- stacks ----
on 100 "$show" -q -S capture | plain >seen
same "of successive messages with one stack only the first shows it" "5" "$(grep -c '^    (same stack)$' seen)"
same "the function comes first, then file and line" 1 "$(grep -cE "^    #0 tell at [^ ]*talk.c:9$" seen)"
same "libc's frames at the start are one line, of a program and of a thread" 0 \
	"$(grep -cE '__libc_start|_start[+]|start_thread|clone' seen)"
"$show" -q -S capture >file
same "in a file all of them are there" "$(grep -c ' main' file)" "$(grep -c '__libc_start_main' file)"
grep -q '^    #[0-9]* to #[0-9]*: libc, starting the program$' seen
verdict $? "and what they are is said" "$(head -n 5 seen)"
same "what they stand for is counted right" "$(awk '/^    #/ { n = substr($1, 2) } !/^    / { if (n) print n; n = "" } END { print n }' file | sort -n | uniq | tail -n 1)" \
	"$(sed -nE 's/^    #[0-9]+ to #([0-9]+): .*/\1/p' seen | sort -n | tail -n 1)"
same "where lines are turned round each has its stack" 0 "$(on 100 "$show" -q -S -r capture | grep -c 'same stack')"
same "nor are they left out in a file" 0 "$(grep -c 'same stack' file)"

# ---- tables ----
cells() { awk -v at="$1" 'NR > 1 { print $at }' "${@:2}"; }
"$show" -q --stats capture >file
for columns in 80 100 120; do
	on "$columns" "$show" -q --stats capture >seen
	same "--stats: $columns columns are enough" "" "$(awk -v most="$columns" 'length > most' seen)"
	same "--stats: $columns columns: the numbers are those of a file" "$(cells 1 file)" "$(cells 1 seen)"
	grep -q 'MESSAGES.*LAST.*FORMAT$' seen
	verdict $? "--stats: $columns columns: what is looked for most is there" "$(head -n 1 seen)"
done
same "--stats: a format that does not fit ends in a mark" 1 "$(on 80 "$show" -q --stats capture | grep -c 'step.*\.\.\.$')"
same "--stats: which is one character where that can be shown" 1 \
	"$(LC_ALL=C.UTF-8 on 80 "$show" -q --stats capture | grep -c $'step.*\xe2\x80\xa6$')"
same "--stats: on a wide one the whole format is there" 1 "$(on 250 "$show" -q --stats capture | grep -c 'step.*do not hold them: %s.n"$')"
same "--stats: in a file it ends after 60 bytes, and in a mark" 1 "$(grep -c 'step.*with words en"\.\.\.$' file)"
same "--stats: times of one day are without it" 0 "$(on 100 "$show" -q --stats capture | grep -c "$today")"
same "--stats: of several they have it" "2026-11-20 23:59:58  2026-11-23 00:00:02" \
	"$(on 200 "$show" -q --stats --text=days | grep -oE '2026-11-2[0-9] [0-9:]*  2026-11-2[0-9] [0-9:]*' | tail -n 1)"
same "--stats -L: places that do not fit are cut at their beginning" "" "$(on 80 "$show" -q --stats -L capture | awk 'length > 80')"

# ---- words ----
same "at the end: what was recorded, passed through, lost" "10 recorded, 0 passed through, 0 lost" \
	"$(on 80 "$show" capture | tail -n 1)"
same "for programs the words are those of ever" "10 captured, 0 passed, 0 dropped" "$("$show" capture 2>&1 >/dev/null)"
same "the heads of tables have the same words" "RECORDED PASSED THROUGH LOST" \
	"$(on 80 "$show" -q -P capture | head -n 1 | grep -oE 'RECORDED|PASSED THROUGH|LOST' | paste -sd ' ')"
for word in recorded 'passed through' lost 'switched off' redacted; do
	grep -qiE "^\.It (Sy|Em) $word" "$here/../man/binlog-output.7" || echo "$word"
done >missing
same "binlog-output(7) defines them" "" "$(cat missing)"

# ---- the pager ----
if type less >/dev/null 2>&1; then
	for i in 1 2 3 4 5 6; do LD_PRELOAD=$lib BINLOG_DIR=many ./talk >/dev/null 2>&1; done
	unset BINLOG_PAGER
	keys() { # KEYS
		python3 "$here/support/on_terminal.py" 80 10 "$1" -- "$show" -q many
	}
	keys '/all is lost\nq' >seen
	grep -q 'all is lost' seen
	verdict $? "less: / finds a text that is not on the first page" "$(tail -n 12 seen)"
	one=$(grep -ac 'all is lost' seen)
	keys '/all is lost\nnnq' >seen
	[ "$(grep -ac 'all is lost' seen)" -gt "$one" ]
	verdict $? "less: n finds the next ones" "$(tail -n 12 seen)"
	grep -q "$escape\[1;31m" seen
	verdict $? "less: with colours"
	keys 'q' >seen
	[ "$(grep -c 'step' seen)" -le 9 ]
	verdict $? "less: a page at a time" "$(cat seen)"
	same "less: what it is given is as on the terminal" 0 "$(plain seen | grep -c "^$today")"
	python3 "$here/support/on_terminal.py" 120 60 -- "$show" -q --stream=syslog capture >seen
	same "less: what fits is shown at once, without a key" 1 "$(grep -c 'all is lost' seen)"
else
	skip "less: it is not there"
fi
same "colours go through a pipe to a pager of one's own" "$(NO_COLOR='' "$show" -q --color=always capture | plain)" "$("$show" -q capture)"
same "each line that has one ends it" "" "$("$show" -q --color=always capture | grep "$escape\[[1-9]" | grep -v "$escape\[0m\$")"
finish
