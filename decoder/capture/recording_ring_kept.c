#include "decoder/capture/recording_ring.h"

#include <string.h>

/* Both of one writer. */
static bool follows(const struct recording_block *after,
	const struct recording_block *block)
{
	return ((after->sequence - block->sequence) & ~BINLOG_RING_DATA) == 1;
}

void recording_ring_prune(struct recording *capture)
{
	const struct recording_ring *ring = capture->ring;
	const struct recording_block *after = NULL;
	size_t kept = capture->block_count;
	bool whole = true;
	size_t i;

	for (i = capture->block_count; i > 0; i--) {
		struct recording_block block = capture->blocks[i - 1];
		bool last = !after || after->writer != block.writer;

		if (block.sequence & BINLOG_RING_DATA) {
			whole = last || (whole && follows(after, &block));
			block.windowed = ring->head.waits || !whole;
		} else {
			whole = true;
		}
		capture->blocks[kept - 1] = block;
		after = &capture->blocks[kept - 1];
		kept -= whole || block.kept || ring->window_count > 0;
	}
	capture->block_count -= kept;
	if (capture->block_count > 0)
		memmove(capture->blocks, capture->blocks + kept,
			capture->block_count * sizeof(*capture->blocks));
}

bool recording_ring_shows(const struct recording *capture, uint64_t ticks)
{
	const struct recording_ring *ring = capture->ring;
	size_t i;

	if (ring->all)
		return true;
	for (i = ring->window_count; i > 0; i--)
		if (ticks >= ring->windows[i - 1].from &&
			ticks <= ring->windows[i - 1].until)
			return true;
	return false;
}

bool recording_ring_waits(const struct recording *capture)
{
	const struct recording_ring *ring = capture->ring;

	return ring && ring->head.waits && ring->window_count == 0 &&
	       !ring->all;
}
