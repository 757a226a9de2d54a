#!/bin/bash
# Reports for a browser, read in one by clicking: every line as binlog-show has it, search, filters, timeline, stacks.
. tests/support/lib.sh
unpacked

if ! command -v chromium >/dev/null; then
	skip "there is no chromium"
	exit
fi

cat >"$TMP/talk.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int turns;

__attribute__((noinline)) static void answer(int client, int size, const char *path)
{
	printf("client %d: GET path=%s size=%d took %.3f ms\n" + (size < 0), client, path, size, size / 1000.0);
}

__attribute__((noinline)) static void complain(int client, int tries)
{
	fprintf(stderr, "ERROR: client %d timed out after %d tries\n", client, tries);
}

__attribute__((noinline)) static void request(int client, int turn)
{
	static const char *const paths[] = {"/index.html", "/style.css", "/users", "/logo.png"};

	answer(client, turn * 7919 % 65536, paths[turn % 4]);
	if (turn % 97 == 0)
		complain(client, turn % 5);
	if (turn % 31 == 0)
		fprintf(stderr, "warning: slow disk, waited %d us\n", turn % 1000);
}

static void *work(void *argument)
{
	int number = (int)(long)argument;
	char name[16];

	snprintf(name, sizeof(name), "worker-%d", number);
	pthread_setname_np(pthread_self(), name);
	for (int i = 0; i < turns; i++) {
		request(number * 100 + i % 10, i);
		if (i % 50 == number)
			usleep(100);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[4];

	turns = atoi(argv[1]);
	for (long i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < 20; i++) {
		printf("%s: ", "main");
		printf("tick %d", i);
		printf(" of %d\nneedle %d in", 20, i);
		printf(" the hay\n");
		usleep(500);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 8; i++) {
		printf("begin job=%d\n", i);
		usleep(1000);
		printf("end job=%d\n", i);
	}
	printf("<script>owned=1</script></script><img src=x onerror=owned=1><!-- \"'&amp;]]> \xff\xe2\x80\xae\x1b[31m %c\n", 0);
	printf("%s\n", "\xe4\xbd\xa0\xe5\xa5\xbd \xf0\x9f\x98\x80, and\nmore\n  lines");
	puts("the last message");
	return argc != 2;
}
END
$CC -g -O1 -w -D_GNU_SOURCE -o "$TMP/talk" "$TMP/talk.c" -pthread || exit 1
report() { # NAME CAPTURE [OPTION...]
	"$show" -o html --to "$TMP/$1" "${@:3}" "$TMP/$2" 2>"$TMP/said"
}
BINLOG_DIR=$TMP/capture LD_PRELOAD=$lib "$TMP/talk" 3000 >/dev/null 2>&1 || exit 1
report report.html capture --stacks --spans 'begin job=* => end job=* by job'
verdict $? "a report is made" "$(cat "$TMP/said")"
cp "$TMP/report.html" "$TMP/slow.html"
"$show" "$TMP/capture" >"$TMP/lines" 2>"$TMP/sum"
grep -cE '^[0-9-]{10} ' "$TMP/lines" >"$TMP/lines.count"
sed -n 's/ captured.*//p' "$TMP/sum" >"$TMP/calls"
"$show" -q --where 'size > 60000 && path == "/logo.png"' "$TMP/capture" | wc -l >"$TMP/where.count"
"$show" -q --thread=worker-2 "$TMP/capture" | wc -l >"$TMP/thread.count"
"$show" -q -o spans --spans 'begin job=* => end job=* by job' "$TMP/capture" 2>/dev/null | awk '/: begin job=/ { print $3 }' >"$TMP/durations"
grep -c ': ERROR: ' "$TMP/lines" >"$TMP/complaints.count"
"$show" -q --format='*GET*' "$TMP/capture" | wc -l >"$TMP/format.count"

BINLOG_DIR=$TMP/empty LD_PRELOAD=$lib true
[ -d "$TMP/empty" ] || mkdir "$TMP/empty"
report empty.html empty
BINLOG_DIR=$TMP/one LD_PRELOAD=$lib env printf 'alone\n' >/dev/null
report one.html one
TZ=Asia/Kolkata report zone.html one
$CC -O1 -w -D_GNU_SOURCE -o "$TMP/handed" tests/victims/handed_statements.c
BINLOG_DIR=$TMP/handed.capture LD_PRELOAD=$lib "$TMP/handed" 2>/dev/null
report handed.html handed.capture --stacks
TZ=Asia/Kolkata "$show" -q "$TMP/one" | cut -d ' ' -f 1,2 >"$TMP/zone.time"

mkdir "$TMP/damaged"
cp "$TMP"/capture/*.binlog "$TMP/damaged/a.binlog"
size=$(stat -c %s "$TMP/damaged/a.binlog")
middle=$((size / 8192))
dd if=/dev/urandom of="$TMP/damaged/a.binlog" bs=64 count=1 seek=$((middle * 64)) conv=notrunc 2>/dev/null
truncate -s $((size * 2 / 3)) "$TMP/damaged/a.binlog"
report damaged.html damaged
"$show" "$TMP/damaged" 2>"$TMP/damage" >/dev/null

PYTHONDONTWRITEBYTECODE=1 python3 tests/support/html_check.py "$TMP" || failed=1
# Pictures of its pages, for whoever wants to look.
shots=${SCREENSHOTS:-$BUILD/screenshots}
mkdir -p "$shots"
PYTHONDONTWRITEBYTECODE=1 python3 tests/support/html_both.py "$TMP" chromium "$shots" || failed=1
if command -v firefox-esr firefox >/dev/null; then
	PYTHONDONTWRITEBYTECODE=1 python3 tests/support/html_both.py "$TMP" firefox "$shots" || failed=1
else
	skip "there is no Firefox: the report was read in Chromium alone"
fi

"$show" -o html --lines=5 "$TMP/capture" >/dev/null 2>&1
same "--lines is refused" 2 $?
"$show" -o html "$TMP/capture" 2>/dev/null >"$TMP/piped.html"
same "standard output is a place for it, too" "</html>" "$(tail -n 1 "$TMP/piped.html")"
"$show" -o html "$TMP/capture" >/dev/full 2>/dev/null
same "a full disk is told" 2 $?

# In full: a million messages, and daemons at their work.
long() {
	BINLOG_DIR=$TMP/million LD_PRELOAD=$lib "$TMP/talk" 241000 >/dev/null 2>&1 || exit 1
	report million.html million --stacks
	"$show" "$TMP/million" 2>&1 >/dev/null | sed -n 's/ captured.*//p' >"$TMP/million.calls"
	daemons
	PYTHONDONTWRITEBYTECODE=1 python3 tests/support/html_long.py "$TMP" "$shots" || failed=1
}
daemons() {
	local program
	. tests/support/daemons.sh
	unpacked
	for program in memcached redis-server; do
		type -P $program >/dev/null || continue
		name=${program%-server}
		dir=$TMP/$name as=() port=''
		preload=(LD_PRELOAD="$lib" BINLOG_DIR="$dir/capture")
		mkdir -p "$dir/files"
		(cd "$dir/files" && "life_$name" >"$dir/clients" 2>&1)
		report "$name.html" "$name/capture" --stacks
	done
	type -P tcpdump >/dev/null || return
	python3 -c 'import sys; sys.path.insert(0, "tests/bench"); import programs; programs.write_packets(sys.argv[1], 20000)' \
		"$TMP/packets"
	mkdir "$TMP/tcpdump"
	BINLOG_DIR=$TMP/tcpdump/capture LD_PRELOAD=$lib tcpdump -nn -vv -Z root -r "$TMP/packets" >/dev/null 2>&1
	report tcpdump.html tcpdump/capture --stacks
}
[ -z "${LONG:-}" ] || long
finish
