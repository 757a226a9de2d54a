#include "decoder/capture/handed_texts.h"

#include <string.h>

#include "base/seeded_hash.h"

/* What each text and each list takes beside its bytes, about. */
#define OVERHEAD 64u

/* A call is known by its hash, whose seed nobody knows; so is a text. */
static uint64_t key_of(const struct program_module *module, uint64_t next)
{
	return seeded_hash_word(program_module_hash(module), next);
}

static bool take(struct handed_texts *texts, size_t bytes)
{
	if (bytes > HANDED_TEXTS_BYTES_MAX - texts->bytes)
		return false;
	texts->bytes += bytes;
	return true;
}

/* Null: out of memory or of room. */
static const char *keep(
	struct handed_texts *texts, const struct symbolizer_handed *handed)
{
	uint64_t key = seeded_hash(
		seeded_hash_start, (const void *)handed->bytes, handed->count);
	char *text = id_map_find(&texts->texts, key);

	if (text)
		return text;
	if (!take(texts, OVERHEAD + handed->count))
		return NULL;
	text = pool_copy(&texts->pool, handed->bytes, handed->count);
	return text && id_map_set(&texts->texts, key, text) ? text : NULL;
}

bool handed_texts_add(struct handed_texts *texts,
	const struct program_module *module, uint64_t next,
	const struct symbolizer_handed *all, size_t count)
{
	const size_t bytes = sizeof(struct handed_texts_call) +
			     count * sizeof(struct symbolizer_handed);
	const uint64_t key = key_of(module, next);
	struct handed_texts_call *call;
	size_t i;

	if (id_map_find(&texts->calls, key))
		return true;
	if (!take(texts, OVERHEAD + bytes))
		return false;
	call = pool_take(&texts->pool, bytes);
	if (!call)
		return false;
	call->count = count;
	for (i = 0; i < count; i++) {
		call->all[i] = all[i];
		call->all[i].bytes = keep(texts, &all[i]);
		if (!call->all[i].bytes)
			return false;
	}
	return id_map_set(&texts->calls, key, call);
}

const struct handed_texts_call *handed_texts_find(
	const struct handed_texts *texts, const struct program_module *module,
	uint64_t next)
{
	return id_map_find(&texts->calls, key_of(module, next));
}

void handed_texts_free(struct handed_texts *texts)
{
	id_map_free(&texts->calls);
	id_map_free(&texts->texts);
	pool_free(&texts->pool);
	*texts = (struct handed_texts){0};
}
