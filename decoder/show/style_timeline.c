#include "decoder/show/style_columns.h"

/* The columns of an event log of cycles; others are --columns'. */
static const struct columns usual = {
	.names = {COLUMN_NUMA, COLUMN_CORE, COLUMN_CYCLES, COLUMN_CATEGORY,
		COLUMN_MESSAGE},
	.count = 5,
};

void *style_timeline_begin(const struct style_settings *settings)
{
	const struct columns *columns = &settings->options->columns;

	return style_columns_begin_with(
		settings, columns->count > 0 ? columns : &usual, true);
}

void style_timeline_message(void *state, const struct message *message)
{
	style_columns_message(state, message);
}

void style_timeline_end(void *state)
{
	style_columns_end(state);
}
