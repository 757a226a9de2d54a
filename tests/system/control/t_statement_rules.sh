#!/bin/bash
# Rules by statement, in stripped programs that make their messages themselves and print them from one place: what is
# switched is in force for that statement at its next call, all others are untouched, and what cannot be told apart is
# refused in a sentence. The oracles are the source and the native run (tests/victims/statement_rules.c).
. tests/support/lib.sh
. tests/support/daemons.sh
unpacked
ctl=$BUILD/binlog-ctl
build statement_rules -O2
cp "$TMP/statement_rules" "$TMP/named"
strip "$TMP/statement_rules"
cd "$TMP" || exit 1

# ---- a program that goes on when it is told to ----
mkfifo steps
begin() { # PROGRAM
	rm -rf capture
	: >answers
	env BINLOG_DIR="$TMP/capture" LD_PRELOAD="$lib" "$1" <steps >/dev/null 2>written 3>answers &
	running=$!
	exec 7>steps
	turn=0
	seen=0
	step
}
has_answered() { [ "$(wc -l <answers)" -ge "$turn" ]; }
step() { # [LINE]: once more; what was said is in $said
	turn=$((turn + 1))
	echo "${1:-}" >&7
	until_true has_answered
	"$show" --raw -q capture 2>>complaint >all
	said=$(tail -n "+$((seen + 1))" all)
	seen=$(wc -l <all)
}
ends() {
	exec 7>&-
	wait "$running"
}
control() { "$ctl" "$running" "$@" >told 2>refused; }
lines=$(echo | "$TMP/statement_rules" 2>&1 3>/dev/null | wc -l)
native() { # what is said in this turn
	yes '' | head -n "$turn" | "$TMP/statement_rules" 2>&1 3>/dev/null | tail -n "$lines"
}
without() { native | grep -v -e "$1"; } # EXPRESSION
rule_drops() { # SENTENCE RULE EXPRESSION
	control rules= rule "$2"
	same "$1: nothing is refused" "0 " "$? $(cat refused)"
	step
	same "$1" "$(without "$3")" "$said"
}

begin "$TMP/statement_rules"
same "without a rule all is recorded" "$(native)" "$said"
rule_drops "a statement that is formatted into a buffer and printed elsewhere" 'format "Accepted %s:%d" drop' Accepted
rule_drops "one that is written by write()" 'format "%d: opened socket %d" drop' opened
rule_drops "several of them, by a glob" 'format "*socket*" drop' socket
rule_drops "a choice of two, where both match" 'format "the * step %d" drop' ' step '
rule_drops "all but one" 'called fprintf drop; format "*clients connected" capture' '^7:M \(Acc\|the\|as\|work\)\|^plain'
control rules=
step
same "without the rules they come back" "$(native)" "$said"

control rules= rule 'format "Accepted %s:%d" drop' 
control rule 'format "%d clients connected" drop'
same "a rule that is added leaves those before it as they were" "2 2" "$("$ctl" "$running" rules | grep -c through) $("$ctl" "$running" rules | tr ';' '\n' | grep -c through)"
"$ctl" "$running" rules >again
control rules=again
same "rules that are shown and given again are the same" "$(cat again)" "$("$ctl" "$running" rules)"
step
same "and both are in force" "$(without 'Accepted\|clients')" "$said"

control rules= rule 'not format "the *" drop'
step
same "not: what else has a format is dropped" "$(grep -e ' step ' -e socket -e made < <(native))" "$said"

# ---- what else rules can do ----
control rules= rule 'format "Accepted*" level debug' level=info
step
same "a level of its own: below that of the program" "$(without Accepted)" "$said"
control level=all
step
same "and above it" "$(native)" "$said"
control rules= rule 'format "Accepted*" sample 1/3'
for i in 1 2 3 4 5 6; do step; done
same "sample: one in three" 2 "$(tail -n 70 all | grep -c Accepted)"
control rules= rule 'format "Accepted*" rate 1/1h; format "*clients*" rate 2/1h'
before=$seen
for i in 1 2 3 4; do step; done
same "rate: each statement by itself" "1 2" "$(tail -n "+$((before + 1))" all | grep -c Accepted) $(tail -n "+$((before + 1))" all | grep -c clients)"
control rules= rule 'format "Accepted*" depth 1'
step
same "depth: one frame of this statement, more of the others" "1 1" "$("$show" -q --stacks capture |
	awk '/^[^ ]/ { name = /Accepted/ ? "a" : /clients/ ? "c" : ""; n[name] = 0; next } { n[name]++ } END { print n["a"], (n["c"] > 1) }')"
control rules= rule 'format "Accepted*" redact arg 1'
step
same "redact: all of the text, where its parts are not known" "$(without Accepted)" "$(grep -v bytes <<<"$said")"
same "redact: its length is there" 1 "$(grep -c 'bytes\]$' <<<"$said")"
control rules= rule 'format "Accepted*" redact password'
step
same "redact: what has no such argument stays" "$(native)" "$said"
control rules= rule 'format "Accepted*" pass'
: >written
step
same "pass: written, and not recorded" "$(without Accepted)|$(grep Accepted < <(native))" "$said|$(cat written)"
control rules= rule 'format "Accepted*" drop'
step f
same "a child obeys, too" "$(without Accepted)" "$said"
control depth=1
step
same "without a stack no statement is known" "$(native)" "$said"
control depth=
step
same "with it, it is" "$(without Accepted)" "$said"

# ---- what cannot be told apart ----
refuses() { # SENTENCE RULE WHY
	# No memory has zeros by chance.
	GLIBC_TUNABLES=glibc.malloc.perturb=85 control rules= rule "$2"
	same "$1: that is said" "1 1" "$? $(grep -c "^binlog-ctl: rules, line 1: cannot be told apart while it runs: .*$3" refused)"
	same "$1: and nothing behind it" "" "$(LC_ALL=C grep -E '[^ -~]|\\x[89a-f]' refused)"
	step
	same "$1: nothing is dropped" "$(native)" "$said"
}
refuses "a choice of two, of which one matches" 'format "the odd step*" drop' 'the odd step %d" in .*, its call may be given other texts'
refuses "a text that is made before" 'format "made before*" drop' 'made before %d.* its text is made first'
refuses "what a function ends with" 'format "as the last thing %d" drop' 'it is the last thing that its function does'
refuses "who says other things" 'format "on the work of others" drop' 'what it is given to says other things, too'
control rules= rule 'format "a*" drop'
step
same "of so short a glob no statements are looked for" "0  $(native)" "$? $(cat refused) $said"
ends

# ---- from the start, and by the function ----
printf '[rules]\nformat "Accepted %%s:%%d" drop\n' >conf
until_true test -s conf
rm -rf capture
echo | env BINLOG_DIR=capture "$BUILD/binlog-run" --config=conf "$TMP/statement_rules" 2>/dev/null 3>answers
turn=1
same "binlog-run: from the first call on" "$(without Accepted)" "$("$show" --raw -q capture)"
begin "$TMP/named"
rule_drops "func: a statement that prints through a function of the program" 'func display drop' displayed
rule_drops "func and format: the function that the statement is in" 'func accept_client format "%d: *" drop' 'socket'
control rules= rule 'func nobody format "Accepted*" drop'
step
same "in no other function" "$(native)" "$said"
ends

# ---- a daemon as the distribution has it ----
if type -P redis-server >/dev/null; then
	dir=$TMP
	preload=(LD_PRELOAD="$lib" BINLOG_DIR="$TMP/capture")
	as=()
	rm -rf capture
	mkdir -p "$dir/files"
	free_port
	start redis-server --port "$port" --bind 127.0.0.1 --save '' --loglevel verbose
	await redis listens
	running=$daemon
	comes() {
		exec 9<>"/dev/tcp/127.0.0.1/$port"
		exec 9<&-
	}
	said_so_far() { echo "$("$show" --raw -q "$TMP/capture" 2>/dev/null | grep -ac 'Accepted 127') $("$show" --raw -q "$TMP/capture" 2>/dev/null | grep -ac 'Client closed connection')"; }
	settled() { [ "$(said_so_far)" = "$1" ]; }
	come() { # SENTENCE COUNTS
		comes
		until_true settled "$2"
		same "$1" "$2" "$(said_so_far)"
	}
	come "redis: both of its statements" "1 1"
	control rule 'format "Accepted %s:%d" drop'
	same "redis: stripped, and its call of printf has another format" "0 1" "$? $("$ctl" "$running" rules | grep -c through)"
	come "redis: one is switched off, the other is not" "1 2"
	come "redis: and stays so" "1 3"
	control rules= level=info rule 'format "Client closed connection*" level debug'
	come "redis: a level of its own" "2 3"
	control rules= level=all
	come "redis: without rules" "3 4"
	stop TERM
else
	skip "redis: $(not_unpacked)"
fi
finish
