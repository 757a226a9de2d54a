#include "decoder/stats/span_tree.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"

struct span_tree_one {
	struct span span;
	uint32_t stream;
	uint32_t number; /* in the order in which they came */
	size_t text_at;
};

void span_tree_of(const struct message *message, const struct took *took,
	struct span *span)
{
	*span = (struct span){
		.begin = {.wall = message->wall,
			.ticks = message->ticks,
			.pid = message->pid,
			.tid = message->tid,
			.program = message->program},
		.ended = true,
		.duration = took->nanoseconds,
		.key = "",
	};
	snprintf(span->begin.thread, sizeof(span->begin.thread), "%s",
		message->thread);
	span->end = span->begin;
	span->end.wall += took->nanoseconds;
}

void span_tree_add(
	struct span_tree *tree, const struct span *span, uint64_t substream)
{
	const uint64_t key[] = {(uintptr_t)span->begin.program,
		(uint64_t)span->begin.pid << 32 | span->begin.tid, substream};
	const struct pack_entry *stream =
		pack_table_intern(&tree->streams, key, sizeof(key));

	if (!stream || !array_reserve(tree->all, tree->room, tree->count + 1)) {
		tree->failed = true;
		return;
	}
	tree->all[tree->count] = (struct span_tree_one){
		.span = *span,
		.stream = stream->id,
		.number = (uint32_t)tree->count,
		.text_at = tree->text.length,
	};
	tree->count++;
	render_buffer_put(&tree->text, span->text, span->text_bytes);
}

size_t span_tree_bytes(const struct span_tree *tree)
{
	return tree->count * sizeof(*tree->all) + tree->text.length +
	       tree->streams.bytes;
}

/* What is around others comes before them. */
static int compare(const void *left, const void *right)
{
	const struct span_tree_one *a = left;
	const struct span_tree_one *b = right;

	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	if (a->span.begin.wall != b->span.begin.wall)
		return a->span.begin.wall < b->span.begin.wall ? -1 : 1;
	if (a->span.duration != b->span.duration)
		return a->span.duration > b->span.duration ? -1 : 1;
	return a->number < b->number ? -1 : 1;
}

static uint64_t end_of(const struct span_tree_one *one)
{
	uint64_t begin = one->span.begin.wall;

	return one->span.duration > UINT64_MAX - begin
		       ? UINT64_MAX
		       : begin + one->span.duration;
}

void span_tree_give_out(struct span_tree *tree,
	void (*take)(void *closure, const struct span *span, size_t depth),
	void *closure)
{
	size_t *around = calloc(tree->count + 1, sizeof(*around));
	size_t depth = 0;
	size_t i;

	if (tree->count > 0)
		qsort(tree->all, tree->count, sizeof(*tree->all), compare);
	for (i = 0; around && i < tree->count; i++) {
		struct span_tree_one *one = &tree->all[i];

		/* What ends before this encloses none of those to come. */
		while (depth > 0 &&
			(tree->all[around[depth - 1]].stream != one->stream ||
				end_of(&tree->all[around[depth - 1]]) <
					end_of(one)))
			depth--;
		one->span.text = render_buffer_from(&tree->text, one->text_at);
		take(closure, &one->span, depth);
		around[depth++] = i;
	}
	tree->failed |= !around || tree->text.failed;
	free(around);
	free(tree->all);
	pack_table_free(&tree->streams);
	render_buffer_free(&tree->text);
	*tree = (struct span_tree){.failed = tree->failed};
}
