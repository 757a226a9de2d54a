/*
 * Texts of all places of a batch together, in the order of the calls (TOGETHER
 * of record/packed.h): what is before all of them (times, process numbers) and
 * what those of one place have in common stands there once, and the rest as it
 * was said, where one message repeats what another one said before.  Used by
 * pack_batch.c.  Keeps memory only.
 */
#ifndef DECODER_TEXT_COLUMNS_H
#define DECODER_TEXT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/pack/string_columns.h"

struct text_column;

/* All zeros, but for the first, to begin with. */
struct text_columns {
	struct string_columns *strings; /* the caller's */
	/* What the caller fills in, in the order of the calls: */
	struct string_value *texts; /* not null */
	uint32_t *column_of;	    /* of each: its column, from 0 */
	size_t count;
	/* The rest is its own. */
	size_t texts_room;
	size_t column_of_room;
	uint64_t *heads; /* of each: its place */
	size_t heads_room;
	uint32_t *head_bytes; /* of each */
	size_t head_bytes_room;
	struct string_value *known; /* heads */
	size_t known_room;
	struct text_column *columns;
	size_t columns_room;
	struct string_value *ends; /* two of each column */
	size_t ends_room;
};

/* Room for so many texts; false: out of memory. */
bool text_columns_reserve(struct text_columns *texts, size_t count);

/* Appends them; they are of `columns` columns.  False: they cannot be so
 * written, or no memory; what was appended is of no use. */
bool text_columns_write(
	struct text_columns *texts, struct render_buffer *out, size_t columns);

void text_columns_free(struct text_columns *texts);

#endif
