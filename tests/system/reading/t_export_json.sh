#!/bin/bash
# --output=json: what others read in it is what binlog-show itself says, and what the program's source says.
. tests/support/exports.sh
record_exports
cd "$TMP" || exit 1
for from in capture log.blog; do
	export_to "$from.json" json --utc "$from"
	python3 "$consumers/json_lines.py" "$from.json" "$from" || failed=1
done
same_file "a packed log says the same as its captures" capture.json log.blog.json
same "standard output has the same" "$(cksum <capture.json)" "$("$show" -q --utc -o json capture | cksum)"

# Bytes that are no text become what the Encoding Standard makes of them, and are there as well.
node - >nodes <<'END'
const lines = require('fs').readFileSync('capture.json', 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line));
let replaced = 0, wrong = 0;
const look = (text, bytes) => {
	if (bytes === undefined)
		return text.includes('\ufffd') ? wrong++ : 0;
	replaced++;
	if (Buffer.from(bytes, 'base64').toString() !== text)
		wrong++;
};
for (const line of lines.filter((line) => 'message' in line)) {
	look(line.message, line.message_bytes);
	for (const arg of line.args.filter((arg) => typeof arg.value === 'string'))
		look(arg.value, arg.bytes);
}
console.log(wrong, replaced > 10, lines.length);
END
same "node reads it; bytes that are no UTF-8 are what it makes of them" "0 true $(wc -l <capture.json)" "$(cat nodes)"
same "jq adds an argument up" 14850 \
	"$(jq -s '[.[] | .args[]? | select(.name == "took") | .value] | add' capture.json)"
same "jq chooses by level" "$("$show" -q --columns=level capture | grep -c err)" \
	"$(jq -c 'select(.level == "err")' capture.json | wc -l)"
filtered=$("$show" -q -o json --where 'request >= 4294967296' --pid "$(jq -rs '.[0].pid' capture.json)" capture | wc -l)
same "filters choose calls" 396 "$filtered"

# Places and stacks, as the lines have them.
"$show" -q -o json -L -S capture >places.json
same "caller, file and line are those of the columns" "$("$show" -q --columns=caller,location capture | sed 's/ *$//; s/  */ /' | grep -v '^- -$')" \
	"$(jq -r 'select(.message) | "\(.caller) \(.file | split("/") | last):\(.line)"' places.json)"
same "the stacks are those below the lines" "$("$show" -q -S capture | own_stacks | grep -aoE '^    #[0-9]+ [^ +]+' | awk '{ print $2 }')" \
	"$(jq -r 'select(.stack) | .stack[] | .function // "?"' places.json)"
same "--depth cuts them" 1 "$("$show" -q -o json -S -d 1 capture | jq -s '[.[].stack | length] | max')"
same "--lines takes the last entries" "$(tail -n 3 capture.json)" "$("$show" -q --utc -o json -n 3 capture)"
same "--reverse turns them round" "$(tac capture.json | cksum)" "$("$show" -q --utc -o json -r capture | cksum)"
for zone in UTC XXX-5:30 YYY3:30; do
	read -r time < <(TZ=$zone "$show" -q -o json capture | jq -r '.time' | head -n 1)
	wanted=$(head -n 1 capture.json | grep -o '"time_ns":[0-9]*' | cut -d: -f2)
	same "the time tells its zone: ${time:29}" "$wanted" "$(date -d "$time" +%s%N)"
done

# What is refused.
"$show" -o json --to capture.json/x capture 2>complaint
same "a place that cannot be is named" "2 1" "$? $(grep -c 'capture.json/x: not opened: Not a directory' complaint)"
"$show" -o json --to "$(echo capture/*.binlog)" capture 2>complaint
same "a capture is not written over" "2 1" "$? $(grep -c 'it is one of those that are read' complaint)"
"$show" -o json --to x --config y capture 2>complaint
same "--to beside --config" "2 1" "$? $(grep -c -- '--to: each section of --config says where to' complaint)"
"$show" -o msgpack capture </dev/null 2>complaint >out
same "binary output into a pipe or file is fine" "0 0" "$? $(stat -c %s complaint | sed 's/[1-9][0-9]*/0/')"
script -qec "'$show' -o msgpack capture" /dev/null >terminal 2>&1 </dev/null
same "but not on a terminal" 1 "$(grep -ac 'its output is binary, and standard output is a terminal' terminal)"
# Who says it, where to, how important it is: as the columns have it, whoever spoke before in that place.
cat >who.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>
static void *run(void *number)
{
	char name[16];

	snprintf(name, sizeof(name), "name-%ld", (long)number % 2);
	pthread_setname_np(pthread_self(), name);
	for (int i = 0; i < 3; i++) {
		printf("number %ld\n", (long)number), fprintf(stderr, "error: %d\n", i), puts("constant");
		syslog(LOG_MAKEPRI(LOG_USER, (long)number % 8), "to syslog %d", i);
		printf("cut: %hhd %hd %hhu %hu %u %d\n", 300 + i, 70000 + i, 300 + i, 70000 + i, -1u, -1);
	}
	return NULL;
}
int main(void)
{
	for (long i = 0; i < 300; i += 3) {
		pthread_t threads[3];

		for (int k = 0; k < 3; k++)
			pthread_create(&threads[k], NULL, run, (void *)(i + k));
		for (int k = 0; k < 3; k++)
			pthread_join(threads[k], NULL);
		if (i % 30 == 0 && fork() == 0)
			run((void *)i), fflush(NULL), _exit(0);
		else if (i % 30 == 0)
			wait(NULL);
	}
	return 0;
}
END
$CC -O1 -g -w -D_GNU_SOURCE -o who who.c -pthread || exit 1
LD_PRELOAD=$lib BINLOG_DIR=who.captures ./who >/dev/null 2>who.said
"$BUILD/binlog-pack" -q who.captures -o who.blog 2>/dev/null || exit 1
for from in who.captures who.blog; do
	"$show" -q --columns=program,pid,tid,thread,level,priority,stream,module,function "$from" | grep -e printf -e puts -e syslog | tr -s ' ' >wanted
	"$show" -q -o json "$from" | jq -r 'select(.args) | [.program, .pid, .tid, .thread, .level, .priority // "-", .stream, .module, .function] | map(tostring) | join(" ")' >got
	same "$from: all of them" 4650 "$(wc -l <got)"
	same_file "$from: who, how important, by what" <(sed 's/^ *//; s/ *$//' wanted) got
	same "$from: numbers that are cut" "310 44 4464 44 4464 4294967295 -1, 310 45 4465 45 4465 4294967295 -1, 310 46 4466 46 4466 4294967295 -1, " \
		"$("$show" -q -o json "$from" | jq -r 'select(.args | length == 6) | [.args[].value | tostring] | join(" ")' | LC_ALL=C sort | uniq -c | tr -s ' \n' ' ,' | sed 's/^ //; s/, */, /g')"
done
finish
