/*
 * From ticks to wall time, piecewise: between the two anchors around a moment
 * where both are known, else by the rate over all that was seen.  One for
 * each capture, asked by its writers' streams.  A clock that was set between
 * two anchors changes the time at the second one, not gradually before it.
 * Where ticks jump (a machine that was restored, cores that disagree) another
 * line of ticks begins; no time is told from an anchor on another line.
 */
#ifndef DECODER_WALL_CLOCK_H
#define DECODER_WALL_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/capture/recording.h"

struct wall_clock {
	struct binlog_anchor *anchors; /* of the file's blocks, by time */
	size_t *line; /* of each: the first one on the same line of ticks */
	size_t count;
	struct binlog_anchor first; /* the widest two: the rate over all */
	struct binlog_anchor last;
	bool nanoseconds; /* ticks are these */
	bool jumped;	  /* and it is reported */
};

/* A stretch of ticks with one rate; all zeros holds for no ticks. */
struct wall_segment {
	uint64_t from; /* ticks */
	uint64_t span; /* the segment ends before from + span */
	uint64_t realtime;
	double rate; /* nanoseconds per tick */
};

/*
 * Collects the anchors of the capture's blocks; reports if wall time goes
 * backwards among them, or if ticks jump.  False: out of memory.
 */
bool wall_clock_begin(struct wall_clock *clock, struct recording *capture);

/*
 * Takes note of an anchor from a record, for the rate; `before` is the one
 * before it in the same writer's records.  Reports the first jump of ticks.
 */
void wall_clock_learn(struct wall_clock *clock, struct recording *capture,
	const struct binlog_anchor *before, const struct binlog_anchor *anchor);

/* Ticks of both clocks, which began in one boot, are on one line. */
bool wall_clock_agrees(
	const struct wall_clock *clock, const struct wall_clock *other);

/*
 * The segment for `ticks` in records that follow `near`, their latest anchor.
 */
struct wall_segment wall_clock_segment(const struct wall_clock *clock,
	const struct binlog_anchor *near, uint64_t ticks);

void wall_clock_end(struct wall_clock *clock);

static inline bool wall_segment_holds(
	const struct wall_segment *segment, uint64_t ticks)
{
	return ticks - segment->from < segment->span;
}

/* Nanoseconds since 1970; only for ticks that the segment holds for. */
static inline uint64_t wall_segment_time(
	const struct wall_segment *segment, uint64_t ticks)
{
	double passed = (double)(ticks - segment->from) * segment->rate + 0.5;

	return segment->realtime + (uint64_t)(passed < 1e18 ? passed : 1e18);
}

#endif
