#include "decoder/stats/unusual.h"

#include <string.h>

#define SECOND 1e9

/* Fewer say nothing. */
#define EVENTS_LEAST 20u

#define SILENCE_TIMES 4
#define SILENCE_CHANCE 10 /* natural logarithm of 22,000 */
#define AS_A_CLOCK 1.5	  /* how much longer than the mean the longest is */

void peaks_insert(struct peaks *peaks, const struct peak *peak)
{
	size_t i = PEAKS - 1;

	for (; i > 0 && peak->value > peaks->top[i - 1].value; i--)
		peaks->top[i] = peaks->top[i - 1];
	peaks->top[i] = *peak;
}

unsigned peaks_apart(const struct peaks *peaks, double times)
{
	unsigned apart = PEAKS - 1;

	while (apart > 0 && (peaks->count <= apart ||
				    peaks->top[apart - 1].value <
					    times * peaks->top[apart].value))
		apart--;
	return peaks->top[0].value > 0 ? apart : 0;
}

/* The natural logarithm, from below, as far as bits know it. */
static double logarithm(uint64_t number)
{
	return 0.693 * (63 - __builtin_clzll(number | 1));
}

bool peaks_is_silence(double time, double next, double mean, uint64_t count)
{
	if (count < EVENTS_LEAST || time < SECOND ||
		time < SILENCE_TIMES * next || time > mean * (double)count)
		return false;
	return next <= AS_A_CLOCK * mean ||
	       time >= (logarithm(count) + SILENCE_CHANCE) * mean;
}

/* The exponent of a double, of which the middle 64 are told apart. */
static unsigned place_of(double value)
{
	uint64_t bits;
	int64_t exponent;

	if (!(value > 0))
		return 0;
	memcpy(&bits, &value, sizeof(bits));
	exponent = (int64_t)(bits >> 52) - 1023 + SPREAD_PLACES / 2;
	if (exponent < 1)
		return 1;
	return exponent < SPREAD_PLACES ? (unsigned)exponent
					: SPREAD_PLACES - 1;
}

void spread_add(struct spread *spread, double value)
{
	spread->counts[place_of(value)]++;
}

double spread_middle(const struct spread *spread, uint64_t count)
{
	double value = 1.0 / ((uint64_t)1 << (SPREAD_PLACES / 2 - 2));
	uint64_t below = spread->counts[0];
	unsigned place = 0;

	if (2 * below > count)
		return 0;
	for (place = 1; place < SPREAD_PLACES - 1; place++, value *= 2) {
		below += spread->counts[place];
		if (2 * below >= count)
			break;
	}
	return value;
}

unsigned windows_shift(unsigned shift, uint64_t offset)
{
	if (shift < WINDOWS_SHIFT_LEAST)
		shift = WINDOWS_SHIFT_LEAST;
	while (offset >> shift >= WINDOWS)
		shift++;
	return shift;
}

static uint32_t add(uint32_t a, uint32_t b)
{
	return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

void windows_widen(struct windows *windows, unsigned shift)
{
	uint32_t *counts = windows->counts;
	unsigned i;

	if (windows->shift == 0)
		windows->shift = shift;
	for (; windows->shift < shift; windows->shift++) {
		for (i = 0; i < WINDOWS / 2; i++)
			counts[i] = add(counts[2 * i], counts[2 * i + 1]);
		memset(counts + WINDOWS / 2, 0, WINDOWS / 2 * sizeof(*counts));
	}
}

#define BEFORE_LEAST 8u
#define MORE_TIMES 3u
#define MORE_DEVIATIONS 8u
#define FEWER_TIMES 4u
#define FEWER_DEVIATIONS 4u

/* The windows that are as they should. */
struct calm {
	unsigned windows;
	uint64_t events;
	double squares;
	uint32_t most;
	uint32_t least; /* the first, of which a part was over, is none */
};

static void calm_add(struct calm *calm, uint32_t count)
{
	if (count > calm->most)
		calm->most = count;
	if (calm->windows == 1 || (calm->windows > 1 && count < calm->least))
		calm->least = count;
	calm->windows++;
	calm->events += count;
	calm->squares += (double)count * count;
}

/* Whether the difference to the mean is more than so many deviations. */
static bool is_far(const struct calm *calm, uint32_t count, unsigned deviations)
{
	double mean = (double)calm->events / calm->windows;
	double variance = calm->squares / calm->windows - mean * mean;
	double difference = count - mean;

	if (variance < mean)
		variance = mean;
	if (variance < 1)
		variance = 1;
	return difference * difference >=
	       (double)deviations * deviations * variance;
}

static bool is_known(const struct calm *calm)
{
	return calm->windows >= BEFORE_LEAST && calm->events >= EVENTS_LEAST;
}

static bool is_more(const struct calm *calm, uint32_t count)
{
	return is_known(calm) && count >= EVENTS_LEAST &&
	       count / MORE_TIMES >= calm->most &&
	       is_far(calm, count, MORE_DEVIATIONS);
}

static bool is_fewer(const struct calm *calm, uint32_t count)
{
	return is_known(calm) && count > 0 &&
	       count <= calm->least / FEWER_TIMES &&
	       is_far(calm, count, FEWER_DEVIATIONS);
}

/* One beside such a window need not be as far from the others. */
static bool goes_on(const struct calm *calm, uint32_t count, bool more)
{
	return more ? count / 2 >= calm->most
		    : count > 0 && count <= calm->least / 2;
}

/* All up to the first that is not like it. */
static struct windows_change change_of(const struct windows *windows,
	const struct calm *calm, unsigned begin, unsigned last, bool more)
{
	struct windows_change change = {.begin = begin,
		.end = begin,
		.more = more,
		.most = windows->counts[begin],
		.before = more ? calm->most : calm->least};

	while (change.end + !more <= last &&
		goes_on(calm, windows->counts[change.end], more)) {
		uint32_t count = windows->counts[change.end++];

		change.count += count;
		if (more ? count > change.most : count < change.most)
			change.most = count;
	}
	change.times = more ? (double)change.most / calm->most
			    : (double)change.before / change.most;
	return change;
}

size_t windows_changes(const struct windows *windows,
	const struct windows *alive, unsigned first, unsigned last,
	struct windows_change changes[static 2 * WINDOWS_CHANGES])
{
	struct windows_change all[2][WINDOWS_CHANGES];
	size_t counts[2] = {0, 0};
	struct calm calm = {0};
	size_t count = 0;
	size_t i;

	while (first <= last) {
		bool more = is_more(&calm, windows->counts[first]);
		struct windows_change change;

		if (alive->counts[first] == 0) {
			first++;
			continue;
		}
		if (!more &&
			(first == last ||
				!is_fewer(&calm, windows->counts[first]))) {
			calm_add(&calm, windows->counts[first++]);
			continue;
		}
		change = change_of(windows, &calm, first, last, more);
		first = change.end;
		if (!more && change.end - change.begin < 2)
			continue;
		if (counts[more] < WINDOWS_CHANGES)
			all[more][counts[more]] = change;
		counts[more]++;
	}
	for (i = 0; i < 2; i++) {
		if (counts[i] == 0 || counts[i] > WINDOWS_CHANGES)
			continue;
		memcpy(changes + count, all[i], counts[i] * sizeof(*changes));
		count += counts[i];
	}
	return count;
}

/* Until so many steps were the same another one begins anew. */
#define STEPS_LEARNT 8u
#define STEPS_EACH 50u

static void note(struct steps_breaks *breaks, const struct steps_break *one)
{
	if (breaks->count < STEPS_KEPT)
		breaks->kept[breaks->count] = *one;
	breaks->count++;
}

void steps_break(struct steps *steps, int64_t from, int64_t to, uint64_t wall)
{
	const struct steps_break one = {from, to, wall};
	int64_t step = (int64_t)((uint64_t)to - (uint64_t)from);

	if (!steps->begun) {
		steps->begun = true;
		steps->first = to;
		steps->rises = 0;
		return;
	}
	steps->count++;
	if (step < 0)
		note(&steps->falls, &one);
	note(&steps->breaks, &one);
	if (steps->hits >= STEPS_LEARNT &&
		steps->breaks.count <= steps->hits / 4)
		return;
	steps->step = step;
	steps->hits = 1;
	steps->breaks.count = 0;
}

static bool are_few(uint64_t some, uint64_t others)
{
	return some <= STEPS_KEPT && others / STEPS_EACH >= (some ? some : 1);
}

bool steps_are_even(const struct steps *steps)
{
	return steps->step != 0 && are_few(steps->breaks.count, steps->hits);
}

bool steps_rise(const struct steps *steps)
{
	return are_few(steps->falls.count, steps->rises) &&
	       steps->rises / 4 >= steps->count / 5;
}

/* Where the steps go down, it is the other way round. */
static bool begins_anew(const struct steps *steps, int64_t value)
{
	return steps->step < 0 ? value >= steps->first : value <= steps->first;
}

/* After a value that stood alone it goes on where it was. */
static bool is_way_back(const struct steps *steps,
	const struct steps_break *before, const struct steps_break *one)
{
	return before->to == one->from &&
	       (uint64_t)one->to - (uint64_t)before->from ==
		       2 * (uint64_t)steps->step;
}

size_t steps_unusual(
	const struct steps *steps, struct steps_break breaks[static STEPS_KEPT])
{
	bool even = steps_are_even(steps);
	const struct steps_breaks *from = even ? &steps->breaks : &steps->falls;
	size_t count = 0;
	size_t i;

	if (!even && !steps_rise(steps))
		return 0;
	for (i = 0; i < from->count; i++) {
		const struct steps_break *one = &from->kept[i];
		bool back = steps->step < 0 && even ? one->to > one->from
						    : one->to < one->from;

		if (back && begins_anew(steps, one->to))
			continue;
		if (even && i > 0 &&
			is_way_back(steps, &from->kept[i - 1], one))
			continue;
		breaks[count++] = *one;
	}
	return count;
}
