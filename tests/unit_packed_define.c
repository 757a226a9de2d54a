/*
 * Packed logs whose definitions come late, twice, or refer to what is not
 * there: messages say what is known of them, and what makes no sense is told.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "decoder/frame_write.h"
#include "decoder/limits.h"
#include "decoder/pack_value.h"
#include "decoder/packed_reader.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

struct log {
	struct frame_write frame;
	struct error_list errors;
	struct render_buffer text; /* of all messages, a line each */
};

static void begin(struct log *log, enum packed_tag tag)
{
	frame_write_begin(&log->frame, tag);
}

static void number(struct log *log, unsigned field, uint64_t value)
{
	frame_write_uint(&log->frame, field, value);
}

static void text(struct log *log, unsigned field, const char *value)
{
	frame_write_text(&log->frame, field, value, strlen(value));
}

static void list(
	struct log *log, unsigned field, size_t count, const uint64_t *values)
{
	struct render_buffer *out = frame_write_list(&log->frame, field, count);

	while (count-- > 0)
		pack_value_uint(out, *values++);
}

static void end(struct log *log)
{
	frame_write_end(&log->frame);
}

static void define_string(
	struct log *log, uint64_t id, const char *value, uint64_t module)
{
	begin(log, PACKED_STRING);
	number(log, PACKED_STRING_ID, id);
	text(log, PACKED_STRING_TEXT, value);
	frame_write_some(&log->frame, PACKED_STRING_MODULE, module);
	end(log);
}

static void define_module(struct log *log, uint64_t id, const char *path)
{
	begin(log, PACKED_MODULE);
	number(log, PACKED_MODULE_ID, id);
	text(log, PACKED_MODULE_PATH, path);
	end(log);
}

static void define_process(struct log *log, uint64_t id, uint64_t pid)
{
	begin(log, PACKED_PROCESS);
	number(log, PACKED_PROCESS_ID, id);
	number(log, PACKED_PROCESS_CAPTURE, 1);
	number(log, PACKED_PROCESS_PID, pid);
	end(log);
}

static void define_thread(struct log *log, uint64_t id, uint64_t process)
{
	begin(log, PACKED_THREAD);
	number(log, PACKED_THREAD_ID, id);
	number(log, PACKED_THREAD_PROCESS, process);
	number(log, PACKED_THREAD_TID, 42);
	end(log);
}

static void define_trace(struct log *log, uint64_t id, size_t modules,
	size_t offsets, uint64_t like, uint64_t shared)
{
	static const uint64_t values[LIMITS_DEPTH + 1] = {7};

	begin(log, PACKED_BACKTRACE);
	number(log, PACKED_BACKTRACE_ID, id);
	list(log, PACKED_BACKTRACE_MODULES, modules, values);
	list(log, PACKED_BACKTRACE_OFFSETS, offsets, values);
	number(log, PACKED_BACKTRACE_LIKE, like);
	number(log, PACKED_BACKTRACE_SHARED, shared);
	end(log);
}

static void define_site(
	struct log *log, uint64_t id, const char *kinds, size_t count)
{
	begin(log, PACKED_SITE);
	number(log, PACKED_SITE_ID, id);
	number(log, PACKED_SITE_TEXT, BINLOG_TEXT_FORMAT);
	number(log, PACKED_SITE_FORMAT, id);
	number(log, PACKED_SITE_BACKTRACE, id);
	frame_write_binary(&log->frame, PACKED_SITE_KINDS, kinds, count);
	end(log);
}

static void say(struct log *log, uint64_t nth, uint64_t site, uint64_t value)
{
	begin(log, PACKED_DATA);
	number(log, PACKED_DATA_NUMBER, nth);
	number(log, PACKED_DATA_SITE, site);
	number(log, PACKED_DATA_THREAD, 1);
	list(log, PACKED_DATA_ARGUMENTS, 1, &value);
	end(log);
}

static size_t read_all(struct log *log)
{
	struct packed_readers readers = {.captures.errors = &log->errors};
	const struct message *message;
	struct packed_reader *reader;
	size_t messages = 0;
	char path[32];
	int fd = memfd_create("log", MFD_CLOEXEC);

	assert_int_equal(write(fd, log->frame.out.data, log->frame.out.length),
		log->frame.out.length);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	reader = packed_reader_new(path, &readers);
	assert_non_null(reader);
	for (; (message = packed_reader_next(reader)); messages++)
		message_text(message, &log->text);
	packed_reader_free(reader);
	packed_inflate_free(&readers.inflate);
	packed_captures_free(&readers.captures);
	close(fd);
	return messages;
}

static const char *said(struct log *log)
{
	render_buffer_put_byte(&log->text, '\0');
	return log->text.data;
}

static size_t told(const struct log *log, enum error_code code)
{
	size_t count = 0;
	size_t i;

	for (i = 0; i < log->errors.count && i < ERROR_KEPT_MAX; i++)
		count += log->errors.kept[i].code == code;
	return count;
}

static void free_log(struct log *log)
{
	frame_write_free(&log->frame);
	render_buffer_free(&log->text);
}

static void what_comes_late_or_again_counts(void **state)
{
	static const char kinds[] = {BINLOG_ARG_I32};
	struct log log = {0};
	uint64_t round;

	(void)state;
	for (round = 0; round < 3; round++) {
		define_site(&log, 1, kinds, 1);
		define_string(&log, 1, "n=%d\n", 7);
		define_thread(&log, 1, 1);
		define_trace(&log, 2, 1, 1, 0, 0);
		define_trace(&log, 1, 1, 1, 2, 1);
		define_trace(&log, 1, 1, 1, 9, 1);
		define_process(&log, 1, 42);
		say(&log, round, 1, round);
		define_module(&log, 7, "/bin/true");
	}
	assert_int_equal(read_all(&log), 3);
	/* The module comes last. */
	assert_non_null(strstr(said(&log), "n=1\nn=2\n"));
	assert_int_equal(told(&log, ERROR_PACKED_RECORD), 0);
	free_log(&log);
}

static void what_makes_no_sense_is_told(void **state)
{
	static const char kinds[DEFINITION_ARGUMENTS_MAX + 1] = {
		BINLOG_ARG_STRING};
	static const uint64_t functions[LIMITS_INLINED + 1] = {0};
	struct log log = {0};

	(void)state;
	define_trace(&log, 3, 1, 2, 0, 0);
	define_trace(&log, 3, LIMITS_DEPTH + 1, LIMITS_DEPTH + 1, 0, 0);
	define_trace(&log, 2, 1, 1, 0, 0);
	define_trace(&log, 3, 1, 1, 2, 2);
	define_trace(&log, 0, 1, 1, 0, 0);
	define_string(&log, 0, "x", 0);
	define_site(&log, 4, kinds, sizeof(kinds));
	begin(&log, PACKED_SYMBOL);
	end(&log);
	begin(&log, PACKED_SYMBOL);
	list(&log, PACKED_SYMBOL_FUNCTIONS, LENGTH(functions), functions);
	end(&log);
	define_string(&log, 1, "%s", 0);
	define_site(&log, 1, kinds, 1); /* a string, not a number */
	say(&log, 0, 1, 5);
	define_string(&log, 2, "%d", 0);
	define_site(&log, 2, "\7\7", 2);
	say(&log, 1, 2, 5);
	define_string(&log, 3, "%y", 0);
	define_site(&log, 3, "\77", 1);
	say(&log, 2, 3, 5);
	assert_int_equal(read_all(&log), 0);
	assert_int_equal(told(&log, ERROR_PACKED_RECORD), 8);
	assert_int_equal(told(&log, ERROR_PACKED_BATCH), 3);
	free_log(&log);
}

/* A record without anything but the id of something else. */
static void refer(
	struct log *log, enum packed_tag tag, unsigned field, uint64_t id)
{
	begin(log, tag);
	number(log, field, id);
	end(log);
}

static void what_refers_to_nothing_does_no_harm(void **state)
{
	static const uint64_t ids[] = {9, 1, 1}, counts[] = {3, 4};
	static const char kinds[] = {BINLOG_ARG_I32};
	struct log log = {0};

	(void)state;
	refer(&log, PACKED_PREAMBLE, PACKED_PREAMBLE_ID, 1);
	refer(&log, PACKED_MAPPING, PACKED_MAPPING_PROCESS, 9);
	refer(&log, PACKED_LOSS, PACKED_LOSS_CAPTURE, 9);
	refer(&log, PACKED_CAPTURE_END, PACKED_CAPTURE_END_CAPTURE, 9);
	define_process(&log, 1, 42);
	refer(&log, PACKED_MAPPING, PACKED_MAPPING_PROCESS, 1);
	refer(&log, PACKED_CAPTURE_END, PACKED_CAPTURE_END_CAPTURE, 1);
	begin(&log, PACKED_CAPTURE_END);
	number(&log, PACKED_CAPTURE_END_CAPTURE, 1);
	list(&log, PACKED_CAPTURE_END_PROCESSES, 3, ids);
	list(&log, PACKED_CAPTURE_END_OF_PASSED, 2, counts);
	list(&log, PACKED_CAPTURE_END_OF_DROPPED, 2, counts);
	end(&log);
	begin(&log, PACKED_SYMBOL);
	number(&log, PACKED_SYMBOL_MODULE, 9);
	list(&log, PACKED_SYMBOL_FUNCTIONS, 1, ids);
	end(&log);
	define_thread(&log, 1, 1);
	define_string(&log, 1, "n=%d\n", 0);
	define_site(&log, 1, kinds, 1);
	say(&log, 0, 1, 5);
	assert_int_equal(read_all(&log), 1);
	assert_string_equal(said(&log), "n=5\n");
	assert_int_equal(told(&log, ERROR_PACKED_RECORD), 0);
	free_log(&log);
}

/* As bits, as a double, and what is not there: libc is the judge. */
static void arguments_may_be_told_in_other_ways(void **state)
{
	static const char kinds[] = {
		BINLOG_ARG_F64, BINLOG_ARG_F64, BINLOG_ARG_STRING};
	const char *volatile null = NULL;
	const double value = 1.5;
	struct render_buffer *out;
	struct log log = {0};
	char expected[64];
	uint64_t bits;

	(void)state;
	memcpy(&bits, &value, sizeof(bits));
	define_process(&log, 1, 42);
	define_thread(&log, 1, 1);
	define_string(&log, 1, "%f %g %s\n", 0);
	define_site(&log, 1, kinds, sizeof(kinds));
	begin(&log, PACKED_DATA);
	number(&log, PACKED_DATA_NUMBER, 0);
	number(&log, PACKED_DATA_SITE, 1);
	number(&log, PACKED_DATA_THREAD, 1);
	out = frame_write_list(&log.frame, PACKED_DATA_ARGUMENTS, 3);
	pack_value_uint(out, bits);
	pack_value_double(out, 2.25);
	pack_value_nil(out);
	end(&log);
	assert_int_equal(read_all(&log), 1);
	snprintf(expected, sizeof(expected), "%f %g %s\n", value, 2.25, null);
	assert_string_equal(said(&log), expected);
	free_log(&log);
}

static void define_child(struct log *log, uint64_t id, uint64_t parent)
{
	static const uint64_t start[] = {1, 2};

	begin(log, PACKED_PROCESS);
	number(log, PACKED_PROCESS_ID, id);
	number(log, PACKED_PROCESS_CAPTURE, 1);
	number(log, PACKED_PROCESS_PID, 40 + id);
	number(log, PACKED_PROCESS_PARENT, parent);
	text(log, PACKED_PROCESS_EXECUTABLE, "/bin/true");
	list(log, PACKED_PROCESS_START, 1 + parent % 2, start);
	end(log);
}

static void put_symbol(struct log *log, const char *function)
{
	static const uint64_t lines[] = {12};

	begin(log, PACKED_SYMBOL);
	number(log, PACKED_SYMBOL_MODULE, 7);
	frame_write_list(&log->frame, PACKED_SYMBOL_FUNCTIONS, 2);
	frame_write_item_text(&log->frame, function, 4);
	frame_write_item_text(&log->frame, "outer", 5);
	list(log, PACKED_SYMBOL_LINES, 1, lines);
	end(log);
}

/* Its own child, the child of a grandchild; lists that are too short. */
static void what_cannot_be_does_no_harm(void **state)
{
	static const char kinds[] = {BINLOG_ARG_I32};
	struct log log = {0};
	uint64_t id;

	(void)state;
	for (id = 1; id < 40; id++)
		define_child(&log, id, id - 1);
	define_child(&log, 40, 40);
	define_child(&log, 1, 39);
	define_module(&log, 7, "/bin/true");
	put_symbol(&log, "main");
	put_symbol(&log, "ma\0n");
	define_thread(&log, 1, 39);
	define_string(&log, 1, "n=%d\n", 7);
	define_site(&log, 1, kinds, 1);
	define_trace(&log, 1, 0, 0, 0, 0);
	say(&log, 0, 1, 5);
	assert_int_equal(read_all(&log), 1);
	assert_string_equal(said(&log), "n=5\n");
	assert_int_equal(told(&log, ERROR_PACKED_RECORD), 0);
	free_log(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_comes_late_or_again_counts),
		cmocka_unit_test(what_makes_no_sense_is_told),
		cmocka_unit_test(what_refers_to_nothing_does_no_harm),
		cmocka_unit_test(arguments_may_be_told_in_other_ways),
		cmocka_unit_test(what_cannot_be_does_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
