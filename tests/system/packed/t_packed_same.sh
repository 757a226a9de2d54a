#!/bin/bash
# Whatever binlog-show prints of captures it prints of their packed log: in every style, with every option, of one
# capture and of several at once, of batches and of plain logs.
. tests/support/lib.sh
unpacked
. tests/packed/common.sh
TMP=$(realpath "$TMP")
export XDG_CACHE_HOME=$TMP/cache # not the user's own

say_everything
network() { # what servers and readers of packets say
	local turns
	python3 - "$here/bench" "$TMP/packets" <<'P'
import sys
sys.path.insert(0, sys.argv[1])
import programs
programs.write_packets(sys.argv[2], 400)
P
	if type -P tcpdump >/dev/null; then
		say tcpdump tcpdump -nn -vv -r "$TMP/packets"
	else
		skip "tcpdump: not installed"
	fi
	if ! type -P memcached >/dev/null; then
		skip "memcached: $(not_unpacked)"
		return
	fi
	mkdir -p "$TMP/c/memcached"
	LD_PRELOAD=$lib BINLOG_DIR=$TMP/c/memcached memcached -vv -u root -t 2 -s "$TMP/socket" >"$TMP/said" 2>&1 </dev/null &
	until_true test -S "$TMP/socket"
	for turns in {1..20}; do
		printf 'set key%d 0 0 5\r\nvalue\r\nget key%d\r\nbogus\r\n' $turns $turns
	done | timeout 5 nc -N -U "$TMP/socket" >"$TMP/answers"
	kill %% && wait %%
}
network
options() { # of this capture: a line for each run
	local pid
	printf '%s\n' "" "--utc" "--raw" "--raw --as-written" "--raw --as-written --stream=stdout" "--stacks" "--stacks --depth=2" \
		"--location" "--source" "--location --stacks --pointers" "--pointers" "--stream=stdout" "--stream=stderr" "--stream=syslog" \
		"--stream=stdout,stderr" "--stream=file:*other*" "--raw --stream=file:*" "-P" "-P --stream=stderr" "--output=raw" \
		"--output=captures" "--output=processes" "-q" "--raw --pid=1"
	# shellcheck disable=SC2086 # a list of numbers
	for pid in $("$show" -q "$1" 2>/dev/null | sed -nE 's/^[^[]*\[([0-9]+):.*/\1/p' | sort -u | head -n 3); do
		printf '%s\n' "--pid=$pid" "--raw --as-written --pid=$pid" "--pid=$pid --location --stream=stdout"
	done
}
differences_of() { # LOG CAPTURE...: every line of options
	local line status
	while read -r line; do
		# shellcheck disable=SC2086 # a list of words
		"$show" $line "${@:2}" >"$TMP/want" 2>"$TMP/want.said"
		status=$?
		# shellcheck disable=SC2086
		"$show" $line "$1" >"$TMP/got" 2>"$TMP/got.said"
		[ $? -eq $status ] || echo "binlog-show $line: status is not $status: $(tail -n 1 "$TMP/got.said")"
		cmp -s "$TMP/want" "$TMP/got" || {
			echo "binlog-show $line: $(wc -c <"$TMP/want") and $(wc -c <"$TMP/got") bytes:"
			diff -a "$TMP/want" "$TMP/got" | head -n 4 | cut -c 1-150
		}
		[ "$(tail -n 1 "$TMP/want.said")" = "$(tail -n 1 "$TMP/got.said")" ] ||
			echo "binlog-show $line: $(tail -n 1 "$TMP/want.said") / $(tail -n 1 "$TMP/got.said")"
	done
}
agrees() { # SENTENCE LOG CAPTURE...
	local why
	why=$(options "$3" | differences_of "${@:2}" 2>&1)
	verdict ${#why} "$1" "$why"
}

for capture in "$TMP"/c/*; do
	name=$(basename "$capture")
	pack "$TMP/$name.blog" "$capture"
	verdict $? "$name: it is packed" "$(cat "$TMP/$name.blog.complaint")"
	agrees "$name: all that is shown of the capture is shown of its log" "$TMP/$name.blog" "$capture"
	[[ $name =~ ^(all_kinds|shell|python|crash)$ ]] || continue
	pack "$TMP/$name.plain.blog" "$capture" --plain
	agrees "$name: and of its plain log" "$TMP/$name.plain.blog" "$capture"
	same "$name: as from a pipe" "$("$show" --stacks "$TMP/$name.blog" 2>&1 | md5sum)" \
		"$(cat "$TMP/$name.blog" | "$show" --stacks - 2>&1 | md5sum)"
done

# ---- several at once ----
together=("$TMP/c/shell" "$TMP/c/all_kinds" "$TMP/c/logger" "$TMP/c/forks")
timeout 60 "$tool" -f -o "$TMP/together.blog" "${together[@]}" >"$TMP/complaint" 2>&1
verdict $? "four runs are packed into one log" "$(cat "$TMP/complaint")"
agrees "it shows what the captures together do" "$TMP/together.blog" "${together[@]}"
cat "$TMP"/{shell,all_kinds,logger,forks}.blog >"$TMP/joined.blog"
raw_of() { "$show" --raw -q "$@" 2>&1; }
same "four logs joined by cat give what each gives, one after the other" \
	"$(for name in shell all_kinds logger forks; do raw_of "$TMP/$name.blog"; done | md5sum)" \
	"$(raw_of "$TMP/joined.blog" | md5sum)"
finish
