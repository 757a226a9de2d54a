/*
 * For tests of what is recorded: one writer, into memory of the test's, with
 * room or without, and stacks that nobody walks.  It defines functions of the
 * library: not for more than one file of a program.
 */
#ifndef TESTS_WRITER_WORLD_H
#define TESTS_WRITER_WORLD_H

#include "shim/host/inside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shim/writer/writer.h"
#include "tests/unit/world/switched_streams.h"

#define BUSY ((uint64_t)2) /* the state of a writer in which a call is */

bool control_deciding;
bool clock_is_tsc;
struct process process;
__thread struct writer *writer_self;
#if defined(__x86_64__)
intptr_t writer_place;
#else
struct writer *const writer_nobody;
#endif

static uint32_t memory[16384];
static const uint32_t core;
static struct writer writer;
static unsigned walked; /* the most frames that were asked for last */

void control_follow(void)
{
	control_seen = switches.version;
}

uint64_t clock_ticks_slow(void)
{
	return 5;
}

void unwind_walk(const struct unwind_start *start, unsigned max_depth,
	struct unwind_cache *cache, struct unwind_trace *trace)
{
	(void)start;
	walked = max_depth;
	(void)cache;
	(void)trace;
}

bool writer_take_turn(struct writer *w, uintptr_t sp)
{
	(void)w, (void)sp;
	return false;
}

struct writer *writer_enter_slow(uintptr_t sp)
{
	(void)sp;
	return NULL;
}

bool writer_refill(struct writer *w, uint32_t bytes)
{
	(void)w;
	(void)bytes;
	return false;
}

bool writer_sync_clock(struct writer *w, uint32_t bytes, uint64_t *ticks)
{
	(void)w;
	(void)bytes;
	(void)ticks;
	return false;
}

/* Free, with room for `bytes`, and nothing recorded. */
static inline void writer_begin_with(size_t bytes)
{
	memset(memory, 0, sizeof(memory));
	writer = (struct writer){.state = 1,
		.idle = 1,
		.core_now = &core,
		.cursor = (char *)memory,
		.end = (char *)memory + bytes};
	writer_self = &writer;
#if defined(__x86_64__)
	writer_place = (intptr_t)((uintptr_t)&writer_self -
				  (uintptr_t)__builtin_thread_pointer());
#endif
}

#endif
