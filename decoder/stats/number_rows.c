#include "decoder/stats/number_rows.h"

#include <errno.h>
#include <stdio.h>

#include "base/json_text.h"

#define BAR_MOST 50

void number_rows_begin(struct number_rows *rows,
	const struct number_rows_column *columns, struct output *output,
	bool json)
{
	size_t i;

	*rows = (struct number_rows){
		.columns = columns, .output = output, .json = json};
	rows->table.columns = rows->heads;
	for (i = 0; i < NUMBER_ROWS_COLUMNS_MAX && columns[i].name; i++)
		rows->heads[i] = (struct table_column){
			columns[i].name, columns[i].right};
}

/* Where the cell's text is to be put. */
static struct render_buffer *begin_cell(struct number_rows *rows)
{
	struct render_buffer *out = &rows->output->text;

	if (!rows->json)
		return &rows->table.text;
	render_buffer_put_byte(out, rows->cell == 0 ? '{' : ',');
	json_text_word(out, rows->columns[rows->cell].key);
	render_buffer_put_byte(out, ':');
	return out;
}

static void end_cell(struct number_rows *rows)
{
	if (!rows->json) {
		table_end_cell(&rows->table);
		return;
	}
	if (rows->columns[++rows->cell].name)
		return;
	render_buffer_put(&rows->output->text, "}\n", 2);
	output_settle(rows->output);
	rows->cell = 0;
}

static void put_plain(struct number_rows *rows, const char *text)
{
	render_buffer_put(begin_cell(rows), text, strlen(text));
	end_cell(rows);
}

void number_rows_count(struct number_rows *rows, uint64_t count)
{
	json_text_unsigned(begin_cell(rows), count);
	end_cell(rows);
}

void number_rows_number(struct number_rows *rows, struct number_text text)
{
	put_plain(rows, text.text);
}

void number_rows_nothing(struct number_rows *rows)
{
	put_plain(rows, rows->json ? "null" : "-");
}

void number_rows_word(struct number_rows *rows, const char *word)
{
	struct render_buffer *out = begin_cell(rows);

	if (rows->json)
		json_text_word(out, word);
	else
		render_buffer_put(out, word, strlen(word));
	end_cell(rows);
}

static void put_json_site(
	struct number_rows *rows, const struct message_site *site)
{
	struct render_buffer place = {0};

	message_sites_put_location(site, &place);
	json_text_string(
		begin_cell(rows), place.length ? place.data : "", place.length);
	end_cell(rows);
	render_buffer_free(&place);
	if (!site->site || !site->site->format) {
		number_rows_nothing(rows);
		return;
	}
	json_text_string(
		begin_cell(rows), site->site->format, site->site->format_bytes);
	end_cell(rows);
}

void number_rows_site(struct number_rows *rows, const struct message_site *site)
{
	if (rows->json) {
		put_json_site(rows, site);
		return;
	}
	message_sites_put_location(site, begin_cell(rows));
	end_cell(rows);
	message_sites_put_format_to_cut(
		site, rows->output->width, begin_cell(rows));
	end_cell(rows);
}

void number_rows_total(struct number_rows *rows)
{
	number_rows_word(rows, "all");
	number_rows_nothing(rows);
}

void number_rows_numbers(
	struct number_rows *rows, const struct numbers *numbers)
{
	static const unsigned percentiles[] = {500, 900, 990, 999};
	size_t i;

	if (numbers->count == 0) {
		for (i = 0; i < 8; i++)
			number_rows_nothing(rows);
		return;
	}
	number_rows_number(
		rows, number_text_value(numbers->least, numbers->fractional));
	number_rows_number(rows, number_text_rounded(numbers_mean(numbers)));
	number_rows_number(
		rows, number_text_value(numbers->most, numbers->fractional));
	number_rows_number(
		rows, number_text_rounded(numbers_deviation(numbers)));
	for (i = 0; i < 4; i++)
		if (numbers->spilled)
			number_rows_nothing(rows);
		else
			number_rows_number(
				rows, number_text_rounded(numbers_percentile(
					      numbers, percentiles[i])));
}

void number_rows_bar(struct number_rows *rows, uint64_t part, uint64_t most)
{
	size_t length = (size_t)((double)part / (double)most * BAR_MOST + 0.5);

	if (rows->json)
		return;
	if (length == 0 && part > 0)
		length = 1;
	render_buffer_fill(begin_cell(rows), '#', length);
	end_cell(rows);
}

void number_rows_no_argument(struct output *output, const char *name)
{
	output->failed = EINVAL;
	snprintf(output->problem, sizeof(output->problem),
		"%.64s: no numbers: no message has an argument with this name: "
		"see --columns=args,format for the names that there are",
		name);
}

void number_rows_end(struct number_rows *rows)
{
	struct output *output = rows->output;

	if (!rows->json &&
		!table_put_fitting(&rows->table, &output->text, output->width,
			rows->expendable) &&
		output->failed == 0)
		output->failed = ENOMEM;
	table_free(&rows->table);
}
