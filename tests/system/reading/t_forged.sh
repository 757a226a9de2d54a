#!/bin/bash
# A capture says of itself who wrote it, and whoever can write one can say anything: it is shown as claimed, and beside
# it who owns the file.
. tests/support/lib.sh
cd "$TMP" || exit 1
LD_PRELOAD=$lib BINLOG_DIR=$TMP/run "$(command -v seq)" 3 >/dev/null
cat >forge.py <<'END'
import struct, sys
sys.path.insert(0, sys.argv[1])
from capture_records import blocks, walk
data = bytearray(open(sys.argv[2], "rb").read())
pid, tid, uid = 4242, 4243, 4244
data[112:116] = struct.pack("<I", pid)
for _, _, start, _ in blocks(data):
    data[start + 16:start + 24] = struct.pack("<II", pid, tid)
for _, kind, at, _ in walk(data):
    if kind == 2:  # PROCESS
        data[at + 8:at + 20] = struct.pack("<III", pid, 1, uid)
        for _ in range(2):  # the executable, and argv[0]
            name = data.index(b"seq\0", at)
            data[name:name + 4] = b"ssh\0"
    elif kind == 3:  # THREAD
        data[at + 8:at + 12] = struct.pack("<I", tid)
open(sys.argv[3], "wb").write(data)
END
mkdir forged
python3 forge.py "$here/support" run/*.binlog forged/a.binlog || exit 1
same "who is claimed to have spoken is shown as claimed" "ssh[4242:4243]" \
	"$("$show" -q --columns=program,pid,tid forged | awk '{ print $1 "[" $2 ":" $3 "]" }' | sort -u)"
same "what was said is as it was" "$(seq 3)" "$("$show" --raw -q forged)"
owner() { "$BUILD/binlog-ctl" list "$1" | awk 'NR > 1 { print $(NF - 1) }'; } # DIRECTORY
same "the owner is that of the file" "$(id -u) $(id -u)" "$(owner run) $(owner forged)"
if [ "$(id -u)" -eq 0 ]; then
	chown 65534 forged/a.binlog
	same "whoever that is" 65534 "$(owner forged)"
fi
"$BUILD/binlog-pack" -q -o log.blog forged
same "of what is in a packed log it is that of the log" "$(id -u)" "$(owner log.blog)"
same "of what comes through a pipe none is known" "-" \
	"$("$show" -q --output=captures - <log.blog | awk 'NR > 1 { print $(NF - 1) }')"
finish
