#include "decoder/message/site_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "decoder/message/category.h"
#include "decoder/message/fields.h"

/* One format may have been recorded with arguments that it does not take. */
static uint64_t types_of(const struct message *message)
{
	const struct fields *fields = fields_of(message);
	uint64_t hash = fields->count;
	size_t i;

	for (i = 0; i < fields->count; i++)
		hash = seeded_hash_word(hash, fields->all[i].type);
	return hash;
}

/* What of a message tells sites apart; points into it. */
static struct site site_of(const struct message *message)
{
	const struct definition_context *context = message->context;
	const struct definition_string *format = message_statement(message);
	struct site site = {
		.text = context->text,
		.module = category_module(message),
		.types = types_of(message),
	};

	if (format) {
		site.format = format->bytes;
		site.format_bytes = format->length;
	}
	if (context->function)
		site.function = context->function->bytes;
	if (site.module)
		site.offset = category_offset(message);
	else if (context->depth > 0)
		site.offset = context->frames[0] - 1;
	return site;
}

static bool is_same_word(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_same(const struct site *a, const struct site *b)
{
	return a->offset == b->offset && a->text == b->text &&
	       a->types == b->types && is_same_word(a->module, b->module) &&
	       is_same_word(a->function, b->function) &&
	       a->format_bytes == b->format_bytes && !a->format == !b->format &&
	       (a->format_bytes == 0 ||
		       memcmp(a->format, b->format, a->format_bytes) == 0);
}

static uint32_t hash_of(const struct site *site)
{
	uint64_t hash = seeded_hash_word(seeded_hash_start, site->offset);

	hash = seeded_hash_word(hash, site->types ^ site->text);
	if (site->module)
		hash = seeded_hash(hash, site->module, strlen(site->module));
	if (site->function)
		hash = seeded_hash(
			hash, site->function, strlen(site->function));
	hash = seeded_hash(hash, site->format, site->format_bytes);
	return (uint32_t)(hash ^ hash >> 32);
}

/* False: out of memory. */
static bool copy_word(struct pool *pool, const char **word)
{
	if (!*word)
		return true;
	*word = pool_copy(pool, *word, strlen(*word));
	return *word;
}

/* Null: out of memory. */
static struct site *add(struct site_table *table, const struct site *like,
	uint32_t hash, struct site *collides)
{
	struct site *site = pool_take(&table->pool, sizeof(*site));

	if (!site ||
		!array_reserve(table->sites, table->room, table->count + 1))
		return NULL;
	*site = *like;
	site->collides = collides;
	site->number = (uint32_t)table->count + 1;
	if (like->format)
		site->format = pool_copy(
			&table->pool, like->format, like->format_bytes);
	if (!site->format != !like->format ||
		!copy_word(&table->pool, &site->module) ||
		!copy_word(&table->pool, &site->function) ||
		!id_map_set(&table->map, hash, site))
		return NULL;
	table->sites[table->count++] = site;
	return site;
}

struct site *site_table_find(
	struct site_table *table, const struct message *message)
{
	struct site like = site_of(message);
	uint32_t hash = hash_of(&like);
	struct site *first = id_map_find(&table->map, hash);
	struct site *found = first;

	while (found && !is_same(found, &like))
		found = found->collides;
	if (found || table->count == table->most)
		return found;
	found = add(table, &like, hash, first);
	table->failed = table->failed || !found;
	return found;
}

void site_table_free(struct site_table *table)
{
	id_map_free(&table->map);
	pool_free(&table->pool);
	free(table->sites);
	*table = (struct site_table){0};
}
