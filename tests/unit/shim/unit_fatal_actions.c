/*
 * Which signals are watched, and that nobody sees it: an action of the program
 * stays as it is, and what is shown in place of ours is what the kernel had.
 */
#if defined(__x86_64__)

#include "tests/unit/world/fatal_world.h"

#define BEFORE 4711 /* errno of the program */

static struct sigaction action_of(int number)
{
	struct sigaction action = {0};

	sigaction(number, NULL, &action);
	return action;
}

static bool is_ours(int number)
{
	struct sigaction action = action_of(number);

	fatal_hide(number, &action);
	return action.sa_handler == SIG_DFL &&
	       action_of(number).sa_handler != SIG_DFL;
}

static void succeed_if(bool so)
{
	_exit(so ? 0 : 1);
}

static void succeeds(enum as as, void (*what)(void))
{
	assert_int_equal(ending(as, what), 0);
}

/* ---- which of them ---- */

static const int *ours; /* and none else */

static void watches(void)
{
	bool right = true;

	for (int number = 1; number < 65; number++) {
		const int *one = ours;

		while (*one && *one != number)
			one++;
		right &= is_ours(number) == (*one != 0);
	}
	succeed_if(right);
}

static void faults_are_watched_unless_it_is_said_otherwise(void **state)
{
	static const int faults[] = {
		SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, 0};
	/* signal(7): the default action of these ends a process */
	static const int all[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT,
		SIGTRAP, SIGSYS, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE,
		SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF,
		0};
	static const int none[] = {0};

	(void)state;
	ours = faults;
	succeeds(WATCHED, watches);
	signals = "1";
	succeeds(WATCHED, watches);
	signals = "all";
	ours = all;
	succeeds(WATCHED, watches);
	signals = "0";
	ours = none;
	succeeds(WATCHED, watches);
	signals = NULL;
	passes = true;
	succeeds(WATCHED, watches);
	passes = false;
	succeeds(NATIVE, watches);
}

static void is_the_first_of_its_namespace(void)
{
	process.pid = 1;
	fatal_watch();
	watches();
}

static void who_is_not_killed_by_signals_needs_none(void **state)
{
	(void)state;
	succeeds(NATIVE, is_the_first_of_its_namespace);
}

/* ---- the program's own ---- */

static void handler(int number)
{
	(void)number;
	_exit(9);
}

static void has_its_own(void)
{
	signal(SIGSEGV, handler);
	signal(SIGFPE, SIG_IGN);
	errno = BEFORE;
	fatal_watch();
	fatal_adopt(SIGSEGV);
	fatal_yield(SIGSEGV);
	fatal_unwatch();
	succeed_if(action_of(SIGSEGV).sa_handler == handler &&
		   action_of(SIGFPE).sa_handler == SIG_IGN && !is_ours(SIGBUS));
}

static void comes_and_goes(void)
{
	bool right = is_ours(SIGSEGV);

	errno = BEFORE;
	fatal_yield(SIGSEGV);
	right &= action_of(SIGSEGV).sa_handler == SIG_DFL;
	fatal_adopt(SIGSEGV);
	right &= is_ours(SIGSEGV);
	fatal_adopt(SIGTERM);
	fatal_adopt(32 + SIGSEGV); /* a signal for real-time programs */
	fatal_adopt(0);
	fatal_yield(SIGTERM);
	right &= !is_ours(SIGTERM) &&
		 action_of(32 + SIGSEGV).sa_handler == SIG_DFL;
	fatal_yield(SIGSEGV);
	borrowed = true; /* a child of vfork has actions of its own */
	fatal_adopt(SIGSEGV);
	right &= !is_ours(SIGSEGV);
	fatal_unwatch();
	succeed_if(right && !is_ours(SIGBUS) && errno == BEFORE);
}

static void an_action_of_the_program_stays(void **state)
{
	(void)state;
	succeeds(NATIVE, has_its_own);
	succeeds(WATCHED, comes_and_goes);
}

static unsigned asked;

/* Between our question and our answer. */
static int another_thread_is_faster(
	int number, const struct sigaction *action, struct sigaction *found)
{
	if (number == SIGSEGV && action && asked++ == 0)
		signal(SIGSEGV, handler);
	return sigaction(number, action, found);
}

static void is_overtaken(void)
{
	next_sigaction = another_thread_is_faster;
	fatal_watch();
	succeed_if(asked == 2 && action_of(SIGSEGV).sa_handler == handler &&
		   is_ours(SIGBUS));
}

/* It has done the same. */
static int another_thread_does_so(
	int number, const struct sigaction *action, struct sigaction *found)
{
	next_sigaction = sigaction;
	if (action)
		fatal_adopt(number);
	else
		next_sigaction = another_thread_does_so;
	return sigaction(number, action, found);
}

static void is_helped(void)
{
	fatal_yield(SIGSEGV);
	next_sigaction = another_thread_does_so;
	fatal_adopt(SIGSEGV);
	succeed_if(is_ours(SIGSEGV));
}

static void so_it_does_if_it_was_set_meanwhile(void **state)
{
	(void)state;
	succeeds(NATIVE, is_overtaken);
	succeeds(WATCHED, is_helped);
}

static int fail_always(
	int number, const struct sigaction *action, struct sigaction *found)
{
	(void)number;
	(void)action;
	(void)found;
	errno = EINVAL;
	return -1;
}

static int fail_to_set(
	int number, const struct sigaction *action, struct sigaction *found)
{
	return action ? fail_always(number, action, found)
		      : sigaction(number, action, found);
}

static void is_refused(void)
{
	bool right;

	errno = BEFORE;
	next_sigaction = fail_always;
	fatal_watch();
	next_sigaction = fail_to_set;
	fatal_watch();
	right = !is_ours(SIGSEGV);
	next_sigaction = sigaction;
	fatal_watch();
	next_sigaction = fail_always;
	fatal_yield(SIGSEGV);
	right &= errno == BEFORE && is_ours(SIGSEGV);
	fatal_abort(&(struct call){.sp = 4096});
	succeed_if(right && seen->events == 0);
}

static void where_the_kernel_refuses_nothing_is_changed(void **state)
{
	(void)state;
	succeeds(NATIVE, is_refused);
}

/* ---- what the program sees ---- */

static bool is_same(const struct sigaction *one, const struct sigaction *other)
{
	return one->sa_handler == other->sa_handler &&
	       one->sa_flags == other->sa_flags &&
	       one->sa_restorer == other->sa_restorer &&
	       memcmp(&one->sa_mask, &other->sa_mask, 8) == 0;
}

static void looks(void)
{
	struct sigaction before = {
		.sa_handler = SIG_DFL, .sa_flags = SA_RESTART};
	struct sigaction after, other = {.sa_handler = handler};

	sigaddset(&before.sa_mask, SIGUSR1);
	sigaction(SIGSEGV, &before, NULL);
	before = action_of(SIGSEGV);
	fatal_watch();
	after = action_of(SIGSEGV);
	if (fatal_hide_handler(after.sa_handler) != SIG_DFL ||
		fatal_hide_handler(handler) != handler ||
		fatal_hide_handler(SIG_IGN) != SIG_IGN)
		_exit(2);
	fatal_hide(SIGSEGV, &after);
	if (!is_same(&before, &after))
		_exit(3);
	fatal_hide(SIGSEGV, &other);
	fatal_hide(SIGRTMIN, &other);
	if (other.sa_handler != handler)
		_exit(4);
	after = action_of(SIGSEGV);
	fatal_hide(0, &after); /* no signal */
	succeed_if(after.sa_handler != SIG_DFL);
}

static void what_is_shown_is_what_was_there(void **state)
{
	(void)state;
	succeeds(NATIVE, looks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			faults_are_watched_unless_it_is_said_otherwise),
		cmocka_unit_test(who_is_not_killed_by_signals_needs_none),
		cmocka_unit_test(an_action_of_the_program_stays),
		cmocka_unit_test(so_it_does_if_it_was_set_meanwhile),
		cmocka_unit_test(where_the_kernel_refuses_nothing_is_changed),
		cmocka_unit_test(what_is_shown_is_what_was_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else
#include <stdio.h>

int main(void)
{
	printf("1..0 # SKIP registers are those of x86-64\n");
	return 0;
}
#endif
