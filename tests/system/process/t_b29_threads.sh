#!/bin/bash
# B29, D5: thousands of threads at once, and many more one after the other:
# as many as natively, nothing lost, each by its number and name, and memory,
# mappings and the capture grow with the threads that live at one time.
. tests/support/lib.sh
many=$([ -n "${LONG:-}" ] && echo 25000 || echo 2000)
short=$([ -n "${LONG:-}" ] && echo 1000000 || echo 20000)
living=100
export COMMAND_TIME=${LONG:+600}
COMMAND_TIME=${COMMAND_TIME:-300}
build threads -O1

run() { # natively|recorded ARGUMENT...
	exec 9>"$TMP/$1.said"
	"$1" "$TMP/$1" "$TMP/threads" "${@:2}"
	exec 9>&-
}
value() { sed -n "s/^$2 //p" "$TMP/$1.said"; } # natively|recorded NAME
# Of the header of the capture: where the next block will be, and how many
# writers there were.
claimed() { od -A n -t u8 -j 32 -N 8 "$TMP"/recorded/capture/*.binlog | tr -d ' '; }
writers() { od -A n -t u4 -j 40 -N 4 "$TMP"/recorded/capture/*.binlog | tr -d ' '; }
# How many messages are not what the threads have said, where they said it; and
# what was passed or dropped of them.
differ() { # LINES_OF_EACH_LONG_ONE
	"$show" -s stdout "$TMP/recorded/capture" 2>"$TMP/sum" |
		sed -nE 's/^.*\[[0-9]+:([0-9]+)\] stdout: I am (.*), thread (.*)$/\2 \3 \1/p' |
		sort >"$TMP/got"
	sed -nE 's/^((long|short)-[0-9]+) ([0-9]+)$/\1 \3 \3/p' "$TMP/recorded.said" | sort |
		diff - "$TMP/got" | head -n 5
	raw stdout "$TMP/recorded/capture" | grep '^goes ' | sort -k 2n |
		diff <(seq -f 'goes %.0f' 0 $(($(value recorded all) - 1))) - | head -n 5
	echo "$(($(wc -l <"$TMP/got") + $(value recorded all))) captured, 0 passed, 0 dropped" |
		diff - "$TMP/sum"
	head -c 300 "$TMP/recorded/real.stdout"
}
# Which threads have no record with their name: kind, size, number, nesting, name.
kind=$(sed -n 's/^CONTROL(THREAD, *\([0-9]*\).*/\1/p' record/control.def)
names() {
	python3 - "$kind" "$TMP/recorded.said" "$TMP"/recorded/capture/*.binlog <<'P'
import struct, sys
kind = int(sys.argv[1])
data = open(sys.argv[3], "rb").read()
missing = 0
found = set()
head = struct.pack("<II", kind, 32)
at = data.find(head)
while at >= 0:
    found.add(data[at:at + 32])
    at = data.find(head, at + 4)
for line in open(sys.argv[2]):
    name, number = line.split()
    if "-" in name and struct.pack("<IIII16s", kind, 32, int(number), 0, name.encode()) not in found:
        missing += 1
        if missing < 5:
            print("no record of", name, number)
P
}
run natively many "$many"
run recorded many "$many"
same "B29 D5: of $many threads at once as many begin as natively" "$(value natively all)" "$(value recorded all)"
verdict $(($(value recorded maps) > $(value natively maps) + 16)) "B29 D5: with at most 16 more mappings" \
	"$(value natively maps), recorded $(value recorded maps)"
same "B29 D18: what they say is there once, under their numbers: captured = calls" "" "$(differ)"
same "B29: and so are their names" "" "$(names)"

for beside in 0 $living; do
	run recorded short "$short" "$beside"
	same "B29 D5: $short short threads beside $beside that live on: the program ends" "0 $beside" \
		"$(cat "$TMP/recorded/status") $(value recorded all)"
	same "B29 D18: what they say is there once, under their numbers: captured = calls" "" "$(differ)"
	same "B29: and so are their names" "" "$(names)"
	verdict $(($(writers) > 2 * beside + 50)) "B29: their memory is that of those that live at one time" "$(writers) writers"
	verdict $(($(value recorded grown) > 8192)) "B29: it does not grow" "$(value recorded grown) KiB"
	verdict $(($(claimed) > 300 * short + 8192 * (2 * beside + 50))) "B29: each takes little of the capture" "$(claimed) bytes"
done
finish
