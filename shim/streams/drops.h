/*
 * Calls that are switched off, by their places: what fast_x86_64.S looks at
 * before anything else.  An entry says all that was decided about the calls of
 * one function from one place, with one format or text, to one FILE: that
 * nothing is done, and what is returned.  Entries are good for one generation
 * (control.h), and until something changes about streams.  One table for all
 * threads; async-signal-safe.
 */
#ifndef SHIM_DROPS_H
#define SHIM_DROPS_H

#include <stdint.h>
#include <stdio.h>

#include "shim/host/entry.h"
#include "shim/host/sys.h"

#define DROPS_SHIFT 8 /* by the lowest byte of the return address */
#define DROPS (1u << DROPS_SHIFT)

struct drop {
	uintptr_t pc;
	uintptr_t key;	  /* the format or text */
	const FILE *file; /* null: the entry is free, or being made */
	int32_t result;
};

/* Of one function; by fields, which are addressed with an index then. */
struct drops {
	uintptr_t pc[DROPS];
	uintptr_t key[DROPS];
	const FILE *file[DROPS];
	int64_t result[DROPS];
};

extern HIDDEN struct drops drops[ENTRY_COUNT];

/* 0: there are none. */
extern HIDDEN uint32_t drops_generation;

/* Something has changed about streams. */
static inline void drops_forget(void)
{
	if (unlikely(__atomic_load_n(&drops_generation, __ATOMIC_RELAXED)))
		__atomic_store_n(&drops_generation, 0, __ATOMIC_SEQ_CST);
}

/*
 * `version` is that of streams.h for `entry`, from before it was decided in
 * `generation`.
 */
void drops_add(unsigned entry, const struct drop *drop, uint32_t generation,
	uint32_t version);

#endif
