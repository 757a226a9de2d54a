#!/bin/bash
# Numbers: --stats, --values, --histogram, --rcdf, --per, --intervals, --largest, --count say what the texts themselves say, of
# captures and of packed logs, whose columns are added up without making messages; and what a person can ask wrongly.
. tests/support/lib.sh
. tests/packed/common.sh
TMP=$(realpath "$TMP")
export XDG_CACHE_HOME=$TMP/cache TZ=UTC

build numbers -lm
BINLOG_DIR=$TMP/capture LD_PRELOAD=$lib "$TMP/numbers" 400 >/dev/null 2>&1 || exit 1
pack "$TMP/log.blog" "$TMP/capture" || exit 1

# ---- the texts are the oracle ----
of_text() { # WHAT PATH
	python3 "$here/support/numbers_of_text.py" "$show" "$2" >"$TMP/said" 2>&1 || echo "not ok: it ended with $?" >>"$TMP/said"
	sed "s/^\(not ok\|ok\): /&$1: /" "$TMP/said"
	! grep -q '^not ok' "$TMP/said" || failed=1
}
of_text "a capture" "$TMP/capture"
of_text "a packed log" "$TMP/log.blog"
BINLOG_DIR=$TMP/pieces LD_PRELOAD=$lib "$TMP/numbers" 300 5 pieces >/dev/null 2>&1 || exit 1
pack "$TMP/pieces.blog" "$TMP/pieces" || exit 1
of_text "calls in pieces" "$TMP/pieces.blog"

# ---- columns and messages come to the same ----
# Many messages in few batches: rows at their ends, and batches that filters take a part of.
$CC -std=gnu11 -D_GNU_SOURCE -g -O2 -w -I. -o "$TMP/varying" "$here/bench/varying.c" || exit 1
for name in numbers varying; do
	BINLOG_DIR=$TMP/$name.many LD_PRELOAD=$lib "$TMP/$name" 20000 7 9999999 >/dev/null 2>&1
	pack "$TMP/$name.blog" "$TMP/$name.many" || exit 1
done
middle=$("$show" -q --output=json "$TMP/numbers.many" | sed -n '40000s/.*"time_ns":\([0-9]*\)\([0-9]\{9\}\).*/@\1.\2/p')
reports() { # NAME
	printf '%s\n' --count --stats --intervals "--per=auto" "--per=300us" "--values=$1" "--values=arg1" "--histogram=$1" "--rcdf=$1" \
		"--largest=$1" "--smallest=arg1 -n 3 --stacks" "--largest=arg2 --columns=time,message -n 100" "--rates"
}
differences_of() { # LOG CAPTURE NAME: with filters of standard input, a line for each
	local filter report
	while read -r filter; do
		reports "$3" | while read -r report; do
			# shellcheck disable=SC2086 # lists of words
			eval "\"$show\"" $report $filter '"$2"' >"$TMP/want" 2>"$TMP/want.said"
			# shellcheck disable=SC2086
			eval "\"$show\"" $report $filter '"$1"' >"$TMP/got" 2>"$TMP/got.said"
			cmp -s "$TMP/want" "$TMP/got" && cmp -s "$TMP/want.said" "$TMP/got.said" ||
				diff <(echo "$report $filter"; cat "$TMP/want" "$TMP/want.said") <(cat "$TMP/got" "$TMP/got.said")
		done
	done
}
differences=$(differences_of "$TMP/numbers.blog" "$TMP/numbers.many" size <<P
--where='size > 4096'
--where='took > 50 || arg2 >= 3 && !(arg1 < 7)'
--where='arg2 == "eth0"' --where='size < 100'
--where='long > 0'
--thread=second
--since=$middle --where='size >= 0 || step > 0'
-g 1 --stream=stdout
-g size -p warning --function='*syslog'
--format='s*'

P
)
same "numbers of every kind: the same of a packed log as of the capture" "" "$differences"
differences=$(differences_of "$TMP/varying.blog" "$TMP/varying.many" ratio <<'P'
--where='ratio > 0.5'
-g 'MB|%'

P
)
same "and of those that a server would say" "" "$differences"
same "also of two logs at once" "$("$show" --values=arg1 "$TMP/numbers.many" "$TMP/varying.many" 2>&1)" \
	"$("$show" --values=arg1 "$TMP/numbers.blog" "$TMP/varying.blog" 2>&1)"

# Random columns, nested in every way: a pattern that every text has is only found in messages.
for seed in 1 2 3 4 5 6; do
	python3 "$packed/make_log.py" $seed 3000 "$TMP/random.blog" "$TMP/random.txt" >/dev/null || not_ok "a random log is made"
	for report in --count --stats --values=arg1 --histogram=arg1 --rcdf=arg2 --values=d "--count --where=arg1<1000||arg2!=3" --intervals; do
		# shellcheck disable=SC2086
		cmp -s <("$show" $report "$TMP/random.blog" 2>/dev/null) <("$show" $report -g '^|$' "$TMP/random.blog" 2>/dev/null) ||
			echo "seed $seed: $report"
	done
done >"$TMP/differences"
same "of random columns the same as of the messages that they make" "" "$(cat "$TMP/differences")"

# ---- the slowest, and who has said it ----
cat >"$TMP/server.c" <<'END'
#include <stdio.h>
static void __attribute__((noinline)) answer(int i) { printf("request %d took %d us\n", i, i * 7919 % 1009), fflush(stdout); }
static void __attribute__((noinline)) serve_slowly(int i) { answer(i); __asm__ volatile(""); }
static void __attribute__((noinline)) serve(int i) { answer(i); __asm__ volatile(""); }
int main(void) { for (int i = 0; i < 1000; i++) i * 7919 % 1009 > 1000 ? serve_slowly(i) : serve(i); printf("slow: %d\n", 5); return 0; }
END
$CC -g -O1 -w -fno-optimize-sibling-calls -o "$TMP/server" "$TMP/server.c" || exit 1
BINLOG_DIR=$TMP/served LD_PRELOAD=$lib "$TMP/server" >/dev/null || exit 1
pack "$TMP/served.blog" "$TMP/served"
wanted=$(for i in {0..999}; do echo "$((i * 7919 % 1009)) $i"; done | sort -rn | head -n 2 | awk '{ print "request " $2 " took " $1 " us" }')
for path in served served.blog; do
	"$show" -q --largest took -n 2 --stacks "$TMP/$path" >"$TMP/got"
	same "$path: --largest shows the slowest requests" "$wanted" "$(grep '^[^ ]' "$TMP/got" | sed 's/.*stdout: //')"
	same "and with --stacks who has called" 2 "$(grep -c '#1 serve_slowly at .*server.c:3' "$TMP/got")"
	same "--location tells the place" "1000 server.c:2: answer" \
		"$("$show" -q --values took -L "$TMP/$path" | awk 'NR == 2 { print $1, $10, $11 }')"
done

printf '#include <stdio.h>\nint main(void) { printf("wide=%%300000d\\n", 7); return 0; }\n' >"$TMP/wide.c"
$CC -w -o "$TMP/wide" "$TMP/wide.c" && BINLOG_DIR=$TMP/wide.capture LD_PRELOAD=$lib "$TMP/wide" >/dev/null
same_file "a long text is shown whole" <("$show" -q "$TMP/wide.capture") <("$show" -q --largest=wide "$TMP/wide.capture")

# ---- what rules have left out ----
sed -n 2p <("$show" -q --rates "$TMP/served") | grep -o 'server+0x[0-9a-f]*' >"$TMP/at"
# A quarter of the time that all calls have taken, however fast the machine is; less if it has become faster.
quarter=$("$show" -q "$TMP/served" | awk '{ split($2, t, ":"); s = t[1] * 3600 + t[2] * 60 + t[3] } NR == 1 { first = s }
	END { printf "%d", (s - first) * 1e6 / 4 + 1 }')
for _ in 1 2 3 4 5 6 7 8; do
	printf '[rules]\nat %s rate 10/%sus\n' "$(cat "$TMP/at")" "$quarter" >"$TMP/conf"
	rm -rf "$TMP/ruled"
	BINLOG_CONFIG=$TMP/conf BINLOG_DIR=$TMP/ruled LD_PRELOAD=$lib "$TMP/server" >/dev/null || exit 1
	told=$("$show" -q "$TMP/ruled" | sed -n 's/.*(\([0-9]*\)x)$/\1/p' | paste -sd + | bc)
	[ "${told:-0}" -eq 0 ] || break
	quarter=$((quarter / 2 + 1))
done
pack "$TMP/ruled.blog" "$TMP/ruled"
left_out() { "$show" -q --stats --json "$1" | sed -n 's/.*"left_out":\([0-9]*\).*took.*/\1/p'; }
same "a rule leaves something out" 1 $((told > 0))
same "--stats: what rules have left out, at its place" "$told $told" "$(left_out "$TMP/ruled") $(left_out "$TMP/ruled.blog")"
moment=$("$show" -q --output=json "$TMP/ruled" | sed -n 's/.*"time_ns":\([0-9]*\)\([0-9]\{9\}\).*"event":"suppressed".*/@\1.\2/p' | head -n 1)
same "no first and last time of a place that has said nothing" "0 null null" \
	"$("$show" -q --stats --json --since="$moment" --until="$moment" "$TMP/ruled" |
		sed -n 's/.*"messages":\([0-9]*\).*"first":\([^,]*\),"last":\([^,]*\).*/\1 \2 \3/p')"

# ---- unsigned numbers around 2^63, where signed ones end ----
cat >"$TMP/near.c" <<'END'
#include <stdio.h>
int main(void) { for (long i = -1000; i < 3000; i++) printf("near=%lu\n", (1ul << 63) - i * 1001); return 0; }
END
$CC -w -o "$TMP/near" "$TMP/near.c" && BINLOG_DIR=$TMP/near.capture LD_PRELOAD=$lib "$TMP/near" >/dev/null
pack "$TMP/near.blog" "$TMP/near.capture"
deviation=$(python3 -c 'import statistics; print("%.0f" % statistics.pstdev(i * 1001 for i in range(-1000, 3000)))')
same "unsigned numbers around 2^63: how far they spread" "$deviation $deviation" \
	"$(for path in near.capture near.blog; do "$show" -q --values=near --json "$TMP/$path"; done |
		sed 's/.*"stddev":\([^,]*\).*/\1/' | paste -sd ' ')"

# ---- how many bars ----
cat >"$TMP/signs.c" <<'END'
#include <stdio.h>
int main(void) { for (int i = -50; i < 100; i++) printf("sign=%d\n", i); return 0; }
END
$CC -w -o "$TMP/signs" "$TMP/signs.c" && BINLOG_DIR=$TMP/signs.capture LD_PRELOAD=$lib "$TMP/signs" >/dev/null
bars() { "$show" -q --histogram=sign --json -n "$1" "$TMP/signs.capture" 2>&1 | sed 's/.*"messages":\([0-9]*\).*/\1/' | paste -sd ' '; }
same "the fewest bars are one of each sign" "50 100, 50 100" "$(bars 1), $(bars 0)"
same "and however many are asked for, one for each value is enough" 150 "$(bars 4000000000 | wc -w)"

# ---- forms ----
same "--count in JSON" '{"messages":1001}' "$("$show" -q --count --json "$TMP/served")"
same "nothing that is said: no numbers" "0" "$("$show" -q --count --format='no such' "$TMP/log.blog")"
cat >"$TMP/rude.c" <<'END'
#include <stdio.h>
int main(void) { printf("\33[31m\"size\"=%d\n", 3); return 0; }
END
$CC -w -o "$TMP/rude" "$TMP/rude.c" || exit 1
BINLOG_DIR=$TMP/impolite LD_PRELOAD=$lib "$TMP/rude" >/dev/null || exit 1
for report in --stats --values=size --intervals "--stats --json" "--values=size --json"; do
	# shellcheck disable=SC2086
	"$show" -q $report "$TMP/impolite" | grep -q "$(printf '\33')" && echo "$report"
done >"$TMP/got"
same "formats are shown without control characters" "" "$(cat "$TMP/got")"
same "in JSON they are whole" '["[31m\"size\"=%d\n"]' \
	"$("$show" -q --values=size --json "$TMP/impolite" | python3 -c 'import json, sys; print(json.dumps([json.loads(l)["format"].replace("\33", "") for l in sys.stdin]))')"

for style in stats rates intervals count; do
	printf '[output %s]\nto = %s\nstyle = %s\n' $style "$TMP/$style.txt" $style
done >"$TMP/config"
"$show" -q --config "$TMP/config" "$TMP/log.blog"
same "several kinds of numbers at once: each as alone" "$(for style in stats rates intervals count; do "$show" -q -o $style "$TMP/log.blog"; done)" \
	"$(cat "$TMP"/stats.txt "$TMP"/rates.txt "$TMP"/intervals.txt "$TMP"/count.txt)"

# ---- what a person can ask wrongly ----
wrong() { # SENTENCE EXPECTED OPTION...
	"$show" "${@:3}" "$TMP/log.blog" >"$TMP/got" 2>"$TMP/said"
	local status=$?
	[ $status -eq 2 ] && [ ! -s "$TMP/got" ] && [ "$(wc -l <"$TMP/said")" -eq 1 ] && grep -q "$2" "$TMP/said"
	verdict $? "$1" "status $status: $(cat "$TMP/said")"
}
wrong "an argument that no message has" "sizes: no numbers: no message has an argument with this name" --values=sizes
wrong "of a histogram, too" "no message has an argument" --histogram=sizes
wrong "and of the largest" "no message has an argument" --largest=sizes
wrong "what is no name" "not an argument: give the word before its directive" --values='size > 3'
wrong "a style without its argument" "shows an argument" --output=histogram
wrong "two kinds of numbers" "one of --count, --stats" --stats --count
wrong "no interval" "not an interval: give a number and ns" --per=10
wrong "an interval of nothing" "not an interval" --per=0s
wrong "one that is longer than can be counted" "not an interval" --per=300000d
wrong "so short an interval that there are too many" "too many stretches" --per=1ns
wrong "JSON of messages" "for messages give --output=json" --json
wrong "numbers that are followed" "shown at the end" --stats --follow
wrong "the wrong way round" "an order of their own" --stats --reverse

# ---- how fast: figures, of the fastest of five ----
figure() { # PATH OPTION...: millions of messages in a second of processor time
	python3 - "$show" "$@" <<'P'
import os, subprocess, sys
show, path, *options = sys.argv[1:]
best = 1e9
for _ in range(5):
    process = subprocess.Popen([show, "-q", *options, path], stdout=subprocess.DEVNULL)
    usage = os.wait4(process.pid, 0)[2]
    best = min(best, usage.ru_utime + usage.ru_stime)
print(f"    {' '.join(options)}: {10 / best:.0f} million a second, {best:.2f} s")
P
}
if [ -n "${LONG:-}" ]; then
	BINLOG_DIR=$TMP/long LD_PRELOAD=$lib "$TMP/varying" 10000000 >/dev/null
	pack "$TMP/long.blog" "$TMP/long"
	ok "ten million messages of a server, packed:"
	figure "$TMP/long.blog" --values took
	figure "$TMP/long.blog" --values arg1
	figure "$TMP/long.blog" --histogram took
	figure "$TMP/long.blog" --count --where 'took > 100 && arg4 == 0'
	figure "$TMP/long.blog" --values took --where 'took > 100'
	figure "$TMP/long.blog" --intervals
	figure "$TMP/long.blog" --largest took
	figure "$TMP/long.blog" --stats
	ok "and as they were captured:"
	figure "$TMP/long" --stats
	figure "$TMP/long" --values took
fi
finish
