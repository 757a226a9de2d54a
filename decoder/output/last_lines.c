#include "decoder/output/last_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/output/output.h"
#include "decoder/output/spool.h"

#define WINDOW ((size_t)1 << 18)

/* More than this goes into the spool. */
#define MEMORY_MAX ((size_t)1 << 24)

/* What a line costs besides its text, about. */
#define LINE_COST (sizeof(struct line_kept) + 32)

struct line_kept {
	char *text;
	size_t bytes;
	size_t room;
};

struct last_lines {
	uint32_t count; /* LAST_LINES_ALL: of any number */
	bool newest_first;
	uint64_t added;
	struct line_kept *ring; /* `used` of them have been filled once */
	size_t used;
	size_t room;
	size_t next; /* the oldest, once it is full */
	size_t memory;
	bool spools; /* all lines go to the spool, those of the ring did */
	struct spool spool; /* before and behind each line how long it is */
	uint64_t spooled;   /* how many lines */
	int failed;	    /* errno, or 0 */
};

struct last_lines *last_lines_new(uint32_t count, bool newest_first)
{
	struct last_lines *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return NULL;
	lines->count = count;
	lines->newest_first = newest_first;
	lines->spools = count == LAST_LINES_ALL;
	spool_init(&lines->spool);
	return lines;
}

/* ---- in memory ---- */

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
	lines->memory += LINE_COST;
	return &lines->ring[lines->used++];
}

static bool set(struct last_lines *lines, struct line_kept *line,
	const char *text, size_t bytes)
{
	/* One that was very long does not stay so. */
	if (bytes > line->room || line->room / 4 > bytes + 256) {
		char *made = realloc(line->text, bytes + 1);

		if (!made)
			return false;
		lines->memory += bytes + 1 - line->room;
		line->text = made;
		line->room = bytes + 1;
	}
	if (bytes > 0)
		memcpy(line->text, text, bytes);
	line->bytes = bytes;
	return true;
}

static void add_to_ring(
	struct last_lines *lines, const char *text, size_t bytes)
{
	struct line_kept *place = lines->count > 0 ? next_place(lines) : NULL;

	if (lines->count > 0 && !(place && set(lines, place, text, bytes)))
		lines->failed = ENOMEM;
}

static const struct line_kept *kept(const struct last_lines *lines, size_t i)
{
	return &lines->ring[(lines->next + i) % lines->used];
}

static void free_ring(struct last_lines *lines)
{
	size_t i;

	for (i = 0; i < lines->used; i++)
		free(lines->ring[i].text);
	free(lines->ring);
	lines->ring = NULL;
	lines->used = lines->room = lines->next = 0;
}

static void give_out_ring(struct last_lines *lines, struct output *output)
{
	size_t i;

	for (i = 0; i < lines->used && output->failed == 0; i++) {
		const struct line_kept *line = kept(
			lines, lines->newest_first ? lines->used - 1 - i : i);

		output_put_chosen(output, line->text, line->bytes);
	}
}

/* ---- in the spool ---- */

/* A part of it in memory, from where it was looked at on. */
struct window {
	struct spool *spool;
	bool ahead; /* towards its end, otherwise towards its beginning */
	char *data;
	size_t room;
	uint64_t start;
	uint64_t end;
};

/* With so many bytes from there on.  False: errno. */
static bool move(struct window *window, uint64_t at, uint64_t bytes)
{
	uint64_t wanted = bytes > WINDOW ? bytes : WINDOW;
	uint64_t start = window->ahead	       ? at
			 : at + bytes > wanted ? at + bytes - wanted
					       : 0;
	uint64_t size = window->spool->size - start;

	if (size > wanted)
		size = wanted;
	if (size > window->room) {
		free(window->data);
		window->room = 0;
		window->data = malloc(size);
		if (!window->data)
			return false;
		window->room = size;
	}
	window->start = start;
	window->end = start + size;
	return spool_get(window->spool, start, window->data, (size_t)size);
}

/* So many bytes from there on.  Null: errno. */
static const char *look(struct window *window, uint64_t at, uint64_t bytes)
{
	if (at > window->spool->size || bytes > window->spool->size - at) {
		errno = EIO;
		return NULL;
	}
	if ((at < window->start || at + bytes > window->end) &&
		!move(window, at, bytes))
		return NULL;
	return window->data + (at - window->start);
}

/* A line, after which *at is where the next one of that direction begins or
 * ends.  Null: errno. */
static const char *next_line(
	struct window *window, uint64_t *at, uint64_t *bytes)
{
	uint64_t length = sizeof(*bytes);
	const char *text = look(
		window, window->ahead ? *at : *at - length, sizeof(*bytes));

	if (!text)
		return NULL;
	memcpy(bytes, text, sizeof(*bytes));
	if (window->ahead) {
		text = look(window, *at + length, *bytes);
		*at += *bytes + 2 * length;
	} else {
		text = look(window, *at - length - *bytes, *bytes);
		*at -= *bytes + 2 * length;
	}
	return text;
}

static void add_to_spool(struct last_lines *lines, struct spool *spool,
	const char *text, uint64_t bytes)
{
	const char *length = (const char *)&bytes;

	spool_put(spool, spool->size, length, sizeof(bytes));
	spool_put(spool, spool->size, text, (size_t)bytes);
	spool_put(spool, spool->size, length, sizeof(bytes));
	lines->spooled++;
}

/* How many of its lines are the last ones. */
static uint64_t wanted_of(const struct last_lines *lines)
{
	return lines->count != LAST_LINES_ALL && lines->count < lines->spooled
		       ? lines->count
		       : lines->spooled;
}

/* Where the last so many of its lines begin.  False: errno. */
static bool find_last(struct last_lines *lines, uint64_t count, uint64_t *at)
{
	struct window window = {.spool = &lines->spool};
	uint64_t bytes;
	bool good = true;

	*at = count == lines->spooled ? 0 : lines->spool.size;
	for (; good && count > 0 && *at > 0; count--)
		good = next_line(&window, at, &bytes);
	free(window.data);
	return good;
}

/* Those before the last ones go. */
static bool trim(struct last_lines *lines)
{
	struct window window = {.spool = &lines->spool, .ahead = true};
	struct spool rest;
	uint64_t at, bytes;
	bool good = find_last(lines, lines->count, &at);

	spool_init(&rest);
	lines->spooled = 0;
	while (good && at < lines->spool.size) {
		const char *text = next_line(&window, &at, &bytes);

		good = text;
		if (good)
			add_to_spool(lines, &rest, text, bytes);
	}
	free(window.data);
	spool_free(&lines->spool);
	lines->spool = rest;
	return good;
}

static void move_to_spool(struct last_lines *lines)
{
	size_t i;

	for (i = 0; i < lines->used; i++)
		add_to_spool(lines, &lines->spool, kept(lines, i)->text,
			kept(lines, i)->bytes);
	free_ring(lines);
	lines->spools = true;
}

static bool give_out_spool(struct last_lines *lines, struct output *output)
{
	struct window window = {
		.spool = &lines->spool, .ahead = !lines->newest_first};
	uint64_t left = wanted_of(lines);
	uint64_t at = lines->spool.size;
	bool good = !window.ahead || find_last(lines, left, &at);
	uint64_t bytes;

	for (; good && left > 0 && output->failed == 0; left--) {
		const char *text = next_line(&window, &at, &bytes);

		good = text;
		if (good)
			output_put_chosen(output, text, (size_t)bytes);
	}
	free(window.data);
	return good;
}

/* ---- both ---- */

void last_lines_add(struct last_lines *lines, const char *text, size_t bytes)
{
	lines->added++;
	if (lines->failed)
		return;
	if (!lines->spools) {
		add_to_ring(lines, text, bytes);
		if (lines->memory > MEMORY_MAX)
			move_to_spool(lines);
		return;
	}
	add_to_spool(lines, &lines->spool, text, bytes);
	if (lines->count != LAST_LINES_ALL &&
		lines->spooled / 2 > lines->count && !trim(lines))
		lines->failed = errno;
}

uint64_t last_lines_added(const struct last_lines *lines)
{
	return lines->added;
}

bool last_lines_give_out(struct last_lines *lines, struct output *output)
{
	if (lines->spool.failed && !lines->failed)
		lines->failed = lines->spool.failed;
	errno = lines->failed;
	if (lines->failed)
		return false;
	if (lines->spools)
		return give_out_spool(lines, output);
	give_out_ring(lines, output);
	return true;
}

void last_lines_free(struct last_lines *lines)
{
	if (!lines)
		return;
	free_ring(lines);
	spool_free(&lines->spool);
	free(lines);
}
