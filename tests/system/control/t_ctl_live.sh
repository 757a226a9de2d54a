#!/bin/bash
# binlog-ctl PID|DIR: what is switched is in force at once in a program that logs, at the next call of one that sleeps,
# and in all its children; under load nothing is lost or torn.  Messages are numbered by the programs themselves.
. tests/support/lib.sh
ctl=$BUILD/binlog-ctl
switches=${SWITCHES:-1000}
build switches
capture=$TMP/capture
cd "$TMP" || exit 1
start() { # ARGUMENTS of tests/victims/switches.c: until all of it waits or logs; its number into $running
	rm -rf "$capture" ready out
	setsid env LD_PRELOAD="$lib" BINLOG_DIR="$capture" "${environment[@]}" "$TMP/switches" "$@" >out 2>errors &
	running=$!
	until_true is_ready $((1 + ${*: -1}))
}
environment=()
is_ready() { [ "$(wc -l <ready)" -ge "$1" ]; } # N
ends() { # the program, and its children
	kill -TERM "$running"
	wait "$running" 2>/dev/null
}
control() { "$ctl" "$@" >>control.out 2>>control.err; }
recorded_lines() { raw stdout "$capture" 2>>errors; }
wake() { # all of them, and until each has said it, to $1 lines in all
	local pid
	for pid in $(cat ready); do kill -USR1 "$pid"; done
	until_true have_said "$1"
}
have_said() { [ "$(($(recorded_lines | wc -l) + $(wc -l <out)))" -ge "$1" ]; }
status_of() { # KEY: of the only capture
	"$ctl" "$running" status --json | python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"
}

# ---- how soon ----
nanoseconds() { date +%s%N; }
start clock 0
sleep 0.2
asked=$(nanoseconds)
"$ctl" "$running" level=err >told
done=$(nanoseconds)
sleep 0.2
again=$(nanoseconds)
control "$running" level=all
on_again=$(nanoseconds)
sleep 0.1
ends
last=$(recorded_lines | awk -v until="$again" '$1 < until { last = $1 } END { print last }')
next=$(recorded_lines | awk -v from="$again" '$1 >= from { print $1; exit }')
# It goes on in a tenth of a second where nobody else wants the processors.
soon=$(is_long && echo 100000000 || echo 10000000000)
verdict $((last < asked - 1000000000 || last > done + 100000000)) \
	"a program that logs in a loop: the last record is $(((last - asked) / 1000)) us after binlog-ctl was called, $(((last - done) / 1000)) us after it has said so ($(sed 's/.*: //' told))"
verdict $((next > on_again + soon)) "and the next one $(((next - on_again) / 1000)) us after it has said that all are recorded again"
same "what is below the level is nowhere else" 0 "$(wc -c <out)"

# ---- a program that sleeps, and its children ----
start sleep 3
wake 4
same "each of them is recorded" 4 "$(recorded_lines | wc -l)"
same "a program that sleeps: nobody waits for it" "switches[$running]: in force at its next call" "$("$ctl" "$running" off)"
wake 8
same "it and its children obey at their next call" "4 4" "$(recorded_lines | wc -l) $(wc -l <out)"
child=$(tail -n 1 ready)
same "a child is found, too, by its number" "switches[$child]: in force at its next call" "$("$ctl" "$child" on)"
wake 12
same "and its capture is that of all of them" "8 4" "$(recorded_lines | wc -l) $(wc -l <out)"
"$ctl" "$running" stdout=tee >/dev/null
wake 20
same "tee: recorded, and written" "12 8" "$(recorded_lines | wc -l) $(wc -l <out)"
"$ctl" "$capture" stdout=pass >/dev/null
wake 24
same "pass, of all in the directory: written only" "12 12" "$(recorded_lines | wc -l) $(wc -l <out)"
"$ctl" "$capture" stdout= >/dev/null
wake 28
same "nothing: as they were started" "16 12" "$(recorded_lines | wc -l) $(wc -l <out)"
"$ctl" "$running" level=none wait=0.05 >told
same "wait: the status says that it is not in force yet" "1 switches[$running]: in force at its next call" "$? $(cat told)"
for pid in $(cat ready); do kill -USR1 "$pid"; done
same "wait: until it is" 0 "$(timeout 10 "$ctl" "$running" depth=3 wait >/dev/null & waits=$!; sleep 0.1; kill -USR1 "$running"; wait $waits; echo $?)"
same "level=none: nothing is recorded, or written" "16 12" "$(recorded_lines | wc -l) $(wc -l <out)"
same "status says so" "True none 3" "$(status_of on) $(status_of level) $(status_of depth)"
same "and what was suppressed" 5 "$(status_of suppressed)"
"$ctl" "$running" level=all rule 'stream stdout +tee' >/dev/null
wake 30
"$ctl" "$running" rule 'format "%d %d*" depth 2' >/dev/null
same "rules in force" $'stream stdout +tee\nformat "%d %d*" depth 2' "$("$ctl" "$running" rules)"
lines=$(wc -l <out)
for pid in $(cat ready); do kill -USR1 "$pid"; done
until_true [ "$(wc -l <out)" -ge $((lines + 4)) ]
verdict $(($(wc -l <out) != lines + 4)) "a rule that adds tee: what is recorded is written, too"
echo 'stream stdout drop' | "$ctl" "$running" rules - >/dev/null
same "other rules instead, from standard input" "stream stdout drop" "$("$ctl" "$running" rules)"
"$ctl" "$running" rules= >/dev/null
same "none" "" "$("$ctl" "$running" rules)"
"$ctl" "$running" rule $'stream stdout depth 2 # \e[31m' >/dev/null
same "rules as they are, but on a terminal" "1 0 1" "$("$ctl" "$running" rules | grep -c $'\e') \
$(script -qec "$ctl $running rules" /dev/null </dev/null | tee terminal | grep -c $'\e') $(grep -c 'x1b\[31m' terminal)"
ends

# ---- 1,000 switches under load ----
start load 2 2
for ((i = 1; i <= switches; i++)); do
	control "$running" "$( ((i % 2)) && echo off || echo on)"
	((i % 7)) || control "$running" depth=$((i % 5 + 1))
done
until_true [ "$(status_of applied)" = "$(status_of version)" ]
ends
both=$({ recorded_lines; cat out; } | sort -k 1,1 -k 2,2n | awk -f "$here/support/follow_check.awk")
verdict $? "$switches switches under load: each number of each thread is there once, in the capture or the file: $both"
verdict $(($(wc -l <out) < 100 || $(recorded_lines | wc -l) < 100)) "and there are some in both" "$(wc -l out)"
"$show" "$capture" >/dev/null 2>complaint
same "nothing of the capture is damaged or lost" 0 "$(grep -cv captured complaint)"
same "binlog-ctl had no complaint" "" "$(cat control.err)"

start sleep 0
"$ctl" "$running" off wait >told 2>&1 & waits=$!
sleep 0.3
ends
wait $waits
same "wait: a program that ends without another call is waited for no longer" "1 switches[$running]: has ended" "$? $(cat told)"

# ---- programs that start later ----
later() { # one more program of the run, and where its line is: recorded, written
	LD_PRELOAD=$lib BINLOG_DIR=$capture seq 1 >>out
	echo "$(recorded_lines | wc -l) $(wc -l <out)"
}
start sleep 0
same "a program that starts later is recorded like others" "1 0" "$(later)"
same "off, of a directory: said, also for what starts later" "for what starts later|in force at its next call" \
	"$("$ctl" "$capture" off | sed 's/.*: //' | paste -sd '|')"
same "what starts later is not recorded then" "1 1" "$(later)"
control "$capture" on level=err
same "on, but only errors: it is nowhere" "1 1" "$(later)"
control "$capture" level=all rule 'program seq +tee'
same "all, and a rule: recorded and written" "2 2" "$(later)"
control "$capture" rules=
same "no rules" "3 2" "$(later)"
same "control.conf has the rest" "600 level = all|off = 0" "$(stat -c %a "$capture/control.conf") $(paste -sd '|' "$capture/control.conf")"
printf '# mine\nstreams = stderr=pass\nring = 1M\n[rules]\nprogram a drop\n[output x]\nfile = y\n' >"$capture/control.conf"
control "$capture" stdout=tee level=info rule 'program b drop' trigger
same "what else stands in it stays" "level = info|streams = stderr=pass,stdout=tee|# mine|ring = 1M|[output x]|file = y|[rules]|program a drop|program b drop" \
	"$(paste -sd '|' "$capture/control.conf")"
rm "$capture/control.conf"
add() { for j in {1..20}; do control "$1" rule "program p$2.$j drop" wait=0; done; } # PLACE WHO
add_all() { # PLACE: four at once
	local adders=() i
	for i in 1 2 3 4; do
		add "$1" $i &
		adders+=($!)
	done
	wait "${adders[@]}"
}
add_all "$capture"
same "four at once: no rule is lost" 80 "$(grep -c 'program p.* drop' "$capture/control.conf")"
same "nor in the program" 81 "$(status_of rules)"
control "$running" rules= wait=0
add_all "$running"
same "four at once in a process" 80 "$(status_of rules)"
same "without a complaint" "" "$(cat control.err)"
ends

# ---- the configuration, read again ----
printf 'level = err\n[rules]\nprogram x drop\n' >config
environment=(BINLOG_CONFIG=config)
start sleep 0
same "a program with a configuration" "err 1" "$(status_of level) $(status_of rules)"
printf 'level = info\ndepth = 5\n[rules]\nprogram y drop\nprogram z drop\n' >config
control "$running" reload
same "reload: as it is now" "info 5 program y drop|program z drop" \
	"$(status_of level) $(status_of depth) $("$ctl" "$running" rules | paste -sd '|')"
printf '[rules]\nloud\n' >config
"$ctl" "$running" reload >told 2>complaint
same "one that is wrong is refused, and named" "1 1 info" "$? $(grep -c 'config:2' complaint) $(status_of level)"
ends
environment=()

# ---- the log of a follower ----
start load 1 0
"$ctl" "$running" rotate >told 2>complaint
same "rotate: nobody follows" "1 1" "$? $(grep -c 'nothing to rotate' complaint)"
"$BUILD/binlog-pack" -q --follow "$capture" -o log.blog 2>pack.err &
packer=$!
has_some() { [ -n "$("$show" -q --raw log.blog | head -n 1)" ]; }
until_true has_some
"$ctl" "$running" rotate && until_true [ -s log-000001.blog ]
verdict $? "rotate: another log begins" "$(ls)"
"$ctl" "$capture" rotate && until_true [ -s log-000002.blog ]
verdict $? "and another one, of a directory"
ends
wait $packer
both=$("$show" -q --raw log.blog log-*.blog 2>complaint | awk -f "$here/support/follow_check.awk")
verdict $? "all logs together have everything once: $both" "$(cat complaint)"

# ---- who cannot be switched ----
says() { # SENTENCE STATUS WORDS ARGUMENTS...: one line on stderr, with these words
	"$ctl" "${@:4}" >told 2>complaint
	same "$1" "$2 1 1" "$? $(wc -l <complaint) $(grep -c -- "^binlog-ctl: .*$3" complaint)"
}
sleep 60 & stranger=$!
says "a process that is not recorded" 2 "it is not recorded: start it by binlog-run" $stranger level=err
kill $stranger
wait $stranger 2>/dev/null
says "a process that has ended" 2 "there is no such process" $stranger level=err
says "no process" 2 "there is no such process" 999999999999 level=err
# Root of a user namespace has no more rights over others than who made it.
lowered=()
[ "$(id -u)" -ne 0 ] || lowered=(setpriv --reuid=65534 --regid=65534 --clear-groups)
if "${lowered[@]}" unshare -r "$ctl" --version >/dev/null 2>why_not; then
	"${lowered[@]}" unshare -r "$ctl" 1 status >told 2>complaint
	same "a process that root may not look at: it is not told to become root" "2 1 1" \
		"$? $(wc -l <complaint) $(grep -c '^binlog-ctl: 1: the kernel lets not even root look at it' complaint)"
else
	skip "a process that root may not look at: $(cat why_not)"
fi
start sleep 0
says "a level that is not there" 2 "give emerg, alert, crit, err, warning, notice, info, debug, .*all or none" "$running" level=loud
says "no depth" 2 "give a number of frames" "$running" depth=65
says "no mode" 2 "give auto, replace, tee or pass" "$running" stdout=loud
says "a word that is not there" 2 "no such word" "$running" loud
says "a word without its value" 2 "its value is missing" "$running" level
says "a rule that is wrong" 2 "rule:1:" "$running" rule 'loud nonsense'
printf 'stream stdout drop\nloud\n' >rules
says "rules that are wrong: where" 2 "rules:2:1: " "$running" level=err rules=rules
says "a file of rules that is not there" 2 "No such file" "$running" rules=nowhere
same "then nothing is switched" "library 0" "$(status_of level) $(status_of version)"
ends
same "a directory where nobody runs" "0 " "$("$ctl" "$capture" status >told; echo $?) $(cat told | grep -v 'nobody writes')"
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
public=$(mktemp -d /tmp/binlog-ctl.XXXXXX) && chmod 755 "$public" && trap 'rm -rf "$public"' EXIT
if [ "$(id -u)" -eq 0 ] && cp "$ctl" "$public/ctl" && as_nobody "$public/ctl" --version >/dev/null 2>&1; then
	start sleep 0
	ctl="as_nobody $public/ctl"
	as_nobody "$public/ctl" "$running" level=err >told 2>complaint
	same "another user's process" "2 1" "$? $(grep -c "another user's" complaint)"
	ends
else
	skip "another user's process: that takes root"
fi
finish
