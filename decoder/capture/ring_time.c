#include "decoder/capture/ring_time.h"

#include "decoder/capture/recording_ring.h"

/* By the longest stretch whose ticks are known. */
static double nanoseconds_per_tick(const struct recording *capture)
{
	const struct binlog_anchor *start = &capture->header.start;
	const struct binlog_anchor *last = start;
	size_t i;

	for (i = 0; i < capture->block_count; i++)
		if (capture->blocks[i].anchor.ticks > last->ticks)
			last = &capture->blocks[i].anchor;
	return last->ticks == start->ticks
		       ? 1
		       : (double)(last->monotonic - start->monotonic) /
				 (double)(last->ticks - start->ticks);
}

/* A file may say anything. */
static double within(double nanoseconds)
{
	return nanoseconds < 0 ? 0 : nanoseconds < 1e18 ? nanoseconds : 1e18;
}

uint64_t ring_time_span(const struct recording *capture)
{
	const struct recording_ring *ring = capture->ring;

	if (ring->head.overwritten == 0)
		return UINT64_MAX;
	return ring->newest <= ring->head.lost_until
		       ? 0
		       : (uint64_t)within((double)(ring->newest -
						   ring->head.lost_until) *
					  nanoseconds_per_tick(capture));
}

uint64_t ring_time_wall(const struct recording *capture, uint64_t ticks)
{
	const struct binlog_anchor *start = &capture->header.start;
	double since = (double)(int64_t)(ticks - start->ticks) *
		       nanoseconds_per_tick(capture);

	return start->realtime + (uint64_t)within(since);
}
