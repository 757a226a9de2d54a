/* A program that prints a line, for startup. */
#include <stdio.h>

int main(void)
{
	puts("one line");
	return 0;
}
