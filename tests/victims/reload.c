/*
 * reload CYCLES LIBRARY...: loads and unloads the libraries in turn, which come
 * to lie at the same address with other texts in the same places.  Descriptor
 * 9 gets how often they did, and what the process has more of its own memory than
 * after the first hundred cycles, in KiB.
 */
#include <dlfcn.h>
#include <iconv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long resident(void)
{
	long pages = 0, shared = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (file) {
		fscanf(file, "%*d %ld %ld", &pages, &shared);
		fclose(file);
	}
	return (pages - shared) * (sysconf(_SC_PAGESIZE) / 1024);
}

/* libc unloads such a module by itself. */
static void convert(int i)
{
	char in[] = "text", out[64], *from = in, *to = out;
	size_t left = 4, room = sizeof(out);
	iconv_t how = iconv_open(i % 2 ? "UTF-16" : "EUC-JP", "ISO-8859-1");

	if (how == (iconv_t)-1)
		return;
	iconv(how, &from, &left, &to, &room);
	iconv_close(how);
}

int main(int argc, char **argv)
{
	int cycles = atoi(argv[1]), libraries = argc - 2, same = 0;
	void *last = NULL;
	long before = 0;

	for (int i = 0; i < cycles; i++) {
		void *library = dlopen(argv[2 + i % libraries], RTLD_NOW);
		void (*say)(int) = library ? dlsym(library, "say") : NULL;

		if (!say)
			return 2;
		same += (void *)say == last;
		last = (void *)say;
		say(i);
		say(-i);
		if (i % 7 != 0)
			fprintf(stderr, "%d\n", dlclose(library));
		else
			dlclose(library);
		if (i % 10 == 0)
			convert(i / 10);
		if (i == 100)
			before = resident();
	}
	dprintf(9, "%d %ld\n", same, resident() - before);
	return 0;
}
