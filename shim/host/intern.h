/*
 * A growing hash table from 64-bit hashes to small values, in the arena.  For
 * one writer; async-signal-safe as its writer is.  Two things with one hash
 * are taken for the same: with a million entries, one chance in 10^7.
 */
#ifndef SHIM_INTERN_H
#define SHIM_INTERN_H

struct intern_entry {
	uint64_t hash; /* 0: free */
	uint32_t id;
	uint32_t coroutine; /* of a context: the lower half of what was said */
	struct plan *plan;
};

struct intern {
	struct intern_entry *entry;
	uint32_t size; /* a power of two, or 0 */
	uint32_t used;
};

/* Whether the next intern_find() would have to make the table larger. */
static inline bool intern_is_full(const struct intern *intern)
{
	return intern->used >= intern->size / 4 * 3;
}

/* Of an entry whose id holds no more, but all else does. */
#define INTERN_WITHOUT_ID ~(uint32_t)0

void intern_forget_ids(struct intern *intern);

/* Nothing is known any more; what was found before does not hold. */
void intern_clear(struct intern *intern);

/*
 * The entry for `hash` (not 0).  A new one has id 0, and is as if it had not
 * been asked for until intern_take() gives it one.  Null: no memory.
 */
struct intern_entry *intern_find(struct intern *intern, uint64_t hash);

static inline void intern_take(
	struct intern *intern, struct intern_entry *entry, uint32_t id)
{
	/* A handler that jumps out leaves one too many, which does no harm. */
	intern->used++;
	SIGNAL_FENCE();
	entry->id = id;
}

#endif
