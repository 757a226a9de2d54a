#!/bin/bash
# syslog: what LOG_PERROR prints reaches stderr and the capture, as the policies of both have it; priorities that do not exist are
# complained of in libc's words; a message has the time of the program's own time zone.
. tests/support/lib.sh
build syslog_echo
victim=$TMP/syslog_echo

"$victim" echo 2>"$TMP/native.stderr" >"$TMP/native.stdout"
for stderr in auto replace tee pass; do
	for syslog in replace tee pass; do
		rm -rf "$TMP/capture"
		LD_PRELOAD=$lib BINLOG_DIR=$TMP/capture BINLOG_STREAMS=stdout=$stderr,stderr=$stderr,syslog=$syslog \
			"$victim" echo 2>"$TMP/real.stderr" >"$TMP/real.stdout"
		for stream in stderr stdout; do
			"$show" --raw --as-written -q --stream=$stream "$TMP/capture" >"$TMP/decoded.$stream" 2>/dev/null
			case $stderr in
			auto | replace) : >"$TMP/wanted.real" && cp "$TMP/native.$stream" "$TMP/wanted" ;;
			tee) cp "$TMP/native.$stream" "$TMP/wanted.real" && cp "$TMP/native.$stream" "$TMP/wanted" ;;
			pass) cp "$TMP/native.$stream" "$TMP/wanted.real" && : >"$TMP/wanted" ;;
			esac
			same_file "stderr=$stderr, syslog=$syslog: the echo on $stream" "$TMP/wanted.real" "$TMP/real.$stream"
			same_file "stderr=$stderr, syslog=$syslog: the echo in the capture, to $stream" "$TMP/wanted" "$TMP/decoded.$stream"
		done
		# Those that are echoed to the first stderr, three while there is no echo, one after it is another.
		messages=$(($(grep -c '^echo: ' "$TMP/native.stderr") + 3 + 1))
		[ $syslog != pass ] || messages=0
		same "stderr=$stderr, syslog=$syslog: all messages, and complaints, are recorded" $messages \
			"$("$show" --raw -q --stream=syslog "$TMP/capture" 2>/dev/null | grep -ac '^<')"
	done
done

"$victim" fails 2>"$TMP/wanted"
for stderr in replace tee pass; do
	for syslog in replace tee pass; do
		rm -rf "$TMP/capture"
		LD_PRELOAD=$lib BINLOG_DIR=$TMP/capture BINLOG_STREAMS=stderr=$stderr,syslog=$syslog "$victim" fails 2>"$TMP/real"
		[ $stderr = replace ] && raw stderr "$TMP/capture" >"$TMP/real"
		same_file "stderr=$stderr, syslog=$syslog: a format that fails has no echo, as natively" "$TMP/wanted" "$TMP/real"
	done
done

for syslog in replace tee pass; do
	BINLOG_STREAMS=stderr=replace,syslog=$syslog recorded "$TMP/threads" "$victim" threads
	same "syslog=$syslog: while threads open and close the log each message is echoed once, with the program's name" "9001 0" \
		"$(grep -a "^syslog_echo: " "$TMP/threads/stderr" | sort -u | wc -l) $(wc -l <"$TMP/threads/real.stderr")"
done

natively "$TMP/native" "$victim" fails
for action in drop pass tee; do
	printf '[rules]\nstream syslog %s\n' $action >"$TMP/conf"
	BINLOG_CONFIG=$TMP/conf recorded "$TMP/ruled" "$victim" fails
	why=$(differences "$TMP/native" "$TMP/ruled")
	verdict ${#why} "stream syslog $action: the echo is recorded all the same, and not printed" "$why"
done

compare "What is echoed moves stderr as far as natively" "$victim" positions

# At full hours one may be behind the other.
hours() { sed 's/^.*:\(..\):..:..*$/\1/; s/^<.*> *... .. \(..\):.*/\1/' "$1"; }
build syslog_echo -DOWN_NAMES -o "$TMP/own_names"
for program in own_names syslog_echo; do
	recorded "$TMP/zones" "$TMP/$program" zone
	raw syslog "$TMP/zones/capture" >"$TMP/messages"
	near=$(paste -d ' ' <(grep -v before "$TMP/messages" | hours /dev/stdin) "$TMP/zones/stdout" |
		awk 'NF == 2 && ($2 - $1 + 24) % 24 <= 1 { n++ } END { print n + 0 }')
	same "$program: a message has the time of the zone that tzset() has set last" 5 "$near"
done
same "A change of TZ that libc has not looked at is none" "$(grep -a 'AAA0$' "$TMP/messages" | tail -n 1 | hours /dev/stdin)" \
	"$(grep -a 'before$' "$TMP/messages" | hours /dev/stdin)"
finish
