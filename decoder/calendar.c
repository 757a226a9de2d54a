#include "decoder/calendar.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

void calendar_put(char text[static CALENDAR_BYTES], uint64_t second, bool utc)
{
	time_t seconds = (time_t)second;
	struct tm tm;
	const struct tm *split =
		utc ? gmtime_r(&seconds, &tm) : localtime_r(&seconds, &tm);

	if (!split ||
		strftime(text, CALENDAR_BYTES, "%Y-%m-%d %H:%M:%S", split) == 0)
		snprintf(text, CALENDAR_BYTES, "%" PRIu64, second);
}
