#!/bin/bash
# --output=heph, and Heph's traces as input: a reader and a writer of that format agree with binlog-show, both ways.
. tests/support/exports.sh
record_exports
python3 "$consumers/heph_import.py" "$TMP" || failed=1
cd "$TMP" || exit 1
for from in capture log.blog; do
	export_to "$from.heph" heph "$from"
	python3 "$consumers/heph_export.py" "$from.heph" "$from" || failed=1
done
same_file "a packed log says the same as its captures" capture.heph log.blog.heph

# What binlog-show has exported it shows as it was: but for ends of processes, which are no calls.
build export_names
BINLOG_DIR=names BINLOG_STREAMS=stdout LD_PRELOAD=$lib ./export_names 3 >/dev/null
export_to names.heph heph names
for from in capture names; do
	"$show" -q $from | grep -av '\] end: ' >lines
	"$show" -q $from.heph >lines.heph
	same_file "read again it makes the same lines" lines lines.heph
done
columns=time,program,pid,tid,thread,stream,format,function
"$show" -q --columns=$columns --where 'request >= 0' capture >worker
"$show" -q --columns=$columns --where 'request >= 0' capture.heph >worker.heph
same_file "arguments are there again, by name" worker worker.heph
same "of a hundred calls of four threads" 400 "$(wc -l <worker.heph)"
"$show" -q -o heph -L capture >places
same "--location: file, line and function are those of the columns" \
	"$("$show" -q --columns=stream,location,caller capture | sed 's/  */ /g; s/ *$//; /^- /d; s/^[^ ]* //' | sort | uniq -c)" \
	"$(python3 - <<'END' | sort | uniq -c
import heph_packets as heph
for packet in list(heph.read(open('places', 'rb').read()))[1:]:
    own = {name: value for name, _, value in packet['attributes']}
    print('%s:%d %s' % (own['binlog.file'].split('/')[-1], own['binlog.line'], own['binlog.caller']))
END
)"
finish
