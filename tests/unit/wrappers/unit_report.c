/*
 * perror, warn, err and their kin say what libc says, whether it is recorded,
 * made natively, both, or printed in parts; and what they leave behind is the
 * same.
 */
#include "tests/unit/world/report_world.h"

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

static void they_say_what_libc_says(void **state)
{
	(void)state;
	says_as_libc(perrors);
	says_as_libc(warns);
}

static void errs(void)
{
	va_list none = {0};

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

static void those_with_a_status_end_with_it(void **state)
{
	(void)state;
	says_as_libc(errs);
	says_as_libc(errxs);
	assert_int_equal(WEXITSTATUS(native.status), 4);
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

static void perrors_in_a_sandbox(void)
{
	sys_forbidden = true;
	call_perror("name");
}

static void where_the_kernel_may_not_be_asked_all_stays(void **state)
{
	(void)state;
	output_flags = O_WRONLY;
	complains_as(RECORDED, perrors_in_a_sandbox);
	assert_int_equal(seen->mode, 0);
	assert_int_equal(seen->error, ENOENT);
	output_flags = O_RDWR;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(they_say_what_libc_says),
		cmocka_unit_test(those_with_a_status_end_with_it),
		cmocka_unit_test(perror_orients_what_cannot_be_read),
		cmocka_unit_test(where_the_kernel_may_not_be_asked_all_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
