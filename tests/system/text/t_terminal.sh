#!/bin/bash
# Text for a terminal is recorded in place of being shown, but a person can still
# work with the program: prompts, progress and full screens appear, whole lines
# do not, and every byte is recorded once.
. tests/support/lib.sh
unset PYTHONUNBUFFERED
build person -lutil
build prompts
build readers
newline='
'

# A command on a terminal, before a person who answers what appears there:
#   DIR.screen  what it has shown     DIR.answers  what the program has got
#   DIR.status  how it ended
meet() { # DIR [EXPECT ANSWER]... -- COMMAND...
	mkdir -p "$1"
	(cd "$1" && exec env TERM=xterm PS1='$ ' INPUTRC=/dev/null \
		"$TMP/person" "${@:2}") >"$1.seen" 9>"$1.answers" 2>"$1.why" </dev/null
	echo "$?" >"$1.status"
	tr -d '\r' <"$1.seen" >"$1.screen"
}
natively_met() { rm -rf "$TMP"/native*; meet "$TMP/native" "$@"; }
recorded_met() { # BINLOG_... variables are the caller's
	local words=()
	while [ "$1" != -- ]; do words+=("$1"); shift; done
	rm -rf "$TMP"/got*
	meet "$TMP/got" "${words[@]}" -- env LD_PRELOAD="$lib" BINLOG_DIR="$TMP/capture" "${@:2}"
}

# The person's part of what has been said is not recorded, and has no place in
# what is compared: the screen of a native run without what was typed.
untyped() { # FILE [EXPECT ANSWER]... --
	local text file=$1
	text=$(cat "$file"; echo .)
	shift
	while [ "$1" != -- ]; do
		text=${text/"$1${2}"/"$1"}
		shift 2
	done
	printf '%s' "${text%.}"
}

# What shows is $shown; answers and status are the native ones, and what is
# recorded is all that the native screen has but the answers.
talk() { # SENTENCE SHOWN [EXPECT ANSWER]... -- COMMAND...
	local why=
	rm -rf "$TMP/capture"
	natively_met "${@:3}"
	recorded_met "${@:3}"
	why+=$(cat "$TMP/native.why" "$TMP/got.why")
	why+=$(diff <(printf '%s' "$2") "$TMP/got.screen" | cat -v)
	why+=$(diff -a "$TMP/native.answers" "$TMP/got.answers")
	why+=$(diff "$TMP/native.status" "$TMP/got.status")
	verdict ${#why} "$1: what has to be seen is seen, and nothing else" "$why"
	"$show" --raw -q "$TMP/capture" 2>&1 | tr -d '\r' >"$TMP/decoded"
	same "$1: all is recorded, once" \
		"$(untyped "$TMP/native.screen" "${@:3}")" "$(cat "$TMP/decoded")"
}

talk "printf and fgets" "name? bob${newline}town? Ulm$newline" \
	"name? " "bob$newline" "town? " "Ulm$newline" -- "$TMP/prompts" fgets
talk "a text with lines before the prompt" "name? bob$newline" \
	"name? " "bob$newline" -- "$TMP/prompts" literal
talk "getline and getdelim" "name? bob${newline}town? Ulm$newline" \
	"name? " "bob$newline" "town? " "Ulm$newline" -- "$TMP/prompts" getline
talk "scanf, with a newline left over" "name? bob${newline}number? 41${newline}last? z$newline" \
	"name? " "bob$newline" "number? " "41$newline" "last? " "z$newline" -- "$TMP/prompts" scanf
talk "putchar and getchar, and their macros" "n? bob${newline}m? z$newline" \
	"n? " "bob$newline" "m? " "z$newline" -- "$TMP/prompts" characters
talk "fread" "three? ab$newline" "three? " "ab$newline" -- "$TMP/prompts" fread
talk "pieces" "your name? bob${newline}on stderr? x$newline" \
	"name? " "bob$newline" "stderr? " "x$newline" -- "$TMP/prompts" pieces
talk "wide characters" "name? bob${newline}number? 41${newline}again? 12$newline" \
	"name? " "bob$newline" "number? " "41$newline" "again? " "12$newline" -- "$TMP/prompts" wide
for kind in narrow wide; do
	asked=() shown=
	for name in $("$TMP/readers" names $kind); do
		asked+=("$name? " "abc$newline")
		shown+="$name? abc$newline"
	done
	talk "each function that reads, $kind" "$shown" "${asked[@]}" -- "$TMP/readers" $kind
done
talk "progress: a line that was begun is ended" \
	"$(printf '  0%% 50%%100%% done\nwait...failed: No such file or directory')$newline" \
	-- "$TMP/prompts" progress
talk "what is left at exit" "and an unfinished" -- "$TMP/prompts" exit
talk "escape sequences do not begin a line" "$(printf '\033[0m\033]0;title\a\033[31mred? x')$newline" \
	"red? " "x$newline" -- "$TMP/prompts" colours
talk "full buffers are not prompts" "" -- "$TMP/prompts" blocks
talk "a prompt by write" "name? bob${newline}age? 12$newline" \
	"name? " "bob$newline" "age? " "12$newline" -- "$TMP/prompts" write
talk "stderr" "sure (y/n)? y${newline}really? n$newline" \
	"sure (y/n)? " "y$newline" "really? " "n$newline" -- "$TMP/prompts" stderr
long=$(printf '%01022d? ' 0 | tr 0 x)
talk "a long line" "${long}bob$newline" "x? " "bob$newline" -- "$TMP/prompts" long

# A password is not echoed, and neither is the end of its line.
recorded_met "user? " "me$newline" "password: " "secret$newline" "once more: " "again$newline" \
	-- "$TMP/prompts" password
same "passwords: prompts, and the ends of their lines" \
	"user? me${newline}password: ${newline}once more: " "$(cat "$TMP/got.screen")"
same "passwords: typed" "<me> <secret> <again>" "$(paste -sd' ' "$TMP/got.answers")"

# Natively it would not be seen; nothing is lost if it is.
recorded_met "town? " "Ulm$newline" -- "$TMP/prompts" read
same "text that waits while read waits is shown" "town? Ulm" "$(cat "$TMP/got.screen")"

recorded_met "press a key" q -- "$TMP/prompts" raw
same "without line editing everything is shown, and before and after it no lines" \
	"$(printf '\033[2J\033[1;1Htitle\nline 2\nputs\npress a key')" "$(cat "$TMP/got.screen")"

# ---- the modes ----
BINLOG_STREAMS=all=tee recorded_met "name? " "bob$newline" "town? " "Ulm$newline" -- "$TMP/prompts" fgets
natively_met "name? " "bob$newline" "town? " "Ulm$newline" -- "$TMP/prompts" fgets
same_file "all=tee: the screen is the native one" "$TMP/native.screen" "$TMP/got.screen"
BINLOG_STREAMS=stdout=pass,stderr=replace recorded_met "(y/n)? " "y$newline" "really? " "n$newline" \
	-- "$TMP/prompts" stderr
same "stdout=pass,stderr=replace: each as it is asked for" \
	"$(printf 'hello, this is stderr\nsure (y/n)? y\nthank you, y\nreally? n\nthank you, n')" \
	"$(cat "$TMP/got.screen")"
rm -rf "$TMP/capture"
LD_PRELOAD=$lib BINLOG_DIR=$TMP/capture "$TMP/prompts" exit >"$TMP/file" 2>&1 9>&1
same "a file shows no prompts" "" "$(cat "$TMP/file")"

# ---- real programs ----
session() { # SENTENCE SHOWN [EXPECT ANSWER]... -- COMMAND...
	if ! command -v "$(program "${@:3}")" >/dev/null; then
		skip "$1: there is no $(program "${@:3}")"
		return
	fi
	recorded_met "${@:3}"
	same "$1" "$2${newline}status 0" "$(cat "$TMP/got.why" "$TMP/got.screen")${newline}status $(cat "$TMP/got.status")"
}
program() { while [ "$1" != -- ]; do shift; done; echo "$2"; }
session "bash: read -p, and prompts of a builtin and a command" \
	"name? bob${newline}age? 7${newline}town? Ulm" \
	"name? " "bob$newline" "age? " "7$newline" "town? " "Ulm$newline" -- bash -c \
	'echo hidden; read -p "name? " x; echo "hi $x"; printf "age? "; read x; echo "$x"
	/usr/bin/printf "town? "; read x; echo hidden'
session "sh: a password" "word: ${newline}name? x" "word: " "secret$newline" "name? " "x$newline" -- sh -c \
	'stty -echo; printf "word: "; read x; stty echo; echo; echo hidden; printf "name? "; read x'
touch "$TMP/file"
session "rm -i" "rm: remove regular empty file '$TMP/file'? y" "? " "y$newline" -- rm -i "$TMP/file"
same "rm -i: was answered" "" "$(ls "$TMP/file" 2>/dev/null)"
session "python: input()" "name? bob${newline}more? z" "name? " "bob$newline" "more? " "z$newline" \
	-- python3 -c 'print("hidden"); print(input("name? ")); print("more? ", end=""); input(); print("hidden")'
session "python: getpass" "Password: ${newline}name? x" "word: " "secret$newline" "name? " "x$newline" \
	-- python3 -c 'import getpass; print(getpass.getpass()); input("name? ")'

screen_has() { # SENTENCE TEXT...: all of them, in this order
	local rest sentence=$1 text
	rest=$(cat "$TMP/got.screen")
	shift
	for text; do
		[[ $rest == *"$text"* ]] || { not_ok "$sentence" "not on the screen: $text"; return; }
		rest=${rest#*"$text"}
	done
	ok "$sentence"
}
recorded_met '$ ' "echo a\"\"b$newline" '$ ' "exit 3$newline" -- bash --norc --noprofile -i
screen_has "bash with line editing: prompts and what is typed" '$ echo a""b' '$ exit 3'
same "bash with line editing: no output of commands" "" "$(grep '^ab' "$TMP/got.screen")"
same "bash with line editing: ends as told" 3 "$(cat "$TMP/got.status")"
if command -v less >/dev/null; then
	seq 100 >"$TMP/lines"
	recorded_met "lines" " " ":" q -- env LESS= less "$TMP/lines"
	screen_has "less: whole screens" 1 2 22 23 lines 24 45 46
fi
if command -v gdb >/dev/null; then
	recorded_met "(gdb) " "print 20+3$newline" "(gdb) " "quit$newline" -- gdb -q -nx
	screen_has "gdb: prompts" "(gdb) " "(gdb) "
fi

# ---- what a read flushes ----
# Line-buffered stdout, and stdin unbuffered: libc writes what stdout holds back
# before it reads, so it comes before what write(2) says.
cat >"$TMP/order.c" <<'end'
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>
int main(int argc, char **argv)
{
	char to[9];
	wchar_t wide[9];
	int n;
	setvbuf(stdin, NULL, strchr(argv[2], 'u') ? _IONBF : _IOFBF, strchr(argv[2], 'u') ? 0 : 100);
	setvbuf(stdout, NULL, strchr(argv[2], 'l') ? _IOLBF : _IOFBF, 100);
	for (int i = 0; i < 3; i++) {
		if (argv[1][0] != 'm')
			fputs("held", stdout);
		switch (argv[1][0]) {
		case 'c': getchar(); break;
		case 'g': fgets(to, 4, stdin); break;
		case 'f': fread(to, 1, 2, stdin); break;
		case 's': scanf("%d", &n); break;
		case 'r': read(0, to, 1); break;
		case 'm': putc_unlocked('m', stdout); getchar(); break;
		}
		write(1, "W", 1);
	}
	return 0;
}
end
$CC -O1 -w -o "$TMP/order" "$TMP/order.c" || exit 1
why=
for how in c g f s r m; do
	for modes in ul u l none; do
		rm -rf "$TMP/capture"
		printf '1 2 3 4 5 6\n7 8\n' | "$TMP/order" $how $modes >"$TMP/written"
		printf '1 2 3 4 5 6\n7 8\n' | LD_PRELOAD=$lib BINLOG_DIR=$TMP/capture "$TMP/order" $how $modes >"$TMP/real"
		"$show" --raw --as-written -q --stream=stdout "$TMP/capture" >>"$TMP/real" 2>&1
		cmp -s "$TMP/written" "$TMP/real" ||
			why+="$how $modes: $(cat "$TMP/written") but $(cat "$TMP/real")$newline"
	done
done
verdict ${#why} "--as-written: reading flushes what it flushes natively" "$why"
# ---- a FILE that was on a terminal ----
build off_terminal
for how in none plain flushed "plain close" "flushed close" "plain close_range"; do
	for file in pass tee replace; do
		rm -f "$TMP/off"
		# shellcheck disable=SC2086
		natively_met -- "$TMP/off_terminal" "$TMP/off" $how
		cp "$TMP/off" "$TMP/off.native"
		rm -rf "$TMP/off" "$TMP/capture"
		# shellcheck disable=SC2086
		BINLOG_STREAMS=file:$TMP/off=$file recorded_met -- "$TMP/off_terminal" "$TMP/off" $how
		if [ $file != pass ]; then
			"$show" --raw --as-written -q "$TMP/capture" | sed '/^first$/d' >"$TMP/off.shown"
			same_file "$how: what was on a terminal keeps its lines in a file ($file), recorded" "$TMP/off.native" "$TMP/off.shown"
		fi
		[ $file != replace ] || : >"$TMP/off.native"
		same_file "$how: what was on a terminal keeps its lines in a file ($file)" "$TMP/off.native" "$TMP/off"
	done
done
recorded_met -- "$TMP/off_terminal" "$TMP/off" freed
same "The memory of a FILE that had another number is the program's once it is closed" 0 "$(cat "$TMP/off")"
finish
