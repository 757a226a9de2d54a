/*
 * limits BYTES: says something, limits the size of files that may be written,
 * says much, and ends with 3.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

int main(int argc, char **argv)
{
	struct rlimit size = {
		argc > 1 ? strtoul(argv[1], NULL, 10) : 0, RLIM_INFINITY};

	printf("before\n");
	setrlimit(RLIMIT_FSIZE, &size);
	for (int i = 0; i < 50000; i++)
		printf("line %d after %s\n", i, "the limit");
	return 3;
}
