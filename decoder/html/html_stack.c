#include "decoder/html/html_stack.h"

#include <string.h>

#include "base/digits.h"
#include "base/limits.h"
#include "decoder/html/html_json.h"
#include "decoder/names/frames.h"

/* Where a frame's two names end in `names`. */
struct ends {
	size_t function;
	size_t place;
};

static void put(struct render_buffer *out, const char *string)
{
	render_buffer_put(
		out, string, limits_cut(LIMIT_HTML_TEXT, strlen(string)));
}

static void put_hexadecimal(struct render_buffer *out, uint64_t number)
{
	static const char digits[] = "0123456789abcdef";
	int shift = 60;

	put(out, "0x");
	while (shift > 0 && number >> shift == 0)
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		render_buffer_put_byte(out, digits[number >> shift & 15]);
}

static void put_function(struct render_buffer *out, const struct place *place)
{
	if (place->function) {
		put(out, place->function);
		if (place->inlined)
			put(out, " (inlined)");
		return;
	}
	if (place->module) {
		put(out, place->module);
		put(out, "+");
	}
	put_hexadecimal(out, place->address);
}

static void put_where(struct render_buffer *out, const struct place *place)
{
	char line[DIGITS_U64_MAX];

	if (place->file) {
		put(out, place->file);
		put(out, ":");
		render_buffer_put(out, line,
			(size_t)(digits_write(line, place->line) - line));
	} else if (place->module) {
		put(out, place->module);
	}
}

static bool take_frame(void *closure, const struct place *place)
{
	struct html_stack *stack = closure;
	struct ends ends;

	if (stack->ends.length / sizeof(ends) >= stack->depth)
		return false;
	put_function(&stack->names, place);
	ends.function = stack->names.length;
	put_where(&stack->names, place);
	ends.place = stack->names.length;
	render_buffer_put(&stack->ends, &ends, sizeof(ends));
	return true;
}

static void describe(struct html_stack *stack, uint32_t parent,
	const char *function, const struct ends *ends, size_t start)
{
	struct render_buffer *json = &stack->json;

	html_json_put_plain(json, json->length > 0 ? ",\n[" : "[");
	html_json_put_number(json, parent);
	html_json_put_plain(json, ",");
	html_json_put_text(json, function, ends->function - start);
	html_json_put_plain(json, ",");
	html_json_put_text(json, function + (ends->function - start),
		ends->place - ends->function);
	html_json_put_plain(json, "]");
}

/* The frame that has these names below `parent`. */
static uint32_t enter(struct html_stack *stack, struct render_buffer *key,
	uint32_t parent, const struct ends *ends, size_t start)
{
	const char *names = render_buffer_from(&stack->names, start);
	uint32_t split = (uint32_t)(ends->function - start);
	uint32_t number;
	bool new;

	key->length = 0;
	render_buffer_put(key, &parent, sizeof(parent));
	render_buffer_put(key, &split, sizeof(split));
	render_buffer_put(key, names, ends->place - start);
	if (key->failed)
		return HTML_INTERN_NONE;
	number = html_intern_add(&stack->frames, key->data, key->length, &new);
	if (new &&number != HTML_INTERN_NONE)
		describe(stack, parent, names, ends, start);
	return number;
}

uint32_t html_stack_of(struct html_stack *stack, const struct message *message)
{
	struct render_buffer key = {0};
	uint32_t parent = 0;
	size_t count;

	if (!stack->places)
		return 0;
	stack->names.length = stack->ends.length = 0;
	frames_each(stack->places, message, take_frame, stack);
	if (stack->names.failed || stack->ends.failed)
		return 0;
	for (count = stack->ends.length / sizeof(struct ends); count > 0;
		count--) {
		struct ends ends[2] = {{0, 0}, {0, 0}};
		size_t first = count > 1 ? count - 2 : 0;
		size_t pair = count > 1 ? 2 : 1;
		uint32_t number;

		memcpy(ends + (2 - pair),
			stack->ends.data + first * sizeof(*ends),
			pair * sizeof(*ends));
		number = enter(stack, &key, parent, &ends[1], ends[0].place);
		if (number == HTML_INTERN_NONE)
			break;
		parent = number + 1;
	}
	render_buffer_free(&key);
	return parent;
}

void html_stack_free(struct html_stack *stack)
{
	html_intern_free(&stack->frames);
	render_buffer_free(&stack->json);
	render_buffer_free(&stack->names);
	render_buffer_free(&stack->ends);
}
