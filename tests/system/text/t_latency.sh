#!/bin/bash
# A trigger by the time between two places: what was said around what has lasted too long is kept, and nothing else, and
# how long it took is told. The oracle is the program's own clock: its two readings lie around what is measured.
. tests/support/lib.sh
unpacked
build latency -O1

run() { # RULES HOW: in a ring of 64 KiB
	rm -rf "$TMP/run"
	mkdir "$TMP/run"
	printf '[rules]\n%s\n' "$1" >"$TMP/rules"
	(cd "$TMP/run" && BINLOG_CONFIG=$TMP/rules BINLOG_RING=64K BINLOG_DIR=capture LD_PRELOAD=$lib \
		exec "$TMP/latency" "$2" >/dev/null)
	look
}
look() {
	"$show" --raw "$TMP/run/capture" >"$TMP/got" 2>"$TMP/errors"
	sed -n 's/.* kept what was said around .*, \([0-9.]*\) ms after the mark: .*/\1/p' "$TMP/errors" >"$TMP/told"
}
# What is told lies between what the program has measured, but for how well the clock is known after so short a time; in
# one window there may be several. Nothing else is told.
told_right() { # thread|number
	awk -v who="$1" 'NR == FNR { if ($1 == who) { least[++n] = $2 / 1e6; most[n] = $3 / 1e6; sure += $2 > 2e8 } next }
		{ for (i = 1; i <= n && ($1 < least[i] * 0.998 || $1 > most[i] * 1.002); i++); if (i > n) print $1 " ms"; told++ }
		END { if ((sure && !told) || told > n) print told + 0 " were told of " n + 0 }' "$TMP/run/took" "$TMP/told" >"$TMP/why"
	[ ! -s "$TMP/why" ]
}
measured() { # SENTENCE [thread|number]
	told_right "${2:-thread}" && [ -s "$TMP/told" ]
	verdict $? "$1: $(paste -sd ' ' "$TMP/told") ms" "$(cat "$TMP/why" "$TMP/run/took" "$TMP/errors")"
}
none() { # SENTENCE [thread|number]: but where others had the processor
	told_right "${2:-nobody}" && { [ -n "${2:-}" ] || [ ! -s "$TMP/got" ]; }
	verdict $? "$1" "$(cat "$TMP/why" "$TMP/run/took" "$TMP/errors")"
}

rules='format "start * request*" mark request
format "done * request*" trigger since request over 200ms before 4ms after 4ms'
run "$rules" plain
measured "one slow request among 1,000"
same "it is there" "start a request 500
done a request 500" "$(grep ' 500$' "$TMP/got")"
verdict "$(($(wc -l <"$TMP/got") < 6 || $(wc -l <"$TMP/got") > 120))" \
	"with what was said around it, and nothing else: $(wc -l <"$TMP/got") of 2000 lines" "$(cat "$TMP/got")"
same "all of it one after the other" "" "$(awk '$NF != last && $NF != last + 1 && NR > 1 { print } { last = $NF }' "$TMP/got")"
same "the rule is told" 1 "$(grep -c 'a rule kept .*: format "done \* request\*" trigger since request over 200ms before 4ms after 4ms$' "$TMP/errors")"
run "${rules/200ms/10s}" plain
none "a longer limit is not met"
run "${rules/mark request/mark other}" plain
none "another mark does not count"
run "$rules
format \"start*\" mark off" plain
none "a mark can be taken back"
run "$rules" ended
none "a mark is measured once" thread
for by in "" " arg 2"; do
	run "$(sed "s/request\( over\|$\)/request$by\1/" <<<"$rules")" forked
	none "a forked child begins anew${by:+, also by an argument}"
done
run "$rules" threads
measured "threads have their own"
run "$rules" syslog
none "and so have texts that no rule is about"
run 'format "start request*" mark request
format "done request*" trigger since request over 200ms' syslog
measured "syslog"

by_number='format "start * request*" mark request arg 2
format "done * request*" trigger since request arg 2 over 200ms before 1ms'
run "$rules" turns
none "of requests at a time, a thread knows but the last" thread
run "$by_number" turns
measured "an argument tells them apart, whatever its type is" number
run "${by_number/mark request arg 2/mark request arg 3}" names
measured "or a text" number
run "${by_number/mark request arg 2/mark request arg 9}" turns
none "an argument that is not there is nobody's"

# While it runs.
rm -rf "$TMP/run"
mkdir "$TMP/run"
(cd "$TMP/run" && BINLOG_RING=64K BINLOG_TRIGGER=before=4ms BINLOG_DIR=capture LD_PRELOAD=$lib exec "$TMP/latency" waits >/dev/null) &
waits=$!
has_capture() { compgen -G "$TMP/run/capture/*.binlog" >"$TMP/name"; }
until_true has_capture
"$BUILD/binlog-ctl" $waits rules=- <<<"$rules" >"$TMP/ctl" 2>&1
verdict $? "binlog-ctl hands the rules over" "$(cat "$TMP/ctl")"
: >"$TMP/run/go"
wait $waits
look
measured "they hold from then on"
"$BUILD/binlog-run" --config "$TMP/rules" -o "$TMP/run/other" true
same "binlog-run takes them" 0 $?
for wrong in 'trigger since x|no limit' 'trigger since x over|no time' 'trigger since x over 5|not a time' \
	'mark|no name' 'mark x arg|no number of an argument' 'mark x arg 0|no such argument'; do
	printf '# a\n[rules]\n%s\n' "${wrong%%|*}" >"$TMP/rules"
	"$BUILD/binlog-run" --config "$TMP/rules" true 2>"$TMP/errors"
	same "refused: ${wrong%%|*}" "2 1 1" \
		"$? $(wc -l <"$TMP/errors") $(grep -c "^binlog-run: $TMP/rules:3:[0-9]*: .*${wrong#*|}: " "$TMP/errors")"
done

# A real one: a value that is sent late comes long after the command that asked for it. One thread has all clients.
if type -P memcached >/dev/null; then
	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	printf '[rules]\nformat "<%%d %%s*" mark command arg 1\n%s\n' \
		'format ">%d %s*" trigger since command arg 1 over 200ms before 20ms after 20ms' >"$TMP/rules"
	(BINLOG_CONFIG=$TMP/rules BINLOG_RING=64K BINLOG_DIR=$TMP/memcached LD_PRELOAD=$lib \
		exec memcached -vv -u root -t 1 -U 0 -l 127.0.0.1 -p "$port" >/dev/null 2>&1) &
	daemon=$!
	answers() { (exec 9<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; }
	until_true answers
	cat >"$TMP/client.py" <<-'END'
		"""client.py PORT: 200 quick commands of one client, while another sends its value 400 ms late in their middle"""
		import socket, sys, time
		def connect():
		    peer = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
		    return peer, peer.makefile("rb")
		quick, quick_answers = connect()
		slow, slow_answers = connect()
		def ask(number):
		    quick.send(b"set quick%d 0 0 2\r\nok\r\n" % number)
		    assert quick_answers.readline() == b"STORED\r\n"
		    time.sleep(0.002)
		for number in range(100):
		    ask(number)
		before = time.monotonic()
		slow.send(b"set late 0 0 2\r\n")
		begun = time.monotonic() + 0.002
		while time.monotonic() - begun < 0.4:
		    ask(number := number + 1)
		done = time.monotonic()
		slow.send(b"ok\r\n")
		assert slow_answers.readline() == b"STORED\r\n"
		print("thread", int((done - begun) * 1e9), int((time.monotonic() - before) * 1e9))
		for more in range(100):
		    ask(number + 1 + more)
	END
	mkdir -p "$TMP/run"
	python3 "$TMP/client.py" "$port" >"$TMP/run/took" 2>"$TMP/failed" || not_ok "memcached answers" "$(cat "$TMP/failed")"
	kill -s INT $daemon
	wait $daemon
	"$show" --raw "$TMP/memcached" >"$TMP/got" 2>"$TMP/errors"
	sed -n 's/.*, \([0-9.]*\) ms after the mark: .*/\1/p' "$TMP/errors" >"$TMP/told"
	measured "memcached: a value that came late"
	same "it is there" "set late 0 0 2" "$(grep -o 'set late.*' "$TMP/got")"
	verdict "$(grep -cE 'quick[0-9] ' "$TMP/got")" "and the beginning is not" "$(head -n 3 "$TMP/got")"
else
	skip "memcached: $(not_unpacked)"
fi
finish
