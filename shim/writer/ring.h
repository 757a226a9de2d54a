/*
 * The ring (BINLOG_RING): slots for blocks of data, the oldest of which are
 * taken again.  Called by the writers when a block is full, and by whoever sees
 * that something has happened.  Promises that a slot has one writer at a time,
 * that it is taken from nobody who is alive, and that wherever a process is
 * killed at most one block is lost.  Shared by a process and its forked
 * children; lock-free, async-signal-safe, and without a system call once all
 * slots are there.
 */
#ifndef SHIM_RING_H
#define SHIM_RING_H

#include "record/ring_table.h"

static inline uint64_t ring_slot_state(const struct binlog_ring_slot *slot)
{
	return __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE);
}

static inline uint64_t ring_slot_writer(uint64_t state)
{
	return state >> RING_WRITER_SHIFT & RING_WRITER_MOST;
}

/* A state that nothing was in before. */
static inline uint64_t ring_slot_state_for(
	struct binlog_ring *ring, uint64_t writer, enum ring_state state)
{
	uint64_t count = __atomic_add_fetch(&ring->count, 1, __ATOMIC_RELAXED);

	return count << RING_COUNT_SHIFT |
	       (writer & RING_WRITER_MOST) << RING_WRITER_SHIFT | state;
}

/* False: somebody else has changed it. */
static inline bool ring_slot_change(
	struct binlog_ring_slot *slot, uint64_t before, uint64_t after)
{
	return __atomic_compare_exchange_n(&slot->state, &before, after, false,
		__ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

/* How many there are. */
static inline uint32_t ring_slot_count(const struct binlog_ring *ring)
{
	uint32_t count = __atomic_load_n(&ring->used, __ATOMIC_ACQUIRE);

	return count < ring->slots ? count : ring->slots;
}

/*
 * Only of an open slot an owner is told, and after the state: who sees a state
 * and then an owner knows that it is not that of somebody before.
 */
void ring_owner_set(struct binlog_ring_slot *slot, uint32_t tid);

/* Before the slot is given up; false: it is not that owner's any more. */
void ring_owner_clear(struct binlog_ring_slot *slot);

/*
 * Looks at some slots, and asks the kernel for at most `asked` owners; what
 * those that are gone have left is full.  True: there was one.
 */
bool ring_owner_find_gone(uint32_t asked);

/* The slots and the windows; null: there is no ring. */
extern HIDDEN struct binlog_ring_slot *ring_slots;
extern HIDDEN struct binlog_ring_window *ring_windows;

static inline bool ring_is_on(void)
{
	return unlikely(ring_slots != NULL);
}

/*
 * Once, when the capture has been made: a ring of so many bytes in it, but no
 * more than three quarters of `max_bytes`, so that definitions have room.  0:
 * none.
 */
void ring_begin(uint64_t bytes, uint64_t max_bytes);

/* Of a writer: what it fills. */
struct ring_hold {
	struct binlog_ring_slot *slot; /* null: nothing */
	uint64_t state;	   /* of the slot as long as it is the writer's */
	uint32_t sequence; /* of the block, the caller's */
};

struct ring_want {
	uint32_t writer;
	uint32_t tid;
	uint32_t bytes;	 /* at least */
	uint32_t wished; /* better */
	bool first;	 /* the writer has none */
};

/*
 * A slot for a block: *hold is what it is held by.  Returns its memory, with
 * what was in it; null: there is none.  Since a handler may jump out at any
 * time, *taking is one more than its number until the caller holds it and sets
 * that to zero; or, with RING_LEAVING, it is that of a slot that the caller is
 * about to finish.
 */
#define RING_LEAVING 0x80000000u
/* Of ring.c: the slot may be ours by now, but that what was in it is lost is not
 * told yet. */
#define RING_UNTOLD 0x40000000u
char *ring_take(
	const struct ring_want *want, uint32_t *taking, struct ring_hold *hold);

/* Definitions, which are never overwritten, have not taken too much yet. */
bool ring_may_define(void);

/* The largest block that a writer should wish for. */
uint32_t ring_block_most(void);

/* How *taking names it. */
static inline uint32_t ring_name(const struct binlog_ring_slot *slot)
{
	return (uint32_t)(slot - ring_slots) + 1;
}

/* The slot that *taking, which is not zero, names. */
static inline struct binlog_ring_slot *ring_named(uint32_t taking)
{
	return &ring_slots[(taking & ~(RING_LEAVING | RING_UNTOLD)) - 1];
}

/* No reader takes it for a block any more; what it counts is kept. */
void ring_clear_magic(struct binlog_block *block);

/* What is held is full. */
void ring_finish(struct ring_hold *hold);

/* The same of what was held, and may be somebody else's by now. */
void ring_finish_left(const struct ring_hold *hold);

/*
 * The thread goes on with what the writer held, perhaps that of another one
 * which has ended.  False: somebody else has taken it meanwhile.
 */
bool ring_resume(struct ring_hold *hold, uint32_t tid);

/* Before system calls become impossible: slots that can be taken then. */
void ring_stock(void);

#endif
