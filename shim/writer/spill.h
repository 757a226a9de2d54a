/*
 * Where the capture has no room, the process goes on in another one beside it
 * (BINLOG_FULL=spill), which can be read without those before it.  Wanted when
 * the end of a capture is near, done at the beginning of somebody's call: one
 * that is under way has defined its numbers in the old one, and ends there.
 * Called by writers on their slow path.  Lock-free, async-signal-safe.
 */
#ifndef SHIM_SPILL_H
#define SHIM_SPILL_H

#include "record/layout.h"
#include "shim/writer/writer.h"

/*
 * Once, while arming, with the setting (null: there is none) and what a capture
 * and its directory may have (0: as much as it likes).  How much a capture may
 * have: with a quota less than that.
 */
uint64_t spill_begin(const char *value, uint64_t max_bytes, uint64_t quota);

extern HIDDEN bool spill_on;

static inline bool spill_is_on(void)
{
	return spill_on;
}

/* Room is running out; `urgent`: it has. */
void spill_want(const struct writer *w, bool urgent);

/* One more than the number of the capture that is to be left; or 0. */
extern HIDDEN uint32_t spill_wanted;

static inline bool spill_is_wanted(const struct writer *w)
{
	return __atomic_load_n(&spill_wanted, __ATOMIC_ACQUIRE) == w->file + 1;
}

/*
 * Goes on in another capture, for `w`, which has begun no call yet, or has
 * defined nothing; or waits, not for long, until another thread has.  Who has
 * not moved there yet has another `file` than capture_file_number.
 */
void spill_go(struct writer *w);

/* A block for a call that was under way; null: there is none any more. */
void *spill_claim_left(const struct writer *w, uint32_t size);

/* Now and then: what is mapped of captures that nobody writes to is given
 * back. */
void spill_give_back_slow(void);

extern HIDDEN unsigned spill_held;

static inline void spill_give_back(void)
{
	if (unlikely(__atomic_load_n(&spill_held, __ATOMIC_RELAXED) > 0))
		spill_give_back_slow();
}

#endif
