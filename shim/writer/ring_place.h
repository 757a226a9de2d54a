/*
 * The state of a place of the ring, and its changes: each by one instruction,
 * so that a place has one holder.  For ring.c and ring_owner.c alone.
 */
#ifndef SHIM_RING_PLACE_H
#define SHIM_RING_PLACE_H

#include "record/ring_table.h"

static inline uint64_t ring_place_state(const struct binlog_ring_place *place)
{
	return __atomic_load_n(&place->state, __ATOMIC_ACQUIRE);
}

static inline uint64_t ring_place_writer(uint64_t state)
{
	return state >> RING_WRITER_SHIFT & RING_WRITER_MOST;
}

/* A state that nothing was in before. */
static inline uint64_t ring_place_state_for(
	struct binlog_ring *ring, uint64_t writer, enum ring_state state)
{
	uint64_t count = __atomic_add_fetch(&ring->count, 1, __ATOMIC_RELAXED);

	return count << RING_COUNT_SHIFT |
	       (writer & RING_WRITER_MOST) << RING_WRITER_SHIFT | state;
}

/* False: somebody else has changed it. */
static inline bool ring_place_change(
	struct binlog_ring_place *place, uint64_t before, uint64_t after)
{
	return __atomic_compare_exchange_n(&place->state, &before, after, false,
		__ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

/* How many there are. */
static inline uint32_t ring_place_count(const struct binlog_ring *ring)
{
	uint32_t count = __atomic_load_n(&ring->used, __ATOMIC_ACQUIRE);

	return count < ring->places ? count : ring->places;
}

#endif
