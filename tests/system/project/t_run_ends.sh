#!/bin/sh
# binlog-run: a program that it runs cannot tell the difference, neither can
# who waits for it; usage.
# shellcheck disable=SC2086
. tests/support/run_common.sh

# --- what the program is given

weird="$(printf 'new\nline')"
wanted=$("$app" args "two words" "" "*" "$weird" --depth=1 -- -o)
same "arguments arrive unchanged" "$wanted" \
	"$("$run" -d 3 "$app" args "two words" "" "*" "$weird" --depth=1 -- -o)"
same "-- ends the options" "$wanted" \
	"$("$run" -- "$app" args "two words" "" "*" "$weird" --depth=1 -- -o)"
same "the program keeps the name that it was called by" "<app>" \
	"$(PATH=$TMP:$PATH "$run" app args | head -n 1)"
(unset BINLOG_DIR && cd "$TMP" && env -i A=1 B="x y" C= "$run" \
	/usr/bin/env | sort >"$TMP/environment")
same "only two variables are added to the environment" \
	"A=1
B=x y
BINLOG_DIR=$TMP/binlog.data
C=
LD_PRELOAD=$probe" "$(cat "$TMP/environment")"
echo "level = err" >"$TMP/app.conf"
same "all options arrive as variables" \
	"BINLOG_CONFIG=$app.conf BINLOG_DEPTH=5 BINLOG_DIR=$TMP/spot/x BINLOG_LEVEL=info BINLOG_MAX_SIZE=2G BINLOG_RING=1M BINLOG_STREAMS=all=tee" \
	"$(cd "$TMP" && "$run" -o spot/x --streams=all=tee --depth 5 -l info \
		--ring=1M -m 2G --config=app.conf env | grep ^BINLOG | sort |
		tr '\n' ' ' | sed 's/ $//')"
same "a relative BINLOG_DIR becomes absolute" "BINLOG_DIR=$TMP/spot" \
	"$(cd "$TMP" && BINLOG_DIR=spot "$run" env | grep ^BINLOG_DIR)"
cp "$probe" "$TMP/other.so"
for old in "$TMP/other.so" "$TMP/other.so $TMP/other.so" "$probe" \
	"$TMP/other.so:$probe"; do
	case $old in
	*libbinlog*) wanted=$old ;;
	*) wanted=$probe:$old ;;
	esac
	same "preloaded before: $(echo "$old" | sed "s|$TMP/||g")" \
		"LD_PRELOAD=$wanted" \
		"$(LD_PRELOAD=$old $relaxed "$run" env | grep ^LD_PRELOAD)"
done
same "it can be run by itself" "LD_PRELOAD=$probe" \
	"$("$run" "$run" env | sed -n '/^LD_PRELOAD/s/libasan[^:]*://p;t
		/^LD_PRELOAD/p')"
same "no descriptor is left open" "$("$app" descriptors)" \
	"$("$run" "$app" descriptors)"
# shellcheck disable=SC2016
same "the program has the process to itself" 1 "$(/bin/sh -c \
	'echo $$; exec "$@"' sh "$run" "$app" pid | uniq | wc -l)"

for kind in address thread; do
	$CC -fsanitize=$kind "$TMP/app.c" -o "$TMP/$kind" 2>/dev/null
	if ! "$TMP/$kind" >/dev/null 2>&1; then
		skip "-fsanitize=$kind: such a program does not run here"
		continue
	fi
	fresh
	runs "the runtime of -fsanitize=$kind comes first" "$run" "$TMP/$kind"
	natively "$TMP/$kind"
	[ $kind = thread ] || grep -q "does not come first" "$TMP/native-errors"
	verdict $? "judge: -fsanitize=$kind complains or copes when it does not"
	LD_PRELOAD=$TMP/other.so $relaxed "$run" "$TMP/$kind" >/dev/null 2>&1
	verdict $? "-fsanitize=$kind comes before what was preloaded"
done

# --- ends, with and without a parent that stays

cat >"$TMP/bin/binlog-show" <<'END'
#!/bin/sh
echo "show $*"
[ -z "${SAY-}" ] || echo "show $BINLOG_DISABLE $(grep SigIgn /proc/self/status)"
END
chmod +x "$TMP/bin/binlog-show"
death() { # COMMAND...: how it ended
	fresh
	"$TMP/death" "$@" 2>&1 >/dev/null </dev/null |
		sed '/^binlog-run/d; s/ core//'
}
for option in --depth=2 --show; do
	same "$option: exit status 7 is 7" "exit 7" \
		"$(death "$run" $option "$app" exit 7)"
	same "$option: exit status 255 is 255" "exit 255" \
		"$(death "$run" $option "$app" exit 255)"
	for signal in 1 2 3 6 9 11 15 17 40; do
		same "$option: signal $signal ends both alike" \
			"$(death "$app" kill $signal)" \
			"$(death "$run" $option "$app" kill $signal)"
	done
	same "$option: stdin is the program's" "abc" \
		"$(echo abc | "$run" $option cat | grep -v ^show)"
	for ignored in "" "INT QUIT CHLD" "TERM HUP"; do
		same "$option: signal dispositions are kept ($ignored)" \
			"$(for s in $ignored; do trap '' $s; done
				"$app" signals | grep -v SigQ)" \
			"$(for s in $ignored; do trap '' $s; done
				"$run" $option "$app" signals |
				grep -v 'SigQ\|^show')"
	done
done
fresh
same "--show shows the directory afterwards" \
	"hello from the program
show --stacks $TMP/spot" "$("$run" --show "$app")"
fresh
same "--show: binlog-show is not recorded and can be interrupted" \
	"show 1 $(grep SigIgn /proc/self/status)" \
	"$(SAY=1 "$run" --show "$app" | tail -n 1)"
fresh
mkdir "$TMP/spot/away"
check "--show says that nothing was recorded" sh -c \
	'BINLOG_DISABLE=1 "$1" --show "$2" 2>&1 >/dev/null |
	grep -q "nothing was recorded"' sh "$run" "$app"
mkdir "$TMP/cores"
# shellcheck disable=SC3045
same "--show: dying again leaves no core over the program's" "signal 6" "$(
	cd "$TMP/cores" && ulimit -S -c "$(ulimit -H -c)" &&
	"$TMP/death" "$run" --show "$app" kill 6 2>&1 >/dev/null </dev/null)"

passes() { # SIGNAL: sent to the parent while the program waits
	fresh
	rm -f "$TMP/ready"
	"$TMP/death" "$run" --show "$app" wait "$TMP/ready" \
		>/dev/null 2>"$TMP/how" &
	watcher=$!
	tries=0
	while [ ! -e "$TMP/ready" ] && [ $tries -lt 100 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
	parent=$(cat "/proc/$watcher/task/$watcher/children")
	child=$(cat "/proc/${parent% }/task/${parent% }/children")
	kill -s "$1" ${parent% }
	sleep 0.3
	[ "$1" = TERM ] || kill -s KILL ${child% }
	wait $watcher
	cat "$TMP/how"
}
same "--show: SIGTERM to the parent ends the program" "signal 15" \
	"$(passes TERM)"
same "--show: SIGINT to the parent is the program's affair" "signal 9" \
	"$(passes INT)"

# --- usage

check "--help names every option" sh -c '"$1" --help | grep -q -- --max-size=SIZE &&
	"$1" --help | grep -q BINLOG_MAX_SIZE' sh "$run"
check "--version says one line" sh -c \
	'[ "$("$1" --version | wc -l)" -eq 1 ]' sh "$run"
for bad in "" --no-such-option --dir --show=now -Q; do
	"$run" $bad >/dev/null 2>"$TMP/errors"
	same "usage: '$bad' ends with 2" 2 $?
	check "usage: '$bad' leads to --help" grep -q "see binlog-run --help" \
		"$TMP/errors"
done
refuses "a capture directory that is a file" 2 "Not a directory" \
	"$run" -o "$app" "$app"
refuses "standard output as the capture directory" 2 "cannot go to standard output" \
	"$run" --dir=- true
[ ! -e - ]
verdict $? "no directory of that name is made"
refuses "a capture directory in a directory that is not there" 2 \
	"No such file" "$run" -o "$TMP/not/there" "$app"
same "a capture directory that is yet to be made" "$TMP/yet//" \
	"$("$run" -o "$TMP/yet//" env | sed -n 's/^BINLOG_DIR=//p')"
refuses "a config file that is not there" 2 "--config" \
	"$run" -c "$TMP/nothing" "$app"
unset BINLOG_DIR

# --- the real ones together

if [ -e "$BUILD/libbinlog.so" ] && [ -x "$BUILD/binlog-show" ]; then
	"$BUILD/binlog-run" -o "$TMP/real" --show "$app" >"$TMP/out" 2>&1
	same "--show with everything ends well" 0 $?
	check "--show with everything shows the text" \
		grep -q "hello from the program" "$TMP/out"
else
	skip "recording: the library or binlog-show is not built"
fi
exit $failed
