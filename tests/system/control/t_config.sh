#!/bin/bash
# BINLOG_CONFIG and binlog-run --config: settings and rules of a file, with a program of which func, file and line are
# known; what binlog-run refuses, and what it says of rules that nothing matches.
. tests/support/lib.sh
run=$BUILD/binlog-run

cat >"$TMP/app.c" <<'END'
#include <stdarg.h>
#include <stdio.h>
#include <syslog.h>
#define AWAY __attribute__((noinline, noclone))
AWAY static void say(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vprintf(format, list);
	va_end(list);
	fflush(stdout);
}
__attribute__((always_inline)) static inline void inside(int i)
{
	printf("inside %d\n", i);
}
AWAY void parse_one(int i)
{
	printf("parse one %d\n", i);
	fflush(stdout);
}
AWAY void parse_two(int i)
{
	printf("parse two %d\n", i);
	inside(i);
	fflush(stdout);
}
int main(void)
{
	parse_one(1);
	parse_two(2);
	say("said %d\n", 3);
	printf("user=%s password=%s\n", "me", "hunter2");
	fprintf(stderr, "ERROR: broken\n");
	syslog(LOG_DEBUG, "for debugging");
	syslog(LOG_ERR, "an error");
	return 0;
}
END
$CC -O2 -g -w -o "$TMP/app" "$TMP/app.c" || exit 1
cp "$TMP/app" "$TMP/stripped"
strip "$TMP/stripped"
here() { grep -n "$1" "$TMP/app.c" | head -n 1 | cut -d : -f 1; }

# What was recorded of the program with this file: its messages, without "password".
log() { # TEXT [OPTION...]: with binlog-run
	rm -rf "$TMP/data"
	printf '%s\n' "$1" >"$TMP/my.conf"
	"$run" -o "$TMP/data" -c "$TMP/my.conf" "${@:2}" -- "${app:-$TMP/app}" >"$TMP/real" 2>"$TMP/said"
	"$show" -q "$TMP/data" 2>/dev/null | sed 's/^[^]]*\] //'
}
missing() { # what the log with the text of $1 lacks, of that without rules
	diff <(printf '%s\n' "$all") <(log "$1" "${@:2}") | sed -n 's/^< [^:]*: //p' | paste -sd ,
}
all=$(log "# nothing")
same "without rules everything is recorded" 8 "$(echo "$all" | wc -l)"

# ---- settings ----
same "a level in the file counts" "$(echo "$all" | grep -E 'broken|an error')" "$(log 'level = err')"
same "the environment counts more" "$all" "$(BINLOG_LEVEL=debug log 'level = err')"
log 'streams = stdout=tee' >"$TMP/log"
same "a mode in the file counts" "parse one 1" "$(head -n 1 "$TMP/real")"
same "and the text is recorded as well, but for a second copy of a secret" "${all/password=hunter2/password=[7 bytes]}" \
	"$(cat "$TMP/log")"
same "a level of a rule counts as any other" "parse one 1,parse two 2,inside 2,said 3,user=me password=hunter2,for debugging" \
	"$(missing 'level = err
[rules]
not format "*error*" not format ERROR* level info')"
same "the library alone reads the file, too" "$(echo "$all" | grep -v said)" "$(
	rm -rf "$TMP/data"
	printf '[rules]\nformat said* drop\n' >"$TMP/my.conf"
	BINLOG_DIR=$TMP/data BINLOG_CONFIG=$TMP/my.conf LD_PRELOAD=$lib "$TMP/app" >/dev/null 2>&1
	"$show" -q "$TMP/data" 2>/dev/null | sed 's/^[^]]*\] //')"

# ---- rules about the source ----
same "a function's calls are dropped, also those of what was inlined into it" "parse two 2,inside 2" \
	"$(missing '[rules]
func parse_two drop')"
same "several functions by a glob" "parse one 1,parse two 2,inside 2" "$(missing '[rules]
func parse_* drop')"
same "an inlined function by itself" "inside 2" "$(missing '[rules]
func inside drop')"
same "a line of a file" "parse one 1" "$(missing "[rules]
file app.c line $(here 'parse one') drop")"
same "from one line to another" "parse one 1,parse two 2" "$(missing "[rules]
line $(here 'parse one')-$(here 'parse two') file app.c drop")"
same "another file has no such line" "" "$(missing "[rules]
file other.c line 1- drop")"
same "that nothing matches is said with the line" 1 "$(grep -c ': no log statement matches' "$TMP/said")"
same "a function that prints for others is where the call is" "said 3" "$(missing '[rules]
func say drop')"
same "not: all functions but these" "parse one 1,parse two 2,inside 2" "$(missing '[rules]
drop
not func parse_* capture
' | tr , '\n' | grep -vE 'broken|error' | paste -sd ,)"
same "the text of the rules has places now, and the same lines" "[rules]
# one
at BUILD+PLACES drop # two; three
func nobody pass" "$(log '[rules]
# one
func parse_two drop # two; three
func nobody pass' >/dev/null; sed 's/at [0-9a-f]*+[0-9a-fx,]*/at BUILD+PLACES/' "$TMP/data/binlog.conf")"
same "which nobody else may read" 600 "$(stat -c %a "$TMP/data/binlog.conf")"
log '[rules]
format x* drop' >/dev/null
verdict "$([ ! -e "$TMP/data/binlog.conf" ]; echo $?)" "a file that has to be looked up nowhere is used as it is"
app=$TMP/stripped log '[rules]
func parse_two drop' >/dev/null
same "a program without symbols has no functions, and that is said" 1 "$(grep -c ': no log statement matches' "$TMP/said")"

# ---- when the log is read ----
log "# nothing" >/dev/null
categories() { # RULE: which lines have the category
	printf '[rules]\n%s category mine\n[output one]\nto = %s\ncolumns = category,message\n' "$1" "$TMP/categories" >"$TMP/reading.conf"
	"$show" -q --config "$TMP/reading.conf" "$TMP/data" 2>/dev/null
	sed -n 's/^mine  *//p' "$TMP/categories" | paste -sd ,
}
same "a category by the function, also of what was inlined into it" "parse two 2,inside 2" "$(categories 'func parse_two')"
same "an inlined function by itself" "inside 2" "$(categories 'func inside')"
same "by file and line" "parse one 1" "$(categories "file app.c line $(here 'parse one')")"
same "all functions but some" "parse one 1" "$(categories 'not func parse_two not func main not func say not func inside format *parse*')"
same "another file" "" "$(categories 'file other.c')"

mkdir "$TMP/a [b]; *"
$CC -O2 -g -w -Wl,--build-id=none -o "$TMP/a [b]; */app" "$TMP/app.c"
same "a program without a build ID is known by its path" "parse two 2,inside 2" \
	"$(app="$TMP/a [b]; */app" missing '[rules]
func parse_two drop')"

# ---- in a program that runs ----
cat >"$TMP/library.c" <<'END'
#include <stdio.h>
void library_says(int i)
{
	printf("library %d\n", i);
	fflush(stdout);
}
END
cat >"$TMP/loop.c" <<'END'
#include <stdio.h>
#include <unistd.h>
void library_says(int i);
int main(void)
{
	for (int i = 0; i < 3000; i++) {
		library_says(i);
		printf("own %d\n", i);
		fflush(stdout);
		usleep(10000);
	}
	return 0;
}
END
$CC -O2 -g -w -shared -fPIC -Wl,-soname,liblog.so -o "$TMP/liblog.so" "$TMP/library.c" &&
	$CC -O2 -g -w -o "$TMP/loop" "$TMP/loop.c" "$TMP/liblog.so" -Wl,-rpath,"$TMP" || exit 1
mkdir "$TMP/elsewhere"
mv "$TMP/liblog.so" "$TMP/elsewhere/liblog.so"
printf '[rules]\nfunc library_* pass\n' >"$TMP/my.conf"
LD_LIBRARY_PATH=$TMP/elsewhere "$run" -c "$TMP/my.conf" -o "$TMP/library" -- timeout 0.3 "$TMP/loop" >/dev/null 2>"$TMP/said"
same "binlog-run does not know what a program starts that it starts" 1 "$(grep -c 'no log statement matches' "$TMP/said")"
rm -rf "$TMP/library"
(LD_LIBRARY_PATH=$TMP/elsewhere exec "$run" -c "$TMP/my.conf" -o "$TMP/library" -- "$TMP/loop" >/dev/null 2>"$TMP/said") &
loop=$!
of_library() { "$show" -q "$TMP/library" 2>/dev/null | grep -c ": $1 "; }
has_said() { [ "$(of_library own)" -ge 10 ]; }
until_true has_said
kill $loop
wait $loop 2>/dev/null
same "but finds a function in a library of its own program, where the loader finds it" "0 " "$(of_library library) $(cat "$TMP/said")"
mv "$TMP/elsewhere/liblog.so" "$TMP/liblog.so"
said() { "$show" -q "$TMP/live" 2>/dev/null | grep -c ": $1 "; }
"$run" -o "$TMP/live" -- "$TMP/loop" >/dev/null &
loop=$!
for _ in {1..100}; do
	[ "$(said library)" -eq 0 ] || break
	sleep 0.05
done
"$BUILD/binlog-ctl" $loop rule 'func library_* drop' wait >"$TMP/ctl" 2>&1
verdict $? "binlog-ctl finds a function in a library of a program that runs" "$(cat "$TMP/ctl")"
library=$(said library)
own=$(said own)
for _ in {1..100}; do
	[ "$(said own)" -lt $((own + 20)) ] || break
	sleep 0.05
done
verdict "$([ "$library" -gt 0 ] && [ "$(said own)" -ge $((own + 20)) ]; echo $?)" "judge: it has said more since" \
	"library $library own $own, $(said own)"
same "and from there on nothing more of it is recorded" "$library" "$(said library)"
"$BUILD/binlog-ctl" $loop rules=- wait <<<'not func nobody level err # of all' >/dev/null 2>&1
"$BUILD/binlog-ctl" $loop rules >"$TMP/ctl" 2>&1
same "a rule for several modules is one for each, before its comment" "at at # of all" \
	"$(grep -o -e 'at [0-9a-f]*+' -e '# of all.*' "$TMP/ctl" | sed 's/^at .*/at/' | tail -n 3 | paste -sd ' ')"
kill $loop
wait $loop 2>/dev/null

# ---- redaction ----
same "an argument by its name" 1 "$(log '[rules]
redact password' | grep -c 'user=me password=\[7 bytes\]')"
same "the usual names by one word" 1 "$(log 'redact = usual' | grep -c 'user=me password=\[7 bytes\]')"
log 'redact = usual' >/dev/null
same "what was redacted is nowhere in the capture" 0 "$(cat "$TMP"/data/*.binlog | grep -c hunter2)"
log '' >/dev/null
same "judge: without a rule it is there" 1 "$(cat "$TMP"/data/*.binlog | grep -c hunter2)"

# ---- what is wrong ----
refused() { # SENTENCE TEXT WANTED
	log "$2" >/dev/null
	same "$1" "binlog-run: $TMP/my.conf:$3" "$(cut -c 1-$((${#TMP} + ${#3} + 21)) "$TMP/said" | head -n 1)"
	[ ! -s "$TMP/real" ] || not_ok "and the program is not run"
}
refused "a setting that there is not" '
 colour = red' "2:2: colour: no such setting:"
refused "a level that there is not" 'level = nice' "1:9: nice: no such level:"
refused "a mode that there is not" 'streams = stdout=loud' "1:11: stdout=loud: not a list of streams:"
refused "a section that there is not" '[rule]' "1:2: rule: no such section:"
log "# $(head -c 1048576 /dev/zero | tr '\0' x)" >/dev/null
same "a file that is longer than the library reads" "binlog-run: $TMP/my.conf: File too large" "$(cat "$TMP/said")"
same "what is no file" "binlog-run: /dev/null: not a regular file: give one with --config" "$("$run" -c /dev/null -o "$TMP/data" "$TMP/app" 2>&1)"
refused "a rule that there is not" 'level = err
[rules]
drop
func f dorp' "4:8: dorp: no such word:"
refused "a rule without anything to do" '[rules]
func f' "2:7: nothing to do:"
exit $failed
