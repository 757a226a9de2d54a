#!/bin/bash
# The commands of "First steps" in README.md, one after the other as they stand there, do what is said of them.
. tests/support/lib.sh
TMP=$(realpath "$TMP")
export PATH=$(realpath "$BUILD"):$PATH
root=$PWD
ln -s "$root/tests" "$TMP/tests"
sed -n '/^## First steps/,/^## What happens/p' README.md | sed -n 's/^    \$ //p' >"$TMP/commands"
cd "$TMP" || exit 1
number=0
while read -r command; do
	number=$((number + 1))
	bash -c "$command" >"shown.$number" 2>"complaint.$number" </dev/null
	same "$command" 0 "$?"
done <commands

shown() { # EXPRESSION: what the first command with it has shown
	cat "shown.$(grep -nm1 -e "$1" commands | cut -d: -f1)"
}
same "nothing reaches the file" 0 "$(wc -c <out)"
# What it says of itself, when it is run without the library.
./server >native
same "all messages are shown, and the one to syslog" $(($(wc -l <native) + 1)) "$(shown 'show$' | wc -l)"
slowest=$(shown 'show$' | sed -En 's/.*(request [0-9]+ done, took ([0-9]+) us)$/\2 \1/p' | sort -rn | sed -n '1s/[0-9]* //p')
same "the slowest request is found" "$slowest" "$(shown --largest | sed -n '1s/.* stdout: //p')"
line=$(grep -n 'done, took' tests/victims/server.c | cut -d: -f1)
same "with the function that answers it" 1 "$(shown --largest | grep -cE "#0 answer at .*/server\.c:$line\b")"
same "and its caller" 1 "$(shown --largest | grep -cE "#[01] main at .*/server\.c:$(grep -n 'answer(request);' tests/victims/server.c | cut -d: -f1)")"
limit=$(grep -m1 -e --where commands | sed -E 's/.*> *([0-9]+).*/\1/')
long=$(shown 'show$' | sed -n 's/.* stdout: //p' | awk -v limit="$limit" '/ done, took / && $(NF - 1) > limit')
same "all that took long are found" "$long" "$(shown --where | sed 's/.* stdout: //')"
same "the slowest among them" 1 "$(grep -cxF "$slowest" <<<"$long")"
took=${slowest##*took }
same "it is the most of all values" "${took% us}" "$(shown --values | awk '$NF == "-" || /all/ { print $4 }' | tail -n 1)"
same "and the longest span" "$(echo "$slowest" | cut -d' ' -f2)" "$(shown --spans | sed -En '1s/.*\]( [^:]*)? ([0-9]+): .*/\2/p')"
python3 - <<'EOF'
import json, sys
told = [json.loads(line) for line in open("server.json", encoding="utf-8")]
took = [a["value"] for m in told for a in m["args"] if a["name"] == "took"]
sys.exit(not (len(took) == 100 and len(told) == 201))
EOF
verdict $? "the lines of JSON have all messages with their arguments"
verdict "$(grep -q '<script' server.html; echo $?)" "the page is one"
verdict "$([ -s server.pftrace ]; echo $?)" "the trace is there"
exit "$failed"
