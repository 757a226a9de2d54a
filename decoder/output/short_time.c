#include "decoder/output/short_time.h"

#include <string.h>
#include <time.h>

#define NS 1000000000u
#define DAY_BYTES (sizeof("2026-11-21 ") - 1)
#define FULL_BYTES (sizeof("2026-11-21 02:27:03.123456789") - 1)
#define BELOW_MICROSECONDS 3

void short_time_begin(struct short_time *times, bool utc, bool on_screen)
{
	char date[CALENDAR_BYTES];

	*times = (struct short_time){
		.calendar = {.utc = utc}, .on_screen = on_screen};
	calendar_put(date, (uint64_t)time(NULL), utc);
	memcpy(times->today, date, DAY_BYTES);
}

/* What was appended from there on begins with a date. */
static void leave_out_today(
	const struct short_time *times, struct render_buffer *out, size_t from)
{
	char *date = out->data + from;

	if (!times->on_screen || out->failed ||
		out->length - from <= DAY_BYTES ||
		memcmp(date, times->today, DAY_BYTES) != 0)
		return;
	out->length -= DAY_BYTES;
	memmove(date, date + DAY_BYTES, out->length - from);
}

void short_time_put(
	struct short_time *times, uint64_t wall, struct render_buffer *out)
{
	size_t from = out->length;

	calendar_append(&times->calendar, wall, out);
	if (times->on_screen && out->length - from == FULL_BYTES)
		out->length -= BELOW_MICROSECONDS;
	leave_out_today(times, out, from);
}

void short_time_put_second(
	struct short_time *times, uint64_t wall, struct render_buffer *out)
{
	char date[CALENDAR_BYTES];
	size_t from = out->length;

	calendar_put(date, wall / NS, times->calendar.utc);
	render_buffer_put_string(out, date);
	leave_out_today(times, out, from);
}
