/*
 * Names in the libraries that come after this one in the order of the loader:
 * what dlsym(RTLD_NEXT) would find.  Read off the loader's own list and the
 * tables that it has checked, since dlsym() may be the program's, or that of
 * a library in between, takes a lock and allocates.  Listed while arming, and
 * searched then and later.
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
 * none, or one that only the loader can tell the address of (IFUNC, but for
 * x86-64).  Async-signal-safe.
 */
void *lookup_find(const struct lookup *lookup, const char *name);

/* Whether there is one, also where only the loader can tell its address. */
bool lookup_defines(const struct lookup *lookup, const char *name);

/*
 * lookup_find() in all that is loaded by now, also what may be unloaded: for names
 * that are in libraries of their own before glibc 2.34 (libdl, libutil).
 */
void *lookup_find_anywhere(const char *name);

/*
 * Forgets the libraries after the first one that defines `name`, which may be
 * unloaded later; false: none does.
 */
bool lookup_end_with(struct lookup *lookup, const char *name);

#endif
