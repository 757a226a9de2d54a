#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "record/prepared.h"

#define BLOCK ((uint64_t)BINLOG_PREPARED_BLOCK)
#define BLOCKS 300000u
#define TAKERS 3

static struct binlog_prepared prepared;
static uint8_t taken[BLOCKS];
static bool finished;

static void begin(void)
{
	memset(&prepared, 0, sizeof(prepared));
	memset(taken, 0, sizeof(taken));
	finished = false;
}

static void what_is_given_can_be_taken_once(void **state)
{
	uint64_t at = 1;

	(void)state;
	begin();
	assert_false(prepared_take(&prepared, &at));
	assert_int_equal(at, 1);
	assert_true(prepared_give(&prepared, 7 * BLOCK));
	assert_int_equal(prepared_left(&prepared), 1);
	assert_true(prepared_take(&prepared, &at));
	assert_int_equal(at, 7 * BLOCK);
	assert_int_equal(prepared_left(&prepared), 0);
	assert_false(prepared_take(&prepared, &at));
}

static void what_lies_in_a_row_is_one_range(void **state)
{
	uint64_t at = 0;
	uint64_t i;

	(void)state;
	begin();
	for (i = 0; i < 1000; i++)
		assert_true(prepared_give(&prepared, (5 + i) * BLOCK));
	assert_int_equal(prepared_left(&prepared), 1000);
	for (i = 0; i < 1000; i++) {
		assert_true(prepared_take(&prepared, &at));
		assert_int_equal(at, (5 + i) * BLOCK);
	}
	assert_false(prepared_take(&prepared, &at));
}

static void more_ranges_than_there_is_room_for_stay_the_givers(void **state)
{
	uint64_t i;

	(void)state;
	begin();
	for (i = 0; i < BINLOG_PREPARED_RANGES; i++)
		assert_true(prepared_give(&prepared, 2 * i * BLOCK));
	assert_false(prepared_give(&prepared, 2 * i * BLOCK));
	assert_true(prepared_give(&prepared, (2 * i - 1) * BLOCK));
}

static void a_range_that_is_full_is_followed_by_another(void **state)
{
	uint64_t at = 0;
	uint64_t i;

	(void)state;
	begin();
	for (i = 0; i <= PREPARED_COUNT; i++)
		assert_true(prepared_give(&prepared, (1 + i) * BLOCK));
	assert_int_equal(prepared_left(&prepared), PREPARED_COUNT + 1);
	for (i = 0; prepared_take(&prepared, &at); i++)
		assert_int_equal(at, (1 + i) * BLOCK);
	assert_int_equal(i, PREPARED_COUNT + 1);
}

static void the_end_of_a_large_file_has_blocks_too(void **state)
{
	const uint64_t last = ((uint64_t)1 << 60) - BLOCK;
	uint64_t at = 0;

	(void)state;
	begin();
	assert_true(prepared_give(&prepared, last));
	assert_true(prepared_take(&prepared, &at));
	assert_int_equal(at, last);
}

static void *take_all(void *unused)
{
	bool last;
	uint64_t at;

	(void)unused;
	do {
		last = __atomic_load_n(&finished, __ATOMIC_ACQUIRE);
		while (prepared_take(&prepared, &at))
			__atomic_fetch_add(
				&taken[at / BLOCK], 1, __ATOMIC_RELAXED);
	} while (!last);
	return NULL;
}

static void of_many_takers_one_has_each_block(void **state)
{
	pthread_t takers[TAKERS];
	uint32_t i;

	(void)state;
	begin();
	for (i = 0; i < TAKERS; i++)
		pthread_create(&takers[i], NULL, take_all, NULL);
	for (i = 0; i < BLOCKS; i++)
		while (!prepared_give(&prepared, i * BLOCK))
			;
	__atomic_store_n(&finished, true, __ATOMIC_RELEASE);
	for (i = 0; i < TAKERS; i++)
		pthread_join(takers[i], NULL);
	for (i = 0; i < BLOCKS; i++)
		assert_int_equal(taken[i], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_given_can_be_taken_once),
		cmocka_unit_test(what_lies_in_a_row_is_one_range),
		cmocka_unit_test(
			more_ranges_than_there_is_room_for_stay_the_givers),
		cmocka_unit_test(a_range_that_is_full_is_followed_by_another),
		cmocka_unit_test(the_end_of_a_large_file_has_blocks_too),
		cmocka_unit_test(of_many_takers_one_has_each_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
