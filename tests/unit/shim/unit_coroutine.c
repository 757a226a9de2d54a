/*
 * The stacks of coroutines: whose a stack pointer is, as stacks come, are used
 * again, lie within each other, and become too many; and that whoever has
 * remembered an answer is told when it may be another.
 */
#include "shim/host/inside.h"

#include <setjmp.h>
#include <cmocka.h>

#include "record/switches.h"
#include "shim/control/control.h"
#include "shim/writer/coroutine.h"

#define SIZE 4096u
#define PLACES (2 * COROUTINE_STACKS)

/* Its addresses are those of stacks; nothing is there. */
static const uintptr_t base = (uintptr_t)1 << 40;

static struct binlog_switches switches;
struct binlog_switches *control_switches = &switches;

static struct unwind_trace trace;

static uintptr_t place(unsigned number)
{
	return base + (uintptr_t)number * SIZE;
}

static void make(uintptr_t start, size_t size)
{
	coroutine_made((const void *)start, size, base + 16 * PLACES * SIZE);
}

/* One whose stack is an array further up on its maker's. */
static void make_array(uintptr_t start, size_t size)
{
	coroutine_made((const void *)start, size, start - 100);
}

/* Of a call with one frame, the return address of which is there. */
static struct coroutine look_to(uintptr_t sp, uintptr_t highest, bool whole)
{
	trace = (struct unwind_trace){.depth = 2,
		.words = 2,
		.repeatable = true,
		.word = {{sp - 8, 1}, {highest, 2}}};
	return coroutine_look(sp, &trace, whole);
}

static uint64_t look(uintptr_t sp)
{
	return look_to(sp, sp + 8, true).number;
}

static bool still_holds(const struct unwind_trace *remembered)
{
	const struct unwind_word *last =
		&remembered->word[remembered->words - 1];

	return *(const uint64_t *)last->address == last->value;
}

/* Numbers go on from one test to the next; the table does not. */
static uint64_t before;

static int begin(void **state)
{
	(void)state;
	/* All that are there are within one that a thread begins on. */
	make(base, 2 * PLACES * SIZE);
	before = look(base + 100);
	coroutine_thread_begins(base + 100);
	assert_int_equal(look(base + 100), 0);
	return 0;
}

static void who_is_on_a_stack_has_its_number(void **state)
{
	(void)state;
	make(place(1), SIZE);
	make(place(2), SIZE);
	assert_int_equal(look(place(1) + 16), before + 1);
	assert_int_equal(look(place(2) - 17), before + 1);
	assert_int_equal(look(place(2) + 16), before + 2);
	assert_int_equal(look(place(1) - 8), 0);
	assert_int_equal(look(place(3)), 0);
	assert_int_equal(trace.words, 2); /* nothing to depend on */
}

static void numbers_of_stacks_are_kept_by_who_uses_them_again(void **state)
{
	uint32_t stack;

	(void)state;
	make(place(1), SIZE);
	stack = look_to(place(1) + 16, place(1) + 24, true).stack;
	make(place(1), SIZE);
	assert_int_equal(look(place(1) + 16), before + 2);
	assert_int_equal(
		look_to(place(1) + 16, place(1) + 24, true).stack, stack);
	assert_int_equal(coroutine_stacks, stack); /* no other was taken */
}

static void an_answer_is_remembered_until_it_may_be_another(void **state)
{
	struct unwind_trace remembered;

	(void)state;
	make(place(1), SIZE);
	look(place(1) + 16);
	assert_int_equal(trace.words, 3);
	remembered = trace;
	make(place(2), SIZE);
	assert_true(still_holds(&remembered));
	make(place(1), SIZE); /* the next one */
	assert_false(still_holds(&remembered));
	look(place(1) + 16);
	remembered = trace;
	make(place(1) + 64, 512); /* within it */
	assert_false(still_holds(&remembered));
	look(place(1) + 16);
	remembered = trace;
	make(place(1) - 64, 512); /* half of it is another's */
	assert_false(still_holds(&remembered));
	look(place(2) + 16);
	remembered = trace;
	coroutine_thread_begins(place(2) + 100);
	assert_false(still_holds(&remembered));
}

static void where_there_is_no_room_for_that_nothing_is(void **state)
{
	(void)state;
	make(place(1), SIZE);
	trace = (struct unwind_trace){
		.words = UNWIND_WORDS_MAX, .repeatable = true};
	for (unsigned i = 0; i < UNWIND_WORDS_MAX; i++)
		trace.word[i].address = place(1) + 16;
	assert_int_equal(
		coroutine_look(place(1) + 16, &trace, true).number, before + 1);
	assert_false(trace.repeatable);
	assert_int_equal(trace.words, UNWIND_WORDS_MAX);
}

static void the_innermost_one_it_is(void **state)
{
	(void)state;
	make(place(1), 8 * SIZE);
	make_array(place(3), SIZE);
	make_array(place(3) + 1024, 1024);
	assert_int_equal(look(place(2)), before + 1);
	assert_int_equal(look(place(3) + 16), before + 2);
	assert_int_equal(look(place(3) + 1040), before + 3);
	assert_int_equal(look(place(4) - 17), before + 2);
	assert_int_equal(look(place(4)), before + 1);
	/* The outer one begins anew: what was on its stack is gone. */
	make(place(1), 8 * SIZE);
	assert_int_equal(look(place(3) + 1040), before + 4);
}

static void what_overlaps_takes_its_place(void **state)
{
	(void)state;
	make(place(1), 2 * SIZE);
	make(place(2), 2 * SIZE);
	assert_int_equal(look(place(1) + 16), 0);
	assert_int_equal(look(place(2) + 16), before + 2);
	make(place(1), 4 * SIZE);
	assert_int_equal(look(place(2) + 16), before + 3);
}

static void a_stack_that_leads_out_is_none(void **state)
{
	(void)state;
	make(place(1), 4 * SIZE);
	make_array(place(2), SIZE);
	assert_int_equal(
		look_to(place(2) + 16, place(3) + 16, true).number, before + 1);
	assert_int_equal(look_to(place(2) + 16, place(5) + 16, true).number, 0);
	assert_int_equal(look_to(place(2) + 16, place(1) - 16, true).number, 0);
}

static void of_arrays_it_must_be_seen_whole(void **state)
{
	(void)state;
	make(place(1), SIZE);
	make_array(place(2), SIZE);
	assert_false(coroutine_may_be_gone(place(1) + 16));
	assert_true(coroutine_may_be_gone(place(2) + 16));
	assert_false(coroutine_may_be_gone(place(3) + 16));
	assert_int_equal(look_to(place(1) + 16, place(1) + 24, false).number,
		before + 1);
	assert_int_equal(
		look_to(place(2) + 16, place(2) + 24, false).number, 0);
	assert_int_equal(
		look_to(place(2) + 16, place(2) + 24, true).number, before + 2);
}

/* What lies beyond what a thread has at the end of its stack is none. */
static void what_is_further_up_may_be_an_array(void **state)
{
	static __thread char own;
	uintptr_t here = (uintptr_t)&own & ~(uintptr_t)0xfff;

	(void)state;
	coroutine_made((void *)(here - 16 * SIZE), SIZE, here - 20 * SIZE);
	assert_true(coroutine_may_be_gone(here - 16 * SIZE + 16));
	coroutine_made((void *)(here + 16 * SIZE), SIZE, here - 20 * SIZE);
	assert_false(coroutine_may_be_gone(here + 16 * SIZE + 16));
	coroutine_made((void *)(here - 32 * SIZE), SIZE, here - 20 * SIZE);
	assert_false(coroutine_may_be_gone(here - 32 * SIZE + 16));
	coroutine_made((void *)(here + 32 * SIZE), SIZE, here + 20 * SIZE);
	assert_true(coroutine_may_be_gone(here + 32 * SIZE + 16));
	for (int i = -32; i <= 32; i += 16)
		coroutine_thread_begins(
			(uintptr_t)((intptr_t)here + i * (int)SIZE) + 16);
}

/* The memory is a thread's now, or has been: what is known of calls there. */
static void who_has_called_there_is_forgotten(void **state)
{
	uint32_t generation;

	(void)state;
	make(place(50), SIZE);
	assert_int_equal(look(place(300) + 16), 0);
	generation = switches.generation;
	make(place(301), SIZE); /* near it, in the same 64 KiB */
	assert_int_not_equal(switches.generation, generation);
	generation = switches.generation;
	make(place(301), SIZE);	 /* again */
	make(place(4000), SIZE); /* where nobody was */
	assert_int_equal(switches.generation, generation);
	coroutine_made((void *)place(16 * PLACES), (size_t)1 << 40, 0);
	assert_int_not_equal(switches.generation, generation);
	coroutine_thread_begins(place(16 * PLACES) + 1);
}

static void of_too_many_some_are_not_known(void **state)
{
	unsigned known = 0;
	uint64_t number;

	(void)state;
	for (unsigned i = 0; i < PLACES; i++) {
		make(place(i), SIZE);
		assert_int_equal(look(place(i) + 16), before + 1 + i);
	}
	assert_int_equal(coroutine_stacks, COROUTINE_STACKS);
	for (unsigned i = 0; i < PLACES; i++) {
		number = look(place(i) + 16);
		known += number != 0;
		assert_true(number == 0 || number == before + 1 + i);
	}
	assert_int_equal(known, COROUTINE_STACKS);
	/* The latest ones are. */
	assert_int_equal(look(place(PLACES - 1) + 16), before + PLACES);
	assert_int_equal(look(place(PLACES - COROUTINE_STACKS + 1) + 16),
		before + PLACES - COROUTINE_STACKS + 2);
}

static void what_is_no_stack_is_not_noted(void **state)
{
	uint32_t stacks = coroutine_stacks;

	(void)state;
	make(place(1), 0);
	coroutine_made((void *)(UINTPTR_MAX - 10), 100, 0);
	assert_int_equal(coroutine_stacks, stacks);
	assert_int_equal(look(place(1)), 0);
	make(place(2), SIZE);
	assert_int_equal(look(place(2) + 16), before + 3); /* they were made */
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	/* Those that nest stacks come last: it makes a difference. */
	const struct CMUnitTest tests[] = {
		TEST(who_is_on_a_stack_has_its_number),
		TEST(numbers_of_stacks_are_kept_by_who_uses_them_again),
		TEST(of_too_many_some_are_not_known),
		TEST(an_answer_is_remembered_until_it_may_be_another),
		TEST(where_there_is_no_room_for_that_nothing_is),
		TEST(the_innermost_one_it_is),
		TEST(what_overlaps_takes_its_place),
		TEST(a_stack_that_leads_out_is_none),
		TEST(of_arrays_it_must_be_seen_whole),
		TEST(what_is_further_up_may_be_an_array),
		TEST(who_has_called_there_is_forgotten),
		TEST(what_is_no_stack_is_not_noted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
