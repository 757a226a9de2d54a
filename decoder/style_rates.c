#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/category.h"
#include "decoder/escape.h"
#include "decoder/id_map.h"
#include "decoder/literal.h"
#include "decoder/message_level.h"
#include "decoder/pool.h"
#include "decoder/style.h"
#include "decoder/table.h"
#include "record/levels.h"

#define NS 1000000000u
/* More places are not told apart: the rest is counted as one. */
#define SITES_MAX ((size_t)1 << 16)
#define FORMAT_SHOWN 60u

static const struct table_column columns[] = {
	{"CALLS", true},
	{"PER SECOND", true},
	{"LEVEL", false},
	{"SUGGESTED", false},
	{"AT", false},
	{"FORMAT", false},
	{NULL, false},
};

/* All calls from one place with one format. */
struct site {
	const char *module; /* null: not known */
	uint64_t offset;
	const char *format; /* null: there is none */
	size_t format_bytes;
	uint64_t calls;
	int level;
	struct site *collides;
};

struct rates {
	struct style_settings settings;
	struct id_map map;
	struct pool pool;
	struct site **sites;
	size_t count;
	size_t room;
	struct site rest;
	uint64_t first; /* wall time; 0: nothing was said */
	uint64_t last;
	bool failed; /* out of memory */
};

void *style_rates_begin(const struct style_settings *settings)
{
	struct rates *rates = calloc(1, sizeof(*rates));

	if (rates)
		rates->settings = *settings;
	return rates;
}

/* What of a message tells places apart; points into it. */
static struct site site_of(const struct message *message)
{
	const struct definition_context *context = message->context;
	const struct definition_string *format = message_format(message);
	struct site site = {.module = category_module(message)};

	if (format) {
		site.format = format->bytes;
		site.format_bytes = format->length;
	}
	if (site.module)
		site.offset = category_offset(message);
	else if (context->depth > 0)
		site.offset = context->frames[0] - 1;
	return site;
}

static bool is_same(const struct site *a, const struct site *b)
{
	return a->offset == b->offset && !a->module == !b->module &&
	       (!a->module || strcmp(a->module, b->module) == 0) &&
	       a->format_bytes == b->format_bytes &&
	       (a->format_bytes == 0 ||
		       memcmp(a->format, b->format, a->format_bytes) == 0);
}

static uint32_t hash_of(const struct site *site)
{
	uint64_t hash = id_map_seed ^ site->offset * 0x9e3779b97f4a7c15u;
	const char *module = site->module;
	size_t i;

	for (i = 0; module && module[i]; i++)
		hash = (hash ^ (uint8_t)module[i]) * 0x100000001b3u;
	for (i = 0; i < site->format_bytes; i++)
		hash = (hash ^ (uint8_t)site->format[i]) * 0x100000001b3u;
	return (uint32_t)(hash ^ hash >> 32);
}

static bool enlarge(struct rates *rates)
{
	size_t room = rates->room ? 2 * rates->room : 256;
	struct site **sites;

	if (rates->count < rates->room)
		return true;
	sites = realloc(rates->sites, room * sizeof(struct site *));
	if (!sites)
		return false;
	rates->sites = sites;
	rates->room = room;
	return true;
}

/* Null: out of memory. */
static struct site *add(
	struct rates *rates, const struct site *like, struct site *collides)
{
	struct site *site = pool_take(&rates->pool, sizeof(*site));

	if (!site || !enlarge(rates))
		return NULL;
	*site = *like;
	site->collides = collides;
	if (like->module)
		site->module = pool_copy(
			&rates->pool, like->module, strlen(like->module));
	if (like->format)
		site->format = pool_copy(
			&rates->pool, like->format, like->format_bytes);
	if (!site->module != !like->module || !site->format != !like->format ||
		!id_map_set(&rates->map, hash_of(like), site))
		return NULL;
	rates->sites[rates->count++] = site;
	return site;
}

static struct site *find(struct rates *rates, const struct message *message)
{
	struct site like = site_of(message);
	struct site *first = id_map_find(&rates->map, hash_of(&like));
	struct site *found = first;

	while (found && !is_same(found, &like))
		found = found->collides;
	if (found)
		return found;
	if (rates->count == SITES_MAX)
		return &rates->rest;
	like.level = message_level(message);
	return add(rates, &like, first);
}

void style_rates_message(void *state, const struct message *message)
{
	struct rates *rates = state;
	struct site *site;

	if (message_is_event(message) || message->continues)
		return;
	/* Clocks may be set back. */
	if (rates->first == 0 || message->wall < rates->first)
		rates->first = message->wall;
	if (message->wall > rates->last)
		rates->last = message->wall;
	site = find(rates, message);
	if (site)
		site->calls++;
	else
		rates->failed = true;
}

static int compare(const void *one, const void *other)
{
	const struct site *a = *(struct site *const *)one;
	const struct site *b = *(struct site *const *)other;

	if (a->calls != b->calls)
		return a->calls < b->calls ? 1 : -1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
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

static void put_format(struct table *table, const struct site *site)
{
	if (site->format)
		literal_put(&table->text, site->format,
			site->format_bytes < FORMAT_SHOWN ? site->format_bytes
							  : FORMAT_SHOWN);
	else
		render_buffer_put_byte(&table->text, '-');
	table_end_cell(table);
}

/* As it may stand in a rule. */
static void put_place(struct table *table, const struct site *site)
{
	char offset[32];

	if (site->module)
		escape_put(&table->text, site->module, strlen(site->module),
			ESCAPE_NEWLINE);
	snprintf(offset, sizeof(offset), "%s0x%" PRIx64,
		site->module ? "+" : "", site->offset);
	render_buffer_put(&table->text, offset, strlen(offset));
	table_end_cell(table);
}

static void put_site(
	struct rates *rates, struct table *table, const struct site *site)
{
	double seconds = (double)(rates->last - rates->first) / NS;
	double rate = (double)site->calls / (seconds > 1 ? seconds : 1);
	char text[64];

	table_number_cell(table, site->calls);
	snprintf(text, sizeof(text), "%.1f", rate);
	table_text_cell(table, text);
	if (site == &rates->rest) {
		table_text_cell(table, "-");
		table_text_cell(table, "-");
		table_text_cell(table, "other places");
		table_text_cell(table, "-");
		return;
	}
	table_text_cell(table, level_name(site->level));
	table_text_cell(table, level_name(suggest(site->level, rate)));
	put_place(table, site);
	put_format(table, site);
}

void style_rates_end(void *state)
{
	struct rates *rates = state;
	struct output *output = rates->settings.output;
	struct table table = {.columns = columns};
	size_t i;

	if (rates->count > 0)
		qsort(rates->sites, rates->count, sizeof(struct site *),
			compare);
	for (i = 0; i < rates->count; i++)
		put_site(rates, &table, rates->sites[i]);
	if (rates->rest.calls > 0)
		put_site(rates, &table, &rates->rest);
	if ((rates->failed || !table_put(&table, &output->text)) &&
		output->failed == 0)
		output->failed = ENOMEM;
	table_free(&table);
	id_map_free(&rates->map);
	pool_free(&rates->pool);
	free(rates->sites);
	free(rates);
}
