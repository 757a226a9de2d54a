/*
 * For tests of who has which writer: the library around shim/writer/ownership.c, with
 * memory that the test has in its hands, and calls in it.  It defines functions
 * of the library: not for more than one file of a program.
 */
#ifndef TESTS_OWNERSHIP_WORLD_H
#define TESTS_OWNERSHIP_WORLD_H

#include "shim/host/inside.h"

#include <sys/syscall.h>

#include <setjmp.h>
#include <cmocka.h>

#include "shim/file/capture_file.h"
#include "shim/file/growth.h"
#include "shim/file/segment.h"
#include "shim/host/arena.h"
#include "shim/host/host.h"
#include "shim/writer/define.h"
#include "shim/writer/life.h"
#include "shim/writer/origin.h"
#include "shim/writer/ownership.h"
#include "tests/unit/world/spill_world.h"

/* ---- what the library would be ---- */

#define ARENA_BYTES ((size_t)64 << 20)
#define FOR_EVER UINT_MAX

bool control_asks_threads;
uint32_t control_seen, process_reloads, streams_flushes;
static struct binlog_switches switches;
struct binlog_switches *control_switches = &switches;
static struct binlog_header header;
struct binlog_header *capture_file_header = &header;
uint32_t capture_file_number;

struct binlog_header *capture_file_current(uint32_t *number)
{
	*number = capture_file_number;
	return capture_file_header;
}

void writer_move(struct writer *w)
{
	(void)w;
}

bool life_is_over(void)
{
	return false;
}

const uint32_t unwind_cache_bytes = 64;
static struct writer nobody;
__thread struct writer *writer_self = &nobody;

static _Alignas(64) char arena[ARENA_BYTES];

static struct {
	size_t used, wiped;   /* of the arena */
	unsigned allocations; /* before the one that fails; FOR_EVER: none */
	struct process_self self;
	bool unmarked, no_control;
	uint64_t limit;
	unsigned described, introduced, mended, forgotten;
	bool mended_there; /* where there was a block */
	bool cut_at_introduction;
	bool was_cut;
} world = {.allocations = FOR_EVER, .limit = 1};

void *arena_take(size_t size)
{
	size_t at;

	if (world.allocations != FOR_EVER && world.allocations-- == 0) {
		world.allocations = FOR_EVER;
		return NULL;
	}
	size = (size + 63) & ~(size_t)63;
	at = __atomic_fetch_add(&world.used, size, __ATOMIC_RELAXED);
	assert_true(at + size <= ARENA_BYTES);
	return arena + at;
}

bool arena_is_marked(void)
{
	return !world.unmarked;
}

struct process_self *process_self(void)
{
	return &world.self;
}

void process_follow_fork(void)
{
}

const char *host_single_threaded;

void life_watch_thread(void)
{
}

void origin_introduce(struct writer *w)
{
	(void)w;
}

void process_enumerate(uint32_t writer)
{
	(void)writer;
}

uint32_t process_describe(struct binlog_process_record *record)
{
	world.described += record != NULL;
	return 8;
}

void *writer_control(struct writer *w, uint32_t bytes)
{
	static uint64_t record[8];

	(void)w;
	assert_true(bytes <= sizeof(record));
	return world.no_control ? NULL : record;
}

void writer_commit_control(struct writer *w, uint32_t kind)
{
	(void)w;
	assert_int_equal(kind, BINLOG_PROCESS);
}

void writer_introduce(struct writer *w)
{
	world.introduced++;
	if (!world.cut_at_introduction)
		return;
	w->block = (void *)arena;
	w->cursor = arena + 64;
	w->end = arena + 4096;
	world.limit = 0;
}

#if defined(__x86_64__)
intptr_t writer_place;
#else
struct writer *const writer_nobody;
#endif

void writer_speak(struct writer *w)
{
	switches.speaker = w->tid;
}

bool writer_take_turn(struct writer *w, uintptr_t sp)
{
	(void)w, (void)sp;
	return false;
}

struct writer *writer_enter_slow(uintptr_t sp)
{
	return ownership_enter(sp);
}

void writer_mend(struct writer *w)
{
	world.mended_there |= w->block != NULL;
	world.mended++;
}

struct define_tables *define_new(void)
{
	return arena_take(64);
}

void define_forget(struct define_tables *tables)
{
	(void)tables;
	world.forgotten++;
}

void unwind_forget(struct unwind_cache *cache)
{
	(void)cache;
}

void unwind_leave(struct unwind_cache *cache)
{
	(void)cache;
}

void measure_prepare(struct measure_tables *tables)
{
	(void)tables;
}

uint64_t segment_limit(void)
{
	return world.limit;
}

bool growth_was_cut(void)
{
	return world.was_cut;
}

/* As in a process that has just begun, or in a child of fork. */
static int begin(void **state)
{
	(void)state;
	memset(arena + world.wiped, 0, world.used - world.wiped);
	world.wiped = world.used;
	memset(&world.self, 0, sizeof(world.self));
	world.allocations = FOR_EVER;
	world.limit = 1;
	world.unmarked = world.no_control = false;
	world.described = world.introduced = world.mended = 0;
	world.mended_there = world.cut_at_introduction = false;
	world.was_cut = false;
	header.next = BINLOG_PAGE;
	switches.generation = 1;
	writer_self = &nobody;
	return 0;
}

/* ---- calls ---- */

#define HERE ((uintptr_t)__builtin_frame_address(0))

static unsigned writers(void)
{
	unsigned count = 0;

	for (const struct writer *w = world.self.writers; w; w = w->next)
		count++;
	return count;
}

/* A call that ends, as most do. */
static struct writer *calls(uintptr_t sp)
{
	struct writer *w =
		writer_try(writer_self, sp) ? writer_self : ownership_enter(sp);

	if (w)
		writer_leave(w);
	return w;
}

/* As the frames of calls: below our own stack, and readable. */
static uintptr_t frames[1 << 12];
#define CALL_WORDS 128 /* from one to the next, more than a look takes */

/* Of the k-th call, each of which is further up than the one before. */
static uintptr_t sp_of(unsigned k)
{
	return (uintptr_t)&frames[(k + 1) * CALL_WORDS + 1];
}

static void change_frame(unsigned k)
{
	frames[(k + 1) * CALL_WORDS - 4]++;
}

static void make_frames(void)
{
	/* What is at each place is an address that can be read. */
	for (size_t i = 0; i < sizeof(frames) / sizeof(*frames); i++)
		frames[i] = (uintptr_t)&frames[i];
}

#endif
