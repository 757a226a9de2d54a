#include "decoder/report.h"

#include <errno.h>
#include <stdio.h>

#include "decoder/json_text.h"

#define BAR_MOST 50

void report_begin(struct report *report, const struct report_column *columns,
	struct output *output, bool json)
{
	size_t i;

	*report = (struct report){
		.columns = columns, .output = output, .json = json};
	report->table.columns = report->heads;
	for (i = 0; i < REPORT_COLUMNS_MAX && columns[i].name; i++)
		report->heads[i] = (struct table_column){
			columns[i].name, columns[i].right};
}

/* Where the cell's text is to be put. */
static struct render_buffer *begin_cell(struct report *report)
{
	struct render_buffer *out = &report->output->text;

	if (!report->json)
		return &report->table.text;
	render_buffer_put_byte(out, report->cell == 0 ? '{' : ',');
	json_text_word(out, report->columns[report->cell].key);
	render_buffer_put_byte(out, ':');
	return out;
}

static void end_cell(struct report *report)
{
	if (!report->json) {
		table_end_cell(&report->table);
		return;
	}
	if (report->columns[++report->cell].name)
		return;
	render_buffer_put(&report->output->text, "}\n", 2);
	output_settle(report->output);
	report->cell = 0;
}

static void put_plain(struct report *report, const char *text)
{
	render_buffer_put(begin_cell(report), text, strlen(text));
	end_cell(report);
}

void report_count(struct report *report, uint64_t count)
{
	json_text_unsigned(begin_cell(report), count);
	end_cell(report);
}

void report_number(struct report *report, struct number_text text)
{
	put_plain(report, text.text);
}

void report_nothing(struct report *report)
{
	put_plain(report, report->json ? "null" : "-");
}

void report_word(struct report *report, const char *word)
{
	struct render_buffer *out = begin_cell(report);

	if (report->json)
		json_text_word(out, word);
	else
		render_buffer_put(out, word, strlen(word));
	end_cell(report);
}

static void put_json_site(
	struct report *report, const struct message_site *site)
{
	struct render_buffer place = {0};

	message_sites_put_place(site, &place);
	json_text_string(begin_cell(report), place.length ? place.data : "",
		place.length);
	end_cell(report);
	render_buffer_free(&place);
	if (!site->site || !site->site->format) {
		report_nothing(report);
		return;
	}
	json_text_string(begin_cell(report), site->site->format,
		site->site->format_bytes);
	end_cell(report);
}

void report_site(struct report *report, const struct message_site *site)
{
	if (report->json) {
		put_json_site(report, site);
		return;
	}
	message_sites_put_place(site, begin_cell(report));
	end_cell(report);
	message_sites_put_format(site, begin_cell(report));
	end_cell(report);
}

void report_total(struct report *report)
{
	report_word(report, "all");
	report_nothing(report);
}

void report_numbers(struct report *report, const struct numbers *numbers)
{
	static const unsigned percentiles[] = {500, 900, 990, 999};
	size_t i;

	if (numbers->count == 0) {
		for (i = 0; i < 8; i++)
			report_nothing(report);
		return;
	}
	report_number(
		report, number_text_value(numbers->least, numbers->fractional));
	report_number(report, number_text_rounded(numbers_mean(numbers)));
	report_number(
		report, number_text_value(numbers->most, numbers->fractional));
	report_number(report, number_text_rounded(numbers_deviation(numbers)));
	for (i = 0; i < 4; i++)
		if (numbers->spilled)
			report_nothing(report);
		else
			report_number(
				report, number_text_rounded(numbers_percentile(
						numbers, percentiles[i])));
}

void report_bar(struct report *report, uint64_t part, uint64_t most)
{
	size_t length = (size_t)((double)part / (double)most * BAR_MOST + 0.5);

	if (report->json)
		return;
	if (length == 0 && part > 0)
		length = 1;
	render_buffer_fill(begin_cell(report), '#', length);
	end_cell(report);
}

void report_no_argument(struct output *output, const char *name)
{
	output->failed = EINVAL;
	snprintf(output->problem, sizeof(output->problem),
		"%.64s: no numbers: no message has an argument with this name: "
		"see --columns=args,format for the names that there are",
		name);
}

void report_end(struct report *report)
{
	struct output *output = report->output;

	if (!report->json && !table_put(&report->table, &output->text) &&
		output->failed == 0)
		output->failed = ENOMEM;
	table_free(&report->table);
}
