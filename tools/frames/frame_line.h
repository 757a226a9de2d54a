/*
 * A frame as a line of text, as `binlog-show --stacks` writes it (stack.h of
 * decoder/names).  Called by binlog-symbolize for each line of a text; promises
 * to look at nothing outside of the line, whatever is in it.
 */
#ifndef TOOLS_FRAME_LINE_H
#define TOOLS_FRAME_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All pointers are into the line. */
struct frame_line {
	const char *before;
	size_t before_bytes; /* up to the '#' and with it */
	uint64_t number;
	const char *behind; /* the number */
	/* Null: it has a name and a line, or there is no way to them. */
	const char *module;
	size_t module_bytes;
	const char *function; /* null: the offset is in the module */
	size_t function_bytes;
	uint64_t offset;
	const char *after; /* what stands behind a name as well */
	size_t after_bytes;
};

/* False when it is no frame: blanks, '#', a number, a blank. */
bool frame_line_read(struct frame_line *frame, const char *line, size_t bytes);

/*
 * What ends in "+0x" and hexadecimal digits: how many bytes are before that.
 * 0: it does not, nothing is before it, or the number has more than 64 bits.
 */
size_t frame_line_offset(const char *text, size_t bytes, uint64_t *offset);

#endif
