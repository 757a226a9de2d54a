#!/bin/bash
# --output=chrome: a trace whose every event is as the Trace Event Format asks, read by node and by Chrome's own engine.
. tests/support/exports.sh
record_exports
cd "$TMP" || exit 1
for from in capture log.blog; do
	export_to "$from.json" chrome --utc "$from"
	python3 "$consumers/chrome_trace.py" "$from.json" "$from" || failed=1
done
same_file "a packed log says the same as its captures" capture.json log.blog.json
same "node reads it" "$("$show" -q --columns=pid capture | wc -l)" \
	"$(node -p 'JSON.parse(require("fs").readFileSync("capture.json")).traceEvents.filter((event) => event.ph == "i").length')"
if ! is_long; then
	: # what npm has is asked for by `make check-long`
elif npm_package @paulirish/trace_engine 0.0.65; then
	same "the engine of Chrome's DevTools knows each thread, its name and its events" \
		"$(paste -d ' ' <("$show" -q --columns=program capture) <("$show" -q --columns=pid capture) \
			<("$show" -q --columns=tid capture) <("$show" -q --columns=thread capture) | sed 's/  */ /g; s/ *$//' |
			sort | uniq -c | awk '{ n = $1; $1 = ""; print substr($0, 2), n }' | sort)" \
		"$(node "$consumers/chrome_trace.mjs" "$package" capture.json | sort)"
else
	skip "@paulirish/trace_engine of npm cannot be had"
fi
"$show" -q -o chrome --grep='no such text' capture >empty.json
same "without messages it is a trace, too" 0 "$(jq '[.traceEvents[] | select(.ph == "i" and .name != "end")] | length' empty.json)"

record_spans
"$show" -q -o chrome --spans "$rule" spans >spans.json
jq -r '[.traceEvents[] | select(.cat == "span")] | group_by(.id)[] | select(length == 2) | sort_by(.ph) |
	"\(.[0].args.key) \((.[1].ts - .[0].ts) * 1000 | round)"' spans.json | sort >spans.got
same_file "spans are pairs of events, as long as --spans says" spans.wanted spans.got
same "those that are not done have no end" 3 "$(jq '[.traceEvents[] | select(.cat == "span")] | group_by(.id) | map(select(length == 1)) | length' spans.json)"
finish
