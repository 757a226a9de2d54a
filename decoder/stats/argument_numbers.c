#include "decoder/stats/argument_numbers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/query/expression.h"
#include "decoder/query/expression_columns.h"
#include "decoder/stats/number_rows.h"
#include "record/layout.h"

#define PIECE ((size_t)1 << 10)

/* Null: out of memory. */
static struct argument_site *site_of(
	struct argument_numbers *numbers, const struct message *message)
{
	struct argument_site *site =
		message_sites_find(&numbers->sites, message);

	if (!site)
		numbers->failed = true;
	return site;
}

void argument_numbers_message(
	struct argument_numbers *numbers, const struct message *message)
{
	const struct field *field;
	struct named_field_value value;
	struct argument_site *site;

	if (message_is_event(message) || message->continues)
		return;
	numbers->asked = true;
	field = named_field_number(message, numbers->name);
	if (!field)
		return;
	value = named_field_value(field, message);
	site = value.known ? site_of(numbers, message) : NULL;
	if (!site)
		return;
	if (value.fractional)
		numbers_add_float(&site->numbers, &numbers->room,
			(double)value.number, 1);
	else
		numbers_add_integer(
			&site->numbers, &numbers->room, value.number, 1);
	if (numbers->bars && value.number - value.number == 0)
		number_bars_add(numbers->bars, value.number, 1);
}

static bool needs(void *closure, const struct message *example)
{
	struct argument_numbers *numbers = closure;

	if (named_field_number(example, numbers->name))
		return true;
	numbers->asked = true;
	return false;
}

/* Long doubles are none of a column of numbers. */
static bool accepts(void *closure, const struct batch_rows *rows)
{
	const struct argument_numbers *numbers = closure;
	const struct field *field =
		named_field_number(&rows->example, numbers->name);

	return !field || field->kind != BINLOG_ARG_LONG_DOUBLE;
}

/* Of the next rows those values that are chosen, to the front. */
static size_t keep_chosen(const struct batch_rows *rows, size_t first,
	int64_t *values, size_t count)
{
	const uint8_t *chosen;
	size_t kept = 0;
	size_t i;

	if (!rows->chosen)
		return count;
	chosen = rows->chosen + first;
	for (i = 0; i < count; i++) {
		values[kept] = values[i];
		kept += chosen[i];
	}
	return kept;
}

static bool are_large(const int64_t *values, size_t count)
{
	int64_t all = 0;
	size_t i;

	for (i = 0; i < count; i++)
		all |= values[i];
	return all < 0;
}

static void add_unsigned(struct argument_numbers *numbers,
	struct argument_site *site, const int64_t *values, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		long double value = (uint64_t)values[i];

		numbers_add_integer(&site->numbers, &numbers->room, value, 1);
		if (numbers->bars)
			number_bars_add(numbers->bars, value, 1);
	}
}

static void add_integers(struct argument_numbers *numbers,
	struct argument_site *site, const struct field *field,
	const int64_t *values, size_t count)
{
	if (!column_values_are_signed(field->conversion) &&
		are_large(values, count)) {
		add_unsigned(numbers, site, values, count);
		return;
	}
	numbers_add_integers(&site->numbers, &numbers->room, values, count);
	if (numbers->bars)
		number_bars_add_integers(numbers->bars, values, count);
}

static void add_floats(struct argument_numbers *numbers,
	struct argument_site *site, const int64_t *bits, size_t count)
{
	double values[PIECE];

	memcpy(values, bits, count * sizeof(*values));
	numbers_add_floats(&site->numbers, &numbers->room, values, count);
	if (numbers->bars)
		number_bars_add_floats(numbers->bars, values, count);
}

/* All values of it are the same. */
static void add_constant(struct argument_numbers *numbers,
	struct argument_site *site, const struct field *field,
	struct column column, uint64_t times)
{
	long double value;
	int64_t bits;
	double number;

	if (field->kind == BINLOG_ARG_F64) {
		column_values_floats(&column, &number, 1);
		value = number;
		numbers_add_float(
			&site->numbers, &numbers->room, number, times);
	} else {
		column_values_integers(&column, field, &bits, 1);
		value = column_values_are_signed(field->conversion)
				? (long double)bits
				: (long double)(uint64_t)bits;
		numbers_add_integer(
			&site->numbers, &numbers->room, value, times);
	}
	if (numbers->bars && value - value == 0)
		number_bars_add(numbers->bars, value, times);
}

static void add_column(struct argument_numbers *numbers,
	struct argument_site *site, const struct field *field,
	const struct batch_rows *rows, struct column column)
{
	int64_t values[PIECE];
	size_t done = 0;

	while (done < rows->count) {
		size_t left = rows->count - done;
		size_t piece = left < PIECE ? left : PIECE;
		size_t kept;

		if (field->kind == BINLOG_ARG_F64)
			column_values_bits(&column, values, piece);
		else
			column_values_integers(&column, field, values, piece);
		kept = keep_chosen(rows, done, values, piece);
		if (field->kind == BINLOG_ARG_F64)
			add_floats(numbers, site, values, kept);
		else
			add_integers(numbers, site, field, values, kept);
		done += piece;
	}
}

static void take(void *closure, const struct batch_rows *rows)
{
	struct argument_numbers *numbers = closure;
	const struct field *field =
		named_field_number(&rows->example, numbers->name);
	struct argument_site *site =
		field ? site_of(numbers, &rows->example) : NULL;
	struct column column;

	if (!site)
		return;
	column =
		packed_columns_numbers(rows->body, rows->site, field->argument);
	if (column_values_are_constant(&column))
		add_constant(numbers, site, field, column, rows->chosen_count);
	else
		add_column(numbers, site, field, rows, column);
}

struct argument_numbers *argument_numbers_new(
	const struct style_settings *settings)
{
	struct argument_numbers *numbers = calloc(1, sizeof(*numbers));

	if (!numbers)
		return NULL;
	numbers->settings = *settings;
	numbers->name = settings->options->argument;
	numbers->room = numbers_room();
	message_sites_begin(&numbers->sites, sizeof(struct argument_site),
		settings->location);
	numbers->fold = (struct batch_fold){
		.needs = needs,
		.accepts = accepts,
		.take = take,
		.closure = numbers,
	};
	if (settings->batches)
		settings->batches->fold = &numbers->fold;
	return numbers;
}

static int compare(const void *one, const void *other)
{
	const struct argument_site *a = *(struct argument_site *const *)one;
	const struct argument_site *b = *(struct argument_site *const *)other;

	if (a->numbers.count != b->numbers.count)
		return a->numbers.count < b->numbers.count ? 1 : -1;
	return message_sites_compare(&a->site, &b->site);
}

struct numbers argument_numbers_sum(struct argument_numbers *numbers)
{
	struct numbers sum = {0};
	size_t i;

	message_sites_sort(&numbers->sites, compare);
	for (i = 0; i < numbers->sites.count; i++) {
		struct argument_site *site =
			(struct argument_site *)numbers->sites.all[i];

		numbers_merge(&sum, &numbers->room, &site->numbers);
	}
	numbers_add_spilled(&sum, &numbers->room);
	return sum;
}

void argument_numbers_complain(const struct argument_numbers *numbers)
{
	if (numbers->asked && numbers->sites.count == 0 && !numbers->failed)
		number_rows_no_argument(
			numbers->settings.output, numbers->name);
}

void argument_numbers_free(struct argument_numbers *numbers)
{
	struct output *output = numbers->settings.output;
	size_t i;

	if ((numbers->failed || numbers->room.failed) && output->failed == 0)
		output->failed = ENOMEM;
	for (i = 0; i < numbers->sites.count; i++) {
		struct argument_site *site =
			(struct argument_site *)numbers->sites.all[i];

		numbers_free(&site->numbers, &numbers->room);
	}
	message_sites_end(&numbers->sites);
	numbers_room_free(&numbers->room);
	number_bars_free(numbers->bars);
	free(numbers);
}
