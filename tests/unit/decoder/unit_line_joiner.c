#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/query/line_joiner.h"

/* What was given out: `[head]text` and a newline for each call. */
static struct render_buffer given;

static void put_given(const char *head, size_t head_bytes, const char *text,
	size_t bytes, const char *tail, size_t tail_bytes)
{
	render_buffer_put_byte(&given, '[');
	render_buffer_put(&given, head, head_bytes);
	render_buffer_put_byte(&given, ']');
	render_buffer_put(&given, text, bytes);
	render_buffer_put(&given, tail, tail_bytes);
	render_buffer_put_byte(&given, '\n');
}

/* The head is the thread, as a letter, and how far it is. */
static void describe(void *closure, const struct message *message,
	struct render_buffer *head, struct render_buffer *tail)
{
	(void)closure;
	render_buffer_put_byte(head, (char)('A' + message->tid));
	render_buffer_put_byte(head, (char)('0' + message->offset));
	render_buffer_put_byte(tail, '.');
}

static void take_lines(void *closure, const struct line_joiner_lines *lines)
{
	(void)closure;
	put_given(lines->head, lines->head_bytes, lines->text, lines->bytes,
		lines->tail, lines->tail_bytes);
}

static void take_whole(void *closure, const struct message *message,
	const char *text, size_t bytes)
{
	const char head[] = {
		(char)('A' + message->tid), (char)('0' + message->offset)};

	(void)closure;
	put_given(head, sizeof(head), text, bytes, ".", 1);
}

static struct line_joiner *begin(void)
{
	given.length = 0;
	return line_joiner_new(&(struct line_joiner_calls){
		.describe = describe,
		.lines = take_lines,
		.whole = take_whole,
	});
}

/* A message of thread `tid`, the offset-th. */
static struct message message_of(uint32_t tid, uint64_t offset,
	struct definition_context *context, const char *text)
{
	static struct render_argument argument;
	struct message message = {
		.tid = tid,
		.offset = offset,
		.context = context,
		.count = 1,
		.arguments = &argument,
	};

	argument.kind = BINLOG_ARG_STRING;
	argument.bytes = (uint32_t)strlen(text);
	argument.data = text;
	return message;
}

static void add(struct line_joiner *joiner, uint32_t tid, uint64_t offset,
	const char *text)
{
	struct definition_context context = {.text = BINLOG_TEXT_BYTES};
	struct message message = message_of(tid, offset, &context, text);

	line_joiner_add(joiner, &message);
}

/* The pieces of one call. */
static void add_piece(struct line_joiner *joiner, uint64_t offset,
	bool continues, bool partial, const char *text)
{
	struct definition_context context = {.text = BINLOG_TEXT_BYTES};
	struct message message = message_of(0, offset, &context, text);

	message.continues = continues;
	message.partial = partial;
	line_joiner_add(joiner, &message);
}

static void assert_given(const char *text)
{
	assert_int_equal(given.length, strlen(text));
	assert_memory_equal(given.data, text, given.length);
	given.length = 0;
}

static void whole_lines_are_given_out_at_once(void **state)
{
	struct line_joiner *joiner = begin();

	(void)state;
	add(joiner, 0, 1, "one\n");
	assert_given("[A1]one.\n");
	add(joiner, 0, 2, "two\nthree\n");
	assert_given("[A2]two\nthree.\n");
	add(joiner, 0, 3, "\n");
	assert_given("[A3].\n");
	line_joiner_end(joiner);
	assert_given("");
}

static void pieces_of_a_line_are_put_together(void **state)
{
	struct line_joiner *joiner = begin();

	(void)state;
	add(joiner, 0, 1, "a");
	add(joiner, 0, 2, "");
	add(joiner, 0, 3, "b");
	assert_given("");
	add(joiner, 0, 4, "c\nd");
	assert_given("[A1]abc.\n");
	add(joiner, 0, 5, "\ne\nf");
	assert_given("[A4]d\ne.\n");
	line_joiner_end(joiner);
	assert_given("[A5]f.\n");
}

static void threads_do_not_mix(void **state)
{
	struct line_joiner *joiner = begin();

	(void)state;
	add(joiner, 0, 1, "a");
	add(joiner, 1, 2, "b");
	add(joiner, 2, 3, "c\n");
	assert_given("[C3]c.\n");
	add(joiner, 0, 4, "d\n");
	assert_given("[A1]ad.\n");
	add(joiner, 0, 5, "e\n");
	assert_given("[A5]e.\n");
	add(joiner, 1, 6, "f\n");
	assert_given("[B2]bf.\n");
	line_joiner_end(joiner);
	assert_given("");
}

/* A newline in a piece ends no line before the call has ended. */
static void one_call_is_given_out_at_once(void **state)
{
	struct line_joiner *joiner = begin();

	(void)state;
	add_piece(joiner, 1, false, true, "a\nb");
	add_piece(joiner, 2, true, true, "c");
	assert_given("");
	add_piece(joiner, 3, true, false, "d");
	assert_given("[A1]a.\n");
	add(joiner, 0, 4, "\n");
	assert_given("[A3]bcd.\n");
	add_piece(joiner, 5, false, true, "x");
	add(joiner, 0, 6, "y\n");
	assert_given("[A5]x.\n[A6]y.\n");
	line_joiner_end(joiner);
	assert_given("");
}

static void a_long_line_of_single_bytes_takes_no_time(void **state)
{
	struct line_joiner *joiner = begin();
	size_t i;

	(void)state;
	for (i = 0; i < 3000000; i++)
		add(joiner, 0, 0, "x");
	add(joiner, 0, 0, "\n");
	assert_int_equal(given.length, 3000000 + 6);
	line_joiner_end(joiner);
}

/* The first map chooses the seed of all hashes: that of a definition does. */
static int choose_seed(void **state)
{
	struct id_map map = {0};
	bool chosen = id_map_set(&map, 1, &given);

	(void)state;
	id_map_free(&map);
	return chosen ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_lines_are_given_out_at_once),
		cmocka_unit_test(pieces_of_a_line_are_put_together),
		cmocka_unit_test(threads_do_not_mix),
		cmocka_unit_test(one_call_is_given_out_at_once),
		cmocka_unit_test(a_long_line_of_single_bytes_takes_no_time),
	};
	int failed = cmocka_run_group_tests(tests, choose_seed, NULL);

	render_buffer_free(&given);
	return failed;
}
