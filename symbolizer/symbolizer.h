/*
 * From a file and an offset in it to functions, source lines and inline
 * chains.  Called by binlog-show and binlog-symbolize; uses DWARF by libdwarf,
 * else .symtab, else .dynsym, and names are demangled.  Promises an answer
 * for every question: what cannot be found is missing from the answer, and a
 * damaged or foreign file costs names, never the caller.
 */
#ifndef SYMBOLIZER_SYMBOLIZER_H
#define SYMBOLIZER_SYMBOLIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbolizer;

/* Where to look; strings stay the caller's and must outlive the symbolizer. */
struct symbolizer_options {
	const char *const *debug_directories; /* null-terminated, or null for */
					      /* /usr/lib/debug alone */
	bool mangled;			      /* leave names as they are */
	/* How content_hash below was made; null: content_hash is ignored. */
	uint64_t (*hash)(const void *data, size_t size);
};

/* A file as it was when its addresses were recorded. */
struct symbolizer_module {
	const char *path;		/* null: only its build-id is known */
	const uint8_t *build_id;	/* null or build_id_bytes of it */
	size_t build_id_bytes;
	uint64_t file_bytes;		/* 0: unknown */
	uint64_t content_hash;		/* of the bytes of the first executable */
					/* segment; 0: unknown */
};

/* One frame of the answer, innermost inlined one first. */
struct symbolizer_frame {
	const char *function;	/* null: unknown.  Valid until the next call */
	const char *file;	/* null: unknown */
	unsigned line;		/* 0: unknown */
	unsigned column;	/* 0: unknown */
	uint64_t offset;	/* from the start of the function's symbol */
	bool inlined;		/* into the next frame of the answer */
};

/* Null when out of memory.  Not thread-safe; use one per thread. */
struct symbolizer *symbolizer_new(const struct symbolizer_options *options);
void symbolizer_free(struct symbolizer *symbolizer);

/*
 * The frames at `address`, an address as in the ELF file (run-time address
 * minus load bias; for return addresses subtract 1 first).  Calls back once
 * per frame and at least once.  Returns null, or one sentence that says why
 * less is known than could be (no such file, another build-id, ...), valid
 * until the next call.
 */
const char *symbolizer_resolve(struct symbolizer *symbolizer,
	const struct symbolizer_module *module, uint64_t address,
	void (*frame)(void *closure, const struct symbolizer_frame *frame),
	void *closure);

#endif
