/*
 * A FILE whose descriptor is a terminal at first, and then a file, which is also
 * written to directly: FILE HOW, of none, plain and flushed, what is printed
 * before.  "freed": what is in the memory of one that was given another number
 * before it was closed, once the old one is closed, too.
 */
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void freed(int fd)
{
	int old = dup(1);
	FILE *file = fdopen(old, "w");
	size_t size = malloc_usable_size(file);
	unsigned *memory;

	fprintf(file, "first\n");
	file->_fileno = dup(1);
	fclose(file);
	memory = memset(malloc(size), 0, size);
	close(old);
	dprintf(fd, "%x\n", *memory);
}

int main(int argc, char **argv)
{
	int fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644);

	if (strcmp(argv[2], "freed") == 0) {
		freed(fd);
		return 0;
	}
	if (strcmp(argv[2], "none") != 0)
		printf("first\n");
	if (strcmp(argv[2], "flushed") == 0)
		fflush(stdout);
	if (argc > 3) {
		if (strcmp(argv[3], "close") == 0)
			close(1);
		else
			close_range(1, 1, 0);
		dup(fd);
	} else {
		dup2(fd, 1);
	}
	printf("line 1\n");
	write(fd, "written 1\n", 10);
	printf("line 2\npart");
	write(fd, "written 2\n", 10);
	dprintf(1, "direct\n");
	printf(" rest\n");
	write(1, "written 3\n", 10);
	return 0;
}
