#include "decoder/show/line_place.h"

#include <string.h>

#include "base/escape.h"
#include "base/link.h"
#include "base/readlimits.h"
#include "base/text_width.h"
#include "decoder/capture/handed_texts.h"
#include "decoder/names/frames.h"
#include "decoder/output/colors.h"
#include "decoder/statements/statements.h"

/* In memory, of a program or library whose code is looked through. */
#define QUICK_BYTES ((uint64_t)32 << 20)

#define GAP 2u /* between a line and its place, at least */

/* Of contexts that have none. */
static struct line_place nowhere;

struct making {
	struct render_buffer function;
	struct render_buffer line;
	struct render_buffer path;
	unsigned number;
};

/* Without what it takes: of `name<T>::of(int) const` it is `name<T>::of`. */
static size_t name_bytes(const char *function)
{
	static const char unnamed[] = "(anonymous namespace)";
	const char *c = function;
	int depth = 0;

	while (*c && strncmp(c, "operator", 8) != 0) {
		if (strncmp(c, unnamed, sizeof(unnamed) - 1) == 0) {
			c += sizeof(unnamed) - 1;
			continue;
		}
		if (*c == '(' && depth == 0 && c > function)
			return (size_t)(c - function);
		depth += *c == '<';
		depth -= *c == '>';
		c++;
	}
	return strlen(function);
}

static void take(void *closure, const struct location *location)
{
	struct making *making = closure;
	const char *slash =
		location->file ? strrchr(location->file, '/') : NULL;
	const char *name = slash ? slash + 1 : location->file;

	if (location->function)
		escape_put(&making->function, location->function,
			name_bytes(location->function), ESCAPE_NEWLINE);
	if (!location->file || !location->line)
		return;
	escape_put(&making->line, name, strlen(name), ESCAPE_NEWLINE);
	render_buffer_put_byte(&making->line, ':');
	render_buffer_put_number(&making->line, location->line);
	render_buffer_put_string(&making->path, location->file);
	making->number = location->line;
}

/* Of a buffer, which is freed.  Null: out of memory. */
static const char *keep(struct render_buffer *from, struct pool *pool)
{
	const char *kept =
		from->failed ? NULL
			     : pool_copy(pool, render_buffer_from(from, 0),
				       from->length);

	render_buffer_free(from);
	return kept;
}

static struct line_place *look_up(
	const struct line_places *places, const struct message *message)
{
	struct line_place *place = pool_take(message->pool, sizeof(*place));
	struct making making = {0};

	if (!place)
		return NULL;
	frames_author(places->locations, message, take, &making);
	*place = (struct line_place){
		.function_bytes = making.function.length,
		.function_width =
			text_width(render_buffer_from(&making.function, 0),
				making.function.length),
		.line_bytes = making.line.length,
		.line_width = text_width(render_buffer_from(&making.line, 0),
			making.line.length),
		.path_bytes = making.path.length,
		.number = making.number,
	};
	place->function = keep(&making.function, message->pool);
	place->line = keep(&making.line, message->pool);
	place->path = keep(&making.path, message->pool);
	if (!place->function || !place->line || !place->path)
		return NULL;
	return place->function_bytes + place->line_bytes > 0 ? place : &nowhere;
}

/*
 * Statements are looked for in the code of all that the stack leads through,
 * which takes seconds for the largest libraries there are: too long for what
 * nobody has asked for.
 */
static bool is_quick(const struct message *message)
{
	const struct definition_context *context = message->context;
	size_t i;

	for (i = 0; i < context->depth && i < HANDED_FRAMES_MAX; i++) {
		const struct program_module *module =
			program_module_at(message->program,
				context->frames[i] - 1, context->modules);

		if (module && module->end - module->start > QUICK_BYTES)
			return false;
	}
	return true;
}

/* What nobody has asked for may be missing. */
static void forget(void *closure, enum readlimit limit, const char *path)
{
	(void)closure;
	(void)limit;
	(void)path;
}

static const struct line_place *find(
	const struct line_places *places, const struct message *message)
{
	if (places->statements && is_quick(message))
		message = statements_apply(places->statements, message);
	if (!message->context->place)
		message->context->place = look_up(places, message);
	return message->context->place == &nowhere ? NULL
						   : message->context->place;
}

const struct line_place *line_place_of(
	const struct line_places *places, const struct message *message)
{
	const struct line_place *place;

	/* what nobody has recorded has no call sites */
	if (message->capture->text)
		return NULL;
	readlimits_delegate(forget, NULL);
	place = find(places, message);
	readlimits_delegate(NULL, NULL);
	return place;
}

void line_place_save(const struct line_place *place, struct render_buffer *out)
{
	if (!place)
		place = &nowhere;
	render_buffer_put(out, (const char *)place, sizeof(*place));
	render_buffer_put(out, place->function, place->function_bytes);
	render_buffer_put(out, place->line, place->line_bytes);
	render_buffer_put(out, place->path, place->path_bytes);
	render_buffer_put_byte(out, '\0');
}

size_t line_place_load(struct line_place *place, const char *bytes, size_t size)
{
	size_t whole = sizeof(*place);

	*place = nowhere;
	if (size < whole)
		return 0;
	memcpy(place, bytes, sizeof(*place));
	place->function = bytes + whole;
	place->line = place->function + place->function_bytes;
	place->path = place->line + place->line_bytes;
	whole += place->function_bytes + place->line_bytes + place->path_bytes +
		 1;
	if (size >= whole)
		return whole;
	*place = nowhere; /* there was no memory for it */
	return 0;
}

size_t line_place_columns(const char *line, size_t bytes)
{
	size_t columns = 0;
	const char *tab;

	while ((tab = bytes > 0 ? memchr(line, '\t', bytes) : NULL)) {
		columns += text_width(line, (size_t)(tab - line));
		columns += text_width_tab(columns);
		bytes -= (size_t)(tab + 1 - line);
		line = tab + 1;
	}
	return columns + text_width(line, bytes);
}

/* Either may be left out, not both. */
static void put(const struct line_place *place, bool named, bool lined,
	struct render_buffer *out)
{
	if (named)
		render_buffer_put(out, place->function, place->function_bytes);
	if (named && lined)
		render_buffer_put_byte(out, ' ');
	if (!lined)
		return;
	link_begin(out, place->path, place->number);
	render_buffer_put(out, place->line, place->line_bytes);
	link_end(out, place->path);
}

void line_place_put(const struct line_place *place,
	const struct line_place_room *room, struct render_buffer *out)
{
	const bool lined = place->line_bytes > 0;
	bool named = place->function_bytes > 0 &&
		     (room->width >= LINE_PLACE_WIDTH || !lined);
	size_t columns = place->line_width;

	if (named)
		columns += place->function_width + lined;
	if (named && lined && room->used + GAP + columns > room->width) {
		named = false;
		columns = place->line_width;
	}
	if (columns == 0 || room->used + GAP + columns > room->width)
		return;
	render_buffer_fill(out, ' ', room->width - room->used - columns);
	if (room->color)
		render_buffer_put_string(out, COLORS_DIM);
	put(place, named, lined, out);
	if (room->color)
		render_buffer_put_string(out, COLORS_END);
}
