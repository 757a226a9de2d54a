/*
 * lookup_names NAME...: whether lookup_find() finds what dlsym(RTLD_NEXT) does;
 * prints those that differ.  Functions that only the loader can find are left
 * out.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "shim/host/lookup.h"

static bool is_indirect(void *library, const char *name)
{
	const ElfW(Sym) *symbol = NULL;
	Dl_info info;
	void *address = dlsym(library, name);

	/* The address of an indirect function is not that of its symbol. */
	return !address ||
	       !dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT) ||
	       !info.dli_saddr;
}

int main(int argc, char **argv)
{
	static struct lookup lookup;
	int found = 0;

	if (!lookup_begin(&lookup))
		return 2;
	for (int i = 1; i < argc; i++) {
		void *mine = lookup_find(&lookup, argv[i]);
		void *wanted = dlsym(RTLD_NEXT, argv[i]);

		found += mine != NULL;
		if (mine != wanted &&
			(mine || !is_indirect(RTLD_NEXT, argv[i])))
			printf("%s: %p, not %p\n", argv[i], mine, wanted);
	}
	fprintf(stderr, "%d\n", found);
	return 0;
}
