#include "decoder/message/message_sites.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/escape.h"
#include "base/limits.h"
#include "base/literal.h"
#include "decoder/message/message_level.h"
#include "decoder/names/frames.h"

#define FORMAT_SHOWN 60u

/* Of a character, whose columns are two at most; those that combine aside. */
#define BYTES_OF_COLUMN 4u

void message_sites_begin(
	struct message_sites *sites, size_t bytes, struct locations *locations)
{
	*sites = (struct message_sites){
		.table = {.most = limits_size(LIMIT_SITES)},
		.bytes = bytes,
		.locations = locations,
	};
}

/* `file:line: function`; null: out of memory. */
static const char *location_of(
	struct message_sites *sites, const struct message *message)
{
	struct render_buffer text = {0};
	const char *location;

	frames_author(sites->locations, message, message_words_location, &text);
	while (text.length > 0 && strchr(": ", text.data[text.length - 1]))
		text.length--;
	location = pool_copy(&sites->table.pool,
		text.length > 0 ? text.data : "", text.length);
	render_buffer_free(&text);
	return location;
}

/* Null: out of memory. */
static struct message_site *make(struct message_sites *sites,
	const struct site *site, const struct message *message)
{
	struct message_site *made = pool_take(&sites->table.pool, sites->bytes);

	if (!made || !array_reserve(sites->all, sites->room, sites->count + 2))
		return NULL;
	memset(made, 0, sites->bytes);
	made->of = sites;
	made->site = site;
	if (site && sites->locations)
		made->location = location_of(sites, message);
	if (site && !made->location != !sites->locations)
		return NULL;
	if (site)
		sites->all[sites->count++] = made;
	return made;
}

static struct message_site *find(
	struct message_sites *sites, const struct message *message)
{
	struct site *site = site_table_find(&sites->table, message);

	if (site && !site->own)
		site->own = make(sites, site, message);
	if (site)
		return site->own;
	limits_note(LIMIT_SITES);
	if (!sites->rest && !sites->table.failed)
		sites->rest = make(sites, NULL, message);
	return sites->rest;
}

void *message_sites_find(
	struct message_sites *sites, const struct message *message)
{
	struct definition_context *context = message->context;
	struct message_site *site = context->site;

	if (site && site->of == sites)
		return site;
	site = find(sites, message);
	context->site = site;
	return site;
}

void message_sites_sort(struct message_sites *sites,
	int (*compare)(const void *one, const void *other))
{
	if (sites->count > 0)
		qsort(sites->all, sites->count, sizeof(struct message_site *),
			compare);
	if (sites->rest) /* which there is room for */
		sites->all[sites->count++] = sites->rest;
}

static int compare_strings(const char *one, const char *other)
{
	return strcmp(one ? one : "", other ? other : "");
}

int message_sites_compare(
	const struct message_site *one, const struct message_site *other)
{
	const struct site *a = one->site;
	const struct site *b = other->site;
	int order = compare_strings(a->module, b->module);

	if (order == 0 && a->offset != b->offset)
		order = a->offset < b->offset ? -1 : 1;
	if (order == 0)
		order = (a->text >= BINLOG_EVENT_FIRST) -
			(b->text >= BINLOG_EVENT_FIRST);
	if (order == 0)
		order = compare_strings(a->format, b->format);
	if (order == 0)
		order = a->number < b->number ? -1 : a->number > b->number;
	return order;
}

bool message_sites_are_one_call(
	const struct message_site *one, const struct message_site *other)
{
	return one->site->offset == other->site->offset &&
	       compare_strings(one->site->module, other->site->module) == 0;
}

void message_sites_put_location(
	const struct message_site *site, struct render_buffer *out)
{
	const char *module = site->site ? site->site->module : NULL;
	char offset[32];

	if (!site->site) {
		render_buffer_put(out, "other places", 12);
		return;
	}
	if (site->location && *site->location) {
		render_buffer_put(out, site->location, strlen(site->location));
		return;
	}
	if (module)
		escape_put(out, module, strlen(module), ESCAPE_NEWLINE);
	snprintf(offset, sizeof(offset), "%s0x%" PRIx64, module ? "+" : "",
		site->site->offset);
	render_buffer_put(out, offset, strlen(offset));
}

static void put_format(
	const struct message_site *site, size_t most, struct render_buffer *out)
{
	const struct site *told = site->site;

	if (told && told->format)
		literal_put_start(out, told->format, told->format_bytes, most);
	else
		render_buffer_put_byte(out, '-');
}

void message_sites_put_format(
	const struct message_site *site, struct render_buffer *out)
{
	put_format(site, FORMAT_SHOWN, out);
}

void message_sites_put_format_to_cut(const struct message_site *site,
	unsigned width, struct render_buffer *out)
{
	put_format(site,
		width > 0 ? (size_t)width * BYTES_OF_COLUMN : FORMAT_SHOWN,
		out);
}

void message_sites_end(struct message_sites *sites)
{
	site_table_free(&sites->table);
	free(sites->all);
}
