#include "shim/writer/writer.h"

#include <sys/mman.h>

#include "shim/file/capture_file.h"
#include "shim/file/growth.h"
#include "shim/host/arena.h"
#include "shim/host/bytes.h"
#include "shim/host/environment.h"
#include "shim/host/signal_mask.h"
#include "shim/host/sys.h"
#include "shim/writer/ownership.h"
#include "shim/writer/patience.h"
#include "shim/writer/define.h"
#include "shim/writer/ring.h"
#include "shim/writer/spill.h"

static bool writer_ring_refill(struct writer *w, uint32_t bytes);
static bool writer_ring_reserve(struct writer *w, uint32_t bytes);
static void *writer_ring_control(struct writer *w, uint32_t bytes);
static void writer_ring_commit(struct writer *w, uint32_t kind);
static void writer_ring_define_in(struct writer *w, struct binlog_block *block);
static bool writer_ring_mend(struct writer *w);

/*
 * The first block is small, since most threads and children say little, and
 * that of a process is there from the beginning.  Each next one is twice as
 * large; but whoever needs a second one in its own file may need many.
 */
#define BLOCK_LARGEST BINLOG_PREPARED_BLOCK

/* From here on no thread gets a larger table of memos than the usual one; nor,
 * counted apart, one of the largest, of which one takes more than all that. */
#define GROWN_MAX (16u << 20)

/* What a record with its definitions may need. */
#define ROOM_LEAST 1024u

/* Every thread's writer before its first call.  Nothing behind it is looked at:
 * what a thread without a writer may be asked is in front of `measures`. */
static struct {
	uint64_t state;
	char rest[offsetof(struct writer, measures)];
} nobody __attribute__((aligned(64)));

__thread struct writer *writer_self = (struct writer *)(void *)&nobody;

_Static_assert(offsetof(struct writer, excused) < sizeof(nobody),
	"a thread without a writer is asked for it");

#if defined(__x86_64__)
intptr_t writer_place;
#else
struct writer *const writer_nobody = (struct writer *)(void *)&nobody;
#endif

void writer_prepare(void)
{
	if (!writer_self)
		writer_self = (struct writer *)(void *)&nobody;
#if defined(__x86_64__)
	uintptr_t thread;

	__asm__("mov %%fs:0, %0" : "=r"(thread));
	writer_place = (intptr_t)((uintptr_t)&writer_self - thread);
#endif
}

static bool hears_others;

void writer_hear_others(void)
{
	__atomic_store_n(&hears_others, true, __ATOMIC_RELEASE);
	__atomic_store_n(
		&control_switches->speaker, SPEAKER_MANY, __ATOMIC_RELEASE);
}

void writer_speak(struct writer *w)
{
	uint32_t *speaker = &control_switches->speaker;
	uint32_t who = __atomic_load_n(speaker, __ATOMIC_RELAXED);

	if (who == SPEAKER_MANY && w->turns > 0) {
		w->turns--;
	} else if (who != w->tid) {
		/* After so many calls: whether it is alone by now. */
		bool alone = (who == SPEAKER_NOBODY || who == SPEAKER_MANY) &&
			     !__atomic_load_n(&hears_others, __ATOMIC_RELAXED);

		w->turns = WRITER_TURNS;
		__atomic_store_n(speaker, alone ? w->tid : SPEAKER_MANY,
			__ATOMIC_RELAXED);
	}
	clock_fence();
	clock_step();
}

bool writer_take_turn(struct writer *w, uintptr_t sp)
{
	uint64_t idle = w->idle;
	uint32_t generation = __atomic_load_n(
		&control_switches->generation, __ATOMIC_RELAXED);

	if (w->state != idle || (uint32_t)idle != (generation | 1))
		return false;
	writer_speak(w);
	return signal_exchange(&w->state, idle, sp - sizeof(uintptr_t));
}

COLD struct writer *writer_enter_slow(uintptr_t sp)
{
	return process_is_recording() ? ownership_enter(sp) : NULL;
}

/*
 * A child of fork gets an empty arena.  If a call is under way further up the
 * stack, in a handler that forks, the child may return to it: then it needs
 * the arena as it was, but must not write to what is the parent's.
 */
bool writer_before_fork(void)
{
	bool busy = writer_is_inside();

	if (busy)
		arena_keep(true);
	else if (arena_is_kept())
		arena_keep(false);
	return busy || arena_is_kept();
}

/* What is stored there is nobody's business from here on. */
static void hide(struct binlog_block *block)
{
	if (!block)
		return;
	SYS6(mmap, block, block->size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	capture_file_keep_off();
}

/* And those that its thread has left in calls that may go on. */
static void orphan(struct writer *w)
{
	for (; w && w->armed; w = w->left) {
		bool is_inside = !writer_is_free(w);

		w->armed = false;
		w->idle = 0; /* so that it never becomes free */
		w->state = 0;
		writer_set_end(w, w->cursor);
		w->ring.end = w->ring.cursor;
		if (is_inside) {
			hide(w->block);
			hide(w->ring.definitions);
		}
	}
}

void writer_after_fork(bool child)
{
	arena_keep(false);
	if (!child)
		return;
	for (unsigned i = 1; writer_self->armed && i < WRITER_LEVELS; i++)
		orphan(writer_self->levels[i]);
	orphan(writer_self);
	arena_unmark();
}

bool writer_has_room(void)
{
	struct writer *w = writer_enter((uintptr_t)__builtin_dwarf_cfa());
	bool has = w && writer_reserve(w, ROOM_LEAST) &&
		   writer_ring_reserve(w, ROOM_LEAST);

	if (w)
		writer_leave(w);
	return has;
}

void writer_abandon(void)
{
	struct writer *w = writer_self;

	for (unsigned i = 1; w && w->armed; i++) {
		struct writer *next = i < WRITER_LEVELS ? w->levels[i] : NULL;

		if (!writer_is_free(w)) {
			/* So that it never becomes free; but the call that is
			 * under way goes on. */
			w->armed = false;
			w->idle = 0;
		}
		w = next;
	}
}

COLD void writer_grow_memo(struct writer *w)
{
	static uint32_t grown_large, grown_largest; /* bytes, by all threads */
	uint32_t sets = w->memo_sets * 4;
	uint32_t *grown =
		sets > MEMO_SETS_LARGE ? &grown_largest : &grown_large;
	uint32_t bytes = sets * MEMO_WAYS * (uint32_t)sizeof(*w->memo);
	struct memo *memo = NULL;

	w->memo_losses = 0;
	if (sets <= MEMO_SETS_USUAL ||
		__atomic_load_n(grown, __ATOMIC_RELAXED) < GROWN_MAX)
		memo = arena_take(bytes);
	if (!memo)
		return;
	if (sets > MEMO_SETS_USUAL)
		__atomic_fetch_add(grown, bytes, __ATOMIC_RELAXED);
	/* The old one stays: calls that are under way point to it. */
	w->memo = memo;
	SIGNAL_FENCE();
	w->memo_sets = sets;
	writer_forget_last(w);
}

/* Fills in the header, but for its anchor, and its magic last. */
static void writer_publish_block(struct writer *w, struct binlog_block *block,
	uint32_t size, uint32_t sequence)
{
	block->size = size;
	block->nonce = w->header->nonce;
	block->pid = process.pid;
	block->tid = w->tid;
	block->writer = w->number;
	block->sequence = sequence;
	block->process = w->process;
	block->core = *w->core_now;
	__atomic_store_n(&block->magic, BINLOG_BLOCK_MAGIC, __ATOMIC_RELEASE);
}

/* It uses another block from here on; before it has begun that: begin_block().
 */
static void end_exchange(struct writer *w)
{
	__atomic_store_n(&w->exchanges, false, __ATOMIC_RELEASE);
}

/* What the writer says from here on goes there. */
static void writer_use_block(
	struct writer *w, struct binlog_block *block, char *start)
{
	w->memo_losses = 0;
	w->block = block;
	w->cursor = start;
	writer_set_end(w, (char *)block + block->size - sizeof(uint32_t));
	w->epoch = (uint32_t)(block->anchor.ticks >> CLOCK_EPOCH_SHIFT);
	w->core = block->core;
	end_exchange(w);
}

/* One that nobody has used before.  As soon as it is seen the writer's last one
 * is full, and may be packed and freed. */
static void begin_block(
	struct writer *w, struct binlog_block *block, uint32_t size)
{
	clock_anchor(&block->anchor);
	__atomic_store_n(&w->exchanges, true, __ATOMIC_RELEASE);
	writer_publish_block(w, block, size, w->sequence);
	__atomic_fetch_add(&w->header->published, size, __ATOMIC_RELEASE);
	w->sequence++;
}

/* At least `size`, and room for a record of `bytes`. */
static uint32_t block_size(uint32_t size, uint32_t bytes)
{
	while (size - sizeof(struct binlog_block) - sizeof(uint32_t) < bytes)
		size *= 2;
	return size;
}

/* ---- a capture that is cut ---- */

/* Of a writer: the one that it fills.  What of a ring it fills is perhaps
 * another's by now. */
static struct binlog_block *block_of(const struct writer *w)
{
	return __atomic_load_n(ring_is_on() ? &w->ring.definitions : &w->block,
		__ATOMIC_ACQUIRE);
}

/*
 * Not to be looked at where the file ends before it: its writer would not be
 * told by SIGBUS any more, see capture_file_mend().
 */
static bool is_there(const struct binlog_block *block)
{
	return sys_readable(block, sizeof(*block)) > 0 &&
	       __atomic_load_n(&block->magic, __ATOMIC_ACQUIRE) ==
		       BINLOG_BLOCK_MAGIC;
}

/* Where in that capture the writer's block is, of which nothing is left; 0: all
 * is well. */
static uint64_t cut_block(const struct writer *w, uint32_t file)
{
	const struct binlog_block *block;

	if (!w->armed || __atomic_load_n(&w->file, __ATOMIC_ACQUIRE) != file)
		return 0;
	block = block_of(w);
	if (!block || is_there(block))
		return 0;
	/* Packed and freed: its writer has said before that it may be. */
	if (__atomic_load_n(&w->exchanges, __ATOMIC_ACQUIRE) ||
		block_of(w) != block || is_there(block))
		return 0;
	return capture_file_offset(block);
}

static uint64_t first_cut_in(uint32_t file)
{
	const struct process_self *self = process_self();
	const struct writer *w = NULL;
	uint64_t first = 0;

	if (self)
		w = __atomic_load_n(&self->writers, __ATOMIC_ACQUIRE);
	for (; w; w = w->next) {
		uint64_t at = cut_block(w, file);

		if (at != 0 && (first == 0 || at < first))
			first = at;
	}
	return first;
}

COLD uint64_t writer_first_cut(void)
{
	return first_cut_in(
		__atomic_load_n(&capture_file_number, __ATOMIC_ACQUIRE));
}

/*
 * Somebody has cut the capture just before it was made longer, and who did that
 * has not seen it: where blocks were are zeros, and who stores to them is not
 * told.  From here on all are, and there are no more blocks.  Each writer looks
 * at its own one; at those of all threads of the process, who is first after
 * the file was made longer, by whichever process.
 */
static bool are_blocks_cut(const struct writer *w)
{
	static uint64_t seen;
	uint32_t file = __atomic_load_n(&capture_file_number, __ATOMIC_ACQUIRE);
	uint64_t mark = growth_mark();
	uint64_t at;

	if (w->file != file || sys_forbidden)
		return false;
	at = cut_block(w, file);
	if (at != 0 ||
		__atomic_exchange_n(&seen, mark, __ATOMIC_ACQ_REL) != mark)
		at = first_cut_in(file);
	if (at != 0)
		capture_file_was_cut(file, at);
	return at != 0;
}

/* Where room runs out: who is in the middle of a call needs some still. */
static COLD struct binlog_block *claim_last(struct writer *w, uint32_t bytes)
{
	uint32_t size = block_size(environment_page(), bytes);
	struct binlog_block *block;

	spill_want(w, false);
	block = capture_file_claim_last(w->file, size);
	if (!block)
		block = spill_claim_left(w, size);
	if (!block)
		spill_want(w, true);
	if (block && are_blocks_cut(w))
		return NULL;
	if (block) {
		w->next_bytes = size;
		begin_block(w, block, size);
	}
	return block;
}

/* A fresh block that stays, with room for a record of `bytes`, and as large as
 * is usual by now; null: there is none.  With signals blocked. */
static struct binlog_block *writer_claim_block(struct writer *w, uint32_t bytes)
{
	uint32_t least = block_size(
		w->failed_bytes ? w->failed_bytes : environment_page(), bytes);
	struct binlog_block *block;

	w->next_bytes = block_size(w->next_bytes, bytes);
	block = capture_file_claim_of(w->file, w->next_bytes);
	if (!block && spill_is_on())
		return claim_last(w, bytes);
	if (!block && w->next_bytes > least) {
		w->next_bytes = least;
		block = capture_file_claim_of(w->file, w->next_bytes);
	}
	w->failed_bytes = block ? 0 : least;
	if (!block || are_blocks_cut(w))
		return NULL;
	begin_block(w, block, w->next_bytes);
	if (w->next_bytes < BLOCK_LARGEST)
		w->next_bytes *= w->number == 0 && w->sequence == 1 ? 8 : 2;
	return block;
}

/*
 * With signals blocked: a handler that jumps out would leave a block behind
 * that nobody fills.
 */
static bool take_new_block(struct writer *w, uint32_t bytes)
{
	uint64_t mask = signal_mask_block();
	struct binlog_block *full = w->block;
	/* A handler has forked, or what we write to is gone, meanwhile. */
	struct binlog_block *block =
		w->armed ? writer_claim_block(w, bytes) : NULL;

	if (block) {
		patience_ends_well();
		spill_give_back();
		writer_use_block(w, block, (char *)(block + 1));
	} else {
		/* Nothing smaller either: what comes after a call that is
		 * passed is passed, so that a thread's text keeps its order. */
		writer_set_end(w, w->cursor);
	}
	/* It is in the file; in our memory it would be there for ever. */
	if (block && full)
		SYS3(madvise, full, full->size, MADV_DONTNEED);
	signal_mask_restore(mask);
	return block != NULL;
}

/* Of the size that it would have had: what is freed comes in large places. */
static COLD bool wait_for_block(
	struct writer *w, uint32_t bytes, uint32_t next_bytes)
{
	struct patience patience;
	bool taken = false;

	if (!patience_starts(&patience))
		return false;
	while (!taken && patience_lasts(&patience) && w->armed) {
		w->next_bytes = next_bytes;
		taken = take_new_block(w, bytes);
	}
	patience_ends();
	return taken;
}

void writer_move(struct writer *w)
{
	w->block = NULL;
	w->cursor = NULL;
	writer_set_end(w, NULL);
	w->header = capture_file_current(&w->file);
	w->number = __atomic_fetch_add(
		&w->header->next_writer, 1, __ATOMIC_RELAXED);
	w->sequence = 0;
	w->next_bytes = environment_page();
	w->failed_bytes = 0;
	w->open = NULL;
	w->open_context = w->other_context = 0;
	define_begin_anew(w->tables);
	process_enumerate(w->number);
	w->process = __atomic_load_n(&process_self()->number, __ATOMIC_ACQUIRE);
}

/* Who has defined nothing yet need not have begun its call in the old capture:
 * in a fresh child, whose parent has gone on elsewhere. */
static COLD bool move_now(struct writer *w, uint32_t bytes)
{
	uint64_t mask;
	bool moved;

	if (w->sequence > 0)
		return false;
	spill_go(w);
	if (w->file ==
		__atomic_load_n(&capture_file_number, __ATOMIC_ACQUIRE))
		return false;
	mask = signal_mask_block();
	writer_move(w);
	moved = take_new_block(w, bytes);
	if (moved)
		ownership_introduce(w);
	signal_mask_restore(mask);
	return moved && writer_reserve(w, bytes);
}

COLD bool writer_refill(struct writer *w, uint32_t bytes)
{
	uint32_t next_bytes = w->next_bytes;

	if (bytes > WRITER_RECORD_MAX + sizeof(struct binlog_clock_record) ||
		!w->armed)
		return false;
	w->filled = w->block != NULL;
	if (ring_is_on())
		return writer_ring_refill(w, bytes);
	return take_new_block(w, bytes) ||
	       (spill_is_on() ? move_now(w, bytes)
			      : wait_for_block(w, bytes, next_bytes));
}

/* Where there is room for it. */
static void *put_control_head(struct writer *w, uint32_t bytes)
{
	struct binlog_control_head *head =
		(struct binlog_control_head *)w->cursor;

	head->size = bytes;
	return head;
}

/* Among the calls, whose order it keeps. */
static void *begin_control(struct writer *w, uint32_t bytes)
{
	if (bytes > WRITER_RECORD_MAX || !writer_reserve(w, bytes))
		return NULL;
	return put_control_head(w, bytes);
}

static void commit_control(struct writer *w, uint32_t kind)
{
	const struct binlog_control_head *head = (const void *)w->cursor;

	writer_commit(w, w->cursor + head->size, kind);
}

void *writer_control(struct writer *w, uint32_t bytes)
{
	return ring_is_on() ? writer_ring_control(w, bytes)
			    : begin_control(w, bytes);
}

void writer_commit_control(struct writer *w, uint32_t kind)
{
	if (ring_is_on())
		writer_ring_commit(w, kind);
	else
		commit_control(w, kind);
}

void writer_introduce(struct writer *w)
{
	struct binlog_thread_record *thread = begin_control(w, sizeof(*thread));

	if (!thread)
		return;
	thread->tid = w->tid;
	thread->nesting = w->nesting;
	/* PR_GET_NAME 16: the name of the calling thread */
	SYS2(prctl, 16, thread->name);
	bytes_copy(w->ring.name, thread->name, sizeof(thread->name));
	w->ring.named = true;
	commit_control(w, BINLOG_THREAD);
}

void writer_mend(struct writer *w)
{
	if (ring_is_on() && !writer_ring_mend(w))
		return;
	if (w->block && *(const uint32_t *)w->cursor != 0)
		__atomic_store_n((uint32_t *)w->cursor, 0, __ATOMIC_RELAXED);
	w->open = NULL;
}

COLD bool writer_sync_clock(struct writer *w, uint32_t bytes, uint64_t *ticks)
{
	struct binlog_clock_record *clock;
	uint32_t epoch, core;

	/* One reservation for both, so that no new block, with an anchor
	 * later than *ticks, comes between them. */
	if (!writer_reserve(w, (uint32_t)sizeof(*clock) + bytes))
		return false;
	clock = put_control_head(w, sizeof(*clock));
	clock->core = *w->core_now;
	clock->reserved = 0;
	clock_anchor(&clock->anchor);
	epoch = (uint32_t)(clock->anchor.ticks >> CLOCK_EPOCH_SHIFT);
	core = clock->core;
	w->ring.anchor = clock->anchor;
	commit_control(w, BINLOG_CLOCK);
	/* Not before: a handler that jumps out takes the record back. */
	w->epoch = epoch;
	w->core = core;
	*ticks = clock_ticks();
	return true;
}

/* Of definitions with a ring, whose places are enough for the rest. */
static void stock_block(struct writer *w)
{
	struct binlog_block *block = capture_file_claim(BINLOG_BLOCK_MAX);

	if (!block)
		return;
	begin_block(w, block, BINLOG_BLOCK_MAX);
	if (ring_is_on())
		writer_ring_define_in(w, block);
	else
		writer_use_block(w, block, (char *)(block + 1));
}

void writer_stock_up(void)
{
	struct writer *w = writer_enter((uintptr_t)__builtin_dwarf_cfa());
	uint64_t mask;

	if (!w)
		return;
	mask = signal_mask_block();
	stock_block(w);
	if (ring_is_on())
		ring_stock();
	signal_mask_restore(mask);
	writer_leave(w);
}

static unsigned said_to(const struct writer *w)
{
	return __atomic_load_n(&w->said_key, __ATOMIC_ACQUIRE) & STREAMS_MAX;
}

/*
 * Adds what was said since the last time to its stream.  Its thread may go on
 * meanwhile, and others may do the same: who moves `settled` adds.  A thread
 * settles before it goes over to another stream, so all between is of the one
 * that was there before and after.
 */
static void add_up(struct writer *w)
{
	uint64_t settled = __atomic_load_n(&w->settled, __ATOMIC_ACQUIRE);
	uint64_t said;
	unsigned stream;

	do {
		stream = said_to(w);
		said = __atomic_load_n(&w->said, __ATOMIC_ACQUIRE);
		if (said == settled)
			return;
	} while (said_to(w) != stream ||
		 !__atomic_compare_exchange_n(&w->settled, &settled, said,
			 false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	streams_count_bytes(stream, said - settled);
}

COLD bool writer_said_slow(struct writer *w, unsigned stream)
{
	bool shows = streams_replaces_terminal(stream);
	/* With another number of flushes the next text comes here again. */
	uint32_t key = streams_key(stream);

	add_up(w);
	__atomic_store_n(&w->said_key,
		shows ? key ^ ~(uint32_t)STREAMS_MAX : key, __ATOMIC_RELAXED);
	SIGNAL_FENCE();
	streams_said(stream);
	if (shows || streams[stream].buffering == BINLOG_BUFFER_LINE)
		__atomic_store_n(
			&streams_reading_shows, true, __ATOMIC_RELAXED);
	return shows;
}

void writer_add_up(void)
{
	const struct process_self *self = process_self();
	struct writer *w = NULL;

	if (self)
		w = __atomic_load_n(&self->writers, __ATOMIC_ACQUIRE);
	for (; w && w->armed; w = w->next)
		add_up(w);
}

void writer_add_up_own(void)
{
	struct writer *w = writer_self;

	if (arena_is_marked() && w->armed)
		add_up(w);
}

bool writer_has_spoken(void)
{
	const struct process_self *self = process_self();

	return self && __atomic_load_n(&self->writers, __ATOMIC_ACQUIRE);
}

static void count(size_t in_block, size_t in_header)
{
	struct writer *w = writer_self;
	char *counter = NULL;

	if (w->armed && w->block)
		counter = (char *)w->block + in_block;
	else if (capture_file_header)
		counter = (char *)capture_file_header + in_header;
	if (counter)
		__atomic_fetch_add((uint64_t *)counter, 1, __ATOMIC_RELAXED);
}

bool writer_has_passed;

void writer_count_passed(void)
{
	if (writer_self->excused) {
		writer_self->excused = false;
		return;
	}
	writer_note_passed();
	count(offsetof(struct binlog_block, passed),
		offsetof(struct binlog_header, passed));
}

void writer_count_dropped(void)
{
	count(offsetof(struct binlog_block, dropped),
		offsetof(struct binlog_header, dropped));
}

/*
 * What a writer does otherwise where there is a ring: its block is a place of
 * the ring, and definitions go to blocks of their own.  Called by writer.c
 * alone; promises that a block which has become full costs no system call once
 * the ring is there, and that a handler may jump out anywhere.
 */

/* In front of the records of a block. */
#define PREFACE                                                                \
	((uint32_t)(sizeof(struct binlog_block) +                              \
		    sizeof(struct binlog_thread_record)))

/* Where a writer without a block has its cursor: there is room for nothing. */
static char nowhere[WRITER_MARGIN + sizeof(uint32_t)]
	__attribute__((aligned(8)));

static uint32_t ring_block_size(uint32_t size, uint32_t bytes)
{
	while (size - PREFACE - sizeof(uint32_t) < bytes)
		size *= 2;
	return size;
}

/*
 * One moment, at most as old as the epoch: what was read of the clocks last
 * still holds, and the kernel need not be asked.
 */
static void anchor_block(struct writer *w, struct binlog_block *block)
{
	const struct binlog_anchor *last = &w->ring.anchor;

	if (last->ticks == 0 || w->core != *w->core_now ||
		last->ticks >> CLOCK_EPOCH_SHIFT !=
			clock_ticks() >> CLOCK_EPOCH_SHIFT)
		clock_anchor(&w->ring.anchor);
	block->anchor = w->ring.anchor;
}

/* No reader takes it for a block until it is one again. */
static void clear_block(struct binlog_block *block, uint32_t size)
{
	ring_clear_magic(block);
	memset(block, 0, size);
}

/* Each block can be read without those before it. */
static char *introduce(struct writer *w, struct binlog_block *block)
{
	struct binlog_thread_record *thread = (void *)(block + 1);

	if (!w->ring.named)
		return (char *)thread;
	thread->head.kind = BINLOG_THREAD;
	thread->head.size = sizeof(*thread);
	thread->tid = w->tid;
	thread->nesting = w->nesting;
	bytes_copy(thread->name, w->ring.name, sizeof(thread->name));
	return (char *)(thread + 1);
}

static struct ring_hold *hold_of(struct writer *w)
{
	return &w->ring.holds[w->ring.held];
}

/* What was held before, if a jump has left it so that nobody will say that it
 * is full. */
static void finish_left(struct writer *w)
{
	struct ring_hold *left = &w->ring.holds[!w->ring.held];

	if (left->slot && left->slot != hold_of(w)->slot &&
		!(w->ring.taking && left->slot == ring_named(w->ring.taking)))
		ring_finish_left(left);
	left->slot = NULL;
}

static struct binlog_block *take_place(
	struct writer *w, uint32_t bytes, struct ring_hold *hold)
{
	uint32_t usual =
		w->ring.next_bytes ? w->ring.next_bytes : WRITER_BLOCK_SMALLEST;
	const struct ring_want want = {
		.writer = w->number,
		.tid = w->tid,
		.bytes = ring_block_size(WRITER_BLOCK_SMALLEST, bytes),
		.wished = ring_block_size(usual, bytes),
		.first = !hold_of(w)->slot,
	};
	char *memory;

	*hold = *hold_of(w); /* which is not to be taken for what was left */
	memory = ring_take(&want, &w->ring.taking, hold);
	w->ring.next_bytes =
		usual < ring_block_most() ? usual * 2 : ring_block_most();
	return (void *)memory;
}

/*
 * A handler may jump out at any point: then writer_ring_mend() finds `turns`,
 * and the next one finds what was taken, or goes on with what it has.
 */
/* writer_refill(). */
static bool writer_ring_refill(struct writer *w, uint32_t bytes)
{
	struct ring_hold full = *hold_of(w);
	uint32_t next = !w->ring.held;
	struct ring_hold *hold = &w->ring.holds[next];
	struct binlog_block *block;
	uint32_t size;
	char *start;

	finish_left(w);
	block = take_place(w, bytes, hold);
	if (!block) {
		writer_set_end(w, w->cursor);
		return false;
	}
	size = ring_slot_bytes(hold->slot->at);
	clear_block(block, size);
	anchor_block(w, block);
	start = introduce(w, block);
	hold->sequence++;
	writer_publish_block(w, block, size, hold->sequence | BINLOG_RING_DATA);
	w->ring.turns = true;
	SIGNAL_FENCE();
	writer_use_block(w, block, start);
	w->open = NULL;
	SIGNAL_FENCE();
	/* From here on it is held; `taking` names it still, and the full one is
	 * for finish_left(). */
	w->ring.held = next;
	SIGNAL_FENCE();
	w->ring.taking = full.slot ? ring_name(full.slot) | RING_LEAVING : 0;
	SIGNAL_FENCE();
	w->ring.turns = false;
	ring_finish(&full);
	SIGNAL_FENCE();
	w->ring.taking = 0;
	w->ring.holds[!next].slot = NULL;
	return true;
}

/* writer_mend(); false: the writer has no block any more. */
static bool writer_ring_mend(struct writer *w)
{
	bool lost = w->ring.turns;

	if (w->ring.cursor && *(const uint32_t *)(const void *)w->ring.cursor)
		__atomic_store_n((uint32_t *)(void *)w->ring.cursor, 0,
			__ATOMIC_RELAXED);
	if (!hold_of(w)->slot || !ring_resume(hold_of(w), w->tid))
		lost = true;
	if (!lost)
		return true;
	w->block = NULL;
	w->open = NULL;
	w->cursor = nowhere + WRITER_MARGIN;
	writer_set_end(w, w->cursor);
	SIGNAL_FENCE();
	w->ring.turns = false;
	return false;
}

/* ---- definitions ---- */

/* The next definitions go to this block, which is fresh. */
static void writer_ring_define_in(struct writer *w, struct binlog_block *block)
{
	w->ring.definitions = block;
	w->ring.cursor = (char *)(block + 1);
	w->ring.end = (char *)block + block->size - sizeof(uint32_t);
	end_exchange(w);
}

static bool refill_definitions(struct writer *w, uint32_t bytes)
{
	struct binlog_block *block;
	uint64_t mask;

	if (!w->armed)
		return false;
	if (w->next_bytes > ring_block_most())
		w->next_bytes = ring_block_most();
	mask = signal_mask_block();
	block = writer_claim_block(w, bytes);
	if (block)
		writer_ring_define_in(w, block);
	signal_mask_restore(mask);
	return block != NULL;
}

/* Room for definitions; true without a ring. */
static bool writer_ring_reserve(struct writer *w, uint32_t bytes)
{
	return !ring_is_on() ||
	       w->ring.end - w->ring.cursor >= (ptrdiff_t)bytes ||
	       refill_definitions(w, bytes);
}

/* writer_control() and writer_commit_control(). */
static void *writer_ring_control(struct writer *w, uint32_t bytes)
{
	struct binlog_control_head *head;

	if (bytes > WRITER_RECORD_MAX || !writer_ring_reserve(w, bytes))
		return NULL;
	head = (void *)w->ring.cursor;
	head->size = bytes;
	return head;
}

static void writer_ring_commit(struct writer *w, uint32_t kind)
{
	struct binlog_control_head *head = (void *)w->ring.cursor;
	char *end = w->ring.cursor + head->size;

	*(uint32_t *)(void *)end = 0;
	__atomic_store_n(&head->kind, kind, __ATOMIC_RELEASE);
	SIGNAL_FENCE();
	w->ring.cursor = end;
}
