#!/bin/bash
# binlog-ship while something is wrong with the server, or what is between, or the clock: it is told in one sentence, and when it
# is over everything is on the server, once.  Wrong passwords, other tables and damaged logs are in t_ship_follow.
. tests/support/lib.sh
. tests/support/clickhouse.sh
ship=$BUILD/binlog-ship
cd "$TMP" || exit 1
clickhouse_make one
clickhouse_make small
clickhouse_start one
many() { ask "$1" "SELECT count(), uniqExact(source, number) FROM $2.messages WHERE event = ''" 2>&1; }
cat >says.c <<'C'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	for (int i = 0; i < atoi(argv[1]); i++)
		printf("request %d took %d us\n", i, i * 7 % 1000);
	return 0;
}
C
$CC -O1 -w -o says says.c || exit 1
says() { BINLOG_DIR=$1 LD_PRELOAD=$lib ./says "$2" >/dev/null; } # DIRECTORY MESSAGES
wanted() { "$show" -q --count "$@" | sed 's/.*/&\t&/'; }

# ---- a proxy that answers with errors ----
# Each request is, by chance, handed on; or answered with an error before that, or after; or cut off after, or in the middle.
cat >proxy.py <<'P'
import http.server, random, socket, sys, urllib.error, urllib.request
server, chance, log = sys.argv[1], random.Random(int(sys.argv[2])), open("troubles", "w")
class Proxy(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        trouble = chance.choice(["none"] * 5 + ["before", "after", "cut", "half", "empty"])
        if b"system" in body or trouble == "none":  # whether it is running, and what is there
            trouble = "none"
        else:
            print(trouble, file=log, flush=True)
        if trouble in ("cut", "half"):
            self.close_connection = True
        if trouble == "half":
            host, port = server.split(":")
            with socket.create_connection((host, int(port))) as upstream:
                head = f"POST {self.path} HTTP/1.1\r\nHost: {server}\r\nContent-Length: {len(body)}\r\n\r\n"
                upstream.sendall(head.encode() + body[:len(body) // 2])
        elif trouble in ("none", "after", "cut"):
            try:
                answer, status = urllib.request.urlopen(f"http://{server}{self.path}", body).read(), 200
            except urllib.error.HTTPError as error:
                answer, status = error.read(), error.code
        if trouble in ("cut", "half"):
            return
        if trouble != "none":
            answer, status = b"" if trouble == "empty" else b"<html><h1>Internal Server Error</h1>\n</html>", 500
        self.send_response(status)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
    def log_message(self, *_):
        pass
here = http.server.HTTPServer(("127.0.0.1", 0), Proxy)
print(here.server_port, flush=True)
here.serve_forever()
P
python3 proxy.py "127.0.0.1:$http_one" "${SEED:-1}" >port &
proxy=$!
until_true test -s port
for log in 1 2 3 4 5 6; do says logs $((log * 50000)); done
"$ship" -q --to="clickhouse://127.0.0.1:$(cat port)/logs" logs 2>said
verdict $? "a proxy that answers with errors, or cuts off: all is sent" "$(cat said)"
verdict "$([ "$(wc -l <troubles)" -ge 10 ]; echo $?)" "after $(wc -l <troubles) troubles" "$(sort troubles | uniq -c)"
same "each message once" "$(wanted logs)" "$(many one logs)"
same "and told in sentences" "" "$(grep -vE "^binlog-ship: 127.0.0.1:[0-9]*: not (reached: .*|an answer of ClickHouse, but status 500 of HTTP): it is tried again$" said)"
kill $proxy
cat >refuses.py <<'P'
import http.server
class Refuses(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(500)
        self.end_headers()
    def log_message(self, *_):
        pass
here = http.server.HTTPServer(("127.0.0.1", 0), Refuses)
print(here.server_port, flush=True)
here.serve_forever()
P
: >port
python3 refuses.py >port &
proxy=$!
until_true test -s port
says new 100
"$ship" -q --give-up=1 --to="clickhouse://127.0.0.1:$(cat port)/logs" new 2>said
same "a server that always answers with 500: the status" 2 $?
same "and one sentence" "binlog-ship: 127.0.0.1:$(cat port): not an answer of ClickHouse, but status 500 of HTTP: it is tried again" "$(cat said)"
kill $proxy

# ---- a shipper dies whose request waits at the server ----
rounds=6
[ -z "${LONG:-}" ] || rounds=40
for ((round = 1; round <= rounds; round++)); do
	says waits 150000
	"$ship" -q --to="clickhouse://127.0.0.1:$http_one/waits" waits 2>said &
	shipper=$!
	until_true sh -c "grep -q '^request ' waits/*.shipped && ! grep -q '^whole' \$(ls -t waits/*.shipped | head -n 1)"
	sleep "0.0$((RANDOM % 9))"
	kill -STOP "$pid_one"
	sleep "0.0$((RANDOM % 9))"
	kill -KILL $shipper
	wait $shipper 2>/dev/null
	# The process that read for the other may hold the log for a moment.
	until "$ship" -q --to="clickhouse://127.0.0.1:$http_one/waits" waits 2>said; do sleep 0.05; done &
	shipper=$!
	sleep 0.2
	kill -CONT "$pid_one"
	wait $shipper
done
same "after $rounds shippers that died while the server stood still: each message once" "$(wanted waits)" "$(many one waits)"

# ---- one of two servers is away ----
clickhouse_make two
clickhouse_start two
clickhouse_kill one
# which server a log falls to is a random bit of it: of 48 logs each server has some
logs=48
for ((log = 1; log <= logs; log++)); do says both $((log * 100)); done
"$ship" -q --to="clickhouse://127.0.0.1:$http_one,127.0.0.1:$http_two/both" both 2>said &
shipper=$!
all_of_the_other() { [ "$("$ship" --status both | grep -c '^sent')" -ge 1 ] && grep -q 'not reached' said; }
until_true all_of_the_other
verdict $? "one of two servers is away: the other gets its logs" "$("$ship" --status both; cat said)"
kill -0 $shipper
verdict $? "and it goes on"
clickhouse_start one
wait $shipper
same "until all are sent" 0 $?
same "each message once" "$(wanted both | cut -f1)" "$(($(many one both | cut -f1) + $(many two both | cut -f1)))"
same "on the server that it falls to" $logs "$(($(ask one 'SELECT uniqExact(source) FROM both.messages') + $(ask two 'SELECT uniqExact(source) FROM both.messages')))"
clickhouse_kill one
"$ship" -q --give-up=1 --state=. --to="clickhouse://127.0.0.1:$http_one,127.0.0.1:$http_two/both" new both 2>said
same "it gives up where one takes nothing: the status" 2 $?
clickhouse_kill two
"$ship" -q --give-up=3 --state=. --to="clickhouse://127.0.0.1:$http_one,127.0.0.1:$http_two/both" new both 2>said
same "of two that are away each is told of once" 2 "$(grep -c 'not reached' said)"
clickhouse_start one

# ---- many logs are read by one process: nothing of one is used for the next when it has gone ----
if type -P valgrind >/dev/null; then
	for log in 1 2 3; do BINLOG_DIR=shared LD_PRELOAD=$lib ls -l / >/dev/null; done
	valgrind -q --trace-children=yes "$ship" -q --to="clickhouse://127.0.0.1:$http_one/shared" shared 2>said
	same "valgrind sees nothing wrong: the status" 0 $?
	same "and says nothing" "" "$(cat said)"
	same "each message once" "$(wanted shared)" "$(many one shared)"
else
	skip "valgrind: not installed"
fi

# ---- a log ends its reader ----
if strace -f -o /dev/null true 2>/dev/null; then
	says ends 10
	says ends 20
	says ends 30
	bad=$(ls ends/*.binlog | sed -n 2p)
	strace -f -o /dev/null -P "$TMP/$bad" -e trace=read,pread64 -e inject=read,pread64:signal=KILL "$ship" -q --to="clickhouse://127.0.0.1:$http_one/ends" "$TMP/ends" 2>said
	same "a log that ends its reader: the status" 2 $?
	same "is the one that is told of" "binlog-ship: $TMP/$bad: not sent: reading it has ended the process that does: look at it with binlog-show, and tell us" "$(cat said)"
	same "the others are sent" "$(wanted $(ls ends/*.binlog | grep -vF "$bad"))" "$(many one ends)"
else
	skip "strace: does not work here"
fi

# ---- the clock is set while the server is away ----
faketime=$(ls /usr/lib/*-linux-gnu*/faketime/libfaketime.so.1 2>/dev/null | head -n 1)
if [ -n "$faketime" ]; then
	clickhouse_kill one
	echo "+0" >clock
	LD_PRELOAD=$faketime FAKETIME_TIMESTAMP_FILE=clock FAKETIME_NO_CACHE=1 FAKETIME_DONT_FAKE_MONOTONIC=1 \
		"$ship" -q --give-up=60 --to="clickhouse://127.0.0.1:$http_one/clock" new 2>said &
	shipper=$!
	until_true grep -q 'not reached' said
	echo "+2h" >clock
	sleep 1
	echo "-3y" >clock
	sleep 1
	kill -0 $shipper 2>/dev/null
	verdict $? "hours go by on a clock that is set: it does not give up for that" "$(cat said)"
	clickhouse_start one
	wait $shipper
	same "and comes to its end" 0 $?
	same "each message once" "$(wanted new)" "$(many one clock)"
else
	skip "libfaketime: not installed"
fi

# ---- a server without room ----
disk=clickhouse.small/data
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=24m none "$disk" 2>/dev/null; then
	clickhouse_start small
	to=clickhouse://127.0.0.1:$http_small/full
	says first 10
	"$ship" -q --to="$to" first
	dd if=/dev/zero of=$disk/filler 2>/dev/null
	for log in 1 2 3; do says more 20000; done
	# what the server frees meanwhile is filled as well
	(while [ ! -e told ]; do dd if=/dev/zero of=$disk/more oflag=append conv=notrunc 2>/dev/null; done) &
	filler=$!
	is_full() { [ -e $disk/more ] && [ "$(stat -f -c %a "$disk")" = 0 ]; }
	until_true is_full
	"$ship" -q --give-up=2 --to="$to" more 2>said
	same "a server without room: the status" 2 $?
	verdict "$([ "$(wc -l <said)" = 1 ] && grep -qE "^binlog-ship: 127.0.0.1:$http_small: the server has no room: it is tried again$" said; echo $?)" \
		"and one sentence" "$(cat said)"
	"$ship" --follow --to="$to" more 2>said &
	shipper=$!
	until_true grep -q 'has no room' said
	touch told
	wait $filler
	truncate -s -8M $disk/filler
	rm $disk/filler $disk/more
	all_are_there() { [ "$(many small full)" = "$(wanted first more)" ]; }
	until_true all_are_there
	same "when there is room all is sent, once" "$(wanted first more)" "$(many small full)"
	kill -TERM $shipper
	wait $shipper
	same "and it was told once" 1 "$(grep -c 'has no room' said)"
	grep -q 'has no room' said || cat said
	clickhouse_kill small
	umount "$disk"
else
	skip "a server without room: no file system can be mounted"
fi
finish
