#!/bin/bash
# Exports are written as messages are read: four times as many take no more memory.
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
for count in 70000 280000; do
	BINLOG_DIR=capture.$count LD_PRELOAD=$lib ./many $count >/dev/null
	"$BUILD/binlog-pack" "capture.$count" -o "$count.blog" 2>/dev/null || exit 1
done
memory() { # COUNT STYLE
	python3 "$consumers/memory.py" "$show" -q -o "$2" --to "$1.$2" "$1.blog"
}
for style in json csv msgpack folded chrome perfetto; do
	few=$(memory 70000 $style)
	many=$(memory 280000 $style)
	verdict "$((many - few > 2048))" "$style takes no more memory for four times as many messages" "$few KiB, then $many KiB"
	rm -rf ./*."$style"
done
finish
