#!/bin/bash
# --diff: what came, went and changed from one run to another; nothing, if only addresses, lines, speed or the order
# between threads are others; and the first message of a thread that is another, as diff finds it.
. tests/support/lib.sh

cat >"$TMP/app.c" <<'END'
#ifdef SHIFTED
static int unused(int x) { return x * 3 + 1; }


#endif
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifndef EVERY
#define EVERY 10
#define BASE 0
#endif
static int mode;
static void one(int i) { printf("value %d\n", i); }
static void other(int i) { printf("value %d\n", i); }
static void *serve(void *name)
{
	pthread_setname_np(pthread_self(), name);
	for (int i = 0; i < 1000; i++) {
		printf("request %d of %d bytes\n", i, BASE + i % 10);
		if (i % EVERY == 0)
			printf("slow request %d\n", i);
		if (mode == 's' && i % 250 == 0)
			usleep(300000);
#ifdef OOPS
		if (i == 321 && strcmp(name, "beta") == 0)
			printf("oops %d\n", i);
#endif
	}
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t threads[2];
	mode = argc > 1 ? *argv[1] : 0;
	printf("this is %d\n", getpid());
	pthread_create(&threads[0], NULL, serve, "alpha");
	pthread_create(&threads[1], NULL, serve, "beta");
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
#ifdef OOPS
	for (int i = 0; i < 7; i++)
		printf("new feature %s\n", "\033[2J");
#else
	for (int i = 0; i < 5; i++)
		printf("old feature %d\n", i);
	for (int i = 0; i < 40; i++)
		one(i);
#endif
	for (int i = 0; i < 40; i++)
		other(i);
	return 0;
}
END
make_app() { # NAME OPTION...
	mkdir -p "$TMP/$1" && $CC -D_GNU_SOURCE -g -w -fno-optimize-sibling-calls -o "$TMP/$1/app" "$TMP/app.c" -pthread "${@:2}" || exit 1
}
record() { # NAME PROGRAM ARGUMENT...
	BINLOG_DIR=$TMP/$1 LD_PRELOAD=$lib "$TMP/$2/app" "${@:3}" || exit 1
}
make_app first -O0
make_app built_anew -O2 -DSHIFTED
make_app stripped -O1 && strip "$TMP/stripped/app"
make_app second -O1 -DOOPS -DEVERY=2 -DBASE=100
record a first
record b first
record anew built_anew
record slow first s
record nameless stripped
record new second
differ() { "$show" "$@" 2>&1; }
nothing() { # SENTENCE RUN RUN
	same "$1" "0 " "$(differ -q --diff "$TMP/$2" "$TMP/$3" >"$TMP/out"; echo $? "$(head -n 6 "$TMP/out")")"
}

# Nothing to say.
nothing "the same program twice: other addresses, other processes, another order of the threads" a b
nothing "built anew: other lines, other code" a anew
nothing "ten times as slow" a slow
nothing "stripped: the functions that call are not known" a nameless
"$BUILD/binlog-pack" "$TMP/b" -o "$TMP/b.blog" >/dev/null 2>&1
nothing "packed" a b.blog
said=$("$show" -q --raw "$TMP/a" | wc -l)
same "how much was compared" "messages: $said, then $said; places that say as much as before: 6" "$(differ --diff "$TMP/a" "$TMP/b")"
same "only of what is asked for" "messages: 200, then 200; places that say as much as before: 1" \
	"$(differ --diff -g slow "$TMP/a" "$TMP/b" | tail -n 1)"

# What came, went and changed.
"$show" -q --raw "$TMP/a" >"$TMP/a.text"
"$show" -q --raw "$TMP/new" >"$TMP/new.text"
count() { grep -c "$1" "$TMP/$2.text"; }
differ -q --diff "$TMP/a" "$TMP/new" >"$TMP/out"
rows() { sed -n "$1" "$TMP/out" | sed -E 's/ {2,}/|/g; s/^\|//'; }
lines=$(awk '/new feature|oops/ { print FNR ":" }' "$TMP/app.c" | paste -sd ' ')
same "what appeared, vanished and is more, the most first" "appeared|0|$(count 'new feature' new)|\"new feature %s\\n\"
appeared|0|$(count oops new)|\"oops %d\\n\"
vanished|$(count '^value' a | awk '{ print $1 / 2 }')|0|\"value %d\\n\"
vanished|$(count 'old feature' a)|0|\"old feature %d\\n\"
more|$(count 'slow' a)|$(count 'slow' new)|\"slow request %d\\n\"" \
	"$(rows '2,/^$/p' | grep -v '^$' | cut -d '|' -f 1,2,3,7)"
same "with file, line and function" "app.c:${lines##* } main
app.c:${lines%% *} serve" "$(rows '2,3p' | cut -d '|' -f 6)"
same "of one format in two functions the one that has gone" "one" \
	"$(rows '2,/^$/p' | grep '"value' | cut -d '|' -f 6 | sed 's/.*: //')"
same "arguments with other values, not the process's number" 'of|0|4.5|9|100|104.5|109|"request %d of %d bytes\n"' \
	"$(rows '/ARGUMENT/,/^$/p' | sed '1d;$d')"

# The first difference, as diff finds it in what each thread said by formats.
for run in a new; do
	"$show" -q --columns=thread,format "$TMP/$run" >"$TMP/$run.columns"
done
at=
for thread in alpha beta app; do
	grep "^$thread " "$TMP/a.columns" >"$TMP/one"
	grep "^$thread " "$TMP/new.columns" >"$TMP/two"
	at+="$thread $(($(cmp "$TMP/one" "$TMP/two" | sed 's/.*line //') - 1)) "
done
said=$(sed -n 's/^first difference: app, thread \([a-z]*\), after so many messages from the same places: \([0-9]*\)$/\1 \2/p' "$TMP/out")
same "the first difference is where diff finds it" "1 " "$(grep -c "$said " <<<"$at") ${at##*"$said "*}"
same "with the lines around it, of both" "  slow request 0
  request 1 of 1 bytes
  request 2 of 2 bytes
- request 3 of 3 bytes
- request 4 of 4 bytes
- request 5 of 5 bytes
+ slow request 2
+ request 3 of 103 bytes
+ request 4 of 104 bytes" "$(sed -n -E 's/^([-+ ] ).*\]: (.*)/\1\2/p' "$TMP/out")"
same "all three threads differ" "threads in both runs: 3, that differ: 3; in the first alone: 0, in the second alone: 0" \
	"$(grep '^threads' "$TMP/out")"
mkdir "$TMP/evil" && cp "$TMP/stripped/app" "$TMP/evil/"$'a\033[2Jpp'
BINLOG_DIR=$TMP/moved LD_PRELOAD=$lib "$TMP/evil/"$'a\033[2Jpp' || exit 1
same "nothing that would move the cursor" "0 0 5" "$(differ --diff "$TMP/a" "$TMP/new" | grep -c $'\033') $(
	differ --diff "$TMP/a" "$TMP/moved" | tee "$TMP/out" | grep -c $'\033') $(grep -c '^appeared.* a\\x1b\[2Jpp ' "$TMP/out")"
same "what differs is no error" 0 "$("$show" -q --diff "$TMP/a" "$TMP/new" >/dev/null 2>&1; echo $?)"
differ -q --diff "$TMP/new" "$TMP/a" >"$TMP/turned"
same "turned round: what appeared has vanished" "2 2 1" "$(grep -c '^appeared' "$TMP/turned") $(grep -c '^vanished' "$TMP/turned") $(grep -c '^less' "$TMP/turned")"

# What a person can get wrong.
refused() { # SENTENCE OPTION...
	"$show" -q "${@:2}" >"$TMP/got" 2>"$TMP/why"
	same "refused in one sentence: ${*:2}" "2 0 $1" "$? $(wc -c <"$TMP/got") $(sed "s|$TMP/||" "$TMP/why")"
}
cd "$TMP" || exit 1
refused "binlog-show: --diff: compares two runs: give the paths of both" --diff a
refused "binlog-show: --diff: compares two runs: give the paths of both" --diff a b new
refused "nothing: not opened: No such file or directory: check the path and its permissions" --diff a nothing
finish
