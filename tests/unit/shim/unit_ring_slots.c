/*
 * The slots of the ring: the oldest full one is the next, but for what is
 * kept; who is gone has left its own; and how large a ring is, and what of it
 * is kept, is as it was asked for.
 */
#include "tests/unit/world/ring_fillers.h"

#include "shim/file/growth.h"
#include "shim/host/sys.h"
#include "shim/writer/pace.h"
#include "shim/writer/ring.h"
#include "shim/writer/ring_trigger.h"

#define SECOND ((uint64_t)1000000000)

/* ---- in turns ---- */

/* Of the full slots that are large enough the one that is so for longest. */
static uint64_t oldest(uint32_t bytes)
{
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < PLACES; i++)
		if (finished[i] && finished[i] < least &&
			(ring_slots[i].state & RING_STATE) == RING_DONE &&
			ring_slot_bytes(ring_slots[i].at) >= bytes)
			least = finished[i];
	return least;
}

static uint64_t finished_of(const struct filler *filler)
{
	return finished[filler->hold.slot - ring_slots];
}

static enum wrong take_turns(void)
{
	if (!begin(512 * KIB, 64 * MIB))
		return NOT_MADE;
	for (unsigned i = 0; i < 20000; i++) {
		struct filler *filler = &fillers[(unsigned)random() % FILLERS];
		uint32_t bytes = 4096u << (unsigned)random() % 3;
		uint64_t next = oldest(bytes);
		bool was_full = ring()->overwritten > 0;
		uint64_t overwritten = ring()->overwritten;

		if (!is_intact(filler))
			return SHARED;
		if (!turn(filler, bytes))
			return NOT_MADE;
		if (ring_slot_bytes(filler->hold.slot->at) < bytes)
			return OUTSIDE;
		/* not one that was never filled */
		if (was_full && ring()->overwritten > overwritten &&
			finished_of(filler) > next)
			return FORGOTTEN;
		finished[filler->hold.slot - ring_slots] = 0;
	}
	return in_state(RING_OPEN) == FILLERS && ring()->overwritten > MIB
		       ? RIGHT
		       : LEFT_BEHIND;
}

static void the_oldest_is_the_next(void **state)
{
	(void)state;
	happens_to(&usual, take_turns);
}

/* ---- who is gone ---- */

static void *end_at_once(void *tid)
{
	*(uint32_t *)tid = (uint32_t)syscall(SYS_gettid);
	return NULL;
}

static uint32_t somebody_gone(void)
{
	pthread_t thread;
	uint32_t tid = 0;

	pthread_create(&thread, NULL, end_at_once, &tid);
	pthread_join(thread, NULL);
	while (syscall(SYS_tkill, tid, 0) == 0)
		sched_yield();
	return tid;
}

/* Two hundred threads have each begun a slot and ended: two rings full. */
static enum wrong leave_slots(void)
{
	uint32_t gone;

	if (!begin(400 * KIB, 64 * MIB))
		return NOT_MADE;
	gone = somebody_gone();
	for (unsigned i = 0; i < 200; i++) {
		struct filler filler = {.number = 100 + i};

		if (!turn_as(&filler, 4096, gone))
			return NOT_MADE;
	}
	if (ring()->used > 160)
		return FORGOTTEN;
	for (unsigned i = 0; i < 100; i++)
		if (!turn(&fillers[0], 4096))
			return NOT_MADE;
	return ring()->used > 160 ? FORGOTTEN : RIGHT;
}

static void who_is_gone_has_left_its_slot(void **state)
{
	(void)state;
	happens_to(&usual, leave_slots);
}

/* Its writer may be another thread's by then. */
static enum wrong go_on_for_others(void)
{
	uint32_t gone = somebody_gone();
	uint32_t own = (uint32_t)syscall(SYS_gettid);
	struct ring_hold none = {0};

	if (!begin(64 * KIB, 64 * MIB) || ring_resume(&none, own) ||
		!turn_as(&fillers[0], 4096, gone) ||
		!ring_resume(&fillers[0].hold, own) ||
		!turn_as(&fillers[1], 4096, gone))
		return NOT_MADE;
	for (unsigned i = 0; i < 100; i++)
		if (!turn(&fillers[2], 4096))
			return NOT_MADE;
	if (!is_intact(&fillers[0]) || is_intact(&fillers[1]))
		return SHARED;
	if (ring_resume(&fillers[1].hold, own) || fillers[1].hold.slot)
		return SHARED;
	ring_finish(&fillers[1].hold);
	return ring_resume(&fillers[0].hold, own) ? RIGHT : FORGOTTEN;
}

static void a_slot_is_gone_on_with_unless_it_was_taken(void **state)
{
	(void)state;
	happens_to(&usual, go_on_for_others);
}

/* Not who has made the file, but a child in a namespace of processes. */
static bool begin_as_child(uint64_t founders, uint64_t own)
{
	struct binlog_founder *founder;

	capture_host_set_child(own);
	if (!begin(64 * KIB, 64 * MIB))
		return false;
	founder = (void *)((char *)capture_file_header + BINLOG_FOUNDER_OFFSET);
	founder->pid_namespace = founders;
	return true;
}

/* Numbers of threads are those of their namespace. */
static enum wrong be_in(uint64_t founders, uint64_t own)
{
	uint32_t gone = somebody_gone();
	bool at_home = founders != 0 && own == founders;

	if (!begin_as_child(founders, own) || !turn_as(&fillers[0], 4096, gone))
		return NOT_MADE;
	if (fillers[0].hold.slot->owner != (at_home ? gone : 0))
		return SHARED;
	if (ring_owner_find_gone(1000) != at_home)
		return at_home ? LEFT_BEHIND : SHARED;
	return ring_owner_find_gone(1000) ? SHARED : RIGHT;
}

static enum wrong be_at_home(void)
{
	return be_in(7, 7);
}

static enum wrong be_elsewhere(void)
{
	return be_in(7, 8);
}

static enum wrong be_nowhere(void)
{
	return be_in(0, 0);
}

/* Where calls are forbidden nobody is asked which it is. */
static enum wrong be_unable_to_ask(void)
{
	if (!begin_as_child(7, 7))
		return NOT_MADE;
	sys_forbidden = true;
	ring_owner_set(&ring_slots[0], 5);
	return ring_slots[0].owner == 0 ? RIGHT : SHARED;
}

static void who_is_gone_is_known_in_its_namespace_only(void **state)
{
	(void)state;
	happens_to(&usual, be_at_home);
	happens_to(&usual, be_elsewhere);
	happens_to(&usual, be_nowhere);
	happens_to(&usual, be_unable_to_ask);
}

/* A slot that nobody says to have is somebody's all the same. */
static enum wrong have_no_owner(void)
{
	if (!begin(64 * KIB, 64 * MIB) ||
		!turn_as(&fillers[0], 4096, somebody_gone()))
		return NOT_MADE;
	ring_owner_clear(fillers[0].hold.slot);
	if (ring_owner_find_gone(1000))
		return SHARED;
	ring_owner_set(fillers[0].hold.slot, somebody_gone());
	sys_forbidden = true;
	if (ring_owner_find_gone(1000))
		return SHARED;
	sys_forbidden = false;
	return ring_owner_find_gone(1000) ? RIGHT : LEFT_BEHIND;
}

static void what_nobody_says_to_have_is_left_alone(void **state)
{
	(void)state;
	happens_to(&usual, have_no_owner);
}

/* ---- limits ---- */

static enum wrong be_small(void)
{
	ring_begin(MIB, MIB);
	if (ring_is_on() || begin(0, 64 * MIB))
		return SHARED;
	ring_begin(4095, 64 * MIB);
	return ring_is_on() ? SHARED : RIGHT;
}

static enum wrong be_large(void)
{
	if (!begin(MIB << 10, 4 * MIB) || ring()->bytes != 3 * MIB)
		return NOT_MADE;
	for (unsigned i = 0; i < 4000; i++)
		if (!turn(&fillers[i % FILLERS], 16384))
			return NOT_MADE;
	return growth_size() > 4 * MIB ? OUTSIDE : RIGHT;
}

static enum wrong be_huge(void)
{
	return begin(200 * MIB, MIB << 10) && ring()->slots > 20000 ? RIGHT
								    : NOT_MADE;
}

/* More fillers than there are slots: each has one, or knows that it has not.
 */
static enum wrong be_many(void)
{
	unsigned count = 0;

	if (!begin(4 * MIB, 64 * MIB))
		return NOT_MADE;
	for (unsigned i = 0; i < 3000; i++) {
		struct filler filler = {.number = i + 1};

		count += turn(&filler, 4096);
	}
	if (count != ring()->slots || in_state(RING_OPEN) != count)
		return SHARED;
	return turn(&fillers[0], 4096) ? SHARED : RIGHT;
}

static enum wrong be_stocked(void)
{
	uint32_t count;

	if (!begin(64 * KIB, 64 * MIB))
		return NOT_MADE;
	ring_stock();
	count = ring()->used;
	sys_forbidden = true;
	for (unsigned i = 0; i < 4; i++)
		if (!turn(&fillers[i], 4096) || ring()->used != count)
			return NOT_MADE;
	/* nothing else can be had: the oldest one is taken */
	return turn(&fillers[0], 4096) ? NOT_MADE : RIGHT;
}

/* Most slots are somebody's, and some of them are gone. */
static enum wrong be_crowded(void)
{
	uint32_t gone = somebody_gone();

	if (!begin(32 * KIB, 64 * MIB))
		return NOT_MADE;
	for (unsigned i = 0; i < 500; i++) {
		struct filler *filler = &fillers[i % FILLERS];

		if (!is_intact(filler) && i % FILLERS < 4)
			return SHARED;
		if (!turn_as(filler, 4096,
			    i % FILLERS < 4 ? (uint32_t)syscall(SYS_gettid)
					    : gone))
			return NOT_MADE;
	}
	return ring()->used > 24 ? OUTSIDE : RIGHT;
}

static void a_ring_is_as_large_as_it_may_be(void **state)
{
	(void)state;
	happens_to(&usual, be_small);
	happens_to(&usual, be_large);
	happens_to(&usual, be_huge);
	happens_to(&usual, be_many);
	happens_to(&usual, be_stocked);
	happens_to(&usual, be_crowded);
}

/* ---- what is kept ---- */

static enum wrong keep_some(void)
{
	const struct ring_event all = {
		.cause = BINLOG_CAUSE_CONTROL, .before_ns = RING_ALL};
	const struct ring_event later = {
		.cause = BINLOG_CAUSE_RULE, .before_ns = 1, .after_ns = 1};
	uint64_t kept;

	ring_trigger(&all); /* there is none */
	ring_trigger_wait();
	if (!begin(256 * KIB, 2 * MIB))
		return NOT_MADE;
	for (unsigned i = 0; i < 40; i++)
		turn(&fillers[0], 4096);
	ring_trigger(&all);
	ring_trigger(&all);
	if (ring()->windows != 1 || ring_windows[0].from != 0 ||
		ring_windows[0].cause != BINLOG_CAUSE_CONTROL)
		return FORGOTTEN;
	for (unsigned i = 0; i < 400; i++)
		if (!turn(&fillers[0], 4096))
			return NOT_MADE;
	kept = in_state(RING_KEPT);
	if (kept < 40 || ring()->kept != kept * 4096)
		return FORGOTTEN;
	/* there is no more room than that */
	for (unsigned i = 0; i < 600; i++) {
		ring_trigger(&all);
		if (!turn(&fillers[0], 4096))
			return NOT_MADE;
	}
	if (ring()->kept > ring()->keep_most)
		return OUTSIDE;
	/* nor for more windows: the last one is longer than it was meant */
	for (unsigned i = 0; i < BINLOG_RING_WINDOWS + 10; i++) {
		struct timespec pause = {0, 150000};

		nanosleep(&pause, NULL);
		ring_trigger(&later);
	}
	for (unsigned i = 0; i < 40; i++)
		if (!turn(&fillers[0], 4096))
			return NOT_MADE;
	return ring_windows[BINLOG_RING_WINDOWS - 1].until > 0 ? RIGHT
							       : FORGOTTEN;
}

static void what_is_wanted_is_kept_as_far_as_there_is_room(void **state)
{
	(void)state;
	happens_to(&usual, keep_some);
}

/* What BINLOG_TRIGGER says: the part of a second before and behind. */
static const char *setting;
static uint64_t wanted_before, wanted_after;

static bool is_near(uint64_t ticks, uint64_t nanoseconds)
{
	uint64_t got = pace_nanoseconds(ticks);

	return nanoseconds == RING_ALL
		       ? got >= 86400 * SECOND
		       : got >= nanoseconds - nanoseconds / 10 &&
				 got <= nanoseconds + nanoseconds / 10 +
						 1000000;
}

static enum wrong obey(void)
{
	const struct timespec pause = {0, 120000000};
	const struct binlog_ring_window *window = ring_windows;

	capture_host_set_trigger(setting);
	ring_trigger_begin();
	if (!begin(64 * KIB, 64 * MIB))
		return NOT_MADE;
	nanosleep(&pause, NULL); /* until ticks are known well */
	capture_host_set_trigger(NULL);
	ring_trigger_begin();
	capture_host_set_trigger("");
	ring_trigger_begin();
	if (ring()->waits != 0)
		return SHARED;
	capture_host_set_trigger(setting);
	ring_trigger_begin();
	ring_trigger_end(BINLOG_TEXT_EXIT, 256);
	ring_trigger_end(BINLOG_TEXT_EXECUTE, 1);
	if (ring()->windows != 0)
		return SHARED;
	ring_trigger_end(BINLOG_TEXT_EXIT, 3);
	window = ring_windows;
	if (ring()->windows != 1 || !(ring()->waits & BINLOG_RING_WAITS))
		return NOT_MADE;
	return (wanted_before == RING_ALL ? window->from == 0
					  : is_near(window->at - window->from,
						    wanted_before)) &&
			       is_near(window->until - window->at, wanted_after)
		       ? RIGHT
		       : FORGOTTEN;
}

static void settings_say_how_much(void **state)
{
	static const struct {
		const char *setting;
		uint64_t before, after;
	} cases[] = {
		{"exit", RING_ALL, 0},
		{"nothing,exit,before=50ms", SECOND / 20, 0},
		{"exit,before=50000us,after=3s", SECOND / 20, 3 * SECOND},
		{"before=50000000ns,exit,after=2m", SECOND / 20, 120 * SECOND},
		{"exit,after=1min,before=all", RING_ALL, 60 * SECOND},
		{"exit,after=2h,before=much", RING_ALL, 7200 * SECOND},
		{"exit,after=2,kill,signal", RING_ALL, 2 * SECOND},
		{"exit,after=99999999999999h", RING_ALL, RING_ALL},
	};

	(void)state;
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		setting = cases[i].setting;
		wanted_before = cases[i].before;
		wanted_after = cases[i].after;
		happens_to(&usual, obey);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_oldest_is_the_next),
		cmocka_unit_test(who_is_gone_has_left_its_slot),
		cmocka_unit_test(a_slot_is_gone_on_with_unless_it_was_taken),
		cmocka_unit_test(who_is_gone_is_known_in_its_namespace_only),
		cmocka_unit_test(what_nobody_says_to_have_is_left_alone),
		cmocka_unit_test(a_ring_is_as_large_as_it_may_be),
		cmocka_unit_test(
			what_is_wanted_is_kept_as_far_as_there_is_room),
		cmocka_unit_test(settings_say_how_much),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
