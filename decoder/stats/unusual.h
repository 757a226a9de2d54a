/*
 * What a stream of numbers has that the rest of it has not: a few values far
 * from all others, a rate that changes, a step that is missing.  Filled value
 * by value in bounded memory by anomalies.c, and asked at the end.
 */
#ifndef DECODER_UNUSUAL_H
#define DECODER_UNUSUAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- the largest of many values ---- */

#define PEAKS 4u

struct peak {
	double value;
	uint64_t from; /* wall time */
	uint64_t to;
};

/* All zeros is empty; what is not above 0 is counted only. */
struct peaks {
	uint64_t count;
	double sum;
	struct peak top[PEAKS]; /* the largest first, of equal ones the first */
};

void peaks_insert(struct peaks *peaks, const struct peak *peak);

static inline void peaks_add(
	struct peaks *peaks, double value, uint64_t from, uint64_t to)
{
	const struct peak peak = {value, from, to};

	peaks->count++;
	peaks->sum += value;
	if (__builtin_expect(value > peaks->top[PEAKS - 1].value, 0))
		peaks_insert(peaks, &peak);
}

/*
 * How many of the largest, fewer than PEAKS, are each at least so many times
 * as large as all others; top[] has the largest of these behind them.
 */
unsigned peaks_apart(const struct peaks *peaks, double times);

/*
 * Whether a time in which nothing came is longer than chance makes it, if
 * `next` is the longest of `count` others, at least 20, and `mean` their mean:
 * a second or more, no more than all of these together, at least four times the
 * longest, and either these are all about the same, or of as many events at
 * random such a time comes in less than one of 20,000 logs.
 */
bool peaks_is_silence(double time, double next, double mean, uint64_t count);

/* ---- how large most of them are ---- */

#define SPREAD_PLACES 64u

/* All zeros is empty. */
struct spread {
	uint64_t counts[SPREAD_PLACES]; /* by powers of two */
};

void spread_add(struct spread *spread, double value);

/* Half of `count` values are below: a power of two, or 0. */
double spread_middle(const struct spread *spread, uint64_t count);

/* ---- events in stretches of time ---- */

#define WINDOWS 128u
#define WINDOWS_SHIFT_LEAST 27u /* 134 ms */

/* All zeros is empty; a window is as long as 1 << shift nanoseconds. */
struct windows {
	uint32_t counts[WINDOWS];
	unsigned shift;
};

/* As long as it takes for a moment so far behind the first to be in one. */
unsigned windows_shift(unsigned shift, uint64_t offset);

/* Makes them as long as that; they do not become shorter. */
void windows_widen(struct windows *windows, unsigned shift);

/* `shift` is of windows_shift() of this and all moments before. */
static inline void windows_add(
	struct windows *windows, uint64_t offset, unsigned shift)
{
	uint32_t *count;

	if (__builtin_expect(windows->shift != shift, 0))
		windows_widen(windows, shift);
	count = &windows->counts[offset >> shift];
	*count += *count < UINT32_MAX;
}

/* Windows in a row, from `begin` to before `end`. */
struct windows_change {
	unsigned begin;
	unsigned end;
	bool more;	 /* than before; else fewer */
	uint64_t count;	 /* in all of them */
	uint32_t most;	 /* in one of them; of fewer ones the least */
	uint32_t before; /* in one of those before: the most, or the least */
	double times;	 /* how many times more or fewer */
};

#define WINDOWS_CHANGES 3u

/*
 * Changes that do not belong to how it is: from `first` to `last`, the windows
 * of the first and of the last event.  A window is compared with all before
 * it that are none, of which there are at least 8 with 20 events.  It has more
 * if it has at least 20, three times what any of these has, and 8 deviations
 * above their mean; fewer if it is not the last, and it and one beside it have
 * some, but a fourth of what any has, and 4 deviations below.  A deviation is
 * the one of these windows, but not less than that of events at random.  A
 * change lasts as long as windows have twice as many, or half.  What
 * happens more than WINDOWS_CHANGES times is how it is.  Windows of which
 * `alive`, which has all events of all kinds, has none are left out.
 */
size_t windows_changes(const struct windows *windows,
	const struct windows *alive, unsigned first, unsigned last,
	struct windows_change changes[static 2 * WINDOWS_CHANGES]);

/* ---- numbers that count ---- */

#define STEPS_KEPT 3u

struct steps_break {
	int64_t from;
	int64_t to;
	uint64_t wall;
};

struct steps_breaks {
	uint64_t count;
	struct steps_break kept[STEPS_KEPT]; /* the first */
};

/* All zeros is empty.  Differences are modulo 2^64. */
struct steps {
	bool begun;
	int64_t first;
	int64_t last;
	int64_t step; /* from one to the next, mostly; 0: it is no counter */
	uint64_t hits;
	uint64_t count; /* of all steps */
	uint64_t rises;
	struct steps_breaks breaks; /* steps that are others */
	struct steps_breaks falls;
};

void steps_break(struct steps *steps, int64_t from, int64_t to, uint64_t wall);

static inline void steps_add(struct steps *steps, int64_t value, uint64_t wall)
{
	int64_t last = steps->last;
	int64_t step = (int64_t)((uint64_t)value - (uint64_t)last);

	steps->last = value;
	steps->rises += step > 0;
	if (__builtin_expect(steps->hits > 0 && step == steps->step, 1)) {
		steps->hits++;
		steps->count++;
		return;
	}
	steps_break(steps, last, value, wall);
}

/* Whether all steps but some that may be unusual are the same. */
bool steps_are_even(const struct steps *steps);

/* Whether it mostly rises, by whatever. */
bool steps_rise(const struct steps *steps);

/*
 * The breaks that are unusual, or of what only rises the falls: there are no
 * more than STEPS_KEPT, and of each 50 others.  That it begins anew, where it
 * began or below, is not; nor the way back after one value that stood alone.
 */
size_t steps_unusual(const struct steps *steps,
	struct steps_break breaks[static STEPS_KEPT]);

#endif
