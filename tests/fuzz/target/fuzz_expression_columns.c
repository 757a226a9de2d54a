/*
 * An expression asked of columns of numbers chooses the messages that it
 * chooses when they are asked one by one.
 */
#include <inttypes.h>

#include "decoder/packed/packed_body.h"
#include "decoder/query/expression_columns.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/sample_message.h"

#define MESSAGES 12u
#define TEXT_MAX 1024u

/* Several messages of one site, as a batch has them. */
struct batch {
	struct sample_message made;
	struct render_argument arguments[MESSAGES][FORMAT_ARGUMENTS_MAX + 1];
	uint64_t values[FORMAT_ARGUMENTS_MAX + 1][MESSAGES];
	union packed_body_column columns[FORMAT_ARGUMENTS_MAX + 1];
	struct packed_body_row row;
	struct packed_site site;
	struct packed_body body;
};

static struct batch batch;
static char text[TEXT_MAX];

static uint64_t bits_of(const struct render_argument *argument)
{
	switch (argument->kind) {
	case BINLOG_ARG_I32:
		return (uint64_t)(int64_t)argument->i32;
	case BINLOG_ARG_I64:
	case BINLOG_ARG_F64:
		return (uint64_t)argument->i64;
	}
	return 0;
}

/* A column that is the same, that rises evenly, or of any values. */
static void fill_column(size_t index, unsigned shape, uint64_t step)
{
	struct random_sample *sample = &batch.made.sample;
	struct column *column = &batch.columns[index].numbers;

	for (size_t i = 0; i < MESSAGES; i++) {
		struct render_argument *argument = &batch.arguments[i][index];

		if (i == 0 || shape == 2) {
			random_argument(sample, (int)index);
			*argument = sample->arguments[index];
		} else {
			*argument = batch.arguments[i - 1][index];
			if (argument->kind == BINLOG_ARG_I32)
				argument->i32 =
					(int32_t)((uint32_t)argument->i32 +
						  (uint32_t)step);
			else if (argument->kind <= BINLOG_ARG_F64)
				argument->i64 =
					(int64_t)((uint64_t)argument->i64 +
						  step);
		}
		batch.values[index][i] = bits_of(argument);
	}
	*column = (struct column){.at = batch.values[index],
		.stride = shape == 2,
		.step = shape == 2 ? 0 : step};
}

static void make_batch(void)
{
	struct random_sample *sample = &batch.made.sample;

	for (int i = 0; i < sample->count; i++) {
		unsigned shape = below(3);

		fill_column((size_t)i, shape,
			shape == 1 ? random_integer() >> below(64) : 0);
	}
	batch.row = (struct packed_body_row){
		.context = &batch.made.context, .columns = batch.columns};
	batch.site = (struct packed_site){.context = &batch.made.context,
		.messages = MESSAGES,
		.wanted = true};
	column_store_reset(&batch.body.store);
	batch.body.rows = &batch.row;
	batch.body.batch = (struct packed_batch){
		.count = MESSAGES, .sites = &batch.site, .site_count = 1};
}

/* A number of the batch, next to one, or any. */
static size_t put_number(size_t at, int argument)
{
	const struct render_argument *from =
		&batch.arguments[below(MESSAGES)][argument];
	char *to = text + at;
	size_t room = TEXT_MAX - at;

	if (one_in(6))
		return (size_t)snprintf(
			to, room, "%.*g", 1 + (int)below(17), random_double());
	if (from->kind == BINLOG_ARG_F64)
		return (size_t)snprintf(to, room, "%.17g", from->f64);
	if (one_in(8))
		return (size_t)snprintf(to, room, "0x%" PRIx64, bits_of(from));
	if (one_in(2))
		return (size_t)snprintf(
			to, room, "%" PRIu64, bits_of(from) + below(3) - 1);
	return (size_t)snprintf(to, room, "%" PRId64 "%s",
		(int64_t)(bits_of(from) + below(3) - 1), one_in(8) ? ".5" : "");
}

static size_t put_side(size_t at, int argument)
{
	if (one_in(2))
		return (size_t)snprintf(
			text + at, TEXT_MAX - at, "arg%d", argument + 1);
	return put_number(at, argument);
}

/* Up to so many comparisons of arguments and numbers. */
static void write_expression(unsigned comparisons)
{
	static const char *const operators[] = {
		" == ", " != ", " < ", " <= ", " > ", " >= "};
	size_t at = 0;

	while (comparisons-- > 0) {
		int argument = (int)below((unsigned)batch.made.sample.count);

		at += (size_t)snprintf(
			text + at, TEXT_MAX - at, "%s(", one_in(3) ? "!" : "");
		at += put_side(at, argument);
		at += (size_t)snprintf(
			text + at, TEXT_MAX - at, "%s", operators[below(6)]);
		at += one_in(3) ? (size_t)snprintf(text + at, TEXT_MAX - at,
					  "arg%u", 1 + below(4))
				: put_side(at, argument);
		at += (size_t)snprintf(text + at, TEXT_MAX - at, ")%s",
			comparisons == 0 ? ""
			: one_in(2)	 ? " && "
					 : " || ");
	}
}

static void check_expression(const struct expression *expression)
{
	uint8_t chosen[MESSAGES] = {0};
	struct pool pool = {0};
	const struct expression_binding *binding = expression_bind(
		expression, &batch.made.context, &batch.made.format, &pool);

	if (binding && expression_columns_choose(
			       expression, binding, &batch.body, 0, chosen))
		for (size_t i = 0; i < MESSAGES; i++) {
			batch.made.message.arguments = batch.arguments[i];
			FUZZ_CHECK(chosen[i] == expression_is_true(expression,
							binding,
							&batch.made.message));
		}
	pool_free(&pool);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char problem[160];
	struct expression *expression;

	random_from(data, size);
	if (!sample_message_make(&batch.made) || batch.made.sample.count == 0)
		return 0;
	make_batch();
	write_expression(1 + below(3));
	expression = expression_new(text, problem, sizeof(problem));
	if (expression)
		check_expression(expression);
	expression_free(expression);
	return 0;
}
