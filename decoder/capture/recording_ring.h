/*
 * The ring of a capture (record/ring_table.h) as it is at one moment, although
 * its process overwrites it meanwhile.  Taken when a capture is opened, asked
 * by the scan for blocks and by whoever reads bytes.  Promises that a block is
 * what its writer made of it, never half another one; what was overwritten
 * while it was read is not among them.
 */
#ifndef DECODER_RECORDING_RING_H
#define DECODER_RECORDING_RING_H

#include "decoder/capture/recording.h"
#include "record/ring_table.h"

/* Of a capture with a ring: nanoseconds before the newest ticks of which
 * nothing is missing; UINT64_MAX: nothing was overwritten. */
uint64_t ring_time_span(const struct recording *capture);

/* When that was: nanoseconds since 1970. */
uint64_t ring_time_wall(const struct recording *capture, uint64_t ticks);

struct recording_ring_copy;

struct recording_ring {
	struct binlog_ring head;
	struct binlog_ring_window *windows;
	size_t window_count;
	struct recording_ring_copy *copies; /* of all slots, by offset */
	size_t count;			    /* 0: the table is not there */
	struct recording_block *blocks;	    /* that were whole */
	size_t block_count;
	uint64_t passed;  /* of these blocks */
	uint64_t dropped; /* likewise */
	uint64_t newest;  /* ticks: of what was read, or of what there is at
			     least */
	bool all;	  /* show also what nothing has happened to */
};

/*
 * After the header was read and before the scan.  False: out of memory.
 * Without a ring capture->ring stays null.
 */
bool recording_ring_take(struct recording *capture);

/* It has one. */
bool recording_ring_is(struct recording *capture);

/* How many bytes the slot of the ring has that begins here; 0: none does. */
uint32_t recording_ring_slot(
	const struct recording_ring *ring, uint64_t offset);

/* What of a read is in our memory: how many bytes were copied, 0 if none. */
size_t recording_ring_read(const struct recording_ring *ring, uint64_t offset,
	void *buffer, size_t size);

/*
 * When all blocks are sorted: leaves those of each writer that follow each
 * other up to its last one, and what has to be kept.
 */
void recording_ring_prune(struct recording *capture);

/* Of a capture with a ring: something was said at this time that a window
 * holds, or all is shown. */
bool recording_ring_shows(const struct recording *capture, uint64_t ticks);

/* It waits for something, and nothing has happened. */
bool recording_ring_waits(const struct recording *capture);

/* Null is fine. */
void recording_ring_free(struct recording_ring *ring);

#endif
