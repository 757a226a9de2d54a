/*
 * Columns of a batch (record/packed.h): many values of one meaning, in the
 * encoding that takes the least.  Used by pack_batch.c.  Never takes more
 * bytes than COLUMN_WRITE_HEAD and what the widest value has, for each value;
 * the values of one that is first may be wider.
 */
#ifndef DECODER_COLUMN_WRITE_H
#define DECODER_COLUMN_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/render_buffer.h"
#include "record/packed.h"

#define COLUMN_WRITE_HEAD 48u

struct column_string {
	const char *bytes; /* null: a null pointer */
	uint32_t size;
};

/* Memory that is used again; all zeros to begin with. */
struct column_write {
	uint64_t *numbers[PACKED_NESTING]; /* of each depth */
	size_t numbers_room[PACKED_NESTING];
	uint32_t *slots; /* of a hash table: 1 + place, 0: free */
	size_t slots_room;
	struct column_string *strings;
	size_t strings_room;
	uint64_t seed;
};

/* Appends a column of `count` numbers, of at least 1. */
void column_write_numbers(struct column_write *writer,
	struct render_buffer *out, const uint64_t *values, size_t count);

/* Likewise of strings. */
void column_write_strings(struct column_write *writer,
	struct render_buffer *out, const struct column_string *strings,
	size_t count);

void column_write_free(struct column_write *writer);

/* Bytes that are needed for numbers from 0 to `range`. */
static inline unsigned column_write_width(uint64_t range)
{
	return range == 0 ? 0 : (71u - (unsigned)__builtin_clzll(range)) / 8;
}

#endif
