/*
 * What is recovered of captures: their messages, and what was damaged in which
 * of them; or nothing, where it cannot be written.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "decoder/packed_reader.h"
#include "decoder/recover.h"
#include "tests/make_capture.h"
#include "tests/read_back.h"

#define CONTEXT 16u
#define CAPTURES 2u

/* A message, and what is no block. */
static void make_damaged(const char *path, char letter)
{
	const char text[] = {letter, '\0'};
	const struct make_context context = {
		.id = CONTEXT, .text = BINLOG_TEXT_LITERAL, .format = 1};
	struct make_capture capture = make_capture();
	struct make_block block = make_block(&capture, 0, 0, 4096, 1000);

	make_header(&capture)->nonce += (uint64_t)letter;
	make_block_head(&block)->nonce += (uint64_t)letter;
	make_string(&block, 1, text);
	make_context(&block, &context);
	make_message(&block, CONTEXT, 1000 + (uint64_t)letter);
	make_grow(&capture, capture.size + BINLOG_PAGE);
	memset(capture.bytes + capture.size - BINLOG_PAGE, 'x', BINLOG_PAGE);
	make_file(&capture, path);
	make_free(&capture);
}

struct recovered {
	struct error_list errors;
	struct recover_sum sum;
};

/* Two captures, and one that is not there. */
static void recover(struct output *output, struct recovered *recovered)
{
	const char *paths[CAPTURES + 1];
	struct capture_list list = {0};
	unsigned i;

	for (i = 0; i <= CAPTURES; i++) {
		paths[i] = read_back_path(i);
		if (i < CAPTURES)
			make_damaged(paths[i], (char)('a' + i));
		capture_list_add(&list, paths[i], &recovered->errors);
	}
	assert_int_equal(list.count, CAPTURES);
	recover_captures(&list, output, &recovered->errors, &recovered->sum);
	capture_list_free(&list);
	for (i = 0; i < CAPTURES; i++)
		unlink(paths[i]);
}

/* Of what there is in the file. */
static size_t count_messages(const char *path, struct error_list *errors)
{
	struct packed_readers readers = {.captures.errors = errors};
	struct packed_reader *reader = packed_reader_new(path, &readers);
	size_t count = 0;

	while (packed_reader_next(reader))
		count++;
	packed_reader_free(reader);
	packed_inflate_free(&readers.inflate);
	packed_captures_free(&readers.captures);
	return count;
}

static size_t told(const struct error_list *errors, enum error_code code)
{
	size_t count = 0;
	size_t i;

	for (i = 0; i < errors->count && i < ERROR_KEPT_MAX; i++)
		count += errors->kept[i].code == code;
	return count;
}

static void what_is_recovered_tells_what_was_damaged(void **state)
{
	const char *path = read_back_path(7);
	struct output output = {
		.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600)};
	struct recovered recovered = {0};
	struct error_list again = {0};

	(void)state;
	recover(&output, &recovered);
	output_flush(&output);
	assert_int_equal(output.failed, 0);
	assert_int_equal(recovered.sum.messages, CAPTURES);
	assert_int_equal(told(&recovered.errors, ERROR_BLOCK), CAPTURES);
	assert_int_equal(told(&recovered.errors, ERROR_OPEN), 1);
	output_end(&output);
	assert_int_equal(count_messages(path, &again), CAPTURES);
	assert_int_equal(told(&again, ERROR_BLOCK), CAPTURES);
	assert_int_equal(told(&again, ERROR_OPEN), 1);
	unlink(path);
}

static void what_cannot_be_written_is_told(void **state)
{
	struct output output = {.fd = open("/dev/full", O_WRONLY)};
	struct recovered recovered = {0};

	(void)state;
	recover(&output, &recovered);
	output_flush(&output);
	assert_int_equal(output.failed, ENOSPC);
	assert_int_equal(told(&recovered.errors, ERROR_MEMORY), 0);
	output_end(&output);
}

static void nothing_is_recovered_to_where_nothing_can_be_written(void **state)
{
	struct output output = {.fd = OUTPUT_KEPT, .failed = EIO};
	struct recovered recovered = {0};

	(void)state;
	recover(&output, &recovered);
	recover_packed("tests/golden/1-kinds.blog", &output, &recovered.errors,
		&recovered.sum);
	assert_int_equal(recovered.sum.frames, 0);
	assert_int_equal(told(&recovered.errors, ERROR_MEMORY), 0);
	output_end(&output);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_recovered_tells_what_was_damaged),
		cmocka_unit_test(what_cannot_be_written_is_told),
		cmocka_unit_test(
			nothing_is_recovered_to_where_nothing_can_be_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
