#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/calendar.h"
#include "decoder/message/message_sites.h"
#include "decoder/output/count_words.h"
#include "decoder/output/style.h"
#include "decoder/query/batch_fold.h"
#include "decoder/stats/number_rows.h"
#include "decoder/stats/sums.h"

#define NS 1000000000u

static const struct number_rows_column columns[] = {
	{"MESSAGES", "messages", true},
	{"%", "percent", true},
	{"BYTES", "bytes", true},
	{"%", "percent_of_bytes", true},
	{"PER SECOND", "per_second", true},
	{"LEFT OUT", "left_out", true},
	{"FIRST", "first", false},
	{"LAST", "last", false},
	{"AT", "at", false},
	{"FORMAT", "format", false},
	{NULL, NULL, false},
};

enum { PERCENT = 1, BYTES, PERCENT_OF_BYTES, PER_SECOND, LEFT_OUT, FIRST };

/* What a terminal does without where nothing was left out, and then the
 * others, one after the other. */
static const unsigned char expendable[] = {PERCENT_OF_BYTES, LEFT_OUT, FIRST,
	PER_SECOND, PERCENT, BYTES, TABLE_COLUMNS_MAX};
static const unsigned char none_left_out[] = {LEFT_OUT, PERCENT_OF_BYTES, FIRST,
	PER_SECOND, PERCENT, BYTES, TABLE_COLUMNS_MAX};

/* Of a format: numbers are worth more. */
#define FORMAT_LEAST 28

/* What was said, at one place or in all. */
struct said {
	uint64_t messages;
	uint64_t bytes;	   /* of their texts */
	uint64_t left_out; /* by rules, while it was recorded */
	uint64_t first;	   /* wall time */
	uint64_t last;
};

struct said_site {
	struct message_site site;
	struct said said;
};

struct stats {
	struct style_settings settings;
	struct batch_fold fold;
	struct message_sites sites;
	struct render_buffer text; /* of a message */
	struct calendar calendar;
	bool one_day; /* of all messages */
	bool failed;  /* out of memory */
};

static void add(struct said *to, const struct said *said)
{
	if (said->messages > 0 &&
		(to->messages == 0 || said->first < to->first))
		to->first = said->first;
	if (said->messages > 0 && said->last > to->last)
		to->last = said->last;
	to->messages += said->messages;
	to->bytes += said->bytes;
	to->left_out += said->left_out;
}

static void add_to_site(struct stats *stats, const struct message *message,
	const struct said *said)
{
	struct said_site *site = message_sites_find(&stats->sites, message);

	if (site)
		add(&site->said, said);
	else
		stats->failed = true;
}

static uint64_t bytes_of(struct stats *stats, const struct message *message)
{
	if (message->text)
		return message->text->length;
	stats->text.length = 0;
	message_text(message, &stats->text);
	return stats->text.length;
}

/* Only texts that are always the same are known without their arguments. */
static bool accepts(void *closure, const struct batch_rows *rows)
{
	(void)closure;
	return rows->example.context->arguments == 0;
}

static void take(void *closure, const struct batch_rows *rows)
{
	struct stats *stats = closure;
	uint64_t bytes = bytes_of(stats, &rows->example);
	struct said said = {0};
	size_t i;

	for (i = 0; i < rows->count; i++)
		if (batch_fold_has(rows, i))
			add(&said, &(struct said){.messages = 1,
					   .bytes = bytes,
					   .first = rows->times[i],
					   .last = rows->times[i]});
	add_to_site(stats, &rows->example, &said);
}

void *style_stats_begin(const struct style_settings *settings)
{
	struct stats *stats = calloc(1, sizeof(*stats));

	if (!stats)
		return NULL;
	stats->settings = *settings;
	stats->calendar.utc = settings->utc;
	message_sites_begin(
		&stats->sites, sizeof(struct said_site), settings->location);
	stats->fold = (struct batch_fold){
		.accepts = accepts,
		.take = take,
		.closure = stats,
		.timed = true,
	};
	if (settings->batches)
		settings->batches->fold = &stats->fold;
	return stats;
}

static bool counts_left_out(unsigned text)
{
	return text == BINLOG_TEXT_SUPPRESSED || text == BINLOG_TEXT_WINDOW;
}

void style_stats_message(void *state, const struct message *message)
{
	struct stats *stats = state;
	struct said said = {.first = message->wall, .last = message->wall};

	if (counts_left_out(message->context->text))
		said.left_out = (uint64_t)message_event_value(message);
	else if (message_is_event(message))
		return;
	else
		said.bytes = bytes_of(stats, message);
	said.messages = !message_is_event(message) && !message->continues;
	add_to_site(stats, message, &said);
}

void sums_add_said(void *state, const struct message *example,
	const struct sums_said *said)
{
	add_to_site(state, example,
		&(struct said){.messages = said->messages,
			.bytes = said->bytes,
			.first = said->first,
			.last = said->last});
}

static int compare(const void *one, const void *other)
{
	const struct said_site *a = *(struct said_site *const *)one;
	const struct said_site *b = *(struct said_site *const *)other;

	if (a->said.messages != b->said.messages)
		return a->said.messages < b->said.messages ? 1 : -1;
	if (a->said.bytes != b->said.bytes)
		return a->said.bytes < b->said.bytes ? 1 : -1;
	return message_sites_compare(&a->site, &b->site);
}

#define DAY_LENGTH (sizeof("2026-11-21 ") - 1)
#define SECOND_LENGTH (sizeof("2026-11-21 02:27:03") - 1)

/* To the second; without the day if all are of one. */
static void shorten(const struct stats *stats, struct render_buffer *text)
{
	if (text->failed || text->length <= SECOND_LENGTH)
		return;
	text->length = SECOND_LENGTH;
	if (!stats->one_day)
		return;
	text->length -= DAY_LENGTH;
	memmove(text->data, text->data + DAY_LENGTH, text->length);
}

/* Whether both times are. */
static bool is_one_day(struct stats *stats, const struct said *sum)
{
	struct render_buffer first = {0};
	struct render_buffer last = {0};
	bool same;

	calendar_append(&stats->calendar, sum->first, &first);
	calendar_append(&stats->calendar, sum->last, &last);
	same = first.length > SECOND_LENGTH && last.length > SECOND_LENGTH &&
	       memcmp(first.data, last.data, DAY_LENGTH) == 0;
	render_buffer_free(&first);
	render_buffer_free(&last);
	return same;
}

static void put_time(
	struct stats *stats, struct number_rows *rows, uint64_t wall)
{
	struct render_buffer text = {0};

	if (rows->json) {
		number_rows_count(rows, wall);
		return;
	}
	calendar_append(&stats->calendar, wall, &text);
	if (rows->output->width > 0)
		shorten(stats, &text);
	render_buffer_put_byte(&text, '\0');
	number_rows_word(rows, text.failed ? "" : text.data);
	render_buffer_free(&text);
}

static void put_rate(struct number_rows *rows, const struct said *said,
	const struct said *sum)
{
	long double seconds = (long double)(sum->last - sum->first) / NS;

	if (seconds > 0)
		number_rows_number(
			rows, number_text_rounded(
				      (long double)said->messages / seconds));
	else
		number_rows_nothing(rows);
}

static void put_said(struct stats *stats, struct number_rows *rows,
	const struct said *said, const struct said *sum)
{
	number_rows_count(rows, said->messages);
	number_rows_number(
		rows, number_text_share(said->messages, sum->messages));
	number_rows_count(rows, said->bytes);
	number_rows_number(rows, number_text_share(said->bytes, sum->bytes));
	put_rate(rows, said, sum);
	number_rows_count(rows, said->left_out);
	if (said->messages > 0) {
		put_time(stats, rows, said->first);
		put_time(stats, rows, said->last);
	} else {
		number_rows_nothing(rows);
		number_rows_nothing(rows);
	}
}

static void put_all(struct stats *stats, const struct said *sum)
{
	const struct options *options = stats->settings.options;
	struct number_rows rows;
	size_t i;

	stats->one_day = is_one_day(stats, sum);
	number_rows_begin(
		&rows, columns, stats->settings.output, options->json);
	if (stats->settings.output->width > 0)
		rows.heads[LEFT_OUT].name = COUNT_HEAD_OFF;
	rows.table.last_least = FORMAT_LEAST;
	rows.expendable = sum->left_out == 0 ? none_left_out : expendable;
	for (i = 0; i < stats->sites.count && i < options->rows; i++) {
		const struct said_site *site =
			(struct said_site *)stats->sites.all[i];

		put_said(stats, &rows, &site->said, sum);
		number_rows_site(&rows, &site->site);
	}
	if (stats->sites.count > 1) {
		put_said(stats, &rows, sum, sum);
		number_rows_total(&rows);
	}
	number_rows_end(&rows);
}

static int compare_places(const void *one, const void *other)
{
	return message_sites_compare(*(struct message_site *const *)one,
		*(struct message_site *const *)other);
}

/* What says how much was left out is no message, but of the same call. */
static void join_left_out(struct message_sites *sites)
{
	size_t kept = 0;
	size_t i;

	if (sites->count > 0)
		qsort(sites->all, sites->count, sizeof(struct message_site *),
			compare_places);
	for (i = 0; i < sites->count; i++) {
		struct said_site *site = (struct said_site *)sites->all[i];
		struct said_site *before =
			kept ? (struct said_site *)sites->all[kept - 1] : NULL;

		if (before && counts_left_out(site->site.site->text) &&
			message_sites_are_one_call(&before->site, &site->site))
			before->said.left_out += site->said.left_out;
		else
			sites->all[kept++] = &site->site;
	}
	sites->count = kept;
}

void style_stats_end(void *state)
{
	struct stats *stats = state;
	struct output *output = stats->settings.output;
	struct said sum = {0};
	size_t i;

	join_left_out(&stats->sites);
	message_sites_sort(&stats->sites, compare);
	for (i = 0; i < stats->sites.count; i++)
		add(&sum, &((struct said_site *)stats->sites.all[i])->said);
	put_all(stats, &sum);
	if ((stats->failed || stats->text.failed) && output->failed == 0)
		output->failed = ENOMEM;
	render_buffer_free(&stats->text);
	message_sites_end(&stats->sites);
	free(stats);
}
