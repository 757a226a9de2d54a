#!/bin/bash
# Rules and levels, as the library obeys them: what is recorded and what is not, what calls return then, and that what is
# to be left out of the capture is nowhere in it. The oracles are the native run, and a run without the rule.
. tests/support/lib.sh
build rules -O2
pack=$BUILD/binlog-pack

said() { # DIR COMMAND...: natively, with descriptors 8 and 9 as files of DIR
	mkdir -p "$1"
	(cd "$1" && "${@:2}" >stdout 2>stderr 8>secret 9>results)
}
run() { # RULES WHAT...: recorded under these rules, in $TMP/run
	rm -rf "$TMP/run"
	printf '[rules]\n%s\n' "$1" >"$TMP/conf"
	said "$TMP/run" env BINLOG_CONFIG="$TMP/conf" BINLOG_DIR=capture LD_PRELOAD="$lib" "$TMP/rules" "${@:2}"
}
lines() { "$show" -q "$TMP/run/capture" | sed 's/^[^]]*\] //'; }
count() { lines | grep -c -- "$1"; }

# ---- secrets ----
said "$TMP/native" "$TMP/rules" secrets
secret=$(cat "$TMP/native/secret")
hides='format "*password=%*" redact password
format "token:*" redact token
format "pin=*" redact arg 1'
run "" secrets
found=$(grep -c "$secret" "$TMP/run"/capture/*.binlog)
verdict $((found == 0)) "without a rule the secret is in the capture"
for how in length hash; do
	run "${hides//redact/redact $how}" secrets
	[ "$how" = length ] || run "$(sed "s/\$/ hash/" <<<"$hides")" secrets
	[ "$how" = hash ] || run "$hides" secrets
	same "$how: no call returns anything else" "$(cat "$TMP/native/results")" "$(cat "$TMP/run/results")"
	same "$how: the secret is not in the capture" "" \
		"$(grep -la -e "$secret" -e 9876543210123 -e "${secret:0:12}" "$TMP/run"/capture/* "$TMP/run/stdout" "$TMP/run/stderr")"
	iconv -t UTF-32LE <<<"$secret" | head -c 64 >"$TMP/wide"
	verdict "$(LC_ALL=C grep -caFf "$TMP/wide" "$TMP/run"/capture/*.binlog | grep -c '[1-9]')" "$how: not as wide characters either"
	"$pack" "$TMP/run/capture" -o "$TMP/run/all.blog" 2>/dev/null
	"$show" -q --raw "$TMP/run/all.blog" >"$TMP/run/text" 2>&1
	same "$how: nor in a packed log" "" "$(grep -la -e "$secret" -e 9876543210123 "$TMP/run/all.blog" "$TMP/run/text")"
	same "$how: all messages are there" "$(($(wc -l <"$TMP/native/stdout") + 2))" "$(lines | wc -l)"
	same "$how: other arguments are as they were" 1 "$(count 'user=alice password=\[.*\] id=42$')"
done
same "equal values have equal hashes" 1 "$(lines | grep -o '#[0-9a-f]*' | sort | uniq -c | sort -rn | head -n 1 | awk '{ print ($1 > 4) }')"
run "$hides" secrets
same "lengths are told" 1 "$(count 'user=alice password=\[16 bytes\] id=42$')"
same "a precision counts" 1 "$(count '^stdout: password=\[12 bytes\]|    44|dora$')"
same "an errno is kept" 1 "$(count 'password=\[16 bytes\] Success$')"
same "what is not named stays" 1 "$(count 'nothing secret: gustav$')"
run 'redact *' secrets
same "redact *: every argument is left out" 0 "$(lines | grep -c -e alice -e gustav -e 42)"
rm -rf "$TMP/run"
said "$TMP/run" env BINLOG_REDACT=usual BINLOG_DIR=capture LD_PRELOAD="$lib" "$TMP/rules" secrets
same "BINLOG_REDACT=usual: the usual words need no rule" 0 "$(lines | grep -c "$secret")"
if [ "$(cat /proc/sys/kernel/core_pattern)" = core ] && ulimit -c unlimited 2>/dev/null; then
	for rule in "" "$hides"; do
		run "$rule" core 2>/dev/null
		core=$(find "$TMP/run" -maxdepth 1 -name 'core*' | head -n 1)
		[ -n "$core" ] || break
		"$show" --recover "$core" >"$TMP/run/core.blog" 2>/dev/null
		"$show" -q --raw "$TMP/run/core.blog" >"$TMP/run/core.text" 2>/dev/null
		verdict $(($(grep -c "$secret" "$TMP/run/core.text") > 0 ? ${#rule} > 0 : ${#rule} == 0)) \
			"${rule:+under the rules }a core has the secret in its captures: ${rule:+not }"
	done
	[ -n "$core" ] || skip "captures in core files: none is made here"
else
	skip "captures in core files: they are not written here"
fi

# ---- drop, pass, tee ----
said "$TMP/native" "$TMP/rules" used
run 'format "dropped*" drop' used
same "drop: calls return what they return natively" "$(cat "$TMP/native/results")" "$(cat "$TMP/run/results")"
same "drop: neither written nor recorded" "0 50" "$(wc -c <"$TMP/run/stdout") $(count '')"
run 'format "dropped*" pass' used
raw stdout "$TMP/run/capture" >"$TMP/run/recorded"
same "pass: written, not recorded, and the rest the other way round" \
	"$(sort "$TMP/native/stdout")" "$(sort "$TMP/run/stdout" "$TMP/run/recorded")"
same "pass: nothing of it counts as not recorded for want of room" "" "$("$show" "$TMP/run/capture" 2>&1 | grep -o '[1-9][0-9]* passed')"
run 'called puts +tee' many 100
same "+tee: recorded and written" "100 100" "$(grep -c 'a constant line' "$TMP/run/stdout") $(count 'a constant line')"

# ---- rates and samples ----
run 'format "first*" sample 1/10
format "second*" rate 5/1h
called syslog drop
called puts drop' many 1000
same "sample: one in ten" 100 "$(count 'first ')"
same "rate: so many, and no more" 5 "$(count 'second ')"
same "the others are as they were" "0 0 1000" "$(count 'third ') $(count 'a constant line') $(count 'another one')"
run 'format "first*" rate 1/1ms' many 20000
suppressed=$("$show" -q "$TMP/run/capture" | sed -n 's/.*(\([0-9]*\)x)$/\1/p' | awk '{ n += $1 } END { print n + 0 }')
shown=$(count 'first ')
verdict $((shown == 0 || shown > 5000 || shown + suppressed != 20000)) "rate: what was not recorded is told: $shown and $suppressed"
run 'format "first*" sample 1ms/10ms' many 20000
some=$(count 'first ')
verdict $((some == 0 || some > 15000)) "windows: a part of it: $some"
suppressed=$("$show" -q "$TMP/run/capture" | sed -n 's/.*(\([0-9]*\)x, a window begins)$/\1/p' | awk '{ n += $1 } END { print n + 0 }')
verdict $((some > 0 && $("$show" -q "$TMP/run/capture" | sed -n 's/.*first \([0-9]*\).*/\1/p' | tail -n 1) + 1 != some + suppressed)) \
	"windows are marked, with what is missing before them: $suppressed"

suppressed=$("$show" -q "$TMP/run/capture" | sed -n 's/.*(\([0-9]*\)x[^)]*)$/\1/p' | awk '{ n += $1 } END { print n + 0 }')
verdict $((some + suppressed != 20000)) "and at the end what is missing behind the last one: $suppressed"
cat >"$TMP/ends.c" <<'EOF'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	for (int i = 0; i < 100; i++)
		printf("often %d\n", i);
	fflush(stdout);
	switch (argc > 1 ? *argv[1] : 'r') {
	case 'e': exit(3);
	case '_': _exit(3);
	case 'a': abort();
	case 's': return *(volatile char *)8;
	case 't': raise(SIGTERM);
	case 'x': execl("/bin/true", "true", (char *)0);
	case 'f':
		if (!fork()) {
			for (int i = 0; i < 10; i++)
				printf("seldom %d\n", i);
			exit(0);
		}
		wait(0);
	}
	return 0;
}
EOF
cc -O1 -o "$TMP/ends" "$TMP/ends.c"
printf '[rules]\nformat "often*" rate 5/1h\nformat "seldom*" rate 2/1h\n' >"$TMP/conf"
ulimit -c 0
for way in return exit _exit abort segv term exec fork; do
	rm -rf "$TMP/ended"
	{ BINLOG_SIGNALS=all BINLOG_CONFIG="$TMP/conf" BINLOG_DIR="$TMP/ended" LD_PRELOAD="$lib" "$TMP/ends" "$way"; } >/dev/null 2>&1
	same "what a rule left out is told at the end: $way" "(95x)$([ $way = fork ] && echo ' (8x)')" \
		"$("$show" -q "$TMP/ended" | sed -n 's/.*\(([0-9]*x)\)$/\1/p' | sort -r | tr '\n' ' ' | sed 's/ $//')"
done
same "with its place" 95 "$("$show" -q --stats "$TMP/ended" | awk '/often/ { print $6 }')"

# ---- whole requests, and levels ----
cat >"$TMP/requests.c" <<'EOF'
#include <pthread.h>
#include <stdio.h>
static void *serve(void *number)
{
	for (int i = 0; i < 3; i++)
		printf("thread %ld step %d\n", (long)number, i);
	return number;
}
int main(void)
{
	pthread_t id;

	for (int i = 0; i < 200; i++) {
		printf("begin %d of %s\n", i, "all");
		printf("name of \"%s%d\": %d\n", "x", 1, i);
		puts("no argument");
		printf("end after %ld us: %d\n", 100L, i);
	}
	for (long i = 0; i < 100; i++)
		if (pthread_create(&id, NULL, serve, (void *)i) == 0)
			pthread_join(id, NULL);
	for (int i = 0; i < 200; i++) {
		printf("INFO: once %d\n", i);
		printf("DEBUG: often %d\n", i);
		printf("TRACE: ever %d\n", i);
	}
	return 0;
}
EOF
$CC -w -pthread -o "$TMP/requests" "$TMP/requests.c" || exit 1
requests() { # RULES
	rm -rf "$TMP/requests.captures"
	printf '[rules]\n%s\n' "$1" >"$TMP/requests.conf"
	BINLOG_CONFIG=$TMP/requests.conf BINLOG_DIR=$TMP/requests.captures LD_PRELOAD=$lib "$TMP/requests"
	"$show" -q --raw "$TMP/requests.captures" >"$TMP/requests.text"
}
requests 'format "begin*" sample 1/10 by arg 1
format "name*" sample 1/10 by arg 3
format "end*" sample 1/10 by arg 2
format thread* sample 1/4 by thread
format INFO* sample 1/10 per level; format DEBUG* sample 1/10 per level; format TRACE* sample 1/10 per level'
begun=$(sed -n 's/^begin \([0-9]*\) .*/\1/p' "$TMP/requests.text")
kept=$(echo "$begun" | wc -w)
verdict $((kept < 5 || kept > 50)) "sample by an argument: some of 200 requests: $kept"
same "of these all is there, wherever the argument is" "$begun $begun" \
	"$(sed -n 's/^name .*: //p' "$TMP/requests.text") $(sed -n 's/^end .*: //p' "$TMP/requests.text")"
kept=$(grep -c '^thread.*step 0' "$TMP/requests.text")
verdict $((kept < 5 || kept > 60)) "sample by thread: some of 100 threads: $kept"
same "of these all is there" "$kept $kept" "$(grep -c '^thread.*step 1' "$TMP/requests.text") $(grep -c '^thread.*step 2' "$TMP/requests.text")"
same "sample per level: the less important, the rarer" "200 20 2" \
	"$(grep -c '^INFO' "$TMP/requests.text") $(grep -c '^DEBUG' "$TMP/requests.text") $(grep -c '^TRACE' "$TMP/requests.text")"

# ---- categories are chosen ----
run 'format "first*" +capture category web
called syslog +capture category "the system"' many 20
for row in 'web 20' 'the?s* 20' 'rules 80' '* 120' 'nothing 0' 'w[!e]b 0'; do
	about=${row% *}
	same "--category='$about'" "${row##* }" "$("$show" -q --category="$about" "$TMP/run/capture" | wc -l)"
done
same "--category chooses what is about it, and counts it" "20 20" \
	"$("$show" -q --raw --category=web "$TMP/run/capture" | grep -c '^first ') $("$show" -q --count --category=web "$TMP/run/capture")"
printf '[rules]\ncalled puts +capture category "of the reader"\n[output a]\nto = -\ncategory = of the*\n' >"$TMP/reader"
same "--category goes by the rules of --config" 20 "$("$show" -q --config="$TMP/reader" "$TMP/run/capture" | grep -c 'a constant line$')"

# ---- the level that a rule gives is in the record ----
levels() { # INPUT [OPTION...]: those of all kinds of messages
	"$show" -q --columns=level,message "${@:2}" "$1" | awk '{ print $1, $2 }' | sort | uniq -c | sed 's/^ *//'
}
run 'format "first*" +capture level crit
format "a constant*" +capture level library
called syslog +capture level debug' many 20
wanted=$(printf '20 %s\n' 'crit first' 'debug third' 'info another' 'library a' 'warning second' | sort)
same "rules give levels" "$wanted" "$(levels "$TMP/run/capture" -g first -g second -g third -g constant -g another | sort)"
"$BUILD/binlog-pack" -q -o "$TMP/run/packed.blog" "$TMP/run/capture"
same "also in a packed log" "$wanted" "$(levels "$TMP/run/packed.blog" -g first -g second -g third -g constant -g another | sort)"
for input in "$TMP/run/capture" "$TMP/run/packed.blog"; do
	same "--priority goes by them (${input##*/})" 20 "$("$show" -q -p crit "$input" | wc -l)"
	same "syslog shows them (${input##*/})" 20 "$("$show" -q "$input" | grep -c '\.debug: .*third')"
done

# ---- who, and how important ----
run 'thread noisy drop' threads
same "thread: one of them" "200 quiet" "$("$show" -q --columns=thread,message "$TMP/run/capture" | awk '{ print $1 }' | sort | uniq -c | sed 's/^ *//')"
run 'program other drop' many 10
same "program: not this one" 10 "$(count 'first ')"
run 'program rules stream stdout drop' many 10
same "stream: one of them" "0 10" "$(count 'first ') $(count 'second ')"
for level in none err warning info debug all; do
	case $level in none) most=-1 ;; err) most=3 ;; warning) most=4 ;; info) most=6 ;; *) most=7 ;; esac
	rm -rf "$TMP/run"
	said "$TMP/run" env BINLOG_LEVEL=$level BINLOG_DIR=capture LD_PRELOAD="$lib" "$TMP/rules" levels
	same "level $level: what is as important, and nothing else" "$(seq 0 $most | sort)" \
		"$(lines | grep -o '\b[0-7]\b' | sort -u)"
done
run 'format "plain*" level debug
level debug drop' levels
same "rules go by the level that rules have set" 0 "$(count 'plain ')"
run 'format "syslog*" level 7-7 drop
format "first*" depth 1' levels
same "levels of syslog are those of the call" "7" "$(count 'syslog ')"

# ---- many of them ----
seq 10000 | sed 's/.*/format "no such format &*" drop/' >"$TMP/ten_thousand"
run "$(cat "$TMP/ten_thousand")" many 1000
same "10,000 rules that match nothing change nothing" "1000 1000 1000" "$(count 'first ') $(count 'second ') $(count 'another one')"
# ---- one file for both outputs: the descriptor tells how important a message is ----
cat >"$TMP/both.c" <<'EOF'
#include <stdio.h>
int main(void)
{
	for (int i = 0; i < 3; i++)
		printf("tells %d\n", i), fprintf(stderr, "warns %d\n", i);
	return 0;
}
EOF
$CC -o "$TMP/both" "$TMP/both.c"
BINLOG_LEVEL=warning BINLOG_DIR=$TMP/both.capture LD_PRELOAD=$lib "$TMP/both" >"$TMP/both.out" 2>&1
same "a level keeps what goes to standard error, also after 2>&1" "warns 0
warns 1
warns 2" "$("$show" -q --raw "$TMP/both.capture")"
finish
