#!/bin/bash
# make demo: its story is there, in no more lines than fit on a screen or two, with default tools; it fails with a sentence
# where what is decoded is not what the program prints natively.
. tests/support/lib.sh
ulimit -c 0
mkdir "$TMP/build"
ln -s "$BUILD"/binlog-* "$BUILD/libbinlog.so" "$TMP/build"
demo() { DEBS=$DEBS timeout 120 tests/demo "$TMP/build" >"$TMP/out" 2>"$TMP/err"; }
demo
same "it ends well, and complains of nothing" "0 " "$? $(cat "$TMP/err")"
lines=$(wc -l <"$TMP/out")
verdict $((lines < 30 || lines > 60)) "about 40 lines: $lines"
same "no line is longer than 120 characters" "" "$(grep -E '^.{121}' "$TMP/out")"
has() { # SENTENCE PATTERN
	grep -qE "$2" "$TMP/out"
	verdict $? "$1" "$(head -n 60 "$TMP/out")"
}
# The slowest by the words of the program itself.
slowest=$("$TMP/build/demo/requests" 200 2>/dev/null | sed -n 's/.* done, took \([0-9]*\) steps/\1 &/p' | sort -n | tail -n 1 | cut -d ' ' -f 2-)
has "the slowest request" "stdout: $slowest\$"
has "with file and line of its stack" "#0 answer at .*/requests\.c:$(grep -n 'done, took' tests/victims/requests.c | cut -d : -f 1)\b"
has "what it costs, as a ratio" "recorded, .* [0-9]+\.[0-9]{2} of that"
has "what to type next" "binlog-show requests\.c:[0-9]+"
if grep -q '^--- No daemon' "$TMP/out"; then
	skip "a daemon: $(not_unpacked)"
else
	has "a daemon, its statements" '^--- [a-z-]+ as Debian has built it, stripped'
	has "with arguments" '^    [^ ].*"(Accepted|%?[<>]?).*\([^)]+\)'
fi
same "what is to be typed next can be" "$("$TMP/build/demo/requests" 200 2>/dev/null | grep -c ' done,')" \
	"$(cd "$TMP/build/demo" && PATH=$BUILD:$PATH && eval "$(sed -n 's/^ *\(binlog-show requests.c:[0-9]* binlog.data\) .*/\1/p' "$TMP/out") -q --count")"

# ---- what is decoded differs in one byte ----
rm "$TMP/build/binlog-show"
cat >"$TMP/build/binlog-show" <<E
#!/bin/sh
case "\$*" in
*--raw*) "$show" "\$@" | sed '7s/1/2/' ;;
*) exec "$show" "\$@" ;;
esac
E
chmod +x "$TMP/build/binlog-show"
demo
same "other text than natively is an error" "1 1" "$? $(grep -c 'demo: .* not what the program prints natively' "$TMP/err")"
rm "$TMP/build/binlog-show"
ln -s /bin/false "$TMP/build/binlog-show"
demo
same "and so is a reader that shows nothing" "1 1" "$? $(grep -c '^demo: binlog-show .*: it' "$TMP/err")"
finish
