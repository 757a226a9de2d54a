/*
 * A library of several, alike but for WORD, FORMAT and NAME, which are equally
 * long in all: so different texts, or different functions, are at the same
 * addresses.
 */
#include <stdio.h>

static __attribute__((noinline)) void NAME(const char *text, int n)
{
	printf("from %s: %d\n", text, n);
	__asm__ volatile("");
}

void say(int n)
{
	static const char *const words[] = {WORD, "other"};

	printf(WORD " says %d\n", n);
	printf("%s: " FORMAT "\n", words[0], n, 3);
	printf("%s and %s\n", words[0], words[1]);
	puts(WORD);
	NAME(words[0], n);
}
