/*
 * Where a line's author has written it, at the end of the line, for people at a
 * terminal who have not asked for it: so only where there is room, and each
 * call site is looked up once, when its first line is shown.  Used by the
 * style of lines; complains of nothing.
 */
#ifndef DECODER_LINE_PLACE_H
#define DECODER_LINE_PLACE_H

#include "base/render_buffer.h"
#include "decoder/capture/message.h"
#include "decoder/names/locations.h"

/* Narrower terminals have the line alone, not the function that it is in. */
#define LINE_PLACE_WIDTH 100u

/* None is shorter, with what is between it and the line. */
#define LINE_PLACE_LEAST 4u

struct statements;

/* Both are their owner's. */
struct line_places {
	struct locations *locations;
	struct statements *statements; /* null: messages are theirs already */
};

/* Kept with the contexts of messages. */
struct line_place {
	const char *function; /* escaped; empty: not known */
	size_t function_bytes;
	size_t function_width;
	const char *line; /* `FILE:LINE`, escaped; empty: not known */
	size_t line_bytes;
	size_t line_width;
	const char *path; /* of the file; empty: it is no link */
	size_t path_bytes;
	unsigned number;
};

/* Null: it is not known, or out of memory. */
const struct line_place *line_place_of(
	const struct line_places *places, const struct message *message);

/* Appends a copy, for when the message is gone; null: that there is none. */
void line_place_save(const struct line_place *place, struct render_buffer *out);

/* The one that such bytes begin with, which it points into: how many of them
 * it has. */
size_t line_place_load(
	struct line_place *place, const char *bytes, size_t size);

/* Columns of a line as a terminal shows it, with its tabs. */
size_t line_place_columns(const char *line, size_t bytes);

struct line_place_room {
	unsigned width; /* of the terminal, columns */
	size_t used;	/* by the line so far */
	bool color;
};

/*
 * Behind a line, before its newline: the place ends where the terminal does,
 * function, file and line, or file and line alone.  Nothing is appended if it
 * has no room.
 */
void line_place_put(const struct line_place *place,
	const struct line_place_room *room, struct render_buffer *out);

#endif
