/* What is remembered of the lines of threads, and that it is bounded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/program.h"
#include "decoder/output/thread_past.h"

static void each_thread_has_its_own(void **state)
{
	struct program programs[2] = {{.pid = 1}, {.pid = 2}};
	struct thread_pasts pasts = {0};

	(void)state;
	thread_past_find(&pasts, &programs[0], 7)->last = 100;
	thread_past_find(&pasts, &programs[0], 8)->last = 200;
	thread_past_find(&pasts, &programs[1], 7)->last = 300;
	assert_int_equal(thread_past_find(&pasts, &programs[0], 7)->last, 100);
	assert_int_equal(thread_past_find(&pasts, &programs[0], 8)->last, 200);
	assert_int_equal(thread_past_find(&pasts, &programs[1], 7)->last, 300);
	assert_int_equal(thread_past_find(&pasts, &programs[1], 8)->last, 0);
	thread_past_free(&pasts);
}

static void less_important_lines_do_not_count(void **state)
{
	struct thread_past past = {.levels = {[LEVEL_err] = 50,
					   [LEVEL_info] = 70,
					   [LEVEL_debug] = 90}};

	(void)state;
	assert_int_equal(thread_past_outer(&past, LEVEL_crit), 0);
	assert_int_equal(thread_past_outer(&past, LEVEL_err), 50);
	assert_int_equal(thread_past_outer(&past, LEVEL_warning), 50);
	assert_int_equal(thread_past_outer(&past, LEVEL_info), 70);
	assert_int_equal(thread_past_outer(&past, LEVEL_LAST), 90);
	assert_int_equal(thread_past_outer(&past, LEVEL_LAST + 1000), 90);
}

static void the_memory_of_many_threads_is_bounded(void **state)
{
	struct program program = {.pid = 1};
	struct thread_pasts pasts = {0};
	size_t most = 0;
	uint32_t tid;

	(void)state;
	for (tid = 0; tid < 200000; tid++) {
		assert_non_null(thread_past_find(&pasts, &program, tid));
		if (pasts.pool.bytes > most)
			most = pasts.pool.bytes;
	}
	assert_true(most < 3u << 20);
	thread_past_free(&pasts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_thread_has_its_own),
		cmocka_unit_test(less_important_lines_do_not_count),
		cmocka_unit_test(the_memory_of_many_threads_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
