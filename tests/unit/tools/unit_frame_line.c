#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tools/frames/frame_line.h"

static struct frame_line frame;

static bool read_line(const char *line)
{
	return frame_line_read(&frame, line, strlen(line));
}

static void assert_piece(const char *text, size_t bytes, const char *wanted)
{
	assert_int_equal(bytes, strlen(wanted));
	assert_memory_equal(text, wanted, bytes);
}

static void an_offset_in_a_module_is_asked_for(void **state)
{
	(void)state;
	assert_true(read_line("    #12 bash+0x453d1"));
	assert_piece(frame.before, frame.before_bytes, "    #");
	assert_int_equal(frame.number, 12);
	assert_null(frame.function);
	assert_piece(frame.module, frame.module_bytes, "bash");
	assert_int_equal(frame.offset, 0x453d1);
	assert_int_equal(frame.after_bytes, 0);
}

static void an_offset_in_a_function_of_a_module_is_asked_for(void **state)
{
	(void)state;
	assert_true(read_line("#3 main+0xC3 in rsyslogd (hands the text on)"));
	assert_piece(frame.before, frame.before_bytes, "#");
	assert_piece(frame.function, frame.function_bytes, "main");
	assert_piece(frame.module, frame.module_bytes, "rsyslogd");
	assert_int_equal(frame.offset, 0xc3);
	assert_piece(frame.after, frame.after_bytes, " (hands the text on)");
}

static void names_may_have_blanks_and_what_looks_like_an_offset(void **state)
{
	(void)state;
	assert_true(read_line("#0 void f<a+0x1 in b>(int)+0x2 in my file"));
	assert_piece(frame.function, frame.function_bytes,
		"void f<a+0x1 in b>(int)");
	assert_piece(frame.module, frame.module_bytes, "my file");
	assert_int_equal(frame.offset, 2);
	assert_true(read_line("#0 my in file+0x1+0x2"));
	assert_null(frame.function);
	assert_piece(frame.module, frame.module_bytes, "my in file+0x1");
}

static void the_end_of_a_line_of_windows_stays_behind_it(void **state)
{
	(void)state;
	assert_true(read_line("#0 bash+0x1\r"));
	assert_piece(frame.module, frame.module_bytes, "bash");
	assert_piece(frame.after, frame.after_bytes, "\r");
}

static void what_has_a_name_or_no_module_is_a_frame_to_be_left(void **state)
{
	static const char *const lines[] = {"#0 main at a.c:3", "#0 0x7f001234",
		"#0 <signal handler called>", "#0 a+0x1 in b (inlined)",
		"#0 a+0x1 (tail call)", "#0 +0x1", "#0 a+0x", "#0 a+1", "#0 ",
		"#0 a+0x10000000000000000", "#0 a+0x1 ", "#0 a+0x1g"};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_true(read_line(lines[i]));
		assert_null(frame.module);
	}
}

static void other_lines_are_no_frames(void **state)
{
	static const char *const lines[] = {"", "#", "#1", "# 1 a+0x1",
		"#1a+0x1", "x #1 a+0x1", "a+0x1", "#-1 a+0x1",
		"#99999999999999999999 a+0x1"};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_false(read_line(lines[i]));
}

static void an_offset_has_64_bits(void **state)
{
	uint64_t offset;

	(void)state;
	assert_int_equal(
		frame_line_offset("a+0xffffffffffffffff", 20, &offset), 1);
	assert_true(offset == UINT64_MAX);
	assert_int_equal(
		frame_line_offset("a+0x00000000000000001", 21, &offset), 1);
	assert_int_equal(offset, 1);
	assert_int_equal(
		frame_line_offset("a+0x10000000000000000", 21, &offset), 0);
	assert_int_equal(frame_line_offset("+0x1", 4, &offset), 0);
	assert_int_equal(frame_line_offset("", 0, &offset), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_offset_in_a_module_is_asked_for),
		cmocka_unit_test(
			an_offset_in_a_function_of_a_module_is_asked_for),
		cmocka_unit_test(
			names_may_have_blanks_and_what_looks_like_an_offset),
		cmocka_unit_test(the_end_of_a_line_of_windows_stays_behind_it),
		cmocka_unit_test(
			what_has_a_name_or_no_module_is_a_frame_to_be_left),
		cmocka_unit_test(other_lines_are_no_frames),
		cmocka_unit_test(an_offset_has_64_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
