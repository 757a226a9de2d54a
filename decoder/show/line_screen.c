#include "decoder/show/line_screen.h"

#include <string.h>
#include <time.h>

#define NS 1000000000u
#define DAY_LENGTH (LINE_SCREEN_DAY_BYTES - 1)
#define DATE_LENGTH (sizeof("2026-11-21 02:27:03.123456789") - 1)
#define BELOW_MICROSECONDS 3

/* One line comes after the other: not the last ones, or the largest. */
static bool is_in_order(const struct line_screen *screen)
{
	return !output_takes_lines(screen->output) &&
	       screen->output->fd != OUTPUT_KEPT;
}

/* False: the calendar does not know the time, and has put a number. */
static bool find_day(struct line_screen *screen, uint64_t wall,
	char day[static LINE_SCREEN_DAY_BYTES])
{
	struct render_buffer text = {0};
	bool known;

	calendar_append(&screen->calendar, wall, &text);
	known = text.length == DATE_LENGTH;
	if (known) {
		memcpy(day, text.data, DAY_LENGTH);
		day[DAY_LENGTH] = '\0';
	}
	render_buffer_free(&text);
	return known;
}

void line_screen_begin(
	struct line_screen *screen, const struct output *output, bool utc)
{
	uint64_t now = (uint64_t)time(NULL);

	*screen = (struct line_screen){.output = output};
	screen->calendar.utc = utc;
	if (find_day(screen, now * NS, screen->today))
		memcpy(screen->day, screen->today, sizeof(screen->day));
}

void line_screen_put_time(
	struct line_screen *screen, uint64_t wall, struct render_buffer *out)
{
	size_t start = out->length;
	char *date;

	calendar_append(&screen->calendar, wall, out);
	if (out->failed || out->length - start != DATE_LENGTH)
		return;
	out->length -= BELOW_MICROSECONDS;
	date = out->data + start;
	if (!is_in_order(screen) &&
		memcmp(date, screen->today, DAY_LENGTH) != 0)
		return;
	out->length -= DAY_LENGTH + 1;
	memmove(date, date + DAY_LENGTH + 1, out->length - start);
}

void line_screen_put_day(
	struct line_screen *screen, uint64_t wall, struct render_buffer *out)
{
	char day[LINE_SCREEN_DAY_BYTES];

	if (!is_in_order(screen) || !find_day(screen, wall, day) ||
		strcmp(day, screen->day) == 0)
		return;
	memcpy(screen->day, day, sizeof(day));
	render_buffer_put_string(out, "--- ");
	render_buffer_put_string(out, day);
	render_buffer_put_byte(out, '\n');
}

/* More than one line. */
static bool is_long(const char *text, size_t bytes)
{
	const char *end = bytes > 0 ? memchr(text, '\n', bytes) : NULL;

	return end && end + 1 < text + bytes;
}

void line_screen_fold_stack(
	struct line_screen *screen, struct render_buffer *out, size_t from)
{
	struct render_buffer *before = &screen->stack;
	const char *text = render_buffer_from(out, from);
	size_t bytes = out->length - from;

	if (!is_in_order(screen) || out->failed)
		return;
	if (bytes == before->length && is_long(text, bytes) &&
		memcmp(text, before->data, bytes) == 0) {
		out->length = from;
		render_buffer_put_string(out, "    (same stack)\n");
		return;
	}
	before->length = 0;
	render_buffer_put(before, text, bytes);
}

void line_screen_end(struct line_screen *screen)
{
	render_buffer_free(&screen->stack);
}
