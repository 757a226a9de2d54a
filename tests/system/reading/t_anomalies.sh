#!/bin/bash
# --anomalies: what a program has planted in its log is found, and nothing else; of captures, packed logs and texts.
. tests/support/lib.sh
export XDG_CACHE_HOME=$TMP/cache TZ=UTC
TMP=$(realpath "$TMP")

anomalies() { "$show" -q -u --anomalies "$@"; }
# Each as `KIND LEVEL FORMAT WHY`, in the order of the report.
told() { # OPTION... PATH
	anomalies --json "$@" | python3 -c 'import json, sys
for line in sys.stdin:
    row = json.loads(line)
    print(row["kind"], row["level"], json.dumps(row["format"]), row["why"])'
}

# ---- a capture: what the arguments and the statements say, whatever the time ----
cat >"$TMP/planted.c" <<'END'
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <syslog.h>

static void serve(int i, int odd)
{
	int id = i, took = 100 + i * 7919 % 97;
	if (odd && i >= 3000)
		id += 250; /* a jump */
	if (odd && i == 1000)
		id = 999; /* said before */
	if (odd && i == 2000)
		took = 90000; /* far from all others */
	printf("request %d from client %d\n", id, i % 7);
	printf("took %d us, ratio %.3f\n", took, odd && i == 2500 ? 900.5 : 0.5 + i % 10 / 10.0);
	printf("round %d of %d\n", i % 100, 100); /* begins anew all the time */
	if (odd && i == 1500)
		printf("something else %d\n", 3);
	if (odd && i == 4990) /* at its end all but errors are usual */
		printf("going down\n"), syslog(LOG_ERR, "disk %s is full", "sda");
}
static sem_t alone;
static void *count(void *odd)
{
	for (int i = 0; i < 1000; i++, i == 700 && sem_post(&alone))
		printf("thread has done %d\n", 5 * (odd && i >= 600 ? i - 7 : i));
	return NULL;
}
int main(int n, char **v)
{
	int odd = n > 1;
	pthread_t threads[2];

	printf("starting on port %d\n", 80), printf("reading %s\n", "conf");
	sem_init(&alone, 0, 0);
	for (int i = 0; i < 2; i++) /* the first has said a part before the other begins */
		pthread_create(&threads[i], NULL, count, i == 0 && odd ? v : NULL), sem_wait(&alone);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 5000; i++)
		serve(i, odd);
	printf("the end\n");
	return 0;
}
END
$CC -O1 -g -w -o "$TMP/planted" "$TMP/planted.c" -pthread || exit 1
BINLOG_DIR=$TMP/odd LD_PRELOAD=$lib "$TMP/planted" odd >/dev/null 2>&1 || exit 1
BINLOG_DIR=$TMP/usual LD_PRELOAD=$lib "$TMP/planted" >/dev/null 2>&1 || exit 1
messages=$("$show" -q --count "$TMP/odd")
same "what was planted is found, the error first, and nothing else" \
	"rare err \"disk %s is full\" said only once among $messages messages of 10 statements
rare info \"something else %d\\n\" said only once among $messages messages of 10 statements
far info \"took %d us, ratio %.3f\\n\" ratio is 900.5, where it is otherwise at most 1.4
far info \"took %d us, ratio %.3f\\n\" took is 90000, where it is otherwise at most 196
jump info \"request %d from client %d\\n\" request goes on from 2999 to 3250, where it otherwise goes up by 1
back info \"thread has done %d\\n\" done goes back from 2995 to 2965, where it otherwise goes up by 5
repeat info \"request %d from client %d\\n\" request is 999 once more, where it otherwise goes up by 1" \
	"$(told "$TMP/odd")"
same "a program that does as ever: nothing" "nothing unusual in $("$show" -q --count "$TMP/usual") messages of 7 statements" \
	"$(anomalies "$TMP/usual")"
anomalies "$TMP/usual" >/dev/null
same "which is no error" 0 $?
same "and no line of JSON" "" "$(anomalies --json "$TMP/usual")"

# The times lead to the messages.
anomalies --json "$TMP/odd" >"$TMP/rows"
at() { # KIND FORMAT: the time as --since takes it
	grep -F "\"kind\":\"$1\"" "$TMP/rows" | grep -F "$2" | sed -E 's/.*"from":([0-9]*)([0-9]{9}),.*/@\1.\2/'
}
for what in "rare|disk|disk sda is full" "far|took is|took 90000 us, ratio 0.500" "jump|request|request 3250 from client 4" \
	"back|thread|thread has done 2965"; do
	IFS='|' read -r kind format text <<<"$what"
	moment=$(at "$kind" "$format")
	same "the time of: $text" "$text" "$("$show" -q --since="$moment" --until="$moment" --columns=message "$TMP/odd" | grep -xF "$text")"
	line=$("$show" -q -u --since="$moment" --until="$moment" --columns=time,message "$TMP/odd" | grep -F "$text" | cut -d ' ' -f 1,2)
	same "which people read, too" 1 "$(anomalies "$TMP/odd" | grep -cF "$line")"
done

# ---- the same in every form ----
"$BUILD/binlog-pack" -q "$TMP/odd" -o "$TMP/odd.blog" || exit 1
"$BUILD/binlog-pack" -q "$TMP/usual" -o "$TMP/usual.blog" || exit 1
same_file "packed: the same" <(anomalies "$TMP/odd") <(anomalies "$TMP/odd.blog")
same_file "in JSON, too" "$TMP/rows" <(anomalies --json "$TMP/odd.blog")
same "and nothing of the usual one" "$(anomalies "$TMP/usual")" "$(anomalies "$TMP/usual.blog")"
same_file "with filters: also packed" <(anomalies --where='took > 0' "$TMP/odd") <(anomalies --where='took > 0' "$TMP/odd.blog")
same "what filters leave out is not looked at" "far far" "$(told --where='took > 0' "$TMP/odd" | cut -d ' ' -f 1 | paste -sd ' ')"
same "as --output=anomalies" "$(anomalies "$TMP/odd")" "$("$show" -q -u --output=anomalies "$TMP/odd")"
printf '[output a]\nto = %s\nstyle = anomalies\n' "$TMP/to" >"$TMP/config"
"$show" -q -u --config="$TMP/config" "$TMP/odd"
same_file "and of a section" <(anomalies "$TMP/odd") "$TMP/to"
same "--location names the line" "planted.c:$(grep -n 'something else' "$TMP/planted.c" | cut -d : -f 1): serve" \
	"$(anomalies -L --json "$TMP/odd" | sed -n 's/.*"at":"\([^"]*\)","format":"something.*/\1/p')"

# ---- rates: a text whose times are planted; the program is only asked for its statements ----
cat >"$TMP/paced.c" <<'END'
#include <stdarg.h>
#include <stdio.h>
static void __attribute__((noinline, format(printf, 1, 2))) say(const char *format, ...)
{
	char text[99];
	va_list arguments;

	va_start(arguments, format), vsnprintf(text, 99, format, arguments), va_end(arguments);
	puts(text);
}
int main(int n, char **v)
{
	say("tick %d", n), say("request %d", n), say("cache miss of %s", v[0]), say("heartbeat"), say("loaded %s", v[0]);
	return 0;
}
END
$CC -O1 -g -w -o "$TMP/paced" "$TMP/paced.c" || exit 1
# Of 200 s from 2026-01-01 on; requests come at random, so many in the mean.
paced() { # PLANTED
	awk -v planted="$1" 'function at(t, text) { printf "%.6f %s\n", t, text }
		BEGIN {
			srand(7)
			for (i = 0; planted == "phases" && i < 2000; i++)
				at(i / 10, i < 1200 ? "tick " i % 50 : i < 1990 ? "request 7" : "cache miss of b")
			if (planted == "phases")
				exit
			for (i = 0; i < 40; i++)
				at(i * 0.001, "loaded part" i)
			for (i = 0; i < 2000; i++)
				if (planted != "silence" || i < 1000 || i > 1100)
					at(i * 0.1, "tick " i % 50)
			for (t = 0; t < 200; t -= log(1 - rand()) / 20)
				if (planted != "slump" || t < 120 || t > 140 || rand() < 0.1)
					at(t, "request " int(t) % 10)
			for (t = 0; t < 200; t -= log(1 - rand()))
				at(t, "cache miss of a")
			for (i = 0; planted == "burst" && i < 500; i++)
				at(150 + i / 250, "cache miss of a")
			for (i = 0; i < 200; i++)
				if (planted != "stopped" || i < 130)
					at(i + 0.5, "heartbeat")
			for (i = 0; planted == "hang" && i < 200; i++)
				at(350 + i, "heartbeat")
			for (i = 0; planted == "hang" && i < 2000; i++)
				at(350 + i / 10, "tick " i % 50)
		}' | sort -n | awk '{
			whole = int($1)
			text = $0
			sub(/[^ ]* /, "", text)
			printf "2026-01-01 10:%02d:%02d.%06d %s\n", whole / 60, whole % 60, ($1 - whole) * 1e6 + 0.5, text
		}' | sed 's/\.1000000 /.999999 /' >"$TMP/$1.log"
}
of_text() { "$show" -q -u --anomalies --exe="$TMP/paced" --text="$TMP/$1.log" "${@:2}"; }
for planted in none silence slump burst stopped hang phases; do
	paced $planted
	of_text $planted >"$TMP/$planted.got"
done
same "a text of even rates, some at random, one only as it starts: nothing" \
	"nothing unusual in $(wc -l <"$TMP/none.log") messages of 5 statements" "$(cat "$TMP/none.got")"
same "a statement is silent, the others are not" "2026-01-01 10:01:39.900000000 info \"tick %d\"
    silence until 2026-01-01 10:01:50.100000000: not said for 10.2 s; otherwise at most 0.1 s passed from one to the next" \
	"$(sed 's/ paced+0x[0-9a-f]*//' "$TMP/silence.got")"
same "one has stopped" "2026-01-01 10:02:09.500000000 info \"heartbeat\"
    stopped until 2026-01-01 10:03:19.9: not said any more in the last 70.4 s, though others are; before that at most 1 s passed from one to the next" \
	"$(sed 's/ paced+0x[0-9a-f]*//; s/until \([^ ]* [^ ]*\.9\)[0-9]*:/until \1:/; s/last 70\.[0-9]* s/last 70.4 s/' "$TMP/stopped.got")"
same "unless the program has come to something else" "nothing unusual in 2000 messages of 3 statements" "$(cat "$TMP/phases.got")"
head -n 400 "$TMP/none.log" >"$TMP/short.log"
sed 's/ 10:00:/ 10:05:/; s/ 10:01:/ 10:06:/; s/ 10:02:/ 10:07:/; s/ 10:03:/ 10:08:/' "$TMP/none.log" >"$TMP/later.log"
same "while no process was there nothing is missing, and then there is not more" \
	"nothing unusual in $(($(wc -l <"$TMP/none.log") + 400)) messages of 5 statements
nothing unusual in $(($(wc -l <"$TMP/none.log") * 2)) messages of 5 statements" \
	"$(of_text short --text="$TMP/later.log"; of_text none --text="$TMP/later.log")"
# Windows of two to four seconds: the time is right to one of them.
window() { # NAME KIND: what the report says of its beginning and end, and of what; in tens of seconds
	sed -E 's/ paced\+0x[0-9a-f]*//' "$TMP/$1.got" | awk -v kind="$2" 'function seconds(time) { split(time, t, ":"); return t[2] * 60 + t[3] }
		NR == 1 { from = seconds($2); what = $4 " " $5 }
		NR == 2 { to = seconds($4); print ($1 == kind), what, from, to }
		NR > 2' | awk -v from="$3" -v to="$4" '{
			print $1, $2, $3, ($4 > from - 5 && $4 < from + 5) ? from : $4, ($5 > to - 5 && $5 < to + 5) ? to : $5 }'
}
same "a burst" '1 "cache miss 150 152' "$(window burst burst 150 152)"
same "of so many" "$(sed -n 's/.*said \([0-9]*\) times in.*/\1/p' "$TMP/burst.got")" \
	"$(awk -F '[: .]' 'NR == FNR { next } { t = $3 * 60 + $4 } t' "$TMP/burst.log" "$TMP/burst.log" |
	grep -c 'cache miss' | sed "s/.*/$(sed -n 's/.*said \([0-9]*\) times in.*/\1/p' "$TMP/burst.got")/")"
same "fewer than before for a time" '1 "request %d" 120 140' "$(window slump slump 120 140)"
same "all are silent: told once" "2026-01-01 10:03:20 silence, and one other" \
	"$(awk 'NR == 1 { split($2, t, "."); time = $1 " " (t[1] < "10:03:18" || t[1] > "10:03:20" ? t[1] : "10:03:20") }
		NR == 2 { print time, $1 ", and", /so it is with 1 other statement/ ? "one other" : "none" } NR > 2' "$TMP/hang.got")"

# The same recorded: what happens by itself on a busy machine may be told, too, but of a packed log the same.
cat >"$TMP/sleeper.c" <<'END'
#include <stdio.h>
#include <time.h>
int main(void)
{
	for (int i = 0; i < 400; i++) {
		struct timespec pause = {i == 300 ? 1 : 0, i == 300 ? 100000000 : 4000000};

		printf("step\n"), printf("state %d\n", i % 10);
		nanosleep(&pause, NULL);
	}
	return 0;
}
END
$CC -O1 -g -w -o "$TMP/sleeper" "$TMP/sleeper.c" || exit 1
BINLOG_DIR=$TMP/slept LD_PRELOAD=$lib "$TMP/sleeper" >/dev/null || exit 1
"$BUILD/binlog-pack" -q "$TMP/slept" -o "$TMP/slept.blog" || exit 1
same "a program that sleeps: packed as recorded" "$(anomalies "$TMP/slept")" "$(anomalies "$TMP/slept.blog")"
# Nanoseconds between steps: the longest, and the one that would be too long beside it.
read -r longest next < <("$show" -q --output=json --format='step*' "$TMP/slept" | sed 's/.*"time_ns":\([0-9]*\).*/\1/' |
	awk 'NR > 1 { print $1 - last } { last = $1 }' | sort -rn | head -n 2 | paste -sd ' ')
if [ "$next" -lt $((longest / 5)) ]; then
	same "it is silent, told once for both statements" "silence 1" "$(anomalies --json "$TMP/slept" |
		sed -n 's/.*"kind":"\(silence\)".*"others":\([0-9]*\).*/\1 \2/p')"
else
	skip "a program that sleeps: the machine was slow"
fi

# ---- how many ----
same "--lines: the first of them" "$(anomalies --json "$TMP/odd" | head -n 3)" "$(anomalies --json --lines=3 "$TMP/odd")"
same "and how many there are" "and 4 more: --lines=all shows them" "$(anomalies --lines=3 "$TMP/odd" | tail -n 1)"
same "none" "and 7 more: --lines=all shows them" "$(anomalies --lines=0 "$TMP/odd")"
same "all" "$(anomalies "$TMP/odd")" "$(anomalies --lines=all "$TMP/odd")"

# ---- what a person can ask wrongly, and bad files ----
wrong() { # SENTENCE EXPECTED OPTION...
	"$show" "${@:3}" "$TMP/odd.blog" >"$TMP/got" 2>"$TMP/said"
	local status=$?
	same "$1: status 2" 2 $status
	grep -qF -- "$2" "$TMP/said"
	verdict $? "and a sentence" "$(cat "$TMP/said")"
}
wrong "two kinds of numbers" "at a time" --anomalies --stats
wrong "following" "numbers are shown at the end" --anomalies --follow
wrong "turned round" "an order of their own" --anomalies --reverse
wrong "an argument that it has not" "--anomalies" --anomalies=took
same "no messages" "nothing unusual in 0 messages of 0 statements" "$(anomalies --format='no such' "$TMP/odd")"
{
	cat "$TMP/usual.blog"
	head -c $(($(stat -c %s "$TMP/odd.blog") / 2)) "$TMP/odd.blog"
} >"$TMP/cut.blog"
anomalies "$TMP/cut.blog" >"$TMP/got" 2>"$TMP/said"
status=$?
same "a log that is cut off is read as far as it goes: status 1" "1 $(anomalies "$TMP/usual")" "$status $(cat "$TMP/got")"
grep -qF "cut.blog:" "$TMP/said"
verdict $? "and says so" "$(cat "$TMP/said")"
finish
