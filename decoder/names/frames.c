#include "decoder/names/frames.h"

#include <string.h>

struct walk {
	frames_take *take;
	void *closure;
	bool ended;
};

static void take_place(void *closure, const struct place *place)
{
	struct walk *walk = closure;

	if (!walk->ended)
		walk->ended = !walk->take(walk->closure, place);
}

/* What the frames before number `i` say of the call that they are in. */
static struct places_gap gap_before(const struct message *message, size_t i)
{
	const struct definition_context *context = message->context;
	struct places_gap gap = {.next = context->frames[i]};

	/* A return address is that of the next instruction. */
	if (i > 0)
		gap.inside = context->frames[i - 1] - 1;
	else if (context->function && context->function->bytes)
		gap.name = context->function->bytes;
	if (context->format)
		gap.argument = context->format->address;
	return gap;
}

void frames_each(struct places *places, const struct message *message,
	frames_take *take, void *closure)
{
	const struct definition_context *context = message->context;
	struct walk walk = {.take = take, .closure = closure};
	size_t i;

	for (i = 0; i < context->depth && !walk.ended; i++) {
		struct places_gap gap = gap_before(message, i);

		places_between(places, message, &gap, take_place, &walk);
		if (!walk.ended)
			places_find(places, message, gap.next - 1, take_place,
				&walk);
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
	void (*take)(void *closure, const struct place *place);
	void *closure;
};

static bool look_for_author(void *closure, const struct place *place)
{
	struct author *author = closure;

	if (!place->wrapper &&
		!(place->function && is_of_language(place->function))) {
		author->found = author->frames;
		return false;
	}
	author->frames++;
	return true;
}

static bool tell_author(void *closure, const struct place *place)
{
	struct author *author = closure;

	if (author->frames++ < author->found)
		return true;
	author->take(author->closure, place);
	return false;
}

void frames_author(struct places *places, const struct message *message,
	void (*take)(void *closure, const struct place *place), void *closure)
{
	struct author author = {.take = take, .closure = closure};

	frames_each(places, message, look_for_author, &author);
	author.frames = 0;
	frames_each(places, message, tell_author, &author);
}
