#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "decoder/output/last_lines.h"
#include "decoder/stats/number_rows.h"
#include "decoder/stats/numbers.h"

#define BARS_DEFAULT 20u
/* Bars of powers of two: of each sign one for each exponent, and for 0. */
#define POWERS_MAX (2 * (DBL_MAX_EXP - DBL_MIN_EXP + 2) + 1)
/* Where one of equal bars has more than so many per cent of all, the others
 * say little. */
#define SKEWED 90u

static const struct number_rows_column columns[] = {
	{"FROM", "from", true},
	{"BELOW", "below", true},
	{"MESSAGES", "messages", true},
	{"SHARE", "percent", true},
	{"", NULL, false},
	{NULL, NULL, false},
};
static const struct number_rows_column json_columns[] = {
	{"", "from", true},
	{"", "below", true},
	{"", "messages", true},
	{"", "percent", true},
	{NULL, NULL, false},
};

struct bar {
	long double from;
	long double below;
	uint64_t count;
};

struct bars {
	const struct numbers *sum;
	size_t count;
	struct bar all[];
};

void *style_histogram_begin(const struct style_settings *settings)
{
	struct argument_numbers *numbers = argument_numbers_new(settings);

	if (!numbers)
		return NULL;
	numbers->bars = number_bars_new();
	if (numbers->bars)
		return numbers;
	argument_numbers_free(numbers);
	return NULL;
}

void style_histogram_message(void *state, const struct message *message)
{
	argument_numbers_message(state, message);
}

static struct bars *new_bars(const struct numbers *sum, size_t room)
{
	struct bars *bars =
		calloc(1, sizeof(*bars) + room * sizeof(bars->all[0]));

	if (bars)
		bars->sum = sum;
	return bars;
}

/* Null: out of memory, and so below. */
static struct bars *make_equal(const struct number_bars *parts,
	const struct numbers *sum, unsigned most)
{
	struct bars *bars = new_bars(sum, most);
	long double width = number_bars_width(parts, most, !sum->fractional);
	long double first = floorl(sum->least / width);
	long double end = floorl(sum->most / width);

	while (bars && bars->count < most && first + bars->count <= end) {
		long double from = first + bars->count;

		bars->all[bars->count++] =
			(struct bar){from * width, (from + 1) * width,
				number_bars_count(parts, from * width, width)};
	}
	return bars;
}

/*
 * The bar of a power of two that holds all values of a bucket.  Negative ones
 * are from the larger power, without that, to the smaller one.
 */
static struct bar power_of(
	const struct number_sketch_bucket *bucket, bool fractional)
{
	long double next = fractional ? 0 : 1;
	int exponent;

	if (fabs(bucket->high) < DBL_MIN)
		return (struct bar){0, next, 0};
	frexp(bucket->low > 0 ? bucket->low : bucket->high, &exponent);
	if (bucket->low > 0)
		return (struct bar){
			ldexpl(0.5L, exponent), ldexpl(1, exponent), 0};
	return (struct bar){
		next - ldexpl(1, exponent), next - ldexpl(0.5L, exponent), 0};
}

static struct bars *make_powers(const struct numbers *sum)
{
	struct bars *bars = new_bars(sum, POWERS_MAX);
	struct number_sketch_bucket bucket = {0};

	while (bars && number_sketch_next(&sum->sketch, &bucket)) {
		struct bar bar = power_of(&bucket, sum->fractional);
		struct bar *last =
			bars->count ? &bars->all[bars->count - 1] : NULL;

		if (!last || last->from != bar.from ||
			last->below != bar.below) {
			last = &bars->all[bars->count++];
			*last = bar;
		}
		last->count += bucket.count;
	}
	return bars;
}

static uint64_t highest(const struct bars *bars)
{
	uint64_t most = 0;
	size_t i;

	for (i = 0; i < bars->count; i++)
		if (bars->all[i].count > most)
			most = bars->all[i].count;
	return most;
}

static bool is_skewed(const struct bars *bars)
{
	return bars->count > 2 &&
	       (long double)highest(bars) * 100 >
		       (long double)bars->sum->count * SKEWED;
}

static unsigned bars_most(uint32_t rows, const struct numbers *sum)
{
	/* No bar has values on both sides of 0. */
	unsigned least = sum->least < 0 && sum->most >= 0 ? 2 : 1;

	if (rows == LAST_LINES_ALL)
		return BARS_DEFAULT;
	if (rows > NUMBER_BARS_MAX)
		return NUMBER_BARS_MAX;
	return rows < least ? least : rows;
}

static struct bars *make(
	const struct argument_numbers *numbers, const struct numbers *sum)
{
	struct bars *bars = make_equal(numbers->bars, sum,
		bars_most(numbers->settings.options->rows, sum));

	if (!bars || !is_skewed(bars))
		return bars;
	free(bars);
	return make_powers(sum);
}

static void put(const struct bars *bars, struct output *output, bool json)
{
	bool fractional = bars->sum->fractional;
	uint64_t most = highest(bars);
	struct number_rows rows;
	size_t i;

	number_rows_begin(&rows, json ? json_columns : columns, output, json);
	for (i = 0; i < bars->count; i++) {
		const struct bar *bar = &bars->all[i];

		number_rows_number(
			&rows, number_text_value(bar->from, fractional));
		number_rows_number(
			&rows, number_text_value(bar->below, fractional));
		number_rows_count(&rows, bar->count);
		number_rows_number(
			&rows, number_text_share(bar->count, bars->sum->count));
		number_rows_bar(&rows, bar->count, most);
	}
	number_rows_end(&rows);
}

void style_histogram_end(void *state)
{
	struct argument_numbers *numbers = state;
	struct output *output = numbers->settings.output;
	struct numbers sum = argument_numbers_sum(numbers);
	struct bars *bars = NULL;

	argument_numbers_complain(numbers);
	if (sum.count > 0)
		bars = make(numbers, &sum);
	if (bars)
		put(bars, output, numbers->settings.options->json);
	if (number_bars_failed(numbers->bars) || (sum.count > 0 && !bars))
		output->failed = ENOMEM;
	free(bars);
	numbers_free(&sum, &numbers->room);
	argument_numbers_free(numbers);
}
