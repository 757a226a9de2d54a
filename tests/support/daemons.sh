# Daemons and their usual work, one function for each, for t_daemons.sh.
#
# A function life_NAME is called in an empty directory, $dir/files, that any
# user may read.  It starts the daemon with `start`, asks it what it is there
# for, and ends it with `stop`.  What it prints is what the clients were told:
# the same in each life, so ports and times have no place in it.  Log files
# are called *.log and lie in the working directory.
# shellcheck shell=bash

# Below $work, which any user may read.
sandbox() { # everything that is mounted is gone with the namespace
	local node
	mkdir "$work/dev"
	mount -t tmpfs -o mode=755 none "$work/dev" || return
	for node in /dev/*; do
		if [ -L "$node" ]; then
			cp -d "$node" "$work/dev/"
		elif [ "$node" != /dev/log ]; then
			if [ -d "$node" ]; then mkdir "$work$node"; else : >"$work$node"; fi
			mount --rbind "$node" "$work$node"
		fi
	done
	mount --rbind "$work/dev" /dev || return
	mount -t tmpfs -o mode=755 none /run || return
	mkdir -m 755 /run/sshd /run/empty
	mkdir -m 700 /run/home
	# What they are configured by where they are installed, and who they become; no jobs but ours.
	mkdir "$work/etc"
	mount -t tmpfs -o mode=755 none "$work/etc" || return
	cp -a /etc/. "$work/etc" || return
	sed -i "s|:/root:|:/run/home:|" "$work/etc/passwd"
	echo "guest:x:65534:65534::/:/bin/sh" >>"$work/etc/passwd"
	for node in sshd postgres; do
		grep -q "^$node:" /etc/passwd || echo "$node:x:65533:65534::/run/sshd:/usr/sbin/nologin" >>"$work/etc/passwd"
	done
	mkdir -p "$work/etc/pam.d"
	cp -n "$DEBS"/root/etc/pam.d/* "$work/etc/pam.d" 2>/dev/null
	rm -rf "$work/etc/cron.d" "$work/etc/crontab"
	mkdir "$work/etc/cron.d"
	ln -s /run/crontab "$work/etc/crontab"
	mount --rbind "$work/etc" /etc || return
	mount -t tmpfs -o mode=755 none /var/spool || return
	mkdir -p /var/spool/cron/crontabs
	python3 -c '
import fcntl, socket, struct
s = socket.socket()
fcntl.ioctl(s, 0x8914, struct.pack("16sH14x", b"lo", 0x49))'
}
# What they let somebody in by, and the library, where any user may read it.
with_keys() {
	keys=$work/keys
	mkdir "$keys"
	if type -P ssh-keygen >/dev/null; then
		ssh-keygen -q -t ed25519 -N '' -f "$keys/host"
		ssh-keygen -q -t ed25519 -N '' -f "$keys/user"
	fi
	if type -P dropbearkey >/dev/null; then
		dropbearkey -t ecdsa -f "$keys/dropbear" >/dev/null 2>&1
	fi
	cp "$lib" "$work/libbinlog.so"
	chmod 755 "$work/libbinlog.so"
}

# ---- one life ----
live() { # DAEMON DIR [VARIABLE=VALUE...]
	local sink='' daemon port='' as=() i path worker client
	unsaid='' unrecorded=''
	dir=$2
	preload=("${@:3}")
	mkdir -p "$dir/files"
	chmod 755 "$dir" "$dir/files"
	cd "$dir/files" || exit 1
	: >"$dir/syslog"
	"life_$1" >"$dir/clients" 2>&1
	cd "$OLDPWD" || exit 1
	if [ -n "$sink" ]; then
		kill -s TERM $sink
		wait $sink
	fi
	[ ! -d "$dir/capture" ] ||
		await "the end of those it started" nobody_stays
}
# Whoever is recorded has the capture mapped.
nobody_stays() { ! grep -qs "$dir/capture" /proc/[0-9]*/maps; }

# The wait is for a condition; its end is for a daemon that will never be ready.
patience=30
await() { # WORDS COMMAND...
	local i
	for ((i = 0; i < 50 * patience; i++)); do
		"${@:2}" >/dev/null 2>&1 && return
		sleep 0.02
	done
	echo "waited in vain for $1" >>"$dir/trouble"
	return 1
}
# Below the range from which clients get theirs, so that none of them takes it.
free_port() {
	port=$(python3 -c '
import random, socket
while True:
    port = random.randrange(10000, 32000)
    tcp = socket.socket(); udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        tcp.bind(("127.0.0.1", port)); udp.bind(("127.0.0.1", port))
    except OSError:
        continue
    print(port)
    break')
}
# Asked of the kernel: a connection would be in the logs.
has_sockets() { # STATE
	grep -q "$(printf '^ *[0-9]*: 0100007F:%04X [0-9A-F]*:[0-9A-F]* %s ' "$port" "$1")" /proc/net/tcp
}
listens() { has_sockets 0A; }
# Neither established nor closed by the client alone.
has_no_clients() { ! has_sockets '0[18]'; }
run() { # COMMAND...: recorded like the daemon, to its end
	"${as[@]}" env "${preload[@]}" "$@" >>"$dir/stdout" 2>>"$dir/stderr" </dev/null
}
start() { # COMMAND...
	"${as[@]}" env "${preload[@]}" "$@" >>"$dir/stdout" 2>>"$dir/stderr" </dev/null &
	daemon=$!
}
# One that goes into the background: it has said so, and its number is in a file.
start_in_background() { # FILE COMMAND...
	run "${@:2}"
	echo "started: $?" >>"$dir/status"
	await "its number" test -s "$1"
	daemon=$(cat "$1")
}
is_gone() { ! kill -0 $daemon; }
# What else is asked of it, if `load` names a function, while it runs.
stop() { # SIGNAL
	"${load:-true}"
	# What it says of the last client it may say when that has gone.
	[ -z "$port" ] || await "the end of the connections" has_no_clients
	kill -s "$1" $daemon
	await "its end after SIG$1" is_gone || kill -s KILL $daemon
	wait $daemon 2>/dev/null
	echo "$1: $?" >>"$dir/status"
}
# Messages to /dev/log, where there is one of our own.
with_syslog() {
	rm -f /dev/log
	python3 "$here/victims/daemon_sink.py" "$dir/syslog" &
	sink=$!
	await "/dev/log" test -S /dev/log
	chmod 666 /dev/log
}
has_children() { # N
	[ "$(pgrep -c -P $daemon)" -eq "$1" ]
}

life_nginx() { # [on]: in the background
	mkdir www
	seq 500 >www/page
	free_port
	{
		[ "$(id -u)" -ne 0 ] || echo "user nobody nogroup;"
		cat <<-E
		daemon ${1:-off};
		pid nginx.pid;
		error_log error.log ${nginx_level:-notice};
		events { worker_connections 64; }
		http {
			access_log access.log;
			client_body_temp_path tmp;
			proxy_temp_path tmp;
			fastcgi_temp_path tmp;
			uwsgi_temp_path tmp;
			scgi_temp_path tmp;
			server {
				listen 127.0.0.1:$port;
				root www;
				location /old { return 301 /page; }
			}
		}
		E
	} >conf
	if [ -n "${1:-}" ]; then
		start_in_background nginx.pid nginx -p "$PWD/" -c "$PWD/conf" -e error.log
	else
		start nginx -p "$PWD/" -c "$PWD/conf" -e error.log
	fi
	await "nginx" listens
	for path in page page nothing old page?query=1; do
		curl -s -w '%{http_code}\n' "http://127.0.0.1:$port/$path" | cksum
	done
	curl -s -d "a body" -w '%{http_code}\n' "http://127.0.0.1:$port/page" | tail -n 1
	# A new worker; the old one ends.
	worker=$(pgrep -P $daemon)
	kill -s HUP $daemon
	await "the old worker's end" test ! -e "/proc/$worker"
	# What follows rotates the logs.
	mv access.log first.access.log
	kill -s USR1 $daemon
	await "a new access.log" test -e access.log
	await "a worker" has_children 1
	curl -s "http://127.0.0.1:$port/page" | cksum
	stop QUIT
}

life_nginx_background() { life_nginx on; }

life_lighttpd() {
	mkdir www
	seq 500 >www/page
	free_port
	cat >conf <<-E
	server.modules = ( "mod_accesslog", "mod_redirect" )
	server.document-root = "$PWD/www"
	server.port = $port
	server.bind = "127.0.0.1"
	server.errorlog = "$PWD/error.log"
	server.pid-file = "$PWD/pid"
	accesslog.filename = "$PWD/access.log"
	url.redirect = ( "^/old" => "/page" )
	${lighttpd_more:-}
	E
	start lighttpd -D -f conf -m "$(prefix_of lighttpd)/usr/lib/lighttpd"
	await "lighttpd" listens
	for path in page page nothing old page?query=1; do
		curl -s -w '%{http_code}\n' "http://127.0.0.1:$port/$path" | cksum
	done
	stop INT
}

life_redis() { # [OPTION...]
	free_port
	redis() { redis-cli -p $port "$@"; }
	saved() { [ "$(redis info persistence | grep -cE '^(rdb_bgsave|aof_rewrite)_in_progress:0')" -eq 2 ]; }
	set -- redis-server --port $port --bind 127.0.0.1 --io-threads 4 \
		--io-threads-do-reads yes --save 3600 1 "$@"
	case $* in
	*daemonize*) start_in_background pid "$@" ;;
	*) start "$@" ;;
	esac
	await "redis" redis ping
	redis set name value
	redis incr count
	seq 1 100 | sed 's/^/rpush list /' | redis | tail -n 1
	redis get name
	redis nonsense
	redis-benchmark -p $port -q -n 1000 -c 20 -P 10 -t set,get |
		tr '\r' '\n' | grep -c 'requests per second'
	redis bgsave
	await "a saved file" saved
	redis save
	redis config set appendonly yes
	await "a saved file" saved
	redis eval "redis.log(redis.LOG_WARNING, 'from a script'); return 7" 0
	redis dbsize
	stop TERM
}

life_redis_background() {
	with_syslog
	life_redis --daemonize yes --pidfile "$PWD/pid" --logfile "$PWD/redis.log" \
		--syslog-enabled yes
}

life_memcached() {
	free_port
	start memcached -vv -l 127.0.0.1 -p $port -U 0 \
		$([ "$(id -u)" -ne 0 ] || echo -u nobody)
	await "memcached" listens
	for client in 1 2; do
		exec 9<>"/dev/tcp/127.0.0.1/$port"
		for i in {1..100}; do
			printf 'set key%d 0 0 5\r\nhello\r\nget key%d none\r\n' $i $i
		done >&9
		printf 'incr key1 1\r\nbogus\r\ndelete key1\r\nquit\r\n' >&9
		cat <&9
		exec 9<&-
	done
	stop INT
}

life_dnsmasq() {
	free_port
	ask_for() { dig +tries=1 +time=5 +noall +answer -p $port @127.0.0.1 "$@"; }
	answers() { ask_for example.test | grep -q 192.0.2.1; }
	start dnsmasq -k -C /dev/null -p $port --listen-address=127.0.0.1 \
		--bind-interfaces --no-resolv --no-hosts --pid-file= \
		--address=/example.test/192.0.2.1 --local=/test/ --log-queries \
		--txt-record=text.test,words "$@" \
		$([ "$(id -u)" -ne 0 ] || echo -u nobody)
	await "dnsmasq" listens
	ask_for example.test
	ask_for nothing.test
	ask_for txt text.test
	for i in {1..10}; do ask_for "host$i.example.test"; done
	# A child answers.
	ask_for +tcp example.test
	await "its child's end" has_children 0
	kill -s USR1 $daemon
	ask_for example.test
	stop TERM
}
life_dnsmasq_stderr() { life_dnsmasq --log-facility=-; }
life_dnsmasq_file() { life_dnsmasq --log-facility="$PWD/dnsmasq.log"; }
life_dnsmasq_syslog() {
	# It makes the datagrams itself.
	unrecorded=syslog
	with_syslog
	life_dnsmasq
}

life_mosquitto() { # [DESTINATION]
	free_port
	cat >conf <<-E
	listener $port 127.0.0.1
	allow_anonymous true
	log_dest ${1:-stderr}
	log_dest file $PWD/mosquitto.log
	log_type all
	persistence true
	persistence_location $PWD/
	E
	[ "$(id -u)" -ne 0 ] || { echo user nobody >>conf; chmod a+w .; }
	start mosquitto -c conf
	await "mosquitto" listens
	for i in {1..10}; do
		mosquitto_pub -h 127.0.0.1 -p $port -i "pub$i" -r -q 1 -t "topic/$i" -m "message $i"
	done
	mosquitto_sub -h 127.0.0.1 -p $port -i sub -t 'topic/#' -C 10 | sort
	stop TERM
}

life_mosquitto_syslog() {
	with_syslog
	life_mosquitto syslog
}

# ---- of those that let somebody in ----
ssh_to_it() { # COMMAND: what it says, and its status
	# shellcheck disable=SC2086
	ssh -F none -p $port -i "$keys/user" -o IdentitiesOnly=yes -o LogLevel=ERROR \
		-o UserKnownHostsFile=/dev/null -o StrictHostKeyChecking=no \
		-o PreferredAuthentications=publickey ${user:-root}@127.0.0.1 "$@" 2>&1 </dev/null
	echo "status $?"
}
life_sshd() { # [OPTION...]
	# It is said, or not, by who is first, the session's end or the client's.
	unsaid='Close session: '
	free_port
	cp "$keys/host" "$keys/user.pub" .
	cat >conf <<-E
	ListenAddress 127.0.0.1:$port
	HostKey $PWD/host
	AuthorizedKeysFile $PWD/user.pub
	PidFile none
	StrictModes no
	UsePAM no
	PermitRootLogin prohibit-password
	LogLevel VERBOSE
	PrintLastLog no
	E
	# It executes itself, and since OpenSSH 9.8 others, by their paths.
	session=$(prefix_of sshd)/usr/lib/openssh/sshd-session
	[ ! -e "$session" ] || echo "SshdSessionPath $session" >>conf
	[ ! -e "${session%session}auth" ] || echo "SshdAuthPath ${session%session}auth" >>conf
	start "$(type -P sshd)" -D -f "$PWD/conf" "$@"
	await "sshd" listens
	ssh_to_it 'echo hello; id -un; printf "%05d\n" 7 >&2; exit 3'
	ssh_to_it 'seq 20000 | cksum; tty'
	user=guest ssh_to_it 'echo $0'
	await "the sessions' end" has_children 0
	stop TERM
}
life_sshd_stderr() { life_sshd -e; }
life_sshd_syslog() {
	with_syslog
	life_sshd
}
life_dropbear() {
	free_port
	mkdir -m 700 /run/home/.ssh
	cp "$keys/user.pub" /run/home/.ssh/authorized_keys
	start dropbear -F -E -p 127.0.0.1:$port -r "$keys/dropbear" -P "$PWD/pid"
	await "dropbear" listens
	ssh_to_it 'echo hello; id -un; printf "%05d\n" 7 >&2; exit 3'
	ssh_to_it 'seq 20000 | cksum; tty'
	user=guest ssh_to_it 'echo $0'
	await "the sessions' end" has_children 0
	rm -r /run/home/.ssh
	stop TERM
}

# The first line is done when cron starts, the other at the next minute.
life_cron() { # [MINUTE]
	with_syslog
	rm -f /run/crond.*
	{
		echo "SHELL=/bin/bash"
		echo "@reboot root echo started >$PWD/started; echo mailed"
		[ -z "${1:-}" ] || echo "* * * * * root id -un >>$PWD/minute"
	} >/run/crontab
	start cron -f -L 15
	await "the first job" test -s started
	await "its process" has_children 0
	if [ -n "${1:-}" ]; then
		patience=90 await "the next minute" test -s minute
		await "its process" has_children 0
	fi
	head started
	stop TERM
}

life_cron_minute() { life_cron minute; }

postgresql() { # the directory of its programs
	ls -d {"$DEBS/root",}/usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1
}
life_postgresql() { # [OPTION...]
	local bin user
	bin=$(postgresql)
	has_no_sessions() { ! pgrep -P $daemon -f '\[local\]'; }
	sql() { "$bin/psql" -X -q -A -t -h "$dir/files" -p 5432 -U postgres "$@" 2>&1; }
	[ "$(id -u)" -ne 0 ] || {
		# Not always in a sandbox where we say who there is.
		user=$(id -u postgres 2>/dev/null || id -u nobody)
		chown $user . "$dir"
		as=(setpriv --reuid=$user --regid=$user --clear-groups)
	}
	run "$bin/initdb" -D data -U postgres --no-sync -A trust --locale=C
	start "$bin/postgres" -D data -k "$PWD" -c listen_addresses= -c fsync=off \
		-c log_connections=on -c log_disconnections=on "$@"
	await "PostgreSQL" grep -q ^ready data/postmaster.pid
	sql -c 'create table t as select i, i * i as square from generate_series(1, 1000) i'
	sql -c 'select sum(square) from t'
	sql -c 'select nothing'
	sql -c 'vacuum analyze t' -c checkpoint
	"$bin/pgbench" -h "$PWD" -p 5432 -U postgres -i -q postgres 2>&1 | tail -n 1 | tr -d '0-9.'
	"$bin/pgbench" -h "$PWD" -p 5432 -U postgres -T 10 \
		-c 4 -j 2 postgres 2>&1 | grep -c '^number of failed transactions: 0 '
	await "the end of the sessions" has_no_sessions
	stop INT
}
life_postgresql_collector() {
	life_postgresql -c logging_collector=on -c log_directory="$PWD" \
		-c log_filename=server.log
}
life_postgresql_syslog() {
	with_syslog
	life_postgresql -c log_destination=syslog
}
