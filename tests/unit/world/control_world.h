/*
 * For tests of what is switched from outside: the library around
 * shim/control/control.c, with a capture, memory and moments that the test has in its
 * hands.  It defines functions of the library: not for more than one file of a
 * program.
 */
#ifndef TESTS_CONTROL_WORLD_H
#define TESTS_CONTROL_WORLD_H

#include "shim/host/inside.h"

#include <setjmp.h>
#include <cmocka.h>

#include "rules/rules.h"
#include "shim/control/control.h"
#include "shim/control/process.h"
#include "shim/file/capture_file.h"
#include "shim/file/growth.h"
#include "shim/file/segment.h"
#include "shim/host/above.h"
#include "shim/host/arena.h"
#include "shim/host/clock.h"
#include "shim/streams/streams.h"

/* ---- what the library would be ---- */

#define CAPTURE_BYTES ((size_t)2 << 20)
#define FOR_EVER UINT_MAX

bool sys_forbidden, clock_is_tsc;
static _Alignas(4096) char capture[CAPTURE_BYTES];
static _Alignas(64) char arena[64 << 20];

static struct {
	size_t arena_used;
	unsigned allocations; /* before the one that fails; FOR_EVER: none */
	bool no_capture;
	struct process_self self;
	uint64_t limit, size, bytes; /* of the capture */
	unsigned triggers, waits, switched;
	uint8_t modes[SWITCH_STREAMS];
	bool off;
	void (*meanwhile)(void); /* is done once, at some moment */
	unsigned moment;	 /* the number of the look at process_self() */
} world;

uint32_t capture_file_number;

char *capture_file_note(uint32_t kind, size_t bytes, uint64_t *at)
{
	(void)kind;
	(void)bytes;
	(void)at;
	return NULL;
}

void *arena_take(size_t size)
{
	void *taken = arena + world.arena_used;

	if (world.allocations != FOR_EVER && world.allocations-- == 0) {
		world.allocations = FOR_EVER;
		return NULL;
	}
	world.arena_used += (size + 63) & ~(size_t)63;
	assert_true(world.arena_used <= sizeof(arena));
	return taken;
}

struct process_self *process_self(void)
{
	if (world.moment > 0 && --world.moment == 0)
		world.meanwhile();
	return world.no_capture ? NULL : &world.self;
}

uint64_t clock_ticks_slow(void)
{
	return 1000;
}

uint64_t growth_size(void)
{
	return world.size;
}

uint64_t growth_bytes(void)
{
	return world.bytes;
}

uint64_t segment_limit(void)
{
	return world.limit;
}

char *segment_place(uint64_t offset, uint32_t size)
{
	assert_true(offset <= world.bytes && size <= world.bytes - offset);
	return capture + offset;
}

static void switch_streams(const uint8_t *modes, bool off)
{
	memcpy(world.modes, modes, sizeof(world.modes));
	world.off = off;
	world.switched++;
}

static void pull_trigger(void)
{
	world.triggers++;
}

static void wait_for_triggers(void)
{
	world.waits++;
}

const struct above above = {
	.streams_switched = switch_streams,
	.trigger = pull_trigger,
	.triggers_may_come = wait_for_triggers,
};

/* ---- a capture, and who switches ---- */

#define FIRST 8192u
#define SECOND 16384u
#define THIRD 24576u
#define QUIET "format \"debug*\" drop\n"
#define OF_THREADS "thread noisy drop\n"

static struct binlog_header *header(void)
{
	return (struct binlog_header *)(void *)capture;
}

static struct binlog_switches *switches(void)
{
	return switches_of(header());
}

static int begin(void **state)
{
	(void)state;
	memset(arena, 0, world.arena_used);
	memset(&world, 0, sizeof(world));
	memset(capture, 0, sizeof(capture));
	world.allocations = FOR_EVER;
	world.limit = world.size = world.bytes = CAPTURE_BYTES;
	control_begin(header());
	control_follow();
	world.switched = 0;
	return 0;
}

/* As binlog-ctl does it. */
static void switch_rules(uint64_t at, const char *text, uint32_t bytes)
{
	if (at + bytes <= CAPTURE_BYTES && text)
		memcpy(capture + at, text, strlen(text));
	switches()->rules_at = at;
	switches()->rules_bytes = bytes;
	switches_tell(switches());
}

static void switch_to(uint64_t at, const char *text)
{
	switch_rules(at, text, (uint32_t)strlen(text));
}

static uint64_t rules_in_force(void)
{
	struct control_force force;

	control_look();
	control_get_force(&force);
	assert_ptr_equal(force.rules, control_rules());
	assert_int_equal(force.rules != NULL, force.rules_at != 0);
	assert_int_equal(switches()->applied, switches()->version);
	return force.rules_at;
}

static int level_in_force(void)
{
	struct control_force force;

	control_look();
	control_get_force(&force);
	return force.level;
}

#endif
