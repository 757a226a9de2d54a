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

#include "decoder/packed/packed_reader.h"
#include "decoder/show/recover.h"
#include "tests/support/make_capture.h"
#include "tests/unit/world/inject_faults.h"
#include "tests/unit/world/read_back.h"

#define CONTEXT 16u
#define CAPTURES 2u

/* A message, and so often what is no block, and an empty one. */
static void make_damaged(const char *path, char letter, unsigned times)
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
	while (times-- > 0) {
		make_grow(&capture, capture.size + BINLOG_PAGE);
		memset(capture.bytes + capture.size - BINLOG_PAGE, 'x',
			BINLOG_PAGE);
		make_block(&capture, times + 1, 0, 4096, 1000);
	}
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
			make_damaged(paths[i], (char)('a' + i), 1);
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

/* A capture with more damage than is kept, to memory. */
static void recover_many(struct output *output, struct recovered *recovered)
{
	const char *path = read_back_path(0);
	struct capture_list list = {0};

	*recovered = (struct recovered){0};
	capture_list_add(&list, path, &recovered->errors);
	recover_captures(&list, output, &recovered->errors, &recovered->sum);
	capture_list_free(&list);
}

static void of_more_damage_than_is_kept_it_is_told_how_much(void **state)
{
	const char *path = read_back_path(7);
	struct output output = {
		.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600)};
	struct recovered recovered;
	struct error_list again = {0};

	(void)state;
	make_damaged(read_back_path(0), 'a', ERROR_KEPT_MAX + 7);
	recover_many(&output, &recovered);
	assert_int_equal(recovered.errors.count, ERROR_KEPT_MAX + 7);
	output_flush(&output);
	output_end(&output);
	assert_int_equal(count_messages(path, &again), 1);
	assert_int_equal(told(&again, ERROR_BLOCK), ERROR_KEPT_MAX);
	assert_int_equal(again.count, ERROR_KEPT_MAX);
	assert_int_equal(again.more, 7);
	unlink(path);
	unlink(read_back_path(0));
}

static void without_memory_what_is_recovered_is_all_or_told(void **state)
{
	struct recovered recovered;
	unsigned long k = 0;

	(void)state;
	make_damaged(read_back_path(0), 'a', ERROR_KEPT_MAX + 7);
	do {
		struct output output = {.fd = OUTPUT_KEPT};

		inject_begin(INJECT_MEMORY, k++, false);
		recover_many(&output, &recovered);
		inject_end();
		assert_true(recovered.sum.messages == 1 ||
			    recovered.errors.count != ERROR_KEPT_MAX + 7);
		output_end(&output);
	} while (inject.happened);
	assert_int_equal(recovered.sum.messages, 1);
	unlink(read_back_path(0));
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
		cmocka_unit_test(
			of_more_damage_than_is_kept_it_is_told_how_much),
		cmocka_unit_test(
			without_memory_what_is_recovered_is_all_or_told),
		cmocka_unit_test(what_cannot_be_written_is_told),
		cmocka_unit_test(
			nothing_is_recovered_to_where_nothing_can_be_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
