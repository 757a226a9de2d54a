#include "tools/live/status_gaps.h"

#include <stdlib.h>

#include "decoder/capture/writer_window.h"

/* All blocks that are there now. */
struct present {
	struct recording_block *blocks; /* by writer, then by sequence */
	size_t count;
	size_t room;
	bool failed;
};

static void add(
	void *closure, const struct recording_block *block, uint64_t place)
{
	struct present *present = closure;
	size_t room = present->room ? 2 * present->room : 64;
	struct recording_block *blocks;

	(void)place;
	if (present->count == present->room) {
		blocks = realloc(present->blocks, room * sizeof(*blocks));
		if (!blocks) {
			present->failed = true;
			return;
		}
		present->blocks = blocks;
		present->room = room;
	}
	present->blocks[present->count++] = *block;
}

static int compare(const void *left, const void *right)
{
	const struct recording_block *a = left;
	const struct recording_block *b = right;

	if (a->writer != b->writer)
		return a->writer < b->writer ? -1 : 1;
	return a->sequence < b->sequence ? -1 : a->sequence > b->sequence;
}

static bool find_present(struct present *present, struct recording *recording)
{
	struct live_blocks everywhere = {0};

	if (!live_blocks_look(&everywhere, recording, true, add, present))
		present->failed = true;
	live_blocks_free(&everywhere);
	if (present->count > 0)
		qsort(present->blocks, present->count, sizeof(*present->blocks),
			compare);
	return !present->failed;
}

/* The first block of the writer that is not before this one.  Null: none. */
static const struct recording_block *first_from(
	const struct present *present, uint32_t writer, uint32_t sequence)
{
	const struct recording_block wanted = {
		.writer = writer, .sequence = sequence};
	size_t low = 0;
	size_t high = present->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(&present->blocks[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < present->count && present->blocks[low].writer == writer
		       ? &present->blocks[low]
		       : NULL;
}

/* What is still to be read of these blocks cannot be, if one is gone. */
static void abandon_freed(struct status_count *count,
	struct live_writer *writer, const struct present *present)
{
	struct writer_stream *stream = &writer->stream;
	const struct recording_block *block;
	bool all = true;

	for (block = stream->block; all && block != stream->blocks_end;
		block++) {
		const struct recording_block *found =
			first_from(present, writer->number, block->sequence);

		all = found && found->sequence == block->sequence &&
		      found->offset == block->offset;
	}
	if (all)
		return;
	if (stream->window_end < stream->block->size)
		count->missed += stream->block->size - stream->window_end;
	for (block = stream->block + 1; block != stream->blocks_end; block++)
		count->missed += block->size;
	writer_window_drop(stream);
	stream->window_end = 0;
	stream->last_bytes = 0;
	stream->block = stream->blocks_end;
	stream->state = WRITER_WAITS;
}

/* Goes on with the first block that is there. */
static void skip_freed(struct status_count *count, struct live_writer *writer,
	const struct present *present)
{
	const struct recording_block *next =
		first_from(present, writer->number, writer->next_sequence);

	if (!next || next->sequence == writer->next_sequence)
		return;
	count->missed +=
		(uint64_t)(next->sequence - writer->next_sequence) * next->size;
	writer->next_sequence = next->sequence;
}

void status_gaps_look(struct status_count *count)
{
	struct live_capture *capture = count->capture;
	struct error_list errors = count->errors;
	struct present present = {0};
	size_t i;

	count->missed = 0;
	live_capture_notice_freed(capture);
	if (capture->recording->freed.bytes == 0) {
		live_capture_look(capture, false);
		return;
	}
	if (find_present(&present, capture->recording)) {
		for (i = 0; i < capture->count; i++) {
			abandon_freed(count, capture->writers[i], &present);
			skip_freed(count, capture->writers[i], &present);
		}
		/* Any place may have another block now. */
		live_blocks_free(&capture->places);
		capture->early.count = 0;
	}
	free(present.blocks);
	live_capture_look(capture, false);
	/* Those that are known were found twice. */
	count->errors = errors;
	count->failed |= present.failed;
}
