#include "decoder/wall_clock.h"

#include <stdlib.h>

/* Rates beyond these are no clock's: 100 GHz and 1 MHz. */
#define RATE_LEAST 0.01
#define RATE_MOST 1000.0

/* Wall time that differs so much from time passed was set, not steered. */
#define SET_NS 1000000.0
#define STEERED_SHARE 0.001

static int compare_ticks(const void *left, const void *right)
{
	const struct binlog_anchor *a = left;
	const struct binlog_anchor *b = right;

	return a->ticks < b->ticks ? -1 : a->ticks > b->ticks;
}

static void report_set_back(struct wall_clock *clock, struct recording *capture)
{
	size_t i;

	for (i = 1; i < clock->count; i++) {
		uint64_t before = clock->anchors[i - 1].realtime;
		uint64_t after = clock->anchors[i].realtime;

		if (after < before && before - after > (uint64_t)SET_NS)
			recording_report(capture, ERROR_SET_BACK, 0,
				(before - after) / 1000000);
	}
}

bool wall_clock_begin(struct wall_clock *clock, struct recording *capture)
{
	size_t i;

	*clock = (struct wall_clock){
		.first = capture->header.start,
		.last = capture->header.start,
		.nanoseconds = capture->header.clock != BINLOG_CLOCK_TSC,
	};
	clock->anchors =
		malloc((capture->block_count + 1) * sizeof(*clock->anchors));
	if (!clock->anchors)
		return false;
	for (i = 0; i < capture->block_count; i++) {
		clock->anchors[clock->count++] = capture->blocks[i].anchor;
		wall_clock_learn(clock, &capture->blocks[i].anchor);
	}
	if (clock->count > 0)
		qsort(clock->anchors, clock->count, sizeof(*clock->anchors),
			compare_ticks);
	report_set_back(clock, capture);
	return true;
}

void wall_clock_learn(
	struct wall_clock *clock, const struct binlog_anchor *anchor)
{
	if (anchor->ticks > clock->last.ticks &&
		anchor->monotonic > clock->last.monotonic)
		clock->last = *anchor;
}

/* 0: none that a clock could have. */
static double sane_rate(double nanoseconds, double ticks)
{
	double rate = ticks > 0 ? nanoseconds / ticks : 0;

	return rate >= RATE_LEAST && rate <= RATE_MOST ? rate : 0;
}

static double rate_over_all(const struct wall_clock *clock)
{
	double rate = sane_rate(
		(double)clock->last.monotonic - (double)clock->first.monotonic,
		(double)clock->last.ticks - (double)clock->first.ticks);

	return clock->nanoseconds || rate == 0 ? 1 : rate;
}

static double rate_between(const struct wall_clock *clock,
	const struct binlog_anchor *a, const struct binlog_anchor *b)
{
	double ticks = (double)(b->ticks - a->ticks);
	double passed = (double)(int64_t)(b->monotonic - a->monotonic);
	double wall = (double)(int64_t)(b->realtime - a->realtime);
	double difference = wall > passed ? wall - passed : passed - wall;
	double rate = sane_rate(
		difference < SET_NS + passed * STEERED_SHARE ? wall : passed,
		ticks);

	return rate == 0 ? rate_over_all(clock) : rate;
}

/* How many anchors are not later than `ticks`. */
static size_t count_until(const struct wall_clock *clock, uint64_t ticks)
{
	size_t low = 0;
	size_t high = clock->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (clock->anchors[middle].ticks <= ticks)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct wall_segment wall_clock_segment(const struct wall_clock *clock,
	const struct binlog_anchor *near, uint64_t ticks)
{
	size_t next = count_until(clock, ticks);
	const struct binlog_anchor *from = near;
	struct wall_segment segment;

	if (next > 0 && clock->anchors[next - 1].ticks > near->ticks)
		from = &clock->anchors[next - 1];
	segment = (struct wall_segment){
		.from = from->ticks,
		.span = UINT64_MAX,
		.realtime = from->realtime,
	};
	if (next < clock->count) {
		segment.span = clock->anchors[next].ticks - from->ticks;
		segment.rate = rate_between(clock, from, &clock->anchors[next]);
	} else {
		segment.rate = rate_over_all(clock);
	}
	return segment;
}

void wall_clock_end(struct wall_clock *clock)
{
	free(clock->anchors);
	*clock = (struct wall_clock){0};
}
