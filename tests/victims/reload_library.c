/* A library of two, alike but for WORD, which is equally long in both. */
#include <stdio.h>

void say(int n)
{
	static const char *const words[] = {WORD, "other"};

	printf(WORD " says %d\n", n);
	printf("%s: " FORMAT "\n", words[0], n, 3);
	puts(WORD);
}
