#!/bin/bash
# binlog-ctl with daemons as the distribution has them: what they say goes into the capture, to where it would have
# gone, or nowhere, as it is switched while they work; each line is told by its client's number.
. tests/support/lib.sh
. tests/support/daemons.sh
unpacked
ctl=$BUILD/binlog-ctl
as=()
# Daemons become other users, who cannot read what is below TMP.
work=$(mktemp -d /tmp/binlog-ctl.XXXXXX)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cp "$lib" "$work/libbinlog.so"
begin() { # NAME: an empty directory for it
	dir=$work/$1
	capture=$dir/capture
	mkdir -p "$dir/files"
	chmod 777 "$dir" "$dir/files"
	cd "$dir/files" || exit 1
	preload=(LD_PRELOAD="$work/libbinlog.so" BINLOG_DIR="$capture")
	: >"$dir/stdout" && : >"$dir/stderr"
}
recorded_lines() { "$show" --raw -q "$capture" 2>>"$dir/complaint" | grep -ac "$1"; } # EXPRESSION
written_lines() { cat "$dir/stdout" "$dir/stderr" | grep -ac "$1"; }
both() { echo "$(recorded_lines "$1") $(written_lines "$1")"; }
settled() { [ "$(both "$1")" = "$2" ]; } # EXPRESSION COUNTS
check() { # SENTENCE EXPRESSION COUNTS: lines recorded, and written; the daemon may need a moment to say them
	until_true settled "$2" "$3"
	same "$1" "$3" "$(both "$2")"
}
control() { "$ctl" "$@" >>"$dir/told" 2>>"$dir/complaint"; }

# ---- memcached: threads ----
ask() { # KEY: one line is said of it
	exec 9<>"/dev/tcp/127.0.0.1/$port"
	printf 'get %s\r\nquit\r\n' "$1" >&9
	cat <&9 >/dev/null
	exec 9<&-
}
if type -P memcached >/dev/null; then
	begin memcached
	free_port
	start memcached -vv -l 127.0.0.1 -p "$port" -U 0 $([ "$(id -u)" -ne 0 ] || echo -u nobody)
	await memcached listens
	ask first
	check "memcached: recorded" "get first" "1 0"
	control $daemon off
	ask second
	check "memcached: off: written as without the library" "get second" "0 1"
	control $daemon on level=err
	ask third
	control $daemon level=all stderr=tee
	ask fourth
	check "memcached: tee: recorded and written" "get fourth" "1 1"
	same "memcached: level=err: what is less is nowhere" "0 0" "$(both "get third")"
	control $daemon stderr= rule 'format "<%d *" drop'
	ask fifth
	control $daemon rules=
	ask sixth
	check "memcached: without rules" "get sixth" "1 0"
	same "memcached: a rule on a format" "0 0" "$(both "get fifth")"
	"$ctl" $daemon >"$dir/status"
	same "memcached: status names the program and the call" "1 1" \
		"$(head -n 1 "$dir/status" | grep -c "^memcached\[$daemon\]: ") $(grep -c 'site .*memcached+0x[0-9a-f]* .*"<%d new ' "$dir/status")"
	control $daemon snapshot "$dir/copy.blog"
	same "memcached: a copy has what was recorded" 3 "$("$show" --raw -q "$dir/copy.blog" | grep -c 'get \(first\|fourth\|sixth\)')"
	stop INT
	same "memcached: no complaint" "" "$(cat "$dir/complaint")"
else
	skip "memcached: $(not_unpacked)"
fi

# ---- nginx: processes of another user ----
fetch() { exec 9<>"/dev/tcp/127.0.0.1/$port"; printf 'GET /%s HTTP/1.0\r\n\r\n' "$1" >&9; cat <&9 >/dev/null; exec 9<&-; } # PATH that is not there
if type -P nginx >/dev/null; then
	begin nginx
	free_port
	{
		[ "$(id -u)" -ne 0 ] || echo "user nobody nogroup;"
		cat <<-E
		daemon off;
		worker_processes 2;
		pid nginx.pid;
		error_log stderr info;
		events { worker_connections 64; }
		http {
			access_log off;
			client_body_temp_path tmp;
			proxy_temp_path tmp;
			fastcgi_temp_path tmp;
			uwsgi_temp_path tmp;
			scgi_temp_path tmp;
			server { listen 127.0.0.1:$port; root www; }
		}
		E
	} >conf
	start nginx -p "$PWD/" -c "$PWD/conf" -e stderr
	await nginx listens
	await "its workers" has_children 2
	fetch first
	check "nginx: what a worker says is recorded" "www/first" "1 0"
	control $daemon off
	fetch second
	check "nginx: off: written by the worker, as without the library" "www/second" "0 1"
	control "$(pgrep -P $daemon | head -n 1)" on
	fetch third
	check "nginx: on, by the number of a worker: it holds for all" "www/third" "1 0"
	control "$capture" off
	kill -s HUP $daemon
	await "other workers" has_children 2
	fetch fourth
	check "nginx: off for the directory, and for workers that start later" "www/fourth" "0 1"
	stop QUIT
	same "nginx: no complaint" "" "$(cat "$dir/complaint")"
else
	skip "nginx: $(not_unpacked)"
fi

# ---- redis: in the background ----
if type -P redis-server >/dev/null; then
	begin redis
	free_port
	start redis-server --port "$port" --bind 127.0.0.1 --save ''
	redis() { redis-cli -p "$port" "$@"; }
	note() { redis eval "redis.log(redis.LOG_WARNING, '$1'); return 7" 0 >/dev/null; }
	await redis redis ping
	note first-note
	check "redis: recorded" "first-note" "1 0"
	control $daemon stdout=pass
	note second-note
	check "redis: pass: written" "second-note" "0 1"
	control $daemon level=none
	note third-note
	control $daemon level=all stdout=
	note fourth-note
	check "redis: recorded again" "fourth-note" "1 0"
	same "redis: what is passed is no business of the level" "0 1" "$(both "third-note")"
	stop TERM
	same "redis: no complaint" "" "$(cat "$dir/complaint")"
else
	skip "redis: $(not_unpacked)"
fi
finish
