/*
 * Rows of one table as a block of ClickHouse's Native format: column after
 * column, with their names and types.  Filled by rows.c, row by row, each in
 * the order of its columns.  Such a block is inserted as a whole or not at all,
 * and one that is cut off is refused.  One thread.
 */
#ifndef DECODER_FLEET_NATIVE_BLOCK_H
#define DECODER_FLEET_NATIVE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/render_buffer.h"
#include "decoder/fleet/tables.h"

struct native_column {
	struct render_buffer data;
	struct render_buffer ends; /* of arrays: where each ends, 8 bytes */
	uint64_t items;		   /* of all arrays */
};

/* Where a column was. */
struct native_place {
	size_t data;
	size_t ends;
	uint64_t items;
};

struct native_block {
	enum fleet_table table;
	const struct fleet_column *layout;
	size_t count;
	size_t next; /* the column that is filled next */
	size_t rows; /* that are whole */
	struct native_column columns[FLEET_COLUMNS_MAX];
	struct native_place mark[FLEET_COLUMNS_MAX];
};

void native_block_begin(struct native_block *block, enum fleet_table table);

/* The next column of the row, which has a number of its type. */
void native_block_put(struct native_block *block, uint64_t value);

/* Likewise a text, which may be any bytes. */
void native_block_put_text(
	struct native_block *block, const char *text, size_t bytes);

/* Likewise one that ends in NUL; null is empty. */
void native_block_put_word(struct native_block *block, const char *word);

/*
 * Items of a column of arrays, which need not be the next one: `ahead` columns
 * behind it.  native_block_end_array() ends the next column's array.
 */
void native_block_add_text(struct native_block *block, size_t ahead,
	const char *text, size_t bytes);
void native_block_add_integer(
	struct native_block *block, size_t ahead, int64_t value);
void native_block_add_number(
	struct native_block *block, size_t ahead, double value);
void native_block_end_array(struct native_block *block);

/* Remembers where a row begins, and forgets all behind it. */
void native_block_mark(struct native_block *block);
void native_block_back(struct native_block *block);

/* Bytes of all columns so far. */
size_t native_block_bytes(const struct native_block *block);

/* Something is not there: no memory. */
bool native_block_lacks(const struct native_block *block);

/* Appends the block, and begins the next one. */
void native_block_take(struct native_block *block, struct render_buffer *out);

void native_block_free(struct native_block *block);

#endif
