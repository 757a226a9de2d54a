#include "decoder/stats/number_rows.h"
#include "decoder/stats/numbers.h"

static const struct number_rows_column columns[] = {
	{"MESSAGES", "messages", true},
	NUMBER_ROWS_NUMBERS,
	{"AT", "at", false},
	{"FORMAT", "format", false},
	{NULL, NULL, false},
};

void *style_values_begin(const struct style_settings *settings)
{
	return argument_numbers_new(settings);
}

void style_values_message(void *state, const struct message *message)
{
	argument_numbers_message(state, message);
}

static void put_all(
	const struct argument_numbers *numbers, const struct numbers *sum)
{
	const struct options *options = numbers->settings.options;
	struct number_rows rows;
	size_t i;

	number_rows_begin(
		&rows, columns, numbers->settings.output, options->json);
	rows.table.last_least = NUMBER_ROWS_FORMAT_LEAST;
	rows.expendable = number_rows_expendable;
	for (i = 0; i < numbers->sites.count && i < options->rows; i++) {
		const struct argument_site *site =
			(struct argument_site *)numbers->sites.all[i];

		number_rows_count(&rows, site->numbers.count);
		number_rows_numbers(&rows, &site->numbers);
		number_rows_site(&rows, &site->site);
	}
	if (numbers->sites.count > 1) {
		number_rows_count(&rows, sum->count);
		number_rows_numbers(&rows, sum);
		number_rows_total(&rows);
	}
	number_rows_end(&rows);
}

void style_values_end(void *state)
{
	struct argument_numbers *numbers = state;
	struct numbers sum = argument_numbers_sum(numbers);

	argument_numbers_complain(numbers);
	if (numbers->settings.output->failed == 0)
		put_all(numbers, &sum);
	numbers_free(&sum, &numbers->room);
	argument_numbers_free(numbers);
}
