#!/bin/bash
# --output=perfetto: a trace as Perfetto's own descriptions have it, read by the library of Protocol Buffers.
. tests/support/exports.sh
record_exports
cd "$TMP" || exit 1
protoc --proto_path="$consumers" --python_out="$TMP" perfetto.proto || exit 1
for from in capture log.blog; do
	export_to "$from.pftrace" perfetto "$from"
	PYTHONPATH=$TMP:$here/support python3 "$consumers/perfetto_trace.py" "$from.pftrace" "$from" || failed=1
done
export_to places.pftrace perfetto -L -S capture
PYTHONPATH=$TMP:$here/support python3 "$consumers/perfetto_trace.py" places.pftrace capture places || failed=1
same "all of it is messages, also for protoc" 0 "$(protoc --decode_raw <places.pftrace >raw; echo $?)"
same "and each packet is one" "$(grep -c '^1 {' raw)" \
	"$(protoc --proto_path="$consumers" --decode=perfetto.protos.Trace perfetto.proto <places.pftrace | grep -c '^packet {')"

record_spans
export_to spans.pftrace perfetto --spans "$rule" spans
PYTHONPATH=$TMP:$here/support python3 "$consumers/perfetto_spans.py" spans.pftrace | sort >spans.got
same_file "spans are slices, as long as --spans says" spans.wanted spans.got
finish
