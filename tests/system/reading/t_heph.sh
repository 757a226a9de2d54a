#!/bin/bash
# Traces of Heph as input beside what binlog records: from standard input, mixed with logs. All of them are made by
# tests/support/heph_packets.py, which has the format from its description alone.
. tests/support/exports.sh
record_exports
python3 "$consumers/heph_pipe.py" "$TMP" || failed=1
python3 "$consumers/heph_pack.py" "$TMP" || failed=1
python3 "$consumers/heph_lost.py" "$TMP" || failed=1
record_spans
build heph_nested
(cd "$TMP" && BINLOG_DIR=nested LD_PRELOAD=$lib ./heph_nested >/dev/null)
python3 "$consumers/heph_spans.py" "$TMP" || failed=1
protoc --proto_path="$consumers" --python_out="$TMP" perfetto.proto || exit 1
PYTHONPATH=$TMP:$here/support python3 "$consumers/heph_slices.py" "$TMP" || failed=1
finish
