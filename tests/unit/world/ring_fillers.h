/*
 * Fillers of the ring's slots, in a child of a unit test: they stand for the
 * writers of a process, and what they put into their slots has to be there
 * until they leave them.
 */
#ifndef TESTS_RING_FILLERS_H
#define TESTS_RING_FILLERS_H

#include "tests/unit/world/capture_life.h"

#include "shim/host/clock.h"
#include "shim/writer/ring.h"

#define FILLERS 6
#define PLACES 4096
#define KIB ((uint64_t)1 << 10)

struct filler {
	uint32_t number;
	uint32_t taking;
	struct ring_hold hold;
	uint64_t *memory;
	uint64_t stamp;
};

static struct filler fillers[FILLERS];
/* When each slot became full; 0: it is not. */
static uint64_t finished[PLACES];
static uint64_t turns;

static inline struct binlog_ring *ring(void)
{
	return ring_of(capture_file_header);
}

static inline bool begin(uint64_t bytes, uint64_t max_bytes)
{
	const struct binlog_header header = {.magic = BINLOG_MAGIC};

	if (!capture_file_create(path, max_bytes, &header))
		return false;
	process.pid = (uint32_t)getpid();
	clock_anchor(&capture_file_header->start);
	ring_begin(bytes, max_bytes);
	for (unsigned i = 0; i < FILLERS; i++)
		fillers[i] = (struct filler){.number = i + 1};
	return ring_is_on();
}

static inline unsigned in_state(enum ring_state state)
{
	unsigned count = 0;

	for (uint32_t i = 0; i < ring()->used && i < ring()->slots; i++)
		count += (ring_slots[i].state & RING_STATE) == state;
	return count;
}

static inline bool is_intact(const struct filler *filler)
{
	return !filler->memory || *filler->memory == filler->stamp;
}

/* From the slot that it has to another one, as a writer goes.  False: there
 * is none. */
static inline bool turn_as(struct filler *filler, uint32_t bytes, uint32_t tid)
{
	const struct ring_want want = {.writer = filler->number,
		.tid = tid,
		.bytes = bytes,
		.wished = bytes,
		.first = !filler->hold.slot};
	struct ring_hold full = filler->hold, hold = full;
	char *memory = ring_take(&want, &filler->taking, &hold);
	long left = full.slot ? full.slot - ring_slots : 0;

	if (!memory)
		return false;
	filler->hold = hold;
	filler->memory = (uint64_t *)(void *)memory;
	filler->taking = 0;
	*filler->memory = filler->stamp =
		(uint64_t)filler->number << 32 | ++turns;
	if (!full.slot)
		return true;
	finished[left] = ++turns;
	ring_finish(&full);
	return true;
}

static inline bool turn(struct filler *filler, uint32_t bytes)
{
	return turn_as(filler, bytes, (uint32_t)syscall(SYS_gettid));
}

static const struct place usual = {.alone = true};

#endif
