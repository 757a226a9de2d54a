/* What order.c needs: prints when it is loaded, called and unloaded. */
#include <stdio.h>

void order_library(void)
{
	printf("in the library\n");
}

__attribute__((constructor)) static void construct(void)
{
	puts("constructor of the library");
	fprintf(stderr, "%s on stderr\n", "constructor of the library");
}

__attribute__((destructor)) static void destroy(void)
{
	printf("destructor of the library, %d\n", 1);
	fflush(stdout);
}
