/*
 * What the loader has mapped: which executable or library an address belongs
 * to, and whether memory is constant, as objects.h finds it. Async-signal-safe.
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
 * The program is about to make the `size` bytes at `address` writable, or to
 * put others there: from here on they are not constant.  True: some may have
 * been, so what is known of them holds no longer, once that is done.
 */
bool module_changes(const void *address, size_t size);

/*
 * True when nothing can change the `size` bytes at `address` as long as their
 * module stays loaded, or until module_changes(): they are in a segment that is
 * mapped without write permission.
 */
bool module_is_constant(const void *address, size_t size);

#endif
