/*
 * Spans that messages say themselves to be (took.h), put into each other: of
 * one stream and substream, what encloses another is around it, as Heph has
 * it.  Used by the style `spans`.  They come in any order, mostly that in which
 * they ended, so all are kept until they are asked for; the owner bounds that.
 */
#ifndef DECODER_SPAN_TREE_H
#define DECODER_SPAN_TREE_H

#include "base/pack_table.h"
#include "base/render_buffer.h"
#include "decoder/message/took.h"
#include "decoder/stats/spans.h"

/* All zeros is an empty one. */
struct span_tree {
	struct span_tree_one *all;
	size_t count;
	size_t room;
	struct pack_table streams;
	struct render_buffer text; /* of all */
	bool failed;		   /* out of memory */
};

/* The span that the message is. */
void span_tree_of(const struct message *message, const struct took *took,
	struct span *span);

/* Copies it. */
void span_tree_add(
	struct span_tree *tree, const struct span *span, uint64_t substream);

/* Bytes that it takes. */
size_t span_tree_bytes(const struct span_tree *tree);

/*
 * Gives out all, stream by stream, each with how many are around it; then the
 * tree is empty and usable again.
 */
void span_tree_give_out(struct span_tree *tree,
	void (*take)(void *closure, const struct span *span, size_t depth),
	void *closure);

#endif
