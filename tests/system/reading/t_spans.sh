#!/bin/bash
# --spans: how long it took from one message to another that belongs to it, as the times of the messages themselves and
# the program's own clock say; by threads, by arguments, across processes; the longest with their stacks.
. tests/support/lib.sh

build spans
rule='start request %d => done id=%x,* by request=id'
BINLOG_DIR=$TMP/capture LD_PRELOAD=$lib "$TMP/spans" || exit 1
spans() { "$show" --utc "$@" "$TMP/capture" 2>/dev/null; }
spans -q --columns=time,pid,tid,message >"$TMP/lines"

# The same out of the lines: RULE is requests, nested or jobs; "begin duration thread text", in the order of the ends.
cat >"$TMP/pair.py" <<'END_OF_PAIR'
import re, sys
rule, lines = sys.argv[1], open(sys.argv[2])
opened, spans = {}, []
for line in lines:
    time, pid, tid, text = re.match(r'(\S+ \S+) +(\d+) +(\d+) (.*)$', line).groups()
    clock = time.split(' ')[1].split(':')
    ns = (int(clock[0]) * 60 + int(clock[1])) * 60 * 10**9 + int(clock[2].replace('.', ''))
    if rule == 'requests':
        start = re.match(r'start request (\d+)$', text)
        done = re.match(r'done id=([0-9a-f]+),', text)
        key = int(start[1]) if start else int(done[1], 16) if done else None
    elif rule == 'nested':
        start, done, key = text.startswith('enter '), text == 'leave', tid
    else:
        start, done = re.match(r'queued job (.*)$', text), re.match(r'job (.*) finished$', text)
        key = (start or done)[1] if start or done else None
    if start:
        opened.setdefault(key, []).append((time, ns, pid + ':' + tid, text))
    elif done and opened.get(key):
        time, begin, thread, text = opened[key].pop()
        spans.append((time, (ns - begin) % (86400 * 10**9), thread, text))
for time, ns, thread, text in spans:
    print(time, '%d.%09d' % (ns // 10**9, ns % 10**9), thread, text)
END_OF_PAIR
pair() { python3 "$TMP/pair.py" "$1" "$TMP/lines"; }
got() { # OPTION...: the same of the spans that have ended
	spans "$@" | sed -n -E 's/^([^ ]+ [^ ]+) +([0-9.]+) [^[]*\[([0-9:]*)\]( => [^ ]*)?[^:]*: (.*)/\1 \2 \3 \5/p'
}
same "each request with its begin and how long it took, as they ended" "$(pair requests)" "$(got --spans "$rule")"
same "there are 19" 19 "$(got --spans "$rule" | wc -l)"
same "numbers are compared as numbers, by place or by name" "$(got --spans "$rule")" \
	"$(got --spans 'start request %d => done id=%x,* by arg1')"
same "without a value it is the thread, and the innermost" "$(pair nested)" "$(got --spans 'enter * => leave')"
same "a job that ends in another process" "$(pair jobs)" "$(got --spans 'queued job %s => job %s finished by arg1')"
same "the thread that ended it stands behind" 1 "$(spans --spans 'queued job %s => job %s finished by arg1' |
	grep -cE 'spans\[([0-9]+):[0-9]+\] => spans\[[0-9]+:[0-9]+\] a/b\\x1bc: queued job a/b\\x1bc$')"
row() { spans "$@" | tail -n 1 | sed -E 's/  +/|/g; s/^ *\|?//'; } # the sum
same "with the process as a part of the key it is none: not ended, and not begun" '0|-|-|-|-|-|-|1|1|0' \
	"$(row --spans 'queued job %s => job %s finished by pid,arg1' | cut -d '|' -f 1-10)"
same "with the thread's name it is one" 1 "$(row --spans 'queued job %s => job %s finished by thread,arg1' | cut -d '|' -f 1)"
same "what never ends stands at the end, without a time" "- start request 13" \
	"$(spans --spans "$rule" | grep -B 2 'SPANS OF' | sed -n -E '1s/.* (-) .*: /\1 /p')"

# The program's own clock: from inside both calls, and from outside.
same "no span is shorter or longer than the program itself has measured" "" "$(
	{ sed -n 's/.* own \([0-9]*\): \([0-9]*\) to \([0-9]*\)$/own \1 \2 \3/p' "$TMP/lines"; got --spans "$rule"; } | awk '
	$1 == "own" { inside[$2] = $3; outside[$2] = $4; next }
	{ split($3, s, "."); ns = s[1] * 1e9 + s[2]; id = $NF
	  if (ns < inside[id] - 100000 || ns > outside[id] + 100000) print id, ns, inside[id], outside[id] }')"

# The longest.
same "the longest first" "$(pair requests | LC_ALL=C sort -k 3,3nr | head -n 5)" "$(got --spans "$rule" --longest 5)"
same "the slowest request with its stack: who was asked is in it" "slow_lookup request serve" \
	"$(spans --spans "$rule" --longest 1 --stacks | sed -n -E '2,4s/^ +#[0-9]+ ([a-z_]+) .*/\1/p' | paste -sd ' ')"

# Sums.
pair requests | awk '{ print $3 }' | sort -n >"$TMP/times"
same "number, least, mean and most" "$(awk '
	{ split($1, s, "."); t = s[1] * 1e9 + s[2]; sum += t; if (NR == 1) least = t; most = t }
	END { printf "%d|%.9f|%.9f|%.9f\n", NR, least / 1e9, int(sum / NR) / 1e9, most / 1e9 }' "$TMP/times")" \
	"$(row --spans "$rule" | cut -d '|' -f 1,2,3,7)"
same "median and percentiles are right to a hundredth" "" "$(
	{ row --spans "$rule" | cut -d '|' -f 4-6 | tr '|' '\n'; cat "$TMP/times"; } | awk '
	NR <= 3 { got[NR] = $1; next } { t[++n] = $1 }
	END { part[1] = .5; part[2] = .9; part[3] = .99
	      for (i = 1; i <= 3; i++) { at = int(n * part[i]); at += at < n * part[i]
	        d = got[i] / t[at] - 1; if (d > .01 || d < -.01) print part[i], got[i], t[at] } }')"
same "one was not ended, one not begun, none without a value" "1|1|0" "$(row --spans "$rule" | cut -d '|' -f 8-10)"
same "a name that only one side has: there is nothing to compare" "0|20|20" \
	"$(row --spans 'start request %d => done id=%x,* by id' | cut -d '|' -f 1,9,10)"
same "two rules, two sums" "2|1" "$(spans --spans 'enter * => leave' --spans 'queued* => job* by arg1' |
	sed -n '/SPANS OF/,$s/^ *\([0-9]\+\) .*/\1/p' | paste -sd '|')"
tid=$(sed -n 's/^[^ ]* [^ ]* *[0-9]* *\([0-9]*\) start request 2$/\1/p' "$TMP/lines")
same "one message may end a span and begin the next" 9 "$(row --tid "$tid" --spans 'start * => start *' | cut -d '|' -f 1)"
same "without the sum, if that is not wanted" "$(spans --spans "$rule" | head -n 20)" "$(spans -q --spans "$rule")"
same "only what is asked for" 10 "$(got --spans "$rule" --where 'request <= 10 || id <= 10' | wc -l)"
"$BUILD/binlog-pack" "$TMP/capture" -o "$TMP/log.blog" >/dev/null 2>&1
same_file "packed, the same" <(spans --stacks --spans "$rule") <("$show" --utc --stacks --spans "$rule" "$TMP/log.blog" 2>/dev/null)

# More than can be open at a time.
cat >"$TMP/many.c" <<'END'
#include <stdio.h>
int main(void)
{
	for (int i = 0; i < 1100000; i++)
		printf("start %d\n", i);
	for (int i = 0; i < 1100000; i += 100000)
		printf("done %d\n", i);
	return 0;
}
END
$CC -O1 -w -o "$TMP/many" "$TMP/many.c" || exit 1
BINLOG_DEPTH=0 BINLOG_DIR=$TMP/many.capture LD_PRELOAD=$lib "$TMP/many" || exit 1
"$show" --spans 'start %d => done %d by arg1' "$TMP/many.capture" 2>/dev/null | tail -n 3 >"$TMP/sum"
same "of too many that are open the oldest are given up, and counted" "10 1 $((1100000 - (1 << 20))) $((1100000 - 10))" \
	"$(awk 'NR == 2 { spans = $1; unbegun = $9; open = $8 } NR == 3 { print spans, unbegun, $NF, open }' "$TMP/sum")"

# What a person can get wrong.
refused() { # SENTENCE OPTION...
	"$show" -q "${@:2}" "$TMP/capture" >"$TMP/out" 2>"$TMP/why"
	same "refused in one sentence: ${*:2}" "2 0 binlog-show: $1" "$? $(wc -c <"$TMP/out") $(cat "$TMP/why")"
}
like="give START => DONE by NAME, as in 'start %d => done %d by arg1'"
refused "--spans=start: no => in it: $like" --spans start
refused "--spans==> done by id: a format is missing beside =>: $like" --spans '=> done by id'
refused "--spans=a => b by id,: a name is missing after \`by\`: $like" --spans 'a => b by id,'
refused "--longest=many: not a number of spans: give digits" --spans 'a => b' --longest many
refused "--longest: chooses spans: say of what with --spans" --longest 3
"$show" -q --spans 'strat request %d => done id=%x,* by tok' "$TMP/capture" >"$TMP/out" 2>"$TMP/why"
same "a rule that nothing matches: what there is instead" "0 binlog-show: --spans: no message has the format 'strat request %d': did you mean 'start request %d'?
binlog-show: --spans: messages with the format 'done id=%x,*' have no argument tok: they have id, arg2" "$? $(cat "$TMP/why")"
refused "--output=spans: no spans are named: say of what with --spans" --output=spans
finish
