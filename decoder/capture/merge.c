#include "decoder/capture/merge.h"

#include <stdlib.h>
#include <string.h>

#include "decoder/capture/wall_clock.h"
#include "decoder/capture/writer_stream.h"

/* One writer; a heap of these has the one that comes next at its top. */
struct entry {
	uint64_t key;	/* ticks or wall time of what comes next */
	uint64_t order; /* by file and writer: decides between equal keys */
	struct writer_stream *stream; /* null: not reached yet */
	const struct recording_block *blocks;
	uint32_t block_count;
	uint32_t capture; /* index */
};

struct merge {
	struct recording *const *captures;
	struct wall_clock *clocks; /* one for each capture */
	size_t capture_count;
	struct entry *heap;
	size_t heap_count;
	bool by_wall;
	bool delivered; /* the message of the top */
	bool failed;	/* out of memory, and reported */
};

static bool is_before(const struct entry *a, const struct entry *b)
{
	return a->key != b->key ? a->key < b->key : a->order < b->order;
}

static void sift_down(struct merge *merge, size_t i)
{
	struct entry moving = merge->heap[i];

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= merge->heap_count)
			break;
		if (child + 1 < merge->heap_count &&
			is_before(&merge->heap[child + 1], &merge->heap[child]))
			child++;
		if (!is_before(&merge->heap[child], &moving))
			break;
		merge->heap[i] = merge->heap[child];
		i = child;
	}
	merge->heap[i] = moving;
}

/* Ticks of all captures count the same thing from the same moment. */
static bool ticks_agree(struct recording *const *captures, size_t count)
{
	static const uint8_t unknown[sizeof(captures[0]->header.boot_id)];
	size_t i;

	for (i = 1; i < count; i++) {
		const struct binlog_header *a = &captures[0]->header;
		const struct binlog_header *b = &captures[i]->header;

		if (a->clock != b->clock ||
			memcmp(a->boot_id, b->boot_id, sizeof(unknown)) != 0 ||
			memcmp(a->boot_id, unknown, sizeof(unknown)) == 0)
			return false;
	}
	return true;
}

/* A short-lived process learns the rate of the clock from the others. */
static void share_rate(struct merge *merge)
{
	struct binlog_anchor first = merge->clocks[0].first;
	struct binlog_anchor last = merge->clocks[0].last;
	size_t i;

	for (i = 1; i < merge->capture_count; i++) {
		if (merge->clocks[i].first.ticks < first.ticks)
			first = merge->clocks[i].first;
		if (merge->clocks[i].last.ticks > last.ticks)
			last = merge->clocks[i].last;
	}
	for (i = 0; i < merge->capture_count; i++) {
		merge->clocks[i].first = first;
		merge->clocks[i].last = last;
	}
}

static bool begin_clocks(struct merge *merge)
{
	size_t i;

	merge->clocks =
		calloc(merge->capture_count + 1, sizeof(*merge->clocks));
	if (!merge->clocks)
		return false;
	for (i = 0; i < merge->capture_count; i++)
		if (!wall_clock_begin(&merge->clocks[i], merge->captures[i]))
			return false;
	for (i = 0; i < merge->capture_count && !merge->by_wall; i++)
		merge->by_wall = merge->clocks[i].jumped ||
				 !wall_clock_agrees(
					 &merge->clocks[0], &merge->clocks[i]);
	if (merge->capture_count > 0 && !merge->by_wall)
		share_rate(merge);
	return true;
}

static uint64_t key_of(const struct merge *merge, const struct entry *entry)
{
	const struct binlog_anchor *anchor = &entry->blocks->anchor;

	if (entry->stream)
		return merge->by_wall ? entry->stream->wall
				      : entry->stream->ticks;
	return merge->by_wall ? anchor->realtime : anchor->ticks;
}

static void add_writer(
	struct merge *merge, size_t capture, size_t first, size_t count)
{
	const struct recording_block *block =
		&merge->captures[capture]->blocks[first];

	merge->heap[merge->heap_count] = (struct entry){
		.order = merge->heap_count,
		.blocks = block,
		.block_count = (uint32_t)count,
		.capture = (uint32_t)capture,
	};
	merge->heap[merge->heap_count].key =
		key_of(merge, &merge->heap[merge->heap_count]);
	merge->heap_count++;
}

/* The index has each writer's blocks together. */
static void add_writers(struct merge *merge, size_t capture)
{
	const struct recording *from = merge->captures[capture];
	size_t first = 0;
	size_t i;

	for (i = 1; i <= from->block_count; i++) {
		if (i < from->block_count &&
			from->blocks[i].writer == from->blocks[first].writer)
			continue;
		add_writer(merge, capture, first, i - first);
		first = i;
	}
}

static void make_heap(struct merge *merge)
{
	size_t i;

	for (i = merge->heap_count / 2; i > 0; i--)
		sift_down(merge, i - 1);
}

static bool begin_heap(struct merge *merge)
{
	size_t room = 1;
	size_t i;

	for (i = 0; i < merge->capture_count; i++)
		room += merge->captures[i]->block_count;
	merge->heap = calloc(room, sizeof(*merge->heap));
	if (!merge->heap)
		return false;
	for (i = 0; i < merge->capture_count; i++)
		if (merge->captures[i]->block_count > 0)
			add_writers(merge, i);
	make_heap(merge);
	return true;
}

struct merge *merge_new(struct recording *const *captures, size_t count)
{
	struct merge *merge = calloc(1, sizeof(*merge));

	if (!merge)
		return NULL;
	merge->captures = captures;
	merge->capture_count = count;
	merge->by_wall = !ticks_agree(captures, count);
	if (begin_clocks(merge) && begin_heap(merge))
		return merge;
	merge_free(merge);
	return NULL;
}

/* The latest first. */
static int compare_blocks(const void *left, const void *right)
{
	const struct recording_block *a =
		*(const struct recording_block *const *)left;
	const struct recording_block *b =
		*(const struct recording_block *const *)right;

	return a->anchor.ticks > b->anchor.ticks
		       ? -1
		       : a->anchor.ticks < b->anchor.ticks;
}

/* When the latest so many bytes of blocks begin; 0: there are no more. */
static uint64_t find_ticks(const struct merge *merge, uint64_t bytes)
{
	const struct recording_block **blocks = NULL;
	uint64_t ticks = 0, sum = 0;
	size_t count = 0;
	size_t i, k;

	for (i = 0; i < merge->capture_count; i++)
		count += merge->captures[i]->block_count;
	if (count > 0)
		blocks = calloc(count, sizeof(*blocks));
	if (!blocks)
		return 0;
	count = 0;
	for (i = 0; i < merge->capture_count; i++)
		for (k = 0; k < merge->captures[i]->block_count; k++)
			blocks[count++] = &merge->captures[i]->blocks[k];
	qsort(blocks, count, sizeof(*blocks), compare_blocks);
	for (i = 0; i < count && sum < bytes; i++)
		sum += blocks[i]->size;
	if (i < count)
		ticks = blocks[i]->anchor.ticks;
	free(blocks);
	return ticks;
}

uint64_t merge_hide(struct merge *merge, uint64_t bytes)
{
	uint64_t ticks = merge->by_wall ? 0 : find_ticks(merge, bytes);
	size_t i, k;

	for (i = 0; i < merge->capture_count; i++) {
		struct recording *capture = merge->captures[i];

		for (k = 0; k < capture->block_count; k++) {
			struct recording_block *block = &capture->blocks[k];

			/* a line that is begun in it may end in the next one */
			block->quiet = k + 2 < capture->block_count &&
				       block[2].writer == block->writer &&
				       block[2].anchor.ticks < ticks;
		}
	}
	return ticks;
}

bool merge_was_by_wall(const struct merge *merge)
{
	return merge->by_wall;
}

/* From now on ticks do not tell what comes next. */
static void turn_to_wall(struct merge *merge)
{
	size_t i;

	merge->by_wall = true;
	for (i = 0; i < merge->heap_count; i++)
		merge->heap[i].key = key_of(merge, &merge->heap[i]);
	make_heap(merge);
}

/* Puts the top where it belongs now, or takes it out at its end. */
static void settle_top(struct merge *merge)
{
	struct entry *top = &merge->heap[0];
	const struct writer_stream *stream = top->stream;
	bool turns = !merge->by_wall && merge->clocks[top->capture].jumped;

	if (stream->state == WRITER_END) {
		writer_stream_end(top->stream);
		free(top->stream);
		/* An assignment leaves the old one there for clang's analyzer.
		 */
		merge->heap_count--;
		memmove(top, &merge->heap[merge->heap_count], sizeof(*top));
	} else {
		top->key = key_of(merge, top);
	}
	if (turns)
		turn_to_wall(merge);
	else if (merge->heap_count > 0)
		sift_down(merge, 0);
}

static bool open_stream(struct merge *merge, struct entry *entry)
{
	struct recording *capture = merge->captures[entry->capture];

	entry->stream = malloc(sizeof(*entry->stream));
	if (!entry->stream) {
		recording_report(
			capture, ERROR_MEMORY, entry->blocks->offset, 0);
		merge->failed = true;
		return false;
	}
	writer_stream_begin(entry->stream, capture,
		&merge->clocks[entry->capture], entry->blocks,
		entry->block_count);
	return true;
}

/* Steps beyond what was delivered; the next piece of the same call, if any. */
static const struct message *finish_delivered(struct merge *merge)
{
	struct writer_stream *stream = merge->heap[0].stream;
	bool partial = stream->message.partial;

	do {
		writer_stream_step(stream);
	} while (partial && stream->state == WRITER_BETWEEN);
	if (partial && stream->state == WRITER_MESSAGE &&
		stream->message.continues)
		return &stream->message;
	merge->delivered = false;
	settle_top(merge);
	return NULL;
}

const struct message *merge_next(struct merge *merge)
{
	const struct message *piece =
		merge->delivered ? finish_delivered(merge) : NULL;

	if (piece)
		return piece;
	while (merge->heap_count > 0 && !merge->failed) {
		struct entry *top = &merge->heap[0];

		if (!top->stream && !open_stream(merge, top))
			break;
		if (top->stream->state == WRITER_MESSAGE) {
			merge->delivered = true;
			return &top->stream->message;
		}
		writer_stream_step(top->stream);
		settle_top(merge);
	}
	return NULL;
}

void merge_free(struct merge *merge)
{
	size_t i;

	if (!merge)
		return;
	for (i = 0; i < merge->heap_count; i++) {
		if (!merge->heap[i].stream)
			continue;
		writer_stream_end(merge->heap[i].stream);
		free(merge->heap[i].stream);
	}
	for (i = 0; merge->clocks && i < merge->capture_count; i++)
		wall_clock_end(&merge->clocks[i]);
	free(merge->clocks);
	free(merge->heap);
	free(merge);
}
