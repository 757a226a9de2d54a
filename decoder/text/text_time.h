/*
 * The time that a line of a log begins with, in one of the forms of
 * text_times.def.  Asked by the reader of such files for each line.  Promises
 * bounded time for any bytes.
 */
#ifndef DECODER_TEXT_TIME_H
#define DECODER_TEXT_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zeros but for `utc` and `latest` at first. */
struct text_times {
	bool utc; /* what says no zone is in UTC; otherwise in local time */
	int64_t latest; /* what says no year is not later, in seconds */
	size_t form;	/* that the last line had; lines are mostly alike */
	int64_t minute; /* that `offset` is for, as a zone shows it; and one */
	int64_t offset; /* more than the seconds that it is east of UTC */
};

/* In nanoseconds since 1970 into *wall.  False: it begins with none. */
bool text_time_read(struct text_times *times, const char *text, size_t bytes,
	uint64_t *wall);

#endif
