#!/bin/bash
# Of libraries that are loaded one after another at one and the same place, each message of a packed log has the names of
# the library that said it.  The oracle is the text: each library says its function's name.
. tests/support/lib.sh
export BINLOG_CACHE= # answers of an earlier run would prove nothing
cd "$TMP" || exit 1
cat >library.c <<'E2'
#include <stdio.h>
__attribute__((noinline)) void NAME(int turn)
{
	printf("%s in turn %d\n", __func__, turn);
}
void say(int turn)
{
	NAME(turn);
	__asm__ volatile(""); /* no jump */
}
E2
cat >loads.c <<'E2'
/* loads FILE LIBRARY...: loads each three times, in turn, and writes where its function was */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	FILE *places = fopen(argv[1], "w");

	for (int turn = 0; turn < 3; turn++)
		for (int i = 2; i < argc; i++) {
			void *library = dlopen(argv[i], RTLD_NOW);
			void (*say)(int);

			if (!library || !places)
				return 1;
			*(void **)&say = dlsym(library, "say");
			say(turn);
			fprintf(places, "%p\n", *(void **)&say);
			dlclose(library);
		}
	return 0;
}
E2
for name in first second third; do
	$CC -g -O1 -shared -fPIC -DNAME=${name}_library -o "./$name.so" library.c || exit 1
done
$CC -std=gnu11 -D_GNU_SOURCE -g -w -o loads loads.c -ldl || exit 1
LD_PRELOAD=$lib BINLOG_DIR=$TMP/capture ./loads places ./first.so ./second.so ./third.so >said
verdict $? "three libraries are loaded in turn"
if [ "$(sort -u places | wc -l)" != 1 ]; then
	skip "they were not at one place: $(sort -u places | paste -sd ' ')"
	finish
fi
# How often the innermost function is that of the text, and how often it is not.
right() {
	"$show" -q -S --stream=stdout "$1" 2>why | awk '
		/ in turn / { split($0, words, ": "); sub(/ .*/, "", words[2]); said = words[2] }
		$1 == "#0" { $2 == said ? right++ : wrong++ }
		END { print right + 0, wrong + 0 }'
}
"$BUILD/binlog-pack" -q -f -o log.blog capture
"$BUILD/binlog-pack" -q -f --with-symbols -o symbols.blog capture
same "of the capture each message has the names of its library" "9 0" "$(right capture)"
same "and so of the log" "9 0" "$(right log.blog)"
same "and so of a log with symbols" "9 0" "$(right symbols.blog)"
mkdir gone && mv ./*.so gone
same "which needs no library" "9 0" "$(right symbols.blog)"
finish
