#!/bin/bash
# Exports are written as messages are read: three times as many take no more memory.
. tests/support/exports.sh
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

# Where there is too little memory nothing is left out in silence.
cat >long.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void)
{
	size_t bytes = 12000000;
	char *text = malloc(bytes + 1);

	memset(text, '\xff', bytes);
	text[bytes] = '\0';
	printf("long %s\n", text);
	return 0;
}
END
$CC -O1 -o long long.c && BINLOG_DIR=long.d LD_PRELOAD=$lib ./long >/dev/null
for style in json syslog heph; do
	(ulimit -v 80000 && "$show" -q -o $style long.d) >long.out 2>complaint
	verdict "$(($? == 0 && $(stat -c %s long.out) < 12000000))" "$style is whole, or it is said that it is not" "$(stat -c %s long.out) bytes"
done

# What a trace of Heph has of names is not kept without end.
python3 - <<'END'
import heph_packets as heph
for count in 500, 1000:
    with open('%d.heph' % count, 'wb') as file:
        file.write(heph.epoch(0))
        for number in range(count):
            file.write(heph.event('said', ('binlog.newline', heph.U64, 1), ('binlog.pid', heph.U64, number),
                                  ('binlog.program', heph.STRING, 'p%d' % number + 60000 * 'x')))
END
names_take() { # FILE: KiB of memory; what is missing is told, in the file said, and by the status
	python3 "$consumers/memory.py" sh -c '"$@" 2>said; [ $? -eq 1 ]' - "$show" -q --count "$1" 2>&1 >/dev/null
}
few=$(names_take 500.heph)
many=$(names_take 1000.heph)
verdict "$((many - few > 2048))" "names of processes in a trace of Heph have a limit" "$few KiB, then $many KiB"
grep -q -e --limit=heph-names=N said
verdict $? "and beyond it that is said" "$(cat said)"
finish
