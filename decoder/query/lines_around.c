#include "decoder/query/lines_around.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "decoder/query/grep.h"

struct held {
	char *text;
	size_t bytes;
	struct held *next;
};

struct lines_around {
	struct grep *grep;
	uint32_t context;
	bool hit;	/* the pattern is in what comes next */
	uint32_t after; /* so many lines are shown whatever they say */
	bool any;	/* was shown */
	bool gap;	/* lines were not shown since */
	bool failed;
	struct held *first; /* not shown, but may be */
	struct held **end;
	uint32_t count;
	size_t bytes;
};

struct lines_around *lines_around_new(
	const char *pattern, uint32_t context, char *problem, size_t size)
{
	struct lines_around *around = calloc(1, sizeof(*around));

	if (!around)
		return NULL;
	around->grep = grep_new(pattern, problem, size);
	around->context = context;
	around->end = &around->first;
	if (around->grep)
		return around;
	free(around);
	return NULL;
}

void lines_around_look(
	struct lines_around *around, const char *text, size_t bytes)
{
	around->hit = grep_finds(around->grep, text, bytes);
}

static void drop_first(struct lines_around *around)
{
	struct held *held = around->first;

	around->first = held->next;
	if (!around->first)
		around->end = &around->first;
	around->count--;
	around->bytes -= held->bytes;
	free(held->text);
	free(held);
}

static void hold(struct lines_around *around, const char *line, size_t bytes)
{
	struct held *held;

	while (around->count > 0 &&
		(around->count >= around->context ||
			around->bytes > limits_size(LIMIT_AROUND_BYTES))) {
		drop_first(around);
		around->gap = true;
	}
	if (around->context == 0) {
		around->gap = true;
		return;
	}
	held = calloc(1, sizeof(*held));
	if (held)
		held->text = malloc(bytes + 1);
	if (!held || !held->text) {
		free(held);
		around->failed = true;
		return;
	}
	memcpy(held->text, line, bytes);
	held->bytes = bytes;
	*around->end = held;
	around->end = &held->next;
	around->count++;
	around->bytes += bytes;
}

static void show_held(struct lines_around *around, lines_around_put *put,
	struct output *output)
{
	if (around->any && around->gap)
		put(output, "--\n", 3);
	while (around->first) {
		put(output, around->first->text, around->first->bytes);
		drop_first(around);
	}
	around->gap = false;
	around->any = true;
}

void lines_around_add(struct lines_around *around, const char *line,
	size_t bytes, lines_around_put *put, struct output *output)
{
	bool hit = around->hit;

	around->hit = false;
	if (!hit && around->after == 0) {
		hold(around, line, bytes);
		return;
	}
	if (hit)
		show_held(around, put, output);
	around->after = hit ? around->context : around->after - 1;
	put(output, line, bytes);
}

bool lines_around_is_good(const struct lines_around *around)
{
	return !around->failed;
}

void lines_around_free(struct lines_around *around)
{
	if (!around)
		return;
	while (around->first)
		drop_first(around);
	grep_free(around->grep);
	free(around);
}
