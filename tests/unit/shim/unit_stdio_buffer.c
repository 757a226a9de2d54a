/*
 * What is in the buffer of a FILE is recorded or written, each byte once and in
 * order: real FILEs, whose libc is asked what it writes.
 */
#include "tests/unit/world/stdio_world.h"

static void what_macros_have_put_is_recorded_once(void **state)
{
	(void)state;
	put("one ");
	drain();
	put("two");
	drain();
	drain();
	recorded_is("one two");
	assert_int_equal(held_bytes_seen, 0);
	written_is("");
	streams[OURS].watched = true;
	put("3");
	drain();
	assert_int_equal(held_bytes_seen, 1);
	recorded_is("one two3");
}

static void so_is_much(void **state)
{
	(void)state;
	put_much('a');
	drain();
	assert_int_equal(recorded_bytes, 1000);
	assert_int_equal(stdio_buffer_marks, 0);
	put("b");
	drain();
	assert_int_equal(recorded_bytes, 1001);
	written_is("");
}

static void what_a_handler_puts_behind_it_stays(void **state)
{
	(void)state;
	put_much('a');
	interrupted = file;
	drain();
	interrupted = NULL;
	assert_int_equal(recorded_bytes, 1000);
	drain();
	assert_int_equal(recorded_bytes, 1001);
	assert_int_equal(recorded[1000], '!');
	written_is("");
}

static void what_cannot_be_recorded_is_written(void **state)
{
	(void)state;
	capture_fails = true;
	put("little");
	drain();
	assert_int_equal(passed, 1);
	put_much('m');
	drain(); /* by libc, when it comes to that */
	assert_true(stdio_buffer_passed);
	assert_int_equal(recorded_bytes, 0);
	capture_fails = false;
	put("after");
	drain();
	recorded_is("after");
	fflush(file);
	assert_int_equal(lseek(fileno(file), 0, SEEK_END), 1 + 6 + 1000);
	stdio_buffer_flushed(file);
	put("and");
	drain();
	drain();
	recorded_is("afterand");
}

static void what_is_also_written_stays(void **state)
{
	(void)state;
	streams[OURS].tee = true;
	assert_true(stdio_buffer_remember(file));
	put("one ");
	drain();
	drain();
	put("two");
	drain();
	recorded_is("one two");
	fputs(" known", file);
	stdio_buffer_written(file, OURS, true);
	assert_false(stdio_buffer_passed);
	drain();
	recorded_is("one two");
	written_is("one two known");
	stdio_buffer_flushed(NULL);
	put("3");
	drain();
	recorded_is("one two3");
}

static void many_files_are_known(void **state)
{
	FILE *many[MANY];
	FILE *own = file;

	(void)state;
	for (int i = 0; i < MANY; i++) {
		many[i] = new_file();
		assert_true(stdio_buffer_remember(many[i]));
	}
	assert_true(stdio_buffer_remember(many[0]));
	assert_false(stdio_buffer_is_used());
	for (int i = 0; i < MANY; i++) {
		file = many[i];
		put("y");
	}
	assert_true(stdio_buffer_is_used());
	what_it_is = STREAM_PASS;
	stdio_buffer_drain_all(&call);
	assert_int_equal(recorded_bytes, 0);
	what_it_is = OURS;
	stdio_buffer_drain_all(&call);
	assert_int_equal(recorded_bytes, MANY);
	assert_false(stdio_buffer_is_used());
	for (int i = 0; i < MANY; i++) {
		stdio_buffer_forget(many[i]);
		fclose(many[i]);
	}
	file = own;
}

/* What cannot be remembered is written, so that it is not said twice. */
static void the_buffers_of_too_many_are_empty(void **state)
{
	static FILE many[PLACES];

	(void)state;
	for (int i = 0; i < PLACES; i++) {
		many[i]._fileno = i;
		assert_true(stdio_buffer_remember(&many[i]));
	}
	assert_false(stdio_buffer_remember(file));
	stdio_buffer_collect(&call, file, OURS);
	assert_null(stdio_buffer_collects);
	streams[OURS].tee = true;
	put("x");
	drain();
	drain();
	recorded_is("x");
	put("known");
	stdio_buffer_settle(file);
	drain();
	recorded_is("x");
	streams[OURS].tee = false;
	put_much('a');
	drain();
	assert_int_equal(recorded_bytes, 1001);
	for (int i = 0; i < PLACES; i++)
		stdio_buffer_forget(&many[i]);
	assert_true(stdio_buffer_remember(file));
}

/* ---- who may drain it ---- */

static void drain_again(void)
{
	struct call inner = call;

	inner.sp = call.sp - 100;
	stdio_buffer_drain(&inner, file, OURS);
}

static void who_interrupts_leaves_it_alone(void **state)
{
	struct call inner = call;
	FILE *outer = file;

	(void)state;
	put_much('a');
	while_recording = drain_again;
	drain();
	while_recording = NULL;
	assert_int_equal(recorded_bytes, 1000);
	/* But not the buffers of others. */
	file = new_file();
	put("b");
	inner.sp = call.sp - 100;
	stdio_buffer_drain(&inner, file, OURS);
	assert_int_equal(recorded_bytes, 1001);
	stdio_buffer_forget(file);
	fclose(file);
	file = outer;
	assert_int_equal(stdio_buffer_marks, 0);
}

static jmp_buf out;

static void jump(void)
{
	while_recording = NULL;
	longjmp(out, 1);
}

/* Leaves the mark of a call that does not come back. */
static void leave_mark(void)
{
	put_much('a');
	while_recording = jump;
	if (setjmp(out) == 0)
		drain();
	assert_int_equal(stdio_buffer_marks, 1);
	recorded_bytes = 0;
}

static void a_buffer_in_use_is_left_alone(void **state)
{
	struct call inner = call;

	(void)state;
	leave_mark();
	inner.sp = call.sp - 1; /* further down: it interrupts that one */
	stdio_buffer_drain(&inner, file, OURS);
	assert_int_equal(recorded_bytes, 0);
	is_left = true; /* it has jumped out of it */
	stdio_buffer_drain(&inner, file, OURS);
	assert_int_equal(recorded_bytes, 1000);
	assert_int_equal(stdio_buffer_marks, 0);
	is_left = false;
	leave_mark();
	drain(); /* the same call once more */
	assert_int_equal(recorded_bytes, 1000);
	leave_mark();
	self = (pthread_t)&out; /* and of a thread that a fork has ended */
	stdio_buffer_drain(&inner, file, OURS);
	assert_int_equal(recorded_bytes, 1000);
	assert_int_equal(stdio_buffer_marks, 0);
	leave_mark();
	stdio_buffer_forget(file);
	assert_int_equal(stdio_buffer_marks, 0);
}

static void a_buffer_that_is_locked_is_left_alone(void **state)
{
	(void)state;
	put("y");
	file->_flags2 |= LIBIO_NEEDS_LOCK;
	is_locked = true;
	drain();
	recorded_is("");
	is_locked = false;
	drain();
	recorded_is("y");
	assert_int_equal(locked, 1);
	assert_int_equal(unlocked, 1);
	file->_flags2 &= ~LIBIO_NEEDS_LOCK;
}

/* Macros take no lock. */
static void so_is_that_of_another_thread(void **state)
{
	pthread_t other = (pthread_t)&out, we = self;

	(void)state;
	file->_flags2 |= LIBIO_NEEDS_LOCK;
	self = other;
	assert_true(stdio_buffer_remember(file));
	self = we;
	put("x");
	stdio_buffer_drain_own(&call);
	recorded_is("");
	stdio_buffer_drain_all(&call); /* which natively writes all */
	recorded_is("x");
	put("y");
	self = other;
	stdio_buffer_drain_own(&call);
	recorded_is("xy");
	file->_flags2 &= ~LIBIO_NEEDS_LOCK;
	put("z");
	self = we; /* there is but one */
	stdio_buffer_drain_own(&call);
	recorded_is("xyz");
}

/* What has been collected is the business of the thread that goes on. */
static void with_threads_nothing_is_collected(void **state)
{
	pthread_t we = self;

	(void)state;
	stdio_buffer_collect(&call, file, OURS);
	put("x");
	file->_flags2 |= LIBIO_NEEDS_LOCK;
	stdio_buffer_catch_up(&call);
	recorded_is("x");
	assert_ptr_equal(stdio_buffer_collects, file);
	put("y");
	self = (pthread_t)&out;
	stdio_buffer_catch_up(&call);
	recorded_is("x");
	assert_null(stdio_buffer_collects);
	self = we;
	drain();
	recorded_is("xy");
	file->_flags2 &= ~LIBIO_NEEDS_LOCK;
}

static void where_nothing_is_put_nothing_is_recorded(void **state)
{
	(void)state;
	put("x");
	file->_flags &= ~LIBIO_CURRENTLY_PUTTING;
	drain();
	file->_flags |= LIBIO_CURRENTLY_PUTTING;
	file->_mode = 1;
	drain();
	file->_mode = -1;
	assert_int_equal(recorded_bytes, 0);
	drain();
	recorded_is("x");
}

/* ---- single characters, collected ---- */

static void collect(void)
{
	stdio_buffer_collect(&call, file, OURS);
}

static void only_some_files_collect(void **state)
{
	(void)state;
	streams[OURS].buffering = BINLOG_BUFFER_LINE;
	collect();
	streams[OURS].buffering = BINLOG_BUFFER_FULL;
	streams[OURS].terminal = true;
	collect();
	streams[OURS].terminal = false;
	stdio_turn_matters = STDIO_TURN_LOCKS;
	collect();
	stdio_turn_matters = 0;
	stdio_buffer_putting = 1;
	collect();
	stdio_buffer_putting = 0;
	stdio_buffer_start = recorded;
	collect();
	stdio_buffer_start = NULL;
	file->_flags2 |= LIBIO_NEEDS_LOCK;
	collect();
	file->_flags2 &= ~LIBIO_NEEDS_LOCK;
	assert_null(stdio_buffer_collects);
	collect();
	assert_ptr_equal(stdio_buffer_collects, file);
	collect();
	assert_ptr_equal(stdio_buffer_collects, file);
}

static void what_is_collected_comes_before_another_file(void **state)
{
	FILE *other = new_file();

	(void)state;
	collect();
	assert_false(stdio_buffer_has_collected());
	stdio_buffer_catch_up(&call);
	put("x");
	assert_true(stdio_buffer_has_collected());
	is_borrowed = true;
	stdio_buffer_catch_up(&call);
	is_borrowed = false;
	what_it_is = STREAM_PASS;
	stdio_buffer_catch_up(&call);
	assert_int_equal(recorded_bytes, 0);
	what_it_is = OURS;
	stdio_buffer_collect(&call, other, OURS);
	recorded_is("x");
	assert_ptr_equal(stdio_buffer_collects, other);
	stdio_buffer_forget(other);
	assert_null(stdio_buffer_collects);
	fclose(other);
}

/* A handler prints, while a character is put at the end that was read. */
static void while_one_is_put_it_begins_behind_the_others(void **state)
{
	char *start;

	(void)state;
	collect();
	put("abc");
	start = file->_IO_write_base;
	stdio_buffer_putting = 1;
	drain();
	recorded_is("abc");
	assert_ptr_equal(file->_IO_write_base, start + 3);
	put("d"); /* what the handler puts is recorded later */
	drain();
	recorded_is("abcd");
	put("e");
	stdio_buffer_putting = 0;
	drain();
	recorded_is("abcde");
	assert_ptr_equal(file->_IO_write_base, start);
	assert_null(stdio_buffer_start);
	written_is("");
}

static void after_that_another_buffer_begins_where_it_is(void **state)
{
	static char other[4096];

	(void)state;
	collect();
	put("abc");
	stdio_buffer_putting = 1;
	drain();
	stdio_buffer_putting = 0;
	setvbuf(file, other, _IOFBF, sizeof(other));
	putc('d', file);
	drain();
	recorded_is("abcd");
	assert_null(stdio_buffer_start);
	written_is("");
}

static void a_full_buffer_is_recorded_as_a_whole(void **state)
{
	(void)state;
	collect();
	stdio_buffer_putting = 1;
	for (int i = 0; i < 4; i++)
		put_much('f');
	for (int i = 0; i < 96; i++)
		put("g");
	assert_ptr_equal(file->_IO_write_ptr, file->_IO_buf_end);
	drain();
	assert_int_equal(recorded_bytes, 4096);
	written_is("");
}

static void who_has_jumped_out_of_it_does_not_put(void **state)
{
	(void)state;
	stdio_buffer_putting = 1;
	stdio_buffer_put_is_over(2);
	assert_int_equal(stdio_buffer_putting, 1);
	is_left = true;
	stdio_buffer_put_is_over(2);
	assert_int_equal(stdio_buffer_putting, 0);
}

static void an_end_before_the_beginning_is_put_right(void **state)
{
	(void)state;
	collect();
	put("abc");
	stdio_buffer_putting = 1;
	drain(); /* which begins behind it */
	stdio_buffer_putting = 0;
	file->_IO_write_ptr--; /* as the call that was interrupted goes on */
	drain();
	assert_ptr_equal(file->_IO_write_base, file->_IO_write_ptr);
	put("d");
	drain();
	recorded_is("abcd");
}

/* ---- whose turn it is ---- */

static void it_waits_for_who_holds_the_file(void **state)
{
	struct stdio_lock lock_of_file = {0};
	void *libcs = file->_lock;

	(void)state;
	file->_lock = (void *)&lock_of_file;
	turn.file = file;
	turn.locks = turn.drains = true;
	stdio_turn_matters = STDIO_TURN_LOCKS;
	assert_false(stdio_turn_is_others(file));
	lock_of_file.lock = 1;
	lock_of_file.owner = (const void *)self;
	assert_false(stdio_turn_is_others(file));
	lock_of_file.owner = file;
	assert_true(stdio_turn_is_others(file));
	stdio_buffer_prepare_slow(&call, file, OURS);
	assert_int_equal(locked, 1);
	assert_int_equal(unlocked, 1); /* it was only waited for */
	turn.tries = STDIO_TURN_TRIES;
	stdio_buffer_prepare_slow(&call, file, OURS);
	stdio_buffer_prepare_slow(&call, file, OURS);
	assert_ptr_equal(turn.held, file);
	assert_int_equal(locked, 2);
	stdio_turn_end(&turn);
	stdio_turn_end(&turn);
	assert_int_equal(unlocked, 2);
	turn.drains = false; /* also written */
	turn.tries = 0;
	stdio_buffer_prepare_slow(&call, file, OURS);
	assert_ptr_equal(turn.held, file);
	stdio_turn_end(&turn);
	file->_lock = NULL;
	assert_false(stdio_turn_is_others(file));
	file->_lock = libcs;
}

static void a_record_is_lost_when_others_came_first(void **state)
{
	(void)state;
	assert_false(stdio_turn_is_lost(NULL, 0));
	assert_false(stdio_turn_is_lost(&turn, 0));
	turn.file = file;
	assert_false(stdio_turn_is_lost(&turn, stdio_turn_drained));
	assert_true(stdio_turn_is_lost(&turn, stdio_turn_drained - 1));
	turn.drains = true;
	assert_false(stdio_turn_is_lost(&turn, stdio_turn_drained));
	put("x");
	for (int i = 1; i < 2 * STDIO_TURN_TRIES; i++)
		assert_true(stdio_turn_is_lost(&turn, stdio_turn_drained));
	assert_false(stdio_turn_is_lost(&turn, stdio_turn_drained));
	drain();
}

static void times_are_in_order(void **state)
{
	uint64_t first = 1000, same = 1000, earlier = 10, later = 5000;

	(void)state;
	stdio_turn_order(&first);
	stdio_turn_order(&same);
	stdio_turn_order(&earlier);
	stdio_turn_order(&later);
	assert_int_equal(first, 1000);
	assert_int_equal(same, 1001);
	assert_int_equal(earlier, 1002);
	assert_int_equal(later, 5000);
}

static void a_call_that_is_cancelled_gives_the_lock_back(void **state)
{
	(void)state;
	stdio_buffer_write(&call, file, OURS, true);
	put("left behind");
	assert_non_null(abandoned);
	abandoned(abandoned_by);
	assert_int_equal(unlocked, 1);
	stdio_turn_end(&turn);
	assert_int_equal(unlocked, 1);
	drain();
	assert_int_equal(recorded_bytes, 11);
}

static void a_call_that_is_also_made_has_the_lock(void **state)
{
	(void)state;
	stdio_buffer_write(&call, file, OURS, true);
	assert_int_equal(locked, 1);
	put("passed");
	stdio_buffer_written(file, OURS, true);
	assert_int_equal(unlocked, 0);
	stdio_turn_end(&turn);
	assert_int_equal(unlocked, 1);
	assert_true(stdio_buffer_passed);
	drain();
	assert_int_equal(recorded_bytes, 0);
	written_is("passed");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_macros_have_put_is_recorded_once),
		TEST(so_is_much),
		TEST(what_a_handler_puts_behind_it_stays),
		TEST(what_cannot_be_recorded_is_written),
		TEST(what_is_also_written_stays),
		TEST(many_files_are_known),
		TEST(the_buffers_of_too_many_are_empty),
		TEST(who_interrupts_leaves_it_alone),
		TEST(a_buffer_in_use_is_left_alone),
		TEST(a_buffer_that_is_locked_is_left_alone),
		TEST(so_is_that_of_another_thread),
		TEST(with_threads_nothing_is_collected),
		TEST(where_nothing_is_put_nothing_is_recorded),
		TEST(only_some_files_collect),
		TEST(what_is_collected_comes_before_another_file),
		TEST(while_one_is_put_it_begins_behind_the_others),
		TEST(after_that_another_buffer_begins_where_it_is),
		TEST(a_full_buffer_is_recorded_as_a_whole),
		TEST(who_has_jumped_out_of_it_does_not_put),
		TEST(an_end_before_the_beginning_is_put_right),
		TEST(it_waits_for_who_holds_the_file),
		TEST(a_record_is_lost_when_others_came_first),
		TEST(times_are_in_order),
		TEST(a_call_that_is_also_made_has_the_lock),
		TEST(a_call_that_is_cancelled_gives_the_lock_back),
	};

	self = pthread_self();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
