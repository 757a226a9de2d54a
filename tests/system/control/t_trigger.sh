#!/bin/bash
# A ring that waits: what was said around something that has happened is kept, and nothing else.
. tests/support/lib.sh
unpacked
build trigger -O2

run() { # TRIGGER HOW SECONDS RATE: in a ring of 256 KiB
	rm -rf "$TMP/run"
	mkdir "$TMP/run"
	{ # the shell says "Killed" when it was
		(cd "$TMP/run" && BINLOG_RING=${RING:-256K} BINLOG_TRIGGER=$1 BINLOG_DIR=capture LD_PRELOAD=$lib \
			exec "$TMP/trigger" "${@:2}" >/dev/null)
		true
	} 2>/dev/null
	"$show" --raw "$TMP/run/capture" >"$TMP/got" 2>"$TMP/errors"
}
# The lines that are shown are those from BEFORE to AFTER milliseconds around it, and no other.
around() { # BEFORE AFTER: what is wrong
	od -An -v -tu8 -w8 "$TMP/run/times" | awk '$1 == 0 { exit } { print $1 }' >"$TMP/times"
	awk -v before="$1" -v after="$2" '
		FNR == 1 { part++ }
		part == 1 && FNR == 1 { early = $1; next }
		part == 1 && FNR == 2 { late = $1; next }
		part == 1 { time[lines = FNR - 2] = $1; next }
		/^ERROR/ { next }
		!/^line [0-9]+$/ { print "line " FNR ": " $0; next }
		first && $2 != last + 1 { print $2 " after " last }
		!first { first = $2 }
		{ last = $2 }
		END {
			if (!first) { print "nothing"; exit }
			for (n = 1; n <= lines; n++) # in the window, wherever between these it lies
				if (time[n] - late > (-before + 3) * 1e6 && time[n] - early < (after - 3) * 1e6 &&
					(n < first || n > last) && misses++ < 3)
					print "line " n " is missing, " (time[n] - late) / 1e6 " ms from it"
			if (time[first] - early < (-before - 5) * 1e6)
				print "line " first " is too old: " (time[first] - early) / 1e6
			if (time[last] - late > (after + 5) * 1e6)
				print "line " last " is too young: " (time[last] - late) / 1e6
		}' "$TMP/times" "$TMP/got" | head -n 8
}
kept() { # SENTENCE BEFORE AFTER COMMAND...: again if somebody else had the processor
	local why turn
	for turn in 1 2 3; do
		"${@:4}"
		why=$(around "$2" "$3")
		[ -n "$why" ] || break
	done
	verdict ${#why} "$1: $(wc -l <"$TMP/got") of $(wc -l <"$TMP/times") lines" "$why"
}
said() { # SENTENCE PATTERN
	grep -qE "$2" "$TMP/errors"
	verdict $? "$1" "$(cat "$TMP/errors")"
}

kept "80 ms before a signal that kills" 80 0 run signal,before=80ms signal 1 20000
said "what has kept it is said" 'a signal kept what was said around 20'
same "all of it was there" "" "$(grep overwritten "$TMP/errors")"
RING=16K run signal signal 1 20000
said "what it would have kept, had it been there, is said" 'what was said before 20.* had been overwritten by then'
kept "80 ms before an exit with another status than 0" 80 0 run exit,before=80ms status 1 20000
kept "40 ms before and 70 ms after a child has failed, overwritten many times since" 40 70 \
	run exit,before=40ms,after=70ms child 2 200000
size=$(($(du -k "$TMP"/run/capture/*.binlog | cut -f 1)))
verdict $((size > 1200)) "which takes little" "$size K"
"$show" -q --raw --all "$TMP/run/capture" >"$TMP/all"
verdict $(($(wc -l <"$TMP/all") <= $(wc -l <"$TMP/got"))) "--all shows what the ring holds, too" "$(wc -l "$TMP/all" "$TMP/got")"
same "and its end" "line $(($(wc -l <"$TMP/times") - 2))" "$(tail -n 1 "$TMP/all")"
run exit,before=40ms signal 1 20000
same "what is not waited for keeps nothing" 0 "$(wc -c <"$TMP/got")"
said "but that is said" 'nothing of it is shown: its ring waits for something.*--all'
run signal,exit nothing 1 20000
same "nor does what has not happened" 0 "$(wc -c <"$TMP/got")"
"$show" --raw -q "$TMP/run/capture" >/dev/null 2>&1
same "which is no damage" 0 $?
verdict $(($("$show" --raw -q --all "$TMP/run/capture" | wc -l) < 5000)) "--all shows it" "$(wc -l <"$TMP/got")"
"$BUILD/binlog-pack" -o "$TMP/none.blog" "$TMP/run/capture" >"$TMP/errors" 2>&1
said "binlog-pack says it as well" 'nothing of it is shown'
run kill kill 1 20000
last=$(awk '/^line/ { if (last && $2 != last + 1) bad = 1; last = $2 } END { print bad ? "a gap" : last }' "$TMP/got")
verdict $((last < 9000 || last + 1 < $(od -An -v -tu8 -w8 "$TMP/run/times" | awk '$1 { n++ } END { print n - 2 }'))) \
	"SIGKILL: all that the ring holds" "up to $last"
run kill nothing 0.5 20000
same "which did not come" 0 "$(wc -c <"$TMP/got")"
run before=1s nothing 0.5 20000
same "a ring that waits for rules alone shows nothing" 0 "$(wc -c <"$TMP/got")"

# Rules, and binlog-ctl.
printf "[rules]\n%s\n" 'format "ERROR*" trigger before 50ms after 30ms' >"$TMP/rules"
run_by_rule() {
	rm -rf "$TMP/run"
	mkdir "$TMP/run"
	(cd "$TMP/run" && BINLOG_CONFIG=$TMP/rules BINLOG_RING=256K BINLOG_DIR=capture LD_PRELOAD=$lib \
		exec "$TMP/trigger" error 2 200000 >/dev/null)
	"$show" --raw "$TMP/run/capture" >"$TMP/got" 2>"$TMP/errors"
}
kept "a rule: 50 ms before and 30 ms after a line" 50 30 run_by_rule
same "and the line itself" 1 "$(grep -c '^ERROR: out of luck$' "$TMP/got")"
said "that it was a rule is said" 'a rule kept what was said'

# Real ones: requests are numbered, an error comes in the middle of them.
cat >"$TMP/client.py" <<'END'
"""client.py memcached|nginx PORT COMMAND...: numbered requests for two seconds; after one an error, then the command"""
import socket, subprocess, sys, time
def connect():
    peer = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
    return peer, peer.makefile("rb")
def get(number):
    if sys.argv[1] == "memcached":
        peer.send(b"get key%d\r\n" % number)
        return answers.readline()
    peer.send(b"GET /page?number=%d HTTP/1.1\r\nHost: here\r\n\r\n" % number)
    read_page()
def read_page():
    length = 0
    while (line := answers.readline()) != b"\r\n":
        if line.lower().startswith(b"content-length:"):
            length = int(line.split()[1])
    answers.read(length)
def fail():
    if sys.argv[1] == "memcached":
        peer.send(b"bogus\r\n")
        assert answers.readline() == b"ERROR\r\n"
    else:
        peer.send(b"GET /missing HTTP/1.1\r\nHost: here\r\n\r\n")
        read_page()
    if sys.argv[3:]:
        subprocess.run(sys.argv[3:], check=True, stdout=subprocess.DEVNULL)
peer, answers = connect()
start, number, failed = time.monotonic(), 0, 0
while time.monotonic() - start < 2:
    number += 1
    if not failed and time.monotonic() - start > 1:
        failed = time.monotonic()
        fail()
        if sys.argv[3:]: # it is noticed at the next call
            failed = time.monotonic()
        print("error", failed)
    print(number, time.monotonic())
    get(number)
    time.sleep(0.0005)
END
numbers_kept() { # NAME BEFORE AFTER SLACK PATTERN: seconds; numbers are what is left without PATTERN
	sed -nE "s/$5/\\1/p" "$TMP/got" | sort -nu >"$TMP/numbers"
	awk -v before="$2" -v after="$3" -v slack="$4" '
		FNR == NR && $1 == "error" { at = $2; next }
		FNR == NR { time[$1] = $2; lines++; next }
		{ shown[$1] = 1; count++ }
		END {
			for (n in time) {
				off = time[n] - at
				if (off > -before + slack && off < after - slack && !(n in shown) && misses++ < 3)
					print n " is missing, " off " s from it"
				if ((off < -before - slack || off > after + slack) && n in shown && extra++ < 3)
					print n " should not be there, " off " s from it"
			}
			if (count < 20 || lines < 3 * count) print count + 0 " of " lines
		}' "$TMP/said" "$TMP/numbers" >"$TMP/why"
	[ ! -s "$TMP/why" ] || [ -z "${again:-}" ] || return 1
	verdict "$(wc -l <"$TMP/why")" "$1: $(wc -l <"$TMP/numbers") of $(wc -l <"$TMP/said") requests" \
		"$(cat "$TMP/why" "$TMP/errors"; head -n 3 "$TMP/got")"
}
free_port() {
	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
}
answers() { (exec 9<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; }
try() { # NAME COMMAND...: in $TMP/NAME, with the client's own COMMAND in ${command[@]}
	rm -rf "$TMP/$1/capture"
	(cd "$TMP/$1" && BINLOG_DIR=$TMP/$1/capture LD_PRELOAD=$lib exec "${@:2}" >/dev/null 2>&1) &
	daemon=$!
	until_true answers
	python3 "$TMP/client.py" "$1" "$port" "${command[@]}" >"$TMP/said" 2>"$TMP/failed" ||
		not_ok "$1 answers" "$(cat "$TMP/failed")"
	kill -s INT $daemon
	wait $daemon
	"$show" --raw "$TMP/$1/capture" >"$TMP/got" 2>"$TMP/errors"
}
if type -P memcached >/dev/null; then
	free_port
	mkdir "$TMP/memcached"
	command=("$BUILD/binlog-ctl" "$TMP/memcached/capture" trigger)
	for again in yes yes ""; do
		BINLOG_RING=64K BINLOG_TRIGGER=before=200ms,after=100ms try memcached \
			memcached -vv -u root -t 2 -U 0 -l 127.0.0.1 -p "$port"
		numbers_kept "memcached: what was said around an error that a client saw, by binlog-ctl" 0.2 0.1 0.03 \
			'^<[0-9]+ get key([0-9]+)$' && break
	done
	grep -q ' ERROR' "$TMP/got"
	verdict $? "and the error is among it"
else
	skip "memcached: $(not_unpacked)"
fi
if type -P nginx >/dev/null; then
	free_port
	mkdir -p "$TMP/nginx/www"
	echo "a page" >"$TMP/nginx/www/page"
	cat >"$TMP/nginx/conf" <<-END
		$([ "$(id -u)" -ne 0 ] || echo "user root;")
		daemon off;
		pid nginx.pid;
		error_log error.log error;
		events { worker_connections 64; }
		http {
			access_log access.log;
			client_body_temp_path tmp;
			proxy_temp_path tmp;
			fastcgi_temp_path tmp;
			uwsgi_temp_path tmp;
			scgi_temp_path tmp;
			keepalive_requests 1000000;
			server { listen 127.0.0.1:$port; root www; }
		}
	END
	printf '[rules]\nstream file:*/error.log trigger before 200ms after 100ms\n' >"$TMP/rules"
	command=()
	for again in yes yes ""; do
		BINLOG_CONFIG=$TMP/rules BINLOG_RING=64K BINLOG_STREAMS="file:$TMP/nginx/*.log=replace" try nginx \
			nginx -p "$TMP/nginx/" -c "$TMP/nginx/conf" -e error.log
		numbers_kept "nginx: what was said around an error, by a rule" 0.2 0.1 0.03 \
			'.*page\?number=([0-9]+) .*' && break
	done
	grep -q 'open() .*missing" failed' "$TMP/got"
	verdict $? "and the error is among it" "$(grep -a missing "$TMP/got")"
else
	skip "nginx: $(not_unpacked)"
fi
finish
