/*
 * What the loader has mapped: which executable or library an address belongs
 * to, and whether memory is constant, as objects.h finds it.  Async-signal-safe.
 */
#ifndef SHIM_MODULE_H
#define SHIM_MODULE_H

#include "record/layout.h"

struct module {
	uintptr_t start;
	uintptr_t end;
	uintptr_t bias;
	const char *path; /* empty for the program itself */
	const uint8_t *build_id;
	uint32_t build_id_bytes;
	uint64_t content_hash; /* where there is no build-id */
};

/* The module around `address`; false when there is none. */
bool module_find(uintptr_t address, struct module *module);

/*
 * True when nothing can change the `size` bytes at `address` as long as their
 * module stays loaded: they are in a segment that is mapped without write
 * permission.
 */
bool module_is_constant(const void *address, size_t size);

#endif
