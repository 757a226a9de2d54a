/*
 * Small numbers for byte strings, in the order in which they were first seen:
 * what many messages share stands in a report once.  Used by the parts of a
 * report.  Promises a bounded number of entries; all memory is its own.
 */
#ifndef DECODER_HTML_INTERN_H
#define DECODER_HTML_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id_map.h"
#include "base/limits.h"
#include "base/pool.h"

/* No number: there are too many, or there is no memory. */
#define HTML_INTERN_NONE UINT32_MAX

struct html_interned;

/* All zeros but for `limit` is an empty one. */
struct html_intern {
	enum limit limit; /* of the table: so many entries */
	uint32_t count;
	struct id_map map; /* by hash, to the last one that has it */
	struct pool pool;
	bool failed; /* no memory */
};

/* The number of these bytes, a new one if need be; *new says which. */
uint32_t html_intern_add(
	struct html_intern *intern, const void *bytes, size_t size, bool *new);

/* Forgets all; it is empty and usable again. */
void html_intern_free(struct html_intern *intern);

#endif
