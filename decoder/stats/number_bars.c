#include "decoder/stats/number_bars.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* A power of two. */
#define PARTS ((int64_t)NUMBER_BARS_MAX)
/* Places of parts are of no more bits. */
#define PLACE_BITS 62
#define SCALE_LEAST (-1074)

/*
 * A part is 2^scale wide; that of a value has the place value / 2^scale,
 * rounded down.  Those from `first` to `last` are in use, and their counts are
 * at their places modulo PARTS.
 */
struct number_bars {
	int scale;
	int64_t first;
	int64_t last;
	bool any;
	bool failed;
	uint64_t counts[PARTS];
};

struct number_bars *number_bars_new(void)
{
	struct number_bars *bars = calloc(1, sizeof(*bars));

	if (bars)
		bars->scale = SCALE_LEAST;
	return bars;
}

static uint64_t *count_at(struct number_bars *bars, int64_t place)
{
	return &bars->counts[(uint64_t)place % (uint64_t)PARTS];
}

/* So that its place has few bits enough. */
static int least_scale(long double value)
{
	int exponent;

	if (value == 0)
		return SCALE_LEAST;
	frexpl(value, &exponent);
	return exponent - PLACE_BITS < SCALE_LEAST ? SCALE_LEAST
						   : exponent - PLACE_BITS;
}

static int64_t place_of(long double value, int scale)
{
	return (int64_t)floorl(ldexpl(value, -scale));
}

static int64_t shifted(int64_t place, int by)
{
	return place >> (by < 63 ? by : 63);
}

/* Parts of a larger scale are those of a smaller one put together. */
static void put_together(struct number_bars *bars, int scale)
{
	int by = scale - bars->scale;
	uint64_t *counts = calloc((size_t)PARTS, sizeof(*counts));
	int64_t place;

	if (!counts) {
		bars->failed = true;
		return;
	}
	for (place = bars->first; place <= bars->last; place++)
		counts[(uint64_t)shifted(place, by) % (uint64_t)PARTS] +=
			*count_at(bars, place);
	for (place = 0; place < PARTS; place++)
		bars->counts[place] = counts[place];
	free(counts);
	bars->first = shifted(bars->first, by);
	bars->last = shifted(bars->last, by);
	bars->scale = scale;
}

/* Makes room for the value: the least scale that has it. */
__attribute__((noinline)) static void widen(
	struct number_bars *bars, long double value)
{
	int scale = least_scale(value);
	int64_t place, first, last;

	if (scale < bars->scale)
		scale = bars->scale;
	for (;; scale++) {
		place = place_of(value, scale);
		first = shifted(bars->first, scale - bars->scale);
		last = shifted(bars->last, scale - bars->scale);
		if (!bars->any)
			first = last = place;
		first = place < first ? place : first;
		last = place > last ? place : last;
		if (last - first < PARTS)
			break;
	}
	if (bars->any && scale > bars->scale)
		put_together(bars, scale);
	if (bars->failed)
		return;
	bars->scale = scale;
	bars->first = first;
	bars->last = last;
	bars->any = true;
}

void number_bars_add(
	struct number_bars *bars, long double value, uint64_t times)
{
	if (!bars->any || least_scale(value) > bars->scale ||
		place_of(value, bars->scale) < bars->first ||
		place_of(value, bars->scale) > bars->last)
		widen(bars, value);
	if (!bars->failed)
		*count_at(bars, place_of(value, bars->scale)) += times;
}

static bool are_in(const struct number_bars *bars, int64_t least, int64_t most)
{
	return bars->any && least_scale(least) <= bars->scale &&
	       least_scale(most) <= bars->scale &&
	       place_of(least, bars->scale) >= bars->first &&
	       place_of(most, bars->scale) <= bars->last;
}

static void add_in(
	struct number_bars *bars, const int64_t *values, size_t count)
{
	int left = bars->scale < 0 ? -bars->scale : 0;
	int right = bars->scale > 0 ? bars->scale : 0;
	size_t i;

	if (left > 63)
		left = 63; /* they are all 0 */
	for (i = 0; i < count; i++)
		++*count_at(
			bars, (int64_t)((uint64_t)values[i] << left) >> right);
}

void number_bars_add_integers(
	struct number_bars *bars, const int64_t *values, size_t count)
{
	int64_t least = INT64_MAX;
	int64_t most = INT64_MIN;
	size_t i;

	for (i = 0; i < count; i++) {
		least = values[i] < least ? values[i] : least;
		most = values[i] > most ? values[i] : most;
	}
	if (count > 0 && !are_in(bars, least, most)) {
		widen(bars, least);
		widen(bars, most);
	}
	if (count > 0 && !bars->failed)
		add_in(bars, values, count);
}

/* Of 1; not a number where that is no ordinary double. */
static double parts_of(const struct number_bars *bars)
{
	double parts = ldexp(1, -bars->scale);

	return isnormal(parts) ? parts : NAN;
}

/* False: the value has no place yet, or is not finite. */
static bool count_in(struct number_bars *bars, double value, double parts)
{
	double scaled = value * parts;
	int64_t place;

	if (!(fabs(scaled) < 0x1p62) || !bars->any)
		return false;
	place = (int64_t)scaled;
	place -= (double)place > scaled;
	if (place < bars->first || place > bars->last)
		return false;
	++*count_at(bars, place);
	return true;
}

void number_bars_add_floats(
	struct number_bars *bars, const double *values, size_t count)
{
	double parts = parts_of(bars);
	size_t i;

	for (i = 0; i < count && !bars->failed; i++) {
		if (count_in(bars, values[i], parts) || !isfinite(values[i]))
			continue;
		number_bars_add(bars, values[i], 1);
		parts = parts_of(bars);
	}
}

/* How many bars there would be. */
static long double bars_of(const struct number_bars *bars, long double width)
{
	long double first = ldexpl((long double)bars->first, bars->scale);
	long double last = ldexpl((long double)bars->last, bars->scale);

	return floorl(last / width) - floorl(first / width) + 1;
}

static bool is_whole(const struct number_bars *bars, long double width)
{
	long double parts = ldexpl(width, -bars->scale);

	return parts >= 1 && parts < 0x1p62L && floorl(parts) == parts;
}

/* The narrowest.  0: parts cannot be put together so. */
static long double decimal_width(
	const struct number_bars *bars, unsigned most, int least_power)
{
	static const int steps[] = {1, 2, 5};
	int power;
	size_t i;

	for (power = least_power; power <= LDBL_MAX_10_EXP - 1; power++)
		for (i = 0; i < 3; i++) {
			long double width =
				power < 0 ? steps[i] / powl(10, -power)
					  : steps[i] * powl(10, power);

			if (bars_of(bars, width) <= most)
				return is_whole(bars, width) ? width : 0;
		}
	return 0;
}

long double number_bars_width(
	const struct number_bars *bars, unsigned most, bool integers)
{
	long double width = decimal_width(bars, most, integers ? 0 : -320);

	if (width > 0)
		return width;
	width = ldexpl(1, bars->scale);
	if (integers && width < 1)
		width = 1;
	while (bars_of(bars, width) > most)
		width *= 2;
	return width;
}

/* The place of any value, or that of the nearest part, or behind the last. */
static int64_t nearest_place(const struct number_bars *bars, long double value)
{
	long double place = floorl(ldexpl(value, -bars->scale));

	if (place <= (long double)bars->first)
		return bars->first;
	return place > (long double)bars->last ? bars->last + 1
					       : (int64_t)place;
}

uint64_t number_bars_count(
	const struct number_bars *bars, long double from, long double width)
{
	int64_t place = nearest_place(bars, from);
	int64_t end = nearest_place(bars, from + width);
	uint64_t count = 0;

	for (; place < end; place++)
		count += bars->counts[(uint64_t)place % (uint64_t)PARTS];
	return count;
}

int number_bars_scale(const struct number_bars *bars)
{
	return bars->scale;
}

bool number_bars_failed(const struct number_bars *bars)
{
	return bars->failed;
}

void number_bars_free(struct number_bars *bars)
{
	free(bars);
}
