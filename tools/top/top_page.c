#include "tools/top/top_page.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/escape.h"
#include "base/render_buffer.h"
#include "base/text_width.h"
#include "rules/levels.h"
#include "tools/top/top_keys.h"
#include "tools/top/top_rows.h"

/*
 * Numbers as people read them: three or four digits and a unit.  For
 * scripts there are plain ones.
 */

#define TOP_NUMBER_BYTES 32

/* "12", "0.3", "4.56M"; of a negative one "-".  `plain`: all digits. */
static void top_number(char text[TOP_NUMBER_BYTES], double number, bool plain)
{
	static const char units[] = "\0KMGTP";
	const char *unit = units;
	int digits;

	if (number < 0) {
		snprintf(text, TOP_NUMBER_BYTES, "-");
		return;
	}
	if (plain) {
		snprintf(text, TOP_NUMBER_BYTES, "%.0f", number);
		return;
	}
	while (number >= 9999.5 && unit[1] != '\0') {
		number /= 1000;
		unit++;
	}
	digits = *unit == '\0'	  ? number > 0 && number < 9.95
		 : number < 9.995 ? 2
				  : number < 99.95;
	snprintf(text, TOP_NUMBER_BYTES, "%.*f%.1s", digits, number, unit);
}

/*
 * Text cut to columns of a terminal: such as escape_put() has made safe.
 */

/* Of the character that begins the text. */
static size_t count_bytes(const char *text, size_t size)
{
	size_t bytes = 1;

	while (bytes < size && ((unsigned char)text[bytes] & 0xc0) == 0x80)
		bytes++;
	return bytes;
}

/* Appends what fits into so many columns of text[0..size). */
static void top_clip(
	struct render_buffer *out, const char *text, size_t size, size_t width)
{
	size_t column = 0;
	size_t bytes;
	size_t i;

	for (i = 0; i < size; i += bytes) {
		size_t columns;

		bytes = count_bytes(text + i, size - i);
		columns = text[i] == '\t' ? text_width_tab(column)
					  : text_width(text + i, bytes);
		if (columns > width - column)
			return;
		if (text[i] == '\t')
			render_buffer_fill(out, ' ', columns);
		else
			render_buffer_put(out, text + i, bytes);
		column += columns;
	}
}

/* Lines that are there whatever is shown: sums, names of columns, the prompt.
 */
#define FRAME_LINES 6u

/* One line, before it is cut. */
struct line {
	struct render_buffer text;
	const struct top_page *page;
	bool plain;
	size_t clicked;		     /* row from the top of the view, from 1 on; or 0 */
	uint64_t chosen;	     /* as in the page */
	struct render_buffer choice; /* all that the chosen row says */
};

__attribute__((format(printf, 2, 3))) static void put(
	struct render_buffer *out, const char *format, ...)
{
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	render_buffer_put(out, text, strlen(text));
}

/* Gives the line out in this colour, or none, and empties it. */
static void end_line(
	struct line *line, struct render_buffer *out, const char *colour)
{
	const struct top_page *page = line->page;
	bool coloured = !line->plain && page->colour && colour;

	if (coloured)
		put(out, "\033[%sm", colour);
	if (line->plain)
		render_buffer_put(out, line->text.data, line->text.length);
	else
		top_clip(out, line->text.data, line->text.length, page->width);
	if (coloured)
		put(out, "\033[0m");
	render_buffer_put_byte(out, '\n');
	out->failed |= line->text.failed;
	line->text.length = 0;
}

/* ---- the sums ---- */

static void put_level(struct line *line, const struct top_sums *sums)
{
	if (!sums->switched)
		return;
	put(&line->text, ", level %s%s",
		sums->level >= LEVEL_LAST ? "all"
		: level_name(sums->level) ? level_name(sums->level)
					  : "none",
		sums->off ? ", off" : "");
}

static void put_place(struct line *line, const struct top_sums *sums)
{
	const struct top_page *page = line->page;
	const char *place = page->captures->place;
	time_t seconds = time(NULL);
	struct tm tm;
	char clock[32];

	if (!localtime_r(&seconds, &tm) ||
		strftime(clock, sizeof(clock),
			line->plain ? "%Y-%m-%dT%H:%M:%S" : "%H:%M:%S",
			&tm) == 0)
		*clock = '\0';
	put(&line->text, "binlog-top %s ", clock);
	escape_put(&line->text, place, strlen(place), ESCAPE_NEWLINE);
	put(&line->text, ": %zu captures, %zu running", sums->captures,
		sums->running);
	put_level(line, sums);
	if (page->paused)
		put(&line->text, ", paused");
}

static void put_calls(struct line *line, const struct top_sums *sums)
{
	char rate[TOP_NUMBER_BYTES], bytes[TOP_NUMBER_BYTES],
		total[TOP_NUMBER_BYTES];

	top_number(rate, sums->rate, line->plain);
	top_number(bytes, sums->byte_rate, line->plain);
	top_number(total, (double)sums->calls, line->plain);
	put(&line->text, "%s calls/s%s, %s bytes/s, %s calls", rate,
		sums->rough ? " (estimated)" : "", bytes, total);
	if (sums->behind)
		put(&line->text, " and more that is not read yet");
}

static void put_sums(struct line *line, struct render_buffer *out)
{
	const struct top_sums sums = top_sums_of(line->page->captures);
	bool bad = sums.passed + sums.dropped > 0 || sums.damaged;

	put_place(line, &sums);
	end_line(line, out, "1");
	put_calls(line, &sums);
	end_line(line, out, NULL);
	put(&line->text,
		"%" PRIu64 " passed, %" PRIu64 " dropped, %" PRIu64
		" suppressed, %" PRIu64 " redacted",
		sums.passed, sums.dropped, sums.suppressed, sums.redacted);
	if (sums.damaged)
		put(&line->text, "; something cannot be read: see binlog-show");
	end_line(line, out, bad ? "31" : NULL);
	if (sums.running > 0)
		return;
	put(&line->text, "%s",
		sums.captures > 0
			? "all have ended: binlog-show tells what they said"
			: "nobody writes to a capture there: binlog-ctl list "
			  "shows what there is");
	end_line(line, out, "1");
}

/* ---- the rows ---- */

static const struct {
	const char *name;
	int width;
} numbers[] = {
	[TOP_SORT_RATE] = {"CALLS/S", 9},
	[TOP_SORT_TOTAL] = {"CALLS", 10},
	[TOP_SORT_BYTES] = {"BYTES/S", 9},
};

#define SHARE_WIDTH 6u /* "SHARE ", which is of the rate */

enum top_sort top_page_sort_at(size_t column)
{
	size_t end = 0;
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		end += (size_t)numbers[i].width + 1;
		if (column <= end)
			return (enum top_sort)i;
	}
	return column <= end + SHARE_WIDTH ? TOP_SORT_RATE : TOP_SORT_NAME;
}

static void put_columns(
	struct line *line, struct render_buffer *out, enum top_view view)
{
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		char name[16];

		snprintf(name, sizeof(name), "%s%s", numbers[i].name,
			!line->plain && i == line->page->settings->sort ? "*"
									: "");
		put(&line->text, "%*s ", line->plain ? 14 : numbers[i].width,
			name);
	}
	put(&line->text, "SHARE %s", top_settings_columns(view));
	end_line(line, out, "7");
}

/* `chosen`: it is marked, and the last line tells all that it says. */
static void put_row(struct line *line, struct render_buffer *out,
	const struct top_rows *rows, const struct top_row *row, bool chosen)
{
	char rate[TOP_NUMBER_BYTES], bytes[TOP_NUMBER_BYTES],
		total[TOP_NUMBER_BYTES];
	bool plain = line->plain;

	top_number(rate, row->rate, plain);
	top_number(bytes, row->byte_rate, plain);
	top_number(total, (double)row->total, plain);
	put(&line->text, "%*s %*s %*s %4.0f%% ", plain ? 14 : 9, rate,
		plain ? 14 : 10, total, plain ? 14 : 9, bytes,
		rows->rate > 0 ? 100 * row->rate / rows->rate : 0);
	top_words(rows, row, line->page->names, &line->text);
	if (chosen)
		top_words(rows, row, line->page->names, &line->choice);
	end_line(line, out, chosen ? "7" : NULL);
}

/* Lines from `from` on; returns how many there are in all. */
static size_t put_view(struct line *line, struct render_buffer *out,
	enum top_view view, size_t from, size_t most)
{
	const struct top_page *page = line->page;
	struct top_rows rows;
	size_t count, i;

	top_rows_make(&rows, page->captures, page->settings, view, page->names);
	count = rows.count;
	if (count > 0 && from >= count)
		from = count - 1;
	put_columns(line, out, view);
	if (line->clicked > 0 && line->clicked <= most && from < count &&
		line->clicked <= count - from) {
		uint64_t clicked = top_row_identity(
			&rows.rows[from + line->clicked - 1]);

		line->chosen = line->chosen == clicked ? 0 : clicked;
	}
	for (i = from; i < count && i - from < most; i++)
		put_row(line, out, &rows, &rows.rows[i],
			line->chosen != 0 && line->chosen ==
				top_row_identity(&rows.rows[i]));
	out->failed |= rows.failed;
	top_rows_free(&rows);
	return count;
}

void top_page_batch(const struct top_page *page, struct render_buffer *out)
{
	const struct top_settings *settings = page->settings;
	struct line line = {.page = page, .plain = true};
	size_t most = settings->rows ? (size_t)settings->rows : SIZE_MAX;
	int i;

	put_sums(&line, out);
	for (i = 0; i < TOP_VIEWS && page->captures->count > 0; i++) {
		if (settings->view_given && i != (int)settings->view)
			continue;
		put(out, "\n%s\n", top_settings_view((enum top_view)i));
		put_view(&line, out, (enum top_view)i, 0, most);
	}
	render_buffer_put_byte(out, '\n');
	render_buffer_free(&line.text);
}

/* ---- the screen ---- */

static void put_last_line(struct line *line, struct render_buffer *out)
{
	const struct top_page *page = line->page;
	const char *news = page->captures->sentence[0] && !*page->news
				   ? page->captures->sentence
				   : page->news;

	if (page->prompt) {
		put(&line->text, "%s", page->prompt);
		escape_put(&line->text, page->answer, strlen(page->answer),
			ESCAPE_NEWLINE);
	} else if (*news) {
		escape_put(&line->text, news, strlen(news), ESCAPE_NEWLINE);
	} else if (line->choice.length > 0) {
		render_buffer_put(&line->text, line->choice.data,
			line->choice.length);
	} else {
		put(&line->text, "q quit, h help, %s%s by %s%s",
			page->mouse ? "click sorts, chooses, " : "",
			top_settings_view(page->settings->view),
			top_settings_sort(page->settings->sort),
			page->settings->filter[0] ? ", filtered: " : "");
		escape_put(&line->text, page->settings->filter,
			strlen(page->settings->filter), ESCAPE_NEWLINE);
	}
	end_line(line, out, "1");
}

static size_t count_lines(const struct render_buffer *out, size_t from)
{
	size_t count = 0;
	size_t i;

	for (i = from; i < out->length; i++)
		count += out->data[i] == '\n';
	return count;
}

/* What does not fit is left away from the end on. */
static void cut_lines(struct render_buffer *out, size_t from, size_t height)
{
	size_t i;

	for (i = from; i < out->length; i++) {
		if (out->data[i] != '\n' || --height > 0)
			continue;
		out->length = i;
		return;
	}
}

void top_page_screen(struct top_page *page, struct render_buffer *out)
{
	struct line line = {.page = page, .chosen = page->chosen};
	size_t from = out->length;
	size_t most =
		page->height > FRAME_LINES ? page->height - FRAME_LINES : 0;
	size_t count, i;

	put_sums(&line, out);
	if (page->help) {
		page->columns_line = 0;
		for (i = 0; i < top_keys_count && i <= most; i++) {
			put(&line.text, "  %-8s %s", top_keys[i].shown,
				top_keys[i].help);
			end_line(&line, out, NULL);
		}
		if (page->mouse && top_keys_count < most) {
			put(&line.text, "  %-8s %s; wheel: scroll", "mouse",
				TOP_MOUSE_HELP);
			end_line(&line, out, NULL);
		}
	} else {
		page->columns_line = count_lines(out, from) + 1;
		if (page->clicked > page->columns_line)
			line.clicked = page->clicked - page->columns_line;
		count = put_view(
			&line, out, page->settings->view, page->scroll, most);
		if (page->scroll >= count)
			page->scroll = count > 0 ? count - 1 : 0;
		page->chosen = line.chosen;
	}
	page->clicked = 0;
	put_last_line(&line, out);
	if (!out->failed)
		cut_lines(out, from, page->height);
	render_buffer_free(&line.text);
	render_buffer_free(&line.choice);
}
