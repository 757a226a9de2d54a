/*
 * The spans that are open: found by their rule and key, the innermost first,
 * and listed by their age.  Used by spans.c, which bounds how many there are.
 */
#ifndef DECODER_SPAN_TABLE_H
#define DECODER_SPAN_TABLE_H

#include "decoder/stats/spans.h"

/* Values with a NUL between them. */
struct span_key {
	struct span_key *collides;
	struct span_open *innermost;
	uint64_t hash;
	size_t rule;
	size_t size;
	char bytes[];
};

struct span_open {
	struct span_open *older; /* of all */
	struct span_open *newer;
	struct span_open *outer; /* of the same key */
	struct span_open *inner;
	struct span_key *key;
	struct span_end begin;
	const char *stack;
	size_t stack_bytes;
	size_t text_bytes;
	char text[];
};

/* All zeros is an empty one. */
struct span_table {
	struct span_key **keys; /* chains */
	size_t mask;		/* their number, a power of two, minus 1 */
	size_t key_count;
	struct span_open *oldest;
	struct span_open *newest;
	size_t count;
	size_t bytes; /* of all that is allocated for spans and keys */
};

/* Its begin, stack and key are to be filled.  Null: out of memory. */
struct span_open *span_table_open(struct span_table *table, size_t rule,
	const void *key, size_t key_bytes, const char *text, size_t text_bytes);

/*
 * The innermost with this key that the same thread began, else the same
 * process, else anybody.  Of many with one key only the innermost are looked
 * at.  Null: there is none.
 */
struct span_open *span_table_find(const struct span_table *table, size_t rule,
	const void *key, size_t key_bytes, uint32_t pid, uint32_t tid);

/* It is gone. */
void span_table_close(struct span_table *table, struct span_open *open);

/* All are gone; the table is empty and usable again. */
void span_table_free(struct span_table *table);

#endif
