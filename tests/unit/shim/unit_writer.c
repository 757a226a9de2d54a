/*
 * Blocks of a writer: what it does when they are full, and when there are none,
 * and who counts what is not in them.  No store goes where there is no room.
 */
#include "tests/unit/world/block_world.h"

#define ALL (WRITER_BLOCK_SMALLEST - sizeof(struct binlog_block) - 4)

static struct writer handlers[WRITER_LEVELS];

/* From one cursor to the next, as long as there are any: how many. */
static unsigned records_of(const struct binlog_block *block)
{
	const struct binlog_control_head *at = (const void *)(block + 1);
	unsigned count = 0;

	for (; at->kind != 0; at = (const void *)((const char *)at + at->size))
		count++;
	return count;
}

static void record(uint32_t kind, uint32_t bytes)
{
	struct writer *w = &world.writer;

	assert_non_null(writer_control(w, bytes));
	writer_commit_control(w, kind);
}

/* ---- blocks ---- */

static void each_block_is_twice_as_large(void **state)
{
	static const uint32_t sizes[] = {4, 32, 64, 128, 256, 256};
	const struct binlog_block *block;
	struct writer *w = &world.writer;

	(void)state;
	begin_with(CAPTURE_BYTES);
	block = (const void *)world.capture;
	for (uint32_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		writer_set_end(w, w->cursor);
		assert_true(writer_reserve(w, 8));
		assert_ptr_equal(w->block, block);
		assert_int_equal(block->magic, BINLOG_BLOCK_MAGIC);
		assert_int_equal(block->size, sizes[i] << 10);
		assert_int_equal(block->sequence, i);
		assert_int_equal(w->filled, i > 0);
		block = (const void *)((const char *)block + block->size);
	}
	assert_ptr_equal(
		(const char *)block, world.capture + world.header.published);
}

static void a_record_decides_how_large(void **state)
{
	struct writer *w = &world.writer;

	(void)state;
	begin_with(CAPTURE_BYTES);
	assert_true(writer_reserve(w, 100000));
	assert_int_equal(w->block->size, 128 << 10);
	assert_true(writer_fits(w, w->cursor, 100000));
	w->cursor = w->end;
	assert_false(writer_reserve(
		w, WRITER_RECORD_MAX + sizeof(struct binlog_clock_record) + 1));
	assert_null(writer_control(w, WRITER_RECORD_MAX + 1));
	assert_int_equal(world.header.published, 128 << 10);
}

/* The next smaller one is asked for at once, and again later. */
static void where_the_capture_is_full_the_smallest_may_do(void **state)
{
	struct writer *w = &world.writer;

	(void)state;
	begin_with(12 << 10);
	assert_true(writer_reserve(w, 8));
	w->cursor = w->end;
	assert_true(writer_reserve(w, 8)); /* in place of one of 32 KiB */
	assert_int_equal(w->block->size, 4 << 10);
	w->cursor = w->end;
	assert_false(writer_reserve(w, 6000));
	assert_int_equal(world.used, 8 << 10);
	/* What comes after a call that is passed is passed, too, */
	assert_false(writer_reserve(w, 8));
	world.room = 20 << 10; /* unless there is as much room as it wanted. */
	assert_true(writer_reserve(w, 8));
	assert_int_equal(w->block->size, 8 << 10);
}

static void what_has_no_place_is_neither_said_nor_half_said(void **state)
{
	struct writer *w = &world.writer;
	uint64_t ticks;

	(void)state;
	begin_with(WRITER_BLOCK_SMALLEST);
	record(BINLOG_THREAD, 8);
	w->cursor += ALL - 40;
	w->epoch++; /* the clock has to be said anew, for which is no room */
	assert_false(writer_begin(w, 12, &ticks));
	assert_null(writer_control(w, 40));
	writer_introduce(w);
	assert_int_equal(records_of(w->block), 1);
}

/* Nor any handler's that has interrupted it. */
static void who_is_abandoned_gets_no_block(void **state)
{
	struct writer *last = &handlers[WRITER_LEVELS - 1];

	(void)state;
	begin_with(CAPTURE_BYTES);
	for (unsigned i = 1; i < WRITER_LEVELS; i++) {
		begin_writer(&handlers[i]);
		world.writer.level[i] = &handlers[i];
		handlers[i].levels = world.writer.level;
	}
	assert_true(writer_try(&world.writer, SP));
	assert_true(writer_try(last, SP));
	writer_abandon();
	for (unsigned i = 1; i + 1 < WRITER_LEVELS; i++)
		assert_true(writer_reserve(&handlers[i], 8));
	assert_false(writer_reserve(&world.writer, 8));
	assert_false(writer_reserve(last, 8));
	writer_leave(&world.writer);
	assert_null(writer_enter(SP)); /* it never becomes free */
	writer_self = NULL;	       /* nothing was said so far */
	writer_abandon();
	writer_prepare();
	writer_abandon();
	assert_true(writer_reserve(&handlers[1], 8));
}

static void whether_there_is_room_is_told_before(void **state)
{
	struct writer *w = &world.writer;

	(void)state;
	begin_with(CAPTURE_BYTES);
	assert_true(writer_has_room());
	assert_true(writer_is_free(w));
	world.room = world.used;
	w->cursor = w->end;
	assert_false(writer_has_room());
	assert_true(writer_is_free(w));
	w->idle = 0;
	writer_leave(w);
	assert_false(writer_has_room());
	world.passes = true;
	assert_false(writer_has_room());
}

/* ---- a capture that is cut, and made longer ---- */

static void a_writer_whose_block_is_zeros_gets_no_other(void **state)
{
	struct writer *w = &world.writer;

	(void)state;
	begin_with(CAPTURE_BYTES);
	world.mark = 1;
	assert_true(writer_reserve(w, 8));
	w->cursor = w->end;
	assert_true(writer_reserve(w, 8));
	assert_int_equal(world.cut, 0);
	memset(w->block, 0, w->block->size);
	w->cursor = w->end;
	assert_false(writer_reserve(w, 8));
	assert_int_equal(world.cut, capture_file_offset(w->block));
}

/* Of three threads: the first block that is zeros, each time that the file has
 * become longer. */
static void after_the_file_was_made_longer_all_blocks_are_looked_at(
	void **state)
{
	struct writer *w = &world.writer;
	struct writer *threads[] = {w, &handlers[0], &handlers[1]};

	(void)state;
	begin_with(CAPTURE_BYTES);
	world.mark = 10;
	for (int i = 0; i < 3; i++) {
		if (i > 0) {
			begin_writer(threads[i]);
			threads[i - 1]->next = threads[i];
		}
		assert_true(writer_reserve(threads[i], 8));
	}
	memset(handlers[0].block, 0, WRITER_BLOCK_SMALLEST);
	memset(handlers[1].block, 0, WRITER_BLOCK_SMALLEST);
	w->cursor = w->end;
	assert_true(writer_reserve(w, 8));
	assert_int_equal(world.cut, 0);
	world.mark++;
	w->cursor = w->end;
	assert_false(writer_reserve(w, 8));
	assert_int_equal(world.cut, capture_file_offset(handlers[0].block));
	/* Nobody is in them any more, or they are of another capture. */
	world.cut = 0;
	world.mark++;
	handlers[0].armed = false;
	handlers[1].file = capture_file_number + 1;
	assert_true(writer_reserve(w, 8));
	assert_int_equal(world.cut, 0);
}

/* By binlog-pack --follow, as soon as the next one has begun. */
static void a_block_that_is_packed_and_freed_was_not_cut(void **state)
{
	struct writer *w = &world.writer;
	struct writer *other = &handlers[0];

	(void)state;
	begin_with(CAPTURE_BYTES);
	begin_writer(other);
	w->next = other;
	world.mark = 20;
	assert_true(writer_reserve(w, 8));
	assert_true(writer_reserve(other, 8));
	assert_false(other->exchanges);
	other->exchanges = true;
	memset(other->block, 0, WRITER_BLOCK_SMALLEST);
	world.mark++;
	w->cursor = w->end;
	assert_true(writer_reserve(w, 8));
	assert_int_equal(world.cut, 0);
}

/* What is not in the file any more raises SIGBUS for who stores to it: nobody
 * looks there before. */
static bool look_behind_the_end(void)
{
	struct writer *w = &world.writer;
	int file = memfd_create("capture", MFD_CLOEXEC);

	begin_with(CAPTURE_BYTES);
	if (file < 0 || ftruncate(file, CAPTURE_BYTES) != 0 ||
		mmap(world.capture, CAPTURE_BYTES, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED ||
		!writer_reserve(w, 8) || ftruncate(file, 0) != 0)
		return false;
	w->cursor = w->end;
	return !writer_reserve(w, 8) &&
	       world.cut == capture_file_offset(w->block);
}

static void nobody_looks_behind_the_end_of_a_file(void **state)
{
	(void)state;
	assert_true(in_child(look_behind_the_end));
}

/* ---- what a jump leaves ---- */

static void a_record_that_was_left_is_taken_back(void **state)
{
	struct writer *w = &world.writer;

	(void)state;
	begin_with(CAPTURE_BYTES);
	writer_mend(w); /* without a block */
	record(BINLOG_THREAD, 8);
	*(uint32_t *)(void *)w->cursor = BINLOG_CLOCK;
	w->open = w->cursor;
	writer_mend(w);
	assert_int_equal(records_of(w->block), 1);
	assert_null(w->open);
	writer_mend(w);
	assert_int_equal(records_of(w->block), 1);
}

/* ---- time ---- */

static void time_has_an_anchor_of_its_epoch(void **state)
{
	const struct binlog_clock_record *clock;
	struct writer *w = &world.writer;
	uint64_t ticks;

	(void)state;
	begin_with(CAPTURE_BYTES);
	assert_true(writer_begin(w, 12, &ticks));
	assert_int_equal(ticks, TICKS);
	assert_int_equal(records_of(w->block), 0);
	world.ticks += (uint64_t)1 << CLOCK_EPOCH_SHIFT;
	clock = (const void *)w->cursor;
	assert_true(writer_begin(w, 12, &ticks));
	assert_int_equal(ticks, world.ticks);
	assert_int_equal(clock->head.kind, BINLOG_CLOCK);
	assert_int_equal(clock->anchor.ticks, world.ticks);
	assert_int_equal(records_of(w->block), 1);
	assert_true(writer_begin(w, 12, &ticks));
	assert_int_equal(records_of(w->block), 1);
}

/* ---- before system calls become impossible ---- */

static void one_block_has_to_last(void **state)
{
	struct writer *w = &world.writer;

	(void)state;
	begin_with(CAPTURE_BYTES);
	writer_stock_up();
	assert_true(writer_is_free(w));
	assert_int_equal(w->block->size, BINLOG_BLOCK_MAX);
	assert_true(writer_fits(w, w->cursor, BINLOG_BLOCK_MAX / 2));
	assert_int_equal(world.header.published, BINLOG_BLOCK_MAX);
	assert_int_equal(world.stocked, 0); /* there is no ring */
}

static void or_there_is_none(void **state)
{
	struct writer *w = &world.writer;

	(void)state;
	begin_with(BINLOG_BLOCK_MAX - 1);
	writer_stock_up();
	assert_true(writer_is_free(w));
	assert_null(w->block);
	assert_true(writer_try(w, SP));
	world.room = CAPTURE_BYTES;
	writer_stock_up(); /* of one that is inside */
	assert_int_equal(world.used, 0);
}

/* ---- larger tables ---- */

static void tables_of_memos_grow_as_long_as_there_is_memory(void **state)
{
	static struct memo usual[MEMO_SETS * MEMO_WAYS];
	struct writer *w = &world.writer;

	(void)state;
	begin_with(CAPTURE_BYTES);
	w->memo = usual;
	w->memo_sets = MEMO_SETS;
	w->memo_losses = 5;
	writer_grow_memo(w);
	assert_int_equal(w->memo_sets, 4 * MEMO_SETS);
	assert_ptr_equal(w->memo, arena);
	assert_int_equal(w->memo_losses, 0);
	world.arena = world.taken;
	writer_grow_memo(w);
	assert_int_equal(w->memo_sets, 4 * MEMO_SETS);
	assert_ptr_equal(w->memo, arena);
}

static uint32_t sets_after(struct writer *w, uint32_t sets)
{
	world.taken = 0;
	w->memo_sets = sets;
	writer_grow_memo(w);
	return w->memo_sets;
}

/* It takes more than all others together may have, which is asked next. */
static void one_of_the_largest_leaves_the_others_theirs(void **state)
{
	struct writer *w = &world.writer;

	(void)state;
	begin_with(CAPTURE_BYTES);
	assert_int_equal(sets_after(w, MEMO_SETS_LARGE), MEMO_SETS_MAX);
	assert_int_equal(sets_after(w, MEMO_SETS_LARGE), MEMO_SETS_LARGE);
}

/* All threads together. */
static void only_so_much_of_it_is_taken(void **state)
{
	struct writer *w = &world.writer;
	size_t taken = 0;

	(void)state;
	begin_with(CAPTURE_BYTES);
	do {
		assert_true(taken < 32 << 20);
		taken += world.taken;
		world.taken = 0;
		w->memo_sets = MEMO_SETS_USUAL;
		writer_grow_memo(w);
	} while (world.taken > 0);
	assert_true(taken >= 16 << 20);
	w->memo_sets = MEMO_SETS_USUAL / 4; /* the usual ones all get */
	writer_grow_memo(w);
	assert_int_equal(w->memo_sets, MEMO_SETS_USUAL);
}

/* ---- counts ---- */

static void what_is_passed_or_dropped_is_counted_in_the_block(void **state)
{
	struct writer *w = &world.writer;

	(void)state;
	begin_with(CAPTURE_BYTES);
	assert_true(writer_reserve(w, 8));
	writer_count_passed();
	writer_count_passed();
	writer_count_dropped();
	assert_int_equal(w->block->passed, 2);
	assert_int_equal(w->block->dropped, 1);
	w->excused = true; /* a rule has said so */
	writer_count_passed();
	assert_int_equal(w->block->passed, 2);
	assert_false(w->excused);
	assert_int_equal(world.header.passed + world.header.dropped, 0);
}

static void or_in_the_header_if_there_is_one(void **state)
{
	(void)state;
	begin_with(0);
	writer_count_passed();
	assert_int_equal(world.header.passed, 1);
	writer_self = NULL;
	writer_prepare();
	writer_count_dropped();
	assert_int_equal(world.header.dropped, 1);
	capture_file_header = NULL;
	writer_has_passed = false;
	writer_count_passed();
	assert_true(writer_some_passed());
	assert_int_equal(world.header.passed, 1);
}

/* ---- what was said ---- */

static void bytes_are_added_to_the_stream_that_they_went_to(void **state)
{
	struct writer *w = &world.writer;

	(void)state;
	begin_with(CAPTURE_BYTES);
	memset(streams, 0, sizeof(streams));
	assert_true(writer_has_spoken());
	assert_false(writer_said(w, 7, 100));
	assert_false(writer_said(w, 7, 10));
	writer_said(w, 8, 1);
	assert_int_equal(streams[7].said, 110);
	assert_int_equal(streams[8].said, 0);
	writer_add_up_own();
	writer_add_up();
	assert_int_equal(streams[8].said, 1);
	writer_said(w, 8, 2);
	world.marked = false; /* in a child, where they are the parent's */
	writer_add_up_own();
	assert_int_equal(streams[8].said, 1);
	world.passes = true;
	writer_add_up();
	assert_int_equal(streams[8].said, 1);
	assert_false(writer_has_spoken());
}

/* Of what is a child's, and what it has from its parent. */
static void nothing_is_added_of_who_is_not_there(void **state)
{
	struct writer *parents = &handlers[1];

	(void)state;
	begin_with(CAPTURE_BYTES);
	memset(streams, 0, sizeof(streams));
	begin_writer(parents);
	writer_said(&world.writer, 7, 1);
	writer_said(parents, 7, 10);
	parents->armed = false;
	world.writer.next = parents;
	writer_add_up();
	assert_int_equal(streams[7].said, 1);
	writer_self = parents;
	writer_add_up_own();
	assert_int_equal(streams[7].said, 1);
}

static void a_terminal_has_to_show_each(void **state)
{
	struct writer *w = &world.writer;

	(void)state;
	begin_with(CAPTURE_BYTES);
	memset(streams, 0, sizeof(streams));
	streams_reading_shows = false;
	streams[7].terminal = true;
	assert_true(writer_said(w, 7, 1));
	assert_true(writer_said(w, 7, 1));
	assert_true(streams_reading_shows);
	streams_reading_shows = false;
	streams[8].buffering = BINLOG_BUFFER_LINE;
	assert_false(writer_said(w, 8, 1));
	assert_true(streams_reading_shows);
}

/* ---- who speaks ---- */

/* The same writer as that of another thread. */
static void serve(struct writer *w, uint32_t tid)
{
	w->tid = tid;
	w->state = w->idle = GENERATION | (uint64_t)tid << 32;
	w->turns = 0;
}

static bool calls_quickly(struct writer *w)
{
	bool does = writer_try(w, 4096);

	if (does)
		writer_leave(w);
	return does;
}

static bool takes_turn(struct writer *w)
{
	bool does = writer_take_turn(w, 4096);

	if (does)
		writer_leave(w);
	return does;
}

static void who_has_spoken_last_goes_on(void **state)
{
	struct writer *w = &world.writer;

	(void)state;
	begin_with(CAPTURE_BYTES);
	serve(w, 7);
	switches.speaker = SPEAKER_NOBODY;
	assert_false(calls_quickly(w));
	assert_true(takes_turn(w));
	assert_int_equal(switches.speaker, 7);
	assert_true(calls_quickly(w));
	/* Another one, who is one of many from then on. */
	serve(w, 8);
	assert_false(calls_quickly(w));
	assert_true(takes_turn(w));
	assert_int_equal(switches.speaker, SPEAKER_MANY);
	for (unsigned i = 0; i < WRITER_TURNS; i++) {
		assert_false(calls_quickly(w));
		assert_true(takes_turn(w));
	}
	assert_int_equal(switches.speaker, SPEAKER_MANY);
	assert_true(takes_turn(w));
	assert_int_equal(switches.speaker, 8);
	assert_true(calls_quickly(w));
}

static void nobody_takes_a_turn_where_something_else_has_changed(void **state)
{
	struct writer *w = &world.writer;

	(void)state;
	begin_with(CAPTURE_BYTES);
	serve(w, 7);
	switches.generation += 2;
	assert_false(takes_turn(w));
	switches.generation -= 2;
	w->state = 4096; /* a call is inside */
	assert_false(takes_turn(w));
	w->state = w->idle = 0; /* in a child of fork */
	assert_false(takes_turn(w));
	switches.speaker = SPEAKER_NOBODY;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_block_is_twice_as_large),
		cmocka_unit_test(a_record_decides_how_large),
		cmocka_unit_test(where_the_capture_is_full_the_smallest_may_do),
		cmocka_unit_test(
			what_has_no_place_is_neither_said_nor_half_said),
		cmocka_unit_test(who_is_abandoned_gets_no_block),
		cmocka_unit_test(whether_there_is_room_is_told_before),
		cmocka_unit_test(a_writer_whose_block_is_zeros_gets_no_other),
		cmocka_unit_test(
			after_the_file_was_made_longer_all_blocks_are_looked_at),
		cmocka_unit_test(a_block_that_is_packed_and_freed_was_not_cut),
		cmocka_unit_test(nobody_looks_behind_the_end_of_a_file),
		cmocka_unit_test(a_record_that_was_left_is_taken_back),
		cmocka_unit_test(time_has_an_anchor_of_its_epoch),
		cmocka_unit_test(one_block_has_to_last),
		cmocka_unit_test(or_there_is_none),
		cmocka_unit_test(
			tables_of_memos_grow_as_long_as_there_is_memory),
		cmocka_unit_test(one_of_the_largest_leaves_the_others_theirs),
		cmocka_unit_test(only_so_much_of_it_is_taken),
		cmocka_unit_test(
			what_is_passed_or_dropped_is_counted_in_the_block),
		cmocka_unit_test(or_in_the_header_if_there_is_one),
		cmocka_unit_test(
			bytes_are_added_to_the_stream_that_they_went_to),
		cmocka_unit_test(nothing_is_added_of_who_is_not_there),
		cmocka_unit_test(a_terminal_has_to_show_each),
		cmocka_unit_test(who_has_spoken_last_goes_on),
		cmocka_unit_test(
			nobody_takes_a_turn_where_something_else_has_changed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
