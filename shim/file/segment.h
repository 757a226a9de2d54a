/*
 * Where the capture file is mapped: in segments, so that few addresses are
 * taken of a program that says little.  Called by capture_file.c; promises that
 * what was given out stays mapped and accessible.  Lock-free,
 * async-signal-safe.
 */
#ifndef SHIM_SEGMENT_H
#define SHIM_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Maps the beginning of the fresh file `fd`, of which there are `size` bytes,
 * and will be at most `max_bytes`.  Null, or its first byte.
 */
void *segment_begin(int fd, uint64_t size, uint64_t max_bytes);

/* Nothing of it is mapped any more; only before anything else was.  `next`: of
 * one that was begun while another is used. */
void segment_undo(bool next);

#define SEGMENT_RANGES 9

struct segment_range {
	char *address;
	uint64_t bytes;
};

/*
 * What was begun last is used from here on: all below is about it.  What is
 * mapped of the one before stays so, and is the caller's: how many ranges.
 * Nobody is in segment_place() meanwhile, but who finds out afterwards.
 */
unsigned segment_turn(struct segment_range range[SEGMENT_RANGES]);

/* How large the file may become, as far as there are addresses for it. */
uint64_t segment_limit(void);

/* Nothing more may be mapped.  False: that was so before. */
bool segment_close(void);

/* These bytes of the file, accessible; null: it may not become so large. */
char *segment_place(uint64_t offset, uint32_t size);

/* Whether the address is in a part that was given out. */
bool segment_has(const void *address);
/* Likewise of the one before. */
bool segment_had(const void *address);

/* Where in the file that is; 0: it is not in it. */
uint64_t segment_offset(const void *address);

#endif
