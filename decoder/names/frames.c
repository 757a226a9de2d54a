#include "decoder/names/frames.h"

#include <string.h>

struct walk {
	frames_take *take;
	void *closure;
	bool ended;
	bool handed;
	bool beside;
};

static void take_location(void *closure, const struct location *location)
{
	struct walk *walk = closure;
	struct location told = *location;

	told.handed = walk->handed;
	told.beside = walk->beside;
	if (!walk->ended)
		walk->ended = !walk->take(walk->closure, &told);
}

/* Frames of functions between the statement and the call that printed it. */
static size_t skipped(const struct definition_context *context)
{
	return context->statement ? context->statement->skipped : 0;
}

/* What the frames before number `i` of all say of the call that they are in. */
static struct locations_gap gap_before(const struct message *message, size_t i)
{
	const struct definition_context *context = message->context;
	const uint64_t *frames = context->frames - skipped(context);
	struct locations_gap gap = {.next = frames[i]};

	/* A return address is that of the next instruction. */
	if (i > 0)
		gap.inside = frames[i - 1] - 1;
	else if (context->function && context->function->bytes)
		gap.name = context->function->bytes;
	if (context->format)
		gap.argument = context->format->address;
	return gap;
}

void frames_each(struct locations *locations, const struct message *message,
	frames_take *take, void *closure)
{
	const struct definition_context *context = message->context;
	struct walk walk = {.take = take, .closure = closure};
	size_t i;

	for (i = 0; i < skipped(context) + context->depth && !walk.ended; i++) {
		struct locations_gap gap = gap_before(message, i);

		walk.handed = i < skipped(context);
		walk.beside = i == skipped(context) && context->statement &&
			      context->statement->beside;
		if (!walk.beside)
			locations_between(
				locations, message, &gap, take_location, &walk);
		if (!walk.ended)
			locations_find(locations, message, gap.next - 1,
				take_location, &walk);
	}
}

/* Of a demangled name, without what the function returns. */
static const char *name_of(const char *function)
{
	const char *name = function;
	const char *c;
	int depth = 0;

	for (c = function; *c && *c != '('; c++) {
		depth += *c == '<';
		depth -= *c == '>';
		if (*c == ' ' && depth == 0)
			name = c + 1;
		if (strncmp(c, "operator", 8) == 0)
			break;
	}
	return name;
}

/* The streams of C++ are made of functions that print for others. */
static bool is_of_language(const char *function)
{
	const char *name = name_of(function);

	return strncmp(name, "std::", 5) == 0 ||
	       strncmp(name, "__gnu_cxx::", 11) == 0;
}

struct author {
	size_t frames;
	size_t found; /* number of the frame */
	void (*take)(void *closure, const struct location *location);
	void *closure;
};

static bool look_for_author(void *closure, const struct location *location)
{
	struct author *author = closure;

	if (!location->handed && !location->wrapper &&
		!(location->function && is_of_language(location->function))) {
		author->found = author->frames;
		return false;
	}
	author->frames++;
	return true;
}

static bool tell_author(void *closure, const struct location *location)
{
	struct author *author = closure;

	if (author->frames++ < author->found)
		return true;
	author->take(author->closure, location);
	return false;
}

void frames_author(struct locations *locations, const struct message *message,
	void (*take)(void *closure, const struct location *location),
	void *closure)
{
	struct author author = {.take = take, .closure = closure};

	frames_each(locations, message, look_for_author, &author);
	author.frames = 0;
	frames_each(locations, message, tell_author, &author);
}
