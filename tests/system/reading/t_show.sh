#!/bin/sh
# binlog-show's options on a small capture of two processes: which messages
# are chosen, in which order and how they look.
show=$BUILD/binlog-show
failed=0
styles=$(sed -n 's/^STYLE(\([a-z]*\),.*/\1/p' decoder/output/styles.def | paste -sd " ")

same() { # NAME EXPECTED GOT
	if [ "$2" = "$3" ]; then
		echo "ok: $1"
	else
		printf '# expected: %s\n# got: %s\n' "$2" "$3"
		echo "not ok: $1"
		failed=1
	fi
}

cat >"$TMP/make.c" <<'END'
#include <stdio.h>
#include "tests/support/make_capture.h"

/* Says `text` on stdout, stderr, both and syslog, at ticks from `ticks` on. */
static void block(struct make_capture *capture, uint32_t pid, uint64_t ticks)
{
	struct make_block made = make_block(capture, pid, 0, 4096, ticks);
	struct make_context context = {
		.text = BINLOG_TEXT_BYTES_LINE, .kinds = "\5"};
	const char *const said[] = {"out", "err", "both", "log"};
	const char *const programs[] = {"/bin/first", "/bin/second"};
	const uint32_t flags[] = {1, 2, 3, 4};
	uint32_t i;

	make_block_head(&made)->pid = pid;
	make_process(&made, pid, programs[pid % 2]);
	make_string(&made, 1, "log");
	for (i = 0; i < 4; i++) {
		make_stream(&made, i + 1, flags[i], i == 1 ? 2 : 1);
		context.id = 16 + i;
		context.stream = i + 1;
		if (i == 3) {
			context.text = BINLOG_TEXT_SYSLOG;
			context.format = 1;
			context.kinds = "\1\1\1\5";
		}
		make_context(&made, &context);
		make_message(&made, 16 + i, ticks + i * 2);
		if (i == 3) {
			make_u32(&made, 14);
			make_u32(&made, pid);
			make_u32(&made, 7200);
		}
		make_text(&made, i == 3 ? "me" : said[i]);
	}
}

/* One call in three pieces. */
static void pieces(struct make_capture *capture)
{
	struct make_block made = make_block(capture, 0, 0, 4096, 1);
	struct make_context context = {.id = 16,
		.text = BINLOG_TEXT_BYTES,
		.flags = BINLOG_CONTEXT_PARTIAL,
		.kinds = "\5"};

	make_context(&made, &context);
	context.id = 17;
	context.flags = 0;
	make_context(&made, &context);
	make_message(&made, 16, 2);
	make_text(&made, "one ");
	make_message(&made, 16, 2);
	make_text(&made, "two ");
	make_message(&made, 17, 2);
	make_text(&made, "three");
}

int main(int argc, char **argv)
{
	struct make_capture two = make_capture();
	struct make_capture call = make_capture();

	block(&two, 300, 1000);
	block(&two, 301, 1001);
	pieces(&call);
	if (argc < 3)
		return 1;
	make_file(&two, argv[1]);
	make_file(&call, argv[2]);
	return 0;
}
END
if ! ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -I. -o "$TMP/make" "$TMP/make.c"; then
	echo "not ok: a program that makes captures can be built"
	exit 1
fi
cd "$TMP" || exit 1
mkdir binlog.data
./make binlog.data/two.binlog pieces.binlog

log300='<14>Nov 15 00:13:20 me[300]: log'
log301='<14>Nov 15 00:13:20 me[301]: log'

same "--raw gives everything, merged" "out
out
err
err
both
both
$log300
$log301" "$("$show" --raw)"
same "--stream=stdout gives what belongs to it" "out
out
both
both" "$("$show" --raw --stream=stdout)"
same "--stream=stderr gives what belongs to it" "err
err
both
both" "$("$show" --raw -s stderr)"
same "--stream=syslog gives datagrams, in the zone of the process" "$log300
$log301" "$("$show" --raw --stream=syslog)"
same "streams may be listed" "out
err
both
$log301" "$("$show" --raw --pid=301 --stream=stdout,stderr,syslog)"
same "--pid gives one process" "out
err
both
$log300" "$("$show" --raw --pid=300 --as-written)"
same "a directory and a file may be named" "8" \
	"$("$show" --raw binlog.data | wc -l | tr -d ' ')"
same "two captures that are the same are both shown" "16" \
	"$("$show" --raw binlog.data binlog.data/two.binlog | wc -l | tr -d ' ')"
same "--output=raw is --raw" "$("$show" --raw)" "$("$show" --output=raw)"

same "lines show local time, program, threads, stream and text" \
	"2023-11-15 03:13:20.000001000 first[300:400] stdout: out
2023-11-15 03:13:20.000001002 first[300:400] stderr: err
2023-11-15 03:13:20.000001004 first[300:400] stdout: both
2023-11-15 03:13:20.000001006 first[300:400] user.info: me: log" \
	"$(TZ=XYZ-5 "$show" --pid=300 2>/dev/null)"
same "--utc shows the same moment" \
	"2023-11-14 22:13:20.000001001 second[301:401] stdout: out" \
	"$(TZ=XYZ-5 "$show" --utc --pid=301 2>/dev/null | head -n 1)"
same "the sum counts all calls" "8 captured, 0 passed, 0 dropped" \
	"$("$show" --pid=300 2>&1 >/dev/null)"
same "a call in pieces is one call" "one two three1 captured, 0 passed, 0 dropped" \
	"$("$show" --raw pieces.binlog; "$show" pieces.binlog 2>&1 >/dev/null)"
same "--quiet says nothing" "" "$("$show" --quiet 2>&1 >/dev/null)"
same "--raw says nothing when nothing is wrong" "" \
	"$("$show" --raw 2>&1 >/dev/null)"

"$show" --output=help >styles
status=$?
same "--output=help lists the styles" "0 $styles" \
	"$status $(awk '{ printf "%s%s", sep, $1; sep = " " }' styles)"
for option in raw as-written stream pid stacks depth output columns lines reverse config processes utc quiet help \
	version; do
	"$show" --help=all | grep -q -- "--$option" || missing="$missing $option"
done
same "--help=all names every option" "" "$missing"
same "--help fits a terminal of 80 columns and 25 lines, and names --help=all" "25 yes 1" \
	"$("$show" --help | wc -l) $("$show" -h | awk 'length > 80 { wide = 1 } END { print wide ? "no" : "yes" }') $(
		"$show" --help | grep -c -- --help=all)"
same "what --help names is in --help=all" "" "$("$show" --help | grep -oE -- '--[a-z-]+' | sort -u | while read -r option; do
	"$show" --help=all | grep -q -- "^ .*$option" || echo "$option"
done)"
"$show" --version | grep -q 'binlog-show'
same "--version tells its name" 0 $?
"$show" --as-written >/dev/null 2>&1
same "--as-written without --raw is refused" 2 $?

exit $failed
