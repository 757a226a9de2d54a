/*
 * reload ONE TWO: loads and unloads two libraries in turn, which come to lie
 * at the same address with other formats in the same places.  Descriptor 9
 * gets how often they did.
 */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *last = NULL;
	int same = 0;

	for (int i = 0; i < 200; i++) {
		void *library = dlopen(argv[1 + i % 2], RTLD_NOW);
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
	}
	dprintf(9, "%d\n", same);
	return argc - argc;
}
