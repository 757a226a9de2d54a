/* deep N: prints a line from below N functions. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static int descend(int n)
{
	int result = n > 0 ? descend(n - 1) : printf("down here: %d\n", n);

	__asm__ volatile("" : "+r"(result));
	return result;
}

int main(int argc, char **argv)
{
	return descend(argc > 1 ? atoi(argv[1]) : 0) != 13;
}
