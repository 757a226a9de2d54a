/*
 * Moments as people write them.  Used by the styles that show times; promises
 * the same look everywhere.
 */
#ifndef DECODER_CALENDAR_H
#define DECODER_CALENDAR_H

#include <stdbool.h>
#include <stdint.h>

#define CALENDAR_BYTES 40

/* `second` since 1970 as 2026-11-21 02:27:03, in UTC or in local time. */
void calendar_put(char text[static CALENDAR_BYTES], uint64_t second, bool utc);

#endif
