/*
 * What stands in the columns of a line, as far as one message says it.  Used
 * by the style that shows columns; all is safe on a terminal and without a
 * newline.
 */
#ifndef DECODER_CELLS_H
#define DECODER_CELLS_H

#include "decoder/output/columns.h"
#include "decoder/output/style.h"

struct cells;

/* The settings are copied.  Null: out of memory. */
struct cells *cells_new(const struct style_settings *settings);

/* Null is fine. */
void cells_free(struct cells *cells);

/*
 * Appends the cell of the message in a column that is not COLUMN_OF_LINE;
 * nothing: it has none.
 */
void cells_put(struct cells *cells, enum column_name column,
	const struct message *message, struct render_buffer *out);

#endif
