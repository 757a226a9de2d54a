/*
 * Moments as people write them.  Used by the styles that show times; promises
 * the same look everywhere.
 */
#ifndef BASE_CALENDAR_H
#define BASE_CALENDAR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/render_buffer.h"

#define CALENDAR_BYTES 40

/* `second` since 1970 as 2026-11-21 02:27:03, in UTC or in local time. */
void calendar_put(char text[static CALENDAR_BYTES], uint64_t second, bool utc);

/* All zeros but for `utc` at first: most moments are of the second before. */
struct calendar {
	bool utc;
	uint64_t second;	   /* that `date` is for, in nanoseconds */
	char date[CALENDAR_BYTES]; /* up to the second, and a point */
	uint32_t date_bytes;	   /* 0: not set */
	char zone[8];		   /* as +01:00, or Z; ends in NUL */
};

/* Appends the date and time, with nanoseconds; `wall` is of these. */
void calendar_append(
	struct calendar *calendar, uint64_t wall, struct render_buffer *out);

/* The same as RFC 3339 has it: 2026-11-21T02:27:03.123456789+01:00. */
void calendar_append_standard(
	struct calendar *calendar, uint64_t wall, struct render_buffer *out);

#endif
