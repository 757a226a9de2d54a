#!/bin/bash
# Daemons at their usual work (tests/support/daemons.sh), natively and recorded: the
# clients are told the same, the daemon ends with the same status, nothing of it
# stays behind, and its logs are complete, as a multiset of lines in which times,
# process numbers and ports are left out.
#
# Each lives once natively, and recorded once (LONG=1: twenty times) in each of
#   auto   what was said to stdout, stderr and syslog is in the capture, or written
#   tee    all=tee, log files too: written as natively, and the same lines recorded
#   files  log files replaced: they are empty, the lines are in the capture (LONG=1)
#
# Own namespaces let a daemon have its /dev/log, its /run and its free ports; what
# cannot live without them is skipped where there are none.  To look at one:
# ONLY=NAME TIMES=N KEEP=DIR, where the lives that differed are copied to.
. tests/support/lib.sh
. tests/support/daemons.sh
unpacked
unshare=(unshare --mount --net --pid --fork --kill-child --mount-proc)
if [ "${1:-}" != inside ]; then
	# Not below TMP, which is closed to the users that daemons become.
	work=$(mktemp -d /tmp/binlog-daemons.XXXXXX)
	trap 'rm -rf "$work"' EXIT
	chmod 755 "$work"
	export work
	if [ "$(id -u)" -eq 0 ] && "${unshare[@]}" mount -t tmpfs none /run 2>/dev/null; then
		"${unshare[@]}" bash "$0" inside own
	else
		bash "$0" inside
	fi
	exit
fi

own=${2:-}
if [ -n "$own" ]; then
	sandbox || { not_ok "the sandbox"; finish; }
fi
with_keys

normal() { # DIR: of a log; lines in any order
	grep -av "${unsaid:-^\$}" | sed -E "s|$1|DIR|g; s/[A-Z][a-z]{2} +[0-9]+ [0-9:]{8}/TIME/g; s/[0-9]+/N/g" | sort
}
undated() { sed -E 's/^(<[0-9]+>)[A-Z][a-z]{2} [ 0-9][0-9] [0-9:]{8} /\1/' "$@" | sort; }
logs() { # DIR: the names of the log files
	(cd "$1/files" && find . -name '*.log' -printf '%P\n' | sort)
}
decoded() { # DIR STREAM
	"$show" --raw -q --stream="$2" "$1/capture" >"$1/decoded" 2>"$1/complaint" ||
		echo "binlog-show --stream=$2: status $?" >>"$1/complaint"
	cat "$1/complaint" "$1/decoded"
}
# What a stream of the recorded life has in all, and what natively.
compare_stream() { # MODE DIR STREAM FILE
	case $1 in
	tee)
		# The second of a message to syslog is that of another clock.
		[ "$3" = "$unrecorded" ] ||
			diff -a <(undated "$2/$4") <(decoded "$2" "$3" | undated) >"$work/diff" ||
			{ echo "$3 is recorded differently than written:"; head -n 6 "$work/diff"; }
		diff -a <(normal "$native" <"$native/$4") <(normal "$2" <"$2/$4") >"$work/diff"
		;;
	*)
		diff -a <(normal "$native" <"$native/$4") \
			<({ cat "$2/$4"; decoded "$2" "$3"; } | normal "$2") >"$work/diff"
		;;
	esac || { echo "$4 differs from the native one:"; head -n 6 "$work/diff"; }
}
what_differs() { # MODE DIR
	local part sum
	for part in status clients; do
		diff -a "$native/$part" "$2/$part" >"$work/diff" ||
			{ echo "$part differs:"; head -n 6 "$work/diff"; }
	done
	for part in stdout stderr syslog; do
		compare_stream "$1" "$2" $part $part
	done
	diff <(logs "$native") <(logs "$2") || echo "the log files differ"
	# All in one, since a file that was renamed has two names.
	for part in "$native" "$2"; do
		(cd "$part/files" && cat /dev/null $(logs "$part")) >"$part/files.all"
	done
	compare_stream "$1" "$2" 'file:*.log' files.all
	[ "$1" != files ] || [ ! -s "$2/files.all" ] ||
		{ echo "log files are written:"; head -n 3 "$2/files.all"; }
	grep -rsa 'ld\.so' "$2/stderr" "$2/clients"
	sum=$("$show" "$2/capture" 2>&1 >/dev/null | tail -n 1)
	[[ $sum == *" captured, 0 passed, 0 dropped" ]] || echo "accounts: $sum"
	[ ! -e "$2/trouble" ] || cat "$2/trouble"
}

check() { # DAEMON MODE
	local dir=$work/$1.$2 streams=() why
	case $2 in
	tee) streams=("BINLOG_STREAMS=all=tee,file:$dir/files/*.log=tee") ;;
	files) streams=("BINLOG_STREAMS=file:$dir/files/*.log=replace") ;;
	esac
	live "$1" "$dir" LD_PRELOAD="$work/libbinlog.so" BINLOG_DIR="$dir/capture" "${streams[@]}"
	why=$(what_differs "$2" "$dir")
	[ -z "$why" ] || [ -z "${KEEP:-}" ] || cp -r "$dir" "$KEEP/"
	rm -rf "$dir"
	[ -z "$why" ] && return
	not_ok "$1, $2: as natively" "$why"
	return 1
}
lives() { # DAEMON TIMES
	local mode i
	native=$work/$1
	live "$1" "$native"
	if [ -e "$native/trouble" ]; then
		[ -z "${KEEP:-}" ] || cp -r "$native" "$KEEP/"
		skip "$1: does not do its work natively here: $(head -n 1 "$native/trouble")"
		return
	fi
	for mode in auto tee ${LONG:+files}; do
		[ $mode != files ] || [ -n "$(logs "$native")" ] || continue
		for ((i = 0; i < $2; i++)); do
			check "$1" $mode || break
		done
		[ $i -lt "$2" ] ||
			ok "$1, $mode: as natively, in $2 of $2 lives ($(lines "$native") lines)"
	done
	rm -rf "$native"
}
lines() { cat "$1"/std* "$1/syslog" $(logs "$1" | sed "s|^|$1/files/|") | wc -l; }

# name; where it can live: anywhere, or as root in its own namespaces; when: always,
# with LONG=1 twenty times or once; the programs
while read -r name where when programs; do
	[[ $name == *"${ONLY:-}"* ]] || continue
	[ "$when" = always ] || [ -n "${LONG:-}" ] || continue
	missing=
	for program in python3 pgrep $programs; do
		type -P "$program" >/dev/null || missing+=" $program"
	done
	times=${TIMES:-${LONG:+20}}
	if [ -n "$missing" ]; then
		skip "$name:$missing: $(not_unpacked)"
	elif [ "$where" = own ] && [ -z "$own" ]; then
		skip "$name: needs root and namespaces"
	elif [ "$when" = once ]; then
		lives "$name" 1
	else
		lives "$name" "${times:-1}"
	fi
done <<TABLE
nginx anywhere always nginx curl
nginx_background anywhere long nginx curl
lighttpd anywhere always lighttpd curl
redis anywhere always redis-server redis-cli redis-benchmark
redis_background own long redis-server redis-cli redis-benchmark
memcached anywhere always memcached
dnsmasq_stderr anywhere always dnsmasq dig
dnsmasq_file anywhere long dnsmasq dig
dnsmasq_syslog own always dnsmasq dig
mosquitto anywhere always mosquitto mosquitto_pub mosquitto_sub
mosquitto_syslog own long mosquitto mosquitto_pub mosquitto_sub
sshd_stderr own long sshd ssh ssh-keygen
sshd_syslog own always sshd ssh ssh-keygen
dropbear own always dropbear dropbearkey ssh ssh-keygen
cron own always cron
cron_minute own once cron
postgresql anywhere long $(postgresql)/pgbench
postgresql_collector anywhere long $(postgresql)/pgbench
postgresql_syslog own long $(postgresql)/pgbench
TABLE
finish
