#include "tools/symbolize/stack_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/json_text.h"
#include "tools/frames/frame_line.h"
#include "tools/frames/json_stack.h"

/* Longer names are none, and would not fit into a question. */
#define NAME_BYTES_MAX 32768

/* The answer to one question, and how it is to be written. */
struct answer {
	struct stack_text *text;
	void (*put)(struct answer *answer, const struct symbolizer_frame *now);
	const struct frame_line *line; /* that is asked about, or */
	const struct json_frame *json;
	size_t frames; /* that were written */
};

static void take_frame(void *closure, const struct symbolizer_frame *now)
{
	struct answer *answer = closure;

	/* of a function alone no more is said than there is */
	if (!now->function ||
		(!now->file && answer->line && answer->line->function))
		return;
	answer->put(answer, now);
	answer->frames++;
}

static void complain_of_no_file(
	struct stack_text *text, const struct modules_place *place)
{
	char *sentence;

	if (asprintf(&sentence,
		    "%s: no names: no file of this name is in the directories "
		    "that are searched: say where it is by --path-map=%s=PATH",
		    place->name, place->name) < 0)
		return;
	text->complain(text->closure, sentence);
	free(sentence);
}

/*
 * Asks for what is in the module of this name, which ends in NUL as the one of
 * the function does; null: the offset is in the module.
 */
static void ask(struct answer *answer, const char *name, const char *function,
	uint64_t offset)
{
	struct stack_text *text = answer->text;
	struct modules_place *place = modules_find(text->modules, name);
	struct symbolizer_module module = {0};
	const char *sentence;

	if (place && !place->path && !place->told)
		complain_of_no_file(text, place);
	if (place && !place->path)
		place->told = true;
	if (!place || !place->path)
		return;
	module.path = place->path;
	sentence = function
			   ? symbolizer_resolve_named(text->symbolizer, &module,
				     function, offset, take_frame, answer)
			   : symbolizer_resolve(text->symbolizer, &module,
				     offset, take_frame, answer);
	if (!sentence || place->told)
		return;
	place->told = true;
	text->complain(text->closure, sentence);
}

/* With a NUL behind it.  False: it has one within. */
static bool put_name(struct render_buffer *to, const char *name, size_t bytes)
{
	to->length = 0;
	render_buffer_put(to, name, bytes);
	render_buffer_put_byte(to, '\0');
	return !to->failed && bytes <= NAME_BYTES_MAX &&
	       !memchr(name, '\0', bytes);
}

static void put_escaped(struct render_buffer *out, const char *text)
{
	escape_put(out, text, strlen(text), ESCAPE_NEWLINE);
}

static void put_number(struct render_buffer *out, uint64_t number)
{
	char digits[24];

	render_buffer_put(out, digits,
		(size_t)snprintf(digits, sizeof(digits), "%" PRIx64, number));
}

/* As binlog-show does where it has the names. */
static void put_line_frame(
	struct answer *answer, const struct symbolizer_frame *now)
{
	struct stack_text *text = answer->text;
	const struct frame_line *asked = answer->line;
	struct render_buffer *out = &text->out;

	if (answer->frames > 0) {
		text->added++;
		render_buffer_put_byte(out, '\n');
	}
	render_buffer_put(out, asked->before, asked->before_bytes);
	render_buffer_put_number(out, asked->number + text->added);
	render_buffer_put_byte(out, ' ');
	put_escaped(out, now->function);
	if (now->file && now->line > 0) {
		render_buffer_put_string(out, " at ");
		put_escaped(out, now->file);
		render_buffer_put_byte(out, ':');
		render_buffer_put_number(out, now->line);
	} else {
		render_buffer_put_string(out, "+0x");
		put_number(out, now->offset);
		render_buffer_put_string(out, " in ");
		render_buffer_put(out, asked->module, asked->module_bytes);
	}
	if (now->inlined)
		render_buffer_put_string(out, " (inlined)");
	render_buffer_put(out, asked->after, asked->after_bytes);
}

/* It stays what it was, but for its number. */
static void put_same(struct stack_text *text, const struct frame_line *frame,
	const struct line *line)
{
	const char *rest = line->text + frame->before_bytes;

	render_buffer_put(&text->out, line->text, frame->before_bytes);
	if (text->added > 0) {
		render_buffer_put_number(
			&text->out, frame->number + text->added);
		rest = frame->behind;
	}
	render_buffer_put(
		&text->out, rest, line->bytes - (size_t)(rest - line->text));
}

static void put_unchanged(const struct line *line)
{
	fwrite_unlocked(line->text, 1, line->bytes, stdout);
	if (line->ended)
		putchar_unlocked('\n');
}

static void put_out(struct stack_text *text, const struct line *line)
{
	if (line->ended)
		render_buffer_put_byte(&text->out, '\n');
	if (text->out.failed)
		put_unchanged(line);
	else
		fwrite_unlocked(text->out.data, 1, text->out.length, stdout);
	text->out.failed = false;
}

void stack_text_line(struct stack_text *text, const struct line *line)
{
	struct frame_line frame;
	struct answer answer = {
		.text = text, .put = put_line_frame, .line = &frame};
	const char *function = NULL;

	if (!frame_line_read(&frame, line->text, line->bytes)) {
		text->next = 0;
		put_unchanged(line);
		return;
	}
	if (frame.number == 0 || frame.number != text->next)
		text->added = 0;
	text->next = frame.number + 1;
	text->out.length = 0;
	if (frame.function) {
		if (!put_name(&text->function, frame.function,
			    frame.function_bytes))
			frame.module = NULL;
		function = text->function.data;
	}
	if (frame.module &&
		put_name(&text->name, frame.module, frame.module_bytes))
		ask(&answer, text->name.data, function, frame.offset);
	if (answer.frames == 0)
		put_same(text, &frame, line);
	put_out(text, line);
}

static void put_json_frame(
	struct answer *answer, const struct symbolizer_frame *now)
{
	struct render_buffer *out = &answer->text->out;

	if (answer->frames > 0)
		render_buffer_put_byte(out, ',');
	json_text_put(out, "{\"function\":");
	json_text_word(out, now->function);
	render_buffer_put_byte(out, ',');
	if (now->file) {
		json_text_put(out, "\"file\":");
		json_text_word(out, now->file);
		json_text_put(out, ",\"line\":");
		json_text_unsigned(out, now->line);
		render_buffer_put_byte(out, ',');
	}
	json_stack_put_rest(answer->json, out);
	if (now->inlined)
		json_text_put(out, ",\"inlined\":true");
	render_buffer_put_byte(out, '}');
}

/* False: it has its name, or there is no way to it. */
static bool ask_json(struct answer *answer, bool is_outer)
{
	const struct json_frame *frame = answer->json;
	struct render_buffer *name = &answer->text->name;
	uint64_t address;

	name->length = 0;
	if (is_outer || frame->has_line || frame->inlined || frame->jumped ||
		!json_stack_number(&frame->address, &address) ||
		!json_stack_string(&frame->module, name))
		return false;
	render_buffer_put_byte(name, '\0');
	if (!name->failed)
		ask(answer, name->data, NULL, address);
	return answer->frames > 0;
}

static void put_json_stack(
	struct stack_text *text, const struct json_span *stack)
{
	const char *end = stack->text + stack->bytes;
	struct json_reader left = {.at = stack->text, .end = end};
	const char *done = stack->text;
	bool is_outer = false; /* of one that is inlined into it */
	struct json_frame frame;

	while (json_stack_next(&left, &frame)) {
		struct answer answer = {
			.text = text, .put = put_json_frame, .json = &frame};

		render_buffer_put(
			&text->out, done, (size_t)(frame.whole.text - done));
		done = frame.whole.text;
		if (ask_json(&answer, is_outer))
			done += frame.whole.bytes;
		is_outer = frame.inlined;
	}
	render_buffer_put(&text->out, done, (size_t)(end - done));
}

bool stack_text_json(struct stack_text *text, const struct line *line)
{
	struct json_span stack;
	const char *behind;

	if (!json_stack_find(line->text, line->bytes, &stack)) {
		put_unchanged(line);
		return false;
	}
	if (!stack.text) {
		put_unchanged(line);
		return true;
	}
	behind = stack.text + stack.bytes;
	text->out.length = 0;
	render_buffer_put(
		&text->out, line->text, (size_t)(stack.text - line->text));
	put_json_stack(text, &stack);
	render_buffer_put(&text->out, behind,
		line->bytes - (size_t)(behind - line->text));
	put_out(text, line);
	return true;
}

void stack_text_free(struct stack_text *text)
{
	render_buffer_free(&text->out);
	render_buffer_free(&text->name);
	render_buffer_free(&text->function);
}
