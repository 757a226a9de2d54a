#include <math.h>

#include "decoder/stats/number_rows.h"
#include "decoder/stats/numbers.h"

static const struct number_rows_column columns[] = {
	{"VALUE", "value", true},
	{"AT LEAST", "at_least", true},
	{"SHARE", "share", true},
	{NULL, NULL, false},
};

void *style_rcdf_begin(const struct style_settings *settings)
{
	return argument_numbers_new(settings);
}

void style_rcdf_message(void *state, const struct message *message)
{
	argument_numbers_message(state, message);
}

/* The least value that the bucket may have. */
static long double begin_of(
	const struct numbers *sum, const struct number_sketch_bucket *bucket)
{
	long double begin = bucket->low;

	if (!sum->fractional)
		begin = ceill(begin);
	return begin > sum->least ? begin : sum->least;
}

static void put_row(struct number_rows *rows, const struct numbers *sum,
	const struct number_sketch_bucket *bucket, uint64_t left)
{
	long double part = (long double)left / (long double)sum->count;

	number_rows_number(rows,
		number_text_value(begin_of(sum, bucket), sum->fractional));
	number_rows_count(rows, left);
	number_rows_number(rows, number_text_rounded(part));
}

/* No more rows than these: those are left out that say little more. */
static void put_all(
	struct number_rows *rows, const struct numbers *sum, uint32_t most)
{
	struct number_sketch_bucket bucket = {0};
	uint64_t left = sum->count;
	uint64_t shown = 0;
	uint64_t row;

	while (number_sketch_next(&sum->sketch, &bucket)) {
		row = 1 + (uint64_t)((long double)(sum->count - left) /
				     (long double)sum->count * most);
		if (row > shown)
			put_row(rows, sum, &bucket, left);
		shown = row;
		left -= bucket.count;
	}
}

void style_rcdf_end(void *state)
{
	struct argument_numbers *numbers = state;
	const struct options *options = numbers->settings.options;
	struct output *output = numbers->settings.output;
	struct numbers sum = argument_numbers_sum(numbers);
	struct number_rows rows;

	argument_numbers_complain(numbers);
	if (output->failed == 0) {
		number_rows_begin(&rows, columns, output, options->json);
		put_all(&rows, &sum, options->rows);
		number_rows_end(&rows);
	}
	numbers_free(&sum, &numbers->room);
	argument_numbers_free(numbers);
}
