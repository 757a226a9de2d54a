#!/bin/bash
# Several outputs from one pass, as a config file asks for them: each holds what a run with its options alone would show.
. tests/support/lib.sh

cat >"$TMP/app.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <syslog.h>
int main(int argc, char **argv)
{
	int lines = argc > 1 ? atoi(argv[1]) : 50;
	FILE *one = fopen("one.log", "w"), *two = fopen("two.txt", "w");

	openlog("app", 0, LOG_DAEMON);
	for (int i = 0; i < lines; i++) {
		printf("request %d took %d us\n", i, i * 7 % 100);
		fprintf(stderr, "warning %d of %s\n", i, i % 3 ? "eth0" : "lo");
		syslog(i % 5 ? LOG_INFO : LOG_ERR, "status %d", i);
		fprintf(one, "first %d\n", i);
		fprintf(two, "second %d\n", i);
	}
	return 0;
}
END
$CC -O1 -g -w -o "$TMP/app" "$TMP/app.c" || exit 1
cd "$TMP" || exit 1
BINLOG_DIR=capture BINLOG_STREAMS='stdout,stderr,syslog,file:*.log=replace,file:*.txt=replace' LD_PRELOAD=$lib ./app || exit 1
"$BUILD/binlog-pack" capture -o log.blog 2>/dev/null || exit 1
run() { "$show" -q --utc --config conf "$@" 2>complaint; } # OPTION... PATH

# Each as a run of its own; one column would not show times of another zone.
options=("--stream=stderr" "--priority=err" "--grep=took" "--where=took>50" "--format=warning*eth*"
	"--format=warning*" "--stream=file:*.log" "--stream=file:*.txt" "--function=syslog" "--reverse --lines=7"
	"--output=timeline" "--columns=pid,message --grep=first" "--raw" "--output=processes"
	"--raw --as-written --stream=stdout" "--raw --as-written --stream=stderr,syslog" "--raw --reverse" "--location --grep=1" "--stacks --lines=2" "--until=2001-01-01")
for i in "${!options[@]}"; do
	echo "[output $i]"
	echo "to = got.$i"
	for option in ${options[i]}; do
		option=${option#--}
		[[ $option == *=* ]] || option+="=yes"
		echo "${option/=/ = }"
	done | sed 's/^output = /style = /; s/^raw = yes/style = raw/'
done >conf
# Two that only one of them shows, since the others have no such lines.
for from in capture log.blog; do
	umask 000
	rm -f got.*
	run "$from" >stdout
	same "$from: all is read, and standard output is not one of them" "0 0" "$? $(stat -c %s stdout)"
	wrong=
	for i in "${!options[@]}"; do
		# shellcheck disable=SC2086 # a list of words
		"$show" -q --utc ${options[i]} "$from" >wanted 2>/dev/null
		cmp -s wanted "got.$i" || wrong+=" ${options[i]}"
		[ "$(stat -c %a "got.$i")" = 600 ] || wrong+=" mode of $i"
	done
	same "$from: ${#options[@]} outputs, each as in a run of its own, for their owner alone" "" "$wrong"
done
same "some of them are not empty" 1 "$(($(cat got.* | wc -l) > 500))"
umask 022

printf '[output a]\nto = -\npid = 1\n[output b]\nto = b\n' >conf
same "what the command line chooses is where each begins" "$("$show" -q --utc --grep=status capture)" \
	"$(run --grep=status capture; cat b)"
printf '[output a]\nto = -\nstacks = no\n[output b]\nto = b\n' >conf
same "and may be taken back" "250 500" "$(run -S -d 1 capture | wc -l) $(wc -l <b)"
echo old >b
chmod 640 b
run capture >/dev/null
same "a file of the user is emptied, and keeps its mode" "640 250" "$(stat -c %a b) $(wc -l <b)"
printf '[output a]\nto = a\nlines = 1\n[output b]\nto = b\nlines = 2\nreverse = yes\n' >conf
run - <log.blog
same "from a pipe" "$("$show" -q --utc -n 1 capture) $("$show" -q --utc -n 2 -r capture)" "$(cat a) $(cat b)"
same "the sum of calls is said once" 1 "$("$show" --config conf capture 2>&1 | grep -c captured)"

# What is refused, and said.
refused() { # SENTENCE COMPLAINT: an expression
	run capture >stdout
	same "$1" "2 1 0" "$? $(grep -cE "^binlog-show: $2" complaint) $(stat -c %s stdout)"
}
echo kept >target
ln -sf target link
printf '[output a]\nto = link\n' >conf
refused "a symbolic link is not followed" 'link: not opened: it is a symbolic link'
same "and what it leads to is left alone" kept "$(cat target)"
printf '[output a]\nto = %s\n' capture/*.binlog >conf
sum=$(cksum <"$(ls capture/*.binlog)")
refused "a capture that is read is not written to" 'capture/.*: not opened: it is one of those that are read'
same "and is as it was" "$sum" "$(cksum <"$(ls capture/*.binlog)")"
printf '[output a]\nto = ./conf\n' >conf
sum=$(cksum <conf)
refused "nor the file that says where outputs go" './conf: not opened: it is one of those that are read'
same "which is as it was, too" "$sum" "$(cksum <conf)"
cp log.blog other.blog
printf '[output a]\nto = ./other.blog\n' >conf
"$show" --config conf other.blog >/dev/null 2>complaint
same "nor a packed log" "2 0" "$? $(cmp log.blog other.blog >/dev/null; echo $?)"
printf '[output a]\nto = /dev/null\n' >conf
refused "a device is not written to" '/dev/null: not opened: not an ordinary file'
printf '[output a]\nto = x\n[output b]\nto = ./x\n' >conf
refused "one file for two, however it is called" './x: not opened: two outputs go there'
printf '[output a]\nto = -\n[output b]\nto = -\n' >conf
refused "standard output for two" 'conf:3:9: b: two outputs go to one place'
printf '[output a]\nto = x\ncolor = red\n' >conf
refused "a key that is none" 'conf:3:1: color: no such key'
printf '[output a]\nto = x\nquiet = yes\n' >conf
refused "an option that is no key" 'conf:3:1: quiet: no such key'
printf '[output a]\nto = x\ncolumns = pid, nix\n' >conf
refused "a column that is none" 'conf:3:1: columns: "nix" is no column: there are time'
printf '[output a]\nto = x\nstacks = maybe\n' >conf
refused "neither yes nor no" 'conf:3:1: stacks: neither yes nor no'
printf '[output a]\nto = x\nstyle = nix\n' >conf
refused "a style that is none" 'conf:1:9: a: no such style'
printf '[output a]\nstyle = line\n' >conf
refused "an output without a place" 'conf:1:9: a: nothing says where to'
printf '[output a]\nto = x\nstyle = raw\ncolumns = pid\n' >conf
refused "what does not fit together" 'conf:1:9: a: --columns: lines have them'
printf '[output a]\nto = x\nstyle = processes\n[output b]\nto = y\nstyle = captures\n' >conf
refused "two lists of programs" 'conf:4:9: b: two outputs list processes'
printf '[rules]\nformat "a*" nix\n[output a]\nto = -\n' >conf
refused "a rule that is wrong, at its place" 'conf:2:13: '
printf 'level = debug\n' >conf
refused "a file without outputs" 'conf: not read: there is no section'
for i in $(seq 33); do printf '[output %s]\nto = many.%s\n' "$i" "$i"; done >conf
refused "too many" 'conf:65:9: 33: more outputs'
sed -i '/^.output 33/,$d' conf
run capture
same "as many as there may be" "0 32" "$? $(cksum many.* | awk '{ print $1 }' | uniq -c | awk '{ print $1 }')"
if [ "$(id -u)" = 0 ]; then
	touch foreign && chown 65534 foreign
	printf '[output a]\nto = foreign\n' >conf
	refused "another user's file is not written to" "foreign: not opened: it is another user's"
else
	skip "another user's file: needs root"
fi

# What cannot be written is named; the others are complete.
BINLOG_DIR=long LD_PRELOAD=$lib ./app 20000 >/dev/null 2>&1
printf '[output a]\nto = small\ngrep = status\n[output b]\nto = large\n' >conf
(ulimit -f 2048; "$show" -q --utc --config conf long 2>complaint)
same "a file that has no room is named, once" "2 1" "$? $(grep -c '^large: not written: File too large: ' complaint)"
"$show" -q --utc --grep=status long >wanted
same_file "the other one is complete" wanted small
printf '[output a]\nto = -\n[output b]\nto = all\n' >conf
"$show" -q --utc --config conf long 2>complaint | head -n 1 >/dev/null
"$show" -q --utc long >wanted
same_file "nor does a closed pipe end it" wanted all
if command -v strace >/dev/null && ASAN_OPTIONS=detect_leaks=0 strace -o trace -e trace=fsync,close,openat "$show" -q --config conf capture >/dev/null 2>&1; then
	fd=$(sed -n 's/.*openat(.*"all".* = \([0-9]*\)$/\1/p' trace)
	same "each file is on the disk before it is closed" "fsync($fd) = 0 close($fd) = 0" \
		"$(grep -E "^(fsync|close)\($fd\)" trace | tail -n 2 | tr -s ' ' | paste -sd ' ')"
else
	skip "what is on the disk: strace does not work here"
fi

# The manual page names the keys.
same "the manual page names every key of a section" "" \
	"$(sed -nE 's/^OPTION\(\w+, *"[^"]*", *[^,]*, *(NULL|"[^"]*"), *"([^"]*)",.*/\2/p' "$OLDPWD/decoder/output/options.def" |
		while read -r key; do
			[ "$key" = style ] || sed -n '/^\.Sh SEVERAL/,/^\.Sh PROC/p' "$OLDPWD/man/binlog-output.7" | grep -qE "^\.Cm .*\b$key\b" || echo "$key"
		done)"
finish
