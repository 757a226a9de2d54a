/*
 * One takes a slot of the ring, and at each of the instructions that this
 * takes a signal handler takes others, or jumps out: each slot has one holder,
 * and none is lost.
 */
#if defined(__x86_64__)

#include "tests/unit/world/ring_fillers.h"
#include "tests/unit/world/single_step.h"

static volatile bool jumps;
static sigjmp_buf back;

static void on_step(void)
{
	if (jumps)
		siglongjmp(back, 1);
	for (unsigned i = 1; i < 3; i++)
		if (!turn(&fillers[i], 4096))
			_exit(NOT_MADE);
}

/* True: it was interrupted. */
static bool is_interrupted(unsigned long at, uint32_t bytes)
{
	const struct ring_want want = {.writer = 1,
		.tid = (uint32_t)getpid(),
		.bytes = bytes,
		.wished = bytes};
	struct filler *filler = &fillers[0];
	struct ring_hold full = filler->hold, hold = full;
	bool interrupted;
	char *memory;

	if (sigsetjmp(back, 1) != 0)
		return true;
	step_begin(at);
	memory = ring_take(&want, &filler->taking, &hold);
	ring_finish(&full);
	interrupted = step_end();
	if (!memory)
		_exit(NOT_MADE);
	filler->hold = hold;
	filler->memory = (uint64_t *)(void *)memory;
	filler->taking = 0;
	*filler->memory = filler->stamp = ++turns;
	return interrupted;
}

/* A ring of which all was used. */
static bool prepare(void)
{
	step_prepare(on_step);
	if (!begin(64 * KIB, 64 * MIB))
		return false;
	for (unsigned i = 0; i < 60; i++)
		if (!turn(&fillers[i % 3], 4096))
			return false;
	return true;
}

static enum wrong step_through(void)
{
	unsigned long at = 0;

	if (!prepare())
		return NOT_MADE;
	while (is_interrupted(at, 4096)) {
		at += 1 + at / 500;
		for (unsigned i = 0; i < 3; i++)
			if (!is_intact(&fillers[i]))
				return SHARED;
		if (jumps && !turn(&fillers[0], 4096))
			return NOT_MADE;
		/* what was left by a jump was finished or taken again */
		if (in_state(RING_OPEN) > 3u + jumps)
			return LEFT_BEHIND;
	}
	return at > 100 ? RIGHT : NOT_MADE;
}

/* A call has taken a slot and was left, and then the next one is, too: which is
 * told by those that nobody gives back. */
static enum wrong step_through_left(void)
{
	const struct ring_want want = {.writer = 1,
		.tid = (uint32_t)getpid(),
		.bytes = 4096,
		.wished = 4096};
	unsigned long at = 0;

	if (!prepare())
		return NOT_MADE;
	do {
		struct ring_hold hold = fillers[0].hold;

		if (!ring_take(&want, &fillers[0].taking, &hold))
			return NOT_MADE;
	} while (is_interrupted(at++, 4096) && turn(&fillers[0], 4096) &&
		 in_state(RING_OPEN) == 3);
	if (at < 100)
		return NOT_MADE;
	return in_state(RING_OPEN) > 3 ? LEFT_BEHIND : RIGHT;
}

static void what_a_second_jump_leaves_is_not_lost(void **state)
{
	(void)state;
	jumps = true;
	happens_to(&usual, step_through_left);
}

static void interrupted_anywhere_each_slot_has_one_holder(void **state)
{
	(void)state;
	jumps = false;
	happens_to(&usual, step_through);
}

static void what_a_jump_leaves_is_not_lost(void **state)
{
	(void)state;
	jumps = true;
	happens_to(&usual, step_through);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			interrupted_anywhere_each_slot_has_one_holder),
		cmocka_unit_test(what_a_jump_leaves_is_not_lost),
		cmocka_unit_test(what_a_second_jump_leaves_is_not_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else
#include <stdio.h>

int main(void)
{
	printf("1..0 # SKIP instructions are stepped through on x86-64 only\n");
	return 0;
}
#endif
