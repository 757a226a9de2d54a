#include "shim/streams/drops.h"

#include "shim/host/signal_exchange.h"
#include "shim/streams/streams.h"

struct drops drops[ENTRY_COUNT];
uint32_t drops_generation;

/* Of the entries: what they were made for. */
static uint32_t made_for;

static void clear(void)
{
	for (unsigned entry = 0; entry < ENTRY_COUNT; entry++)
		for (unsigned i = 0; i < DROPS; i++)
			if (drops[entry].file[i])
				__atomic_store_n(&drops[entry].file[i], NULL,
					__ATOMIC_RELAXED);
}

/*
 * The FILE goes first and comes last: who looks meanwhile finds none.  Who has
 * found the one that was there may still take its result: so another with the
 * place of that has to have the same.
 */
static void fill(struct drops *to, const struct drop *drop)
{
	unsigned i = drop->pc % DROPS;

	if (to->file[i] && to->result[i] != drop->result)
		return;
	__atomic_store_n(&to->file[i], NULL, __ATOMIC_SEQ_CST);
	__atomic_store_n(&to->pc[i], drop->pc, __ATOMIC_RELAXED);
	__atomic_store_n(&to->key[i], drop->key, __ATOMIC_RELAXED);
	__atomic_store_n(&to->result[i], drop->result, __ATOMIC_RELAXED);
	__atomic_store_n(&to->file[i], drop->file, __ATOMIC_RELEASE);
}

void drops_add(unsigned entry, const struct drop *drop, uint32_t generation,
	uint32_t version)
{
	static uint32_t busy;
	uint32_t nobody = 0;

	/* One at a time; who comes meanwhile tries again at its next call. */
	if (!__atomic_compare_exchange_n(&busy, &nobody, 1, false,
		    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return;
	if (drops_generation != generation || made_for != generation) {
		drops_forget();
		clear();
		made_for = generation;
	}
	fill(&drops[entry], drop);
	__atomic_store_n(&drops_generation, generation, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&streams_version[entry], __ATOMIC_SEQ_CST) !=
		version)
		drops_forget();
	__atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
}
