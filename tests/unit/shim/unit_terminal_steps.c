/*
 * Text for a terminal is shown, and at each of the instructions that this takes
 * a signal handler does the same, or jumps out: nobody waits for ever, and what
 * has to be seen is seen.
 */
#if defined(__x86_64__)

#include "tests/unit/world/single_step.h"
#include "tests/unit/world/terminal_person.h"

static volatile bool jumps;
static sigjmp_buf back;

static void on_step(void)
{
	terminal_asked(terminal);
	terminal_bytes(STREAM + 1, "handler", 7, false);
	terminal_flushed(STREAM + 1);
	if (jumps)
		siglongjmp(back, 1);
}

/* True: there was a signal meanwhile. */
static __attribute__((noinline)) bool say_interrupted(
	unsigned long at, const char *text)
{
	if (sigsetjmp(back, 1) != 0)
		return true;
	step_begin(at);
	terminal_bytes(STREAM, text, strlen(text), false);
	return step_end();
}

static void interrupted_anywhere_it_goes_on(void **state)
{
	bool interrupted = true;
	unsigned long at;

	(void)state;
	step_prepare(on_step);
	set_cooked();
	jumps = false;
	for (at = 0; interrupted; at++) {
		interrupted = say_interrupted(at, "main");
		terminal_asked(terminal);
		see();
		assert_true(says("main"));
		seen.length = 0;
	}
	assert_true(at > 100);
}

static void *jump_out(void *at)
{
	say_interrupted(*(unsigned long *)at, "before");
	return NULL;
}

/* By the same thread, or by one that ends: nobody waits for it for ever. */
static void what_a_jump_has_left_is_gone_on_with(void **state)
{
	pthread_t thread;

	(void)state;
	step_prepare(on_step);
	set_cooked();
	jumps = true;
	for (unsigned long at = 0; at < 600; at += 3) {
		if (at % 2 == 0) {
			say_interrupted(at, "before");
		} else {
			pthread_create(&thread, NULL, jump_out, &at);
			pthread_join(thread, NULL);
		}
		say_interrupted(ULONG_MAX, "later"); /* from the same place */
		terminal_asked(terminal);
		see();
		assert_true(says("later"));
		seen.length = 0;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PERSON_TEST(interrupted_anywhere_it_goes_on),
		PERSON_TEST(what_a_jump_has_left_is_gone_on_with),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else /* instructions are stepped through on x86-64 only */

int main(void)
{
	return 0;
}

#endif
