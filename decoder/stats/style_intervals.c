#include <errno.h>
#include <stdlib.h>

#include "decoder/message/message_sites.h"
#include "decoder/output/style.h"
#include "decoder/query/batch_fold.h"
#include "decoder/stats/number_rows.h"
#include "decoder/stats/numbers.h"

static const struct number_rows_column columns[] = {
	{"MESSAGES", "messages", true},
	NUMBER_ROWS_NUMBERS,
	{"AT", "at", false},
	{"FORMAT", "format", false},
	{NULL, NULL, false},
};

struct paced_site {
	struct message_site site;
	uint64_t messages;
	uint64_t last;	/* wall time of the latest */
	uint64_t batch; /* that it was found in last: its number, and 1 */
	struct numbers between;
};

struct intervals {
	struct style_settings settings;
	struct batch_fold fold;
	struct message_sites sites;
	struct numbers_room room;
	bool failed; /* out of memory */
};

/* Clocks may be set back. */
static void note(
	struct intervals *intervals, struct paced_site *site, uint64_t wall)
{
	if (site->messages++ > 0)
		numbers_add_integer(&site->between, &intervals->room,
			(int64_t)(wall - site->last), 1);
	site->last = wall;
}

/* Of a place with two stacks the order is that of messages. */
static bool accepts(void *closure, const struct batch_rows *rows)
{
	struct intervals *intervals = closure;
	struct paced_site *site =
		message_sites_find(&intervals->sites, &rows->example);
	uint64_t batch = rows->body->batch.number + 1;
	bool alone = site && site->batch != batch;

	if (site)
		site->batch = batch;
	return alone;
}

static void take(void *closure, const struct batch_rows *rows)
{
	struct intervals *intervals = closure;
	struct paced_site *site =
		message_sites_find(&intervals->sites, &rows->example);
	size_t i;

	if (!site) {
		intervals->failed = true;
		return;
	}
	for (i = 0; i < rows->count; i++)
		if (batch_fold_has(rows, i))
			note(intervals, site, rows->times[i]);
}

void *style_intervals_begin(const struct style_settings *settings)
{
	struct intervals *intervals = calloc(1, sizeof(*intervals));

	if (!intervals)
		return NULL;
	intervals->settings = *settings;
	intervals->room = numbers_room();
	message_sites_begin(&intervals->sites, sizeof(struct paced_site),
		settings->location);
	intervals->fold = (struct batch_fold){
		.accepts = accepts,
		.take = take,
		.closure = intervals,
		.timed = true,
		.ordered = true,
	};
	if (settings->batches)
		settings->batches->fold = &intervals->fold;
	return intervals;
}

void style_intervals_message(void *state, const struct message *message)
{
	struct intervals *intervals = state;
	struct paced_site *site;

	if (message_is_event(message) || message->continues)
		return;
	site = message_sites_find(&intervals->sites, message);
	if (site)
		note(intervals, site, message->wall);
	else
		intervals->failed = true;
}

static int compare(const void *one, const void *other)
{
	const struct paced_site *a = *(struct paced_site *const *)one;
	const struct paced_site *b = *(struct paced_site *const *)other;

	if (a->messages != b->messages)
		return a->messages < b->messages ? 1 : -1;
	return message_sites_compare(&a->site, &b->site);
}

void style_intervals_end(void *state)
{
	struct intervals *intervals = state;
	const struct options *options = intervals->settings.options;
	struct message_sites *sites = &intervals->sites;
	struct output *output = intervals->settings.output;
	struct number_rows rows;
	size_t i;

	number_rows_begin(&rows, columns, output, options->json);
	rows.table.last_least = NUMBER_ROWS_FORMAT_LEAST;
	rows.expendable = number_rows_expendable;
	message_sites_sort(sites, compare);
	for (i = 0; i < sites->count; i++) {
		struct paced_site *site = (struct paced_site *)sites->all[i];

		if (i < options->rows) {
			number_rows_count(&rows, site->messages);
			number_rows_numbers(&rows, &site->between);
			number_rows_site(&rows, &site->site);
		}
		numbers_free(&site->between, &intervals->room);
	}
	number_rows_end(&rows);
	if ((intervals->failed || intervals->room.failed) &&
		output->failed == 0)
		output->failed = ENOMEM;
	numbers_room_free(&intervals->room);
	message_sites_end(sites);
	free(intervals);
}
