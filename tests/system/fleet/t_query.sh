#!/bin/bash
# binlog-query: asked for the same, it shows of a server what binlog-show shows of the logs that were sent there, byte for byte.
. tests/support/lib.sh
. tests/support/clickhouse.sh
ship=$BUILD/binlog-ship
query=$BUILD/binlog-query
pack=$BUILD/binlog-pack
page=$here/../man/binlog-query.1
cd "$TMP" || exit 1

cat >says.c <<'C'
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <syslog.h>
#include <wchar.h>
static int count;
static void *says(void *number)
{
	for (int i = 0; i < count; i++) {
		printf("worker %ld has done %d of %s in %.3f s\n", (long)number, i, i % 3 ? "many" : "fe\xffw", i / 1000.0);
		if (i % 7 == 0)
			printf("request %d done, took=%u us by %c\n", i, TOOK + i, 'a' + i % 26);
		if (i % 5 == 0)
			printf("error: neg=%d short=%hhd big=%lu x=%#x p=%p ratio=%g\n", -i, i, 18446744073709551615ul - i, i,
				(void *)(long)i, i % 50 ? 1e300 / (i - 333) : NAN);
		if (i % 11 == 0) {
			printf("start %d of it's\\ \"q\"\n", i);
			printf("half ");
			printf("and half %d\n", i);
			printf("done %d\n", i);
		}
	}
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t threads[2];
	count = atoi(argv[1]);
	openlog("speaker", LOG_PID, LOG_DAEMON);
	syslog(LOG_ERR, "user %s has failed %u times", "guest", 4000000000u);
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, says, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	puts("100% literal");
	printf("name=%s\n", "it's a \"\\backslash\\\" \t tab; DROP TABLE logs.messages; -- \x1b[31m");
	printf("zero %c and %*d, %.*s\n", 0, 5, 7, 3, "abcdef");
	printf("wide %ls and %lc, %Lg\n", L"gr\u00fc\u00df", L'\u00e9', 2.5L);
	fprintf(stderr, "%d lines, %s\n", 2 * count, (char *)NULL);
	fputs("two\nlines\n", stdout);
	return 3;
}
C
$CC -g -O1 -w -DTOOK=4000000000u -o says says.c -pthread || exit 1
mkdir new
$CC -g -O1 -w -DTOOK=4100000000u -o new/says says.c -pthread || exit 1
speak() { BINLOG_DIR=$1 LC_ALL=C.UTF-8 LD_PRELOAD=$lib "$2" "$3" >"$TMP/stdout" 2>"$TMP/stderr"; }
mkdir captures other logs
speak captures ./says 400
speak captures ./says 300
"$pack" -q captures -o logs/one.blog
clickhouse_make one
clickhouse_make two
sed -i 's,</users>,<small><password></password><networks><ip>127.0.0.1</ip></networks><profile>small</profile><quota>default</quota></small></users>,
	s,</profiles>,<small><max_memory_usage>100000</max_memory_usage></small></profiles>,' clickhouse.one/users.xml
clickhouse_start one
clickhouse_start two
at=clickhouse://127.0.0.1:$http_one/logs
"$ship" -q --to="$at" logs

# asks SENTENCE OPTION...: both are asked, and say the same, with the same status
asks() {
	local sentence=$1 wanted got
	shift
	"$show" "$@" logs >want 2>/dev/null
	wanted=$?
	"$query" --at="$at" "$@" >got 2>said
	got=$?
	if cmp -s want got && [ $wanted = $got ]; then
		ok "$sentence"
	else
		not_ok "$sentence ($wanted, $got)" "$(cat said; diff -a want got)"
	fi
}

# ---- messages ----
asks "lines" -u
asks "lines, in local time" --columns=time,message
asks "the newest first" -r
asks "the last ones" -n 7
asks "the last ones of those that are asked for" -n 7 --where='took > 0'
asks "the last ones that contain a text" -n 3 --grep=half
asks "places" -L
asks "columns" --columns=program,pid,tid,thread,stream,level,priority,ident,category,module,function,caller,location,format,statement,args,message
asks "csv, typed arguments" -o csv
asks "the largest" --largest=took
asks "the smallest" --smallest=neg -n 3
asks "messages in each stretch of time" --per=1ms
"$show" -q -s stdout,stderr --raw logs >want
"$query" --at="$at" -q -s stdout,stderr --raw >got
same_file "bytes" want got
asks "how many" --count
for one in "$show -q -o json logs" "$query --at=$at -q -o json"; do $one | sed 's/"ticks":[0-9]*,//' >"json.${one##* }"; done
same_file "JSON, but for the processor's counter, which is on no server" json.logs json.json

# ---- who, when, which ----
asks "by a pattern that is a text" --grep=half
asks "by a pattern: the beginning and the end of a line" --grep='^half.*[0-9]$'
asks "by one of several lines of a call" --grep='^lines$'
asks "by a pattern with capitals" --grep='DROP TABLE'
asks "by two patterns" --grep=literal --grep='q"$'
asks "by level" -p err
asks "by levels" -p warning..err
asks "by stream" -s stderr
asks "by streams" -s syslog,stderr
asks "by thread" --thread='s?ys'
asks "by format" --format='*done*'
asks "by function of libc" --function='put*'
asks "by function of the program" --caller=main
asks "by line of the source" --file="says.c:$(grep -n took= says.c | cut -d: -f1)"
asks "by module" --module='say?'
asks "by time" --since=-1h --until=+1h
asks "by time: nothing" --until=-1h
middle=$("$show" -q -o json logs | sed -n '700s/.*"time_ns":\([0-9]*\).*/\1/p')
asks "by time, to the nanosecond" --since="@${middle:0:10}.${middle:10}" -u
# time_of TEXT N: of the N-th message that is this text
time_of() { "$show" -q -o json logs | grep -F "\"message\":\"$1\"" | sed -n "${2}s/.*\"time_ns\":\(.\{10\}\)\([0-9]*\).*/@\1.\2/p"; }
asks "by time: a line that had begun before" -u --since="$(time_of 'and half 33\n' 1)"
asks "by time: a line that ends later" -u --until="$(time_of 'half ' 5)"
asks "by time: half of a line" -u --since="$(time_of 'and half 33\n' 1)" --until="$(time_of 'and half 33\n' 1)"
asks "by time and text: halves of lines" -u --since="$(time_of 'and half 33\n' 1)" --until="$(time_of 'half ' 20)" --where='half % 2 == 0'
pid=$("$show" -q --columns=pid logs | sed -n 9p | tr -d ' ')
asks "by process" --pid="$pid"

# ---- conditions ----
while read -r condition; do
	asks "where $condition" -q --where="$condition"
	asks "how many, where $condition" --count --where="$condition"
done <<'C'
took > 4000000100 and statement like "request %d done%"
took > 4000000100.5 && by == 'c'
!(took > 4000000100)
nothing == 1 || took == 4000000007
!(nothing == 1)
neg < 0 && big > 18446744073709551300
big == 18446744073709551615
big > -1
big < 18446744073709551615.5
neg < -1e2 || neg >= -0.5
in >= 0.1
in == 0.3
in != 0.3
ratio > 1e298
!(ratio > 1e298)
ratio == ratio
of == "many"
of != "many"
of ~ "^m.n"
of !~ "a"
of ~ "few|m[aeiou]ny$"
of ~ "m[^x]ny"
of ~ "fe.w"
!(of ~ "fe.w")
of >= "m"
of like "m_n%"
arg2 == "(null)"
arg2 == arg1
done > took
short < 0
short > 100 && x != 5
short == x
p == 0x64
arg1 == "grüß" && arg2 == 233
name == "it's a \"\\backslash\\\" \t tab; DROP TABLE logs.messages; -- \033[31m"
name ~ "it's a \"\\\\"
name like "it's%'%"
name ~ "it's a|[']nothing"
name ~ "^it.s [a-c] \"\\\\back.*; D"
name like "it's%DROP%"
name == "'); DROP TABLE logs.messages; --"
arg2 == 5 and arg3 == 7
statement like "100\% literal" or statement like "%it's%"
statement like "_%"
C
# patterns: those of POSIX are bytes, those of the server characters
patterns=0
while read -r pattern; do
	for options in "--grep=$pattern" "--where=arg3 ~ \"${pattern//\\/\\\\}\"" "--where=!(of ~ \"${pattern//\\/\\\\}\")" "--thread=$pattern"; do
		wanted=$("$show" -q --count "$options" logs 2>&1 | head -n 1)
		got=$("$query" -q --at="$at" --count "$options" 2>&1 | head -n 1)
		if [ "${wanted#binlog-show}" = "${got#binlog-query}" ]; then
			patterns=$((patterns + 1))
		else
			not_ok "counted by $options" "$wanted, $got"
		fi
	done
done <<'Q'
.
m.n
^m[ae]ny$
[^x]an
[m-n]a?n+y*
(ma|fe)(n|w|.w)
a{1}n
(an){1,2}y
[[:alpha:]]+$
[[:upper:]]
[[:digit:]]{3,}
w[^[:space:]]
[]m]any
[^]f]
many|literal|half
\<man
man\>
\bmany\b
m\w+y
\s
(.)\1
w$
^.w
fe.w
fe
s?ys
s*
says
[rs]ays
s[!x]ys
x*
[0-9.]+ s
it's
i.'s a
x=0x[0-9]* p=
é
gr..ß
\.
\|
M
lines$
^two
o$
)
a)
{
+
a**
Q
verdict "$([ $patterns -ge 170 ]; echo $?)" "$patterns patterns find the same"
asks "two conditions: one of them" --where='took == 4000000007' --where='neg == -5'
"$query" --at="$at" -q 'took > 4000000100 and statement like "request %d done%"' >got 2>said
"$show" -q -w 'took > 4000000100 and statement like "request %d done%"' logs >want
same_file "a condition that stands alone" want got
same "and all messages are there still" "$("$show" --count logs)" "$("$query" --at="$at" --count)"

# ---- sums ----
asks "statistics" --stats -u
asks "statistics of some" --stats -u --where='done > 10 && done < 100' -n 1
asks "statistics, with places" --stats -u -L
asks "statistics in JSON" --stats --json
for name in took neg in big short by ratio arg1 arg2 nothing; do
	asks "values of $name" --values=$name
	asks "values of $name, as bars" --histogram=$name
done
asks "values in JSON" --values=arg1 --json
asks "bars in JSON, of some" --histogram=took --json -n 4 --where='took > 4000000100'
asks "spans" -u --spans='start %d* => done %d by arg1'
asks "the longest" -u --spans='start %d* => done %d by arg1' --longest=3
speak other new/says 350
"$ship" -q --to="$at" other
build_of() { ask one "SELECT build FROM logs.runs WHERE executable = '$TMP/$1' LIMIT 1"; }
"$show" -u --diff logs other >want 2>said
"$query" -u --at="$at" --diff="$(build_of says),$(build_of new/says | cut -c 1-8)" >got 2>said
same_file "two builds are compared as two runs are" want got
verdict "$(grep -q '^took' got; echo $?)" "and there is something to compare" "$(cat got)"

# ---- the questions themselves ----
same "--sql shows what is asked" "SELECT count() FROM logs.messages WHERE pid IN (7) AND event = '';" \
	"$("$query" --at="$at" --count --pid=7 --sql)"
"$query" --at="$at" --sql -o json 'took > 4000000100' >sql 2>said
same "what it shows can be asked" "$("$show" -w 'took > 4000000100' --count logs other)" \
	"$(ask one "$(sed 's/;$//' sql)" | grep -c 'request')"
same "only what programs of that name said" "$("$show" --count logs other)" "$("$query" --at="$at" --count --program='s?ys')"
same "and not what others did" 0 "$("$query" --at="$at" --count --program=talks)"
same "only what hosts of that name said" "$("$show" --count logs other)" "$("$query" --at="$at" --count --host="$(uname -n | cut -c 1-3)*")"
same "and not what others did" 0 "$("$query" --at="$at" --count --host=nobody)"
# shellcheck disable=SC2046 # three hundred words
same "hundreds of hosts can be named" "$("$show" --count logs other)" \
	"$("$query" --at="$at" --count $(seq -f '--host=host-%.0f' 300) --host="$(uname -n)")"
same "a user that may change nothing may ask" "$("$show" --count logs other)" "$("$query" --at="${at/127/guest@127}" --count 2>&1)"
same "one with a password" "$("$show" --count logs other)" \
	"$(BINLOG_SHIP_PASSWORD=s3cret "$query" --at="${at/127/keeper@127}" --count 2>&1)"

# the page has questions for dashboards: each is asked, as Grafana asks them, with its words filled in; and so are those of binlog-ship(1)
python3 - "$page" "$here/../man/binlog-ship.1.in" >questions <<'P'
import re, sys
text, other = (open(name).read().replace("fleet.", "logs.") for name in sys.argv[1:])
blocks = re.findall(r"\n\.Bd -literal[^\n]*\n(SELECT.*?)\n\.Ed", text, re.S)
for block in blocks + re.findall(r'clickhouse-client --query "(.*?)"', other, re.S):
    block = block.replace("\\e", "\\").replace("\\(dq", '"').replace("\n", " ")
    print(re.sub(r"\$\{?(\w+)\}?", lambda found: {
        "from": "0", "to": "9999999999", "__fromTime": "toDateTime(0)", "__toTime": "toDateTime(4000000000)",
        "__interval_s": "1", "name": "took", "host": "%"}[found[1]], block))
P
verdict "$([ "$(wc -l <questions)" -ge 8 ]; echo $?)" "the pages have questions for dashboards"
while read -r question; do
	answer=$(ask one "$question" 2>&1)
	status=$?
	[ -n "$answer" ] || [[ $question == *losses* ]] || status=1
	verdict $status "it is asked: ${question:0:60}..." "$answer"
done <questions

# ---- several servers ----
mkdir several
both=clickhouse://127.0.0.1:$http_one,127.0.0.1:$http_two/fleet
has_some() { ask "$1" "SELECT 1 FROM fleet.messages LIMIT 1" | grep -q '^1'; }
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do # a log is on either of them by chance
	mkdir many.$i
	speak many.$i ./says $((i * 20))
	"$pack" -q many.$i -o several/$i.blog
	"$ship" -q --cluster=fleet --to="$both" several
	[ $i -lt 4 ] || ! has_some one || ! has_some two || break
done
for options in "--count" "--values=took" "-w took>4000000010" "--grep=half --columns=message"; do
	# shellcheck disable=SC2086
	"$show" $options -q several 2>/dev/null | sort >want
	# shellcheck disable=SC2086
	"$query" --at="$both" $options -q 2>said | sort >got
	same_file "several servers: $options" want got
done
"$query" --at="clickhouse://127.0.0.1:1,127.0.0.1:$http_two/fleet" --count >got 2>said
same "if one is not reached another is asked" "$("$show" --count several)" "$(cat got said)"

# ---- memory ----
columns="number, time, host, run, program, pid, tid, thread, stream, severity, facility, ident, event, statement, stack, argument.name,
	argument.text, argument.integer, argument.number, text"
for i in 1 2 3 4 5 6 7; do
	ask one "INSERT INTO logs.messages (source, $columns) SELECT source + $i, $columns FROM logs.messages"
done
all=$(ask one "SELECT count() FROM logs.messages WHERE event = ''")
python3 - "$query" "$at" >sizes <<'P'
import resource, subprocess, sys
output = subprocess.run([sys.argv[1], "-q", "--at=" + sys.argv[2], "-o", "csv"], stdout=subprocess.PIPE).stdout
print(output.count(b"\nit"), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
P
verdict "$([ "$all" -gt 100000 ] && [ "$(cut -d' ' -f2 sizes)" -lt 60000 ]; echo $?)" "$all messages are shown as they come: $(cut -d' ' -f2 sizes) KiB"
"$query" --at="$at" -q 2>said | head -n 3 >got
same "who reads no further ends it" 3 "$(wc -l <got)"

# ---- what can be wrong ----
# wrong STATUS WORDS OPTION...: one sentence, with these words
wrong() {
	local status=$1 words=$2 got
	shift 2
	"$query" "$@" >out 2>said
	got=$?
	if [ $got = "$status" ] && [ "$(wc -l <said)" = 1 ] && grep -qF -e "$words" said && [ ! -s out ]; then
		ok "wrong: $(cut -c 15-100 said)"
	else
		not_ok "wrong ($got): $words" "$(cat said out)"
	fi
}
wrong 2 'give --at=' --count
wrong 2 'not known: give clickhouse://' --at=http://here/logs --count
wrong 2 'a password in it is seen' --at=clickhouse://me:secret@here/logs --count
wrong 2 'not reached' --at=clickhouse://127.0.0.1:1/logs --count
wrong 2 'there is no such database' --at="${at%logs}nothing" --count
wrong 2 'the tables are not there' --at="${at%logs}default" --count
wrong 2 'only if it has made those' --at="$at" --cluster --count
wrong 2 'no such user' --at="${at/127/nobody@127}" --count
wrong 2 'a password is needed' --at="${at/127/keeper@127}" --count
echo wrong >password
wrong 2 'the password is not the right one' --at="${at/127/keeper@127}" --count --password-file=password
wrong 2 'No such file or directory: put it on the first line' --at="$at" --password-file=nothing --count
wrong 2 'the server has not memory enough' --at="${at/127/small@127}" --stats
wrong 2 'column 6: a value must be here' --at="$at" 'took>'
wrong 2 'not a regular expression' --at="$at" --grep='a('
wrong 2 'put it into quotes' --at="$at" took '>' 5
wrong 2 'did you mean --histogram' --at="$at" --histogramm=took
wrong 2 'no such style' --at="$at" -o lines
wrong 2 'there are no files to explain' --at="$at" -o explain
wrong 2 'is of whole logs' --at="$at" -o processes
wrong 2 'what is shown is not lines' --at="$at" -o chrome -n 3
wrong 2 'use * and ? in it' --at="$at" --host='[^a]*' --count
wrong 2 'not two builds' --at="$at" --diff=x,y
wrong 2 'no process of this build' --at="$at" --diff=0000,1111
wrong 2 'leave out --output' --at="$at" --diff=0000,1111 --stats
ask one "CREATE DATABASE strange"
ask one "CREATE TABLE strange.statements (id UInt64, format String) ENGINE = Memory"
wrong 2 'the tables have other columns' --at="${at%logs}strange" --count
# a server that gives up in the middle of an answer, whose status was good already
cat >gives_up.py <<'P'
import http.server, sys
class Answers(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        question = self.rfile.read(int(self.headers["Content-Length"]))
        answer = b"" if b"logs.statements" in question else bytes([1]) + bytes(7) if b"pid IN (7)" in question else \
            b"Code: 241, e.displayText() = DB::Exception: Memory limit exceeded, e.what() = DB::Exception\n"
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
    def log_message(self, *_):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Answers)
print(server.server_port, flush=True)
server.serve_forever()
P
python3 gives_up.py >port &
gives_up=$!
until_true test -s port
wrong 2 'the server has not memory enough' --at="clickhouse://127.0.0.1:$(cat port)/logs" --values=took
wrong 2 'the server has not memory enough' --at="clickhouse://127.0.0.1:$(cat port)/logs" --count
wrong 2 'the answer ends too early' --at="clickhouse://127.0.0.1:$(cat port)/logs" --count --pid=7
kill $gives_up
(until [ -s out ]; do sleep 0.05; done; clickhouse_kill one) &
"$query" --at="$at" -q -o csv >out 2>said
same "a server that dies meanwhile: status" 2 $?
same "and one sentence" 1 "$(wc -l <said)"
finish
