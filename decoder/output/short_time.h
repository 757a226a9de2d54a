/*
 * Times in tables and lists: on a terminal without the date if they are of
 * today, and without what is below a microsecond; as calendar.h has them
 * elsewhere.  Used by the styles that show them.
 */
#ifndef DECODER_SHORT_TIME_H
#define DECODER_SHORT_TIME_H

#include "base/calendar.h"

struct short_time {
	struct calendar calendar;
	bool on_screen;
	char today[sizeof("2026-11-21 ")]; /* when it began */
};

void short_time_begin(struct short_time *times, bool utc, bool on_screen);

/* Appends the time, nanoseconds since 1970. */
void short_time_put(
	struct short_time *times, uint64_t wall, struct render_buffer *out);

/* The same to the second. */
void short_time_put_second(
	struct short_time *times, uint64_t wall, struct render_buffer *out);

#endif
