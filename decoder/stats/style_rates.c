#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "decoder/message/message_level.h"
#include "decoder/message/message_sites.h"
#include "decoder/output/style.h"
#include "decoder/output/table.h"
#include "decoder/query/batch_fold.h"
#include "rules/levels.h"

#define NS 1000000000u

static const struct table_column columns[] = {
	{"CALLS", true},
	{"PER SECOND", true},
	{"LEVEL", false},
	{"SUGGESTED", false},
	{"AT", false},
	{"FORMAT", false},
	{NULL, false},
};

/* Of what is suggested all is known without. */
static const unsigned char expendable[] = {1, 2, TABLE_COLUMNS_MAX};

struct rated_site {
	struct message_site site;
	uint64_t calls;
	int level; /* of the first */
};

struct rates {
	struct style_settings settings;
	struct batch_fold fold;
	struct message_sites sites;
	uint64_t first; /* wall time; 0: nothing was said */
	uint64_t last;
	bool failed; /* out of memory */
};

/* Clocks may be set back. */
static void note_time(struct rates *rates, uint64_t wall)
{
	if (rates->first == 0 || wall < rates->first)
		rates->first = wall;
	if (wall > rates->last)
		rates->last = wall;
}

/* Those of a place whose level is known. */
static bool accepts(void *closure, const struct batch_rows *rows)
{
	struct rates *rates = closure;
	const struct rated_site *site =
		message_sites_find(&rates->sites, &rows->example);

	return site && site->calls > 0;
}

static void take(void *closure, const struct batch_rows *rows)
{
	struct rates *rates = closure;
	struct rated_site *site =
		message_sites_find(&rates->sites, &rows->example);
	size_t i;

	if (!site) {
		rates->failed = true;
		return;
	}
	site->calls += rows->chosen_count;
	for (i = 0; i < rows->count; i++)
		if (batch_fold_has(rows, i))
			note_time(rates, rows->times[i]);
}

void *style_rates_begin(const struct style_settings *settings)
{
	struct rates *rates = calloc(1, sizeof(*rates));

	if (!rates)
		return NULL;
	rates->settings = *settings;
	message_sites_begin(&rates->sites, sizeof(struct rated_site), NULL);
	rates->fold = (struct batch_fold){
		.accepts = accepts,
		.take = take,
		.closure = rates,
		.timed = true,
	};
	if (settings->batches)
		settings->batches->fold = &rates->fold;
	return rates;
}

void style_rates_message(void *state, const struct message *message)
{
	struct rates *rates = state;
	struct rated_site *site;

	if (message_is_event(message) || message->continues)
		return;
	note_time(rates, message->wall);
	site = message_sites_find(&rates->sites, message);
	if (!site) {
		rates->failed = true;
		return;
	}
	if (site->calls++ == 0)
		site->level = message_level(message);
}

static int compare(const void *one, const void *other)
{
	const struct rated_site *a = *(struct rated_site *const *)one;
	const struct rated_site *b = *(struct rated_site *const *)other;

	if (a->calls != b->calls)
		return a->calls < b->calls ? 1 : -1;
	return message_sites_compare(&a->site, &b->site);
}

/* What is important stays so, however often it is said. */
static int suggest(int level, double rate)
{
	static const struct {
		double least; /* calls in a second */
		int level;
	} classes[] = {{1e6, LEVEL_library}, {1e4, LEVEL_packet},
		{100, LEVEL_app}, {1, LEVEL_trace}};
	size_t i;

	for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (level > LEVEL_warning && rate >= classes[i].least)
			return classes[i].level > level ? classes[i].level
							: level;
	return level;
}

static void put_site(
	struct rates *rates, struct table *table, const struct rated_site *site)
{
	double seconds = (double)(rates->last - rates->first) / NS;
	double rate = (double)site->calls / (seconds > 1 ? seconds : 1);
	bool is_rest = &site->site == rates->sites.rest;
	char text[64];

	table_number_cell(table, site->calls);
	snprintf(text, sizeof(text), "%.1f", rate);
	table_text_cell(table, text);
	table_text_cell(table, is_rest ? "-" : level_name(site->level));
	table_text_cell(
		table, is_rest ? "-" : level_name(suggest(site->level, rate)));
	message_sites_put_location(&site->site, &table->text);
	table_end_cell(table);
	message_sites_put_format_to_cut(
		&site->site, rates->settings.output->width, &table->text);
	table_end_cell(table);
}

void style_rates_end(void *state)
{
	struct rates *rates = state;
	struct output *output = rates->settings.output;
	struct table table = {.columns = columns};
	size_t i;

	message_sites_sort(&rates->sites, compare);
	for (i = 0; i < rates->sites.count; i++)
		put_site(rates, &table,
			(struct rated_site *)rates->sites.all[i]);
	if ((rates->failed || !table_put_fitting(&table, &output->text,
				      output->width, expendable)) &&
		output->failed == 0)
		output->failed = ENOMEM;
	table_free(&table);
	message_sites_end(&rates->sites);
	free(rates);
}
