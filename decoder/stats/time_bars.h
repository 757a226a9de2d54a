/*
 * How many messages there were in each stretch of time.  The stretches are all
 * of one length, from multiples of it on: what was asked for, or the shortest
 * that so many are enough of.
 */
#ifndef DECODER_TIME_BARS_H
#define DECODER_TIME_BARS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A power of two. */
#define TIME_BARS_MAX ((uint64_t)1 << 16)

struct time_bars {
	uint64_t length; /* of a stretch, nanoseconds */
	bool fixed;	 /* it was asked for */
	bool any;
	bool failed;	/* there are too many of a fixed length */
	uint64_t first; /* time / length of the first, and the last */
	uint64_t last;
	uint64_t counts[TIME_BARS_MAX]; /* at that modulo TIME_BARS_MAX */
};

/* 0: chosen by the times.  The bars are all zeros. */
void time_bars_begin(struct time_bars *bars, uint64_t length);

/* Makes room for a time that is outside of first and last. */
void time_bars_widen(struct time_bars *bars, uint64_t time);

/* A message at this time, nanoseconds since 1970. */
static inline void time_bars_add(struct time_bars *bars, uint64_t time)
{
	uint64_t place = time / bars->length;

	if (__builtin_expect(
		    !bars->any || place < bars->first || place > bars->last,
		    0)) {
		time_bars_widen(bars, time);
		place = time / bars->length;
	}
	if (!bars->failed)
		bars->counts[place % TIME_BARS_MAX]++;
}

/* Unless the length is fixed, makes it so that there are no more than that. */
void time_bars_settle(struct time_bars *bars, uint64_t most);

#endif
