#include <math.h>

#include "decoder/argument_numbers.h"
#include "decoder/report.h"

static const struct report_column columns[] = {
	{"VALUE", "value", true},
	{"ABOVE", "above", true},
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

/* The largest value that the bucket may have. */
static long double end_of(
	const struct numbers *sum, const struct number_sketch_bucket *bucket)
{
	long double end = bucket->high;

	if (!sum->fractional)
		end = floorl(end);
	return end < sum->most ? end : sum->most;
}

static void put_row(struct report *report, const struct numbers *sum,
	const struct number_sketch_bucket *bucket, uint64_t above)
{
	long double part = (long double)above / (long double)sum->count;

	report_number(report,
		number_text_value(end_of(sum, bucket), sum->fractional));
	report_count(report, above);
	report_number(report, number_text_rounded(part));
}

/* No more rows than these: those are left out that say little more. */
static void put_all(
	struct report *report, const struct numbers *sum, uint32_t rows)
{
	struct number_sketch_bucket bucket = {0};
	uint64_t above = sum->count;
	uint64_t shown = 0;
	uint64_t row;

	while (number_sketch_next(&sum->sketch, &bucket)) {
		above -= bucket.count;
		row = (uint64_t)((long double)(sum->count - above) /
				 (long double)sum->count * rows);
		if (row == shown && above > 0)
			continue;
		put_row(report, sum, &bucket, above);
		shown = row;
	}
}

void style_rcdf_end(void *state)
{
	struct argument_numbers *numbers = state;
	const struct options *options = numbers->settings.options;
	struct output *output = numbers->settings.output;
	struct numbers sum = argument_numbers_sum(numbers);
	struct report report;

	argument_numbers_complain(numbers);
	if (output->failed == 0) {
		report_begin(&report, columns, output, options->json);
		put_all(&report, &sum, options->rows);
		report_end(&report);
	}
	numbers_free(&sum, &numbers->room);
	argument_numbers_free(numbers);
}
