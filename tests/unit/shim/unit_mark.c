#include "shim/host/inside.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include <cmocka.h>

#include "record/hash.h"
#include "shim/record/mark.h"

#define THREADS 4
#define TURNS 300000u

static struct mark_table table;

static void clear(void)
{
	memset(&table, 0, sizeof(table));
}

/* Of one set, the n-th. */
static uint64_t neighbour(unsigned n)
{
	return (uint64_t)n * MARK_TABLE + 2;
}

static void a_mark_is_taken_once(void **state)
{
	(void)state;
	clear();
	assert_int_equal(mark_take(&table, 2), 0);
	mark_set(&table, 2, 77);
	assert_int_equal(mark_take(&table, 3), 0);
	assert_int_equal(mark_take(&table, 2), 77);
	assert_int_equal(mark_take(&table, 2), 0);
}

static void of_two_the_later_one_counts(void **state)
{
	(void)state;
	clear();
	mark_set(&table, 2, 77);
	mark_set(&table, 2, 99);
	assert_int_equal(mark_take(&table, 2), 99);
	assert_int_equal(mark_take(&table, 2), 0);
}

static void names_and_threads_tell_marks_apart(void **state)
{
	const struct rule_mark one = {.name = 12345}, other = {.name = 54321};

	(void)state;
	assert_int_equal(mark_of_thread(&one, 7), mark_of_thread(&one, 7));
	assert_int_not_equal(mark_of_thread(&one, 7), mark_of_thread(&one, 8));
	assert_int_not_equal(
		mark_of_thread(&one, 7), mark_of_thread(&other, 7));
}

static void where_all_is_full_the_first_one_is_forgotten(void **state)
{
	(void)state;
	clear();
	for (unsigned i = 0; i < MARK_WAYS; i++)
		mark_set(&table, neighbour(i), 100 + (i + 3) % MARK_WAYS);
	mark_set(&table, neighbour(MARK_WAYS), 200);
	for (unsigned i = 0; i <= MARK_WAYS; i++)
		assert_int_equal(mark_take(&table, neighbour(i)),
			i == MARK_WAYS	      ? 200
			: i == MARK_WAYS - 3u ? 0
					      : 100 + (i + 3) % MARK_WAYS);
}

static void half_of_what_it_has_room_for_is_nearly_all_there(void **state)
{
	unsigned found = 0;

	(void)state;
	clear();
	for (unsigned i = 0; i < MARK_TABLE / 2; i++)
		mark_set(&table, binlog_hash_word(1, i) | 2, i + 1);
	for (unsigned i = 0; i < MARK_TABLE / 2; i++)
		found += mark_take(&table, binlog_hash_word(1, i) | 2) == i + 1;
	assert_in_range(found, MARK_TABLE / 2 * 96 / 100, MARK_TABLE / 2);
}

/* What is found for a key is what was set for it. */
static uint64_t ticks_for(uint64_t key, unsigned turn)
{
	return key << 32 | (turn + 1);
}

static void check(uint64_t key, uint64_t ticks)
{
	if (ticks != 0 && ticks >> 32 != (key & UINT32_MAX))
		abort();
}

/* All in one set, which has too little room for them. */
static void *set_and_take(void *number)
{
	unsigned own = (unsigned)(uintptr_t)number;

	for (unsigned turn = 0; turn < TURNS; turn++) {
		uint64_t key = neighbour(own + turn % 3 * THREADS);

		mark_set(&table, key, ticks_for(key, turn));
		key = neighbour(own + turn % 2 * THREADS);
		check(key, mark_take(&table, key));
	}
	return NULL;
}

static unsigned places_in_use(void)
{
	unsigned count = 0;

	for (unsigned i = 0; i < MARK_TABLE; i++)
		count += table.slot[i].key == MARK_BUSY;
	return count;
}

static void threads_find_what_they_have_set(void **state)
{
	pthread_t threads[THREADS];

	(void)state;
	clear();
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, set_and_take, (void *)i);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(places_in_use(), 0);
}

static void interrupt(int signal)
{
	static unsigned turn;
	uint64_t key = neighbour(turn++ % 3 * THREADS);

	(void)signal;
	check(key, mark_take(&table, key));
	mark_set(&table, key, ticks_for(key, turn));
}

static void handlers_do_no_harm(void **state)
{
	const struct itimerval often = {{0, 50}, {0, 50}},
			       never = {{0, 0}, {0, 0}};

	(void)state;
	clear();
	signal(SIGALRM, interrupt);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < 4; i++)
		set_and_take((void *)0);
	setitimer(ITIMER_REAL, &never, NULL);
	assert_int_equal(places_in_use(), 0);
}

/* ---- what an argument is found by ---- */

static struct plan *plan_of(
	unsigned count, const struct plan_argument *arguments)
{
	static _Alignas(struct plan) char
		room[sizeof(struct plan) + 4 * sizeof(*arguments)];
	struct plan *plan = (struct plan *)room;

	memset(room, 0, sizeof(room));
	plan->count = (uint16_t)count;
	memcpy(plan->argument, arguments, count * sizeof(*arguments));
	return plan;
}

static uint64_t found_by(unsigned argument, const struct plan *plan, ...)
{
	const struct rule_mark mark = {1, (uint8_t)argument};
	uint64_t key;
	va_list ap;

	va_start(ap, plan);
	key = mark_of_argument(&mark, plan, ap);
	va_end(ap);
	return key;
}

#define PLAN(...)                                                              \
	plan_of(sizeof((const struct plan_argument[]){__VA_ARGS__}) /          \
			sizeof(struct plan_argument),                          \
		(const struct plan_argument[]){__VA_ARGS__})
#define OF(k, ...)                                                             \
	{                                                                      \
		.kind = BINLOG_ARG_##k, .precision = -1, ##__VA_ARGS__         \
	}

static void numbers_are_what_they_are_whatever_their_type(void **state)
{
	uint64_t seven = found_by(1, PLAN(OF(I32)), 7);
	uint64_t half = found_by(1, PLAN(OF(F64)), 0.5);

	(void)state;
	assert_int_equal(found_by(1, PLAN(OF(I64)), 7L), seven);
	assert_int_equal(found_by(2, PLAN(OF(F64), OF(I32)), 0.5, 7), seven);
	assert_int_equal(found_by(2, PLAN(OF(STRING), OF(I32)), "a", 7), seven);
	assert_int_equal(found_by(1, PLAN(OF(LONG_DOUBLE)), 0.5L), half);
	assert_int_not_equal(seven, half);
	assert_int_not_equal(found_by(1, PLAN(OF(I32)), 8), seven);
}

static void texts_are_the_same_as_far_as_they_are_read(void **state)
{
	uint64_t abc = found_by(1, PLAN(OF(STRING)), "abc");
	uint64_t wide = found_by(1, PLAN(OF(WIDE)), L"abc");
	struct plan_argument star = OF(I32, .measure = MEASURE_PRECISION);

	(void)state;
	assert_int_equal(found_by(1, PLAN(OF(STRING)), "abc"), abc);
	assert_int_not_equal(found_by(1, PLAN(OF(STRING)), "abd"), abc);
	assert_int_not_equal(found_by(1, PLAN(OF(STRING)), NULL), abc);
	assert_int_equal(found_by(2, PLAN(star, OF(STRING)), 3, "abcd"), abc);
	assert_int_equal(found_by(2, PLAN(star, OF(STRING)), -1, "abc"), abc);
	assert_int_equal(found_by(2, PLAN(star, OF(WIDE)), 3, L"abcd"), wide);
	assert_int_equal(found_by(1, PLAN(OF(WIDE)), L"abc"), wide);
}

static void what_has_no_such_argument_has_no_mark(void **state)
{
	struct plan *plan = PLAN(OF(I32));

	(void)state;
	assert_int_equal(found_by(1, NULL, 7), 0);
	assert_int_equal(found_by(2, plan, 7), 0);
	plan->at_once = true;
	assert_int_equal(found_by(1, plan, 7), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mark_is_taken_once),
		cmocka_unit_test(of_two_the_later_one_counts),
		cmocka_unit_test(names_and_threads_tell_marks_apart),
		cmocka_unit_test(where_all_is_full_the_first_one_is_forgotten),
		cmocka_unit_test(
			half_of_what_it_has_room_for_is_nearly_all_there),
		cmocka_unit_test(threads_find_what_they_have_set),
		cmocka_unit_test(handlers_do_no_harm),
		cmocka_unit_test(numbers_are_what_they_are_whatever_their_type),
		cmocka_unit_test(texts_are_the_same_as_far_as_they_are_read),
		cmocka_unit_test(what_has_no_such_argument_has_no_mark),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
