/*
 * Names in the libraries that come after this one in the order of the loader:
 * what dlsym(RTLD_NEXT) would find.  Read off the loader's own list and the
 * tables that it has checked, since dlsym() may be the program's, or that of
 * a library in between, takes a lock and allocates; used while arming only.
 */
#ifndef SHIM_LOOKUP_H
#define SHIM_LOOKUP_H

#define LOOKUP_OBJECTS_MAX 256u

/* Ten KiB: not for a stack. */
struct lookup {
	unsigned count;
	struct lookup_object {
		uintptr_t bias;
		const uint32_t *hash; /* DT_GNU_HASH */
		const void *symbols;
		const char *strings;
		const uint16_t *versions; /* null: none */
	} object[LOOKUP_OBJECTS_MAX];
};

/*
 * Lists the libraries.  False where there is no such list, or we are not in
 * it (another loader, another namespace): then dlsym() has to be asked.
 */
bool lookup_begin(struct lookup *lookup);

/*
 * The address of the first default definition of `name`; null when there is
 * none, or one that only the loader can tell the address of (IFUNC).
 */
void *lookup_find(const struct lookup *lookup, const char *name);

#endif
