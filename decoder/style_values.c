#include "decoder/argument_numbers.h"
#include "decoder/report.h"

static const struct report_column columns[] = {
	{"MESSAGES", "messages", true},
	REPORT_NUMBERS,
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
	struct report report;
	size_t i;

	report_begin(&report, columns, numbers->settings.output, options->json);
	for (i = 0; i < numbers->sites.count && i < options->rows; i++) {
		const struct argument_site *site =
			(struct argument_site *)numbers->sites.all[i];

		report_count(&report, site->numbers.count);
		report_numbers(&report, &site->numbers);
		report_site(&report, &site->site);
	}
	if (numbers->sites.count > 1) {
		report_count(&report, sum->count);
		report_numbers(&report, sum);
		report_total(&report);
	}
	report_end(&report);
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
