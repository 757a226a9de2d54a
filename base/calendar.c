#include "base/calendar.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/digits.h"

#define NS 1000000000u

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

static void make_zone(struct calendar *calendar, time_t second)
{
	struct tm tm = {0};
	long minutes;

	if (calendar->utc || !localtime_r(&second, &tm)) {
		snprintf(calendar->zone, sizeof(calendar->zone), "Z");
		return;
	}
	minutes = labs(tm.tm_gmtoff) / 60;
	snprintf(calendar->zone, sizeof(calendar->zone), "%c%02u:%02u",
		tm.tm_gmtoff < 0 ? '-' : '+', (unsigned)(minutes / 60) % 100,
		(unsigned)minutes % 60);
}

static void make_date(struct calendar *calendar, uint64_t wall)
{
	calendar_put(calendar->date, wall / NS, calendar->utc);
	calendar->date_bytes = (uint32_t)strlen(calendar->date);
	calendar->date[calendar->date_bytes++] = '.';
	calendar->second = wall - wall % NS;
	make_zone(calendar, (time_t)(wall / NS));
}

void calendar_append(
	struct calendar *calendar, uint64_t wall, struct render_buffer *out)
{
	char *at;

	if (calendar->date_bytes == 0 || wall - calendar->second >= NS)
		make_date(calendar, wall);
	if (!render_buffer_reserve(out, sizeof(calendar->date) + 9))
		return;
	at = out->data + out->length;
	memcpy(at, calendar->date, sizeof(calendar->date));
	at = digits_write_nanoseconds(
		at + calendar->date_bytes, (uint32_t)(wall - calendar->second));
	out->length = (size_t)(at - out->data);
}

void calendar_append_standard(
	struct calendar *calendar, uint64_t wall, struct render_buffer *out)
{
	const size_t day_bytes = strlen("2026-11-21");
	size_t start = out->length;

	calendar_append(calendar, wall, out);
	if (out->length - start > day_bytes &&
		out->data[start + day_bytes] == ' ')
		out->data[start + day_bytes] = 'T';
	render_buffer_put(out, calendar->zone, strlen(calendar->zone));
}
