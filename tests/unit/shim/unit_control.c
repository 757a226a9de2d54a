/*
 * What is switched from outside, as the library follows it: rules are read out
 * of a capture that may be damaged or be switched meanwhile, and in force is
 * always one state that somebody has wanted.
 */
#include "tests/unit/world/control_world.h"
#if defined(__x86_64__)
#include "tests/unit/world/single_step.h"
#endif

/* ---- the tests ---- */

static void before_there_is_a_capture_the_settings_hold(void **state)
{
	struct binlog_switches *outside = control_switches;
	struct binlog_switches own = *outside;

	(void)state;
	world.no_capture = true;
	own.level = 3;
	own.version++;
	control_switches = &own;
	assert_true(control_is_behind());
	control_look();
	assert_false(control_is_behind());
	assert_null(control_rules());
	assert_int_equal(level_in_force(), 3);
	assert_true(control_is_deciding());
	control_switches = outside;
}

static void rules_come_into_force_and_go(void **state)
{
	uint32_t generation = control_generation();

	(void)state;
	assert_int_equal(rules_in_force(), 0);
	assert_int_equal(control_generation(), generation);
	switch_to(FIRST, QUIET);
	assert_true(control_is_behind());
	assert_int_equal(rules_in_force(), FIRST);
	assert_true(control_is_deciding());
	assert_false(control_is_asking_threads());
	assert_true(control_generation() > generation);
	switch_to(SECOND, OF_THREADS);
	assert_int_equal(rules_in_force(), SECOND);
	assert_true(control_is_asking_threads());
	switch_rules(FIRST, NULL, 0);
	assert_int_equal(rules_in_force(), 0);
	assert_false(control_is_deciding());
	assert_false(control_is_asking_threads());
}

static void a_text_is_read_once(void **state)
{
	size_t used;

	(void)state;
	switch_to(FIRST, QUIET);
	assert_int_equal(rules_in_force(), FIRST);
	switch_to(SECOND, OF_THREADS);
	assert_int_equal(rules_in_force(), SECOND);
	used = world.arena_used;
	switch_to(FIRST, QUIET);
	assert_int_equal(rules_in_force(), FIRST);
	assert_int_equal(world.arena_used, used);
	switch_rules(0, NULL, 0);
	assert_int_equal(rules_in_force(), 0);
	/* Of another length, it is another. */
	switch_to(FIRST, QUIET QUIET);
	assert_int_equal(rules_in_force(), FIRST);
	assert_true(world.arena_used > used);
}

static void texts_that_are_not_there_change_nothing(void **state)
{
	static const struct {
		uint64_t at;
		uint32_t bytes;
	} rows[] = {
		{CAPTURE_BYTES + 1, 1},
		{UINT64_MAX, 20},
		{CAPTURE_BYTES - 10, 11},
		{SECOND, RULES_TEXT_MAX + 1},
		{SECOND, UINT32_MAX},
	};
	size_t used;

	(void)state;
	memset(capture + SECOND, '\n', RULES_TEXT_MAX + 1);
	switch_to(FIRST, QUIET);
	assert_int_equal(rules_in_force(), FIRST);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		used = world.arena_used;
		switch_rules(rows[i].at, NULL, rows[i].bytes);
		assert_int_equal(rules_in_force(), FIRST);
		assert_int_equal(world.arena_used, used);
	}
	switch_rules(SECOND, NULL, RULES_TEXT_MAX);
	assert_int_equal(rules_in_force(), SECOND);
	world.limit = 0; /* nothing may be mapped any more */
	switch_to(FIRST + 64, QUIET);
	assert_int_equal(rules_in_force(), SECOND);
}

/* Others have made it longer than this process knows. */
static void the_file_is_as_long_as_it_is(void **state)
{
	(void)state;
	world.size = SECOND;
	switch_to(SECOND, QUIET);
	assert_int_equal(rules_in_force(), SECOND);
	world.bytes = SECOND;
	switch_to(SECOND + 64, QUIET);
	assert_int_equal(rules_in_force(), SECOND);
}

static void what_is_refused_is_told_and_changes_nothing(void **state)
{
	(void)state;
	switch_to(FIRST, QUIET);
	assert_int_equal(rules_in_force(), FIRST);
	switch_to(SECOND, QUIET "\nno rule\n");
	assert_int_equal(rules_in_force(), FIRST);
	assert_int_equal(switches()->rules_wrong, 3);
	switch_to(SECOND, QUIET "\nno rule\n"); /* met before */
	assert_int_equal(rules_in_force(), FIRST);
}

static void without_memory_rules_stay_as_they_were(void **state)
{
	(void)state;
	switch_to(FIRST, QUIET);
	assert_int_equal(rules_in_force(), FIRST);
	for (unsigned i = 0; i < 3; i++) {
		world.allocations = i;
		switch_to(SECOND, OF_THREADS);
		assert_int_equal(rules_in_force(), FIRST);
		assert_int_equal(world.allocations, FOR_EVER);
	}
	switch_to(SECOND, OF_THREADS);
	assert_int_equal(rules_in_force(), SECOND);
}

static void switch_once_more(void)
{
	switch_to(SECOND, OF_THREADS);
	switches()->level = 1;
}

/* At each moment at which this process looks. */
static void what_is_switched_meanwhile_is_in_force(void **state)
{
	for (unsigned moment = 1; moment < 20; moment++) {
		begin(state);
		switch_to(FIRST, QUIET);
		world.meanwhile = switch_once_more;
		world.moment = moment;
		control_follow();
		if (world.moment > 0)
			break;
		assert_false(control_is_behind());
		assert_int_equal(rules_in_force(), SECOND);
		assert_int_equal(level_in_force(), 1);
		assert_true(control_is_asking_threads());
	}
	assert_int_not_equal(world.moment, 0);
}

#if defined(__x86_64__)

static bool follows; /* who switches meanwhile, too, as a thread beside */

static void switch_beside(void)
{
	switch_once_more();
	if (follows)
		control_follow();
}

static bool is_interrupted_at(unsigned long instruction)
{
	bool interrupted;

	switches()->level = LEVEL_LAST;
	switch_to(THIRD, QUIET);
	control_follow();
	switch_to(FIRST, QUIET);
	step_begin(instruction);
	control_follow();
	interrupted = step_end();
	control_look();
	return interrupted;
}

/* The same at each instruction. */
static void what_is_switched_at_any_moment_is_in_force(void **state)
{
	unsigned long i;
	size_t used;

	(void)state;
	switch_to(FIRST, QUIET);
	control_follow();
	switch_to(SECOND, OF_THREADS);
	control_follow();
	switch_to(THIRD, QUIET);
	control_follow();
	used = world.arena_used;
	step_prepare(switch_beside);
	for (int round = 0; round < 2; round++) {
		follows = round != 0;
		for (i = 0; is_interrupted_at(i); i++) {
			assert_false(control_is_behind());
			assert_int_equal(rules_in_force(), SECOND);
			assert_int_equal(level_in_force(), 1);
			assert_true(control_is_asking_threads());
			assert_true(control_is_deciding());
		}
		assert_in_range(i, 100, 10000);
		/* Never the place of one text, and the length of another. */
		assert_int_equal(world.arena_used, used);
	}
}

#endif

static void levels_without_a_meaning_are_the_next_that_have(void **state)
{
	static const struct {
		int level, in_force;
	} rows[] = {{INT_MIN, -1}, {-2, -1}, {-1, -1}, {0, 0}, {5, 5},
		{LEVEL_LAST, LEVEL_LAST}, {LEVEL_LAST + 1, LEVEL_LAST},
		{INT_MAX, LEVEL_LAST}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		switches()->level = rows[i].level;
		switches_tell(switches());
		assert_int_equal(level_in_force(), rows[i].in_force);
		assert_int_equal(
			control_is_deciding(), rows[i].in_force < LEVEL_LAST);
	}
}

/* What its parent has made of them is gone. */
static void a_child_of_fork_follows_the_rules(void **state)
{
	uint32_t generation;

	(void)state;
	generation = control_generation();
	memset(&world.self, 0, sizeof(world.self));
	control_follow_fork();
	assert_int_equal(control_generation(), generation);
	switch_to(FIRST, QUIET);
	assert_int_equal(rules_in_force(), FIRST);
	memset(&world.self, 0, sizeof(world.self));
	assert_null(control_rules());
	generation = control_generation();
	world.meanwhile = switch_once_more;
	world.moment = 1;
	control_follow_fork();
	assert_true(control_generation() > generation);
	assert_int_equal(rules_in_force(), SECOND);
}

static void streams_are_switched_when_they_are(void **state)
{
	(void)state;
	switches_tell(switches());
	control_look();
	assert_int_equal(world.switched, 0);
	switches()->off = 1;
	switches_tell(switches());
	control_look();
	assert_int_equal(world.switched, 1);
	assert_true(world.off);
	switches()->off = 0;
	switches()->modes[SWITCH_STDERR] = 2;
	switches_tell(switches());
	control_look();
	assert_int_equal(world.switched, 2);
	assert_false(world.off);
	assert_int_equal(world.modes[SWITCH_STDERR], 2);
	switches()->modes[SWITCH_STDERR] = 0;
	switches_tell(switches());
	control_look();
	assert_int_equal(world.switched, 3);
}

static void triggers_are_pulled_once(void **state)
{
	(void)state;
	switches()->triggers++;
	switches_tell(switches());
	control_look();
	assert_int_equal(world.triggers, 1);
	switches_tell(switches());
	control_look();
	assert_int_equal(world.triggers, 1);
	switch_to(FIRST, "format \"error*\" trigger\n");
	control_look();
	assert_int_equal(world.waits, 1);
	switches()->triggers--; /* so that it is as before */
	switches_tell(switches());
	control_look();
}

static void settings_are_what_a_capture_begins_with(void **state)
{
	(void)state;
	control_set_level(4);
	control_set_off();
	assert_true(control_is_deciding());
	control_begin(header());
	assert_int_equal(switches()->level, 4);
	assert_int_equal(switches()->syslog_off, 0xe0);
	assert_int_equal(switches()->off, 1);
	control_set_rules(FIRST, strlen(QUIET));
	memcpy(capture + FIRST, QUIET, strlen(QUIET));
	assert_int_equal(rules_in_force(), FIRST);
	assert_true(world.off);
	assert_int_equal(level_in_force(), 4);
	control_set_level(LEVEL_LAST);
	assert_false(control_is_deciding());
}

/* A child of fork would take 0 for what its writer has seen. */
static void a_generation_is_odd_whatever_is_stored_there(void **state)
{
	(void)state;
	switches()->generation = 0;
	assert_int_equal(control_generation(), 1);
	assert_int_equal(switches()->generation, 1);
}

/* Where nobody can switch any more; but what was known is known no more. */
static void an_end_is_a_new_generation(void **state)
{
	static _Alignas(4096) char page[4096];
	struct binlog_header *last = (struct binlog_header *)(void *)page;

	(void)state;
	switch_to(FIRST, QUIET);
	assert_int_equal(rules_in_force(), FIRST);
	control_end(last);
	assert_int_equal(switches_of(last)->generation, 1001);
	assert_int_equal(switches_of(last)->version, control_seen);
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(before_there_is_a_capture_the_settings_hold),
		TEST(rules_come_into_force_and_go),
		TEST(a_text_is_read_once),
		TEST(texts_that_are_not_there_change_nothing),
		TEST(the_file_is_as_long_as_it_is),
		TEST(what_is_refused_is_told_and_changes_nothing),
		TEST(without_memory_rules_stay_as_they_were),
		TEST(what_is_switched_meanwhile_is_in_force),
#if defined(__x86_64__)
		TEST(what_is_switched_at_any_moment_is_in_force),
#endif
		TEST(levels_without_a_meaning_are_the_next_that_have),
		TEST(a_child_of_fork_follows_the_rules),
		TEST(streams_are_switched_when_they_are),
		TEST(triggers_are_pulled_once),
		TEST(a_generation_is_odd_whatever_is_stored_there),
		TEST(an_end_is_a_new_generation),
		TEST(settings_are_what_a_capture_begins_with),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
