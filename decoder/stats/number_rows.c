#include "decoder/stats/number_rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/json_text.h"

/* Deviation, 99.9 %, 90 %, least, half, 99 %. */
const unsigned char number_rows_expendable[] = {
	4, 8, 6, 1, 5, 7, TABLE_COLUMNS_MAX};

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
	if (rows->json)
		return;
	if (!array_reserve(rows->bars, rows->bar_room, rows->bar_count + 1)) {
		rows->table.failed = true;
		return;
	}
	rows->bars[rows->bar_count++] = (double)part / (double)most;
	table_end_cell(&rows->table);
}

void number_rows_no_argument(struct output *output, const char *name)
{
	output->failed = EINVAL;
	snprintf(output->problem, sizeof(output->problem),
		"%.64s: no numbers: no message has an argument with this name: "
		"see --columns=args,format for the names that there are",
		name);
}

static size_t longest_bar(const struct number_rows *rows)
{
	const unsigned width = rows->output->width;
	size_t room = table_room_of_last(&rows->table, width);

	if (width == 0)
		return NUMBER_ROWS_BAR;
	if (room > NUMBER_ROWS_BAR_MOST)
		room = NUMBER_ROWS_BAR_MOST;
	return room > 0 ? room : 1;
}

/* Now that it is known how long they may be: cells of the last column. */
static void draw_bars(struct number_rows *rows, size_t columns)
{
	const struct table *from = &rows->table;
	struct table drawn = {.columns = from->columns, .failed = from->failed};
	size_t longest = longest_bar(rows);
	size_t start = 0;
	size_t i;

	for (i = 0; i < from->cells; i++) {
		double part = rows->bars[i / columns];
		size_t length = (size_t)(part * (double)longest + 0.5);

		if ((i + 1) % columns == 0)
			render_buffer_fill(&drawn.text, '#',
				length == 0 && part > 0 ? 1 : length);
		else
			render_buffer_put(&drawn.text, from->text.data + start,
				from->ends[i] - start);
		table_end_cell(&drawn);
		start = from->ends[i];
	}
	table_free(&rows->table);
	rows->table = drawn;
}

static size_t count_columns(const struct number_rows *rows)
{
	size_t count = 0;

	while (rows->columns[count].name)
		count++;
	return count;
}

void number_rows_end(struct number_rows *rows)
{
	struct output *output = rows->output;

	if (rows->bars && !rows->table.failed)
		draw_bars(rows, count_columns(rows));
	if (!rows->json &&
		!table_put_fitting(&rows->table, &output->text, output->width,
			rows->expendable) &&
		output->failed == 0)
		output->failed = ENOMEM;
	table_free(&rows->table);
	free(rows->bars);
}
