#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "record/file_growth.h"

#define GROWERS 3u
#define SIZES 300000u
#define PAGE ((uint64_t)BINLOG_PAGE)

static struct file_growth growth;

static int begin(void **state)
{
	(void)state;
	memset(&growth, 0, sizeof(growth));
	return 0;
}

static void all_that_are_under_way_have_one_goal(void **state)
{
	(void)state;
	assert_true(file_growth_join(&growth, 0, 5 * PAGE));
	assert_true(file_growth_join(&growth, growth.goal, 5 * PAGE));
	assert_int_equal(growth.goal, 5 * PAGE + 2);
	/* It has changed since. */
	assert_false(file_growth_join(&growth, 0, 7 * PAGE));
	assert_false(file_growth_join(&growth, 5 * PAGE + 1, 5 * PAGE));
	file_growth_leave(&growth);
	file_growth_leave(&growth);
	assert_int_equal(growth.goal, 5 * PAGE);
}

static void a_size_that_is_known_is_not_forgotten(void **state)
{
	(void)state;
	file_growth_note(&growth, 5 * PAGE);
	assert_int_equal(growth.size, 5 * PAGE);
	file_growth_note(&growth, 3 * PAGE);
	assert_int_equal(growth.size, 5 * PAGE);
	file_growth_note(&growth, 6 * PAGE);
	assert_int_equal(growth.size, 6 * PAGE);
}

/* All sizes that leave `rest`; what was noted is there at least. */
static void *note_all(void *rest)
{
	uint64_t i;

	for (i = (uintptr_t)rest; i < SIZES; i += GROWERS) {
		file_growth_note(&growth, i * PAGE);
		if (__atomic_load_n(&growth.size, __ATOMIC_ACQUIRE) < i * PAGE)
			return &growth;
	}
	return NULL;
}

static void of_many_sizes_the_largest_stays(void **state)
{
	pthread_t growers[GROWERS];
	void *wrong;
	uintptr_t i;

	(void)state;
	for (i = 0; i < GROWERS; i++)
		pthread_create(&growers[i], NULL, note_all, (void *)i);
	for (i = 0; i < GROWERS; i++) {
		pthread_join(growers[i], &wrong);
		assert_null(wrong);
	}
	assert_int_equal(growth.size, (SIZES - 1) * PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			all_that_are_under_way_have_one_goal, begin),
		cmocka_unit_test_setup(
			a_size_that_is_known_is_not_forgotten, begin),
		cmocka_unit_test_setup(of_many_sizes_the_largest_stays, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
