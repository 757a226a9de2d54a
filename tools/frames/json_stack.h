/*
 * The frames in a message that `binlog-show -o json` has written, a line each.
 * Called by binlog-symbolize for each line; promises that what is taken apart
 * is one JSON object from end to end, nested no deeper than 64 levels, and
 * that nothing is copied: all pointers are into the line.
 */
#ifndef TOOLS_JSON_STACK_H
#define TOOLS_JSON_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/render_buffer.h"

#define JSON_STACK_DEPTH 64

/* What is left of a text, and whether it is JSON so far. */
struct json_reader {
	const char *at;
	const char *end;
	bool bad;
};

/* A value as it is written, a string with its quotes. */
struct json_span {
	const char *text; /* null: there is none */
	size_t bytes;
};

struct json_frame {
	struct json_span whole; /* with its braces */
	struct json_span module;
	struct json_span address;
	bool has_line;
	bool inlined; /* into the next one */
	bool jumped;  /* its last call was a jump: it is not at its address */
};

/*
 * False when the line is no JSON object.  *stack becomes what is between the
 * brackets of "stack", or has no text.
 */
bool json_stack_find(const char *line, size_t bytes, struct json_span *stack);

/*
 * The next frame of what is left of a stack, which json_stack_find() has
 * checked; false when there are no more.  Elements that are no objects are
 * passed over.
 */
bool json_stack_next(struct json_reader *stack, struct json_frame *frame);

/*
 * Appends the members of a frame but those that names fill anew (function,
 * file, line), with commas between.
 */
void json_stack_put_rest(
	const struct json_frame *frame, struct render_buffer *out);

/* Appends the characters of a string.  False: it is not one, or has a NUL. */
bool json_stack_string(
	const struct json_span *string, struct render_buffer *out);

/* Of "0x1f" or 31.  False: it is no number of 64 bits. */
bool json_stack_number(const struct json_span *value, uint64_t *number);

#endif
