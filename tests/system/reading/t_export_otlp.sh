#!/bin/bash
# --output=otlp: lines of JSON that say what binlog-show itself says; LONG=1: that OpenTelemetry's own types take whole.
. tests/support/exports.sh
record_exports
types=
if is_long; then
	# What npm has is asked for by `make check-long`.
	npm_package @opentelemetry/otlp-transformer 0.57.2 && types=$package || skip "OpenTelemetry's types cannot be had from npm"
fi
cd "$TMP" || exit 1
for from in capture log.blog; do
	export_to "$from.otlp" otlp "$from"
	node "$consumers/otlp.js" "$types" "$from.otlp" >"$from.records"
	same "${types:+no field of it is unknown to OpenTelemetry, or of another type; }node reads it" 0 $?
	python3 "$consumers/otlp.py" "$from.records" "$from" || failed=1
done
same_file "a packed log says the same as its captures" capture.otlp log.blog.otlp
same "requests are bounded" "$((($("$show" -q --count capture) + 511) / 512))" "$(wc -l <capture.otlp)"
"$show" -q -o otlp -L capture >places
same "--location: file, line and function are those of the columns" \
	"$("$show" -q --columns=stream,location,caller capture | sed 's/  */ /g; s/ *$//; /^- /d; s/^[^ ]* //' | sort | uniq -c)" \
	"$(jq -r '.resourceLogs[].scopeLogs[].logRecords[].attributes | map({(.key): .value}) | add |
		"\(."code.filepath".stringValue | split("/") | last):\(."code.lineno".intValue) \(."code.function".stringValue)"' places |
		sort | uniq -c)"
finish
