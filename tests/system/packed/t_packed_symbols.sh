#!/bin/bash
# A log packed with its symbols is read alike where none of the files is: names of all frames, inlined and missing ones,
# authors and pointers.  The oracle is what is shown of the captures where the files are.
. tests/support/lib.sh
export BINLOG_CACHE= # answers of an earlier run would prove nothing
pack=$BUILD/binlog-pack
cat >"$TMP/said.c" <<'E2'
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <syslog.h>
#include <unistd.h>

static int table[8];

__attribute__((noinline, format(printf, 1, 2))) static void note(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vprintf(format, list);
	va_end(list);
}
static inline void inlined(int i)
{
	note("entry %d at %p, sorted by %p\n", i, (void *)&table[i], (void *)&qsort);
}
__attribute__((noinline)) static int jumps(const char *text)
{
	return puts(text);
}
static void *thread(void *closure)
{
	for (int i = 0; i < 3; i++)
		inlined(i);
	jumps(closure);
	return NULL;
}
int main(void)
{
	pthread_t other;

	pthread_create(&other, NULL, thread, "from a thread");
	pthread_join(other, NULL);
	if (fork() == 0)
		thread("from a child");
	else
		syslog(LOG_INFO, "of %p", (void *)&table);
	return 0;
}
E2
$CC -O2 -g -o "$TMP/said" "$TMP/said.c" -pthread || exit 1
recorded "$TMP/run" "$TMP/said"
"$pack" -q --with-symbols "$TMP/run/capture" -o "$TMP/with.blog"
verdict $? "captures are packed with symbols"
"$pack" -q "$TMP/run/capture" -o "$TMP/without.blog"

mkdir -p "$TMP/nothing" # where no file is found
shows() { # PATH [OPTION...]
	"$show" -q "${@:2}" "$1" 2>&1
}
for options in --stacks --location "--stacks --location --pointers" --pointers; do
	# shellcheck disable=SC2086 # words
	shows "$TMP/run/capture" $options >"$TMP/wanted"
	mv "$TMP/said" "$TMP/gone"
	# shellcheck disable=SC2086
	shows "$TMP/with.blog" --sysroot="$TMP/nothing" $options >"$TMP/got"
	# shellcheck disable=SC2086
	shows "$TMP/without.blog" --sysroot="$TMP/nothing" $options >"$TMP/bare"
	mv "$TMP/gone" "$TMP/said"
	same_file "$options: alike without the files" "$TMP/wanted" "$TMP/got"
	verdict $((! $(cmp -s "$TMP/wanted" "$TMP/bare"; echo $?))) "$options: not without symbols"
done
for name in inlined note jumps thread main 'table+0x4' said.c:; do
	verdict $(($(shows "$TMP/run/capture" --stacks --location --pointers | grep -cF "$name") == 0)) "$name is among them"
done
shows "$TMP/run/capture" --stacks >"$TMP/wanted"
"$pack" -q --plain --with-symbols "$TMP/run/capture" -o "$TMP/plain.blog"
mv "$TMP/said" "$TMP/gone"
shows "$TMP/plain.blog" --sysroot="$TMP/nothing" --stacks >"$TMP/got"
same_file "in plain frames, too" "$TMP/wanted" "$TMP/got"
cat "$TMP/without.blog" "$TMP/with.blog" | "$show" -q --sysroot="$TMP/nothing" --stacks - 2>/dev/null | tail -n "$(wc -l <"$TMP/wanted")" >"$TMP/got"
same_file "after another log, from a pipe" "$TMP/wanted" "$TMP/got"
exit $failed
