/*
 * For tests of writers and their blocks: the library around
 * shim/writer/writer.c and shim/writer/writer.c, and a capture of as many
 * blocks as the test says, in memory that is shared with children as that of a
 * file is.  It defines functions of the library: not for more than one file of
 * a program.
 */
#ifndef TESTS_BLOCK_WORLD_H
#define TESTS_BLOCK_WORLD_H

#include "shim/host/inside.h"

#include <sys/mman.h>
#include <sys/wait.h>

#include <setjmp.h>
#include <cmocka.h>

#include "shim/file/capture_file.h"
#include "shim/file/growth.h"
#include "shim/host/arena.h"
#include "shim/host/host.h"
#include "shim/record/terminal.h"
#include "shim/writer/define.h"
#include "shim/writer/ownership.h"
#include "shim/writer/writer.h"
#include "tests/unit/world/spill_world.h"

#define CAPTURE_BYTES ((size_t)4 << 20)
#define ARENA_BYTES ((size_t)32 << 20)
#define GENERATION 7u
#define TID 4711u
#define TICKS 5u
#define SP ((uintptr_t)4096)

/* ---- what the library would be ---- */

static struct binlog_switches switches = {.generation = GENERATION};
struct binlog_switches *control_switches = &switches;
bool clock_is_tsc, arena_kept, streams_reading_shows;
uint32_t streams_flushes;
struct stream streams[STREAMS_MAX + 1];
struct process process = {.pid = 77};
struct binlog_header *capture_file_header;
uint32_t capture_file_number;
struct binlog_ring_slot *ring_slots;

static struct {
	struct binlog_header header;
	struct process_self self;
	struct writer writer;
	char *capture;
	size_t used, room;   /* of the capture */
	size_t arena, taken; /* bytes of it that there are, and were taken */
	uint64_t ticks;
	unsigned kept_off, kept, stocked;
	bool marked, passes;
	char *slots; /* memory of those of the ring */
	struct ring_want want;
	unsigned turns, finished;
	bool ring_is_full, is_taken; /* the slot, by somebody else */
	int keeps; /* what arena_keep() was told last, or -1 */
	uint64_t mark; /* growth_mark() */
	uint64_t cut;  /* where capture_file_was_cut() was told, or 0 */
} world;

static _Alignas(64) char arena[ARENA_BYTES];

void *arena_take(size_t size)
{
	if (size > world.arena - world.taken)
		return NULL;
	world.taken += size;
	return arena + world.taken - size;
}

bool arena_is_marked(void)
{
	return world.marked;
}

void arena_unmark(void)
{
	world.marked = false;
}

void arena_keep(bool keep)
{
	world.keeps = keep;
}

void *capture_file_claim(uint32_t size)
{
	if (size > world.room - world.used)
		return NULL;
	world.used += size;
	return world.capture + world.used - size;
}

void *capture_file_claim_of(uint32_t number, uint32_t size)
{
	assert_int_equal(number, capture_file_number);
	return capture_file_claim(size);
}

void *capture_file_claim_last(uint32_t number, uint32_t size)
{
	(void)number;
	(void)size;
	return NULL;
}

/* Behind a header page. */
uint64_t capture_file_offset(const void *block)
{
	size_t at = (size_t)((const char *)block - world.capture);

	return at < CAPTURE_BYTES ? BINLOG_PAGE + at : 0;
}

void capture_file_was_cut(uint32_t number, uint64_t at)
{
	assert_int_equal(number, capture_file_number);
	world.cut = at;
}

uint64_t growth_mark(void)
{
	return world.mark;
}

struct binlog_header *capture_file_current(uint32_t *number)
{
	*number = capture_file_number;
	return capture_file_header;
}

void ownership_introduce(struct writer *w)
{
	(void)w;
}

void process_enumerate(uint32_t writer)
{
	(void)writer;
}

void define_begin_anew(struct define_tables *tables)
{
	(void)tables;
}

void capture_file_keep_off(void)
{
	world.kept_off++;
}

uint64_t clock_ticks_slow(void)
{
	return world.ticks;
}

void clock_anchor(struct binlog_anchor *anchor)
{
	*anchor = (struct binlog_anchor){.ticks = world.ticks};
}

bool process_is_recording(void)
{
	return !world.passes;
}

struct process_self *process_self(void)
{
	return world.passes ? NULL : &world.self;
}

/* Nobody gets another writer than the one that there is. */
struct writer *ownership_enter(uintptr_t sp)
{
	(void)sp;
	return NULL;
}

void streams_count_bytes(unsigned stream, uint64_t bytes)
{
	streams[stream].said += bytes;
}

void streams_said(unsigned stream)
{
	(void)stream;
}

/* ---- a ring, the slots of which are as large as is wished for ---- */

#define SLOTS 4u

static struct binlog_ring_slot slots[SLOTS];

char *ring_take(
	const struct ring_want *want, uint32_t *taking, struct ring_hold *hold)
{
	uint32_t number = world.turns % SLOTS;
	uint32_t bytes = want->wished;

	if (world.ring_is_full)
		return NULL;
	world.turns++;
	world.want = *want;
	hold->slot = &slots[number];
	hold->slot->at = bytes / BINLOG_PAGE;
	*taking = number + 1;
	return world.slots + number * (size_t)BINLOG_BLOCK_MAX;
}

uint32_t ring_block_most(void)
{
	return BINLOG_PREPARED_BLOCK;
}

void ring_finish(struct ring_hold *hold)
{
	if (hold->slot)
		world.finished++;
}

void ring_finish_left(const struct ring_hold *hold)
{
	assert_non_null(hold->slot);
	world.finished++;
}

void ring_clear_magic(struct binlog_block *block)
{
	if (block->magic == BINLOG_BLOCK_MAGIC) {
		world.header.passed += block->passed;
		world.header.dropped += block->dropped;
	}
	block->magic = 0;
}

bool ring_resume(struct ring_hold *hold, uint32_t tid)
{
	assert_int_equal(tid, TID);
	assert_non_null(hold->slot);
	return !world.is_taken;
}

void ring_stock(void)
{
	world.stocked++;
}

/* ---- a process with one thread ---- */

static inline void begin_writer(struct writer *w)
{
	static const uint32_t core = 3;

	memset(w, 0, sizeof(*w));
	w->state = w->idle = GENERATION;
	w->armed = true;
	w->tid = TID;
	w->core_now = &core;
	w->header = &world.header;
	w->levels = w->level;
	w->next_bytes = WRITER_BLOCK_SMALLEST;
}

/* With room for `room` bytes of blocks. */
static inline void begin_with(size_t room)
{
	char *capture = world.capture;

	if (!capture)
		capture = mmap(NULL, CAPTURE_BYTES + SLOTS * BINLOG_BLOCK_MAX,
			PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			0);
	assert_ptr_not_equal(capture, MAP_FAILED);
	memset(capture, 0, CAPTURE_BYTES + SLOTS * BINLOG_BLOCK_MAX);
	memset(&world, 0, sizeof(world));
	world.capture = capture;
	world.slots = capture + CAPTURE_BYTES;
	ring_slots = NULL;
	world.room = room;
	world.arena = ARENA_BYTES;
	world.ticks = TICKS;
	world.keeps = -1;
	world.marked = true;
	sys_forbidden = arena_kept = false;
	capture_file_header = &world.header;
	begin_writer(&world.writer);
	world.self.writers = &world.writer;
	writer_self = &world.writer;
	writer_prepare();
}

/* What the program does natively, in a process of its own: true if it says so.
 */
static inline bool in_child(bool (*what)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(what() ? 0 : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

#endif
