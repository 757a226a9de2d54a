#!/bin/bash
# The examples of README.md and of the manual: each is run as it stands there, in a directory that has what it speaks of, or it
# stands below with the reason why not, and then its options and words are looked up (tests/support/examples.py).
. tests/support/lib.sh
ulimit -c 0
TMP=$(realpath "$TMP")
root=$PWD
if [ ! -e "$BUILD/man/binlog.7" ]; then
	skip "examples: the manual is not built"
	finish
fi
unpacked
# Names that are kept are not what an example leaves.
export XDG_CACHE_HOME=$TMP/cache
export EXAMPLES_BIN=$TMP/bin EXAMPLES_SCENE=$TMP/scene EXAMPLES_LIB=$lib
mkdir "$EXAMPLES_BIN" "$EXAMPLES_SCENE"

# ---- the programs that examples may use, and no others ----
# One that is not there leaves a link to nothing: its examples are skipped.
for name in as awk babeltrace2 bash cat cc clickhouse-client cut dirname env expr gcc genhtml grep head jq journalctl ld make mkdir nginx \
	nice perl printf python3 readelf redis-cli rm sh sleep sqlite3 sshd test timeout true wc; do
	program=$(type -P $name)
	ln -s "${program:-/nowhere/$name}" "$EXAMPLES_BIN/$name"
done
ln -s "$BUILD"/binlog-* "$EXAMPLES_BIN"
program=$(ls -d "$DEBS"/root/{usr/,}lib/systemd/systemd-journal-remote /{usr/,}lib/systemd/systemd-journal-remote 2>/dev/null | head -n 1)
ln -s "${program:-/nowhere/systemd-journal-remote}" "$EXAMPLES_BIN"
stand_in() { # NAME: its text is standard input
	{ echo '#!/bin/bash' && cat; } >"$EXAMPLES_BIN/$1"
	chmod +x "$EXAMPLES_BIN/$1"
}
# Another machine is this one, and a server one that takes what comes.
stand_in ssh <<'S'
shift
exec sh -c "$*"
S
stand_in nc <<'S'
[ "$(cat | wc -c)" -gt 0 ]
S
stand_in vim <<'S'
[ "$1" = -q ] && [ "$(grep -cE '^[^:]+:[0-9]+: ' "$2")" = "$(wc -l <"$2")" ]
S
stand_in speedscope <<'S'
grep -qE '^[^;].*;.* [0-9]+$' "$1" && ! grep -vqE ' [0-9]+$' "$1"
S
# Of the scene alone.
stand_in pidof <<'S'
for process in /proc/[0-9]*; do
	{ read -r name <"$process/comm"; } 2>/dev/null && [ "$name" = "$1" ] && [ "$process/cwd" -ef "$EXAMPLES_NOW" ] && echo "${process##*/}"
done
S
# A container that sees the same files: the directories are where they are outside.
stand_in docker <<'S'
[ "$1" = run ] || exit 2
shift
while [ $# -gt 1 ]; do
	case $1 in
	-v)
		IFS=: read -r outside inside _ <<<"$2"
		[ -e "$outside" ] || mkdir -p "$outside"
		mounts+=("$inside=$outside")
		;;
	-e)
		value=${2#*=}
		for mount in "${mounts[@]}"; do [ "$value" != "${mount%%=*}" ] || value=${mount#*=}; done
		variables+=("${2%%=*}=$value")
		;;
	*) exit 2 ;;
	esac
	shift 2
done
exec env "${variables[@]}" "$EXAMPLES_NOW/$1"
S
stand_in on-terminal <<S
exec python3 "$here/support/on_terminal.py" 140 50 -- "\$@"
S
# The rules of a file, for a program that has some of the statements.
stand_in rules <<'S'
{ echo '[rules]' && cat "$1"; } >rules.conf
binlog-run -c rules.conf ./app 2>complaint
grep -v 'no log statement matches' complaint >&2
[ ! -s complaint ] || ! grep -qv 'no log statement matches' complaint
S
# Debian's, which a client visits, and ends.
redis=$(type -P redis-server)
redis_7_0=$("${redis:-true}" --version | grep 'v=7\.0')
if [ -n "$redis" ]; then
	mkdir "$TMP/redis"
	cp -L "$redis" "$TMP/redis/redis-server"
	stand_in redis-server <<S
port=\$((20000 + RANDOM % 12000))
[ -n "\${EXAMPLES_LIVE:-}" ] || {
	unset LD_PRELOAD
	for try in {1..400}; do [ "\$(redis-cli -p \$port ping)" != PONG ] || break; sleep 0.05; done
	sleep 0.1
	redis-cli -p \$port shutdown nosave
} >/dev/null 2>&1 &
exec timeout --foreground 300 "$TMP/redis/redis-server" --port \$port --save '' "\$@"
S
else
	ln -s /nowhere/redis-server "$EXAMPLES_BIN"
fi

# ---- what is there ----
cd "$EXAMPLES_SCENE" || exit 1
PATH=$EXAMPLES_BIN:$PATH
export LD_LIBRARY_PATH=$BUILD${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
$CC -std=gnu11 -D_GNU_SOURCE -g -O1 -o app "$here/victims/examples.c" -pthread || exit 1
for name in daemon server nginx memcached myprogram sshd a.out; do cp app $name; done
mkdir -p tests elsewhere srv/image var/log/app var/log/binlog/packed var/tmp packed DIR
ln -s "$root/tests/victims" tests/victims
ln -s / root
printf 'all check:\n\t@./app\n' >Makefile
# Two files: text for one of them would be that of both streams.
recorded_in() { binlog-run -o "$@" >>"$TMP/out" 2>>"$TMP/err"; } # DIR COMMAND...
recorded_in binlog.data ./app
cp app elsewhere/redis-server
recorded_in binlog.data elsewhere/redis-server
recorded_in binlog.data ./app fails
$CC -g -O1 -o elsewhere/server "$here/victims/server.c" && recorded_in binlog.data elsewhere/server
cp -a --sparse=always binlog.data good.data
recorded_in bad.data ./app trace
for name in a b; do recorded_in tests/$name.data ./myprogram; done
cp -a --sparse=always binlog.data/. DIR
for name in before run unknown packed/host var/log/binlog/packed/other; do binlog-pack -q -o $name.blog binlog.data; done
recorded_in trace.data ./app trace
binlog-show -q -o heph --to trace.heph trace.data
recorded_in sshd.data ./sshd
mv sshd.data/*.binlog sshd.binlog
binlog-show -q --stacks binlog.data/app-* >stacks.txt
for name in app binlog-nginx binlog/captures; do recorded_in var/log/$name ./app; done
mkdir debug
echo 'a.out+0x1139' >addresses
[ -z "$redis" ] || { binlog-run -o redis.data redis-server >/dev/null 2>&1 && mv redis.data/redis-server-*.binlog redis.binlog; }
echo 'Nov 27 12:31:45 host sshd[812]: Failed password for root from 192.0.2.7 port 22 ssh2' >auth.log
if type -P nginx >/dev/null; then
	port=$((20000 + RANDOM % 12000))
	mkdir web
	printf '%s\n' "daemon off; master_process off; pid $PWD/web/pid; error_log stderr debug;" 'events { worker_connections 32; }' \
		"http { access_log off; $(printf "%s_temp_path web; " client_body proxy fastcgi uwsgi scgi)" \
		"server { listen 127.0.0.1:$port; } }" >web/conf
	BINLOG_DIR=$PWD/nginx.data LD_PRELOAD=$lib "$(realpath "$EXAMPLES_BIN/nginx")" -p web -c conf >/dev/null 2>&1 &
	asks() { exec 9<>"/dev/tcp/127.0.0.1/$port" && printf 'GET / HTTP/1.0\r\n\r\n' >&9 && cat <&9 >/dev/null; }
	until_true asks
	kill $!
	wait $!
	mv nginx.data/*.binlog nginx.binlog
	binlog-show -q --raw nginx.binlog >error.log
fi

EXAMPLES_WITHOUT=$(for name in redis.binlog nginx.binlog error.log; do [ -e $name ] || echo $name; done)
export EXAMPLES_WITHOUT

# ---- what is run otherwise, or not at all ----
cd "$root" || exit 1
pages=$(ls man/*.[1-8] "$BUILD"/man/*)
{
	# Its words are those of Debian 12's.
	[ -n "$redis_7_0" ] || [ -z "$redis" ] || echo 'header | README.md | binlog-show --columns=time,caller | of another version'
	cat <<'E'
# They do not end by themselves.
endless | README.md | binlog-show --follow
endless | README.md | binlog-pack --follow DIR -o LOG | LOG
endless | binlog-show.1 | binlog-show --follow --priority=warning
endless | binlog-ship.1 | nice -n 19 binlog-pack --follow | var/log/binlog/packed/host-000001.blog
endless | binlog-top.1 | binlog-top -b -d 60 | busiest
behind | binlog-ring.7 | BINLOG_RING=64M | binlog.data
terminal | binlog-top.1 | binlog-top $(pidof | q
# What they need is used up by then.
anew | README.md | binlog-pack --with-symbols -o LOG DIR
anew | binlog-pack.1 | binlog-pack --with-symbols -o -
# They have nothing to print.
silent | binlog-compare.7 | test -z | it is the status that says so
silent | binlog-export.7 | binlog-show -o syslog | it is for another machine
silent | binlog-export.7 | speedscope | it is for the eyes
silent | binlog-show.1 | vim | it is for the eyes
tells | binlog-ring.7 | binlog-show | ^binlog.data/server-.*: binlog-ctl kept what was said around
header | binlog-output.7 | binlog-show --output=timeline | a program of our own has other messages
silent | libbinlog.8 | mkdir | it makes a directory
# Nothing was recorded then.
complains | binlog-stats.7 | binlog-show --since '2026-11-22 | nothing matches --since, --until
# There is no such server: they come as far as that.
complains | README.md | binlog-ship --follow | 127.0.0.1:1: not reached
complains | README.md | binlog-query | 127.0.0.1:1: not reached
complains | binlog-query.1 | binlog-query | 127.0.0.1:1: not reached
complains | binlog-ship.1 | binlog-ship | 127.0.0.1:1: not reached
complains | binlog-ship.1 | nice -n 19 binlog-ship | 127.0.0.1:1: not reached
complains | binlog-ship.1 | clickhouse-client | Connection refused
# They are not run.
looked-up | README.md | make | of the sources, and this test is a part of it
looked-up | README.md | bin/binlog-run ./app | of the archive that make dist makes: t_dist
looked-up | README.md | binlog-show [OPTIONS] | a synopsis
looked-up | binlog-limits.7 | cat FIFO | an open pipe
looked-up | binlog-rules.7 | binlog-show --index | a part of a command
looked-up | binlog-query.1 | binlog-ship | a part of a command
looked-up | binlog-query.1 | binlog-show --diff | a part of a command
looked-up | binlog-sandbox.7 | binlog-ctl status | a part of a command
looked-up | binlog-top.1 | binlog-ctl level= | a part of a command
looked-up | binlog-top.1 | binlog-pack --follow | a part of a command
looked-up | libbinlog.8 | binlog-run Ar program | a part of a command
# Blocks that are no commands.
text | README.md | [Service] | the drop-in of libbinlog(8), of which t_man makes one
text | libbinlog.8 | [Service] | a drop-in, of which t_man makes one
text | libbinlog.8 | Environment= | a part of a drop-in, of which t_man makes one
text | libbinlog.8 | - run: | for another machine; the same commands are before it
text | binlog-query.1 | SELECT | t_query asks it of a server
text | binlog-ship.1 | ALTER TABLE | for a server
text | binlog-ship.1 | <macros> | for a server: t_ship_replicas has such ones
text | binlog-ship.1 | BINLOG_SHIP_TO | settings, which the unit reads
text | binlog-packed.5 | frame | a grammar
text | binlog.5 | file | a grammar
text | binlog-show.1 | 2026-11-21 02:27:03.123456789 program[pid:tid] | a form, with names for what is there
text | binlog-show.1 | a.binlog:8192 | a complaint
text | binlog-show.1 | log/a.binlog and | a complaint
text | binlog-show.1 |     #0 answer | a form of stacks: t_origin
text | binlog-run.1 | binlog-run: /bin/x | a complaint: t_b06_static
text | binlog-rules.7 | cannot be told apart | a complaint: t_statement_rules
text | binlog-rules.7 | format "Accepted %s:%d" drop | what binlog-ctl shows of a rule: t_statement_rules
text | binlog-rules.7 | app.binlog: a rule kept | what is told of a ring: t_trigger
text | binlog-heph.7 | My event | a line of Heph
text | binlog-heph.7 | (4 lost | such a line: tests/consumers/heph_lost.py
text | binlog-output.7 | app.c:12: main | a form: t_index
text | binlog-symbolize.1 | #0 bash | lines to be named: t_symbolize
text | binlog-symbolize.1 | leaf at | a form: t_symbolize
header-of | binlog-run.1 | binlog-run: 12 messages | on-terminal binlog-run -o log ./server
header-of | binlog-output.7 |  PID  STARTED | binlog-show --processes
header-of | binlog-output.7 |  CALLS  PER SECOND | binlog-show --rates
keys-of | binlog-export.7 | {"time" | binlog-show -o json
header-of | binlog-output.7 | 09:58:26.038046 | on-terminal binlog-show good.data
header-of | binlog-output.7 | /src/server.c:30 | binlog-show -q -o quickfix good.data
text | binlog-show.1 | N captured | of a damaged capture: t_bad_input
given-to | binlog-filters.7 | size > 4096 | binlog-show -w "$(cat {})"
given-to | binlog-output.7 | # what an administrator | binlog-show --config={}
given-to | binlog.conf.5 | # For all programs | binlog-run --config={} ./app
given-to | binlog-rules.7 | # Of the network | rules {}
given-to | binlog-rules.7 | level trace | rules {}
given-to | binlog-rules.7 | format "<%d | rules {}
given-to | binlog-rules.7 | stream stderr depth 8 | rules {}
E
	# shellcheck disable=SC2086 # a list of files
} | python3 tests/support/examples.py README.md $pages
exit $?
