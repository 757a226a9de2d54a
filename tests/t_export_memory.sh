#!/bin/bash
# Exports are written as messages are read: three times as many take no more memory.
. tests/exports.sh
cat >"$TMP/many.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	static const char *const names[] = {"eth0", "lo", "wlan0"};

	for (int i = 0; i < atoi(argv[1]); i++)
		printf("request %d took %f us from %s\n", i, i / 4.0, names[i % 3]);
	return 0;
}
END
$CC -O1 -o "$TMP/many" "$TMP/many.c" || exit 1
cd "$TMP" || exit 1
for count in 66000 198000; do
	BINLOG_DIR=capture.$count LD_PRELOAD=$lib ./many $count >/dev/null
	"$BUILD/binlog-pack" "capture.$count" -o "$count.blog" 2>/dev/null || exit 1
done
memory() { # COUNT STYLE; "tables" is csv in a directory
	case $2 in
	tables) python3 "$consumers/memory.py" "$show" -q -o csv --to "$1.$2" "$1.blog" 2>&1 ;;
	ctf) python3 "$consumers/memory.py" "$show" -q -o ctf --to "$1.$2" "$1.blog" 2>&1 ;;
	*) python3 "$consumers/memory.py" "$show" -q -o "$2" "$1.blog" 2>&1 >/dev/null ;;
	esac
}
for style in json csv tables msgpack folded chrome perfetto journal syslog otlp heph ctf; do
	few=$(memory 66000 $style)
	many=$(memory 198000 $style)
	verdict "$((many - few > 2048))" "$style takes no more memory for three times as many messages" "$few KiB, then $many KiB"
	rm -rf ./*."$style"
done
finish
