#!/bin/bash
# binlog-ship with servers that have a keeper (zookeeper): each message once on each replica, whichever of them dies meanwhile.
. tests/support/lib.sh
. tests/support/clickhouse.sh
ship=$BUILD/binlog-ship
query=$BUILD/binlog-query
cd "$TMP" || exit 1

cat >says.c <<'C'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	for (int i = 0; i < atoi(argv[1]); i++)
		printf("request %d done, took=%u us\n", i, i * 2654435761u >> 12);
	return 0;
}
C
$CC -g -O1 -w -o says says.c || exit 1
says() { BINLOG_DIR=$1 LD_PRELOAD=$lib ./says "$2" >/dev/null; } # DIRECTORY MESSAGES

# ---- without a keeper ----
says alone 10
clickhouse_make plain
clickhouse_start plain
# shellcheck disable=SC2154 # clickhouse_make sets them
"$ship" -q --to="clickhouse://127.0.0.1:$http_plain/logs" alone
same "without a keeper all is sent" 0 $?
same "to tables that are not replicated" "5 0" \
	"$(ask plain "SELECT count(), countIf(engine LIKE 'Replicated%') FROM system.tables WHERE database = 'logs'" | tr '\t' ' ')"
clickhouse_kill plain

# ---- with one ----
is_long || finish
jars="${DEBS:-}/root/usr/share/java/*:/usr/share/java/*" # some of what it needs may be installed
compgen -G "${DEBS:-}/root/usr/share/java/zookeeper.jar" >/dev/null || [ -e /usr/share/java/zookeeper.jar ] || { skip "zookeeper: $(not_unpacked)"; finish; }
type -P java >/dev/null || { skip "java: not installed"; finish; }
keeper=$(free_port)
printf 'tickTime=500\ndataDir=%s/keeper\nclientPort=%s\nclientPortAddress=127.0.0.1\nadmin.enableServer=false\n4lw.commands.whitelist=ruok\n' "$TMP" "$keeper" >zoo.cfg
keeper_answers() { (exec 3<>"/dev/tcp/127.0.0.1/$keeper" && echo ruok >&3 && timeout 2 grep -q imok <&3); }
keeper_start() {
	java -cp "$jars" org.apache.zookeeper.server.quorum.QuorumPeerMain zoo.cfg >keeper.log 2>&1 </dev/null &
	keeper_pid=$!
	until_true keeper_answers 2>/dev/null
}
for server in one:1 mirror:1 two:2; do
	name=${server%:*}
	clickhouse_make "$name"
	echo "<zookeeper><node><host>127.0.0.1</host><port>$keeper</port></node><session_timeout_ms>3000</session_timeout_ms></zookeeper><interserver_http_host>127.0.0.1</interserver_http_host>
		<interserver_http_port>$(free_port)</interserver_http_port>
		<macros><shard>${server#*:}</shard><replica>$name</replica></macros>" >"clickhouse.$name/more.xml"
done
# shellcheck disable=SC2154 # clickhouse_make sets them
echo "<shard><internal_replication>true</internal_replication><replica><host>127.0.0.1</host><port>$tcp_one</port></replica>
	<replica><host>127.0.0.1</host><port>$tcp_mirror</port></replica></shard>
	<shard><replica><host>127.0.0.1</host><port>$tcp_two</port></replica></shard>" >clusters
keeper_start
for name in one mirror two; do clickhouse_start "$name"; done
# shellcheck disable=SC2154
to=clickhouse://127.0.0.1:$http_one,127.0.0.1:$http_mirror,127.0.0.1:$http_two/logs

for log in $(seq 12); do says logs $((log * 500)); done
"$ship" -q --cluster=fleet --to="$to" logs
same "all is sent" 0 $?
same "the tables are replicated" 10 "$(ask mirror "SELECT count() FROM system.tables WHERE database = 'logs' AND engine LIKE 'Replicated%' OR
	database = 'logs' AND engine = 'Distributed'")"
counts() { ask "$1" "SELECT count(), uniqExact(source, number) FROM logs.messages WHERE event = ''" | tr '\t' ' '; } # SERVER
mirrored() { [ "$(counts one)" = "$(counts mirror)" ]; }
total() { "$show" -q --count logs; }
all_there() { [ "$(ask two "SELECT count() FROM logs.all_messages WHERE event = ''")" = "$(total)" ]; }
until_true all_there
until_true mirrored # either of them is asked
same "each message once, of both shards" "$(total) $(total)" \
	"$(ask two "SELECT count(), uniqExact(source, number) FROM logs.all_messages WHERE event = ''" | tr '\t' ' ')"
same "both replicas have the same" "$(counts one)" "$(counts mirror)"

# ---- one replica, the keeper and the other replica die, in turn ----
for log in $(seq 8); do says logs 20000; done
"$ship" --follow --every=1 --cluster=fleet --to="$to" logs 2>said &
shipper=$!
clickhouse_kill mirror
sleep 1
kill -KILL $keeper_pid
wait $keeper_pid 2>/dev/null
for log in $(seq 8); do says logs 20000; done
sleep 3
keeper_start
# a server of 18.16 that starts before the keeper takes sessions ends, or hangs
writable() { [ "$(ask two 'SELECT max(is_readonly) FROM system.replicas')" = 0 ]; }
until_true writable
clickhouse_start mirror
clickhouse_kill one
for log in $(seq 8); do says logs 2000; done
sleep 1
clickhouse_start one
until_true all_there
until_true mirrored # either of them is asked
same "each message once" "$(total) $(total)" \
	"$(ask two "SELECT count(), uniqExact(source, number) FROM logs.all_messages WHERE event = ''" | tr '\t' ' ')"
same "and on both replicas" "$(counts one)" "$(counts mirror)"
kill -TERM $shipper
wait $shipper
same "the shipper ends" 0 $?
verdict "$(grep -qE '^binlog-ship: ' said && [ "$(wc -l <said)" -le 8 ]; echo $?)" "who was away was told of, and not again and again" "$(cat said)"

# ---- asked while a replica is away ----
clickhouse_kill one
"$show" -q --values=took logs >want
"$query" --cluster --at="clickhouse://127.0.0.1:$http_two/logs" --values=took >got 2>said
same "asked while a replica is away" 0 $?
same_file "it says what binlog-show says" want got
kill -KILL $keeper_pid
finish
