#!/bin/bash
# --output=ctf: babeltrace2 reads in it what binlog-show itself says, and what the program's source says.
. tests/support/exports.sh
record_exports
cd "$TMP" || exit 1
for from in capture log.blog; do
	export_to "$from.ctf" ctf "$from"
	python3 "$consumers/ctf.py" "$from.ctf" "$from" || failed=1
	babeltrace2 "$from.ctf" >"$from.text" 2>"$from.said"
	same "babeltrace2 has no complaint" "0 0 $("$show" -q --count "$from")" "$? $(wc -l <"$from.said") $(wc -l <"$from.text")"
done
export_to places.ctf ctf -L capture
same "--location: the resource of an event is its file and line" \
	"$("$show" -q --columns=stream,location capture | sed -n 's/^[^-][^ ]* *//p' | sort | uniq -c)" \
	"$(babeltrace2 --fields=emf --names=none --no-delta places.ctf | sed -E 's/^\[[^]]*\] ([^ ]*\/)?([^ ]*:[0-9]+) .*/\2/' | sort | uniq -c)"

# Names that are words of the language, or none; more threads than streams.
build export_names
for threads in 3 1100; do
	BINLOG_DIR=names.$threads BINLOG_STREAMS=stdout LD_PRELOAD=$lib ./export_names $threads >/dev/null
	export_to names.$threads.ctf ctf names.$threads
done
python3 "$consumers/ctf_names.py" names.3.ctf >names.read 2>&1
{
	echo struct=1 event=2 string=3 integer=4 _=5 __x=6 1x=7
	echo arg1=8 message=9 id=10 timestamp=11 stream_id=12
	echo quoted=13 name=14
	echo arg1=15 arg2=16
	echo same=17 arg2=18 Same=19
	echo arg1=20
	echo arg1=21
	echo ended=22
	printf 'number=%d\n' 0 1 2
} >names.wanted
cut -d ' ' -f 2- -s names.read >names.got
same_file "fields have their names whatever these are, in order" names.wanted names.got
same "threads beyond a thousand share streams" "1025 $("$show" -q --count names.1100)" "$(find names.1100.ctf -type f | wc -l) $(babeltrace2 names.1100.ctf | wc -l)"

# Calls that were lost, and a clock that was set back: as the bytes of a capture have them.
python3 - capture/*.binlog <<'END'
import os
import shutil
import struct
import sys
HOUR = 3600 * 10**9
os.mkdir('lost')
os.mkdir('back')
for path in sys.argv[1:]:
    with open(path, 'rb') as file:
        data = bytearray(file.read())
    lost = bytearray(data)
    struct.pack_into('<Q', lost, 104, 7)  # `dropped` of the header
    with open('lost/' + os.path.basename(path), 'wb') as file:
        file.write(lost)
    for at in range(4096, len(data), 4096):
        # A block that is not the first of its writer: `realtime` of its anchor.
        if data[at:at + 4] == b'BLBK' and struct.unpack_from('<I', data, at + 28)[0] > 0:
            struct.pack_into('<Q', data, at + 40, struct.unpack_from('<Q', data, at + 40)[0] - HOUR)
    with open('back/' + os.path.basename(path), 'wb') as file:
        file.write(data)
END
"$show" -q -o ctf --to lost.ctf lost
same "what is lost babeltrace2 tells as discarded" "1 lost 7" "$? $(python3 "$consumers/ctf_names.py" lost.ctf | grep lost)"
for limit in 1 4096; do
	"$show" -q --limit=ctf-files=$limit --output=ctf --to=back.$limit back 2>&1 |
		grep -o -e 'a clock went back too often' -e '--limit=ctf-files=N'
done >said
same "beyond so many files it says that times are others" "a clock went back too often --limit=ctf-files=N" "$(paste -sd ' ' said)"
export_to back.ctf ctf back 2>notes
babeltrace2 --clock-seconds --no-delta back.ctf 2>back.said | cut -d ']' -f 1 | tr -d '[.' | sort >back.got
"$show" -q -o json back 2>notes | sed -nE '/"message":/s/.*"time_ns":([0-9]+).*/\1/p' | sort >back.wanted
same_file "times that go back are as they are" back.wanted back.got
same "they did, and babeltrace2 has no complaint" "0 yes" "$(wc -l <back.said) $(grep -q 'times go backwards' notes && echo yes)"

# What is refused.
"$show" -q -o ctf --to capture.ctf capture 2>complaint
same "a directory that is not empty stays as it was" "2 1" "$? $(grep -c 'capture.ctf: not opened: the directory is not empty' complaint)"
"$show" -q -o ctf capture 2>complaint
same "without a directory there is no trace" "2 1" "$? $(grep -c -e '--to' complaint)"
finish
