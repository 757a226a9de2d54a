/*
 * A packed log says the same however it is read: sparingly, from a pipe, with
 * noise before it, after other logs; and when it begins is known beforehand.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/limits.h"
#include "decoder/pack/frame_write.h"
#include "decoder/pack/pack_value.h"
#include "decoder/packed/packed_reader.h"
#include "tests/unit/world/inject_faults.h"

#define BEGIN 1700000000000000000u

static const char golden[] = "tests/golden/1-kinds.blog";

struct reading {
	struct error_list errors;
	struct render_buffer text;
	size_t messages;
};

static void read_log(
	struct reading *reading, const char *path, struct packed_readers *how)
{
	struct packed_reader *reader;
	const struct message *message;

	*reading = (struct reading){0};
	how->captures.errors = &reading->errors;
	reader = packed_reader_new(path, how);
	assert_non_null(reader);
	for (; (message = packed_reader_next(reader)); reading->messages++)
		if (message->count > 0) /* else it may have no text */
			message_text(message, &reading->text);
	packed_reader_free(reader);
	packed_inflate_free(&how->inflate);
	packed_captures_free(&how->captures);
}

static void read_simply(struct reading *reading, const char *path)
{
	read_log(reading, path, &(struct packed_readers){0});
}

static void assert_same(struct reading *a, struct reading *b)
{
	assert_true(a->messages > 0);
	assert_int_equal(a->messages, b->messages);
	assert_int_equal(a->text.length, b->text.length);
	assert_memory_equal(a->text.data, b->text.data, a->text.length);
	assert_int_equal(a->errors.count, b->errors.count);
	render_buffer_free(&a->text);
	render_buffer_free(&b->text);
}

/* The path of a file that has nothing else; one at a time. */
static const char *file_with(const void *bytes, size_t size)
{
	static char path[32];
	static int fd = -1;

	if (fd >= 0)
		close(fd);
	fd = memfd_create("log", MFD_CLOEXEC);
	assert_int_equal(write(fd, bytes, size), size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return path;
}

static size_t load(const char *path, char *into, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, into, room);

	assert_in_range(n, 1, room - 1);
	close(fd);
	return (size_t)n;
}

static void sparingly_it_says_the_same(void **state)
{
	struct reading all, spared;

	(void)state;
	read_simply(&all, golden);
	read_log(&spared, golden, &(struct packed_readers){.sparing = true});
	assert_same(&all, &spared);
}

static void from_a_pipe_it_says_the_same(void **state)
{
	struct packed_readers sparing = {.sparing = true};
	static char bytes[1 << 16];
	size_t size = load(golden, bytes, sizeof(bytes));
	int saved = dup(STDIN_FILENO);
	struct reading all, piped;
	int ends[2];

	(void)state;
	read_simply(&all, golden);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	assert_int_equal(write(ends[1], bytes, size), size);
	close(ends[0]);
	close(ends[1]);
	read_log(&piped, PACKED_FILE_STDIN, &sparing);
	dup2(saved, STDIN_FILENO);
	close(saved);
	assert_same(&all, &piped);
}

static bool decline(void *closure, struct packed_body *body)
{
	(void)body;
	++*(size_t *)closure;
	return false;
}

static void columns_that_nobody_takes_become_messages(void **state)
{
	struct reading all, declined;
	size_t batches = 0;

	(void)state;
	read_simply(&all, golden);
	read_log(&declined, golden,
		&(struct packed_readers){.fold = decline, .closure = &batches});
	assert_true(batches > 0);
	assert_same(&all, &declined);
}

static void a_reader_may_stop_anywhere(void **state)
{
	struct error_list errors = {0};
	struct packed_readers how = {.captures.errors = &errors};
	struct packed_reader *reader = packed_reader_new(golden, &how);

	(void)state;
	assert_non_null(packed_reader_next(reader));
	packed_reader_free(reader);
	packed_inflate_free(&how.inflate);
	packed_captures_free(&how.captures);
	assert_int_equal(errors.count, 0);
}

/* Not one of its sites. */
static bool want_no_site(void *closure, struct packed_batch *batch)
{
	size_t i;

	for (i = 0; i < batch->site_count; i++)
		batch->sites[i].wanted = false;
	++*(size_t *)closure;
	return true;
}

static void columns_that_nobody_wants_are_passed_over(void **state)
{
	struct reading all, unwanted;
	size_t batches = 0;

	(void)state;
	read_simply(&all, golden);
	read_log(&unwanted, golden,
		&(struct packed_readers){
			.wants = want_no_site, .closure = &batches});
	assert_true(batches > 0);
	assert_true(unwanted.messages < all.messages);
	assert_int_equal(unwanted.errors.count, 0);
	render_buffer_free(&all.text);
	render_buffer_free(&unwanted.text);
}

static bool want_nothing(void *closure, struct packed_batch *batch)
{
	(void)batch;
	++*(size_t *)closure;
	return false;
}

static void batches_that_nobody_wants_are_passed_over(void **state)
{
	struct reading all, unwanted, skimmed = {0};
	size_t batches = 0;
	struct packed_readers how = {
		.wants = want_nothing, .closure = &batches};
	struct packed_readers skim = {.captures.errors = &skimmed.errors};
	struct packed_reader *reader = packed_reader_new(golden, &skim);

	(void)state;
	read_simply(&all, golden);
	read_log(&unwanted, golden, &how);
	assert_true(batches > 0);
	assert_true(unwanted.messages < all.messages);
	packed_reader_skim(reader);
	assert_null(packed_reader_next(reader));
	assert_int_equal(skimmed.errors.count, unwanted.errors.count);
	packed_reader_free(reader);
	packed_captures_free(&skim.captures);
	render_buffer_free(&all.text);
	render_buffer_free(&unwanted.text);
}

/* A message that is all of its log, and perhaps its end. */
static void put_log(
	struct frame_write *frame, uint64_t log, uint64_t time, bool ended)
{
	frame->log = log;
	frame_write_begin(frame, PACKED_DATA);
	frame_write_uint(frame, PACKED_DATA_NUMBER, 0);
	frame_write_uint(frame, PACKED_DATA_TIME, time);
	frame_write_uint(frame, PACKED_DATA_PID, 42);
	frame_write_end(frame);
	if (!ended)
		return;
	frame_write_begin(frame, PACKED_END);
	frame_write_uint(frame, PACKED_END_MESSAGES, 1);
	frame_write_end(frame);
}

static size_t told(const struct reading *reading, enum error_code code)
{
	size_t i;

	for (i = 0; i < reading->errors.count && i < ERROR_KEPT_MAX; i++)
		if (reading->errors.kept[i].code == code)
			return reading->errors.kept[i].number;
	return 0;
}

static void check_logs(size_t count, bool ended, uint64_t forgotten)
{
	struct frame_write frame = {0};
	struct reading reading;
	size_t i;

	for (i = 0; i < count; i++)
		put_log(&frame, i + 1, BEGIN + i, ended);
	read_simply(&reading, file_with(frame.out.data, frame.out.length));
	assert_int_equal(reading.messages, count);
	assert_int_equal(told(&reading, ERROR_PACKED_LOGS), forgotten);
	frame_write_free(&frame);
	render_buffer_free(&reading.text);
}

static void of_too_many_logs_the_oldest_are_forgotten(void **state)
{
	(void)state;
	check_logs(LIMITS_FILE_LOGS, false, 0);
	check_logs(LIMITS_FILE_LOGS + 3, false, 3);
	check_logs(LIMITS_FILE_LOGS + 3, true, 0);
}

static void a_frame_of_nothing_is_no_record(void **state)
{
	static const char frame[] = "\xc1\xce\0\0\0\0\xc1\xa0";
	struct reading reading;

	(void)state;
	read_simply(&reading, file_with(frame, sizeof(frame) - 1));
	assert_int_equal(reading.messages, 0);
	assert_int_equal(reading.errors.count, 1);
	assert_int_equal(reading.errors.kept[0].code, ERROR_PACKED_RECORD);
}

/* So many strings of a megabyte. */
static void put_strings(struct frame_write *frame, uint64_t log, uint64_t count)
{
	static const char text[1 << 20];

	frame->log = log;
	for (; count > 0; count--) {
		frame_write_begin(frame, PACKED_STRING);
		frame_write_uint(frame, PACKED_STRING_ID, count);
		frame_write_text(frame, PACKED_STRING_TEXT, text, sizeof(text));
		frame_write_end(frame);
	}
}

static void much_of_logs_that_have_ended_is_forgotten(void **state)
{
	struct frame_write frame = {0};
	struct reading reading;
	uint64_t log;

	(void)state;
	for (log = 1; log <= 8; log++) {
		put_strings(&frame, log, 9);
		put_log(&frame, log, BEGIN + log, log < 4);
	}
	read_simply(&reading, file_with(frame.out.data, frame.out.length));
	assert_int_equal(reading.messages, 8);
	assert_int_equal(told(&reading, ERROR_PACKED_LOGS), 0);
	frame_write_free(&frame);
	render_buffer_free(&reading.text);
}

static void messages_of_records_are_passed_over_too(void **state)
{
	struct frame_write frame = {0};
	struct error_list errors = {0};
	struct packed_readers how = {.captures.errors = &errors};
	struct packed_reader *reader;

	(void)state;
	put_log(&frame, 1, BEGIN, true);
	reader = packed_reader_new(
		file_with(frame.out.data, frame.out.length), &how);
	packed_reader_skim(reader);
	assert_null(packed_reader_next(reader));
	assert_int_equal(errors.count, 0);
	packed_reader_free(reader);
	packed_captures_free(&how.captures);
	frame_write_free(&frame);
}

/* 1: right; 0: not known. */
static bool knows_begin(const char *path)
{
	uint64_t begin = packed_reader_begin(path);

	assert_true(begin == 0 || begin == BEGIN);
	return begin == BEGIN;
}

static void what_it_is_is_known_beforehand(void **state)
{
	static const char noise[] = "noise, and no log at all";
	struct frame_write frame = {0};
	const char *path;
	unsigned long k;

	(void)state;
	assert_true(packed_reader_begin(golden) > BEGIN);
	assert_false(packed_reader_is_log("/nonexistent"));
	assert_int_equal(packed_reader_begin("/nonexistent"), 0);
	path = file_with(noise, sizeof(noise));
	assert_false(packed_reader_is_log(path));
	assert_false(knows_begin(path));
	render_buffer_put(&frame.out, noise, sizeof(noise));
	put_log(&frame, 1, BEGIN, true);
	path = file_with(frame.out.data, frame.out.length);
	assert_true(packed_reader_is_log(path));
	assert_true(knows_begin(path));
	frame_write_free(&frame);
	for (k = 0; k == 0 || inject.happened; k++) {
		bool known;

		inject_begin(INJECT_MEMORY, k, true);
		known = knows_begin(path) && packed_reader_is_log(path);
		inject_end();
		assert_true(known == !inject.happened);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sparingly_it_says_the_same),
		cmocka_unit_test(from_a_pipe_it_says_the_same),
		cmocka_unit_test(columns_that_nobody_takes_become_messages),
		cmocka_unit_test(a_reader_may_stop_anywhere),
		cmocka_unit_test(columns_that_nobody_wants_are_passed_over),
		cmocka_unit_test(batches_that_nobody_wants_are_passed_over),
		cmocka_unit_test(of_too_many_logs_the_oldest_are_forgotten),
		cmocka_unit_test(a_frame_of_nothing_is_no_record),
		cmocka_unit_test(much_of_logs_that_have_ended_is_forgotten),
		cmocka_unit_test(messages_of_records_are_passed_over_too),
		cmocka_unit_test(what_it_is_is_known_beforehand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
