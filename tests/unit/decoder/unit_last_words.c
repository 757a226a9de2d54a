/* How ends are put into words, of values that no test program can make. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/message/event_words.h"

/* The words for an event with this value in process 100. */
static const char *words(unsigned text, int64_t value)
{
	static struct render_buffer out;
	struct definition_context context = {.text = (uint16_t)text};
	struct render_argument argument = {
		.kind = BINLOG_ARG_I64,
		.i64 = value,
	};
	struct message message = {
		.context = &context,
		.pid = 100,
		.count = 1,
		.arguments = &argument,
	};

	out.length = 0;
	if (!last_words_are(&message))
		return "";
	last_words_put(&message, &out);
	render_buffer_put_byte(&out, '\0');
	return out.data;
}

static int64_t death(int number, int code, uint64_t detail)
{
	return (int64_t)((uint64_t)number | (uint64_t)(code & 0xff) << 8 |
			 detail << 16);
}

static void check(const char *wanted, int number, int code, uint64_t detail)
{
	assert_string_equal(
		wanted, words(BINLOG_TEXT_SIGNAL, death(number, code, detail)));
}

static void a_fault_has_an_address(void **state)
{
	(void)state;
	check("killed by SIGSEGV (address 0x7fffffffe000)", SIGSEGV,
		SEGV_MAPERR, 0x7fffffffe000);
	check("killed by SIGBUS (address 0x0)", SIGBUS, BUS_ADRERR, 0);
	check("killed by SIGFPE (address 0x1234)", SIGFPE, FPE_INTDIV, 0x1234);
}

static void addresses_of_the_kernel_are_whole(void **state)
{
	(void)state;
	check("killed by SIGSEGV (address 0xffffffffff600000)", SIGSEGV,
		SEGV_MAPERR, 0xffffffffff600000);
}

static void a_general_protection_fault_has_none(void **state)
{
	(void)state;
	check("killed by SIGSEGV", SIGSEGV, SI_KERNEL, 0);
	check("killed by SIGTRAP", SIGTRAP, SI_KERNEL, 0);
}

static void others_who_sent_it_are_named(void **state)
{
	(void)state;
	check("killed by SIGTERM (sent by process 4000000)", SIGTERM, SI_USER,
		4000000);
	check("killed by SIGSEGV (sent by process 7)", SIGSEGV, SI_QUEUE, 7);
	check("killed by SIGABRT", SIGABRT, SI_TKILL, 100);
	check("killed by SIGALRM", SIGALRM, SI_TIMER, 7);
}

static void a_refused_system_call_is_named(void **state)
{
	(void)state;
	check("killed by SIGSYS (system call 59)", SIGSYS, 1, 59);
}

static void unknown_signals_have_a_number(void **state)
{
	(void)state;
	check("killed by signal 200", 200, SI_USER, 100);
}

static void only_failures_to_exit_are_shown(void **state)
{
	(void)state;
	assert_string_equal("", words(BINLOG_TEXT_EXIT, 0));
	assert_string_equal("", words(BINLOG_TEXT_EXIT, 256));
	assert_string_equal("", words(BINLOG_TEXT_LEFT, 0));
	assert_string_equal("", words(BINLOG_TEXT_EXECUTE, 0));
	assert_string_equal("exited with status 4", words(BINLOG_TEXT_LEFT, 4));
	assert_string_equal("exited with status 3", words(BINLOG_TEXT_EXIT, 3));
	assert_string_equal(
		"exited with status 255", words(BINLOG_TEXT_EXIT, -1));
	assert_string_equal("", words(BINLOG_TEXT_FLUSH, 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fault_has_an_address),
		cmocka_unit_test(addresses_of_the_kernel_are_whole),
		cmocka_unit_test(a_general_protection_fault_has_none),
		cmocka_unit_test(others_who_sent_it_are_named),
		cmocka_unit_test(a_refused_system_call_is_named),
		cmocka_unit_test(unknown_signals_have_a_number),
		cmocka_unit_test(only_failures_to_exit_are_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
