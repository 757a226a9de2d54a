#!/bin/bash
# --output=ctf: babeltrace2 reads in it what binlog-show itself says, and what the program's source says.
. tests/exports.sh
record_exports
cd "$TMP" || exit 1
for from in capture log.blog; do
	export_to "$from.ctf" ctf "$from"
	python3 "$consumers/ctf.py" "$from.ctf" "$from" || failed=1
	babeltrace2 "$from.ctf" >"$from.text" 2>"$from.said"
	same "babeltrace2 has no complaint" "0 0 $("$show" -q --count "$from")" "$? $(wc -l <"$from.said") $(wc -l <"$from.text")"
done
finish
