#include "shim/host/intern.h"

#include "shim/host/arena.h"

#define INTERN_SMALLEST 32u

static struct intern_entry *probe(const struct intern *intern, uint64_t hash)
{
	uint32_t i = (uint32_t)(hash >> 32 ^ hash) & (intern->size - 1);

	while (intern->entry[i].id && intern->entry[i].hash != hash)
		i = (i + 1) & (intern->size - 1);
	return &intern->entry[i];
}

static bool grow(struct intern *intern)
{
	struct intern larger = {
		.size = intern->size ? intern->size * 4 : INTERN_SMALLEST,
	};

	larger.entry = arena_take(larger.size * sizeof(*larger.entry));
	if (!larger.entry)
		return false;
	larger.entry->id = 0; /* a page that is read first faults twice */
	for (uint32_t i = 0; i < intern->size; i++)
		if (intern->entry[i].id) {
			*probe(&larger, intern->entry[i].hash) =
				intern->entry[i];
			larger.used++;
		}
	/* Empty as long as it is neither the old nor the new one: a handler
	 * may jump out of here. */
	intern->size = 0;
	SIGNAL_FENCE();
	intern->entry = larger.entry;
	intern->used = larger.used;
	SIGNAL_FENCE();
	intern->size = larger.size;
	return true;
}

void intern_forget_ids(struct intern *intern)
{
	for (uint32_t i = 0; i < intern->size; i++)
		if (intern->entry[i].id)
			intern->entry[i].id = INTERN_WITHOUT_ID;
}

/* Left in the middle it is full still, and what is gone is just not known. */
void intern_clear(struct intern *intern)
{
	for (uint32_t i = 0; i < intern->size; i++)
		intern->entry[i].id = 0;
	SIGNAL_FENCE();
	intern->used = 0;
}

struct intern_entry *intern_find(struct intern *intern, uint64_t hash)
{
	struct intern_entry *found;

	if (intern_is_full(intern) && !grow(intern))
		return NULL;
	found = probe(intern, hash);
	if (!found->id) {
		found->hash = hash;
		found->plan = NULL;
	}
	return found;
}
