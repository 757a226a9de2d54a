#include "tools/query/ask_sums.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/message/fields.h"
#include "decoder/query/expression.h"
#include "decoder/stats/numbers.h"
#include "decoder/stats/sums.h"
#include "tools/query/sql.h"

/* Of a part of a bar's width the server can reckon with, as a power of two. */
#define SCALE_MOST 1000

static void put(struct render_buffer *out, const char *text)
{
	render_buffer_put_string(out, text);
}

static void put_calls(const struct ask_sums *sums, struct render_buffer *out)
{
	ask_put_table(sums->ask, "messages", out);
	conditions_put(sums->conditions, CONDITIONS_CALLS,
		sums->ask->servers.database, out);
}

/* Asks what is in `text`, which is emptied. */
static bool ask(struct ask_sums *sums, struct render_buffer *text,
	const enum fleet_type *types, size_t count, row_binary_take *take)
{
	struct ask_question question = {
		.types = types,
		.count = count,
		.take = take,
		.closure = sums,
	};
	bool good;

	render_buffer_put_byte(text, '\0');
	question.select = text->data;
	good = !text->failed && ask_server(sums->ask, &question);
	if (text->failed)
		snprintf(sums->ask->problem, sizeof(sums->ask->problem),
			"out of memory: ask for less");
	text->length = 0;
	return good;
}

/*
 * How many.
 */

static const enum fleet_type count_types[] = {FLEET_U64};

static void take_count(void *closure, const struct row_value *values)
{
	sums_add_count(((struct ask_sums *)closure)->state, values[0].number);
}

static bool ask_count(struct ask_sums *sums)
{
	struct render_buffer text = {0};
	bool good;

	put(&text, "count()");
	put_calls(sums, &text);
	good = ask(sums, &text, count_types, 1, take_count);
	render_buffer_free(&text);
	return good;
}

/*
 * From where.
 */

static const enum fleet_type said_types[] = {
	FLEET_U64, FLEET_U64, FLEET_U64, FLEET_U64, FLEET_U64};

static void take_said(void *closure, const struct row_value *values)
{
	struct ask_sums *sums = closure;
	const struct message *example =
		answers_example_of(sums->answers, values[0].number);
	const struct sums_said said = {
		.messages = values[1].number,
		.bytes = values[2].number,
		.first = values[3].number,
		.last = values[4].number,
	};

	if (example)
		sums_add_said(sums->state, example, &said);
	else
		sums->failed = true;
}

static bool ask_said(struct ask_sums *sums)
{
	struct render_buffer text = {0};
	bool good;

	put(&text, "statement, count(), sum(length(text)), min(time), "
		   "max(time)");
	put_calls(sums, &text);
	put(&text, " GROUP BY statement");
	good = ask(sums, &text, said_types, 5, take_said);
	render_buffer_free(&text);
	return good;
}

/*
 * Numbers.  Statements are asked together in which the argument is at the same
 * place and of the same kind.
 */

enum number_kind { NUMBER_SIGNED, NUMBER_UNSIGNED, NUMBER_BYTE, NUMBER_FLOAT };

#define NUMBER_KINDS 4u
#define PLACES (FORMAT_ARGUMENTS_MAX + 2)

struct number_group {
	struct conditions_list statements;
};

struct number_groups {
	struct ask_sums *sums;
	struct number_group all[NUMBER_KINDS][PLACES];
	enum number_kind kind; /* that is being asked */
	uint64_t count;	       /* of values so far */
	long double least;
	long double most;
};

static enum number_kind kind_of(const struct field *field)
{
	switch (field->type) {
	case FIELD_INTEGER:
		return NUMBER_SIGNED;
	case FIELD_FLOAT:
		return NUMBER_FLOAT;
	case FIELD_CHARACTER:
		return NUMBER_BYTE;
	default:
		return NUMBER_UNSIGNED;
	}
}

static size_t place_of(const struct message *message, const struct field *field)
{
	return (size_t)(field - fields_of(message)->all);
}

/* A wide character is no byte of its text: then messages are asked for. */
static bool are_plain(const struct ask_sums *sums)
{
	size_t i;

	for (i = 0; i < answers_statement_count(sums->answers); i++) {
		const struct message *message =
			answers_example(sums->answers, i);
		const struct field *field =
			message ? named_field_number(
					  message, sums->options->argument)
				: NULL;

		if (!message ||
			(field && (place_of(message, field) >= PLACES ||
					  (field->type == FIELD_CHARACTER &&
						  field->size == FORMAT_LONG))))
			return false;
	}
	return true;
}

static void find_groups(struct number_groups *groups)
{
	struct answers *answers = groups->sums->answers;
	size_t i;

	for (i = 0; i < answers_statement_count(answers); i++) {
		const struct message *message = answers_example(answers, i);
		const struct field *field =
			message ? named_field_number(message,
					  groups->sums->options->argument)
				: NULL;

		groups->sums->failed |= !message;
		if (field)
			conditions_list_add(
				&groups->all[kind_of(field)]
					    [place_of(message, field)]
						    .statements,
				answers_statement_id(answers, i));
	}
}

/* The value of the argument at this place, from 0. */
static void put_value(
	enum number_kind kind, size_t place, struct render_buffer *out)
{
	static const struct {
		const char *before;
		const char *behind;
	} words[NUMBER_KINDS] = {
		[NUMBER_SIGNED] = {"argument.integer[", "]"},
		[NUMBER_UNSIGNED] = {"toUInt64(argument.integer[", "])"},
		[NUMBER_BYTE] = {"toUInt64(reinterpretAsUInt8(argument.text[",
			"]))"},
		[NUMBER_FLOAT] = {"argument.number[", "]"},
	};

	put(out, words[kind].before);
	sql_put_number(out, place + 1);
	put(out, words[kind].behind);
}

/* `FROM (SELECT statement, VALUE AS value FROM ... WHERE ...)` */
static void put_values(const struct number_groups *groups, size_t place,
	struct render_buffer *out)
{
	put(out, " FROM (SELECT statement, ");
	put_value(groups->kind, place, out);
	put(out, " AS value");
	put_calls(groups->sums, out);
	put(out, " AND ");
	conditions_list_put(&groups->all[groups->kind][place].statements, out);
	if (groups->kind == NUMBER_FLOAT) {
		put(out, " AND isFinite(");
		put_value(groups->kind, place, out);
		put(out, ")");
	}
	put(out, ")");
}

/* What is in a column of 8 bytes. */
static long double value_of(enum number_kind kind, uint64_t bits)
{
	double number;

	if (kind == NUMBER_SIGNED)
		return (int64_t)bits;
	if (kind != NUMBER_FLOAT)
		return bits;
	memcpy(&number, &bits, sizeof(number));
	return number;
}

static double double_of(uint64_t bits)
{
	double number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

static const enum fleet_type bucket_types[] = {
	FLEET_U64, FLEET_U64, FLEET_U64, FLEET_U64, FLEET_U64, FLEET_U64};

static void take_bucket(void *closure, const struct row_value *values)
{
	struct number_groups *groups = closure;
	struct ask_sums *sums = groups->sums;
	const struct message *example =
		answers_example_of(sums->answers, values[0].number);
	struct numbers_sums part = {
		.count = values[1].number,
		.fractional = groups->kind == NUMBER_FLOAT,
		.least = value_of(groups->kind, values[2].number),
		.most = value_of(groups->kind, values[3].number),
		.differences = double_of(values[4].number),
		.variance = double_of(values[5].number),
	};
	const long double low = numbers_bucket_low(
		(double)(part.least < 0 ? part.most : part.least));

	if (part.fractional) {
		part.differences *= low;
		part.variance *= low * low;
	}
	if (groups->count == 0 || part.least < groups->least)
		groups->least = part.least;
	if (groups->count == 0 || part.most > groups->most)
		groups->most = part.most;
	groups->count += part.count;
	if (example)
		argument_numbers_add(sums->state, example, &part);
	else
		sums->failed = true;
}

static bool ask_groups(struct number_groups *groups, struct render_buffer *text,
	const enum fleet_type *types, size_t count, row_binary_take *take)
{
	struct ask_question question = {
		.types = types,
		.count = count,
		.take = take,
		.closure = groups,
	};
	bool good;

	render_buffer_put_byte(text, '\0');
	question.select = text->data;
	if (text->failed) {
		snprintf(groups->sums->ask->problem,
			sizeof(groups->sums->ask->problem),
			"out of memory: ask for less");
		return false;
	}
	good = ask_server(groups->sums->ask, &question);
	text->length = 0;
	return good;
}

/*
 * Values in buckets, as percentiles need them.  What is added up are
 * differences to the low end of a bucket, so that nothing large is rounded; of
 * fractions in parts of that, so that none is too large to be squared.
 */
static bool ask_buckets(struct number_groups *groups, size_t place)
{
	static const char *const difference[NUMBER_KINDS] = {
		[NUMBER_SIGNED] = "toFloat64(value - toInt64(low))",
		[NUMBER_UNSIGNED] = "toFloat64(value - toUInt64(low))",
		[NUMBER_BYTE] = "toFloat64(value - toUInt64(low))",
		[NUMBER_FLOAT] = "if(low = 0, 0, (value - low) / low)",
	};
	struct render_buffer text = {0};
	bool good;

	put(&text, "statement, count(), min(value), max(value), "
		   "toFloat64(sum(difference)), "
		   "varPopStable(toFloat64(difference)) FROM (SELECT "
		   "statement, value, bitShiftRight(reinterpretAsUInt64("
		   "reinterpretAsString(toFloat64(value))), 43) AS bucket, "
		   "reinterpretAsFloat64(reinterpretAsString("
		   "bitShiftLeft(bucket, 43))) AS low, ");
	put(&text, difference[groups->kind]);
	put(&text, " AS difference");
	put_values(groups, place, &text);
	put(&text, ") GROUP BY statement, bucket");
	good = ask_groups(groups, &text, bucket_types, 6, take_bucket);
	render_buffer_free(&text);
	return good;
}

static const enum fleet_type bar_types[] = {FLEET_U64, FLEET_U64};

static void take_bar(void *closure, const struct row_value *values)
{
	struct number_groups *groups = closure;

	argument_numbers_add_to_bars(groups->sums->state,
		value_of(groups->kind, values[0].number), values[1].number);
}

/* How many values are in each part of two to this power. */
static bool ask_bars(struct number_groups *groups, size_t place, int scale)
{
	struct render_buffer text = {0};
	bool good;

	put(&text, "min(value), count()");
	put_values(groups, place, &text);
	put(&text, " GROUP BY ");
	if (groups->kind == NUMBER_FLOAT) {
		put(&text, "floor(value * ");
		sql_put_float(&text, ldexp(1, -scale));
		put(&text, ")");
	} else if (scale > 0) {
		put(&text, "bitShiftRight(value, ");
		sql_put_number(&text, (uint64_t)scale);
		put(&text, ")");
	} else {
		put(&text, "value");
	}
	good = ask_groups(groups, &text, bar_types, 2, take_bar);
	render_buffer_free(&text);
	return good;
}

static bool ask_each(struct number_groups *groups, bool bars, int scale)
{
	bool good = true;
	size_t place;
	unsigned kind;

	for (kind = 0; kind < NUMBER_KINDS; kind++)
		for (place = 0; place < PLACES && good; place++) {
			if (groups->all[kind][place].statements.count == 0)
				continue;
			groups->kind = (enum number_kind)kind;
			good = bars ? ask_bars(groups, place, scale)
				    : ask_buckets(groups, place);
		}
	return good;
}

static void take_asked(void *closure, const struct row_value *values)
{
	struct ask_sums *sums = closure;
	struct argument_numbers *numbers = sums->state;

	numbers->asked |= values[0].number > 0;
}

/* No value: were there messages without it? */
static bool ask_whether_any(struct ask_sums *sums)
{
	struct render_buffer text = {0};
	bool good;

	put(&text, "count()");
	put_calls(sums, &text);
	good = ask(sums, &text, count_types, 1, take_asked);
	render_buffer_free(&text);
	return good;
}

static bool ask_numbers(struct ask_sums *sums, bool bars)
{
	struct number_groups *groups = calloc(1, sizeof(*groups));
	struct argument_numbers *numbers = sums->state;
	unsigned kind;
	size_t place;
	bool good;

	if (!groups) {
		sums->failed = true;
		return true;
	}
	groups->sums = sums;
	find_groups(groups);
	good = ask_each(groups, false, 0);
	if (good && groups->count == 0 && !sums->ask->shows)
		good = ask_whether_any(sums);
	if (good && bars && groups->count > 0) {
		int scale;

		argument_numbers_add_to_bars(numbers, groups->least, 0);
		argument_numbers_add_to_bars(numbers, groups->most, 0);
		scale = number_bars_scale(numbers->bars);
		if (abs(scale) <= SCALE_MOST)
			good = ask_each(groups, true, scale);
		else
			snprintf(sums->ask->problem, sizeof(sums->ask->problem),
				"--histogram: values as far apart as these "
				"cannot be counted on a server: ask for less "
				"with --where");
		good &= abs(scale) <= SCALE_MOST;
	}
	for (kind = 0; kind < NUMBER_KINDS; kind++)
		for (place = 0; place < PLACES; place++)
			render_buffer_free(
				&groups->all[kind][place].statements.text);
	free(groups);
	return good;
}

bool ask_sums_can(const struct ask_sums *sums)
{
	const char *style = sums->options->style;

	if (!sums->conditions->exact)
		return false;
	if (strcmp(style, "count") == 0 || strcmp(style, "stats") == 0)
		return true;
	return (strcmp(style, "values") == 0 ||
		       strcmp(style, "histogram") == 0) &&
	       are_plain(sums);
}

bool ask_sums(struct ask_sums *sums)
{
	const char *style = sums->options->style;

	if (strcmp(style, "count") == 0)
		return ask_count(sums);
	if (strcmp(style, "stats") == 0)
		return ask_said(sums);
	return ask_numbers(sums, strcmp(style, "histogram") == 0);
}
