#!/bin/bash
# What binlog-show leaves out when it is asked for a part: what grep, awk and date say of what it shows of all.
. tests/support/lib.sh
export TZ=XYZ-5

cat >"$TMP/talk.c" <<'END'
#include <errno.h>
#include <err.h>
#include <pthread.h>
#include <stdio.h>
#include <syslog.h>
#include <unistd.h>

static void *work(void *unused)
{
	pthread_setname_np(pthread_self(), "worker/1");
	for (int i = 0; i < 50; i++) {
		printf("job=%d is %s\n", i, i % 7 ? "done" : "late");
		if (i % 5 == 0) {
			fputs("worker: ", stdout);
			printf("%d ", i);
			puts(i % 2 ? "timeout" : "in time");
		}
	}
	return unused;
}

int main(void)
{
	pthread_t thread;

	openlog("me", 0, LOG_DAEMON);
	pthread_create(&thread, NULL, work, NULL);
	for (int i = 0; i < 500; i++) {
		printf("size=%d name=\"%s\" rate: %.2f at 0x%lx\n", i * 7, i % 3 ? "eth0" : "lo", i / 4.0,
			(unsigned long)i << 40);
		if (i % 10 == 0) {
			printf("piece %d:", i);
			printf(" part");
			printf(" %s\n", i % 20 ? "Timeout" : "ok");
		}
		if (i % 25 == 0) {
			puts("A constant line");
			fprintf(stderr, "error %u of %hhd %c\n", (unsigned)-i, (signed char)i, 'a' + i % 26);
		}
		if (i % 50 == 0) {
			syslog(i % 100 ? LOG_ERR : LOG_INFO, "daemon says %d", i);
			errno = ENOENT;
			warn("cannot %s", i % 100 ? "open" : "close");
		}
	}
	pthread_join(thread, NULL);
	printf("%s|%*d|%.*s\n", (char *)0, 5, 3, 2, "abcdef");
	fputs("no newline: Timeout", stdout);
	fflush(stdout);
	return 3;
}
END
$CC -std=gnu11 -D_GNU_SOURCE -O1 -w -pthread -o "$TMP/talk" "$TMP/talk.c" || exit 1
LD_PRELOAD=$lib BINLOG_DIR=$TMP/capture "$TMP/talk" >/dev/null 2>&1
inputs=("$TMP/capture")
pack=$BUILD/binlog-pack
if [ -x "$pack" ] && "$pack" -o "$TMP/talk.blog" "$TMP/capture" 2>/dev/null; then
	inputs+=("$TMP/talk.blog")
else
	skip "packed logs: there is no binlog-pack"
fi

for input in "${inputs[@]}"; do
	kind=captures
	[ "$input" = "$TMP/capture" ] || kind="packed logs"
	shown() { "$show" -q "$@" "$input"; }
	all=$TMP/all
	shown >"$all"
	# Those of syslog, and the end.
	same "$kind: all is shown" $(($("$TMP/talk" 2>&1 | grep -c '') + 11)) "$(wc -l <"$all")"
	# What comes before the text: date, time, program[...], stream and, of syslog, the name.
	sed -E 's/^([^ ]+ ){4}(me: )?//' "$all" >"$TMP/texts"

	# ---- --grep: what grep says of the texts ----
	by_grep() { # OPTION PATTERN: the lines whose texts match
		grep -anE $1 -e "$2" "$TMP/texts" | cut -d: -f1 | awk 'NR == FNR { wanted[$1]; next } FNR in wanted' - "$all"
	}
	for pattern in timeout Timeout 'part' 'size=35 ' 'eth0' '^job' 'line$' 'at 0x[0-9a-f]*c0' 'job=[0-9]*5 ' \
		'4294967[0-9]+ of' 'no such file' '(null)' 'daemon says 1' 'exited|Timeout' 'nothing like it' 'size=.*lo' \
		'rate: 12\.50' 'worker: 5 ' 'piece 1.*part T' '^$' 'd' 'a constant' 'A constant' 'xyz[0-9]' '3\|ab'; do
		option=-i
		[[ $pattern == *[A-Z]* ]] && option=
		same "$kind: --grep='$pattern' shows the lines whose text matches" \
			"$(by_grep "$option" "$pattern")" "$(shown --grep="$pattern")"
	done
	same "$kind: patterns add up" "$(by_grep -i 'timeout|size=49 ')" "$(shown -g timeout --grep='size=49 ')"
	same "$kind: --raw --grep shows whole lines" "$(grep -w 'Timeout' "$TMP/texts")" "$(shown --raw --grep=Timeout)"

	# ---- --where: what awk says of what was printed ----
	by_awk() { sed -E 's/^([^ ]+ ){4}//' "$all" | awk "$1"; } # PROGRAM
	by_where() { shown "$@" | sed -E 's/^([^ ]+ ){4}//'; }
	size='match($0, /^size=[0-9]+/) && (n = substr($0, 6, RLENGTH - 5) + 0) >= 0'
	same "$kind: a number by its name" "$(by_awk "$size && n > 3000")" "$(by_where --where='size > 3000')"
	same "$kind: a number by its place" "$(by_awk "$size && n < 70")" "$(by_where -w 'arg1 < 70 && arg4 >= 0 && name != "x"')"
	same "$kind: a text" "$(by_awk '/^size.*name="lo"/')" "$(by_where -w 'arg2 == "lo"')"
	same "$kind: a text that matches" "$(by_awk '/^size.*name="eth0"/')" "$(by_where -w 'name ~ "^e.*0$"')"
	same "$kind: a double" "$(by_awk '/^size/ && $4 + 0 >= 100.25')" "$(by_where -w 'rate >= 100.25 && size >= 0')"
	same "$kind: an address" "$(by_awk '/0x640000000000$/')" "$(by_where -w 'at == 0x640000000000')"
	same "$kind: unsigned and signed" "$(by_awk '/^error/ && $2 > 4294967000 && $4 < -20')" \
		"$(by_where -w 'arg1 > 4294967000 && arg2 < -20')"
	same "$kind: a character" "$(by_awk '/^error.* z$/')" "$(by_where -w "arg3 == 'z'" --format='error*')"
	same "$kind: choice and contrary" "$(by_awk '/^job=/ && !/done/ || /^size=7 /')" \
		"$(by_where -w 'job >= 0 && !(arg2 == "done") || size == 7')"
	same "$kind: what has no such argument is not shown, whatever is said of it" "" \
		"$(by_where -w 'nobody == 1')$(by_where -w '!(nobody == 1)')"
	same "$kind: a piece of a line chooses the line" "$(by_awk '/^piece 490:/')" "$(by_where -w 'piece == 490')"
	same "$kind: expressions add up" 2 "$(shown -w 'size == 7' -w 'job == 3' | wc -l)"

	# ---- who, what, by which function ----
	same "$kind: --thread" "$(grep -aE '(job|worker)' "$all")" "$(shown --thread='work*')"
	tid=$(grep -a -m1 job= "$all" | sed -E 's/.*:([0-9]+)\] .*/\1/')
	same "$kind: --tid" "$(grep -a ":$tid\]" "$all")" "$(shown --tid="$tid")"
	same "$kind: threads add up" "$(wc -l <"$all")" "$(shown --tid="$tid" --tid="$(grep -a -m1 size= "$all" | sed -E 's/.*:([0-9]+)\] .*/\1/')" | wc -l)"
	same "$kind: --format" "$(by_awk '/^job=/')" "$(by_where --format='job=%d*')"
	same "$kind: a format has its newline or not" "$(by_awk '/^job=/')" "$(by_where --format='job=%d is %s')"
	same "$kind: formats add up" "$(by_awk '/^(job=|A constant)/')" "$(by_where --format='job=*' --format='A *')"
	same "$kind: --function" "$(by_awk '/^me: daemon/')" "$(by_where --function='*syslog*')"
	same "$kind: --priority by name" "$(grep -w 'daemon.err' "$all")" "$(shown --priority=err)"
	same "$kind: --priority by number" "$(grep -vE 'stdout: |daemon.info|end: ' "$all")" "$(shown -p 4)"
	same "$kind: --priority as a range" "$(grep -vE 'daemon.err|stderr: ' "$all")" "$(shown --priority=notice..info)"
	same "$kind: all of them must hold" "$(by_awk '/^job=1.*done/')" \
		"$(by_where --thread='worker/1' --format='job=*' -g 'job=1' -w 'arg2 == "done"' --stream=stdout)"
	same "$kind: --processes counts what was asked for" "$(shown -g 'job=' | wc -l)" \
		"$(shown --processes -g 'job=' | awk 'NR == 2 { print $4 }')"
	same "$kind: the sum is that of all" "$("$show" "$input" 2>&1 >/dev/null)" "$("$show" -g nothing "$input" 2>&1 >/dev/null | grep -v "^binlog-show: nothing matches --grep: ")"

	# ---- when: what date says ----
	nth() { sed -n "$1p" "$all" | cut -c 1-29; }
	for row in 1 100 300 600; do
		time=$(nth $row)
		same "$kind: --since='$time'" "$(awk -v t="$time" 'substr($0, 1, 29) >= t' "$all")" "$(shown --since="$time")"
		same "$kind: --until='@...' of line $row" "$(awk -v t="$time" 'substr($0, 1, 29) <= t' "$all")" \
			"$(shown --until="@$(date -d "$time" +%s.%N)")"
	done
	same "$kind: --utc makes it UTC" "$(shown --since="$(nth 300)" | wc -l)" \
		"$(shown --utc --since="$(TZ=UTC date -d "@$(date -d "$(nth 300)" +%s.%N)" '+%F %T.%N')" | wc -l)"
	# A line in pieces has the time of its first, and stands where its last is.
	same "$kind: from one to the other" \
		"$(awk -v a="$(nth 100)" -v b="$(nth 200)" '(t = substr($0, 1, 29)) >= a && t <= b' "$all")" \
		"$(shown --since="$(nth 100)" --until="$(nth 200)")"
	for words in today yesterday '-1h' '10 min ago' '1 hour ago'; do
		same "$kind: since '$words' is all" "$(wc -l <"$all")" "$(shown --since="$words" | wc -l)"
		same "$kind: until '$words' is nothing" 0 "$(shown --until="$words" | wc -l)"
	done
done

# ---- many batches: what is left out of a log leaves the rest as it is ----
cat >"$TMP/long.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* Phases: whole lines; pieces, of which some wait long; whole lines on another stream. */
static void *talk(void *name)
{
	unsigned random = name ? 1 : 2;

	for (int i = 0; i < 160000; i++) {
		int phase = i / 20000 % 4;

		random = random * 1103515245 + 12345;
		if (phase == 0 || (phase == 2 && i % 3))
			printf("whole %d of %u\n", i, random >> 16);
		else if (phase == 1)
			printf(random >> 28 ? "piece %d " : "last piece %d\n", i);
		else if (phase == 2)
			fprintf(stderr, i % 5000 == 999 ? "rare: %d\n" : "other %d\n", i);
		else
			printf(i % 20000 == 19999 ? "waits: %d" : "state %x\n", i);
		if (i % 30011 == 0)
			printf("needle %d in %s\n", i, i & 1 ? "hay" : "straw");
	}
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, talk, "");
	talk(NULL);
	pthread_join(thread, NULL);
	return 0;
}
END
$CC -std=gnu11 -D_GNU_SOURCE -O1 -w -pthread -o "$TMP/long" "$TMP/long.c" || exit 1
LD_PRELOAD=$lib BINLOG_DIR=$TMP/long.capture "$TMP/long" >/dev/null 2>&1
inputs=("$TMP/long.capture")
[ ! -x "$pack" ] || { "$pack" -o "$TMP/long.blog" "$TMP/long.capture" 2>/dev/null && inputs+=("$TMP/long.blog"); }
for input in "${inputs[@]}"; do
	kind="long captures"
	[ "$input" = "$TMP/long.capture" ] || kind="long logs"
	"$show" -q "$input" >"$all"
	verdict "$([ "$(wc -l <"$all")" -gt 150000 ]; echo $?)" "$kind: all is shown"
	sed -E 's/^([^ ]+ ){4}//' "$all" >"$TMP/texts"
	for pattern in needle rare 'waits: 79999' 'needle .*straw' '^last piece' 'piece 39999 ' 'state 1ff' 'hay$' \
		'other 4(0|1)[0-9]*0$' 'nothing like it' 'piece 21000 .*last'; do
		by_grep '-i' "$pattern" >"$TMP/wanted"
		"$show" -q --grep="$pattern" "$input" >"$TMP/got"
		same_file "$kind: --grep='$pattern'" "$TMP/wanted" "$TMP/got"
	done
	for part in '1 9' '1000 1009' '70000 70500' '150000 150001'; do
		from=$(sed -n "${part% *}p" "$all" | cut -c 1-29)
		to=$(sed -n "${part#* }p" "$all" | cut -c 1-29)
		awk -v from="$from" -v to="$to" '{ t = substr($0, 1, 29) } t >= from && t <= to' "$all" >"$TMP/wanted"
		"$show" -q --since="$from" --until="$to" "$input" >"$TMP/got"
		same_file "$kind: lines ${part/ / to } by their times" "$TMP/wanted" "$TMP/got"
	done
	grep -aE 'rare|needle' "$all" >"$TMP/wanted"
	"$show" -q --format='rare*' --format='needle*' "$input" >"$TMP/got"
	same_file "$kind: --format of rare ones" "$TMP/wanted" "$TMP/got"
done

refused() { # WORDS OPTION...
	local said
	said=$("$show" "${@:2}" "$TMP/capture" 2>&1 >/dev/null)
	verdict "$([ $? -eq 2 ] && [[ $said == *"$1"* ]]; echo $?)" "refused: ${*:2}" "$said"
}
refused 'column 7: a value must be here' --where='size >'
refused 'column 6: no comparison' -w 'size = 3'
refused 'not a regular expression' --grep='('
refused 'not a time' --since=whenever
refused '--until: before --since' --since=today --until=yesterday
refused 'no such level' --priority=loud
refused 'digits' --tid=x
refused 'leave one out' --raw --as-written --grep=x
finish
