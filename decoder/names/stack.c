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

struct stack {
	struct locations *locations;
	size_t depth;
	struct render_buffer lines; /* of the stack that is being resolved */
	size_t shown;		    /* frames of it so far */
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

static bool put_frame(void *closure, const struct location *location)
{
	struct stack *stack = closure;

	if (stack->shown >= stack->depth)
		return false;
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
	frames_each(stack->locations, message, put_frame, stack);
}

void stack_put(struct stack *stack, const struct message *message,
	struct render_buffer *out)
{
	struct definition_context *context = message->context;

	if (context->stack) {
		render_buffer_put(out, context->stack, context->stack_bytes);
		return;
	}
	resolve_all(stack, message);
	render_buffer_put(out, stack->lines.data, stack->lines.length);
	if (message->pool->bytes > KEPT_BYTES_MAX)
		return;
	context->stack = pool_copy(
		message->pool, stack->lines.data, stack->lines.length);
	context->stack_bytes = stack->lines.length;
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
