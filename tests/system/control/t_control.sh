#!/bin/bash
# Live control under load, by who damages the switches, and where rules have more to do than they have room for: calls
# return what they return natively, nothing secret is in the capture, and the program lives. The oracle is the program
# itself, which says what is wrong.
. tests/support/lib.sh
build control -O2

run() { # RULES WHAT [N|DIRECTORY]: recorded under these rules, in $TMP/run or DIRECTORY
	rm -rf "$TMP/run"
	mkdir "$TMP/run"
	printf '[rules]\n%s\n' "$1" >"$TMP/conf"
	(cd "$TMP/run" && timeout -s KILL 120 env BINLOG_CONFIG="$TMP/conf" BINLOG_DIR="$([ -d "${3:-}" ] && echo "$3" || echo capture)" LD_PRELOAD="${LIB:-$lib}" \
		"$TMP/control" "${@:2}" >stdout 2>stderr 7>>stderr 8>says 9>wrong)
	ended=$?
}
good() { # SENTENCE
	same "$1: it says that nothing is wrong" "0 " "$ended $(sort "$TMP/run/wrong" | uniq -c | head -n 5)"
}
hidden() { # SENTENCE
	same "$1: the secret is not in the capture" "" "$(grep -la "$(cat "$TMP/run/says")" "$TMP/run"/capture/*)"
	iconv -t UTF-32LE <"$TMP/run/says" >"$TMP/wide"
	verdict "$(LC_ALL=C grep -caFf "$TMP/wide" "$TMP/run"/capture/*.binlog | grep -c '[1-9]')" "$1: not as wide characters either"
}
lines() { "$show" -q "$TMP/run/capture" | sed 's/^[^]]*\] //'; }

# More formats than are remembered one by one.
run 'format "made*" redact arg 2
format "gone*" drop' made 10000
good "formats that are made"
hidden "formats that are made"
same "formats that are made: all messages are there, and no other" "10000 0" \
	"$(lines | awk '/^stdout: made/ && $3 == $NF / ($NF % 2 ? 2 : 1) && $4 == "[16" || /^stdout: \[[0-9]+ bytes\]$/' | wc -l) $(lines | grep -c gone)"

run 'format "gone*" drop' written
good "a %n of what is dropped"
run 'format "gone*" drop' kept
good "a result that is kept in a register"

run 'redact *' at
good "redact *"
hidden "redact *"

run 'format "password=*" redact password' notices
good "notices, also on a wide stream"
hidden "notices, also on a wide stream"
run 'format "password=*" pass' notices
same "notices that pass: nothing is recorded, in part or as a whole" "" "$(lines)"
natively "$TMP/native" "$TMP/control" notices 7>"$TMP/wide" 8>/dev/null 9>/dev/null
same "notices that pass: all is written, as natively" "$(cat "$TMP/native/stderr" "$TMP/wide")" "$(cat "$TMP/run/stderr")"

# Another library at the address of one that is gone: with its own formats.
build reload -ldl
for one in "alpha %d times %d" "gamma %x hexes %c"; do
	read -r word format <<<"$one"
	$CC -w -O1 -shared -fPIC -DWORD="\"$word\"" -DFORMAT="\"$format\"" -DNAME="say_$word" -o "$TMP/$word.so" \
		"$here/victims/reload_library.c" || exit 1
done
mkdir "$TMP/reloaded"
printf '[rules]\nredact *\n' >"$TMP/conf"
BINLOG_CONFIG="$TMP/conf" BINLOG_DIR="$TMP/reloaded" LD_PRELOAD="${LIB:-$lib}" "$TMP/reload" 20 "$TMP/alpha.so" "$TMP/gamma.so" \
	>/dev/null 2>&1 9>"$TMP/said"
read -r at_once _ <"$TMP/said"
natively "$TMP/native" "$TMP/reload" 20 "$TMP/alpha.so" "$TMP/gamma.so" 9>/dev/null
same "libraries in turn, $at_once times at the same address: each format is its own" \
	"$(grep -c ' times ' "$TMP/native/stdout") $(grep -c ' hexes ' "$TMP/native/stdout")" \
	"$("$show" -q "$TMP/reloaded" | grep -c '\] times \[') $("$show" -q "$TMP/reloaded" | grep -c '\] hexes \[')"

# What is wrong in one file leaves the rules of another as they are.
mkdir -m 700 "$TMP/shared"
printf '[rules]\nno such rule\n' >"$TMP/shared/control.conf"
chmod 600 "$TMP/shared/control.conf"
run 'format "password=*" redact password' notices "$TMP/shared"
same "control.conf is wrong: the rules of BINLOG_CONFIG hold" "0 8" \
	"$("$show" -q "$TMP/shared" | grep -c "$(cat "$TMP/run/says")") $("$show" -q "$TMP/shared" | grep -c stderr:)"

run '' switch ${SWITCHES:-1000}
good "the level is switched 1,000 times"
"$show" --raw -q "$TMP/run/capture" >"$TMP/run/text" 2>/dev/null
said=$(awk '{ n += $2 } END { print n }' "$TMP/run/says")
same "the level is switched 1,000 times: of what is important every message is there, once, and whole" "$said" \
	"$(grep -aE '^ERROR: never dropped [0-9]+ 0x[0-9a-f]+$' "$TMP/run/text" | sort -u | wc -l)"
same "the level is switched 1,000 times: what it was last is in force" "1" "$(grep -ac '^the end$' "$TMP/run/text")"
verdict "$(grep -aEvc '^(ERROR: never dropped|number) [0-9]+ (of )?0x[0-9a-f]+$|^constant( and longer)?$|^a line$|^the end$' "$TMP/run/text")" \
	"the level is switched 1,000 times: no line is torn"

# A call that is under way goes by the rules and the level of one moment.
run 'format "password=*" redact password' secret ${SWITCHES:-2000}
good "rules and the level are switched together"
hidden "rules and the level are switched together"

run '' beyond
good "rules behind the end of the file"
same "rules behind the end of the file: it goes on recording" "2" "$(lines | grep -c '^stdout: the .* of 2$')"
run 'format "gone*" drop' zero
good "a generation of 0"
same "a generation of 0: all is recorded" 20 "$(lines | grep -c '^stdout: kept')"
run '' deep
good "more frames are asked for than there can be"
same "64 of each are recorded" 192 "$("$show" -q --stacks "$TMP/run/capture" | grep -v 'tail call' | grep -c ' say_below at ')"
run '' damage 4000
good "something arbitrary is stored among the switches"
finish
