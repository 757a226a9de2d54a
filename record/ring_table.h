/*
 * The ring of a capture (BINLOG_RING): its newest blocks of data, the oldest of
 * which are overwritten.  Written by the library when a block is full, read by
 * every reader; promises that what a slot holds is known at any moment, also
 * when a process was killed.
 *
 * Definitions stand in blocks of their own, which are never overwritten and
 * come first: they have sequences without BINLOG_RING_DATA.  Blocks of data
 * have it, lie in slots of the table, and begin with the THREAD that they are
 * of. From one block to the next nothing is needed but the definitions.
 *
 * The table is a block with one control record, RING, whose payload is
 * BINLOG_RING_WINDOWS windows and then the slots.
 */
#ifndef RECORD_RING_TABLE_H
#define RECORD_RING_TABLE_H

#include "record/layout.h"
#include "record/switches.h"

/* In `sequence` of a block of data; the rest of it counts, and starts anew. */
#define BINLOG_RING_DATA 0x80000000u

/* What becomes of a slot: the lowest bits of `state`. */
enum ring_state {
	RING_FREE, /* nothing is in it */
	RING_OPEN, /* a writer fills it */
	RING_DONE, /* it is full: the one with the least `state` is the next */
		   /* to be overwritten */
	RING_KEPT, /* it is never overwritten any more */
};

struct binlog_ring_slot {
	uint64_t at;	/* offset | bytes / BINLOG_PAGE; 0: none yet */
	uint64_t state; /* RING_COUNT, the writer, enum ring_state */
	uint64_t from;	/* ticks: nothing in it is older, */
	uint64_t until; /* or younger, if it is full */
	uint64_t owner; /* tid of who fills it; 0: not to be told */
};

#define RING_STATE ((uint64_t)3)
#define RING_WRITER_SHIFT 2
#define RING_WRITER_MOST ((uint64_t)0xffffff) /* its lower bits */
#define RING_COUNT_SHIFT 26 /* counts what was begun and what became full */

/* Why something was kept. */
enum binlog_cause {
	BINLOG_CAUSE_NONE,
	BINLOG_CAUSE_RULE,    /* a rule said `trigger` */
	BINLOG_CAUSE_CONTROL, /* binlog-ctl trigger */
	BINLOG_CAUSE_SIGNAL,  /* a process was killed by one */
	BINLOG_CAUSE_EXIT,    /* a process ended with another status than 0 */
};

/* What has to be kept, since something has happened. */
struct binlog_ring_window {
	uint64_t from;	/* ticks */
	uint64_t until; /* stored last; 0: not yet */
	uint64_t at;	/* when it has happened */
	uint32_t cause; /* enum binlog_cause */
	/* Of a rule: its text, at this offset of the file, and how long what
	 * has lasted too long has taken, in nanoseconds, or 0. */
	uint32_t rule_bytes;
	uint64_t rule_at;
	uint64_t latency;
};

#define BINLOG_RING_WINDOWS 1000u

/* On the header page, live. */
struct binlog_ring {
	uint64_t bytes;	  /* that may be overwritten; 0: there is no ring */
	uint64_t table;	  /* offset of the first window */
	uint32_t slots;	  /* that there is room for */
	uint32_t used;	  /* slots that were given out, at least */
	uint64_t count;	  /* for the next state */
	uint64_t claimed; /* bytes of all slots that are not kept */
	uint64_t kept;	  /* bytes of those that are */
	uint64_t keep_most;
	uint64_t overwritten; /* bytes of blocks, and */
	uint64_t lost_until;  /* ticks: what is younger is there */
	uint32_t waits;	      /* BINLOG_RING_WAITS, BINLOG_RING_KILL */
	uint32_t windows;     /* that were begun; the last one may be longer */
			      /* than it was meant, if there are too many */
};

#define BINLOG_RING_WAITS 1u /* only windows count */
/* Or all, if the process that made the capture was cut off: it could not say
 * so. */
#define BINLOG_RING_KILL 2u

#define BINLOG_RING_OFFSET (BINLOG_SWITCHES_OFFSET + BINLOG_SWITCHES_ROOM)

_Static_assert(sizeof(struct binlog_ring_slot) == 40, "");
_Static_assert(sizeof(struct binlog_ring_window) == 48, "");
_Static_assert(BINLOG_RING_OFFSET + sizeof(struct binlog_ring) <=
		       BINLOG_SPILL_OFFSET,
	"");

static inline struct binlog_ring *ring_of(struct binlog_header *header)
{
	return (struct binlog_ring *)((char *)header + BINLOG_RING_OFFSET);
}

static inline uint64_t ring_slot_offset(uint64_t at)
{
	return at & ~(uint64_t)(BINLOG_PAGE - 1);
}

static inline uint32_t ring_slot_bytes(uint64_t at)
{
	return (uint32_t)(at & (BINLOG_PAGE - 1)) * BINLOG_PAGE;
}

/* Something in the slot may belong to the window. */
static inline bool ring_window_meets(const struct binlog_ring_window *window,
	const struct binlog_ring_slot *slot)
{
	return slot->until >= window->from && slot->from <= window->until;
}

#endif
