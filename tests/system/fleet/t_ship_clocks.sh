#!/bin/bash
# Real programs on many hosts whose clocks are apart: redis, nginx, sshd and memcached at work, each recorded on a host of its
# own name; and hosts that have run the same (support/other_host.py) with clocks that are hours or years away, that begin in
# 1970, that are set while a program runs, or between two of its lives.  Whoever dies meanwhile, the server counts what binlog-show
# counts, of all hosts and of each.
#
# LONG=1: a thousand hosts, or HOSTS.
. tests/support/lib.sh
. tests/support/daemons.sh
unpacked
real="redis nginx sshd memcached"
if [ "${1:-}" = inside ]; then
	amount=$2
	sandbox || exit 1
	with_keys
	many_clients() { # REQUEST END: eight at once, one request after the other
		python3 - "$port" "$amount" "$@" <<-'P'
		import socket, sys, threading
		port, amount = int(sys.argv[1]), int(sys.argv[2])
		request, end = (word.encode().decode("unicode_escape").encode() for word in sys.argv[3:])
		def client(first):
		    server = socket.create_connection(("127.0.0.1", port))
		    for i in range(first, amount, 8):
		        server.sendall(request % i)
		        answer = b""
		        while not answer.endswith(end):
		            answer += server.recv(65536)
		threads = [threading.Thread(target=client, args=(i,)) for i in range(8)]
		for thread in threads: thread.start()
		for thread in threads: thread.join()
		P
	}
	load_redis() { redis-benchmark -p "$port" -q -k 0 -n "$amount" -c 20 -t ping_inline; }
	load_nginx() { many_clients 'GET /page?%d HTTP/1.1\r\nHost: here\r\n\r\n' '\n500\n'; }
	load_sshd() { for i in 1 2 3 4 5; do ssh_to_it "echo $i"; done; }
	load_memcached() { many_clients 'get key%d none\r\n' 'END\r\n'; }
	life_busy_redis() { life_redis --loglevel debug; }
	life_busy_nginx() { nginx_level=debug life_nginx; }
	life_busy_sshd() { life_sshd -e -o LogLevel=DEBUG3; }
	life_busy_memcached() { life_memcached; }
	number=0
	for name in $real; do
		hostname "host-000$((number += 1))"
		load=load_$name
		live "busy_$name" "$work/$name" LD_PRELOAD="$work/libbinlog.so" BINLOG_DIR="$work/$name/capture" BINLOG_MAX_SIZE=32M \
			"BINLOG_STREAMS=stderr=replace,file:$work/$name/files/*.log=replace"
		[ ! -e "$work/$name/trouble" ] || exit 1
	done
	exit 0
fi
for program in redis-server redis-cli redis-benchmark nginx curl sshd ssh ssh-keygen memcached pgrep; do
	type -P $program >/dev/null || { skip "$program: $(not_unpacked)"; finish; }
done
unshare=(unshare --mount --net --uts --pid --fork --kill-child --mount-proc)
[ "$(id -u)" -eq 0 ] && "${unshare[@]}" mount -t tmpfs none /run 2>/dev/null || { skip "needs root and namespaces"; finish; }

# In the sandbox other users read it; TMP is closed to them.
work=$(mktemp -d /tmp/binlog-fleet.XXXXXX)
export work
chmod 755 "$work"
hosts=16 amount=400 kills=4 life=1
[ -z "${LONG:-}" ] || hosts=${HOSTS:-1000} kills=20 life=4
"${unshare[@]}" bash "$0" inside $amount >"$TMP/said" 2>&1
verdict $? "redis, nginx, sshd and memcached do their work" "$(cat "$work"/*/trouble "$TMP/said" 2>/dev/null)"
mkdir "$TMP/fleet"
number=0
for name in $real; do
	mv "$work/$name/capture" "$TMP/fleet/host-000$((number += 1))"
done
rm -rf "$work"
[ $failed -eq 0 ] || finish
. tests/support/clickhouse.sh
ship=$BUILD/binlog-ship
query=$BUILD/binlog-query
cd "$TMP" || exit 1
for name in fleet/*; do
	"$show" "$name" 2>&1 >/dev/null | tail -n 1 | sed "s,^,# $name: ,"
	[ "$("$show" -q --count "$name")" -gt 500 ] || not_ok "$name has recorded little"
done

# ---- other hosts, other clocks ----
hour=3600000000000
day=$((24 * hour))
year=$((365 * day))
clocks=(
	"right 0 0 0"
	"hours_behind -$((7 * hour)) 0 0"
	"hours_ahead $((9 * hour)) 0 0"
	"years_behind -$((5 * year)) 0 0"
	"years_ahead $((3 * year)) 0 0"
	"from_1970 -$(($(date +%s%N) - 100000000000)) 0 0"
	"set_back $((2 * day)) -$((2 * day)) 0"
	"set_on -$((40 * day)) $((40 * day)) 0"
	"back_between_lives $hour 0 -$((3 * hour))"
	"away_a_century $((99 * year)) 0 0"
)
for ((i = 5; i <= hosts; i++)); do
	read -r name shift jump between <<<"${clocks[i % ${#clocks[@]}]}"
	host=$(printf 'host-%04d' $i)
	of=fleet/host-000$((i % 4 + 1))
	to=captures/$name/$host
	mkdir -p "$to"
	python3 "$here/support/other_host.py" $of "$to/1" "$host" "$i 1" "$shift" "$jump" 2>>other.said
	python3 "$here/support/other_host.py" $of "$to/2" "$host" "$i 2" "$((shift + between + hour / 60))" "$jump" 2>>other.said
done
same "there are $hosts hosts" "$(((hosts - 4) * 2)) " "$(find captures -mindepth 3 -maxdepth 3 | wc -l) $(cat other.said)"
# A third of them sends packed logs.
mkdir packed
for name in captures/*/*[369]; do
	mkdir "packed/${name##*/}"
	for life in 1 2; do
		"$BUILD/binlog-pack" -q "$name/$life" -o "packed/${name##*/}/$life.blog" 2>>pack.said
	done
	mkdir -p "logs/$(dirname "${name#captures/}")"
	mv "packed/${name##*/}" "logs/${name#captures/}"
done
for name in captures/*/*; do
	mkdir -p "logs/$(dirname "${name#captures/}")"
	[ -e "logs/${name#captures/}" ] || mv "$name" "logs/${name#captures/}"
done
mkdir logs/real
mv fleet/* logs/real/

# ---- sent, whoever dies ----
clickhouse_make one
clickhouse_start one
to=clickhouse://127.0.0.1:$http_one/fleet
for ((turn = 1; turn <= kills; turn++)); do
	"$ship" -q --to="$to" logs 2>>ship.said &
	shipper=$!
	sleep "$((RANDOM % life)).$((RANDOM % 10))$((RANDOM % 10))"
	if [ $((turn % 4)) = 0 ]; then
		clickhouse_kill one
		clickhouse_start one
	fi
	kill -KILL $shipper
	wait $shipper 2>/dev/null
done
"$ship" -q --to="$to" logs 2>ship.said
verdict $? "after $kills kills all is sent" "$(cat ship.said)"
logs_of() { # DIRECTORY: what binlog-show is to read
	find "$1" -name '*.blog' -o -name '*.binlog' | sort
}
shows() { # DIRECTORY OPTION...
	logs_of "$1" >list
	# shellcheck disable=SC2046
	"$show" "${@:2}" $(cat list) 2>/dev/null
}
asks() { "$query" --at="$to" "$@"; }
all=$(shows logs -q --count)
same "the server has as many messages as binlog-show" "$all	$all" \
	"$(ask one "SELECT count(), uniqExact(source, number) FROM fleet.messages WHERE event = ''")"
same "and as many events" "$(shows logs -q -o json | grep -c '"event":"[a-z]')" "$(ask one "SELECT count() FROM fleet.messages WHERE event != ''")"
same "no message is of a host that is none" "$hosts" "$(ask one "SELECT uniqExact(host) FROM fleet.messages WHERE host LIKE 'host-____'")"

# ---- sums ----
names=$(ask one "SELECT name FROM (SELECT arrayJoin(argument.name) AS name, count() AS n FROM fleet.messages WHERE event = ''
	GROUP BY name ORDER BY n DESC LIMIT 30)" | grep '^[a-z_][a-z0-9_]*$' | head -n 9)
compared=0
for name in $names; do
	shows logs -q --values="$name" >want
	asks -q --values="$name" >got 2>said
	if cmp -s want got; then
		compared=$((compared + 1))
	else
		not_ok "values of $name" "$(cat said; diff want got)"
	fi
done
verdict "$([ $compared -ge 5 ]; echo $?)" "the values of $compared arguments are those that binlog-show counts" "$names"
shows logs -u --stats >want
asks -u --stats >got 2>said
same_file "statistics of all statements" want got

# ---- each clock ----
for clock in logs/*; do
	clock=${clock#logs/}
	these=()
	for host in logs/"$clock"/*; do these+=("--host=${host##*/}"); done
	wanted=$(shows "logs/$clock" -q --count)
	[ "$wanted" = "$(asks -q --count "${these[@]}" 2>&1)" ] && [ "$wanted" -gt 0 ]
	verdict $? "$clock: $wanted messages of ${#these[@]} hosts" "$(asks -q --count "${these[@]}" 2>&1)"
	times=$(ask one "SELECT min(time), max(time), uniqExact(toDate(moment)) FROM fleet.messages WHERE host IN ($(printf "'%s'," logs/"$clock"/* |
		sed 's,logs/[a-z0-9_]*/,,g; s/,$//'))")
	read -r first last _ <<<"$times"
	middle=$((first / 2 + last / 2))
	for window in "--since=@${middle:0: -9}.${middle: -9}" "--until=@${middle:0: -9}.${middle: -9}"; do
		same "$clock, ${window%%=*} the middle" "$(shows "logs/$clock" -q --count "$window")" "$(asks -q --count "${these[@]}" "$window" 2>&1)"
	done
done
same "clocks that run ahead are told of" "hours_ahead set_back years_ahead away_a_century" "$(for clock in hours_ahead set_back years_ahead away_a_century right years_behind from_1970; do
	[ ! -e logs/$clock ] || ask one "SELECT '$clock' FROM fleet.losses WHERE kind = 'ahead' AND source IN (SELECT source FROM fleet.runs WHERE host IN (
		$(printf "'%s'," logs/"$clock"/* | sed 's,logs/[a-z0-9_]*/,,g; s/,$//'))) LIMIT 1"; done | xargs)"
same "the day of now has what was said on it, by its clock" "$(shows logs -q --count --since=-20h --until=+4h)" \
	"$(asks -q --count --since=-20h --until=+4h)"
finish
