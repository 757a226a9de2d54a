#!/bin/bash
# Ten tasks of a person who has never seen it. Each command consists of what README.md or the --help of its tool shows; what has to be
# opened is counted.
. tests/support/lib.sh
TMP=$(realpath "$TMP")
export PATH=$(realpath "$BUILD"):$PATH
readme=$PWD/README.md
cp tests/victims/server.c "$TMP"
cd "$TMP" || exit 1
number=0
# What of a command nobody has told of: its tool and its options.
untold() { # COMMAND
	local tool word looked=
	tool=$(grep -oE 'binlog-[a-z]+' <<<"$1" | head -n 1)
	grep -qF "$tool" "$readme" || echo "$tool"
	for word in $(grep -oE -- '(^| )(--[a-z-]+|rule|level=)' <<<"$1"); do
		grep -qF -- "$word" "$readme" && continue
		looked=yes
		"$tool" --help | grep -qF -- "$word" || echo "$word"
	done
	[ -z "$looked" ] || echo "$tool --help" >>opened
}
task() { # SENTENCE COMMAND: shown.NUMBER is what it has printed
	number=$((number + 1))
	echo README.md >>opened
	same "$number. $1: told of in README.md or by --help" "" "$(untold "$2")"
	bash -c "$2" >shown 2>complaint </dev/null
	same "$number. $1: its status" 0 $?
}
has() { # PATTERN: what was shown has it
	grep -qE -- "$1" shown
	verdict $? "   it shows what was asked for" "$(head -c 600 shown complaint)"
}

$CC -g -O1 -o server server.c || exit 1
task "record a daemon" "binlog-run --dir=good.data ./server >out; binlog-run ./server >out"
same "   its text is in the capture" 0 "$(wc -c <out)"
task "who prints this line" "binlog-show --grep='request 37 done' --stacks"
has '#0 answer at .*server\.c:[0-9]+'
task "the slowest request" "binlog-show --largest=took --lines=1"
has 'request [0-9]+ done, took [0-9]{5,} us'
sed 's/listening on port %d/listening at port %d/' server.c >other.c
$CC -g -O1 -o other/server other.c 2>/dev/null || { mkdir other && $CC -g -O1 -o other/server other.c; }
binlog-run --dir=bad.data other/server >out
task "what changed between two runs" "binlog-show --diff good.data bad.data"
has 'listening at port'
task "only what is important, of one thread" "binlog-show --priority=notice --thread=server"
has 'listening on port 8080'
same "   and nothing else" 1 "$(wc -l <shown)"
task "follow" "timeout 1 binlog-show --follow; [ \$? -eq 124 ]"
has 'request 100 done'
cat >long.c <<'C'
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	for (int i = 0; i < 3000; i++) {
		printf("tick %d\n", i);
		fprintf(stderr, "tock %d\n", i);
		usleep(2000);
	}
}
C
$CC -g -o long long.c
binlog-run --dir=live.data ./long >out 2>&1 &
until_true eval 'binlog-ctl live.data status >status 2>&1 && grep -q tick status'
task "switch a statement off while its program runs" "binlog-ctl live.data rule 'format \"tick*\" drop'"
ticks() { binlog-show -q --grep='^tick' --count live.data; }
sleep 0.2
before=$(ticks)
sleep 0.3
same "   it says no more" "$before" "$(ticks)"
kill %1
task "look at it in Perfetto" "binlog-show --output=perfetto --to=server.pftrace"
verdict $((! $(stat -c %s server.pftrace) > 0)) "   there is a trace"
task "one file for another machine, with names" "binlog-pack --with-symbols -o server.blog binlog.data && mv server gone && binlog-show --stacks server.blog"
has '#0 answer at .*server\.c:[0-9]+'
mv gone server
BINLOG_MAX_SIZE=64K binlog-run --dir=full.data ./server >out 2>&1
task "what was lost" "binlog-show --stats full.data"
grep -qE 'passed|lost|native' shown complaint
verdict $? "   it is told" "$(head -c 600 shown complaint)"
same "ten tasks" 10 $number
pages=$(sort -u opened | wc -l)
verdict $((pages > 4)) "at most four pages had to be opened: $(sort -u opened | paste -sd' ')"
finish
