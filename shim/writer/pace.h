/*
 * How fast ticks pass, by what the clocks have said since the capture was made.
 * Used by what measures or limits times while the program runs; exact to a part
 * in some thousand once it has run for a tenth of a second, the better the
 * longer it has, and good enough before.  Lock-free, async-signal-safe.
 */
#ifndef SHIM_PACE_H
#define SHIM_PACE_H

#include <stdint.h>

/* Only while there is a capture.  Any number of nanoseconds: what is too long
 * to be counted is for ever, INT64_MAX. */
uint64_t pace_ticks(uint64_t nanoseconds);

uint64_t pace_nanoseconds(uint64_t ticks);

/* Ticks since the capture was made. */
uint64_t pace_passed(void);

#endif
