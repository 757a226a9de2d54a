#include "decoder/last_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/output.h"
#include "decoder/spool.h"

#define WINDOW ((size_t)1 << 18)

struct line_kept {
	char *text;
	size_t bytes;
	size_t room;
};

struct last_lines {
	uint32_t count; /* LAST_LINES_ALL: all go to the spool */
	bool newest_first;
	struct line_kept *ring; /* `used` of them have been filled once */
	size_t used;
	size_t room;
	size_t next;	    /* the oldest, once it is full */
	struct spool spool; /* each line, and behind it how long it is */
	int failed;	    /* errno, or 0 */
};

struct last_lines *last_lines_new(uint32_t count, bool newest_first)
{
	struct last_lines *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return NULL;
	lines->count = count;
	lines->newest_first = newest_first;
	spool_init(&lines->spool);
	return lines;
}

/* The next one to be filled.  Null: out of memory. */
static struct line_kept *next_place(struct last_lines *lines)
{
	struct line_kept *ring;
	size_t room;

	if (lines->used == lines->count) {
		ring = &lines->ring[lines->next];
		lines->next = (lines->next + 1) % lines->count;
		return ring;
	}
	if (lines->used == lines->room) {
		room = lines->room ? 2 * lines->room : 64;
		ring = realloc(lines->ring, room * sizeof(*ring));
		if (!ring)
			return NULL;
		memset(ring + lines->room, 0,
			(room - lines->room) * sizeof(*ring));
		lines->ring = ring;
		lines->room = room;
	}
	return &lines->ring[lines->used++];
}

static bool set(struct line_kept *line, const char *text, size_t bytes)
{
	/* One that was very long does not stay so. */
	if (bytes > line->room || line->room / 4 > bytes + 256) {
		char *made = realloc(line->text, bytes + 1);

		if (!made)
			return false;
		line->text = made;
		line->room = bytes + 1;
	}
	memcpy(line->text, text, bytes);
	line->bytes = bytes;
	return true;
}

static void add_to_ring(
	struct last_lines *lines, const char *text, size_t bytes)
{
	struct line_kept *place = lines->count > 0 ? next_place(lines) : NULL;

	if (lines->count > 0 && !(place && set(place, text, bytes)))
		lines->failed = ENOMEM;
}

void last_lines_add(struct last_lines *lines, const char *text, size_t bytes)
{
	uint64_t size = bytes;

	if (lines->failed)
		return;
	if (lines->count != LAST_LINES_ALL) {
		add_to_ring(lines, text, bytes);
		return;
	}
	spool_put(&lines->spool, lines->spool.size, text, bytes);
	spool_put(&lines->spool, lines->spool.size, (const char *)&size,
		sizeof(size));
}

static void put(struct output *output, const char *text, size_t bytes)
{
	render_buffer_put(&output->text, text, bytes);
	output_settle(output);
}

static void give_out_ring(struct last_lines *lines, struct output *output)
{
	size_t i;

	for (i = 0; i < lines->used && output->failed == 0; i++) {
		size_t from_oldest =
			lines->newest_first ? lines->used - 1 - i : i;
		const struct line_kept *line =
			&lines->ring[(lines->next + from_oldest) % lines->used];

		put(output, line->text, line->bytes);
	}
}

/* A part of the spool in memory, from its end on towards its beginning. */
struct window {
	struct spool *spool;
	char *data;
	size_t room;
	uint64_t start;
	uint64_t end;
};

/* So many bytes up to `end`, which is never more than before.  Null: errno. */
static const char *look(struct window *window, uint64_t end, uint64_t bytes)
{
	uint64_t size = bytes > WINDOW ? bytes : WINDOW;

	if (bytes > end) {
		errno = EIO;
		return NULL;
	}
	if (window->start > end - bytes || window->end < end) {
		if (size > end)
			size = end;
		if (size > window->room) {
			free(window->data);
			window->room = 0;
			window->data = malloc(size);
			if (!window->data)
				return NULL;
			window->room = size;
		}
		window->start = end - size;
		window->end = end;
		if (!spool_get(window->spool, window->start, window->data,
			    (size_t)size))
			return NULL;
	}
	return window->data + (end - bytes - window->start);
}

static bool give_out_spool(struct last_lines *lines, struct output *output)
{
	struct window window = {.spool = &lines->spool};
	uint64_t end = lines->spool.size;
	bool good = true;

	while (good && end > 0 && output->failed == 0) {
		const char *text = look(&window, end, sizeof(uint64_t));
		uint64_t bytes;

		if (text) {
			memcpy(&bytes, text, sizeof(bytes));
			end -= sizeof(bytes);
			text = look(&window, end, bytes);
		}
		good = text;
		if (good) {
			put(output, text, (size_t)bytes);
			end -= bytes;
		}
	}
	free(window.data);
	return good;
}

bool last_lines_give_out(struct last_lines *lines, struct output *output)
{
	if (lines->spool.failed && !lines->failed)
		lines->failed = lines->spool.failed;
	errno = lines->failed;
	if (lines->failed)
		return false;
	if (lines->count == LAST_LINES_ALL)
		return give_out_spool(lines, output);
	give_out_ring(lines, output);
	return true;
}

void last_lines_free(struct last_lines *lines)
{
	size_t i;

	if (!lines)
		return;
	for (i = 0; i < lines->used; i++)
		free(lines->ring[i].text);
	free(lines->ring);
	spool_free(&lines->spool);
	free(lines);
}
