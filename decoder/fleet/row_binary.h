/*
 * Rows of an answer of ClickHouse in its RowBinary format, as they come: bytes
 * in pieces in, rows out, no more than one of which is kept.  Fed by tools that
 * ask.  Each row has to begin with a column of one byte that is
 * ROW_BINARY_MARK: what a server says where it gives up in the middle does not.
 * One thread.
 */
#ifndef DECODER_ROW_BINARY_H
#define DECODER_ROW_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/render_buffer.h"
#include "decoder/fleet/tables.h"

#define ROW_BINARY_MARK 1
#define ROW_BINARY_COLUMNS_MAX 32u

/* Points into the row. */
struct row_value {
	uint64_t number; /* U8, U32, U64; bits of a FLEET_NUMBER */
	const char *bytes;
	size_t count; /* of bytes of a text, of items of an array */
};

typedef void row_binary_take(void *closure, const struct row_value *values);

struct row_binary {
	const enum fleet_type *types; /* without the mark */
	size_t count;
	row_binary_take *take;
	void *closure;
	struct render_buffer rest; /* of a row that is not whole */
	bool refused; /* what comes is no row: it is kept in `rest` */
};

/* False: it is not to go on; no memory, or it is refused. */
bool row_binary_put(struct row_binary *rows, const char *bytes, size_t count);

/* The next text of an array; `bytes` of it moves on. */
struct row_value row_binary_text(const char **array);

/* Item number `i` of an array of numbers, as its bits. */
uint64_t row_binary_item(const struct row_value *array, size_t i);

void row_binary_free(struct row_binary *rows);

#endif
