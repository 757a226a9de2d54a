#!/bin/bash
# The style timeline: the layout of Snabb's event log, entry by entry, and the arguments by their names.
. tests/support/lib.sh

cat >"$TMP/make.c" <<'END'
#include <stdio.h>
#include "tests/support/make_capture.h"

static uint64_t now = 5000000000;

/* One entry, so many ticks after the one before. */
static void say(struct make_block *made, uint32_t context, uint64_t ticks,
	int count, int first)
{
	now += ticks;
	make_message(made, context, now);
	for (int i = 0; i < count; i++)
		make_u32(made, (uint32_t)(first * (i + 1)));
}

static void boot_id(uint8_t *id)
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
	unsigned nibble = 0;
	char digit[2] = "";

	while (nibble < 32 && fscanf(file, " %*[-]") >= 0 && fread(digit, 1, 1, file) == 1)
		if (*digit != '-') {
			id[nibble / 2] = (uint8_t)(id[nibble / 2] << 4 | strtoul(digit, NULL, 16));
			nibble++;
		}
	fclose(file);
}

int main(int argc, char **argv)
{
	static const char *const formats[] = {"invoked many events(%d)\n", "timing tight loop of disabled events\n",
		"event with no args\n", "event with one arg: i=%d\n",
		"event with four args: i: %d, 2i %d, 3i=(%d), and 4i[%d]\n"};
	static const char *const kinds[] = {"\1", "", "", "\1", "\1\1\1\1"};
	const uint64_t frames[] = {0x1100};
	struct make_capture capture = make_capture();
	struct make_block made;

	boot_id(make_header(&capture)->boot_id);
	made = make_block(&capture, 0, 0, 8192, now);
	make_block_head(&made)->core = (uint32_t)atoi(argv[2]);
	make_process(&made, 300, "/usr/bin/program");
	make_module(&made, 0x1000, 0x2000, 0, "/usr/lib/selftest");
	make_stream(&made, 1, 1, 1);
	for (uint32_t i = 0; i < 5; i++) {
		struct make_context context = {.id = 16 + i, .text = *kinds[i] ? BINLOG_TEXT_FORMAT : BINLOG_TEXT_LITERAL,
			.format = 1 + i, .stream = 1, .kinds = kinds[i], .frames = frames, .depth = 1};
		make_string(&made, 1 + i, formats[i]);
		make_context(&made, &context);
	}
	say(&made, 18, 0, 0, 0);
	say(&made, 20, 40, 4, 1048572);
	say(&made, 19, 40, 1, 1048572);
	for (int i = 1048573; i <= 1048575; i++) {
		say(&made, 18, 36, 0, 0);
		say(&made, 20, 40, 4, i);
		say(&made, 19, 40, 1, i);
	}
	say(&made, 18, 60, 0, 0);
	say(&made, 17, 1753835508, 0, 0);
	say(&made, 16, 5178340, 1, 1000000);
	say(&made, 16, 5013972, 1, 1000000);
	say(&made, 16, 5033652, 1, 1000000);
	make_file(&capture, argv[1]);
	return argc != 3;
}
END
$CC -std=gnu11 -D_GNU_SOURCE -I. -o "$TMP/make" "$TMP/make.c" || exit 1
cpus=$(grep -c '^processor' /proc/cpuinfo)
"$TMP/make" "$TMP/a.binlog" $((cpus - 1)) || exit 1

# As Snabb's timeline.dump() has shown it: numa and core are those of the machine.
node=$(lscpu -p=CPU,NODE | awk -F, -v core=$((cpus - 1)) '$1 == core { print $2 == "" ? "-" : $2 }')
cat >"$TMP/dump" <<'END'
numa core      -cycles category         message
0    4         5033652 selftest         invoked many events(1000000)
0    4         5013972 selftest         invoked many events(1000000)
0    4         5178340 selftest         invoked many events(1000000)
0    4      1753835508 selftest         timing tight loop of disabled events
0    4              60 selftest         event with no args
0    4              40 selftest         event with one arg: i(1048575)
0    4              40 selftest         event with four args: i(1048575), 2i(2097150), 3i(3145725), and 4i(4194300)
0    4              36 selftest         event with no args
0    4              40 selftest         event with one arg: i(1048574)
0    4              40 selftest         event with four args: i(1048574), 2i(2097148), 3i(3145722), and 4i(4194296)
0    4              36 selftest         event with no args
0    4              40 selftest         event with one arg: i(1048573)
0    4              40 selftest         event with four args: i(1048573), 2i(2097146), 3i(3145719), and 4i(4194292)
0    4              36 selftest         event with no args
0    4              40 selftest         event with one arg: i(1048572)
0    4              40 selftest         event with four args: i(1048572), 2i(2097144), 3i(3145716), and 4i(4194288)
END
sed "s/^0    4   /$(printf '%-4s %-4s' "$node" $((cpus - 1)))/" "$TMP/dump" >"$TMP/expected"
"$show" --output=timeline --reverse --lines=16 "$TMP/a.binlog" >"$TMP/shown" 2>/dev/null
same_file "a dump of Snabb's timeline, newest first" "$TMP/expected" "$TMP/shown"
"$show" --output=timeline "$TMP/a.binlog" 2>/dev/null | sed 2d >"$TMP/forward"
same_file "oldest first" <(sed -n 1p "$TMP/expected"; sed 1d "$TMP/expected" | tac) "$TMP/forward"
same "before the oldest one there is none" "-" "$("$show" -q -o timeline "$TMP/a.binlog" | awk 'NR == 1 { print $3 }')"
same "with lag beside" "numa core      -cycles          lag category" \
	"$("$show" -o timeline --columns=numa,core,-cycles,lag,category "$TMP/a.binlog" 2>/dev/null | head -n 1)"
same "the text alone with other columns" "5178340 invoked many events(1000000)" \
	"$("$show" -q -o timeline --columns=cycles,message "$TMP/a.binlog" | tail -n 3 | head -n 1 | sed 's/^ *//')"

# Of another boot the nodes are not known, though the cores are.
printf '\1\2\3' | dd of="$TMP/a.binlog" bs=1 seek=84 conv=notrunc 2>/dev/null
same "a node of another boot is not known" "- $((cpus - 1))" \
	"$("$show" -q -o timeline "$TMP/a.binlog" | awk '{ print $1, $2 }' | sort -u)"

# Names of arguments.
cat >"$TMP/names.c" <<'END'
#include <err.h>
#include <stdio.h>
#include <syslog.h>
int main(void)
{
	printf("size=%d size: %5d size %-8d| \"size\": %d [size 0x%08x]\n", 1, 2, 3, 4, 5u);
	printf("%s%s, 100%% %d\n", "a", "b", 6);
	printf("%2$s before %1$s\n", "second", "first");
	printf("width %*d precision %.*f %%, name=\"%s\" <%s> '%c'\n", 9, 7, 1, 2.25, "n m", "t", 'c');
	printf("done (%d of %d)\n", 1, 2);
	printf("null %s, long %lld, double %g, pointer %p\n", (char *)0, 1LL << 40, 0.5, (void *)16);
	errno = 2;
	printf("it is %m, n=%d\n", 3);
	syslog(LOG_INFO, "user %s", "me");
	warnx("cannot open %s", "/x");
	puts("plain size=%d");
	return 0;
}
END
sed -i '1i #include <errno.h>' "$TMP/names.c"
$CC -D_GNU_SOURCE -w -o "$TMP/names" "$TMP/names.c" || exit 1
BINLOG_DIR=$TMP/capture LD_PRELOAD=$lib "$TMP/names" || exit 1
same "arguments by the names that stand before them" \
	'size(1) size(2) size(3)| size(4) [size(0x00000005)]
arg1(a)arg2(b), 100% arg3(6)
arg2(first) before(second)
width(7) precision(2.2) %, name(n m) <arg6(t)> '"'arg7(c)'"'
done (done(1) of(2))
null((null)), long(1099511627776), double(0.5), pointer(0x10)
it is No such file or directory, n(3)
user(me)
names: cannot open(/x)
plain size=%d' "$("$show" -q -o timeline --columns=message "$TMP/capture")"
same "what is shown is what --grep finds" "user(me)" "$("$show" -q -o timeline --columns=message --grep='user\(' "$TMP/capture")"
same "and not what is not shown" "" "$("$show" -q -o timeline --columns=message --grep='user me' "$TMP/capture")"
same "other styles keep the text" "user me" "$("$show" -q --columns=message --grep='user me' "$TMP/capture")"

# Categories.
cat >"$TMP/rules.conf" <<'END'
[rules]
format "user*" category people
stream stdout format "%*" category two words
[output a]
to = -
style = timeline
columns = category, message
quiet = no
END
sed -i '/^quiet/d; s/two words/"two words"/' "$TMP/rules.conf"
same "a category by a rule" "people           user(me)" "$("$show" -q --config "$TMP/rules.conf" "$TMP/capture" | grep 'user(')"
same "of several words" 2 "$("$show" -q --config "$TMP/rules.conf" "$TMP/capture" | grep -c '^two words   *arg')"
same "otherwise who called" "names            plain size=%d" "$("$show" -q --config "$TMP/rules.conf" "$TMP/capture" | tail -n 1)"
finish
