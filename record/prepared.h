/*
 * Blocks of a capture that were made ready before they are needed: handed over
 * through the header page, by whoever has claimed and backed them to whoever
 * fills them.  Called by the library, which backs several at once, and by
 * binlog-pack, which frees what it has packed; promises that a block goes to
 * one taker only, whoever is killed meanwhile, and that nobody waits.
 * Lock-free, async-signal-safe.
 */
#ifndef RECORD_PREPARED_H
#define RECORD_PREPARED_H

#include <stdbool.h>

#include "record/layout.h"

#define PREPARED_COUNT ((uint64_t)0xffff)
#define PREPARED_SHIFT 16

static inline struct binlog_prepared *prepared_of(struct binlog_header *header)
{
	return (struct binlog_prepared *)((char *)header +
					  BINLOG_PREPARED_OFFSET);
}

static inline uint64_t prepared_start(uint64_t range)
{
	return (range >> PREPARED_SHIFT) * BINLOG_PAGE;
}

/* How many blocks can be taken. */
static inline uint64_t prepared_left(struct binlog_prepared *prepared)
{
	uint64_t left = 0;

	for (unsigned i = 0; i < BINLOG_PREPARED_RANGES; i++)
		left += __atomic_load_n(
				&prepared->ranges[i], __ATOMIC_RELAXED) &
			PREPARED_COUNT;
	return left;
}

static inline bool prepared_change(
	uint64_t *range, uint64_t *before, uint64_t after)
{
	return __atomic_compare_exchange_n(range, before, after, false,
		__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* What is left of a range without its first block. */
static inline uint64_t prepared_rest(uint64_t range)
{
	uint64_t pages = BINLOG_PREPARED_BLOCK / BINLOG_PAGE;

	return (range & PREPARED_COUNT) == 1
		       ? 0
		       : range - 1 + (pages << PREPARED_SHIFT);
}

/* The caller's from here on: BINLOG_PREPARED_BLOCK bytes at *offset. */
static inline bool prepared_take(
	struct binlog_prepared *prepared, uint64_t *offset)
{
	for (unsigned i = 0; i < BINLOG_PREPARED_RANGES; i++) {
		uint64_t *range = &prepared->ranges[i];
		uint64_t now = __atomic_load_n(range, __ATOMIC_ACQUIRE);

		while ((now & PREPARED_COUNT) != 0)
			if (prepared_change(range, &now, prepared_rest(now))) {
				*offset = prepared_start(now);
				return true;
			}
	}
	return false;
}

/* This range goes on where that block begins, and has room for it. */
static inline bool prepared_precedes(uint64_t range, uint64_t offset)
{
	uint64_t count = range & PREPARED_COUNT;

	return count < PREPARED_COUNT &&
	       prepared_start(range) + count * BINLOG_PREPARED_BLOCK == offset;
}

/*
 * Of a block that is zeros, backed by disk, and within the file.  False: there
 * are too many already; it stays the caller's.
 */
static inline bool prepared_give(
	struct binlog_prepared *prepared, uint64_t offset)
{
	uint64_t fresh = offset / BINLOG_PAGE << PREPARED_SHIFT | 1;

	for (unsigned i = 0; i < BINLOG_PREPARED_RANGES; i++) {
		uint64_t *range = &prepared->ranges[i];
		uint64_t now = __atomic_load_n(range, __ATOMIC_ACQUIRE);

		while (now == 0 || prepared_precedes(now, offset))
			if (prepared_change(
				    range, &now, now == 0 ? fresh : now + 1))
				return true;
	}
	return false;
}

#endif
