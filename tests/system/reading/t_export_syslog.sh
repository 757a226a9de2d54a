#!/bin/bash
# --output=syslog: rsyslogd takes it over TCP, and reads in it what binlog-show itself says.
. tests/support/exports.sh
unpacked
if ! command -v rsyslogd >/dev/null || ! command -v nc >/dev/null; then
	skip "rsyslogd: $(not_unpacked)"
	exit 0
fi
record_exports
cd "$TMP" || exit 1
cat >rsyslog.conf <<END
global(workDirectory="$TMP" maxMessageSize="1m" parser.escapeControlCharactersOnReceive="off")
module(load="imtcp" maxFrameSize="1000000")
module(load="mmpstrucdata")
template(name="fields" type="list") {
	constant(value="{") property(outname="pri" name="pri" format="jsonf")
	constant(value=",") property(outname="time" name="timereported" dateFormat="rfc3339" format="jsonf")
	constant(value=",") property(outname="app" name="app-name" format="jsonf")
	constant(value=",") property(outname="pid" name="procid" format="jsonf")
	constant(value=",") property(outname="msgid" name="msgid" format="jsonf")
	constant(value=",") property(outname="text" name="msg" format="jsonf")
	constant(value=",\"sd\":") property(name="\$!rfc5424-sd")
	constant(value="}\n")
}
ruleset(name="all") {
	action(type="mmpstrucdata" sd_name.lowercase="off")
	action(type="omfile" file="$TMP/fields" template="fields")
}
input(type="imtcp" port="0" address="127.0.0.1" listenPortFileName="$TMP/port" ruleset="all")
END
has_lines() { [ "$(wc -l <fields)" -ge "$1" ]; }
send() { # EXPORT LINES: what rsyslogd makes of it is in EXPORT.json
	rm -f fields port
	rsyslogd -n -C -M "$(echo "$(prefix_of rsyslogd)"/usr/lib/*-linux-gnu*/rsyslog)" -f "$TMP/rsyslog.conf" -i "$TMP/pid" >rsyslog.said 2>&1 &
	until_true test -s port
	nc -N 127.0.0.1 "$(cat port)" <"$1"
	until_true has_lines "$2"
	kill $! && wait $!
	mv fields "$1.json"
	same "rsyslogd has no complaint" "" "$(cat rsyslog.said)"
}
for from in capture log.blog; do
	export_to "$from.export" syslog "$from"
	send "$from.export" "$("$show" -q --count "$from")"
	python3 "$consumers/syslog_json.py" "$from.export.json" "$from" || failed=1
done
same_file "a packed log says the same as its captures" capture.export log.blog.export
"$show" -q -o syslog -L capture >places
same "--location: file, line and function are those of the columns" \
	"$("$show" -q --columns=stream,location,caller capture | sed 's/  */ /g; s/ *$//; /^- /d; s/^[^ ]* //' | sort | uniq -c)" \
	"$(grep -ao ' file="[^"]*" line="[0-9]*" caller="[^"]*"' places | sed -E 's/^ file="([^"]*\/)?([^"]*)" line="(.*)" caller="(.*)"/\2:\3 \4/' | sort | uniq -c)"
finish
