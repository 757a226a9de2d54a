/*
 * What lines look like on a terminal, other than in a file: short times, the
 * day where it changes, and a stack that is the same as that of the line before
 * only once.  Used by the style of lines where its output is a terminal.
 */
#ifndef DECODER_LINE_SCREEN_H
#define DECODER_LINE_SCREEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/calendar.h"
#include "decoder/output/output.h"

#define LINE_SCREEN_DAY_BYTES sizeof("2026-11-21")

struct line_screen {
	const struct output *output;
	struct calendar calendar;
	char today[LINE_SCREEN_DAY_BYTES]; /* when it began */
	char day[LINE_SCREEN_DAY_BYTES];   /* of lines without a date */
	struct render_buffer stack;	   /* below the line before */
};

/* The output outlives it. */
void line_screen_begin(
	struct line_screen *screen, const struct output *output, bool utc);

/*
 * Appends the time in microseconds; with the date if lines do not come in
 * order, as the last ones do, and it is not today.
 */
void line_screen_put_time(
	struct line_screen *screen, uint64_t wall, struct render_buffer *out);

/*
 * Before a line: appends one with its day, if that is not the day of the line
 * before, or today for the first one.
 */
void line_screen_put_day(
	struct line_screen *screen, uint64_t wall, struct render_buffer *out);

/* Below a line: what has been appended from there on are the frames of its
 * stack. */
void line_screen_fold_stack(
	struct line_screen *screen, struct render_buffer *out, size_t from);

void line_screen_end(struct line_screen *screen);

#endif
