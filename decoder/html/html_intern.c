#include "decoder/html/html_intern.h"

#include <string.h>

#include "base/limits.h"
#include "record/hash.h"

/* What has the same hash is looked at one by one: so many at most. */
#define COLLISIONS_MAX 16u

struct html_interned {
	uint32_t number;
	size_t size;
	const void *bytes;
	struct html_interned *collides; /* or null */
};

static uint32_t hash_of(const void *bytes, size_t size)
{
	uint64_t hash = binlog_hash(bytes, size);

	return (uint32_t)(hash ^ hash >> 32);
}

static uint32_t enter(struct html_intern *intern, const void *bytes,
	size_t size, uint32_t hash, struct html_interned *before)
{
	struct html_interned *made = pool_take(&intern->pool, sizeof(*made));

	if (!made) {
		intern->failed = true;
		return HTML_INTERN_NONE;
	}
	made->number = intern->count;
	made->size = size;
	made->bytes = pool_copy(&intern->pool, bytes, size);
	made->collides = before;
	if (!made->bytes || !id_map_set(&intern->map, hash, made)) {
		intern->failed = true;
		return HTML_INTERN_NONE;
	}
	return intern->count++;
}

uint32_t html_intern_add(
	struct html_intern *intern, const void *bytes, size_t size, bool *new)
{
	uint32_t hash = hash_of(bytes, size);
	struct html_interned *first = id_map_find(&intern->map, hash);
	struct html_interned *found = first;
	unsigned tried = 0;

	*new = false;
	while (found && (found->size != size ||
				memcmp(found->bytes, bytes, size) != 0)) {
		found = found->collides;
		if (++tried == COLLISIONS_MAX) {
			limits_meet(intern->limit);
			return HTML_INTERN_NONE;
		}
	}
	if (found)
		return found->number;
	if (limits_reached(intern->limit, intern->count))
		return HTML_INTERN_NONE;
	*new = true;
	return enter(intern, bytes, size, hash, first);
}

void html_intern_free(struct html_intern *intern)
{
	id_map_free(&intern->map);
	pool_free(&intern->pool);
	*intern = (struct html_intern){.limit = intern->limit};
}
