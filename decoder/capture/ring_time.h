/*
 * How much time the ring of a capture holds.  Asked by whoever says so to
 * people, when the messages were read; about right, since it asks no clock.
 */
#ifndef DECODER_RING_TIME_H
#define DECODER_RING_TIME_H

#include "decoder/capture/recording.h"

/* Of a capture with a ring: nanoseconds before the newest ticks of which
 * nothing is missing; UINT64_MAX: nothing was overwritten. */
uint64_t ring_time_span(const struct recording *capture);

/* When that was: nanoseconds since 1970. */
uint64_t ring_time_wall(const struct recording *capture, uint64_t ticks);

#endif
