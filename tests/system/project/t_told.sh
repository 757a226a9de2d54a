#!/bin/bash
# What tools must not pass over in silence: paths of options that are not there, directories that cannot be read or written,
# and what they count.
. tests/support/lib.sh
. tests/support/nobody.sh
[ -n "$rootless" ] || { skip "$why_not"; finish; }
cd "$TMP" || exit 1
tools_for_nobody "$TMP/tools"
tools=$TMP/tools
"$CC" -g -w -o prog -x c - <<<'#include <stdio.h>
int main() { for (int i = 0; i < 9; i++) printf("value %d\n", i); return 0; }' || exit 1
BINLOG_DIR=c LD_PRELOAD=$lib ./prog >/dev/null
binlog() { "$BUILD/binlog-$1" "${@:2}"; }
told() { # SENTENCE STATUS TOOL ARGUMENT...: one such line on standard error, at this status
	local status
	binlog "${@:3}" >out 2>said </dev/null
	status=$?
	same "binlog-${*:3}: status" "$2" $status
	same "binlog-${*:3}: told once" "$1" "$(grep -vE '^[0-9]+ (messages?|captured),? ' said)"
}

# ---- counts ----
same "a pack has as many messages as lines are shown" "$(binlog show -q --raw c | wc -l) messages" \
	"$(binlog pack -o one.blog c 2>&1 | cut -d, -f1)"
same "and so have two processes" "18 messages" "$(BINLOG_DIR=c LD_PRELOAD=$lib ./prog >/dev/null
	binlog pack -o two.blog c 2>&1 | cut -d, -f1)"
cp -r c followed
"$BUILD/binlog-pack" --follow=followed -o follow.blog 2>said &
follower=$!
until_true test -s follow.blog
kill -INT $follower
wait $follower
same "--follow counts the same" "18 messages" "$(tail -n 1 said | cut -d, -f1)"

# ---- paths of options ----
away='No such file or directory: give a'
for tool in 'show -q c' 'symbolize /bin/true 0x1000' 'pack -q --force -o packed.blog c'; do
	read -ra words <<<"$tool"
	for option in --sysroot --debug-dir; do
		binlog "${words[@]}" $option=/nowhere >out 2>said
		same "binlog-${words[0]}: $option that is not there" "binlog-${words[0]}: $option=/nowhere: nothing is found there: $away directory that is there" \
			"$(grep -F -- "$option" said)"
		binlog "${words[@]}" $option="$TMP/prog" >out 2>said
		same "binlog-${words[0]}: $option that is a file" 1 "$(grep -cF -- "$option=$TMP/prog: nothing is found there: Not a directory" said)"
		binlog "${words[@]}" $option="$TMP" >out 2>said
		same "binlog-${words[0]}: $option that is there" 0 "$(grep -cF -- "$option" said)"
	done
done
told "binlog-show: --exe=nowhere: not read: $away file that is there" 0 show -q --exe=nowhere c
told "binlog-show: --exe=/dev/zero: not read: not a regular file: give a file that is there" 0 show -q --exe=/dev/zero c
told "" 0 show -q --exe=prog c
same "all is shown all the same" 18 "$(binlog show -q --exe=nowhere c 2>/dev/null | wc -l)"

# ---- nothing matches ----
for filter in --caller=nowhere --file=no.c --format='no*' --thread=nobody --pid=1 --grep=nothing --priority=err --where='arg1 > 99' \
	--stream=syslog --function=perror --module=none --since=2099-01-01; do
	binlog show "$filter" c >out 2>said
	same "$filter: nothing matches" "binlog-show: nothing matches ${filter%%=*}: without it there are messages" "$(grep matches said)"
	same "$filter: and nothing is shown" "" "$(cat out)"
done
binlog show --grep=nothing --pid=1 c >out 2>said
same "of several, all" "binlog-show: nothing matches --pid, --grep: leave some out to see which of them it is" "$(grep matches said)"
binlog show --raw --grep=nothing c >out 2>said
same "of bytes none may be what is asked for" "" "$(grep matches said)"
binlog show --grep='value 3' --lines=1 c >out 2>said
same "what matches: not a word of it" 0 "$(grep -c matches said)"
strip -o stripped prog
LD_PRELOAD=$lib BINLOG_DIR=unknown ./stripped >/dev/null
for how in '--lines=0 c' '--output=quickfix unknown'; do
	# shellcheck disable=SC2086 # lists of words
	binlog show --grep='value 3' $how >out 2>said
	same "$how: nor of what matches and is not shown" "0 0" "$(wc -l <out) $(grep -c matches said)"
done
binlog show -q --grep=nothing c >out 2>said
same "with --quiet neither" "" "$(cat said)"

# ---- what cannot be read ----
told "binlog-ship: nowhere: No such file or directory: give a log, a capture or a directory" 2 ship --status nowhere
mkdir -p closed/below
chmod 755 closed
chmod 700 closed/below
for path in closed closed/below; do
	as_nobody "$tools/binlog-ship" --status "$TMP/$path" >out 2>said
	status=$?
	if [ "$(id -u)" -eq 0 ]; then
		same "--status of a directory that cannot be read, $path: status and sentence" \
			"2 binlog-ship: $TMP/closed/below: not read: Permission denied: run it as a user who may read it" "$status $(cat said)"
	fi
done
told "" 0 ship --status c

# ---- what cannot be written ----
binlog run -o /proc/x ./prog >out 2>said
same "a directory that only looks writable: the status" 2 $?
same "and the sentence" "binlog-run: /proc/x: no captures can go there: Operation not supported: choose a directory with --dir" "$(cat said)"
(cd /proc && "$BUILD/binlog-run" "$TMP/prog" >"$TMP/out" 2>"$TMP/said")
same "nobody has named one: where they go is told" 1 "$(grep -c '^binlog-run: /proc/binlog.data: .* meanwhile they go to ' said)"
binlog run -o new ./prog >out 2>said
same "what is tried leaves nothing" "" "$(find . -name '.binlog-run-*')"
finish
