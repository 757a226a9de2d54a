#!/bin/bash
# --hex and --as: what was recorded, with another format.  What is compared with is a program that has been built with that one.
. tests/support/lib.sh
pack=$BUILD/binlog-pack
cat >"$TMP/says.c" <<'END_OF_C'
#include <limits.h>
#include <stdio.h>
#include <syslog.h>
#ifdef HEX
#define D "%#x"
#define WIDE "%#-10x|%#08x|%#.5x|%#hhx|%#hx|%#lx|%#llx|%#zx"
#define NUMBERED "%3$s has %1$#x of %2$#lx\n"
#define STAR "%#*x|\n"
#elif defined AS
#define D "%d"
#define WIDE "%-10d|%08i|%.5u|%hhd|%hu|%ld|%lld|%zu"
#define NUMBERED "name=%3$s all=%2$lu these=%1$06d\n"
#define STAR "%*d|\n"
#else
#define D "%d"
#define WIDE "%-10d|%08i|%+.5u|%hhd|%hu|%ld|%lld|%zu"
#define NUMBERED "%3$s has %1$d of %2$lu\n"
#define STAR "%*o|\n"
#endif
int main(void)
{
	static const int some[] = {0, 1, -1, 77, INT_MAX, INT_MIN, 4096, -70000};
	for (unsigned i = 0; i < sizeof some / sizeof *some; i++) {
		int n = some[i];
		printf("number " D "\n", n);
		printf(WIDE "\n", n, n, n, n, n, (long)n << 20, (long long)n, (size_t)n);
		printf(NUMBERED, n, (unsigned long)n, "it");
		printf(STAR, 12, n);
		printf("%s: %x %c %p %5.2f %% d\n", "text %d", n, 'a' + (n & 7), (void *)main == 0 ? NULL : (void *)0, n / 3.0);
	}
	return 0;
}
END_OF_C
for way in SAID HEX AS; do
	$CC -O1 -w -D$way -o "$TMP/$way" "$TMP/says.c" || exit 1
done
cd "$TMP" || exit 1
BINLOG_DIR=$TMP/d LD_PRELOAD=$lib ./SAID >"$TMP/out"
"$pack" -q "$TMP/d" -o "$TMP/log.blog"
for log in d log.blog; do
	./HEX >native
	"$show" -q --raw --hex "$log" >got
	same_file "$log: --hex" native got
	./AS | sed 's/^name=/number /' | sed 's/^number it/name=it/' | grep '^name=' >native
	"$show" -q --raw --as='* has *$lu => name=%3$s all=%2$lu these=%1$06d' "$log" | grep '^name=' >got
	same_file "$log: --as, with arguments in another order" native got
	"$show" -q --raw "$log" | grep -v ' has ' >native
	"$show" -q --raw --as='* has *$lu => name=%3$s all=%2$lu these=%1$06d' "$log" | grep -v '^name=' >got
	same_file "$log: and nothing else is another" native got
	"$show" -q --raw "$log" >native
	for other in '%s' '%d %d' '%ld' '%f' '%' '%1$d %d'; do
		"$show" -q --raw --as="number %d => $other" "$log" | cmp -s - native
		verdict $? "$log: not with other arguments: $other"
	done
	same "$log: one line and its newline" "$(./SAID | sed -n 's/^number \(.*\)/<\1>\t./p')" \
		"$("$show" -q --raw --as='number * => <%d>\t.' "$log" | grep '^<')"
	same "$log: both" "$(./HEX | sed -n 's/^number \(.*\)/<\1>/p')" "$("$show" -q --raw --hex --as='number %d\n => <%d>' "$log" | grep '^<')"
	same "$log: what is looked for is what is shown" "$(./HEX | grep -c 0xffffffff)" \
		"$("$show" -q --hex --grep=0xffffffff "$log" | wc -l)"
	./SAID >native
	"$show" -q --raw --as-written --hex "$log" >got
	same_file "$log: but what was written was what was said" native got
	same "$log: JSON has it as its text" "$(./HEX | grep -c '^number 0xffffffff')" \
		"$("$show" -q --hex -o json "$log" | grep -c '"message":"number 0xffffffff')"
done
"$show" --as='number %d' d >out 2>&1
same "no format to show it with" "2 binlog-show: --as=number %d: not two formats: give 'GLOB => FORMAT'" "$? $(cat out)"
finish
