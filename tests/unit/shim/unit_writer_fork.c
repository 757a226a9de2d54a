/*
 * A child of fork does not write to what is its parent's, even if a call was
 * under way, in a handler of which it was made: the call goes on in both.
 */
#include "tests/unit/world/block_world.h"

static struct writer handlers[WRITER_LEVELS];

/* Some of a record, as a call that has not come to its end. */
static void begin_record(struct writer *w)
{
	assert_true(writer_reserve(w, 100));
	memset(w->cursor + 4, 'p', 20);
}

/* The rest of it. */
static void end_record(struct writer *w)
{
	memset(w->cursor + 24, 'c', 20);
	writer_commit(w, w->cursor + 44, 11);
	writer_leave(w);
}

static bool is_gone(struct writer *w)
{
	return !w->armed && !writer_reserve(w, 8) && !writer_try(w, SP) &&
	       !writer_enter(SP);
}

static void nothing_of_a_call_is_there(const struct writer *w)
{
	const char *at = (const char *)(w->block + 1);

	assert_int_equal(*(const uint32_t *)(const void *)at, 0);
	assert_int_equal(at[4], 'p');
	for (size_t i = 24; i < 100; i++)
		assert_int_equal(at[i], 0);
}

/* ---- who forks is inside a call ---- */

static bool child_goes_on(void)
{
	writer_after_fork(true);
	end_record(&world.writer);
	return is_gone(&world.writer) && world.kept_off == 1 && !world.marked &&
	       world.keeps == false;
}

static void a_call_that_goes_on_in_a_child_changes_nothing(void **state)
{
	(void)state;
	begin_with(CAPTURE_BYTES);
	assert_ptr_equal(writer_enter(SP), &world.writer);
	begin_record(&world.writer);
	assert_true(writer_before_fork());
	assert_int_equal(world.keeps, true);
	assert_true(in_child(child_goes_on));
	writer_after_fork(false);
	assert_int_equal(world.keeps, false);
	assert_true(world.marked);
	nothing_of_a_call_is_there(&world.writer);
	end_record(&world.writer);
	assert_ptr_equal(writer_enter(SP), &world.writer);
}

/* Of the handler, and of what it has interrupted and jumped out of. */
static bool child_of_all_goes_on(void)
{
	writer_after_fork(true);
	end_record(&world.writer);
	end_record(&handlers[1]);
	end_record(&handlers[2]);
	return is_gone(&world.writer) && is_gone(&handlers[1]) &&
	       is_gone(&handlers[2]) && is_gone(&handlers[3]) &&
	       world.kept_off == 3;
}

static void so_do_all_that_are_under_way(void **state)
{
	struct writer *all[] = {&world.writer, &handlers[1], &handlers[2]};

	(void)state;
	begin_with(CAPTURE_BYTES);
	for (unsigned i = 1; i <= 3; i++)
		begin_writer(&handlers[i]);
	handlers[3].state = 0; /* of a child, in which nothing was said */
	world.writer.level[1] = &handlers[1];
	world.writer.level[2] = &handlers[3];
	handlers[1].left = &handlers[2];
	for (unsigned i = 0; i < 3; i++) {
		assert_true(writer_try(all[i], SP));
		begin_record(all[i]);
	}
	assert_true(writer_before_fork());
	assert_true(in_child(child_of_all_goes_on));
	for (unsigned i = 0; i < 3; i++)
		nothing_of_a_call_is_there(all[i]);
}

static bool child_of_none(void)
{
	writer_after_fork(true);
	return is_gone(&world.writer) && world.kept_off == 0;
}

/* But there was no room for what it says. */
static bool child_without_blocks(void)
{
	writer_after_fork(true);
	writer_leave(&world.writer);
	return is_gone(&world.writer) && world.kept_off == 0;
}

static void without_a_block_nothing_is_hidden(void **state)
{
	(void)state;
	begin_with(0);
	assert_ptr_equal(writer_enter(SP), &world.writer);
	assert_false(writer_reserve(&world.writer, 8));
	assert_true(writer_before_fork());
	assert_true(in_child(child_without_blocks));
}

/* ---- who forks is not ---- */

static void a_child_gets_an_empty_arena(void **state)
{
	(void)state;
	begin_with(CAPTURE_BYTES);
	assert_false(writer_before_fork());
	assert_int_equal(world.keeps, -1);
}

static void where_the_kernel_does_not_empty_it_the_child_does(void **state)
{
	(void)state;
	begin_with(CAPTURE_BYTES);
	arena_kept = true;
	assert_true(writer_before_fork());
	assert_int_equal(world.keeps, false); /* it is asked again */
	assert_true(in_child(child_of_none));
}

/* Nor has it ever been. */
static bool child_of_the_silent(void)
{
	writer_after_fork(true);
	return !world.marked && !writer_enter(SP);
}

static void who_has_said_nothing_has_nothing_to_lose(void **state)
{
	(void)state;
	begin_with(CAPTURE_BYTES);
	arena_kept = true;
	writer_self = NULL;
	writer_prepare();
	assert_non_null(writer_self);
	assert_true(writer_before_fork());
	assert_true(in_child(child_of_the_silent));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_call_that_goes_on_in_a_child_changes_nothing),
		cmocka_unit_test(so_do_all_that_are_under_way),
		cmocka_unit_test(without_a_block_nothing_is_hidden),
		cmocka_unit_test(a_child_gets_an_empty_arena),
		cmocka_unit_test(
			where_the_kernel_does_not_empty_it_the_child_does),
		cmocka_unit_test(who_has_said_nothing_has_nothing_to_lose),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
