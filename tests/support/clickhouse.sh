# Servers of ClickHouse on ports of loopback, for the tests of binlog-ship and binlog-query.
# They run as who runs the test, with a configuration of a few lines; each has its directory below $TMP.
# Sourced behind lib.sh: skips where there is none, and ends them with the test, and whatever that has started.
# shellcheck shell=bash
unpacked
type -P clickhouse-server >/dev/null || { skip "clickhouse-server: $(not_unpacked)"; finish; }
clickhouse_names=''
clickhouse_end() {
	local name
	for name in $clickhouse_names; do clickhouse_kill "$name"; done
	# shellcheck disable=SC2046 # a list of numbers
	kill $(jobs -p) 2>/dev/null
}
trap clickhouse_end EXIT

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# clickhouse_make NAME: sets http_NAME and tcp_NAME; the servers of "$TMP/clusters", a file, are the cluster `fleet`
clickhouse_make() {
	local name=$1 dir=$TMP/clickhouse.$1 http tcp
	http=$(free_port)
	tcp=$(free_port)
	declare -g "http_$name=$http" "tcp_$name=$tcp"
	clickhouse_names+=" $name"
	mkdir -p "$dir/data" "$dir/tmp"
	cat >"$dir/users.xml" <<-X
	<yandex><profiles><default><max_memory_usage>4000000000</max_memory_usage></default><readonly><readonly>2</readonly></readonly></profiles>
	<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default>
	<keeper><password>s3cret</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></keeper>
	<guest><password></password><networks><ip>127.0.0.1</ip></networks><profile>readonly</profile><quota>default</quota></guest></users>
	<quotas><default/></quotas></yandex>
	X
	echo "<shard><replica><host>127.0.0.1</host><port>$tcp</port></replica></shard>" >>"$TMP/clusters"
}
# clickhouse_start NAME: until it answers; "$TMP/clickhouse.NAME/more.xml" is what else is configured
clickhouse_start() {
	local name=$1 dir=$TMP/clickhouse.$1 http=http_$1 tcp=tcp_$1
	cat >"$dir/config.xml" <<-X
	<yandex><logger><level>warning</level><log>$dir/log</log><errorlog>$dir/errors</errorlog></logger>
	<http_port>${!http}</http_port><tcp_port>${!tcp}</tcp_port><listen_host>127.0.0.1</listen_host>
	<path>$dir/data/</path><tmp_path>$dir/tmp/</tmp_path><users_config>$dir/users.xml</users_config>
	<default_profile>default</default_profile><default_database>default</default_database>
	<mark_cache_size>67108864</mark_cache_size><timezone>UTC</timezone>
	<remote_servers><fleet>$(cat "$TMP/clusters")</fleet></remote_servers>$(cat "$dir/more.xml" 2>/dev/null)</yandex>
	X
	setsid clickhouse-server --config-file="$dir/config.xml" >"$dir/out" 2>&1 </dev/null &
	declare -g "pid_$name=$!"
	until_true ask "$name" 'SELECT 1' >"$TMP/clickhouse.answer"
}
# ask NAME QUERY: the answer
ask() {
	local http=http_$1
	python3 - "${!http}" "$2" <<'P'
import sys, urllib.request, urllib.error
try:
    sys.stdout.buffer.write(urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}/", sys.argv[2].encode(), timeout=60).read())
except urllib.error.HTTPError as error:
    print(error.read().decode())
    sys.exit(1)
except OSError as error:
    print(error)
    sys.exit(1)
P
}
clickhouse_kill() { # NAME [SIGNAL]
	local pid=pid_$1
	kill -s "${2:-KILL}" "${!pid}" 2>/dev/null
	wait "${!pid}" 2>/dev/null
}
