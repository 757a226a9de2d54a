/* Blocks of a capture that are found while it grows, in whatever order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/live/live_capture.h"
#include "tests/support/make_capture.h"
#include "tests/unit/world/read_back.h"

#define CONTEXT 16u

struct live {
	struct make_capture made;
	int fd; /* open for writing, so that the capture may grow */
	struct error_list errors;
	struct live_capture *capture;
	struct render_buffer text;
};

/* A block of the one writer, that says a letter. */
static struct make_block add_block(
	struct live *live, uint32_t sequence, char letter)
{
	const char text[] = {letter, '\0'};
	const struct make_context context = {
		.id = CONTEXT, .text = BINLOG_TEXT_LITERAL, .format = 1};
	struct make_block block = make_block(
		&live->made, 0, sequence, 4096, 1000 + live->made.size);

	make_string(&block, 1, text);
	make_context(&block, &context);
	make_message(&block, CONTEXT, (uint32_t)live->made.size);
	return block;
}

static void begin(struct live *live)
{
	const char *path = read_back_path(0);
	struct recording *recording;

	*live = (struct live){.made = make_capture()};
	make_file(&live->made, path);
	live->fd = open(path, O_RDWR | O_CLOEXEC);
	recording = recording_open_live(path, &live->errors);
	assert_non_null(recording);
	live->capture = live_capture_new(strdup(path), recording, NULL);
	assert_non_null(live->capture);
	unlink(path);
}

/* What has been read when it knows all that was made. */
static void expect(struct live *live, const char *text)
{
	struct live_capture *capture = live->capture;
	size_t i;

	assert_int_equal(pwrite(live->fd, live->made.bytes, live->made.size, 0),
		live->made.size);
	live_capture_look(capture, false);
	for (i = 0; i < capture->count; i++) {
		struct writer_stream *stream = &capture->writers[i]->stream;

		do {
			live_capture_step(capture->writers[i]);
			if (stream->state == WRITER_MESSAGE)
				message_text(&stream->message, &live->text);
		} while (stream->state == WRITER_MESSAGE ||
			 stream->state == WRITER_BETWEEN);
	}
	assert_false(capture->failed);
	assert_int_equal(live->text.length, strlen(text));
	assert_memory_equal(live->text.data, text, strlen(text));
}

static void end(struct live *live)
{
	live_capture_free(live->capture);
	render_buffer_free(&live->text);
	close(live->fd);
	make_free(&live->made);
}

static void blocks_are_read_when_those_before_are_there(void **state)
{
	struct live live;

	(void)state;
	begin(&live);
	add_block(&live, 0, 'a');
	add_block(&live, 2, 'c');
	expect(&live, "a");
	add_block(&live, 1, 'b');
	expect(&live, "abc");
	assert_int_equal(live.errors.count, 0);
	end(&live);
}

/* Of the first of two. */
static void a_copy_that_is_found_later_is_not_read(void **state)
{
	struct make_block first, copy;
	struct live live;

	(void)state;
	begin(&live);
	first = add_block(&live, 0, 'a');
	add_block(&live, 1, 'b');
	expect(&live, "ab");
	copy = add_block(&live, 0, 'a');
	make_block_head(&copy)->anchor = make_block_head(&first)->anchor;
	expect(&live, "ab");
	assert_int_equal(live.errors.count, 1);
	assert_int_equal(live.errors.kept[0].code, ERROR_BLOCK_TWICE);
	assert_int_equal(live.errors.kept[0].offset, copy.start);
	end(&live);
}

static void another_block_of_the_same_number_is_told(void **state)
{
	struct make_block other;
	struct live live;

	(void)state;
	begin(&live);
	add_block(&live, 0, 'a');
	add_block(&live, 1, 'b');
	expect(&live, "ab");
	other = add_block(&live, 0, 'x');
	expect(&live, "abx");
	assert_int_equal(live.errors.count, 1);
	assert_int_equal(live.errors.kept[0].code, ERROR_BLOCK_CLASH);
	assert_int_equal(live.errors.kept[0].offset, other.start);
	end(&live);
}

/* When so many are there that it was not waited for any more. */
static void a_block_that_comes_too_late_is_read_and_told(void **state)
{
	enum { MANY = 80 };
	char expected[MANY + 2] = "";
	struct make_block late;
	struct live live;
	uint32_t i;

	(void)state;
	begin(&live);
	memset(expected, 'b', MANY);
	expected[0] = 'a';
	add_block(&live, 0, 'a');
	for (i = 2; i <= MANY; i++)
		add_block(&live, i, 'b');
	expect(&live, expected);
	assert_int_equal(live.errors.count, 1);
	assert_int_equal(live.errors.kept[0].code, ERROR_GAP);
	late = add_block(&live, 1, 'c');
	expected[MANY] = 'c';
	expect(&live, expected);
	assert_int_equal(live.errors.count, 2);
	assert_int_equal(live.errors.kept[1].code, ERROR_BLOCK_CLASH);
	assert_int_equal(live.errors.kept[1].offset, late.start);
	end(&live);
}

static void say_origin(struct make_block *block, uint32_t tid)
{
	struct binlog_origin_record record = {
		.tid = tid, .creator_tid = tid - 1, .name = "creator"};

	make_control(block, BINLOG_ORIGIN, &record, sizeof(record), "", 0);
}

/* The writer of a program that makes one thread after another. */
static void serve_threads(struct live *live, uint32_t count)
{
	const struct make_context context = {
		.id = CONTEXT, .text = BINLOG_TEXT_LITERAL, .format = 1};
	struct make_block block =
		make_block(&live->made, 0, 0, 1u << 20, 1000 + live->made.size);
	uint32_t tid;

	make_string(&block, 1, "a");
	make_context(&block, &context);
	for (tid = 2; tid < count + 2; tid++) {
		make_thread(&block, tid, "worker");
		say_origin(&block, tid);
	}
	make_message(&block, CONTEXT, (uint32_t)live->made.size);
}

static void of_threads_that_have_ended_nothing_is_kept(void **state)
{
	enum { THREADS = 8000 };
	struct live_capture *capture, *next;
	const struct writer_stream *stream;
	struct recording *recording;
	struct live_past past;
	struct live live;

	(void)state;
	begin(&live);
	serve_threads(&live, THREADS);
	expect(&live, "a");
	capture = live.capture;
	assert_true(capture->kept_bytes < 16384);
	assert_true(capture->kept_room < 16384);

	/* Who goes on with what was kept knows the last one, and its texts. */
	past = (struct live_past){
		.records = capture->kept, .bytes = capture->kept_bytes};
	make_file(&live.made, read_back_path(0));
	recording = recording_open_live(read_back_path(0), &live.errors);
	assert_non_null(recording);
	next = live_capture_new(strdup(read_back_path(0)), recording, &past);
	assert_non_null(next);
	assert_int_equal(next->count, 1);
	stream = &next->writers[0]->stream;
	assert_int_equal(stream->tid, THREADS + 1);
	assert_non_null(stream->origin);
	assert_int_equal(stream->origin->tid, THREADS + 1);
	assert_int_equal(stream->origin->known.count, 1);
	assert_int_equal(stream->origin->known.by->tid, THREADS);
	assert_non_null(definition_context(&stream->definitions, CONTEXT));
	live_capture_free(next);
	unlink(read_back_path(0));
	end(&live);
}

static void nothing_is_kept_for_nobody(void **state)
{
	struct live live;

	(void)state;
	begin(&live);
	live.capture->keeps_nothing = true;
	add_block(&live, 0, 'a');
	expect(&live, "a");
	assert_int_equal(live.capture->kept_bytes, 0);
	end(&live);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_threads_that_have_ended_nothing_is_kept),
		cmocka_unit_test(nothing_is_kept_for_nobody),
		cmocka_unit_test(blocks_are_read_when_those_before_are_there),
		cmocka_unit_test(a_copy_that_is_found_later_is_not_read),
		cmocka_unit_test(another_block_of_the_same_number_is_told),
		cmocka_unit_test(a_block_that_comes_too_late_is_read_and_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
