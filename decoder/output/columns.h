/*
 * The columns that lines may have, as columns.def lists them, and a choice of
 * some.  Filled by the options, read by the styles that show lines.
 */
#ifndef DECODER_COLUMNS_H
#define DECODER_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/render_buffer.h"
#include "decoder/message/facts.h"

enum column_name {
#define COLUMN(name, text, side, width, of, fact, what) COLUMN_##name,
#include "decoder/output/columns.def"
#undef COLUMN
	COLUMN_NAMES
};

/* What has to be known to fill it. */
enum column_of {
	COLUMN_OF_MESSAGE, /* the first one that the line is made of */
	COLUMN_OF_PLACE,   /* likewise, and names of addresses */
	COLUMN_OF_LINE	   /* all of it, and those before it */
};

struct column_kind {
	const char *text;
	bool right;   /* aligned */
	uint8_t of;   /* enum column_of */
	uint8_t fact; /* enum fact_name that it shows; FACT_NAMES: none */
	uint16_t width;
	const char *what;
};

/* By enum column_name. */
extern const struct column_kind columns_all[COLUMN_NAMES];

#define COLUMNS_MAX 32

struct columns {
	uint8_t names[COLUMNS_MAX]; /* enum column_name */
	size_t count;		    /* 0: those that the style has */
	bool help;		    /* to be listed */
	char problem[768];
};

/*
 * Takes a list with commas.  Null, or what is wrong with it, good until the
 * next call.
 */
const char *columns_parse(struct columns *columns, const char *list);

bool columns_have(const struct columns *columns, enum column_name name);

/* Whether one of them needs names of addresses. */
bool columns_ask_for_locations(const struct columns *columns);

/* Likewise for the statement of a message. */
bool columns_ask_for_statements(const struct columns *columns);

/* Appends a line for each that there is. */
void columns_help(struct render_buffer *out);

#endif
