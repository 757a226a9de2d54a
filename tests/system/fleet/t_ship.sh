#!/bin/bash
# binlog-ship: what programs said is on the server, each message once, whoever dies meanwhile.  The oracle is binlog-show, of the
# same logs, and the server's own counting.
. tests/support/lib.sh
. tests/support/clickhouse.sh
ship=$BUILD/binlog-ship
cd "$TMP" || exit 1

cat >says.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <syslog.h>
static int count;
static void *says(void *number)
{
	for (int i = 0; i < count; i++)
		printf("worker %ld has done %d of %s in %.3f s\n", (long)number, i, i % 3 ? "many" : "fe\xffw", i / 1000.0);
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t threads[2];
	count = atoi(argv[1]);
	openlog("speaker", LOG_PID, LOG_DAEMON);
	syslog(LOG_ERR, "user %s has failed %u times", "guest", 4000000000u);
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, says, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	fprintf(stderr, "%d lines, %s\n", 2 * count, (char *)NULL);
	return 3;
}
C
$CC -g -O1 -w -o says says.c -pthread || exit 1
speak() { BINLOG_DIR=$1 LD_PRELOAD=$lib ./says "$2" >/dev/null 2>&1; }
clickhouse_make one
clickhouse_make two
clickhouse_start one
clickhouse_start two
to=clickhouse://127.0.0.1:$http_one/logs
shows() { "$show" -q "$@"; }
calls() { shows "$@" --raw --stream=stdout,stderr,syslog | wc -l; }

# ---- what is in the tables ----
mkdir some
speak some 1000
"$ship" --to="$to" some >out 2>said
verdict $? "captures are sent" "$(cat said)"
same "nothing is printed but a sum" "2002 messages of 1 logs sent" "$(tail -n 1 said | sed 's/^[0-9]* messages/2002 messages/')"
text() { # the texts, in order, from the server
	ask one "SELECT text FROM logs.messages WHERE event = '' ORDER BY source, number FORMAT RowBinary" >binary
	python3 -c '
import sys
data, at = open("binary", "rb").read(), 0
while at < len(data):
    size = shift = 0
    while True:
        byte = data[at]
        at += 1
        size |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            break
    sys.stdout.buffer.write(data[at:at + size] + (b"" if data[at:at + size].endswith(b"\n") else b"\n"))
    at += size'
}
text >got
"$show" -q --raw some >want
grep -av 'user guest' got >got.lines
grep -av 'user guest' want >want.lines
same_file "every text, byte for byte, in the order of the calls" want.lines got.lines
same "the times are those of binlog-show" "$(shows -o json some | grep -o '"time_ns":[0-9]*' | cut -d: -f2 | sort -n | md5sum)" \
	"$(ask one "SELECT time FROM logs.messages ORDER BY time" | sort -n | md5sum)"
same "arguments have names, types and values" "999 0.999 many 1998" "$(ask one "SELECT max(argument.integer[indexOf(argument.name, 'done')]),
	max(argument.number[indexOf(argument.name, 'in')]), max(argument.text[3]), countIf(argument.integer[2] > 0)
	FROM logs.messages WHERE statement IN (SELECT id FROM logs.statements WHERE format LIKE 'worker%')" | tr '\t' ' ')"
same "an unsigned one is what it is" "4000000000 guest speaker 3" "$(ask one "SELECT argument.number[2], argument.text[1], ident, severity FROM logs.messages WHERE ident != ''" | tr '\t' ' ')"
line=$(grep -n 'worker %ld' says.c | cut -d: -f1)
same "statements have their place" "says $TMP/says.c $line says" \
	"$(ask one "SELECT function, file, line, module FROM logs.statements WHERE format LIKE 'worker%'" | tr '\t' ' ')"
same "stacks have names" "says at $TMP/says.c:$line" \
	"$(ask one "SELECT DISTINCT frame[1] FROM logs.stacks WHERE id IN (SELECT stack FROM logs.messages WHERE text LIKE 'worker%')")"
same "runs have their program" "says ['./says','1000'] $(uname -n)" "$(ask one "SELECT program, argument, host FROM logs.runs" | tr '\t' ' ')"
same "events are rows, too" "end exited with status 3" "$(ask one "SELECT event, text FROM logs.messages WHERE event != ''" | tr '\t' ' ')"

# ---- once ----
many() { ask "${1:-one}" "SELECT count(), uniqExact(source, number) FROM logs.messages"; }
before=$(many)
"$ship" --to="$to" -q some >out 2>said
verdict $? "sent again: nothing is to be done"
same "and nothing comes twice" "$before" "$(many)"
rm some/*.shipped
"$ship" --to="$to" -q some
same "nor when nobody remembers: the server is asked" "$before" "$(many)"
cp some/*.binlog copy.binlog
"$ship" --to="$to" -q copy.binlog
same "nor under another name" "$before" "$(many)"
sed -i 's/^acknowledged.*/acknowledged 500/; s/^bytes.*/bytes 0/; /^whole/d; s/^sending.*/sending 500/' some/*.shipped
"$ship" --to="$to" -q some
same "what is remembered counts (here: less than was sent, by hand)" $(($(echo "$before" | cut -f1) * 2 - 500)) "$(many | cut -f1)"
ask one "DROP DATABASE logs"
for level in 0 19; do
	rm -f some/*.shipped
	"$ship" --to="$to" -q --compress=$level some
	text | grep -av 'user guest' >got.lines
	same_file "compressed by $level: every text, byte for byte" want.lines got.lines
	ask one "DROP DATABASE logs"
done

# ---- packed logs, growing ----
rm -f some/*.shipped
mkdir packed
"$BUILD/binlog-pack" -q some -o packed/one.blog
"$ship" --to="$to" -q packed
same "a packed log gives the same" "$before" "$(many)"
text | grep -av 'user guest' >got.lines
same_file "to the byte" want.lines got.lines
"$ship" --to="clickhouse://127.0.0.1:$http_two/logs" -q packed 2>said
same "it was sent elsewhere: the status" 2 $?
same "with a sentence" 1 "$(grep -c 'to send it to another server as well, give --state=DIR$' said)"
mkdir state
"$ship" --to="clickhouse://127.0.0.1:$http_two/logs" -q --state=state packed
same "with --state it is sent there, too" "$before" "$(many two)"
same "--status" "sent" "$("$ship" --status packed | awk '/one.blog/ { print $1 }')"
ask one "DROP DATABASE logs"
ask two "DROP DATABASE logs"

# ---- who dies ----
# With LONG=1: a thousand hosts, twenty million messages, 50 kills of the shipper and 10 of the server.
hosts=6 each=30000 kills=12 of_server=4
[ -z "${LONG:-}" ] || hosts=1000 each=10000 kills=50 of_server=5
mkdir fleet
for host in $(seq $hosts); do
	mkdir "fleet/$host"
	speak "fleet/$host" $each
done
wanted=$((hosts * (2 * each + 3)))
for turn in $(seq $kills); do
	"$ship" --to="$to" -q fleet 2>>said &
	shipper=$!
	sleep "$((RANDOM % ${LONG:+4}+1)).$((RANDOM % 10))$((RANDOM % 10))"
	if [ $((turn % of_server)) = 0 ]; then
		clickhouse_kill one
		sleep "0.$((RANDOM % 5))"
		clickhouse_start one
		sleep "0.$((RANDOM % 9))"
	fi
	kill -KILL $shipper
	wait $shipper 2>/dev/null
done
"$ship" --to="$to" -q fleet 2>said
verdict $? "after $kills kills it comes to its end" "$(cat said)"
same "each message of $hosts hosts is there once" "$wanted	$wanted" "$(many)"
mean=$(shows --values=done fleet/* | awk '/worker/ { print $1, $2, $4 }')
same "and the values are those that binlog-show counts" "$mean" \
	"$(ask one "SELECT count(), min(argument.integer[2]), max(argument.integer[2]) FROM logs.messages WHERE text LIKE 'worker%'" | tr '\t' ' ')"
finish
