/*
 * What all agree upon who make a capture file longer: on its header page, at
 * BINLOG_GROWTH_OFFSET.  Used by the library in each process that writes to the
 * file, and by binlog-ctl, which puts rules into it.
 *
 * truncate() may also shorten: one that was begun long ago, for less than there
 * is by now, would take blocks away from under others.  So all that are under
 * way at one time have the same goal, and there is no other before all of them
 * have come back.  Only where a process is killed in there a file stays as
 * large as it is, and calls are made natively beyond.
 */
#ifndef RECORD_FILE_GROWTH_H
#define RECORD_FILE_GROWTH_H

#include <stdbool.h>

#include "record/layout.h"

/* How many are under way, in the lowest bits of the goal. */
#define FILE_GROWERS ((uint64_t)BINLOG_PAGE - 1)

struct file_growth {
	uint64_t goal;	 /* bytes, a multiple of BINLOG_PAGE, plus how many are
			    under way to it */
	uint64_t size;	 /* of the file, at least */
	uint64_t shared; /* for others: growth_shared() of shim/file/growth.h */
	uint64_t stuck;	 /* the goal that somebody was killed on the way to */
};

_Static_assert(sizeof(struct file_growth) <= BINLOG_GROWTH_BYTES, "");

static inline struct file_growth *file_growth_of(struct binlog_header *header)
{
	return (struct file_growth *)((char *)header + BINLOG_GROWTH_OFFSET);
}

/*
 * On the way to `wanted`, a multiple of BINLOG_PAGE, from here to
 * file_growth_leave().  `goal` is what was read of it: nobody is under way, or
 * some to the same.  False: it has changed.
 */
static inline bool file_growth_join(
	struct file_growth *growth, uint64_t goal, uint64_t wanted)
{
	return __atomic_compare_exchange_n(&growth->goal, &goal,
		wanted | ((goal & FILE_GROWERS) + 1), false, __ATOMIC_ACQ_REL,
		__ATOMIC_ACQUIRE);
}

static inline void file_growth_leave(struct file_growth *growth)
{
	__atomic_fetch_sub(&growth->goal, 1, __ATOMIC_ACQ_REL);
}

/* The file has so many bytes by now. */
static inline void file_growth_note(struct file_growth *growth, uint64_t bytes)
{
	uint64_t size = __atomic_load_n(&growth->size, __ATOMIC_ACQUIRE);

	while (size < bytes &&
		!__atomic_compare_exchange_n(&growth->size, &size, bytes, false,
			__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
}

#endif
