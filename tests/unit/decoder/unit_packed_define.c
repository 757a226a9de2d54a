/*
 * Packed logs whose definitions come late, twice, or refer to what is not
 * there: messages say what is known of them, and what makes no sense is told.
 */
#include "tests/unit/world/make_log.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

static void what_comes_late_or_again_counts(void **state)
{
	static const char kinds[] = {BINLOG_ARG_I32};
	struct make_log log = {0};
	uint64_t round;

	(void)state;
	for (round = 0; round < 4; round++) {
		make_log_site(&log, 1, kinds, 1);
		make_log_string(&log, 1, "n=%d\n", 7);
		make_log_thread(&log, 1, 1);
		make_log_trace(&log, 2, 1, 1, 0, 0);
		make_log_trace(&log, 1, 1, 1, 2, 1);
		make_log_trace(&log, 1, 1, 1, 9, 1);
		make_log_process(&log, 1, 42);
		make_log_say(&log, round, 1, round);
		make_log_module(&log, 7, "/bin/true");
	}
	assert_int_equal(make_log_read(&log), 4);
	/* The module comes last. */
	assert_non_null(strstr(make_log_said(&log), "n=1\nn=2\n"));
	assert_int_equal(make_log_told(&log, ERROR_PACKED_RECORD), 0);
	make_log_free(&log);
}

static void what_makes_no_sense_is_told(void **state)
{
	static const char kinds[FORMAT_KINDS_MAX + 1] = {
		BINLOG_ARG_STRING};
	static const uint64_t functions[LIMITS_INLINED + 1] = {0};
	struct make_log log = {0};

	(void)state;
	make_log_trace(&log, 3, 1, 2, 0, 0);
	make_log_trace(&log, 3, LIMITS_DEPTH + 1, LIMITS_DEPTH + 1, 0, 0);
	make_log_trace(&log, 2, 1, 1, 0, 0);
	make_log_trace(&log, 3, 1, 1, 2, 2);
	make_log_trace(&log, 5, LIMITS_DEPTH, LIMITS_DEPTH, 0, 0);
	make_log_trace(&log, 6, 1, 1, 5, LIMITS_DEPTH);
	make_log_trace(&log, 0, 1, 1, 0, 0);
	make_log_string(&log, 0, "x", 0);
	make_log_site(&log, 4, kinds, sizeof(kinds));
	make_log_begin(&log, PACKED_SYMBOL);
	make_log_end(&log);
	make_log_begin(&log, PACKED_SYMBOL);
	make_log_list(
		&log, PACKED_SYMBOL_FUNCTIONS, LENGTH(functions), functions);
	make_log_end(&log);
	make_log_string(&log, 1, "%s", 0);
	make_log_site(&log, 1, kinds, 1); /* a string, not a number */
	make_log_say(&log, 0, 1, 5);
	make_log_string(&log, 2, "%d", 0);
	make_log_site(&log, 2, "\7\7", 2);
	make_log_say(&log, 1, 2, 5);
	make_log_string(&log, 3, "%y", 0);
	make_log_site(&log, 3, "\77", 1);
	make_log_say(&log, 2, 3, 5);
	make_log_begin(&log, PACKED_DATA);
	make_log_number(&log, PACKED_DATA_NUMBER, 3);
	make_log_list(
		&log, PACKED_DATA_ARGUMENTS, LENGTH(functions), functions);
	make_log_end(&log);
	assert_int_equal(make_log_read(&log), 0);
	assert_int_equal(make_log_told(&log, ERROR_PACKED_RECORD), 9);
	assert_int_equal(make_log_told(&log, ERROR_PACKED_BATCH), 4);
	make_log_free(&log);
}

static void what_refers_to_nothing_does_no_harm(void **state)
{
	static const uint64_t ids[] = {9, 1, 1}, counts[] = {3, 4};
	static const char kinds[] = {BINLOG_ARG_I32};
	struct make_log log = {0};

	(void)state;
	make_log_refer(&log, PACKED_PREAMBLE, PACKED_PREAMBLE_ID, 1);
	make_log_refer(&log, PACKED_MAPPING, PACKED_MAPPING_PROCESS, 9);
	make_log_refer(&log, PACKED_LOSS, PACKED_LOSS_CAPTURE, 9);
	make_log_refer(&log, PACKED_CAPTURE_END, PACKED_CAPTURE_END_CAPTURE, 9);
	make_log_process(&log, 1, 42);
	make_log_refer(&log, PACKED_MAPPING, PACKED_MAPPING_PROCESS, 1);
	make_log_refer(&log, PACKED_CAPTURE_END, PACKED_CAPTURE_END_CAPTURE, 1);
	make_log_begin(&log, PACKED_CAPTURE_END);
	make_log_number(&log, PACKED_CAPTURE_END_CAPTURE, 1);
	make_log_list(&log, PACKED_CAPTURE_END_PROCESSES, 3, ids);
	make_log_list(&log, PACKED_CAPTURE_END_OF_PASSED, 2, counts);
	make_log_list(&log, PACKED_CAPTURE_END_OF_DROPPED, 2, counts);
	make_log_end(&log);
	make_log_begin(&log, PACKED_SYMBOL);
	make_log_number(&log, PACKED_SYMBOL_MODULE, 9);
	make_log_list(&log, PACKED_SYMBOL_FUNCTIONS, 1, ids);
	make_log_end(&log);
	make_log_thread(&log, 1, 1);
	make_log_string(&log, 1, "n=%d\n", 0);
	make_log_site(&log, 1, kinds, 1);
	make_log_say(&log, 0, 1, 5);
	assert_int_equal(make_log_read(&log), 1);
	assert_string_equal(make_log_said(&log), "n=5\n");
	assert_int_equal(make_log_told(&log, ERROR_PACKED_RECORD), 0);
	make_log_free(&log);
}

/* As bits, as a double, and what is not there: libc is the judge. */
static void arguments_may_be_told_in_other_ways(void **state)
{
	static const char kinds[] = {BINLOG_ARG_F64, BINLOG_ARG_F64,
		BINLOG_ARG_F64, BINLOG_ARG_STRING};
	static const uint8_t single[] = {0xca, 0x3f, 0xc0, 0, 0}; /* 1.5 */
	const char *volatile null = NULL;
	const double value = 1.5;
	struct render_buffer *out;
	struct make_log log = {0};
	char expected[64];
	uint64_t bits;

	(void)state;
	memcpy(&bits, &value, sizeof(bits));
	make_log_process(&log, 1, 42);
	make_log_thread(&log, 1, 1);
	make_log_string(&log, 1, "%f %g %g %s\n", 0);
	make_log_site(&log, 1, kinds, sizeof(kinds));
	make_log_begin(&log, PACKED_DATA);
	make_log_number(&log, PACKED_DATA_NUMBER, 0);
	make_log_number(&log, PACKED_DATA_SITE, 1);
	make_log_number(&log, PACKED_DATA_THREAD, 1);
	out = frame_write_list(&log.frame, PACKED_DATA_ARGUMENTS, 4);
	pack_value_uint(out, bits);
	pack_value_double(out, 2.25);
	render_buffer_put(out, single, sizeof(single));
	pack_value_nil(out);
	make_log_end(&log);
	assert_int_equal(make_log_read(&log), 1);
	snprintf(expected, sizeof(expected), "%f %g %g %s\n", value, 2.25, 1.5,
		null);
	assert_string_equal(make_log_said(&log), expected);
	make_log_free(&log);
}

static void define_child(struct make_log *log, uint64_t id, uint64_t parent)
{
	static const uint64_t start[] = {1, 2};

	make_log_begin(log, PACKED_PROCESS);
	make_log_number(log, PACKED_PROCESS_ID, id);
	make_log_number(log, PACKED_PROCESS_CAPTURE, 1);
	make_log_number(log, PACKED_PROCESS_PID, 40 + id);
	make_log_number(log, PACKED_PROCESS_PARENT, parent);
	make_log_text(log, PACKED_PROCESS_EXECUTABLE, "/bin/true");
	make_log_list(log, PACKED_PROCESS_START, 1 + parent % 2, start);
	make_log_end(log);
}

static void put_symbol(struct make_log *log, const char *function)
{
	static const uint64_t lines[] = {12};

	make_log_begin(log, PACKED_SYMBOL);
	make_log_number(log, PACKED_SYMBOL_MODULE, 7);
	frame_write_list(&log->frame, PACKED_SYMBOL_FUNCTIONS, 2);
	frame_write_item_text(&log->frame, function, 4);
	frame_write_item_text(&log->frame, "outer", 5);
	make_log_list(log, PACKED_SYMBOL_LINES, 1, lines);
	make_log_end(log);
}

static void put_long_symbol(struct make_log *log)
{
	static const char name[1 << 16] = "f";

	make_log_begin(log, PACKED_SYMBOL);
	make_log_number(log, PACKED_SYMBOL_MODULE, 7);
	frame_write_list(&log->frame, PACKED_SYMBOL_FUNCTIONS, 1);
	frame_write_item_text(&log->frame, name, sizeof(name));
	make_log_end(log);
}

/* Its own child, the child of a grandchild; lists that are too short. */
static void what_cannot_be_does_no_harm(void **state)
{
	static const char kinds[] = {BINLOG_ARG_I32};
	struct make_log log = {0};
	uint64_t id;

	(void)state;
	for (id = 1; id < 40; id++)
		define_child(&log, id, id - 1);
	define_child(&log, 40, 40);
	define_child(&log, 1, 39);
	make_log_module(&log, 7, "/bin/true");
	put_symbol(&log, "main");
	put_symbol(&log, "ma\0n");
	put_long_symbol(&log);
	make_log_thread(&log, 1, 39);
	make_log_string(&log, 1, "n=%d\n", 7);
	make_log_site(&log, 1, kinds, 1);
	make_log_trace(&log, 1, 0, 0, 0, 0);
	make_log_say(&log, 0, 1, 5);
	assert_int_equal(make_log_read(&log), 1);
	assert_string_equal(make_log_said(&log), "n=5\n");
	assert_int_equal(make_log_told(&log, ERROR_PACKED_RECORD), 0);
	make_log_free(&log);
}

/* A HANDED of one text and one call of `numbers` numbers. */
static void put_handed(struct make_log *log, const char *text, size_t bytes,
	const uint64_t *numbers, size_t count, uint64_t more)
{
	struct render_buffer all = {0};
	size_t i;

	pack_value_array(&all, 2);
	pack_value_array(&all, 1);
	pack_value_binary(&all, text, bytes);
	pack_value_array(&all, 1);
	pack_value_array(&all, count);
	for (i = 0; i < count; i++)
		pack_value_uint(&all, numbers[i]);
	make_log_begin(log, PACKED_HANDED);
	make_log_number(log, PACKED_HANDED_BYTES, all.length + more);
	frame_write_binary(
		&log->frame, PACKED_HANDED_CALLS, all.data, all.length);
	make_log_end(log);
	render_buffer_free(&all);
}

static void what_calls_hand_on_makes_sense_or_is_told(void **state)
{
	/* module, return address; place, how, and where, of each text */
	static const uint64_t good[] = {7, 0x1234, 0, 0, 5, 9, 20, 0, 1, 5, 9,
		20};
	static const uint64_t no_place[] = {7, 0x1235, 1, 0, 5, 9, 20};
	static const uint64_t no_way[] = {7, 0x1236, 0,
		SYMBOLIZER_HANDINGS * SYMBOLIZER_ANSWERS, 5, 9, 20};
	static const uint64_t no_module[] = {8, 0x1234, 0, 0, 5, 9, 20};
	static const uint64_t many[2 + 5 * (LIMITS_HANDED + 1)] = {7, 1};
	struct make_log log = {0};

	(void)state;
	make_log_process(&log, 1, 42);
	make_log_module(&log, 7, "/bin/true");
	put_handed(&log, "said %s", 7, good, 2, 0);
	put_handed(&log, "said %s", 7, good, LENGTH(good), 0);
	put_handed(&log, "said %s", 7, no_module, LENGTH(no_module), 0);
	put_handed(&log, "said %s", 7, many, LENGTH(many) - 5, 0);
	assert_int_equal(make_log_read(&log), 0);
	assert_int_equal(make_log_told(&log, ERROR_PACKED_RECORD), 0);
	put_handed(&log, "said %s", 7, good, LENGTH(good), 1);
	put_handed(&log, "said %s", 7, good, LENGTH(good) - 1, 0);
	put_handed(&log, "said %s", 7, good, 1, 0);
	put_handed(&log, "sa\0d %s", 7, good, LENGTH(good), 0);
	put_handed(&log, "", 0, good, LENGTH(good), 0);
	put_handed(&log, "said %s", 7, no_place, LENGTH(no_place), 0);
	put_handed(&log, "said %s", 7, no_way, LENGTH(no_way), 0);
	put_handed(&log, "said %s", 7, many, LENGTH(many), 0);
	make_log_begin(&log, PACKED_HANDED);
	make_log_end(&log);
	assert_int_equal(make_log_read(&log), 0);
	assert_int_equal(make_log_told(&log, ERROR_PACKED_RECORD), 9);
	make_log_free(&log);
}

static void end_capture(
	struct make_log *log, size_t passed, size_t dropped, bool lists)
{
	static const uint64_t ids[] = {1, 2}, counts[] = {3, 4};

	make_log_begin(log, PACKED_CAPTURE_END);
	make_log_number(log, PACKED_CAPTURE_END_CAPTURE, 1);
	make_log_list(log, PACKED_CAPTURE_END_PROCESSES, 2, ids);
	if (lists || passed > 0)
		make_log_list(
			log, PACKED_CAPTURE_END_OF_PASSED, passed, counts);
	if (lists || dropped > 0)
		make_log_list(
			log, PACKED_CAPTURE_END_OF_DROPPED, dropped, counts);
	make_log_end(log);
}

static void lists_that_are_too_short_are_read_as_far_as_they_go(void **state)
{
	struct make_log log = {0};

	(void)state;
	make_log_refer(&log, PACKED_PREAMBLE, PACKED_PREAMBLE_ID, 1);
	make_log_process(&log, 1, 42);
	make_log_process(&log, 2, 43);
	end_capture(&log, 0, 0, false);
	end_capture(&log, 2, 0, false);
	end_capture(&log, 0, 2, false);
	end_capture(&log, 1, 2, true);
	end_capture(&log, 2, 1, true);
	assert_int_equal(make_log_read(&log), 0);
	assert_int_equal(log.errors.count, 0);
	make_log_free(&log);
}

static void a_loss_is_told_again_also_one_of_a_new_kind(void **state)
{
	static const struct {
		uint64_t code;
		enum error_code told;
	} cases[] = {
		{ERROR_BLOCK_TWICE, ERROR_BLOCK_TWICE},
		{60000, ERROR_PACKED_LOSS},
		{ERROR_NONE, ERROR_PACKED_LOSS},
	};
	size_t i;

	(void)state;
	for (i = 0; i < LENGTH(cases); i++) {
		struct make_log log = {0};

		make_log_refer(
			&log, PACKED_LOSS, PACKED_LOSS_CODE, cases[i].code);
		make_log_read(&log);
		assert_int_equal(log.errors.count, 1);
		assert_int_equal(make_log_told(&log, cases[i].told), 1);
		make_log_free(&log);
	}
}

static void describe_capture(struct make_log *log, uint64_t id, uint64_t run,
	uint64_t pid, size_t count, const uint64_t *start)
{
	make_log_begin(log, PACKED_PREAMBLE);
	make_log_number(log, PACKED_PREAMBLE_ID, id);
	make_log_number(log, PACKED_PREAMBLE_NONCE, 5);
	make_log_number(log, PACKED_PREAMBLE_RUN, run);
	make_log_number(log, PACKED_PREAMBLE_PID, pid);
	make_log_list(log, PACKED_PREAMBLE_START, count, start);
	make_log_end(log);
}

/* It is the same as the one before, or differs in one thing. */
static void captures_are_told_apart(void **state)
{
	static const struct {
		uint64_t run, pid;
		size_t count;
		uint64_t start[2];
		size_t captures;
	} cases[] = {
		{7, 8, 2, {1, 2}, 1},
		{6, 8, 2, {1, 2}, 2},
		{7, 9, 2, {1, 2}, 2},
		{7, 8, 2, {1, 3}, 2},
		{7, 8, 1, {1}, 2},
		{7, 8, 2, {3, 2}, 2},
	};
	size_t i;

	(void)state;
	for (i = 0; i < LENGTH(cases); i++) {
		struct make_log log = {0};

		describe_capture(&log, 1, 7, 8, 2, cases[0].start);
		describe_capture(&log, 2, cases[i].run, cases[i].pid,
			cases[i].count, cases[i].start);
		make_log_read(&log);
		assert_int_equal(log.captures, cases[i].captures);
		assert_int_equal(log.errors.count, 0);
		make_log_free(&log);
	}
}

static void define_executable(struct make_log *log, uint64_t id)
{
	make_log_begin(log, PACKED_PROCESS);
	make_log_number(log, PACKED_PROCESS_ID, id);
	make_log_number(log, PACKED_PROCESS_CAPTURE, 1);
	make_log_number(log, PACKED_PROCESS_PID, 42);
	make_log_text(log, PACKED_PROCESS_EXECUTABLE,
		id == 1 ? "/bin/first" : "/bin/second");
	make_log_end(log);
}

static void define_stream(struct make_log *log, uint64_t id, const char *path)
{
	make_log_begin(log, PACKED_STREAM);
	make_log_number(log, PACKED_STREAM_ID, id);
	make_log_text(log, PACKED_STREAM_PATH, path);
	make_log_end(log);
}

/* By two ids; what was said first counts. */
static void what_is_told_of_twice_stays(void **state)
{
	static const char kinds[] = {BINLOG_ARG_I32, BINLOG_ARG_STRING};
	struct make_log log = {0};

	(void)state;
	define_executable(&log, 1);
	define_executable(&log, 2);
	define_stream(&log, 1, "/tmp/one");
	define_stream(&log, 1, "/tmp/two");
	make_log_string(&log, 1, "n=%d\n", 9);
	make_log_site(&log, 1, kinds, 2);
	make_log_site(&log, 1, kinds, 1);
	make_log_thread(&log, 1, 2);
	make_log_say(&log, 0, 1, 5);
	assert_int_equal(make_log_read(&log), 1);
	assert_string_equal(make_log_said(&log), "n=5\n");
	assert_string_equal(log.program, "first");
	make_log_free(&log);
}

/* No more than this is kept, and what was left out is told. */
static void definitions_take_a_bounded_amount_of_memory(void **state)
{
	static const char kinds[] = {BINLOG_ARG_I32};
	uint64_t limit = limits_of(LIMIT_DEFINITIONS);
	bool all = false;
	size_t most;

	(void)state;
	for (most = 0; !all; most += 16) {
		struct make_log log = {0};

		make_log_trace(&log, 1, 1, 1, 0, 0);
		define_stream(&log, 1, "/tmp/one");
		define_executable(&log, 1);
		make_log_thread(&log, 1, 1);
		make_log_module(&log, 7, "/bin/true");
		make_log_string(&log, 1, "n=%d\n", 7);
		make_log_site(&log, 1, kinds, 1);
		make_log_say(&log, 0, 1, 5);
		limits_values[LIMIT_DEFINITIONS] = most;
		make_log_read(&log);
		limits_values[LIMIT_DEFINITIONS] = limit;
		all = make_log_told(&log, ERROR_PACKED_MANY) == 0;
		assert_true(!all || strcmp(make_log_said(&log), "n=5\n") == 0);
		assert_in_range(most, 0, 4096);
		make_log_free(&log);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_comes_late_or_again_counts),
		cmocka_unit_test(what_makes_no_sense_is_told),
		cmocka_unit_test(what_refers_to_nothing_does_no_harm),
		cmocka_unit_test(arguments_may_be_told_in_other_ways),
		cmocka_unit_test(what_cannot_be_does_no_harm),
		cmocka_unit_test(what_calls_hand_on_makes_sense_or_is_told),
		cmocka_unit_test(
			lists_that_are_too_short_are_read_as_far_as_they_go),
		cmocka_unit_test(a_loss_is_told_again_also_one_of_a_new_kind),
		cmocka_unit_test(captures_are_told_apart),
		cmocka_unit_test(what_is_told_of_twice_stays),
		cmocka_unit_test(definitions_take_a_bounded_amount_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
