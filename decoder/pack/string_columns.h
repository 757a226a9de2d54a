/*
 * Columns of strings of a batch (record/packed.h): each string once where many
 * come again, and numbers in them as columns of numbers where that is less.
 * Used by pack_batch.c.  Keeps memory only.
 */
#ifndef DECODER_STRING_COLUMNS_H
#define DECODER_STRING_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "decoder/pack/column_write.h"

struct string_value {
	const char *bytes; /* null: a null pointer */
	uint32_t size;
};

struct string_templates;

/* All zeros, but for the numbers, to begin with. */
struct string_columns {
	struct column_write *numbers; /* the caller's */
	struct string_value *distinct;
	size_t distinct_room;
	uint64_t *places;
	size_t places_room;
	uint64_t *sizes;
	size_t sizes_room;
	struct string_templates *templates;
};

/* Appends a column of `count` strings, of at least 1. */
void string_columns_write(struct string_columns *writer,
	struct render_buffer *out, const struct string_value *strings,
	size_t count);

/* The same, without a look into them. */
void string_columns_write_distinct(struct string_columns *writer,
	struct render_buffer *out, const struct string_value *strings,
	size_t count);

/*
 * Finds each string once; fills distinct[] and
 * places[0..count) and returns how many there are, 0: more than `most`, or no
 * memory.
 */
size_t string_columns_distinct(struct string_columns *writer,
	const struct string_value *strings, size_t count, size_t most);

/* Likewise: the content of PLAIN. */
void string_columns_put_plain(struct string_columns *writer,
	struct render_buffer *out, const struct string_value *strings,
	size_t count);

void string_columns_free(struct string_columns *writer);

#endif
