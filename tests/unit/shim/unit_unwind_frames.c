#if defined(__x86_64__)

#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/world/unwind_probe.h"

static struct probe p;

static void expect_exact(void)
{
	assert_true(p.depth > 1);
	assert_true(probe_is_exact(&p, &p.cfi));
	assert_true(probe_is_exact(&p, &p.libunwind));
	assert_false(p.libunwind.repeatable);
}

static void expect_repeatable(void)
{
	assert_true(p.cfi.repeatable);
	assert_true(p.cfi.words >= p.cfi.depth - 1);
}

static NOINLINE int recurse(int n)
{
	int result;

	if (n == 0) {
		probe(&p);
		return 1;
	}
	result = recurse(n - 1);
	STAY();
	return result + n;
}

static void a_recursion_is_unwound(void **state)
{
	(void)state;
	recurse(20);
	expect_exact();
	expect_repeatable();
}

static NOINLINE void with_alloca(size_t size, int more)
{
	char *block = alloca(size);

	USE(block);
	if (more > 0)
		with_alloca(size * 2, more - 1);
	else
		probe(&p);
	USE(block);
}

static void frames_with_alloca_are_unwound(void **state)
{
	(void)state;
	with_alloca(24, 5);
	expect_exact();
	expect_repeatable();
	assert_true(p.cfi.needs_fp);
	assert_true(p.cfi.words > p.cfi.depth);
}

static NOINLINE void realigned(
	size_t size, int more, int a, int b, int c, int d, int on_stack)
{
	_Alignas(64) char line[64];
	char *block = alloca(size);

	USE(line);
	USE(block);
	if (more > 0)
		realigned(size + 40, more - 1, a, b, c, d, on_stack + 1);
	else
		probe(&p);
	USE(line);
	USE(block);
}

static void realigned_frames_are_unwound(void **state)
{
	(void)state;
	realigned(8, 4, 0, 0, 0, 0, 7);
	expect_exact();
	expect_repeatable();
}

static int compare(const void *a, const void *b)
{
	probe(&p);
	return *(const int *)a - *(const int *)b;
}

static void callbacks_of_libc_are_unwound(void **state)
{
	int number[] = {3, 1, 2};

	(void)state;
	qsort(number, 3, sizeof(*number), compare);
	expect_exact();
	expect_repeatable();
}

static void on_signal(int number)
{
	(void)number;
	probe(&p);
	STAY();
}

static void install(int flags)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags};

	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
}

static NOINLINE void raise_in_alloca(size_t size)
{
	char *block = alloca(size);

	USE(block);
	raise(SIGUSR1);
	USE(block);
}

static void signal_frames_are_unwound(void **state)
{
	(void)state;
	install(0);
	raise_in_alloca(100);
	expect_exact();
	expect_repeatable();
	assert_false(p.cfi.needs_fp);
}

static void signal_frames_on_an_alternate_stack_are_unwound(void **state)
{
	stack_t stack = {.ss_size = 256 * 1024}, old;

	(void)state;
	stack.ss_sp = malloc(stack.ss_size);
	assert_int_equal(sigaltstack(&stack, &old), 0);
	install(SA_ONSTACK);
	raise_in_alloca(100);
	assert_true(p.start.sp - (uintptr_t)stack.ss_sp < stack.ss_size);
	assert_int_equal(sigaltstack(&old, NULL), 0);
	free(stack.ss_sp);
	expect_exact();
	expect_repeatable();
}

static void *thread(void *unused)
{
	probe(&p);
	STAY();
	return unused;
}

static void a_thread_is_unwound_to_its_first_frame(void **state)
{
	pthread_t id;

	(void)state;
	assert_int_equal(pthread_create(&id, NULL, thread, NULL), 0);
	pthread_join(id, NULL);
	expect_exact();
	expect_repeatable();
}

static void coroutine(void)
{
	recurse(3);
	STAY();
}

static void a_coroutine_is_unwound_to_its_first_frame(void **state)
{
	static ucontext_t here, there;
	size_t size = 64 * 1024;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_ptr_not_equal(memory, MAP_FAILED);
	for (int i = 0; i < 2; i++) {
		getcontext(&there);
		there.uc_stack.ss_sp = memory;
		there.uc_stack.ss_size = size;
		there.uc_link = &here;
		makecontext(&there, coroutine, 0);
		swapcontext(&here, &there);
		assert_true(p.start.sp - (uintptr_t)memory < size);
		expect_exact();
		expect_repeatable();
		recurse(2);
		expect_exact();
	}
	munmap(memory, size);
}

static void no_more_frames_than_asked_for(void **state)
{
	(void)state;
	for (p.max_depth = 1; p.max_depth < 12; p.max_depth++) {
		recurse(20);
		assert_int_equal(p.cfi.depth, p.max_depth);
		assert_true(probe_is_exact(&p, &p.cfi));
		assert_true(probe_is_exact(&p, &p.libunwind));
		assert_true(p.cfi.repeatable);
		assert_int_equal(p.cfi.words, p.max_depth - 1);
	}
}

static void words_that_do_not_fit_are_not_repeatable(void **state)
{
	(void)state;
	with_alloca(1, 16);
	expect_exact();
	assert_true(p.cfi.repeatable);
	recurse(200);
	assert_int_equal(p.cfi.depth, UNWIND_FRAMES_MAX);
	assert_true(p.cfi.repeatable);
	/* Two words for each of 64 frames. */
	with_alloca(0, 100);
	assert_int_equal(p.cfi.depth, UNWIND_FRAMES_MAX);
	assert_int_equal(p.cfi.words, UNWIND_WORDS_MAX);
	assert_false(p.cfi.repeatable);
	assert_true(probe_is_exact(&p, &p.cfi));
}

static NOINLINE void one_way(void)
{
	probe(&p);
	STAY();
}

static NOINLINE void by_first(void)
{
	one_way();
	STAY();
}

static NOINLINE void by_second(void)
{
	one_way();
	__asm__ volatile("nop" : : : "memory");
}

static void another_path_to_the_same_place_differs_in_a_word(void **state)
{
	static struct probe first;
	volatile int times = 2; /* one call, not two */

	(void)state;
	for (int i = 0; i < times; i++) {
		by_first();
		assert_int_equal(p.kept_repeats, i > 0);
		first = p;
		p.kept = &first;
	}
	by_second();
	assert_false(p.kept_repeats);
	assert_true(first.start.pc == p.start.pc);
	assert_true(first.start.sp == p.start.sp);
	assert_true(p.cfi.repeatable);
	assert_int_equal(first.cfi.words, p.cfi.words);
	assert_true(first.cfi.word[0].address == p.cfi.word[0].address);
	assert_true(first.cfi.word[0].value != p.cfi.word[0].value);
}

static void what_was_forgotten_is_learnt_again(void **state)
{
	(void)state;
	unwind_forget(probe_cache_of(0));
	recurse(5);
	expect_exact();
	expect_repeatable();
}

static unsigned open_descriptors(void)
{
	unsigned open = 0;

	for (int fd = 0; fd < 256; fd++)
		open += dup2(fd, fd) == fd;
	return open;
}

static void mask_and_descriptors_stay_as_they_are(void **state)
{
	unsigned open = open_descriptors();
	sigset_t before, after;

	(void)state;
	sigemptyset(&before);
	sigaddset(&before, SIGUSR2);
	sigprocmask(SIG_BLOCK, &before, NULL);
	sigprocmask(SIG_BLOCK, NULL, &before);
	unwind_forget(probe_cache_of(0));
	probe_cfi(&p);
	sigprocmask(SIG_BLOCK, NULL, &after);
	for (int i = 1; i < 64; i++)
		assert_int_equal(
			sigismember(&before, i), sigismember(&after, i));
	assert_int_equal(open, open_descriptors());
	sigemptyset(&before);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static int set_up(void **state)
{
	void *frame[4];

	(void)state;
	p.max_depth = UNWIND_FRAMES_MAX;
	p.kept = NULL;
	/* Loads what backtrace() needs. */
	return backtrace(frame, 4) > 0 &&
			       unwind_cache_bytes <= sizeof(probe_cache[0])
		       ? 0
		       : -1;
}

#define CASE(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_recursion_is_unwound),
		CASE(frames_with_alloca_are_unwound),
		CASE(realigned_frames_are_unwound),
		CASE(callbacks_of_libc_are_unwound),
		CASE(signal_frames_are_unwound),
		CASE(signal_frames_on_an_alternate_stack_are_unwound),
		CASE(a_thread_is_unwound_to_its_first_frame),
		CASE(a_coroutine_is_unwound_to_its_first_frame),
		CASE(no_more_frames_than_asked_for),
		CASE(words_that_do_not_fit_are_not_repeatable),
		CASE(another_path_to_the_same_place_differs_in_a_word),
		CASE(what_was_forgotten_is_learnt_again),
		CASE(mask_and_descriptors_stay_as_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else /* the unwinder tested here does not exist */

int main(void)
{
	return 0;
}

#endif
