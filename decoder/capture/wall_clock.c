#include "decoder/capture/wall_clock.h"

#include <stdlib.h>

/* Rates beyond these are no clock's: 100 GHz and 1 MHz. */
#define RATE_LEAST 0.01
#define RATE_MOST 1000.0

/* Wall time that differs so much from time passed was set, not steered. */
#define SET_NS 1000000.0
#define STEERED_SHARE 0.001

/* Two readings of the clocks that differ by less tell the same time. */
#define SAME_NS 1000.0

/* Ticks that tell another time than both clocks do, by so much and by half of
 * what has passed, have jumped: no change of frequency is as large. */
#define JUMP_NS 10e6
#define MEASURED_NS 1e6
#define JUMP_SHARE 0.5

/* Less apart anchors do not tell how fast counters of 0.5 to 10 GHz are. */
#define FROM_BOOT_NS 10e6
#define FROM_BOOT_LEAST 0.1
#define FROM_BOOT_MOST 2.0

static int compare_times(const void *left, const void *right)
{
	const struct binlog_anchor *a = left;
	const struct binlog_anchor *b = right;

	if (a->boottime != b->boottime)
		return a->boottime < b->boottime ? -1 : 1;
	return a->ticks < b->ticks ? -1 : a->ticks > b->ticks;
}

static int compare_rates(const void *left, const void *right)
{
	const double *a = left;
	const double *b = right;

	return *a < *b ? -1 : *a > *b;
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

/* 0: none that a clock could have. */
static double sane_rate(double nanoseconds, double ticks)
{
	double rate = ticks > 0 ? nanoseconds / ticks : 0;

	return rate >= RATE_LEAST && rate <= RATE_MOST ? rate : 0;
}

static double difference(uint64_t before, uint64_t after)
{
	return (double)(int64_t)(after - before);
}

/* 0: not known, since the machine has slept in between, or what has passed is
 * not much longer than it takes to read an anchor. */
static double rate_of(
	const struct binlog_anchor *a, const struct binlog_anchor *b)
{
	double passed = difference(a->boottime, b->boottime);
	double awake = difference(a->monotonic, b->monotonic);

	return passed < MEASURED_NS || passed - awake > MEASURED_NS
		       ? 0
		       : sane_rate(passed, difference(a->ticks, b->ticks));
}

/*
 * Counters mostly count from the boot on.  If what has been measured since the
 * capture began agrees with that, to what reading an anchor is off by, it is
 * the better measure, by hours: a rate of 20 ms would be off by a microsecond
 * some tenths of a second later, and by something else in each process.
 */
static double rate_over_all(const struct wall_clock *clock)
{
	const struct binlog_anchor *first = &clock->first;
	const double ticks = difference(first->ticks, clock->last.ticks);
	double passed = difference(first->boottime, clock->last.boottime);
	double rate = sane_rate(passed, ticks);
	double boot = sane_rate(
		difference(0, first->boottime), difference(0, first->ticks));

	if (clock->nanoseconds || rate == 0)
		return 1;
	if (boot > FROM_BOOT_LEAST && boot < FROM_BOOT_MOST &&
		passed - ticks * boot < SAME_NS &&
		passed - ticks * boot > -SAME_NS)
		return boot;
	return rate;
}

static bool is_far(double told, double passed)
{
	double apart = told > passed ? told - passed : passed - told;

	return apart > JUMP_NS + (passed > 0 ? passed : -passed) * JUMP_SHARE;
}

/* What ticks have told between two anchors, nanoseconds.  Without a rate it
 * only shows if they go backwards. */
static double told_between(double rate, const struct binlog_anchor *a,
	const struct binlog_anchor *b)
{
	double ticks = difference(a->ticks, b->ticks);

	if (rate == 0 && ticks >= 0)
		return difference(a->boottime, b->boottime);
	return ticks * (rate == 0 ? 1 : rate);
}

/* The counter was set, or stood still, between two anchors. */
static bool is_broken(const struct wall_clock *clock, double rate,
	const struct binlog_anchor *a, const struct binlog_anchor *b)
{
	return !clock->nanoseconds &&
	       is_far(told_between(rate, a, b),
		       difference(a->boottime, b->boottime));
}

/*
 * A counter that has stopped while the machine slept has done as the kernel's
 * clock does; only one that agrees with no clock is worth a word.
 */
static void report_jump(struct wall_clock *clock, struct recording *capture,
	double rate, const struct binlog_anchor *a,
	const struct binlog_anchor *b)
{
	double told = told_between(rate, a, b);
	double passed = difference(a->boottime, b->boottime);

	if (clock->jumped || !is_broken(clock, rate, a, b) ||
		!is_far(told, difference(a->monotonic, b->monotonic)) ||
		!is_far(told, difference(a->realtime, b->realtime)))
		return;
	clock->jumped = true;
	recording_report(capture, ERROR_JUMP, 0,
		(uint64_t)((told > passed ? told - passed : passed - told) /
			   1e6));
}

/* The median between neighbours, which a few jumps do not change; 0: none. */
static double usual_rate(const struct wall_clock *clock, double *rates)
{
	size_t count = 0;
	size_t i;

	for (i = 1; i < clock->count; i++) {
		const struct binlog_anchor *a = &clock->anchors[i - 1];
		const struct binlog_anchor *b = &clock->anchors[i];

		rates[count] = rate_of(a, b);
		count += rates[count] != 0;
	}
	if (count == 0)
		return 0;
	qsort(rates, count, sizeof(*rates), compare_rates);
	return rates[count / 2];
}

/* Draws the lines, and takes the rate over all from the longest. */
static void draw_lines(
	struct wall_clock *clock, struct recording *capture, double rate)
{
	size_t longest = 0;
	size_t i;

	for (i = 0; i < clock->count; i++) {
		const struct binlog_anchor *anchor = &clock->anchors[i];

		clock->line[i] = i;
		if (i == 0)
			continue;
		report_jump(clock, capture, rate, anchor - 1, anchor);
		if (!is_broken(clock, rate, anchor - 1, anchor))
			clock->line[i] = clock->line[i - 1];
		if (anchor->boottime - clock->anchors[clock->line[i]].boottime >
			clock->anchors[longest].boottime -
				clock->anchors[clock->line[longest]].boottime)
			longest = i;
	}
	if (clock->count == 0)
		return;
	clock->last = clock->anchors[longest];
	if (is_broken(clock, rate, &clock->first, &clock->last))
		clock->first = clock->anchors[clock->line[longest]];
}

/*
 * Without the header's anchor there may be no two that are far enough apart
 * for a rate.  Counters mostly count from the boot on: that is the other one.
 */
static void measure_from_boot(
	struct wall_clock *clock, const struct recording *capture)
{
	const struct binlog_anchor *first = &clock->first;
	struct binlog_anchor boot = {
		.realtime = first->realtime - first->boottime};
	double rate = sane_rate(
		difference(0, first->boottime), difference(0, first->ticks));

	if (capture->page_lost && !clock->nanoseconds &&
		difference(first->boottime, clock->last.boottime) <
			FROM_BOOT_NS &&
		rate > FROM_BOOT_LEAST && rate < FROM_BOOT_MOST)
		clock->first = boot;
}

bool wall_clock_begin(struct wall_clock *clock, struct recording *capture)
{
	double *rates = malloc((capture->block_count + 1) * sizeof(*rates));
	size_t i;

	*clock = (struct wall_clock){
		.first = capture->header.start,
		.last = capture->header.start,
		.nanoseconds = capture->header.clock != BINLOG_CLOCK_TSC,
	};
	clock->anchors =
		malloc((capture->block_count + 1) * sizeof(*clock->anchors));
	clock->line = malloc((capture->block_count + 1) * sizeof(*clock->line));
	if (!rates || !clock->anchors || !clock->line) {
		free(rates);
		return false;
	}
	for (i = 0; i < capture->block_count; i++)
		clock->anchors[clock->count++] = capture->blocks[i].anchor;
	if (clock->count > 0)
		qsort(clock->anchors, clock->count, sizeof(*clock->anchors),
			compare_times);
	draw_lines(clock, capture, usual_rate(clock, rates));
	measure_from_boot(clock, capture);
	report_set_back(clock, capture);
	free(rates);
	return true;
}

void wall_clock_learn(struct wall_clock *clock, struct recording *capture,
	const struct binlog_anchor *before, const struct binlog_anchor *anchor)
{
	double rate = rate_of(&clock->first, &clock->last);

	report_jump(clock, capture, rate, before, anchor);
	if (anchor->ticks > clock->last.ticks &&
		anchor->boottime > clock->last.boottime &&
		!is_broken(clock, rate, &clock->last, anchor))
		clock->last = *anchor;
}

bool wall_clock_agrees(
	const struct wall_clock *clock, const struct wall_clock *other)
{
	return !is_broken(clock, rate_of(&clock->first, &clock->last),
		&clock->first, &other->first);
}

static double rate_between(const struct wall_clock *clock,
	const struct binlog_anchor *a, const struct binlog_anchor *b)
{
	double passed = difference(a->monotonic, b->monotonic);
	double wall = difference(a->realtime, b->realtime);
	double apart = wall > passed ? wall - passed : passed - wall;
	double rate = sane_rate(
		apart < SET_NS + passed * STEERED_SHARE ? wall : passed,
		difference(a->ticks, b->ticks));

	return rate == 0 ? rate_over_all(clock) : rate;
}

/* How many anchors were read at this time or before it. */
static size_t count_until(const struct wall_clock *clock, uint64_t boottime)
{
	size_t low = 0;
	size_t high = clock->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (clock->anchors[middle].boottime <= boottime)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Whether an anchor is on the line of `first`, and not later than `ticks`. */
static bool is_until(const struct wall_clock *clock, size_t anchor,
	size_t first, uint64_t ticks)
{
	return clock->line[anchor] == clock->line[first] &&
	       clock->anchors[anchor].ticks <= ticks;
}

/*
 * The anchors around it tell the same time as this one does: then these are
 * taken, so that all threads have the same time at the same ticks.
 */
static bool is_as_told(const struct wall_clock *clock,
	const struct binlog_anchor *near, size_t first, size_t next)
{
	const struct binlog_anchor *before, *after;
	double told;

	if (first == 0 || next == clock->count ||
		clock->line[first - 1] != clock->line[next])
		return false;
	before = &clock->anchors[first - 1];
	after = &clock->anchors[next];
	told = difference(before->ticks, near->ticks) *
	       rate_between(clock, before, after);
	told -= difference(before->realtime, near->realtime);
	return told > -SAME_NS && told < SAME_NS;
}

struct wall_segment wall_clock_segment(const struct wall_clock *clock,
	const struct binlog_anchor *near, uint64_t ticks)
{
	size_t first = count_until(clock, near->boottime);
	size_t next = first;
	size_t high = clock->count;
	const struct binlog_anchor *from = near;
	struct wall_segment segment;

	if (first < clock->count &&
		is_broken(clock, rate_of(&clock->first, &clock->last), near,
			&clock->anchors[first]))
		first = next = high;
	while (next < high) {
		size_t middle = next + (high - next) / 2;

		if (is_until(clock, middle, first, ticks))
			next = middle + 1;
		else
			high = middle;
	}
	if (next > first || is_as_told(clock, near, first, next))
		from = &clock->anchors[next - 1];
	segment = (struct wall_segment){
		.from = from->ticks,
		.span = UINT64_MAX,
		.realtime = from->realtime,
	};
	if (next < clock->count && clock->line[next] == clock->line[first]) {
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
	free(clock->line);
	*clock = (struct wall_clock){0};
}
