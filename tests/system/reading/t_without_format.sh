#!/bin/bash
# A message whose format is lost, and whose program is gone, is shown as the place of its call and its arguments; wide ones
# keep their characters.  With --exe the text comes back.
. tests/support/lib.sh
export PYTHONDONTWRITEBYTECODE=1
cd "$TMP" || exit 1
cat >speak.c <<'END'
#include <locale.h>
#include <stdio.h>
#include <wchar.h>
void speak(int n)
{
	printf("number %d of \"%s\"\n", n, "x"); /* here */
}
END
cat >speaker.c <<'END'
#include <locale.h>
#include <stdio.h>
#include <wchar.h>
void speak(int n);
int main(void)
{
	setlocale(LC_ALL, "C.UTF-8");
	speak(5);
	printf("wide %ls and %ls\n", L"Grüße, 世界 \U0001F600", L"\t\"\u202e\x85"); /* there */
	printf("double %g of %s\n", 0.5, "\xc3\xa4"); /* beyond */
	return 0;
}
END
$CC -g -O1 -w -shared -fPIC -o libspeak.so speak.c && $CC -g -O1 -w -o speaker speaker.c -L. -lspeak -Wl,-rpath,"$TMP" || exit 1
BINLOG_DIR=$TMP/whole LD_PRELOAD=$lib ./speaker >native
[ ! -s native ]
verdict $? "it is recorded"
./speaker >native
"$show" --raw -q whole >got
same_file "whole it is what the program says" native got
mkdir damaged gone
python3 "$here/support/damage_formats.py" kind whole/*.binlog damaged/x.binlog >count
same "three formats are damaged" 3 "$(cat count)"
mv speaker libspeak.so gone
line() { grep -n "$2" "$1" | cut -d: -f1; }
# What stands for the places is asked of addr2line.
checks() { # SENTENCE: of the lines in got
	local place file at line=0
	while read -r _ place _; do
		line=$((line + 1))
		place=${place%>}
		file=${place%+*}
		at=$(addr2line -e "gone/$file" "${place#*+}")
		same "$1: message $line: its place is that of the call" "${want[line]}" "${at##*/}"
	done <got
	same "$1: there are three" 3 $line
}
want=([1]="speak.c:$(line speak.c ' here ')" [2]="speaker.c:$(line speaker.c ' there ')" [3]="speaker.c:$(line speaker.c ' beyond ')")
"$show" --raw damaged >got 2>why
same "something is missing: the status" 1 $?
grep -qx '3 texts are incomplete: formats or strings are lost' why
verdict $? "how many are is said" "$(cat why)"
checks "a capture"
cut -d' ' -f3- got >arguments
cat >wanted <<'END'
args: 5, "x"
args: L"Grüße, 世界 😀", L"\x09\x22\u202e\x85"
args: 0.5, "\xc3\xa4"
END
same_file "the arguments are there, the wide ones as characters" wanted arguments
"$show" --output=json -q damaged 2>/dev/null | python3 -c 'import json, sys
for line in sys.stdin: print(json.loads(line)["message"].rstrip("\n").split("> ", 1)[1])' >arguments 2>why
same_file "in JSON, too" wanted arguments
rm -rf packed
mkdir packed
"$BUILD/binlog-pack" -q -o packed/x.blog damaged 2>/dev/null
"$show" --raw packed/x.blog >got 2>/dev/null
same "of a packed log: the status" 1 $?
cut -d' ' -f3- got >arguments
same_file "of a packed log: the arguments" wanted arguments
checks "a packed log"

# ---- the program at another place ----
"$show" --raw -q --exe="$TMP/gone/speaker" --exe="$TMP/gone/libspeak.so" damaged >got 2>/dev/null
same "with --exe: the status" 0 $?
same_file "with --exe the text comes back" native got
"$show" --raw -q --exe="$TMP/gone/speaker" --exe="$TMP/gone/libspeak.so" packed/x.blog >got 2>/dev/null
same_file "of a packed log, too" native got
finish
