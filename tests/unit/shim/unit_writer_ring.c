/*
 * A writer where there is a ring: what it says goes to slots that are taken
 * from it again, and what that means to blocks that stay.  A handler may have
 * jumped out of it anywhere.
 */
#include "tests/unit/world/block_world.h"
#if defined(__x86_64__)
#include "tests/unit/world/single_step.h"
#endif

#include "shim/writer/writer.h"

static void begin_ring(size_t room)
{
	begin_with(room);
	ring_slots = slots;
	memset(slots, 0, sizeof(slots));
}

static struct binlog_block *block_at(unsigned slot)
{
	return (void *)(world.slots + slot * (size_t)BINLOG_BLOCK_MAX);
}

static const struct binlog_control_head *first_of(const struct binlog_block *b)
{
	return (const void *)(b + 1);
}

/* ---- slots ---- */

static void each_block_is_at_a_place_of_its_own(void **state)
{
	struct writer *w = &world.writer;

	(void)state;
	begin_ring(CAPTURE_BYTES);
	for (uint32_t i = 0; i < 3; i++) {
		w->cursor = w->end;
		assert_true(writer_reserve(w, 100));
		assert_ptr_equal(w->block, block_at(i));
		assert_int_equal(w->block->magic, BINLOG_BLOCK_MAGIC);
		assert_int_equal(
			w->block->sequence, (i + 1) | BINLOG_RING_DATA);
		assert_int_equal(w->block->anchor.ticks, TICKS);
		assert_int_equal(world.want.first, i == 0);
		assert_int_equal(world.finished, i);
	}
	assert_int_equal(world.used, 0);
	world.ring_is_full = true;
	w->cursor = w->end;
	assert_false(writer_reserve(w, 100));
	assert_ptr_equal(w->block, block_at(2));
	assert_int_equal(world.finished, 2);
}

static void they_grow_up_to_the_usual_size(void **state)
{
	struct writer *w = &world.writer;

	(void)state;
	begin_ring(CAPTURE_BYTES);
	for (uint32_t size = WRITER_BLOCK_SMALLEST; size > 0; size *= 2) {
		w->cursor = w->end;
		assert_true(writer_reserve(w, 100));
		if (size > ring_block_most())
			break;
		assert_int_equal(w->block->size, size);
	}
	assert_int_equal(w->block->size, ring_block_most());
}

static void a_place_is_as_large_as_its_first_record(void **state)
{
	struct writer *w = &world.writer;

	(void)state;
	begin_ring(CAPTURE_BYTES);
	assert_true(writer_reserve(w, 65500));
	assert_int_equal(world.want.bytes, 128 << 10);
	assert_true(writer_fits(w, w->cursor, 65500));
}

static void what_is_overwritten_has_been_counted(void **state)
{
	struct writer *w = &world.writer;

	(void)state;
	begin_ring(CAPTURE_BYTES);
	assert_true(writer_reserve(w, 100));
	for (unsigned i = 0; i < 3; i++)
		writer_count_passed();
	writer_count_dropped();
	memset(w->block + 1, 'x', 100);
	for (unsigned i = 0; i < SLOTS; i++) {
		w->cursor = w->end;
		assert_true(writer_reserve(w, 100));
	}
	assert_ptr_equal(w->block, block_at(0));
	assert_int_equal(w->block->passed, 0);
	assert_int_equal(world.header.passed, 3);
	assert_int_equal(world.header.dropped, 1);
	assert_int_equal(first_of(w->block)->kind, 0);
}

static void each_begins_with_its_thread(void **state)
{
	const struct binlog_thread_record *thread;
	struct writer *w = &world.writer;

	(void)state;
	begin_ring(CAPTURE_BYTES);
	writer_introduce(w);
	thread = (const void *)first_of(w->block);
	assert_int_equal(thread->head.kind, BINLOG_THREAD);
	w->cursor = w->end;
	assert_true(writer_reserve(w, 100));
	assert_memory_equal(thread, first_of(w->block), sizeof(*thread));
	assert_ptr_equal(w->cursor, (char *)(w->block + 1) + sizeof(*thread));
}

/* Of the clocks; but not into another epoch or onto another core. */
static void one_look_is_for_many_blocks(void **state)
{
	const uint64_t epoch = (uint64_t)1 << CLOCK_EPOCH_SHIFT;
	static const uint32_t other = 4;
	struct writer *w = &world.writer;
	uint64_t ticks;

	(void)state;
	begin_ring(CAPTURE_BYTES);
	assert_true(writer_begin(w, 8, &ticks));
	world.ticks++;
	w->cursor = w->end;
	assert_true(writer_begin(w, 8, &ticks));
	assert_int_equal(w->block->anchor.ticks, TICKS);
	world.ticks += epoch;
	w->cursor = w->end;
	assert_true(writer_begin(w, 8, &ticks));
	assert_int_equal(w->block->anchor.ticks, world.ticks);
	world.ticks++;
	w->core_now = &other;
	w->cursor = w->end;
	assert_true(writer_begin(w, 8, &ticks));
	assert_int_equal(w->block->anchor.ticks, world.ticks);
	assert_int_equal(w->block->core, other);
}

/* ---- definitions ---- */

static void definitions_stay(void **state)
{
	struct writer *w = &world.writer;
	void *text;

	(void)state;
	begin_ring(CAPTURE_BYTES);
	assert_true(writer_reserve(w, 100));
	text = writer_control(w, 40);
	assert_in_range((uintptr_t)text, (uintptr_t)world.capture,
		(uintptr_t)world.capture + WRITER_BLOCK_SMALLEST);
	writer_commit_control(w, BINLOG_STRING);
	assert_int_equal(w->ring.definitions->sequence, 0);
	assert_int_equal(first_of(w->ring.definitions)->kind, BINLOG_STRING);
	assert_int_equal(first_of(w->block)->kind, 0);
	assert_null(writer_control(w, WRITER_RECORD_MAX + 1));
	world.room = world.used;
	assert_null(writer_control(w, 4000));
	assert_true(writer_has_room());
	w->ring.cursor = w->ring.end;
	assert_false(writer_has_room());
}

static void a_writer_that_is_lost_defines_nothing(void **state)
{
	struct writer *w = &world.writer;

	(void)state;
	begin_ring(CAPTURE_BYTES);
	assert_true(writer_try(w, SP));
	writer_abandon();
	assert_null(writer_control(w, 40));
	assert_false(writer_reserve(w, 40));
	assert_int_equal(world.used + world.turns, 0);
}

static void a_block_of_definitions_has_to_last(void **state)
{
	struct writer *w = &world.writer;

	(void)state;
	begin_ring(CAPTURE_BYTES);
	writer_stock_up();
	assert_int_equal(world.stocked, 1);
	assert_null(w->block);
	assert_int_equal(w->ring.definitions->size, BINLOG_BLOCK_MAX);
	assert_non_null(writer_control(w, WRITER_RECORD_MAX));
	assert_int_equal(world.used, BINLOG_BLOCK_MAX);
}

static bool child_goes_on(void)
{
	struct writer *w = &world.writer;

	writer_after_fork(true);
	writer_commit_control(w, BINLOG_STRING);
	return world.kept_off == 2 && !writer_control(w, 8) &&
	       !writer_reserve(w, 8);
}

static void a_child_defines_nothing_for_its_parent(void **state)
{
	struct writer *w = &world.writer;

	(void)state;
	begin_ring(CAPTURE_BYTES);
	assert_true(writer_try(w, SP));
	assert_true(writer_reserve(w, 8));
	assert_non_null(writer_control(w, 40));
	assert_true(writer_before_fork());
	assert_true(in_child(child_goes_on));
	assert_int_equal(first_of(w->ring.definitions)->kind, 0);
}

/* ---- what a jump leaves ---- */

static void has_no_block(const struct writer *w)
{
	assert_null(w->block);
	assert_null(w->open);
	assert_false(w->ring.turns);
	assert_false(writer_fits(w, w->cursor, 1));
	assert_true(w->cursor > w->limit); /* nor on the short way */
}

static void goes_on_at_another_place(struct writer *w)
{
	unsigned turns = world.turns;

	has_no_block(w);
	world.is_taken = false;
	assert_true(writer_reserve(w, 8));
	assert_int_equal(world.turns, turns + 1);
}

static void what_was_left_is_taken_back(void **state)
{
	struct writer *w = &world.writer;

	(void)state;
	begin_ring(CAPTURE_BYTES);
	assert_true(writer_reserve(w, 8));
	writer_mend(w); /* before it has defined anything */
	assert_non_null(writer_control(w, 40));
	*(uint32_t *)(void *)w->ring.cursor = BINLOG_STRING;
	*(uint32_t *)(void *)w->cursor = BINLOG_CONTEXT_FIRST;
	writer_mend(w);
	assert_int_equal(first_of(w->ring.definitions)->kind, 0);
	assert_int_equal(first_of(w->block)->kind, 0);
	assert_ptr_equal(w->block, block_at(0));
	writer_mend(w);
	assert_ptr_equal(w->block, block_at(0));
}

static void without_its_place_it_goes_on_at_another(void **state)
{
	struct writer *w = &world.writer;

	(void)state;
	begin_ring(CAPTURE_BYTES);
	writer_mend(w); /* never had one */
	goes_on_at_another_place(w);
	w->open = w->cursor;
	world.is_taken = true;
	writer_mend(w);
	goes_on_at_another_place(w);
	w->ring.turns = true; /* in the middle of changing it */
	writer_mend(w);
	goes_on_at_another_place(w);
}

/* After the next one is held, before `taking` names the full one. */
static void what_was_full_is_finished_though_a_jump_came_before(void **state)
{
	struct writer *w = &world.writer;
	struct ring_hold full;
	unsigned finished;

	(void)state;
	begin_ring(CAPTURE_BYTES);
	assert_true(writer_reserve(w, 8));
	full = w->ring.holds[w->ring.held];
	writer_set_end(w, w->cursor);
	assert_true(writer_reserve(w, 8));
	finished = world.finished;
	w->ring.holds[!w->ring.held] = full;
	w->ring.taking = (uint32_t)(w->ring.holds[w->ring.held].slot - slots) + 1;
	w->ring.turns = true;
	writer_mend(w);
	assert_true(writer_reserve(w, 8));
	assert_int_equal(world.finished, finished + 2);
}

#if defined(__x86_64__)
static sigjmp_buf back;

static void jump(void)
{
	siglongjmp(back, 1);
}

/* The cursor is in the next block already, the end is that of the full one. */
static void a_jump_while_that_is_mended_leaves_no_half(void **state)
{
	static char other[4096];
	struct writer *w = &world.writer;
	volatile unsigned long at = 0;
	volatile bool interrupted = true;

	(void)state;
	begin_ring(CAPTURE_BYTES);
	assert_true(writer_reserve(w, 8));
	step_prepare(jump);
	for (; interrupted; at++) {
		w->block = block_at(0);
		w->cursor = other;
		writer_set_end(w, (char *)block_at(0) + 4096);
		w->ring.turns = true;
		interrupted = false;
		if (sigsetjmp(back, 1) == 0) {
			step_begin(at);
			writer_mend(w);
			interrupted = step_end();
		} else {
			interrupted = true;
		}
		writer_mend(w);
		if (w->block)
			assert_ptr_not_equal(w->cursor, other);
		assert_false(w->ring.turns);
	}
	assert_true(at > 20);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_block_is_at_a_place_of_its_own),
		cmocka_unit_test(they_grow_up_to_the_usual_size),
		cmocka_unit_test(a_place_is_as_large_as_its_first_record),
		cmocka_unit_test(what_is_overwritten_has_been_counted),
		cmocka_unit_test(each_begins_with_its_thread),
		cmocka_unit_test(one_look_is_for_many_blocks),
		cmocka_unit_test(definitions_stay),
		cmocka_unit_test(a_writer_that_is_lost_defines_nothing),
		cmocka_unit_test(a_block_of_definitions_has_to_last),
		cmocka_unit_test(a_child_defines_nothing_for_its_parent),
		cmocka_unit_test(what_was_left_is_taken_back),
		cmocka_unit_test(without_its_place_it_goes_on_at_another),
		cmocka_unit_test(
			what_was_full_is_finished_though_a_jump_came_before),
#if defined(__x86_64__)
		cmocka_unit_test(a_jump_while_that_is_mended_leaves_no_half),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
