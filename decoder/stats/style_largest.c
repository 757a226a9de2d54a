#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/output/last_lines.h"
#include "decoder/output/style.h"
#include "decoder/query/batch_fold.h"
#include "decoder/query/expression.h"
#include "decoder/query/expression_columns.h"
#include "decoder/stats/number_rows.h"
#include "record/layout.h"

#define ROWS_DEFAULT 10u
#define PIECE ((size_t)512)

/* A message as it is shown. */
struct entry {
	long double value; /* negative for the smallest: the largest is kept */
	uint64_t number;   /* of messages before it that were looked at */
	char *text;
	size_t bytes;
};

/* A heap: the one that goes next when there is a larger one is the first. */
struct largest {
	struct style_settings settings;
	struct options options; /* for lines: all of them, no heads */
	const struct style *lines;
	struct batch_fold fold;
	const char *name;
	long double sign;
	long double floor; /* all that are less are too small */
	struct entry *heap;
	size_t count;
	size_t most;
	uint64_t number;
	bool asked;  /* there was a message */
	bool seen;   /* the argument */
	bool failed; /* out of memory */
};

/* Of two that are equal the one that came first is larger. */
static bool is_less(const struct entry *a, const struct entry *b)
{
	return a->value != b->value ? a->value < b->value
				    : a->number > b->number;
}

static void sift_up(struct largest *largest, size_t at)
{
	struct entry moving = largest->heap[at];

	while (at > 0 && is_less(&moving, &largest->heap[(at - 1) / 2])) {
		largest->heap[at] = largest->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	largest->heap[at] = moving;
}

static void sift_down(struct largest *largest)
{
	struct entry moving = largest->heap[0];
	size_t at = 0;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= largest->count)
			break;
		if (child + 1 < largest->count &&
			is_less(&largest->heap[child + 1],
				&largest->heap[child]))
			child++;
		if (!is_less(&largest->heap[child], &moving))
			break;
		largest->heap[at] = largest->heap[child];
		at = child;
	}
	largest->heap[at] = moving;
}

/* As the style for lines shows it; null: the head of all lines. */
static struct render_buffer show(
	struct largest *largest, const struct message *message)
{
	struct output output = {.fd = OUTPUT_KEPT,
		.width = largest->settings.output->width};
	struct style_settings settings = largest->settings;
	void *state;

	settings.output = &output;
	settings.options = &largest->options;
	settings.batches = NULL;
	largest->options.quiet = message;
	state = largest->lines->begin(&settings);
	if (!state) {
		output.text.failed = true;
		return output.text;
	}
	if (message)
		largest->lines->message(state, message);
	largest->lines->end(state);
	return output.text;
}

/* False: out of memory. */
static bool keep(struct largest *largest, const struct message *message,
	long double value)
{
	struct render_buffer text = show(largest, message);
	struct entry entry = {value, largest->number, NULL, text.length};

	entry.text = text.failed ? NULL : malloc(text.length + 1);
	if (entry.text && text.length > 0)
		memcpy(entry.text, text.data, text.length);
	render_buffer_free(&text);
	if (!entry.text)
		return false;
	if (largest->count < largest->most) {
		largest->heap[largest->count++] = entry;
		sift_up(largest, largest->count - 1);
		return true;
	}
	free(largest->heap[0].text);
	largest->heap[0] = entry;
	sift_down(largest);
	return true;
}

/* So large that it belongs to them. */
static bool is_large(const struct largest *largest, long double value)
{
	if (value < largest->floor)
		return false;
	if (largest->count < largest->most)
		return true;
	return largest->count > 0 && value > largest->heap[0].value;
}

static bool enlarge(struct largest *largest)
{
	size_t room = largest->count ? 2 * largest->count : 16;
	struct entry *heap;

	/* It is full when the count is a power of two, from 16 on. */
	if (largest->count > 0 &&
		(largest->count < 16 ||
			(largest->count & (largest->count - 1)) != 0))
		return true;
	heap = reallocarray(largest->heap, room, sizeof(*heap));
	if (heap)
		largest->heap = heap;
	return heap;
}

void style_largest_message(void *state, const struct message *message)
{
	struct largest *largest = state;
	const struct field *field;
	struct named_field_value value;

	if (message_is_event(message) || message->continues)
		return;
	largest->asked = true;
	field = named_field_number(message, largest->name);
	if (!field)
		return;
	largest->seen = true;
	largest->number++;
	value = named_field_value(field, message);
	value.number *= largest->sign;
	if (!value.known || value.number != value.number ||
		!is_large(largest, value.number))
		return;
	if (largest->count < largest->most && !enlarge(largest))
		largest->failed = true;
	else if (!keep(largest, message, value.number))
		largest->failed = true;
}

static bool needs(void *closure, const struct message *example)
{
	struct largest *largest = closure;

	if (named_field_number(example, largest->name))
		return true;
	largest->asked = true;
	return false;
}

/* A row's value, so that the largest is kept. */
static long double next_value(const struct largest *largest,
	const struct field *field, struct column *column)
{
	int64_t integer;
	double number;

	if (field->kind == BINLOG_ARG_F64) {
		column_values_floats(column, &number, 1);
		return largest->sign * number;
	}
	column_values_integers(column, field, &integer, 1);
	if (column_values_are_signed(field->conversion))
		return largest->sign * integer;
	return largest->sign * (uint64_t)integer;
}

/* Puts a larger one in place of the least of a heap of values. */
static void replace_least(long double *values, size_t count, long double value)
{
	size_t at = 0;
	size_t child;

	while ((child = 2 * at + 1) < count) {
		if (child + 1 < count && values[child + 1] < values[child])
			child++;
		if (value <= values[child])
			break;
		values[at] = values[child];
		at = child;
	}
	values[at] = value;
}

/* So many values of the rows are as large as that; what is less than the least
 * of them need not be shown. */
static void raise_floor(struct largest *largest, const struct field *field,
	const struct batch_rows *rows, struct column column)
{
	size_t count = largest->most;
	long double *values;
	size_t i;

	if (count == 0 || rows->chosen_count < count)
		return;
	values = calloc(count, sizeof(*values));
	for (i = 0; values && i < count; i++)
		values[i] = -INFINITY;
	for (i = 0; values && i < rows->count; i++) {
		long double value = next_value(largest, field, &column);

		if (batch_fold_has(rows, i) && value > values[0])
			replace_least(values, count, value);
	}
	if (values && values[0] > largest->floor)
		largest->floor = values[0];
	free(values);
}

static bool has_large(const struct largest *largest, const struct field *field,
	const struct batch_rows *rows, struct column column)
{
	size_t i;

	for (i = 0; i < rows->count; i++) {
		long double value = next_value(largest, field, &column);

		if (batch_fold_has(rows, i) && is_large(largest, value))
			return true;
	}
	return false;
}

/* None of the batch is large enough. */
static bool accepts(void *closure, const struct batch_rows *rows)
{
	struct largest *largest = closure;
	const struct field *field =
		named_field_number(&rows->example, largest->name);
	struct column column;

	if (!field)
		return true;
	largest->seen = true;
	if (field->kind == BINLOG_ARG_LONG_DOUBLE)
		return false;
	column =
		packed_columns_numbers(rows->body, rows->site, field->argument);
	if (!has_large(largest, field, rows, column))
		return true;
	raise_floor(largest, field, rows, column);
	return false;
}

static void take(void *closure, const struct batch_rows *rows)
{
	(void)closure;
	(void)rows;
}

/* The text is whole and was chosen already. */
static struct options options_of(const struct options *options)
{
	struct options lines = *options;

	lines.style = "line";
	lines.rules = (struct filter_rules){
		.named = options->rules.named,
		.locations = options->rules.locations,
	};
	lines.json = false;
	return lines;
}

static void *begin(const struct style_settings *settings, bool smallest)
{
	struct largest *largest = calloc(1, sizeof(*largest));
	uint32_t rows = settings->options->rows;

	if (!largest)
		return NULL;
	largest->settings = *settings;
	largest->options = options_of(settings->options);
	largest->lines = style_chosen(&largest->options);
	largest->name = settings->options->argument;
	largest->sign = smallest ? -1 : 1;
	largest->floor = -INFINITY;
	largest->most = rows == LAST_LINES_ALL ? ROWS_DEFAULT : rows;
	largest->fold = (struct batch_fold){
		.needs = needs,
		.accepts = accepts,
		.take = take,
		.closure = largest,
		.ordered = true,
	};
	if (settings->batches)
		settings->batches->fold = &largest->fold;
	return largest;
}

void *style_largest_begin(const struct style_settings *settings)
{
	return begin(settings, false);
}

void *style_smallest_begin(const struct style_settings *settings)
{
	return begin(settings, true);
}

void style_smallest_message(void *state, const struct message *message)
{
	style_largest_message(state, message);
}

static int compare(const void *one, const void *other)
{
	return is_less(one, other) ? 1 : -1;
}

static void put_all(struct largest *largest)
{
	struct output *output = largest->settings.output;
	struct render_buffer head = {0};
	size_t i;

	if (!largest->settings.options->quiet)
		head = show(largest, NULL);
	if (head.length > 0)
		render_buffer_put(&output->text, head.data, head.length);
	render_buffer_free(&head);
	if (largest->count > 0)
		qsort(largest->heap, largest->count, sizeof(*largest->heap),
			compare);
	for (i = 0; i < largest->count; i++) {
		render_buffer_put(&output->text, largest->heap[i].text,
			largest->heap[i].bytes);
		output_settle(output);
	}
}

void style_largest_end(void *state)
{
	struct largest *largest = state;
	struct output *output = largest->settings.output;
	size_t i;

	if (largest->seen || !largest->asked)
		put_all(largest);
	else
		number_rows_no_argument(output, largest->name);
	if (largest->failed && output->failed == 0)
		output->failed = ENOMEM;
	for (i = 0; i < largest->count; i++)
		free(largest->heap[i].text);
	free(largest->heap);
	free(largest);
}

void style_smallest_end(void *state)
{
	style_largest_end(state);
}
