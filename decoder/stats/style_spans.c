#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/escape.h"
#include "base/limits.h"
#include "decoder/output/text_cut.h"
#include "decoder/output/short_time.h"
#include "decoder/output/style.h"
#include "decoder/output/table.h"
#include "decoder/stats/span_tree.h"
#include "decoder/stats/spans.h"

#define NS 1000000000u
#define SECONDS_BYTES 32
#define DEPTH_SHOWN ((size_t)64)

static const struct table_column columns[] = {
	{"SPANS", true},
	{"MIN", true},
	{"MEAN", true},
	{"50 %", true},
	{"90 %", true},
	{"99 %", true},
	{"MAX", true},
	{"NOT ENDED", true},
	{"NOT BEGUN", true},
	{"NO VALUE", true},
	{"SPANS OF", false},
	{NULL, false},
};

/* What a narrow terminal does without, one after the other. */
static const unsigned char expendable[] = {
	9, 8, 7, 4, 1, 3, 5, TABLE_COLUMNS_MAX};

/* Of what the spans are of, which the user has given. */
#define RULE_LEAST 20

/* A span that may be among the longest, as it is shown. */
struct kept {
	uint64_t duration;
	uint64_t number; /* in the order in which they ended */
	char *text;
	size_t bytes;
};

struct span_style {
	struct style_settings settings;
	struct short_time times;
	struct spans *spans;
	struct span_tree tree; /* of what took time itself */
	struct span_sum took;  /* likewise */
	struct numbers_room numbers;
	struct render_buffer text;
	struct kept *longest; /* a heap, the shortest of them first */
	size_t count;
	size_t room;
	uint64_t ended;
	bool any;    /* messages */
	bool failed; /* out of memory */
};

static void write_seconds(char text[static SECONDS_BYTES], uint64_t nanoseconds)
{
	snprintf(text, SECONDS_BYTES, "%" PRIu64 ".%09" PRIu64,
		nanoseconds / NS, nanoseconds % NS);
}

static void put_who(struct render_buffer *out, const struct span_end *end)
{
	char ids[32];

	escape_put(out, end->program->name, strlen(end->program->name),
		ESCAPE_NEWLINE);
	snprintf(ids, sizeof(ids), "[%" PRIu32 ":%" PRIu32 "]", end->pid,
		end->tid);
	render_buffer_put_string(out, ids);
}

static void put_duration(struct render_buffer *out, const struct span *span)
{
	char seconds[SECONDS_BYTES] = "-";
	char column[SECONDS_BYTES + 16];

	if (span->ended)
		write_seconds(seconds, span->duration);
	snprintf(column, sizeof(column), " %13s ", seconds);
	render_buffer_put_string(out, column);
}

static void put_span(struct span_style *style, const struct span *span,
	size_t depth, struct render_buffer *out)
{
	const size_t from = out->length;

	short_time_put(&style->times, span->begin.wall, out);
	put_duration(out, span);
	put_who(out, &span->begin);
	if (span->ended && (span->end.pid != span->begin.pid ||
				   span->end.tid != span->begin.tid)) {
		render_buffer_put_string(out, " => ");
		put_who(out, &span->end);
	}
	if (span->key_bytes > 0) {
		render_buffer_put_string(out, " ");
		escape_put(out, span->key, span->key_bytes, ESCAPE_NEWLINE);
	}
	render_buffer_put_string(out, ": ");
	render_buffer_fill(
		out, ' ', 2 * (depth < DEPTH_SHOWN ? depth : DEPTH_SHOWN));
	escape_put(out, span->text, span->text_bytes, ESCAPE_NEWLINE);
	text_cut_lines(out, from, style->settings.output->width);
	render_buffer_put_string(out, "\n");
	if (span->stack)
		render_buffer_put(out, span->stack, span->stack_bytes);
}

/* Of two of the same length the one that ended first counts as longer. */
static bool is_shorter(const struct kept *a, const struct kept *b)
{
	if (a->duration != b->duration)
		return a->duration < b->duration;
	return a->number > b->number;
}

static void swap(struct kept *a, struct kept *b)
{
	struct kept kept = *a;

	*a = *b;
	*b = kept;
}

static void rise(struct kept *heap, size_t at)
{
	while (at > 0 && is_shorter(&heap[at], &heap[(at - 1) / 2])) {
		swap(&heap[at], &heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
}

static void sink(struct kept *heap, size_t count)
{
	size_t at = 0;
	size_t child;

	while ((child = 2 * at + 1) < count) {
		if (child + 1 < count &&
			is_shorter(&heap[child + 1], &heap[child]))
			child++;
		if (!is_shorter(&heap[child], &heap[at]))
			break;
		swap(&heap[child], &heap[at]);
		at = child;
	}
}

/* Room for one more, or one that is shorter than the new one goes. */
static bool make_way(struct span_style *style, const struct kept *with)
{
	if (style->count == style->settings.options->longest) {
		if (style->count == 0 || is_shorter(with, style->longest))
			return false;
		free(style->longest->text);
		*style->longest = style->longest[--style->count];
		sink(style->longest, style->count);
	}
	if (array_reserve(style->longest, style->room, style->count + 1))
		return true;
	style->failed = true;
	return false;
}

static void keep(struct span_style *style, const struct span *span)
{
	struct kept kept = {
		.duration = span->duration,
		.number = style->ended++,
	};
	struct render_buffer text = {0};

	if (!make_way(style, &kept))
		return;
	put_span(style, span, 0, &text);
	if (text.failed) {
		style->failed = true;
		render_buffer_free(&text);
		return;
	}
	kept.text = text.data;
	kept.bytes = text.length;
	style->longest[style->count] = kept;
	rise(style->longest, style->count++);
}

static void take_span(void *closure, const struct span *span)
{
	struct span_style *style = closure;

	if (style->settings.options->longest == 0) {
		put_span(style, span, 0, &style->settings.output->text);
		output_settle(style->settings.output);
	} else if (span->ended) {
		keep(style, span);
	}
}

static void take_of_tree(void *closure, const struct span *span, size_t depth)
{
	struct span_style *style = closure;

	put_span(style, span, depth, &style->settings.output->text);
	output_settle(style->settings.output);
}

/* What is within what is known when all that is kept is there. */
static void give_out_tree(struct span_style *style)
{
	span_tree_give_out(&style->tree, take_of_tree, style);
	style->failed |= style->tree.failed;
}

static void take_message(
	struct span_style *style, const struct message *message)
{
	struct render_buffer *text = &style->text;
	struct took took;
	struct span span;

	if (!took_of(message, &took))
		return;
	span_tree_of(message, &took, &span);
	text->length = 0;
	message_text(message, text);
	if (text->length > 0 && text->data[text->length - 1] == '\n')
		text->length--;
	if (limits_exceeded(LIMIT_SPAN_TEXT, text->length))
		text->length = LIMITS_SPAN_TEXT;
	span.text = render_buffer_from(text, 0);
	span.text_bytes = text->length;
	numbers_add_integer(
		&style->took.durations, &style->numbers, span.duration, 1);
	if (style->settings.options->longest != 0) {
		keep(style, &span);
		return;
	}
	span_tree_add(&style->tree, &span, took.substream);
	if (style->tree.count >= limits_of(LIMIT_SPANS) ||
		span_tree_bytes(&style->tree) >= limits_of(LIMIT_SPAN_BYTES))
		give_out_tree(style);
}

void *style_spans_begin(const struct style_settings *settings)
{
	struct span_style *style = calloc(1, sizeof(*style));

	if (!style)
		return NULL;
	style->settings = *settings;
	short_time_begin(
		&style->times, settings->utc, settings->output->width > 0);
	style->numbers = numbers_room();
	style->spans = spans_new(
		&settings->options->spans, settings->stack, take_span, style);
	if (style->spans)
		return style;
	free(style);
	return NULL;
}

void style_spans_message(void *state, const struct message *message)
{
	struct span_style *style = state;

	style->any = true;
	spans_message(style->spans, message);
	if (style->settings.options->spans.took)
		take_message(style, message);
}

static int compare(const void *left, const void *right)
{
	return is_shorter(left, right) ? 1 : -1;
}

static void put_longest(struct span_style *style)
{
	size_t i;

	if (style->count > 0)
		qsort(style->longest, style->count, sizeof(*style->longest),
			compare);
	for (i = 0; i < style->count; i++) {
		render_buffer_put(&style->settings.output->text,
			style->longest[i].text, style->longest[i].bytes);
		output_settle(style->settings.output);
	}
}

static void put_seconds(struct table *table, const struct numbers *durations,
	long double nanoseconds)
{
	char text[SECONDS_BYTES] = "-";

	if (durations->count > 0)
		write_seconds(text, (uint64_t)nanoseconds);
	table_text_cell(table, text);
}

static void put_sum(
	struct table *table, const char *rule, const struct span_sum *sum)
{
	static const unsigned thousandths[] = {500, 900, 990};
	const struct numbers *durations = &sum->durations;
	size_t i;

	table_number_cell(table, durations->count);
	put_seconds(table, durations, durations->least);
	put_seconds(table, durations, numbers_mean(durations));
	for (i = 0; i < sizeof(thousandths) / sizeof(thousandths[0]); i++)
		put_seconds(table, durations,
			numbers_percentile(durations, thousandths[i]));
	put_seconds(table, durations, durations->most);
	table_number_cell(table, sum->unfinished);
	table_number_cell(table, sum->unbegun);
	table_number_cell(table, sum->keyless);
	escape_put(&table->text, rule, strlen(rule), ESCAPE_NEWLINE);
	table_end_cell(table);
}

static void put_given_up(struct span_style *style, uint64_t count)
{
	char text[128];

	if (count == 0)
		return;
	snprintf(text, sizeof(text),
		"given up, since too many were open at a time: %" PRIu64 "\n",
		count);
	render_buffer_put_string(&style->settings.output->text, text);
}

static void put_sums(struct span_style *style)
{
	const struct span_rules *rules = &style->settings.options->spans;
	struct table table = {.columns = columns, .last_least = RULE_LEAST};
	struct output *output = style->settings.output;
	uint64_t given_up = 0;
	size_t i;

	render_buffer_put_string(&output->text, "\n");
	for (i = 0; i < rules->count; i++) {
		const struct span_sum *sum = spans_sum(style->spans, i);

		put_sum(&table, rules->all[i].text, sum);
		given_up += sum->given_up;
	}
	if (rules->took)
		put_sum(&table, SPAN_RULE_TOOK, &style->took);
	if (!table_put_fitting(
		    &table, &output->text, output->width, expendable))
		style->failed = true;
	put_given_up(style, given_up);
	table_free(&table);
}

void style_spans_end(void *state)
{
	struct span_style *style = state;
	struct output *output = style->settings.output;
	size_t i;

	spans_finish(style->spans);
	give_out_tree(style);
	put_longest(style);
	if (style->any && !style->settings.options->quiet)
		put_sums(style);
	if (style->any && style->settings.remarks)
		spans_put_remarks(style->spans, style->settings.remarks);
	if ((style->failed || style->numbers.failed || style->text.failed ||
		    !spans_are_whole(style->spans)) &&
		output->failed == 0)
		output->failed = ENOMEM;
	for (i = 0; i < style->count; i++)
		free(style->longest[i].text);
	free(style->longest);
	numbers_free(&style->took.durations, &style->numbers);
	numbers_room_free(&style->numbers);
	render_buffer_free(&style->text);
	spans_free(style->spans);
	free(style);
}
