#include "decoder/names/stack.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/link.h"
#include "decoder/names/frames.h"

/* Of a pool, and no more stacks are kept in it. */
#define KEPT_BYTES_MAX ((size_t)32 << 20)

/* Frames of libc that are the last ones so far. */
struct start {
	size_t frames;
	size_t first; /* its number */
	size_t at;    /* in `lines` */
	bool of_thread;
	bool is_main;	  /* __libc_start_main is among them */
	bool is_nameless; /* all of them: they may be others */
};

struct stack {
	struct locations *locations;
	size_t depth;
	struct render_buffer lines; /* of the stack that is being resolved */
	size_t shown;		    /* frames of it so far */
	bool folds;
	struct start start;
};

struct stack *stack_new(struct locations *locations, size_t depth)
{
	struct stack *stack = calloc(1, sizeof(*stack));

	if (!stack)
		return NULL;
	stack->locations = locations;
	stack->depth = depth;
	return stack;
}

static void put(struct stack *stack, const char *string)
{
	escape_put(&stack->lines, string, strlen(string), ESCAPE_NEWLINE);
}

static void put_number(struct stack *stack, const char *before, uint64_t number,
	bool hexadecimal)
{
	char digits[24];

	snprintf(digits, sizeof(digits), hexadecimal ? "%" PRIx64 : "%" PRIu64,
		number);
	put(stack, before);
	put(stack, digits);
}

static void begin_line(struct stack *stack)
{
	put_number(stack, "    #", stack->shown++, false);
	put(stack, " ");
}

/* What is known of an address without a line. */
static void put_location(struct stack *stack, const struct location *location)
{
	if (location->function) {
		put(stack, location->function);
		put_number(stack, "+0x", location->offset, true);
	}
	if (location->function && location->module)
		put(stack, " in ");
	if (location->module)
		put(stack, location->module);
	if (!location->function && location->module)
		put_number(stack, "+0x", location->address, true);
	if (!location->function && !location->module)
		put_number(stack, "0x", location->address + 1, true);
}

void stack_fold_start(struct stack *stack)
{
	stack->folds = true;
}

static bool is_of_libc(const struct location *location)
{
	const char *module = location->module;
	const char *slash = module ? strrchr(module, '/') : NULL;

	if (slash)
		module = slash + 1;
	return module && (strncmp(module, "libc.so", 7) == 0 ||
				 strncmp(module, "libc-2", 6) == 0 ||
				 strncmp(module, "libpthread", 10) == 0);
}

static bool is_thread_start(const char *function)
{
	static const char *const names[] = {"start_thread", "clone", "clone3",
		"__clone", "__clone3", "__GI___clone", "__GI___clone3",
		"thread_start"};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(function, names[i]) == 0)
			return true;
	return false;
}

/* It is one of those with which libc begins, as far as that can be known. */
static bool begins(const struct start *start, const struct location *location)
{
	const char *function = location->function;

	if (!function)
		return start->is_main || is_of_libc(location);
	return strcmp(function, "_start") == 0 ||
	       (is_of_libc(location) &&
		       (strncmp(function, "__libc_start_", 13) == 0 ||
			       is_thread_start(function)));
}

/* Before its line is put.  A frame without a name begins what one with a name
 * goes on with. */
static void note_start(struct stack *stack, const struct location *location)
{
	struct start *start = &stack->start;
	const char *function = location->function;

	if (!begins(start, location)) {
		*start = (struct start){0};
		return;
	}
	if (start->frames == 0 || (!function && start->is_nameless))
		*start = (struct start){.first = stack->shown,
			.at = stack->lines.length,
			.is_nameless = true};
	start->frames++;
	start->is_nameless &= !function;
	start->is_main |=
		function && strncmp(function, "__libc_start_main", 17) == 0;
	start->of_thread |= function && is_thread_start(function);
}

/* When all frames are there. */
static void fold_start(struct stack *stack)
{
	const struct start *start = &stack->start;

	if (!stack->folds || start->frames < 2 || start->is_nameless)
		return;
	stack->lines.length = start->at;
	put_number(stack, "    #", start->first, false);
	put_number(stack, " to #", start->first + start->frames - 1, false);
	put(stack, ": libc, starting the ");
	put(stack, start->of_thread ? "thread" : "program");
	render_buffer_put_byte(&stack->lines, '\n');
}

static bool put_frame(void *closure, const struct location *location)
{
	struct stack *stack = closure;

	if (stack->shown >= stack->depth)
		return false;
	note_start(stack, location);
	begin_line(stack);
	if (location->function &&
		strcmp(location->function, LOCATIONS_SIGNAL) == 0) {
		put(stack, location->function);
	} else if (location->function && location->file) {
		put(stack, location->function);
		put(stack, " at ");
		link_begin(&stack->lines, location->file, location->line);
		put(stack, location->file);
		put_number(stack, ":", location->line, false);
		link_end(&stack->lines, location->file);
	} else {
		put_location(stack, location);
	}
	if (location->inlined)
		put(stack, " (inlined)");
	if (location->jumped)
		put(stack, " (tail call)");
	if (location->handed)
		put(stack, " (hands the text on)");
	if (location->beside)
		put(stack, " (not on this stack: told by the text)");
	render_buffer_put_byte(&stack->lines, '\n');
	return true;
}

static void resolve_all(struct stack *stack, const struct message *message)
{
	stack->lines.length = 0;
	stack->shown = 0;
	stack->start = (struct start){0};
	frames_each(stack->locations, message, put_frame, stack);
	fold_start(stack);
}

/* What a context keeps of it. */
struct stack_text {
	size_t size;
	char bytes[];
};

void stack_put(struct stack *stack, const struct message *message,
	struct render_buffer *out)
{
	struct definition_context *context = message->context;
	size_t size;
	struct stack_text *text = context->stack;

	if (text) {
		render_buffer_put(out, text->bytes, text->size);
		return;
	}
	resolve_all(stack, message);
	render_buffer_put(out, stack->lines.data, stack->lines.length);
	if (message->pool->bytes > KEPT_BYTES_MAX)
		return;
	size = stack->lines.length;
	text = pool_take(message->pool, sizeof(*text) + size);
	if (!text)
		return;
	text->size = size;
	if (size > 0)
		memcpy(text->bytes, stack->lines.data, size);
	context->stack = text;
}

static void put_creator(
	struct stack *stack, const struct message *message, size_t i)
{
	const struct message_creator *creator = &message->origin->by[i];
	bool forked = message_was_forked(message, i);

	stack->lines.length = 0;
	put_number(stack,
		forked ? "    forked by thread " : "    created by thread ",
		creator->tid, false);
	if (*creator->name) {
		put(stack, " (");
		put(stack, creator->name);
		put(stack, ")");
	}
	if (forked)
		put_number(stack, " of process ", creator->pid, false);
	put(stack, creator->context ? ":" : "");
	render_buffer_put_byte(&stack->lines, '\n');
}

void stack_put_origin(struct stack *stack, const struct message *message,
	struct render_buffer *out)
{
	const struct message_origin *origin = message->origin;
	size_t i;

	for (i = 0; origin && i < origin->count; i++) {
		struct message creation;

		put_creator(stack, message, i);
		render_buffer_put(out, stack->lines.data, stack->lines.length);
		if (!origin->by[i].context)
			continue;
		creation = message_of_creator(message, &origin->by[i]);
		stack_put(stack, &creation, out);
	}
}

void stack_free(struct stack *stack)
{
	if (!stack)
		return;
	render_buffer_free(&stack->lines);
	free(stack);
}
