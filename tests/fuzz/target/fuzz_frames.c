/*
 * Any bytes as a line with a frame, and as a message in JSON: the pieces of a
 * frame are the line again, and each frame of a message is JSON itself, as is
 * what is left of it for a new name.
 */
#include <stdbool.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tools/frames/frame_line.h"
#include "tools/frames/json_stack.h"

/* What is there at *at, which moves behind it. */
static void expect(const char **at, const char *bytes, size_t count)
{
	FUZZ_CHECK(memcmp(*at, bytes, count) == 0);
	*at += count;
}

static void expect_offset(const char **at, uint64_t offset)
{
	char *end;

	expect(at, "+0x", 3);
	FUZZ_CHECK(strtoull(*at, &end, 16) == offset && end > *at);
	*at = end;
}

/* It has a NUL behind it. */
static void try_line(const char *line, size_t size)
{
	struct frame_line frame;
	const char *at = line;
	char *end;

	if (!frame_line_read(&frame, line, size))
		return;
	expect(&at, frame.before, frame.before_bytes);
	FUZZ_CHECK(strtoull(at, &end, 10) == frame.number);
	at = end;
	FUZZ_CHECK(at == frame.behind);
	expect(&at, " ", 1);
	FUZZ_CHECK(frame.after >= at &&
		   frame.after + frame.after_bytes == line + size);
	if (!frame.module)
		return;
	FUZZ_CHECK(frame.module_bytes > 0 || frame.function);
	if (frame.function) {
		FUZZ_CHECK(frame.function == at);
		expect(&at, frame.function, frame.function_bytes);
		expect_offset(&at, frame.offset);
		expect(&at, " in ", 4);
	}
	FUZZ_CHECK(frame.module == at);
	expect(&at, frame.module, frame.module_bytes);
	if (!frame.function)
		expect_offset(&at, frame.offset);
	FUZZ_CHECK(frame.after == at);
}

static void try_frame(const struct json_frame *frame, struct render_buffer *out)
{
	struct json_span inner;
	uint64_t number;

	FUZZ_CHECK(
		json_stack_find(frame->whole.text, frame->whole.bytes, &inner));
	out->length = 0;
	render_buffer_put_byte(out, '{');
	json_stack_put_rest(frame, out);
	render_buffer_put_byte(out, '}');
	FUZZ_CHECK(json_stack_find(out->data, out->length, &inner));
	json_stack_number(&frame->address, &number);
	out->length = 0;
	if (json_stack_string(&frame->module, out))
		FUZZ_CHECK(
			!memchr(render_buffer_from(out, 0), '\0', out->length));
}

static void try_json(const char *line, size_t size)
{
	struct render_buffer out = {0};
	struct json_reader left = {0};
	struct json_span stack;
	struct json_frame frame;
	const char *done;

	if (!json_stack_find(line, size, &stack) || !stack.text)
		return;
	FUZZ_CHECK(stack.text > line && stack.bytes < size &&
		   stack.text + stack.bytes < line + size);
	left.at = done = stack.text;
	left.end = stack.text + stack.bytes;
	while (json_stack_next(&left, &frame)) {
		FUZZ_CHECK(frame.whole.text >= done);
		done = frame.whole.text + frame.whole.bytes;
		FUZZ_CHECK(done <= left.end);
		try_frame(&frame, &out);
	}
	FUZZ_CHECK(!left.bad && left.at == left.end);
	render_buffer_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *line = malloc(size + 1);

	FUZZ_CHECK(line);
	memcpy(line, data, size);
	line[size] = '\0';
	try_line(line, size);
	try_json(line, size);
	free(line);
	return 0;
}
