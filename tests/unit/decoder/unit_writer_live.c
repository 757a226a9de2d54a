/*
 * A writer's records are read while it writes them: each once, as it was when
 * it was whole, and no other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "decoder/capture/wall_clock.h"
#include "decoder/capture/writer_stream.h"
#include "tests/support/make_capture.h"
#include "tests/unit/world/inject_faults.h"
#include "tests/unit/world/read_back.h"

#define BYTES 16u
#define LARGE 20000u

/* A capture that grows: what is made is copied to the file when it is due. */
struct live {
	struct make_capture made;
	struct make_block block;
	int fd;
	struct error_list errors;
	struct recording *capture;
	struct wall_clock clock;
	struct recording_block first;
	struct writer_stream stream;
	struct render_buffer text;
};

static void begin(struct live *live, uint32_t size)
{
	const struct make_context bytes = {
		.id = BYTES, .text = BINLOG_TEXT_BYTES, .kinds = "\5"};

	*live = (struct live){.made = make_capture()};
	live->block = make_block(&live->made, 0, 0, size, 1000);
	make_context(&live->block, &bytes);
}

static void say(struct live *live, const char *text)
{
	make_message(&live->block, BYTES, 2000);
	make_text(&live->block, text);
}

/* All that was made, in the file. */
static void flush(struct live *live)
{
	assert_int_equal(pwrite(live->fd, live->made.bytes, live->made.size, 0),
		live->made.size);
}

static void open_live(struct live *live)
{
	const char *path = read_back_path(0);

	make_file(&live->made, path);
	live->fd = open(path, O_RDWR | O_CLOEXEC);
	live->capture = recording_open_live(path, &live->errors);
	assert_true(wall_clock_begin(&live->clock, live->capture));
	live->first = recording_block_at(
		live->block.start, make_block_head(&live->block));
	writer_stream_begin_live(&live->stream, live->capture, &live->clock);
	unlink(path);
}

/* To a message, or to where nothing more is. */
static void step(struct writer_stream *stream)
{
	do
		writer_stream_step(stream);
	while (stream->state == WRITER_BETWEEN);
}

/* Goes on to where nothing more is. */
static void read_on(struct live *live, bool live_still)
{
	writer_stream_extend(&live->stream, &live->first, 1, live_still);
	do {
		step(&live->stream);
		if (live->stream.state == WRITER_MESSAGE)
			message_text(&live->stream.message, &live->text);
	} while (live->stream.state == WRITER_MESSAGE);
}

/* What has been read so far. */
static void expect(struct live *live, const char *text)
{
	assert_int_equal(live->text.length, strlen(text));
	assert_memory_equal(live->text.data, text, strlen(text));
	assert_int_equal(live->errors.count, 0);
}

static void end(struct live *live)
{
	writer_stream_end(&live->stream);
	wall_clock_end(&live->clock);
	recording_close(live->capture);
	render_buffer_free(&live->text);
	close(live->fd);
	make_free(&live->made);
}

static void what_is_said_is_read_once(void **state)
{
	struct live live;
	uint32_t at;

	(void)state;
	begin(&live, 8192);
	open_live(&live);
	assert_int_equal(writer_stream_position(&live.stream), 0);
	at = (uint32_t)(live.block.at - live.block.start);
	say(&live, "one,");
	flush(&live);
	writer_stream_extend(&live.stream, &live.first, 1, true);
	step(&live.stream);
	assert_int_equal(live.stream.state, WRITER_MESSAGE);
	message_text(&live.stream.message, &live.text);
	assert_int_equal(writer_stream_position(&live.stream), at);
	read_on(&live, true);
	assert_int_equal(live.stream.state, WRITER_WAITS);
	assert_int_equal(writer_stream_position(&live.stream),
		live.block.at - live.block.start);
	say(&live, "two,");
	flush(&live);
	read_on(&live, true);
	expect(&live, "one,two,");
	say(&live, "three");
	flush(&live);
	read_on(&live, false);
	expect(&live, "one,two,three");
	assert_int_equal(live.stream.state, WRITER_END);
	end(&live);
}

static void a_record_may_be_larger_than_a_window(void **state)
{
	static char large[LARGE + 1];
	struct live live;

	(void)state;
	memset(large, 'x', LARGE);
	begin(&live, 65536);
	open_live(&live);
	say(&live, large);
	say(&live, "end");
	flush(&live);
	read_on(&live, true);
	assert_int_equal(live.text.length, LARGE + 3);
	assert_memory_equal(live.text.data + LARGE, "end", 3);
	assert_int_equal(live.errors.count, 0);
	end(&live);
}

/* A block of the largest size with nothing but one text. */
static size_t put_large(struct make_capture *made, uint32_t writer)
{
	const struct make_context bytes = {
		.id = BYTES, .text = BINLOG_TEXT_BYTES, .kinds = "\5"};
	struct make_block block =
		make_block(made, writer, 0, BINLOG_BLOCK_MAX, 1000);
	uint32_t size;

	make_context(&block, &bytes);
	make_message(&block, BYTES, 1000);
	size = (uint32_t)(block.end - block.at) - 8;
	make_u32(&block, size);
	return size;
}

/* More than all windows should take. */
static void where_others_hold_much_windows_stay_small(void **state)
{
	enum { LARGE_ONES = 6 };
	struct writer_stream streams[LARGE_ONES];
	struct recording_block blocks[LARGE_ONES];
	struct live live;
	size_t size = 0;
	size_t i;

	(void)state;
	begin(&live, 8192);
	for (i = 0; i < 300; i++)
		say(&live, "twelve bytes");
	for (i = 0; i < LARGE_ONES; i++)
		size = put_large(&live.made, (uint32_t)i + 1);
	open_live(&live);
	for (i = 0; i < LARGE_ONES; i++) {
		blocks[i] = live.first;
		blocks[i].offset =
			live.made.size - (LARGE_ONES - i) * BINLOG_BLOCK_MAX;
		blocks[i].size = BINLOG_BLOCK_MAX;
		writer_stream_begin(
			&streams[i], live.capture, &live.clock, &blocks[i], 1);
		step(&streams[i]);
		assert_int_equal(streams[i].state, WRITER_MESSAGE);
		assert_int_equal(streams[i].message.arguments[0].bytes, size);
	}
	read_on(&live, true);
	assert_int_equal(live.text.length, 300 * 12);
	assert_in_range(live.stream.window_room, 0, 512);
	for (i = 0; i < LARGE_ONES; i++)
		writer_stream_end(&streams[i]);
	assert_int_equal(live.errors.count, 0);
	end(&live);
}

/* Behind it there is a block of another writer. */
static void a_block_that_is_full_is_waited_in(void **state)
{
	struct live live;

	(void)state;
	begin(&live, 4096);
	make_block(&live.made, 1, 0, 4096, 1000);
	open_live(&live);
	while (live.block.end - live.block.at >= 16)
		say(&live, "full");
	while (live.block.at < live.block.end)
		make_u32(&live.block, BYTES | BINLOG_CONTINUES);
	flush(&live);
	read_on(&live, true);
	assert_int_equal(live.stream.state, WRITER_WAITS);
	read_on(&live, true);
	assert_int_equal(live.stream.state, WRITER_WAITS);
	assert_int_equal(live.errors.count, 0);
	end(&live);
}

static void a_block_is_not_left_before_there_is_another(void **state)
{
	static const char most[] = "a text of thirty-two bytes, less";
	struct live live;
	size_t left;

	(void)state;
	begin(&live, 4096);
	make_block(&live.made, 1, 0, 4096, 1000);
	open_live(&live);
	while ((left = live.block.end - live.block.at) >= 32)
		say(&live, "full");
	say(&live, most + sizeof(most) - 1 - (left - 12));
	assert_int_equal(live.block.at, live.block.end);
	flush(&live);
	read_on(&live, true);
	assert_int_equal(writer_stream_position(&live.stream), 4096);
	read_on(&live, true);
	assert_int_equal(live.stream.state, WRITER_WAITS);
	assert_int_equal(writer_stream_position(&live.stream), 4096);
	assert_int_equal(live.errors.count, 0);
	end(&live);
}

/* Between two reads of it. */
static struct {
	struct live *live;
	unsigned left;
} change;

static void change_file(off_t offset)
{
	(void)offset;
	if (change.left == 0 || --change.left > 0)
		return;
	flush(change.live);
}

static void what_becomes_whole_meanwhile_is_read_later(void **state)
{
	struct live live;
	unsigned reads;

	(void)state;
	for (reads = 1; reads < 12; reads++) {
		begin(&live, 8192);
		say(&live, "one,");
		open_live(&live);
		say(&live, "two,");
		say(&live, "three");
		change.live = &live;
		change.left = reads;
		inject.before_read = change_file;
		read_on(&live, true);
		inject.before_read = NULL;
		flush(&live);
		read_on(&live, true);
		expect(&live, "one,two,three");
		end(&live);
	}
}

static void what_has_changed_is_read_again(void **state)
{
	struct live live;
	size_t at;

	(void)state;
	begin(&live, 8192);
	say(&live, "one,");
	open_live(&live);
	at = live.block.at;
	say(&live, "two,");
	flush(&live);
	read_on(&live, true);
	live.block.at = at;
	say(&live, "three,");
	say(&live, "end");
	flush(&live);
	read_on(&live, true);
	expect(&live, "one,two,three,end");
	end(&live);
}

static void a_file_that_has_shrunk_has_nothing_more(void **state)
{
	struct live live;
	size_t at;

	(void)state;
	begin(&live, 8192);
	at = live.block.at;
	say(&live, "one");
	open_live(&live);
	read_on(&live, true);
	assert_int_equal(ftruncate(live.fd, (off_t)live.block.start), 0);
	read_on(&live, true);
	assert_int_equal(live.stream.state, WRITER_WAITS);
	expect(&live, "one");
	/* The last one that was read is gone as well. */
	read_on(&live, false);
	assert_int_equal(live.stream.state, WRITER_END);
	assert_int_equal(live.text.length, 3);
	assert_int_equal(live.errors.count, 1);
	assert_int_equal(live.errors.kept[0].code, ERROR_BLOCK_CUT);
	assert_int_equal(live.errors.kept[0].offset, at);
	end(&live);
}

static void a_writer_may_have_no_blocks_yet(void **state)
{
	struct live live;

	(void)state;
	begin(&live, 8192);
	say(&live, "one");
	open_live(&live);
	writer_stream_extend(&live.stream, NULL, 0, true);
	step(&live.stream);
	assert_int_equal(live.stream.state, WRITER_WAITS);
	assert_int_equal(writer_stream_position(&live.stream), 0);
	read_on(&live, true);
	expect(&live, "one");
	end(&live);
}

static void what_was_kept_is_recalled_if_it_makes_sense(void **state)
{
	const struct binlog_string_record string = {
		.head = {BINLOG_STRING, sizeof(string) + 4},
		.id = 1,
		.bytes = 4};
	uint8_t record[sizeof(string) + 4];
	struct live live;

	(void)state;
	memcpy(record, &string, sizeof(string));
	memcpy(record + sizeof(string), "text", 4);
	begin(&live, 4096);
	open_live(&live);
	writer_stream_recall(&live.stream, MAKE_PID, 0, record, sizeof(record));
	assert_int_equal(live.errors.count, 0);
	assert_string_equal(
		definition_string(&live.stream.definitions, 1)->bytes, "text");
	writer_stream_recall(&live.stream, MAKE_PID, 0, record, 8);
	assert_int_equal(live.errors.count, 1);
	assert_int_equal(live.errors.kept[0].code, ERROR_DEFINITION);
	end(&live);
}

static void without_memory_nothing_is_recalled(void **state)
{
	const struct binlog_control_head record = {
		BINLOG_STRING, sizeof(record)};
	struct live live;
	uint32_t pid = MAKE_PID;

	(void)state;
	begin(&live, 4096);
	open_live(&live);
	inject_begin(INJECT_MEMORY, 0, true);
	do
		writer_stream_recall(
			&live.stream, pid++, 0, &record, sizeof(record));
	while (live.stream.program);
	inject_end();
	assert_in_range(live.errors.count, pid - 1 - MAKE_PID, pid - MAKE_PID);
	end(&live);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_said_is_read_once),
		cmocka_unit_test(a_record_may_be_larger_than_a_window),
		cmocka_unit_test(where_others_hold_much_windows_stay_small),
		cmocka_unit_test(a_block_that_is_full_is_waited_in),
		cmocka_unit_test(a_block_is_not_left_before_there_is_another),
		cmocka_unit_test(what_becomes_whole_meanwhile_is_read_later),
		cmocka_unit_test(what_has_changed_is_read_again),
		cmocka_unit_test(a_file_that_has_shrunk_has_nothing_more),
		cmocka_unit_test(a_writer_may_have_no_blocks_yet),
		cmocka_unit_test(what_was_kept_is_recalled_if_it_makes_sense),
		cmocka_unit_test(without_memory_nothing_is_recalled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
