#!/bin/bash
# Reading with binlog-show: lines around a pattern, filters by place and level,
# colours, the pager, lines below each other, and what shells complete.  What is
# compared with are grep, awk over the columns, wc and the shells themselves.
. tests/support/lib.sh
pack=$BUILD/binlog-pack
cd "$TMP" || exit 1
cat >talk.c <<'C'
#include <stdio.h>
#include <syslog.h>

static void serve(int i)
{
	printf("request %d took %d us\n", i, i * 37 % 100);
}

static void complain(int i)
{
	fprintf(stderr, i % 2 ? "error: request %d was slow\n" : "warning: request %d was slow\n", i);
}

int main(int argc, char **argv)
{
	openlog("talk", 0, LOG_DAEMON);
	for (int i = 0; i < 400; i++) {
		serve(i);
		if (i % 40 == 39)
			complain(i / 40);
		if (i % 90 == 7)
			syslog(i % 8, "level %d", i % 8);
	}
	printf("DEBUG: step\n");
	if (argc > 1)
		printf("DEBUG: two\nlines\n");
	printf("\033[31mred\033[0m \033]0;title\007 \302\233 1m\n");
	printf("<0>all is lost\n");
	fprintf(stderr, "error: \033[31mred\033[0m \033]0;title\007 \302\233 1m\n");
	printf("NOTICE: look\n");
	return 0;
}
C
$CC -g -O0 -w -D_GNU_SOURCE -o talk talk.c || exit 1
LD_PRELOAD=$lib BINLOG_DIR=capture ./talk >/dev/null 2>&1
"$pack" -q -o log.blog capture
"$show" -q --raw capture >raw
"$show" -q capture >lines
LD_PRELOAD=$lib BINLOG_DIR=two ./talk more >/dev/null 2>&1

# ---- --around: grep -C ----
for from in capture log.blog; do
	for pattern in 'request 7 ' 'took 3[0-9]' slow 'nothing like it' 'request (0|399) ' step; do
		for context in 0 1 3 20 500; do
			# A pattern without capital letters is found in all.
			grep -aiE -C "$context" -e "$pattern" raw >wanted
			"$show" -q --raw --around="$pattern" --context="$context" "$from" >got
			cmp -s wanted got || echo "$pattern with $context"
		done
	done >differences
	same "$from: --around is what grep -C shows, patterns alone, overlapping and at both ends" "" "$(cat differences)"
done
same "--around shows 50 lines before and after" "$(grep -a -C 50 'request 200 ' raw)" \
	"$("$show" -q --raw --around='request 200 ' capture)"
same "it looks at texts, not at what is before them" "0" "$("$show" -q --around=stdout --context=1 capture | wc -l)"
same "lines that are shown have all that is before them" \
	"$(grep -a -C 2 'request 77 ' lines)" "$("$show" -q --around='request 77 ' -C 2 capture)"
same "with --lines the last of them" "$(grep -aE -C 1 'slow$' raw | tail -n 5)" \
	"$("$show" -q --raw --around='slow$' -C 1 --lines=5 capture)"
same "with --reverse the newest first" "$(grep -aE -C 1 'slow$' raw | tac)" \
	"$("$show" -q --raw --around='slow$' -C 1 --reverse capture)"
same "only among those that other options choose" "$(grep -a took raw | grep -a -C 1 'request 99 ')" \
	"$("$show" -q --raw --format='request*' --around='request 99 ' -C 1 capture)"

# ---- filters by place and level: awk over the columns ----
of() { "$show" -q --raw "$@"; }
column() { # NAME
	"$show" -q --columns="$1,message" capture
}
level_awk='BEGIN { split("emerg alert crit err warning notice info debug", names, " ")
	for (i in names) number[names[i]] = i - 1 }'
for from in capture log.blog; do
	same "$from: --caller chooses by the function of the program" \
		"$(column caller | awk '$1 == "complain"')" \
		"$("$show" -q --columns=caller,message --caller='compl*' "$from")"
	same "$from: several add up" "$(column caller | awk '$1 == "complain" || $1 == "serve"')" \
		"$("$show" -q --columns=caller,message --caller=complain --caller=serve "$from")"
	line=$(grep -n 'was slow' "$TMP/talk.c" | cut -d : -f 1)
	same "$from: --file=GLOB:LINE chooses by the line" "$(grep -a slow raw)" "$(of --file="talk.c:$line" "$from")"
	same "$from: --file=GLOB by the file alone" "$(wc -l <raw)" "$(of --file='*alk.c' "$from" | wc -l)"
	same "$from: a path is looked for from its end on" "$(wc -l <raw)" \
		"$(of --file="${TMP##*/}/talk.c" "$from" | wc -l)"
	same "$from: nothing is said elsewhere" "" "$(of --file="talk.c:$((line + 1))" "$from"; of --file=alk.c "$from")"
	same "$from: --module chooses by the program or library" "$(wc -l <raw) 0" \
		"$(of --module='ta*' "$from" | wc -l) $(of --module='lib*' "$from" | wc -l)"
	for level in err 4 notice 6 debug; do
		column level | awk -v level="$level" "$level_awk"'
			{ shown = $1 in number ? number[$1] <= (level in number ? number[level] : level) : shown } shown' >wanted
		"$show" -q --columns=level,message -p "$level" "$from" | cmp -s wanted - || echo "$level"
	done >differences
	same "$from: --priority chooses by the level of each message, of syslog or not" "" "$(cat differences)"
done
same "filters go together" "$(grep -a 'error: .* slow' raw)" "$(of --caller=complain -p err capture)"

for from in capture log.blog; do
	same "$from: a mistyped argument in --where is told, with the one that was meant" \
		'--where: no message has an argument "tok": did you mean took?' \
		"$("$show" -q --where='tok > 3 && request >= 0' "$from" 2>&1)"
	same "$from: one that is there is not" "" "$("$show" -q --where='took == 1000 || arg1 < 0' "$from" 2>&1)"
done

# ---- on a terminal ----
on_terminal() { # COMMAND...: what it has written there, without the terminal's own \r
	local words=
	printf -v words '%q ' "$@"
	TERM=xterm script -qec "$words" /dev/null </dev/null | tr -d '\r'
	return "${PIPESTATUS[0]}"
}
escape=$'\033'
unset NO_COLOR PAGER LESS
shades() { # WORDS: the sequences around the text that has them
	sed -n "s/$escape/E/g; /$1/{s/.*: \(E\[[0-9;]*m\).*\(E\[0m\).*/\1 \2/p;q}"
}
on_terminal "$show" -q --no-pager --width=0 capture >terminal
same "errors are red, worse ones too" "E[1;31m E[0m E[1;31m E[0m" \
	"$(shades 'error: request' <terminal) $(shades 'all is lost' <terminal)"
same "warnings are yellow, notices bold, debugging dim" "E[1;33m E[0m E[1m E[0m E[2m E[0m" \
	"$(shades 'warning: request' <terminal) $(shades look <terminal) $(shades 'DEBUG' <terminal)"
same "what is neither has no colour" "$(grep took lines)" "$(grep took terminal)"
same "each line of several has its own" "E[2mlinesE[0m" \
	"$("$show" -q --color=always two | sed -n "s/$escape/E/g; s/^ *\(.*lines.*\)/\1/p")"
plain() { sed "s/$escape\[\(0\|1\|2\|1;3[13]\)m//g" "$@"; }
same "without ours there are no sequences left: those of programs come escaped" \
	"$(cat lines)" "$(plain terminal)"
same "in columns too" "$("$show" -q --columns=level,message,pid capture)" \
	"$("$show" -q --columns=level,message,pid --color=always capture | plain)"
for how in 'env NO_COLOR=1' 'env TERM=dumb'; do
	# shellcheck disable=SC2086
	same "with ${how#env } there are no colours" "$(cat lines)" "$(on_terminal $how "$show" -q --no-pager --width=0 capture)"
done
same "nor with --color=never" "$(cat lines)" "$(on_terminal "$show" -q --no-pager --width=0 --color=never capture)"
same "nor elsewhere than on a terminal" "$(cat lines)" "$("$show" -q capture)"
same "--color=always has them all the same" "$(cat terminal)" "$(NO_COLOR=1 "$show" -q --color=always capture)"

cat >pager <<'SH'
#!/bin/sh
echo "$LESS" >less
if [ -n "$LINES_READ" ]; then head -n "$LINES_READ" >paged; else cat >paged; fi
echo "the pager has ended"
SH
chmod +x pager
same "a pager gets it" "the pager has ended" "$(BINLOG_PAGER=./pager on_terminal "$show" -q --width=0 capture)"
same "with colours, since a terminal is behind it" "$(cat terminal)" "$(cat paged)"
same "as less it ends by itself and shows colours" FRSXMK "$(cat less)"
same "what is left over is said when it has ended" "the pager has ended
$(wc -l <raw) recorded" "$(BINLOG_PAGER=./pager on_terminal "$show" capture |
	awk '/recorded/ { print $1 + 1 - 1, $2; next } 1' | sed 's/,$//')"
PAGER=./pager on_terminal "$show" -q --width=0 log.blog >/dev/null
same "PAGER does if BINLOG_PAGER is not set" "$(cat terminal)" "$(cat paged)"
BINLOG_PAGER=./pager LINES_READ=2 on_terminal "$show" -q capture >said
same "one that ends early is no failure" "0 2 the pager has ended" "$? $(wc -l <paged) $(cat said)"
mkfifo endless
sleep 30 >endless & sleeper=$!
TERM=xterm BINLOG_PAGER='exit 0' timeout 10 script -qec "$show -q --reverse - <endless" /dev/null </dev/null >said
same "also while nothing is shown yet" "0 0" "$? $(wc -c <said)"
kill "$sleeper"
BINLOG_PAGER=./not_there on_terminal "$show" -q capture >said
same "one that is not there is told" "2 1" "$? $(grep -c 'not_there.*not found' said)"
cp -r capture damaged
printf 'damage' | dd of="$(echo damaged/*)" bs=1 seek=5000 conv=notrunc 2>/dev/null
"$show" -q damaged >/dev/null 2>&1
status=$?
BINLOG_PAGER=./pager on_terminal "$show" -q damaged >/dev/null
same "the exit status is that of reading" "$status" "$?"
rm -f paged
for how in --no-pager --follow; do
	LINES_READ=1 BINLOG_PAGER=./pager on_terminal timeout -s INT 0.5 "$show" -q "$how" capture >/dev/null
done
BINLOG_PAGER='' on_terminal "$show" -q capture >/dev/null
BINLOG_PAGER=./pager "$show" -q capture >/dev/null
BINLOG_PAGER=./pager on_terminal "$show" -q --output=help >/dev/null
[ ! -e paged ]
verdict $? "none with --no-pager, with --follow, when it is empty, and elsewhere than on a terminal"
BINLOG_PAGER=./pager on_terminal "$show" -q --stacks --width=0 capture >/dev/null
same "names are looked up beside it" "$("$show" -q --stacks --color=always capture | cksum)" "$(cksum <paged)"
same "on a terminal there is no progress of what is done at once" "0" \
	"$(on_terminal "$show" -q capture --to=copied | grep -c '#')"

if [ -n "${LONG:-}" ]; then
	$CC -O2 -w -o many -x c - <<<'#include <stdio.h>
	int main() { for (int i = 0; i < 8000000; i++) printf("request %d took %d us\n", i, i % 1000); }' || exit 1
	LD_PRELOAD=$lib BINLOG_DIR=many.d ./many >/dev/null
	TERM=xterm script -qec "$show -q --grep='took.*99.us' many.d >matches" progress </dev/null >/dev/null
	grep -q '##*  *\]  *[0-9]* % of' progress
	verdict $? "on a terminal there is progress of what takes long" "$(head -c 300 progress)"
	[ "$(tail -n +2 progress | tr -d '\r' | sed "s/.*$escape\[K//" | grep -c '#')" -eq 0 ]
	verdict $? "and it is taken away" "$(tail -c 300 progress)"
	same "nothing of it is elsewhere" "" "$("$show" -q --grep='took.*99.us' many.d 2>&1 >matches)"
	rm -r many.d
fi

# ---- wide characters ----
cp talk '日本ab'
printf '#include <stdio.h>\nint main() { printf("eins\\nzwei\\n"); return 0; }\n' >wide.c
$CC -g -w -o '日本é' wide.c || exit 1
LD_PRELOAD=$lib BINLOG_DIR=wide ./日本é >/dev/null 2>&1
"$show" -q wide >got
same "the second line begins below the first, as wc measures it" \
	"$(sed -n '1s/eins$//p' got | wc -L)" "$(sed -n '2s/zwei$//p' got | awk '{ print length }')"
LD_PRELOAD=$lib BINLOG_DIR=wide ./talk >/dev/null 2>&1
"$show" -q --columns=program,message wide >got
same "and columns are as wide as they look" 12 "$(sed -n 's/ eins$//p' got | wc -L)"

# ---- what shells complete ----
completed() { # COMMAND WORD...: with the cursor at the end of the last one
	(
		# shellcheck disable=SC1090
		. "$BUILD/completions/bash/$1" || exit 1
		COMP_WORDS=("$@")
		COMP_CWORD=$(($# - 1))
		"$(complete -p "$1" | sed 's/.*-F \([^ ]*\).*/\1/')" "$1" "${!#}" "${*: -2:1}"
		echo "${COMPREPLY[*]}"
	)
}
same "bash: options by their beginning" "--grep=" "$(completed binlog-show --gre)"
same "bash: styles" "$(sed -n 's/^STYLE(\(l[a-z]*\),.*/\1/p' "$here/../decoder/output/styles.def" | paste -sd ' ')" \
	"$(completed binlog-show --output = l)"
same "bash: styles after the letter, all of them" "$(sed -n 's/^STYLE(\([a-z]*\),.*/\1/p' "$here/../decoder/output/styles.def" | paste -sd ' ')" \
	"$(completed binlog-show -o '')"
same "bash: columns, in a list" "time,pid,module time,pid,message" "$(completed binlog-show --columns = time,pid,m)"
same "bash: levels" "err emerg" "$(completed binlog-show -p e | tr ' ' '\n' | sort -r | paste -sd ' ')"
same "bash: when" "always auto" "$(completed binlog-show --color = a | tr ' ' '\n' | sort | paste -sd ' ')"
same "bash: words of binlog-ctl" "rules rule reload rotate" "$(completed binlog-ctl r)"
mkdir shells && cd shells || exit 1
mkdir built
cat >code.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void hello(int n) { printf("hello %d times, size=%d\n", n, 3 * n); }
int main(void) { hello(1); printf("over: %s", "\n"); fflush(stdout); if (getenv("WAIT")) sleep(100); return 0; }
C
$CC -g -O0 -w -o built/said code.c || exit 1
LD_PRELOAD=$lib built/said >/dev/null
LD_PRELOAD=$lib WAIT=1 built/said >/dev/null &
waiting=$!
for _ in $(seq 500); do [ "$(echo binlog.data/said-$waiting-*)" = "binlog.data/said-$waiting-*" ] || break; sleep 0.01; done
ended=$(echo binlog.data/* | tr ' ' '\n' | sed -n 's/.*said-\([0-9]*\)-.*/\1/p' | grep -v "^$waiting$")
PATH=$BUILD:$PATH
same "bash: programs that were recorded" "said said" "$(completed binlog-show sa | xargs)"
same "bash: files, too" "code.c" "$(completed binlog-show co)"
same "bash: processes that run" "$waiting" "$(completed binlog-ctl "${waiting:0:1}" | tr ' ' '\n' | grep -xE "$waiting|$ended")"
same "bash: processes that were recorded" "$(printf '%s\n' $waiting $ended | LC_ALL=C sort | paste -sd ' ')" "$(completed binlog-show --pid '')"
same "bash: statements" 'hello\ %d\ times\,\ size=%d\*' "$(completed binlog-show --format = he)"
same "bash: what is so completed chooses them" 2 \
	"$(eval "binlog-show -q --count --format=$(completed binlog-show --format = he)")"
same "bash: functions of the program" "hello main" "$(completed binlog-show --caller '')"
same "bash: places" "code.c:$(grep -n 'hello(int' code.c | cut -d : -f 1)" "$(completed binlog-show --file = code.c:4)"
same "bash: names of arguments" "size" "$(completed binlog-show --values = s)"
cd ..
for tool in run pack symbolize top ctl show; do
	for option in $({ "$BUILD/binlog-$tool" --help=all 2>/dev/null || "$BUILD/binlog-$tool" --help; } | sed -nE 's/^ *(-.,)? *(--[a-z-]+).*/\2/p'); do
		completed "binlog-$tool" "$option" | grep -qE -- "$option(=| |$)" || echo "binlog-$tool $option"
	done
done >differences
same "bash: every option that --help names, of every tool" "" "$(cat differences)"
if type zsh >/dev/null 2>&1; then
	cat >ask.zsh <<'Z'
zmodload zsh/zpty
zpty shell zsh -f -i
answer() { zpty -r -m shell text "*$1*" }
zpty -w shell "PS1='ready>'; fpath=($BUILD/completions/zsh \$fpath); autoload -Uz compinit; compinit -u -d $TMP/dump"
zpty -w shell 'say() { print -r -- "<$BUFFER>" >answer }; zle -N say; bindkey "^X" say; print be''gun'
answer begun
zpty -w -n shell "$1"$'\t\C-x'
for ((i = 0; i < 500; i++)); do [[ -s answer ]] && break; sleep 0.01; done
Z
	by_zsh() { # LINE: as it is when it was completed
		rm -f answer
		timeout 20 zsh -f ask.zsh "$1" >/dev/null 2>&1
		cat answer
	}
	same "zsh: an option" "<binlog-show --as-written >" "$(by_zsh 'binlog-show --as-w')"
	same "zsh: a style" "<binlog-show --output=processes >" "$(by_zsh 'binlog-show --output=pro')"
	same "zsh: a program that was recorded" "<binlog-show said >" "$(cd shells && cp ../ask.zsh . && by_zsh 'binlog-show sai')"
	same "zsh: a process that runs" "<binlog-ctl $waiting >" "$(cd shells && by_zsh "binlog-ctl ${waiting%?}")"
	same "zsh: a statement" "<binlog-show --format=hello\\ %d\\ times,\\ size=%d\\* >" "$(cd shells && by_zsh 'binlog-show --format=hel')"
	same "zsh: the name of an argument" "<binlog-show --values=size >" "$(cd shells && by_zsh 'binlog-show --values=si')"
	same "zsh: a word of binlog-ctl" "<binlog-ctl snapshot >" "$(by_zsh 'binlog-ctl snap')"
else
	skip "zsh: it is not installed"
fi
kill $waiting
finish
