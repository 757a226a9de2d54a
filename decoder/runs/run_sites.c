#include "decoder/runs/run_sites.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/limits.h"
#include "base/seeded_hash.h"
#include "decoder/message/category.h"
#include "decoder/message/fields.h"
#include "decoder/names/frames.h"

static struct run_site site_of(const struct message *message)
{
	const struct definition_string *format = message_format(message);
	const struct definition_string *function = message->context->function;
	const char *module = category_module(message);
	struct run_site site = {
		.function = function && function->bytes ? function->bytes : "?",
		.module = module ? module : "?",
	};

	if (format && format->bytes) {
		site.format = format->bytes;
		site.format_bytes = format->length;
	}
	return site;
}

static bool is_same(const struct run_site *a, const struct run_site *b)
{
	return strcmp(a->module, b->module) == 0 &&
	       strcmp(a->function, b->function) == 0 &&
	       !a->format == !b->format && a->format_bytes == b->format_bytes &&
	       (a->format_bytes == 0 ||
		       memcmp(a->format, b->format, a->format_bytes) == 0);
}

static uint32_t hash_of(const struct run_site *site)
{
	uint64_t hash = seeded_hash_start;

	hash = seeded_hash(hash, site->module, strlen(site->module));
	hash = seeded_hash(hash, site->function, strlen(site->function));
	hash = seeded_hash(hash, site->format, site->format_bytes);
	return (uint32_t)(hash ^ hash >> 32);
}

static void name_arguments(struct run_sites *sites, struct run_site *site,
	const struct fields *fields)
{
	size_t i;

	site->argument_count = fields->count;
	for (i = 0; i < fields->count; i++) {
		const char *name = fields->all[i].name;

		site->arguments[i] = (struct run_argument){
			.name = pool_copy(&sites->pool, name, strlen(name))};
		sites->failed |= !site->arguments[i].name;
	}
}

/* Null: out of memory. */
static struct run_site *add(struct run_sites *sites,
	const struct run_site *like, const struct fields *fields)
{
	struct run_site *site = pool_take(&sites->pool,
		sizeof(*site) + fields->count * sizeof(site->arguments[0]));

	if (!site || !array_reserve(sites->all, sites->room, sites->count + 1))
		return NULL;
	*site = (struct run_site){
		.number = (uint32_t)sites->count,
		.format_bytes = like->format_bytes,
		.function = pool_copy(
			&sites->pool, like->function, strlen(like->function)),
		.module = pool_copy(
			&sites->pool, like->module, strlen(like->module)),
	};
	if (like->format)
		site->format = pool_copy(
			&sites->pool, like->format, like->format_bytes);
	if (!site->function || !site->module || !site->format != !like->format)
		return NULL;
	name_arguments(sites, site, fields);
	sites->all[sites->count++] = site;
	return site;
}

static struct run_site *find_rest(struct run_sites *sites)
{
	static const struct run_site nothing = {.function = "?", .module = "?"};
	static const struct fields none;

	if (!sites->rest)
		sites->rest = add(sites, &nothing, &none);
	return sites->rest;
}

static struct run_site *find_site(
	struct run_sites *sites, const struct message *message)
{
	struct run_site like = site_of(message);
	uint32_t hash = hash_of(&like);
	struct run_site *first = id_map_find(&sites->map, hash);
	struct run_site *site = first;

	while (site && !is_same(site, &like))
		site = site->collides;
	if (site)
		return site;
	if (limits_reached(LIMIT_SITES, sites->count))
		return find_rest(sites);
	site = add(sites, &like, fields_of(message));
	if (!site || !id_map_set(&sites->map, hash, site))
		return NULL;
	site->collides = first;
	return site;
}

/* Of a frame that is asked about; the names are copied. */
struct asked {
	struct run_sites *sites;
	struct run_caller caller;
};

/* Without what compilers append to the names of copies: `.part.0`. */
static size_t length_of(const char *function)
{
	size_t length = strcspn(function, ".");

	return length > 0 ? length : strlen(function);
}

static void take_author(void *closure, const struct place *place)
{
	struct asked *asked = closure;
	struct pool *pool = &asked->sites->pool;

	if (place->function)
		asked->caller.function = pool_copy(
			pool, place->function, length_of(place->function));
	if (place->file)
		asked->caller.file =
			pool_copy(pool, place->file, strlen(place->file));
	asked->caller.line = place->line;
}

static bool has_name(const struct run_caller *caller, const char *function)
{
	return !caller->function == !function &&
	       (!function || strcmp(caller->function, function) == 0);
}

static struct run_caller *caller_with(
	const struct run_site *site, const char *function)
{
	struct run_caller *caller = site->callers;

	while (caller && !has_name(caller, function))
		caller = caller->next;
	return caller;
}

static struct run_caller *find_caller(struct run_sites *sites,
	struct run_site *site, const struct message *message)
{
	struct asked asked = {.sites = sites};
	struct run_caller *caller;

	if (sites->places)
		frames_author(sites->places, message, take_author, &asked);
	caller = caller_with(site, asked.caller.function);
	if (!caller && limits_reached(LIMIT_CALLERS, site->caller_count)) {
		asked.caller.function = NULL;
		caller = caller_with(site, NULL);
	}
	if (!caller) {
		caller = pool_take(&sites->pool, sizeof(*caller));
		if (!caller)
			return NULL;
		*caller = asked.caller;
		caller->next = site->callers;
		site->callers = caller;
		site->caller_count++;
	} else if (asked.caller.file) {
		caller->file = asked.caller.file;
		caller->line = asked.caller.line;
	}
	return caller;
}

/* Null: out of memory. */
static const struct run_context *context_of(
	struct run_sites *sites, const struct message *message)
{
	struct run_context *context = message->context->run;

	if (context)
		return context;
	context = pool_take(message->pool, sizeof(*context));
	if (!context)
		return NULL;
	context->site = find_site(sites, message);
	context->caller = context->site
				  ? find_caller(sites, context->site, message)
				  : NULL;
	if (!context->caller)
		return NULL;
	message->context->run = context;
	return context;
}

static void widen(struct run_range *range, double value)
{
	double before = value - range->mean;

	if (range->count == 0 || value < range->least)
		range->least = value;
	if (range->count == 0 || value > range->most)
		range->most = value;
	range->count++;
	range->mean += before / (double)range->count;
	range->squares += before * (value - range->mean);
}

/* Not of what is another number in each run: processes, threads, addresses. */
static bool number_of(const struct field *field, const struct message *message,
	struct render_buffer *scratch, double *number)
{
	struct field_value value = field_value(field, message, scratch);

	switch (field->type) {
	case FIELD_INTEGER:
		*number = (double)value.i64;
		break;
	case FIELD_UNSIGNED:
		*number = (double)value.u64;
		break;
	case FIELD_FLOAT:
		*number = value.f64;
		break;
	default:
		return false;
	}
	return value.known && *number - *number == 0 &&
	       *number != message->pid && *number != message->tid;
}

static void add_arguments(struct run_sites *sites, struct run_site *site,
	const struct message *message, int run)
{
	const struct fields *fields = fields_of(message);
	double number;
	size_t i;

	for (i = 0; i < fields->count && i < site->argument_count; i++)
		if (number_of(
			    &fields->all[i], message, &sites->scratch, &number))
			widen(&site->arguments[i].runs[run], number);
}

struct run_site *run_sites_add(
	struct run_sites *sites, const struct message *message, int run)
{
	const struct run_context *context = context_of(sites, message);

	if (!context) {
		sites->failed = true;
		return NULL;
	}
	context->site->calls[run]++;
	context->caller->calls[run]++;
	if (context->site->argument_count > 0)
		add_arguments(sites, context->site, message, run);
	return context->site;
}

bool run_sites_knows_callers(const struct run_site *site)
{
	const struct run_caller *caller;

	for (caller = site->callers; caller; caller = caller->next)
		if (!caller->function)
			return false;
	return true;
}

void run_sites_free(struct run_sites *sites)
{
	id_map_free(&sites->map);
	pool_free(&sites->pool);
	free(sites->all);
	render_buffer_free(&sites->scratch);
	*sites = (struct run_sites){0};
}
