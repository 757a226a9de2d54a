/*
 * Stacks of a report as one tree: each frame once below each of its callers,
 * so a browser can draw from it how much was said through whom.  Used by
 * html_index.c; promises a bounded tree.
 */
#ifndef DECODER_HTML_STACK_H
#define DECODER_HTML_STACK_H

#include "base/render_buffer.h"
#include "decoder/capture/message.h"
#include "decoder/html/html_intern.h"
#include "decoder/names/places.h"

/* All zeros but for the first three is an empty tree. */
struct html_stack {
	struct html_intern frames;
	struct places *places;	    /* null: there are no stacks */
	size_t depth;		    /* at most so many frames */
	struct render_buffer json;  /* [parent,function,place], from 1 on */
	struct render_buffer names; /* of the stack that is looked at */
	struct render_buffer ends;  /* likewise: of each frame in it */
};

/* The innermost frame of the message's stack; 0: none, or not known. */
uint32_t html_stack_of(struct html_stack *stack, const struct message *message);

void html_stack_free(struct html_stack *stack);

#endif
