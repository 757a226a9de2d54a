/*
 * Columns that are as wide as their widest cell.  Filled cell by cell by the
 * styles that show lists, and given out when all is known.
 */
#ifndef DECODER_TABLE_H
#define DECODER_TABLE_H

#include <stdint.h>

#include "base/render_buffer.h"

struct table_column {
	const char *name;
	bool right; /* aligned */
};

#define TABLE_COLUMNS_MAX 16

/* The last one is null-named, and the column before it is not padded. */
struct table {
	const struct table_column *columns;
	struct render_buffer text; /* of all cells: append here */
	size_t *ends;		   /* of each cell in it */
	size_t cells;
	size_t room;
	bool failed; /* no memory: cells are missing */
	/* Columns that the last one keeps on a terminal before others are left
	 * out; 0: as many as are mostly worth reading. */
	size_t last_least;
};

/* The cell that has been appended to `text` is complete: on to the next. */
void table_end_cell(struct table *table);

void table_text_cell(struct table *table, const char *text);
void table_number_cell(struct table *table, uint64_t number);

/* Appends the names of the columns and all rows.  False: out of memory. */
bool table_put(const struct table *table, struct render_buffer *out);

/*
 * The same for a terminal of so many columns, if `width` is not 0: the last
 * column is cut where that ends, with a mark, and before less is left of it
 * than is worth reading columns are left out, in the order of `expendable`,
 * which ends with TABLE_COLUMNS_MAX; null: none may be.  A cell of the last
 * column may have further lines, which begin where the terminal does.
 */
bool table_put_fitting(const struct table *table, struct render_buffer *out,
	unsigned width, const unsigned char *expendable);

/*
 * Columns of such a terminal that are left for the last one, beside all
 * others; 0: none.
 */
size_t table_room_of_last(const struct table *table, unsigned width);

void table_free(struct table *table);

#endif
