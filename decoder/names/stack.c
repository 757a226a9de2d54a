#include "decoder/names/stack.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "decoder/names/frames.h"

/* Of a pool, and no more stacks are kept in it. */
#define KEPT_BYTES_MAX ((size_t)32 << 20)

struct stack {
	struct places *places;
	size_t depth;
	struct render_buffer lines; /* of the stack that is being resolved */
	size_t shown;		    /* frames of it so far */
};

struct stack *stack_new(struct places *places, size_t depth)
{
	struct stack *stack = calloc(1, sizeof(*stack));

	if (!stack)
		return NULL;
	stack->places = places;
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
static void put_place(struct stack *stack, const struct place *place)
{
	if (place->function) {
		put(stack, place->function);
		put_number(stack, "+0x", place->offset, true);
	}
	if (place->function && place->module)
		put(stack, " in ");
	if (place->module)
		put(stack, place->module);
	if (!place->function && place->module)
		put_number(stack, "+0x", place->address, true);
	if (!place->function && !place->module)
		put_number(stack, "0x", place->address + 1, true);
}

static bool put_frame(void *closure, const struct place *place)
{
	struct stack *stack = closure;

	if (stack->shown >= stack->depth)
		return false;
	begin_line(stack);
	if (place->function && strcmp(place->function, PLACES_SIGNAL) == 0) {
		put(stack, place->function);
	} else if (place->function && place->file) {
		put(stack, place->function);
		put(stack, " at ");
		put(stack, place->file);
		put_number(stack, ":", place->line, false);
	} else {
		put_place(stack, place);
	}
	if (place->inlined)
		put(stack, " (inlined)");
	if (place->jumped)
		put(stack, " (tail call)");
	render_buffer_put_byte(&stack->lines, '\n');
	return true;
}

static void resolve_all(struct stack *stack, const struct message *message)
{
	stack->lines.length = 0;
	stack->shown = 0;
	frames_each(stack->places, message, put_frame, stack);
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

void stack_free(struct stack *stack)
{
	if (!stack)
		return;
	render_buffer_free(&stack->lines);
	free(stack);
}
