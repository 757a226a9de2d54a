/*
 * The frames in what binlog-show has written, with names: a text with stacks,
 * or messages in JSON.  Called by main.c for each line; promises that all else
 * comes out as it went in, byte for byte, and so does a frame that stays
 * unknown.
 */
#ifndef TOOLS_STACK_TEXT_H
#define TOOLS_STACK_TEXT_H

#include "base/render_buffer.h"
#include "tools/symbolize/lines.h"
#include "tools/symbolize/modules.h"

struct stack_text {
	struct symbolizer *symbolizer;
	struct modules *modules;
	/* Told once of each module; must not be null. */
	void (*complain)(void *closure, const char *sentence);
	void *closure;
	/* Of the stack that is being read: */
	uint64_t next;	/* number of the frame that follows; 0: none */
	uint64_t added; /* frames that functions have that are inlined */
	/* For what is put together; all zeros. */
	struct render_buffer out;
	struct render_buffer name;
	struct render_buffer function;
};

/* Both write to standard output.  False: it is no JSON object. */
void stack_text_line(struct stack_text *text, const struct line *line);
bool stack_text_json(struct stack_text *text, const struct line *line);

void stack_text_free(struct stack_text *text);

#endif
