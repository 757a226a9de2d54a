/*
 * Logs are read while the k-th allocation fails, or the k-th read, for every
 * k: either all of the text is there, or it is said that something is missing;
 * and all memory is given back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/message/fields.h"
#include "decoder/pack/frame_write.h"
#include "decoder/show/recover.h"
#include "decoder/source/source.h"
#include "tests/unit/world/inject_faults.h"
#include "tests/unit/world/make_ring.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

struct reading {
	struct error_list errors;
	struct render_buffer text;
	size_t sum;	/* of fields that have a value, or of messages */
	bool is_packed; /* the text is a log, and may be packed in more ways */
};

typedef void read_log(const char *path, struct reading *reading);

static void add_fields(struct reading *reading, const struct message *message)
{
	const struct fields *fields = fields_of(message);
	struct render_buffer scratch = {0};
	size_t i;

	for (i = 0; i < fields->count; i++)
		reading->sum +=
			field_value(&fields->all[i], message, &scratch).known;
	render_buffer_retire(&scratch, &reading->text);
}

static void read_messages(const char *path, struct reading *reading)
{
	struct capture_list list = {0};
	const struct message *message;
	struct source *source;

	capture_list_add(&list, path, &reading->errors);
	source = source_new(&list, NULL, &reading->errors);
	/* main says it */
	if (!source)
		error_add(&reading->errors,
			&(struct error){.code = ERROR_MEMORY, .file = path});
	while (source && (message = source_next(source))) {
		message_text(message, &reading->text);
		add_fields(reading, message);
	}
	source_free(source);
	capture_list_free(&list);
}

static void recover(const char *path, struct reading *reading)
{
	struct output output = {.fd = OUTPUT_KEPT};
	struct capture_list list = {0};
	struct recover_sum sum = {0};
	size_t i;

	capture_list_add(&list, path, &reading->errors);
	if (list.count > 0)
		recover_captures(&list, &output, &reading->errors, &sum);
	for (i = 0; i < list.packed_count; i++)
		recover_packed(list.packed[i], &output, &reading->errors, &sum);
	reading->text = output.text;
	reading->is_packed = true;
	reading->sum = sum.messages + sum.frames;
	output.text = (struct render_buffer){0};
	output_end(&output);
	capture_list_free(&list);
}

/* One of each kind of what a capture has, with two processes and threads. */
static void make_log(const char *path)
{
	struct make_capture capture = make_capture();
	struct make_block block = make_block(&capture, 0, 0, 4096, 1000);
	const uint64_t frames[] = {0x401000, 0x402000};
	const char kinds[] = {BINLOG_ARG_STRING, BINLOG_ARG_I32, 0};
	const struct make_context contexts[] = {
		{.id = 16, .text = BINLOG_TEXT_LITERAL, .format = 1},
		{.id = 17,
			.text = BINLOG_TEXT_FORMAT,
			.format = 2,
			.stream = 1,
			.kinds = kinds,
			.frames = frames,
			.depth = LENGTH(frames)},
	};
	uint32_t i;

	make_process(&block, MAKE_PID, "/bin/one");
	make_thread(&block, MAKE_PID, "first");
	make_module(&block, 0x400000, 0x500000, 0x400000, "/bin/one");
	make_string(&block, 1, "begin\n");
	make_string(&block, 2, "name=%s number=%d\n");
	make_stream(&block, 1, BINLOG_STREAM_STDOUT, 1);
	for (i = 0; i < LENGTH(contexts); i++)
		make_context(&block, &contexts[i]);
	make_message(&block, 16, 1000);
	for (i = 0; i < 20; i++) {
		make_message(&block, 17, 1001 + i);
		make_text(&block, "some text");
		make_u32(&block, i);
	}
	block = make_block(&capture, 1, 0, 4096, 1010);
	make_thread(&block, MAKE_PID + 1, "second");
	make_string(&block, 1, "begin\n");
	make_context(&block, &contexts[0]);
	make_message(&block, 16, 1010);
	make_file(&capture, path);
	make_free(&capture);
}

/* A frame, a hole, a frame, and a hole at the end. */
static void make_holed_log(const char *path)
{
	struct frame_write frame = {0};
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	uint64_t i;

	for (i = 0; i < 2; i++) {
		frame.out.length = 0;
		frame_write_begin(&frame, PACKED_DATA);
		frame_write_uint(&frame, PACKED_DATA_NUMBER, i);
		frame_write_end(&frame);
		assert_int_equal(pwrite(fd, frame.out.data, frame.out.length,
					 (off_t)(i << 20)),
			frame.out.length);
	}
	assert_int_equal(ftruncate(fd, 3 << 20), 0);
	close(fd);
	frame_write_free(&frame);
}

static void make_ring_log(const char *path)
{
	struct make_ring ring = make_ring(0);

	make_ring_add(&ring, 5, 1000, "abc", RING_DONE);
	make_ring_add(&ring, 6, 2000, "def", RING_OPEN);
	make_ring_keep(&ring, 1000, 2002);
	make_file(&ring.capture, path);
	make_free(&ring.capture);
}

static struct reading whole_reading(read_log *read, const char *path)
{
	struct reading whole = {0};

	/* what stays for good is there then */
	read(path, &whole);
	render_buffer_free(&whole.text);
	whole = (struct reading){0};
	read(path, &whole);
	assert_true(whole.text.length > 0);
	return whole;
}

static bool is_same(const struct reading *a, const struct reading *b)
{
	if (a->sum != b->sum)
		return false;
	return a->is_packed ||
	       (a->text.length == b->text.length &&
		       memcmp(a->text.data, b->text.data, a->text.length) == 0);
}

/* Something that is not said of the whole log. */
static bool says_more(
	const struct error_list *errors, const struct error_list *usual)
{
	size_t i, j;

	for (i = 0; i < errors->count && i < ERROR_KEPT_MAX; i++) {
		for (j = 0; j < usual->count && j < ERROR_KEPT_MAX; j++)
			if (usual->kept[j].code == errors->kept[i].code)
				break;
		if (j == usual->count)
			return true;
	}
	return false;
}

/* False: there is no k-th. */
static bool fails_well(read_log *read, const char *path,
	const struct reading *whole, enum inject_kind kind, unsigned long k,
	bool for_ever)
{
	struct reading reading = {0};
	bool told;

	inject_begin(kind, k, for_ever);
	read(path, &reading);
	inject_end();
	told = reading.text.failed ||
	       says_more(&reading.errors, &whole->errors);
	if (!told && !is_same(&reading, whole))
		fail_msg("%s: fault %lu of kind %d: %zu bytes of %zu and "
			 "nothing is said",
			path, k, kind, reading.text.length, whole->text.length);
	render_buffer_free(&reading.text);
	if (inject.blocks != 0)
		fail_msg("%s: fault %lu of kind %d: %ld blocks are left", path,
			k, kind, inject.blocks);
	return inject.happened;
}

static void try_all(read_log *read, const char *path, enum inject_kind kind)
{
	struct reading whole = whole_reading(read, path);
	unsigned long k = 0;

	while (fails_well(read, path, &whole, kind, k, false) &&
		fails_well(read, path, &whole, kind, k, true))
		k++;
	assert_true(k > 0);
	render_buffer_free(&whole.text);
}

static const char *made_path(void)
{
	static char path[64];

	snprintf(path, sizeof(path), "/tmp/binlog-test-%d-faults.binlog",
		(int)getpid());
	return path;
}

/* Packed logs with all kinds of records, batches and columns. */
static const char *const packed[] = {
	"tests/golden/1-kinds.blog",
	"tests/golden/1-kinds-plain.blog",
	"tests/golden/1-columns.blog",
	"tests/golden/1-threads.blog",
	"tests/golden/1-processes.blog",
	"tests/golden/1-varying.blog",
	"tests/golden/1-listing.blog",
};

/* Of a process that is gone, and of one that may write. */
static void try_ring(enum inject_kind kind)
{
	int fd;

	make_ring_log(made_path());
	try_all(read_messages, made_path(), kind);
	fd = open(made_path(), O_RDWR | O_CLOEXEC);
	try_all(read_messages, made_path(), kind);
	close(fd);
	unlink(made_path());
}

static void try_logs(enum inject_kind kind)
{
	size_t i;

	make_log(made_path());
	try_all(read_messages, made_path(), kind);
	try_all(recover, made_path(), kind);
	unlink(made_path());
	try_ring(kind);
	for (i = 0; i < LENGTH(packed); i++)
		try_all(read_messages, packed[i], kind);
	/* a log may end behind any frame */
	if (kind != INJECT_END)
		try_all(recover, packed[0], kind);
}

static void without_memory_what_is_missing_is_told(void **state)
{
	(void)state;
	try_logs(INJECT_MEMORY);
}

static void when_the_disk_fails_what_is_missing_is_told(void **state)
{
	(void)state;
	try_logs(INJECT_ERROR);
}

static void when_a_file_shrinks_what_is_missing_is_told(void **state)
{
	(void)state;
	try_logs(INJECT_END);
}

/* Nothing is missing then. */
static void assert_changes_nothing(const char *path, enum inject_kind kind)
{
	struct reading whole = whole_reading(read_messages, path);
	struct reading reading = {0};
	unsigned long k;

	for (k = 0; k == 0 || inject.happened; k++) {
		inject_begin(kind, k, false);
		read_messages(path, &reading);
		inject_end();
		assert_true(is_same(&reading, &whole));
		assert_int_equal(reading.errors.count, whole.errors.count);
		render_buffer_free(&reading.text);
		reading = (struct reading){0};
	}
	render_buffer_free(&whole.text);
}

static void reads_that_are_interrupted_or_short_are_continued(void **state)
{
	size_t i;

	(void)state;
	make_log(made_path());
	assert_changes_nothing(made_path(), INJECT_INTERRUPTED);
	assert_changes_nothing(made_path(), INJECT_SHORT);
	unlink(made_path());
	for (i = 0; i < LENGTH(packed); i++) {
		assert_changes_nothing(packed[i], INJECT_INTERRUPTED);
		assert_changes_nothing(packed[i], INJECT_SHORT);
	}
}

static void when_nothing_can_be_asked_of_a_file_that_is_told(void **state)
{
	(void)state;
	try_logs(INJECT_STAT);
}

/* Holes are read like all else then. */
static void when_holes_are_not_known_nothing_is_missing(void **state)
{
	(void)state;
	make_log(made_path());
	assert_int_equal(truncate(made_path(), 1 << 20), 0);
	assert_changes_nothing(made_path(), INJECT_SEEK);
	make_holed_log(made_path());
	assert_changes_nothing(made_path(), INJECT_SEEK);
	unlink(made_path());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_memory_what_is_missing_is_told),
		cmocka_unit_test(when_the_disk_fails_what_is_missing_is_told),
		cmocka_unit_test(when_a_file_shrinks_what_is_missing_is_told),
		cmocka_unit_test(
			reads_that_are_interrupted_or_short_are_continued),
		cmocka_unit_test(
			when_nothing_can_be_asked_of_a_file_that_is_told),
		cmocka_unit_test(when_holes_are_not_known_nothing_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
