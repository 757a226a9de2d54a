/*
 * perror, warn, err and error say what libc says, whether it is recorded, made
 * natively, both, or printed in parts; and what they leave behind is the same.
 */
#include "tests/complaint_world.h"

#define OURS (as != NATIVE)

static void call_perror(const char *s)
{
	errno = ENOENT;
	if (OURS)
		report_errno(&call, s);
	else
		perror(s);
}

static void call_warn(const char *format, ...)
{
	va_list ap;

	errno = ENOENT;
	va_start(ap, format);
	if (OURS)
		report_warn(&call, format, ap);
	else
		vwarn(format, ap);
	va_end(ap);
}

static void call_warnx(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	if (OURS)
		report_warnx(&call, format, ap);
	else
		vwarnx(format, ap);
	va_end(ap);
}

static void our_error(int status, int number, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	complaint_error(&call, status, number, format, ap);
	va_end(ap);
}

static void our_error_at_line(int status, int number, const char *name,
	unsigned line, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	complaint_error_at_line(&call, status, number, name, line, format, ap);
	va_end(ap);
}

#define CALL_ERROR(...)                                                        \
	(OURS ? our_error(__VA_ARGS__) : next_error(__VA_ARGS__))
#define CALL_ERROR_AT_LINE(...)                                                \
	(OURS ? our_error_at_line(__VA_ARGS__)                                 \
	      : next_error_at_line(__VA_ARGS__))

static void perrors(void)
{
	call_perror("name");
	call_perror("");
	call_perror(NULL);
}

static void warns(void)
{
	call_warn("a format: %m %d", 5);
	call_warn(NULL);
	call_warn("");
	call_warnx("a format: %s", "text");
	call_warnx(NULL);
}

static void errors(void)
{
	errno = ENOENT;
	CALL_ERROR(0, 0, "a format: %m %d", 5);
	CALL_ERROR(0, ENOENT, "a format: %s", "text");
	CALL_ERROR_AT_LINE(0, ENOENT, "file.c", 12, "%d", 1);
	CALL_ERROR_AT_LINE(0, 0, NULL, 13, "%d", 2);
	CALL_ERROR_AT_LINE(0, 0, NULL, 13, "%d", 3);
}

static void they_say_what_libc_says(void **state)
{
	(void)state;
	says_as_libc(perrors);
	says_as_libc(warns);
	says_as_libc(errors);
}

static void print_name(void)
{
	if (as == NATIVE || as >= NO_ROOM)
		fputs("name of it: ", stderr);
	if (OURS && as != NO_ROOM && as != PASSED)
		say("name of it: ");
	if (as == TEE)
		fputs("name of it: ", stderr);
}

static void errors_by_another_name(void)
{
	error_print_progname = print_name;
	CALL_ERROR(0, 0, "a format: %d", 5);
	CALL_ERROR_AT_LINE(0, ENOENT, "file.c", 12, "%d", 1);
}

static void errors_once_a_line(void)
{
	char other[] = "file.c";

	error_one_per_line = 1;
	for (unsigned i = 0; i < 2; i++) {
		CALL_ERROR_AT_LINE(0, 0, "file.c", 12, "%u", i);
		CALL_ERROR_AT_LINE(0, 0, other, 12, "same %u", i);
		CALL_ERROR_AT_LINE(0, 0, "file.h", 12, "other %u", i);
		CALL_ERROR_AT_LINE(0, 0, "file.hh", 12, "longer %u", i);
		CALL_ERROR_AT_LINE(0, 0, "file.hh", 13, "line %u", i);
		CALL_ERROR_AT_LINE(0, 0, NULL, 13, "none %u", i);
		CALL_ERROR_AT_LINE(0, 0, NULL, 13, "none again %u", i);
		CALL_ERROR_AT_LINE(0, 0, NULL, 14, "none there %u", i);
		CALL_ERROR_AT_LINE(0, 0, "file.c", 14, "some %u", i);
	}
}

static void settings_of_error_are_followed(void **state)
{
	(void)state;
	says_as_libc(errors_once_a_line);
	complains_as(NATIVE, errors_by_another_name);
	native = *seen;
	complains_as(RECORDED, errors_by_another_name);
	assert_string_equal(seen->said, native.written);
	complains_as(PASSED, errors_by_another_name);
	assert_string_equal(seen->written, native.written);
	complains_as(NO_ROOM, errors_by_another_name);
	assert_string_equal(seen->written, native.written);
}

static void errs(void)
{
	va_list none = {0};

	atexit(note_end);
	errno = ENOENT;
	if (OURS)
		report_err(&call, 3, "text", none);
	err(3, "text");
}

static void errxs(void)
{
	va_list none = {0};

	if (OURS)
		report_errx(&call, 4, NULL, none);
	errx(4, NULL);
}

static void ends_by_error(void)
{
	CALL_ERROR(5, ENOENT, "text");
}

static void those_with_a_status_end_with_it(void **state)
{
	(void)state;
	says_as_libc(errs);
	says_as_libc(errxs);
	says_as_libc(ends_by_error);
	assert_int_equal(WEXITSTATUS(native.status), 5);
}

static void errors_with_a_zero_byte(void)
{
	CALL_ERROR(0, 0, "a%cb", 0);
}

/* Which error(3) itself could not be told to print. */
static void a_zero_byte_is_written_where_it_is(void **state)
{
	(void)state;
	complains_as(NATIVE, errors_with_a_zero_byte);
	native = *seen;
	complains_as(PASSED, errors_with_a_zero_byte);
	assert_memory_equal(seen->written, native.written, 100);
	complains_as(NO_ROOM, errors_with_a_zero_byte);
	assert_memory_equal(seen->written, native.written, 100);
}

/* ---- what perror(3) leaves behind ---- */

static void perrors_once(void)
{
	call_perror("name");
}

static void leaves_as_libc(void (*program)(void))
{
	complains_as(NATIVE, program);
	native = *seen;
	for (enum as way = RECORDED; way <= PASSED; way++) {
		if (way == IN_PARTS)
			continue;
		complains_as(way, program);
		assert_int_equal(seen->error, native.error);
		assert_int_equal(seen->mode, native.mode);
	}
}

static void perror_orients_what_cannot_be_read(void **state)
{
	(void)state;
	output_flags = O_RDWR;
	leaves_as_libc(perrors_once);
	assert_int_equal(native.mode, 0);
	assert_int_equal(native.error, ENOENT);
	output_flags = O_WRONLY;
	leaves_as_libc(perrors_once);
	assert_int_equal(native.mode, -1);
	leaves_as_libc(perrors);
	output_flags = O_RDWR;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(they_say_what_libc_says),
		cmocka_unit_test(settings_of_error_are_followed),
		cmocka_unit_test(those_with_a_status_end_with_it),
		cmocka_unit_test(a_zero_byte_is_written_where_it_is),
		cmocka_unit_test(perror_orients_what_cannot_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
