#!/bin/bash
# binlog-ship --follow: logs that grow, captures that end, several servers; and what is wrong is told in one sentence.
# The oracle is binlog-show, of the same logs.
. tests/support/lib.sh
. tests/support/clickhouse.sh
ship=$BUILD/binlog-ship
cd "$TMP" || exit 1
clickhouse_make one
clickhouse_make two
clickhouse_start one
clickhouse_start two
to=clickhouse://127.0.0.1:$http_one/logs
many() { ask "${1:-one}" "SELECT count(), uniqExact(source, number) FROM ${2:-logs.messages} WHERE event = ''" 2>/dev/null; }
has() { [ "$(many "${@:2}")" = "$1	$1" ]; } # MESSAGES [SERVER [TABLE]]
within() { # SECONDS COMMAND...
	local end=$(($(date +%s) + $1))
	until "${@:2}"; do
		[ "$(date +%s)" -lt $end ] || return 1
		sleep 0.1
	done
}

# ---- what grows ----
cat >talks.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	for (int i = 0; i < atoi(argv[1]); i++) {
		printf("request %d took %d us\n", i, i * 7 % 1000);
		if (i % 1000 == 999)
			usleep(atoi(argv[2]));
		while (i == 50000 && argc > 3 && access(argv[3], F_OK) != 0)
			usleep(1000);
	}
	return 0;
}
C
$CC -O1 -w -o talks talks.c || exit 1
mkdir captures packed
"$BUILD/binlog-pack" -q --follow=captures --rotate-size=64K -o packed/host.blog 2>pack.said &
packer=$!
BINLOG_DIR=captures LD_PRELOAD=$lib ./talks 150000 20000 go >/dev/null &
talker=$!
"$ship" --follow --to="$to" packed 2>said &
shipper=$!
some_are_there() { [ "$(ask one "SELECT count() > 0 FROM logs.messages" 2>/dev/null)" = 1 ]; }
within 60 some_are_there
verdict $? "what a program says is there while it runs" "$(cat said)"
clickhouse_kill one
>go
within 30 grep -q 'not reached' said
clickhouse_start one
wait $talker
within 60 has 150000
verdict $? "all of it is, once, although the server was away" "$(many) $(cat said)"
same "the problem was told once" 1 "$(grep -c 'not reached' said)"
kill -INT $packer 2>/dev/null # it ends with the program
wait $packer
BINLOG_DIR=captures2 && mkdir captures2
kill -TERM $shipper
wait $shipper
same "a signal ends it: the status" 0 $?
same "with a sum" 1 "$(grep -c ' messages of [0-9]* logs sent$' said)"
"$ship" -q --to="$to" packed
has 150000
verdict $? "and nothing comes twice" "$(many)"
BINLOG_DIR=captures2 LD_PRELOAD=$lib ./talks 100 0 >/dev/null
sleep 100 | BINLOG_DIR=captures2 LD_PRELOAD=$lib sh -c 'echo begins; read end' &
until_true sh -c 'test "$(ls captures2/*.binlog | wc -l)" -ge 2'
"$ship" --to="$to" captures2 2>said
same "a capture that is written to waits, and that is said" 1 "$(grep -c '^1 captures are being written to' said)"
kill %% 2>/dev/null
has 150100
verdict $? "the others are sent" "$(many)"

# ---- several servers ----
for host in 1 2 3 4 5 6 7 8; do
	mkdir -p many/$host
	BINLOG_DIR=many/$host LD_PRELOAD=$lib ./talks $((host * 1000)) 0 >/dev/null
done
"$ship" -q --cluster=fleet --to="clickhouse://127.0.0.1:$http_one,127.0.0.1:$http_two/both" many 2>said
verdict $? "logs of eight hosts are sent to two servers" "$(cat said)"
has 36000 one both.all_messages
verdict $? "the cluster has all messages, once" "$(many one both.all_messages)"
same "and gives the same from both ends" "$(many one both.all_messages)" "$(many two both.all_messages)"
same "what is asked of all is what binlog-show counts" "$("$show" -q --where='took > 900' --raw many/* | wc -l)" \
	"$(ask two "SELECT count() FROM both.all_messages WHERE argument.integer[indexOf(argument.name, 'took')] > 900")"

# which server a log falls to is a random bit of it: of eight logs one server has none in one run of 128, of 48 never
for log in {1..48}; do BINLOG_DIR=spread LD_PRELOAD=$lib ./talks 10 0 >/dev/null; done
"$ship" -q --to="clickhouse://127.0.0.1:$http_one,127.0.0.1:$http_two/spread" spread
same "each server has some" "1 1" "$(ask one 'SELECT count() > 0 FROM spread.messages') $(ask two 'SELECT count() > 0 FROM spread.messages')"

mkdir alone
BINLOG_DIR=alone LD_PRELOAD=$lib ./talks 10 0 >/dev/null
"$ship" -q --cluster=fleet --to="clickhouse://127.0.0.1:$http_one,127.0.0.1:$http_two/alone" alone
same "of one log all servers have the tables" "10 10" "$(ask one 'SELECT countIf(event = '"''"') FROM alone.all_messages') $(ask two 'SELECT countIf(event = '"''"') FROM alone.all_messages')"

# ---- where nothing can be remembered yet ----
"$ship" --follow --state=later --to="${to%logs}later" alone 2>said &
shipper=$!
within 30 grep -q 'later/.*: not written: ' said
verdict $? "a state that cannot be written is told"
kill -0 $shipper 2>/dev/null
verdict $? "and is tried again"
mkdir later
within 30 has 10 one later.messages
verdict $? "until it can: then all is sent" "$(many one later.messages) $(cat said)"
kill -TERM $shipper
wait $shipper

# ---- seldom ----
mkdir seldom
BINLOG_DIR=seldom LD_PRELOAD=$lib ./talks 10 0 >/dev/null
"$ship" --follow --every=4 --to="${to%logs}seldom" seldom 2>said &
shipper=$!
within 30 has 10 one seldom.messages
verdict $? "with --every what is there is sent at once" "$(cat said)"
BINLOG_DIR=seldom LD_PRELOAD=$lib ./talks 20 0 >/dev/null
sleep 2
has 10 one seldom.messages
verdict $? "and what comes then waits" "$(many one seldom.messages)"
within 10 has 30 one seldom.messages
verdict $? "for the next look" "$(many one seldom.messages)"
kill -TERM $shipper
wait $shipper

# ---- what is removed ----
"$ship" -q --delete-after=0 --cluster=fleet --to="clickhouse://127.0.0.1:$http_one,127.0.0.1:$http_two/both" many/1
same "what is on the server can be removed" "" "$(ls many/1)"
touch -d '2 hours ago' many/2/*
"$ship" -q --keep=1G --to="clickhouse://127.0.0.1:$http_one,127.0.0.1:$http_two/both" many
same "what has room stays" 1 "$(ls many/2/*.binlog | wc -l)"
bytes=$(cat many/*/*.binlog | wc -c)
"$ship" -q --keep=$(((bytes - 1000) / 1024))K --to="clickhouse://127.0.0.1:$http_one,127.0.0.1:$http_two/both" many
same "else the oldest goes" "0 6" "$(ls many/2 | wc -l) $(ls many/[3-8]/*.binlog | wc -l)"

# ---- logs that are exchanged, and copied ----
mkdir exchanged other
BINLOG_DIR=exchanged LD_PRELOAD=$lib ./talks 10 0 >/dev/null
BINLOG_DIR=other LD_PRELOAD=$lib ./talks 10 0 >/dev/null
log=$(echo exchanged/*.binlog)
cp "$log" exchanged/copy.binlog
"$ship" -q --to="${to%logs}exchanged" exchanged
has 10 one exchanged.messages
verdict $? "a copy beside a log is sent once" "$(many one exchanged.messages)"
cp other/*.binlog "$log"
"$ship" -q --delete-after=0 --to="${to%logs}exchanged" exchanged
has 20 one exchanged.messages
verdict $? "another log of the same name and size is sent before it is removed" "$(many one exchanged.messages)"
BINLOG_DIR=exchanged LD_PRELOAD=$lib ./talks 10 0 >/dev/null
log=$(echo exchanged/*.binlog)
printf "binlog-ship 1\nrequest x' OR 1=1 -- \n" >"$log.shipped"
timeout 20 "$ship" -q --to="${to%logs}exchanged" exchanged 2>said
same "what is remembered is no question to the server: status, sentence" "2 1" "$? $(grep -c 'not what binlog-ship has written' said)"
: >"$log.shipped"
"$ship" -q --to="${to%logs}exchanged" exchanged
has 30 one exchanged.messages
verdict $? "an empty file remembers nothing" "$(many one exchanged.messages)"

# ---- what is wrong ----
mkdir wrong
BINLOG_DIR=wrong LD_PRELOAD=$lib ./talks 10 0 >/dev/null
refused() { # STATUS SENTENCE ARGUMENT...
	timeout 60 "$ship" "${@:3}" >out 2>said </dev/null
	same "$2: the status" "$1" $?
	same "$2: the sentence" 1 "$(grep -cE "^(binlog-ship: )?$2$" said)"
	[ "$(wc -l <said)" -eq 1 ] || not_ok "$2: nothing else is said" "$(cat said)"
}
refused 2 'no log: nothing to send: give packed logs, captures or directories of them' --to="$to"
refused 2 'no server: nowhere to send to: give --to=clickhouse://HOST:PORT/DATABASE' wrong
refused 2 '--to: not known: give clickhouse://HOST:PORT/DATABASE' --to=http://x/y wrong
refused 2 '--to: a password in it is seen by everybody who lists processes: .*' --to=clickhouse://me:secret@127.0.0.1/logs wrong
refused 2 '--to: no database in it, .*' --to=clickhouse://127.0.0.1:1 wrong
refused 2 '--to: no database in it, .*' "--to=clickhouse://127.0.0.1:1/a;b" wrong
refused 2 '--compress=20: not a level: give a number from 0 to 19' --compress=20 --to="$to" wrong
refused 2 'nothing.here: No such file or directory: give a log, a capture or a directory' -q --to="$to" nothing.here
printf 'wrong\n' >password
refused 2 "127.0.0.1:$http_one: Wrong password for user keeper: give the right password" -q --password-file=password --to="clickhouse://keeper@127.0.0.1:$http_one/logs" wrong
printf 's3cret\n' >password
"$ship" -q --password-file=password --to="clickhouse://keeper@127.0.0.1:$http_one/logs" wrong 2>said
verdict $? "with the password it goes" "$(cat said)"
rm wrong/*.shipped
ask one "DROP DATABASE logs"
BINLOG_SHIP_PASSWORD=s3cret "$ship" -q --to="clickhouse://keeper@127.0.0.1:$http_one/logs" wrong 2>said
verdict $? "also in a variable" "$(cat said)"
has 10
verdict $? "and all is there" "$(many)"
rm wrong/*.shipped
refused 2 'nowhere: no password: No such file or directory: put it on the first line' -q --password-file=nowhere --to="$to" wrong
refused 2 "127.0.0.1:$http_one: Cannot create database in readonly mode: let the user write on the server" -q --to="clickhouse://guest@127.0.0.1:$http_one/new" wrong
refused 2 "127.0.0.1:1: not reached: .*: it is tried again" -q --give-up=1 --to=clickhouse://127.0.0.1:1/logs wrong
ask one "CREATE DATABASE other"
ask one "CREATE TABLE other.messages (number String, received Date) ENGINE = MergeTree PARTITION BY received ORDER BY number"
refused 2 "127.0.0.1:$http_one: other.messages has no column source of type UInt64: another program's table, .*" -q \
	--to="clickhouse://127.0.0.1:$http_one/other" wrong
same "and nothing was written there" 0 "$(ask one 'SELECT count() FROM other.messages')"
refused 2 "127.0.0.1:$http_one: Requested cluster 'none' not found: name a cluster .*" -q --cluster=none --to="$to" wrong
echo nonsense >"$(echo wrong/*.binlog).shipped"
refused 2 '.*\.shipped: not what binlog-ship has written: damaged, .*' -q --to="$to" wrong
rm wrong/*.shipped
cp wrong/*.binlog damaged.binlog
printf 'xxxxxxxx' | dd of=damaged.binlog bs=1 seek=4100 conv=notrunc 2>/dev/null
"$ship" -q --to="$to" damaged.binlog 2>said
same "what is damaged: the status" 1 $?
same "it is told as binlog-show tells it" "$("$show" -q --raw damaged.binlog 2>&1 >/dev/null | head -n 1)" "$(head -n 1 said)"
same "and is in the table of losses" 1 "$(ask one "SELECT count() > 0 FROM logs.losses WHERE kind = 'damage'")"
cp wrong/*.binlog locked.binlog
same "what another shipper sends is left out, and that is said" "2 1" \
	"$(flock locked.binlog "$ship" -q --to="$to" locked.binlog 2>said; echo $?) $(grep -c 'locked.binlog: left out: another binlog-ship is sending it: one is enough$' said)"
head -c 3000 /dev/urandom >wrong.binlog
"$ship" -q --to="$to" wrong.binlog 2>said
same "what is no log: a sentence" "wrong.binlog: not read: this is not a capture: its first bytes are others: give a file that ends in .binlog" "$(cat said)"
if [ "$(id -u)" -eq 0 ]; then
	mkdir small
	mount -t tmpfs -o size=64k none small 2>/dev/null && {
		cp wrong/*.binlog small/ 2>/dev/null
		dd if=/dev/zero of=small/full 2>/dev/null
		refused 2 'small/.*\.shipped~?: not written: No space left on device: .*' -q --to="$to" small
		umount small
	}
fi
finish
