#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/escape.h"
#include "base/json_text.h"
#include "base/limits.h"
#include "base/literal.h"
#include "decoder/message/site_table.h"
#include "decoder/names/frames.h"
#include "decoder/output/style.h"

/* What is shown: stacks with the same names are one. */
struct line {
	const char *text;
	size_t bytes;
	uint64_t calls;
	struct line *collides;
};

/* As recorded: each is given names once. */
struct recorded {
	const struct site *site;
	uint32_t pid;
	size_t depth;
	const uint64_t *frames;
	struct line *line;
	struct recorded *collides;
};

struct folded {
	struct style_settings settings;
	struct site_table sites;
	struct id_map stacks;
	struct id_map lines;
	struct pool pool;
	struct line **all;
	size_t count;
	size_t room;
	size_t stack_count;
	struct line rest;
	bool failed;
	struct render_buffer text;  /* of a line */
	struct render_buffer names; /* of its frames, the innermost first */
	size_t ends[LIMITS_STACK_NAMES]; /* of each in `names` */
	size_t name_count;
};

void *style_folded_begin(const struct style_settings *settings)
{
	struct folded *folded = calloc(1, sizeof(*folded));

	if (!folded)
		return NULL;
	folded->settings = *settings;
	folded->sites.most = limits_size(LIMIT_STACKS);
	return folded;
}

/* A semicolon would end it. */
static void put_name(struct render_buffer *out, const char *name, size_t bytes)
{
	size_t start = out->length;
	char *semicolon;

	escape_put(out, name, bytes, ESCAPE_NEWLINE);
	while (out->length > start && (semicolon = memchr(out->data + start,
					       ';', out->length - start)))
		*semicolon = ':';
}

static bool take_frame(void *closure, const struct location *location)
{
	struct folded *folded = closure;
	struct render_buffer *out = &folded->names;
	char address[24];

	if (location->beside)
		return true;
	if (folded->name_count == folded->settings.options->depth ||
		limits_reached(LIMIT_STACK_NAMES, folded->name_count))
		return false;
	if (location->function) {
		put_name(out, location->function, strlen(location->function));
	} else {
		if (location->module)
			put_name(out, location->module,
				strlen(location->module));
		snprintf(address, sizeof(address), "+0x%" PRIx64,
			location->address);
		render_buffer_put(out, address, strlen(address));
	}
	folded->ends[folded->name_count++] = out->length;
	return true;
}

/* The outermost first, and at last what was said. */
static void put_line(struct folded *folded, const struct message *message)
{
	const struct definition_string *function = message->context->function;
	const struct definition_string *format = message_statement(message);
	struct render_buffer *out = &folded->text;
	struct render_buffer *names = &folded->names;
	size_t i;

	out->length = names->length = 0;
	folded->name_count = 0;
	frames_each(folded->settings.locations, message, take_frame, folded);
	put_name(out, message->program->name, strlen(message->program->name));
	for (i = folded->name_count; i > 0; i--) {
		size_t start = i > 1 ? folded->ends[i - 2] : 0;
		size_t bytes = folded->ends[i - 1] - start;

		render_buffer_put_byte(out, ';');
		if (bytes > 0)
			render_buffer_put(out, names->data + start, bytes);
	}
	render_buffer_put_byte(out, ';');
	names->length = 0;
	if (format)
		literal_put(names, format->bytes, format->length);
	else if (function && function->bytes)
		render_buffer_put(names, function->bytes, function->length);
	put_name(out, names->data, names->length);
}

/* That with the text; null: out of memory. */
static struct line *find_line(struct folded *folded)
{
	const struct render_buffer *text = &folded->text;
	uint64_t hash =
		seeded_hash(seeded_hash_start, text->data, text->length);
	struct line *first;
	struct line *line;

	first = id_map_find(&folded->lines, (uint32_t)hash);
	for (line = first; line; line = line->collides)
		if (line->bytes == text->length &&
			memcmp(line->text, text->data, line->bytes) == 0)
			return line;
	line = pool_take(&folded->pool, sizeof(*line));
	if (!line ||
		!array_reserve(folded->all, folded->room, folded->count + 1))
		return NULL;
	*line = (struct line){
		.text = pool_copy(&folded->pool, text->data, text->length),
		.bytes = text->length,
		.collides = first,
	};
	if (!line->text || !id_map_set(&folded->lines, (uint32_t)hash, line))
		return NULL;
	folded->all[folded->count++] = line;
	return line;
}

static bool is_same(const struct recorded *stack, const struct site *site,
	const struct message *message)
{
	const struct definition_context *context = message->context;

	return stack->site == site && stack->pid == message->pid &&
	       stack->depth == context->depth &&
	       (stack->depth == 0 ||
		       memcmp(stack->frames, context->frames,
			       stack->depth * sizeof(stack->frames[0])) == 0);
}

/* Null: out of memory. */
static struct recorded *add_stack(struct folded *folded,
	const struct site *site, const struct message *message)
{
	const struct definition_context *context = message->context;
	size_t bytes = context->depth * sizeof(context->frames[0]);
	struct recorded *stack = pool_take(&folded->pool, sizeof(*stack));
	uint64_t *frames = pool_take(&folded->pool, bytes);

	if (!stack || !frames)
		return NULL;
	if (bytes > 0)
		memcpy(frames, context->frames, bytes);
	*stack = (struct recorded){
		.site = site,
		.pid = message->pid,
		.depth = context->depth,
		.frames = frames,
	};
	put_line(folded, message);
	stack->line = find_line(folded);
	folded->stack_count++;
	return stack->line ? stack : NULL;
}

/* Null: there are too many, or out of memory. */
static struct line *line_of(
	struct folded *folded, const struct message *message)
{
	const struct definition_context *context = message->context;
	struct site *site = site_table_find(&folded->sites, message);
	uint64_t hash = seeded_hash_word(seeded_hash_start, message->pid);
	struct recorded *first;
	struct recorded *stack;
	size_t i;

	if (!site) {
		limits_note(LIMIT_STACKS);
		return NULL;
	}
	hash = seeded_hash_word(hash, site->number);
	for (i = 0; i < context->depth; i++)
		hash = seeded_hash_word(hash, context->frames[i]);
	first = id_map_find(&folded->stacks, (uint32_t)(hash >> 16));
	for (stack = first; stack; stack = stack->collides)
		if (is_same(stack, site, message))
			return stack->line;
	if (limits_reached(LIMIT_STACKS, folded->stack_count) ||
		limits_exceeded(LIMIT_STACK_BYTES, folded->pool.bytes))
		return NULL;
	stack = add_stack(folded, site, message);
	if (stack)
		stack->collides = first;
	if (stack && id_map_set(&folded->stacks, (uint32_t)(hash >> 16), stack))
		return stack->line;
	folded->failed = true;
	return NULL;
}

void style_folded_message(void *state, const struct message *message)
{
	struct folded *folded = state;
	struct line *line;

	if (message_is_event(message) || message->continues)
		return;
	line = line_of(folded, message);
	if (line)
		line->calls++;
	else
		folded->rest.calls++;
}

static int compare(const void *a, const void *b)
{
	const struct line *one = *(struct line *const *)a;
	const struct line *other = *(struct line *const *)b;
	size_t least = one->bytes < other->bytes ? one->bytes : other->bytes;
	int order = memcmp(one->text, other->text, least);

	return order ? order
		     : (one->bytes > other->bytes) -
			       (one->bytes < other->bytes);
}

static void put_count(struct folded *folded, const struct line *line)
{
	struct render_buffer *out = &folded->settings.output->text;

	render_buffer_put(out, line->text, line->bytes);
	render_buffer_put_byte(out, ' ');
	json_text_unsigned(out, line->calls);
	render_buffer_put_byte(out, '\n');
	output_settle(folded->settings.output);
}

void style_folded_end(void *state)
{
	struct folded *folded = state;
	size_t i;

	if (folded->count > 0)
		qsort(folded->all, folded->count, sizeof(struct line *),
			compare);
	for (i = 0; i < folded->count; i++)
		put_count(folded, folded->all[i]);
	folded->rest.text = "(all other stacks)";
	folded->rest.bytes = strlen(folded->rest.text);
	if (folded->rest.calls > 0)
		put_count(folded, &folded->rest);
	if (folded->failed || folded->sites.failed)
		folded->settings.output->text.failed = true;
	site_table_free(&folded->sites);
	id_map_free(&folded->stacks);
	id_map_free(&folded->lines);
	pool_free(&folded->pool);
	render_buffer_free(&folded->text);
	render_buffer_free(&folded->names);
	free(folded->all);
	free(folded);
}
