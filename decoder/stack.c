#include "decoder/stack.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/escape.h"
#include "record/hash.h"
#include "symbolizer/symbolizer.h"

struct stack {
	struct symbolizer *symbolizer;
	size_t depth;
	struct render_buffer lines; /* of the stack that is being resolved */
	size_t shown;		    /* frames of it so far */
	const struct program_module *module;
	uint64_t address; /* in that module's file */
};

static uint64_t hash(const void *data, size_t size)
{
	return binlog_hash(data, size);
}

struct stack *stack_new(size_t depth)
{
	const struct symbolizer_options options = {.hash = hash};
	struct stack *stack = calloc(1, sizeof(*stack));

	if (!stack)
		return NULL;
	stack->depth = depth;
	stack->symbolizer = symbolizer_new(&options);
	if (stack->symbolizer)
		return stack;
	free(stack);
	return NULL;
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

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void put_frame(void *closure, const struct symbolizer_frame *frame)
{
	struct stack *stack = closure;
	const char *module = last_part(stack->module->path);

	if (stack->shown >= stack->depth)
		return;
	begin_line(stack);
	if (frame->function && frame->file) {
		put(stack, frame->function);
		put(stack, " at ");
		put(stack, frame->file);
		put_number(stack, ":", frame->line, false);
	} else if (frame->function) {
		put(stack, frame->function);
		put_number(stack, "+0x", frame->offset, true);
		put(stack, " in ");
		put(stack, module);
	} else {
		put(stack, module);
		put_number(stack, "+0x", stack->address, true);
	}
	if (frame->inlined)
		put(stack, " (inlined)");
	render_buffer_put_byte(&stack->lines, '\n');
}

static void resolve(
	struct stack *stack, const struct program_module *module, uint64_t pc)
{
	const struct symbolizer_module asked = {
		.path = module->path,
		.build_id =
			module->build_id_bytes > 0 ? module->build_id : NULL,
		.build_id_bytes = module->build_id_bytes,
		.file_bytes = module->file_bytes,
		.content_hash = module->content_hash,
	};

	/* A return address is that of the next instruction. */
	stack->module = module;
	stack->address = pc - module->bias - 1;
	symbolizer_resolve(
		stack->symbolizer, &asked, stack->address, put_frame, stack);
}

static void resolve_all(struct stack *stack, const struct message *message)
{
	const struct definition_context *context = message->context;
	size_t i;

	stack->lines.length = 0;
	stack->shown = 0;
	for (i = 0; i < context->depth && stack->shown < stack->depth; i++) {
		uint64_t pc = context->frames[i];
		const struct program_module *module = program_module_at(
			message->program, pc - 1, context->modules);

		if (module) {
			resolve(stack, module, pc);
			continue;
		}
		begin_line(stack);
		put_number(stack, "0x", pc, true);
		render_buffer_put_byte(&stack->lines, '\n');
	}
}

void stack_put(struct stack *stack, const struct message *message,
	struct render_buffer *out)
{
	struct definition_context *context = message->context;

	if (!context->stack) {
		resolve_all(stack, message);
		context->stack = pool_copy(
			message->pool, stack->lines.data, stack->lines.length);
		context->stack_bytes = stack->lines.length;
	}
	if (context->stack)
		render_buffer_put(out, context->stack, context->stack_bytes);
}

void stack_free(struct stack *stack)
{
	if (!stack)
		return;
	symbolizer_free(stack->symbolizer);
	render_buffer_free(&stack->lines);
	free(stack);
}
