#include "shim/writer/writer_ring.h"

#include "shim/file/capture_file.h"
#include "shim/host/bytes.h"
#include "shim/host/signal_mask.h"
#include "shim/writer/ring.h"

/* In front of the records of a block. */
#define PREFACE                                                                \
	((uint32_t)(sizeof(struct binlog_block) +                              \
		    sizeof(struct binlog_thread_record)))

/* Where a writer without a block has its cursor: there is room for nothing. */
static char nowhere[WRITER_MARGIN + sizeof(uint32_t)]
	__attribute__((aligned(8)));

static uint32_t block_size(uint32_t size, uint32_t bytes)
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
	struct binlog_header *header = capture_file_header;

	if (block->magic == BINLOG_BLOCK_MAGIC) {
		__atomic_store_n(&block->magic, 0, __ATOMIC_RELEASE);
		__atomic_fetch_add(
			&header->passed, block->passed, __ATOMIC_RELAXED);
		__atomic_fetch_add(
			&header->dropped, block->dropped, __ATOMIC_RELAXED);
	}
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

static struct binlog_block *take_place(
	struct writer *w, uint32_t bytes, struct ring_hold *hold)
{
	uint32_t usual =
		w->ring.next_bytes ? w->ring.next_bytes : WRITER_BLOCK_SMALLEST;
	const struct ring_want want = {
		.writer = w->number,
		.tid = w->tid,
		.bytes = block_size(WRITER_BLOCK_SMALLEST, bytes),
		.wished = block_size(usual, bytes),
		.first = !w->ring.hold.place,
	};
	char *memory;

	*hold = w->ring.hold; /* which is not to be taken for what was left */
	memory = ring_take(&want, &w->ring.taking, hold);
	w->ring.next_bytes =
		usual < ring_block_most() ? usual * 2 : ring_block_most();
	return (void *)memory;
}

/*
 * A handler may jump out at any point: then writer_ring_mend() finds `turns`,
 * and the next one finds what was taken, or goes on with what it has.
 */
bool writer_ring_refill(struct writer *w, uint32_t bytes)
{
	struct ring_hold full = w->ring.hold;
	struct binlog_block *block;
	struct ring_hold hold;
	uint32_t size;
	char *start;

	block = take_place(w, bytes, &hold);
	if (!block) {
		writer_set_end(w, w->cursor);
		return false;
	}
	size = ring_place_bytes(hold.place->at);
	clear_block(block, size);
	anchor_block(w, block);
	start = introduce(w, block);
	hold.sequence++;
	writer_publish_block(w, block, size, hold.sequence | BINLOG_RING_DATA);
	w->ring.turns = true;
	SIGNAL_FENCE();
	writer_use_block(w, block, start);
	w->open = NULL;
	w->ring.hold = hold;
	w->ring.taking = 0;
	if (full.place)
		w->ring.taking = ((uint32_t)(full.place - ring_places) + 1) |
				 RING_LEAVING;
	SIGNAL_FENCE();
	w->ring.turns = false;
	ring_finish(&full);
	w->ring.taking = 0;
	return true;
}

bool writer_ring_mend(struct writer *w)
{
	bool lost = w->ring.turns;

	if (w->ring.cursor && *(const uint32_t *)(const void *)w->ring.cursor)
		__atomic_store_n((uint32_t *)(void *)w->ring.cursor, 0,
			__ATOMIC_RELAXED);
	if (!w->ring.hold.place || !ring_resume(&w->ring.hold, w->tid))
		lost = true;
	if (!lost)
		return true;
	w->ring.turns = false;
	w->block = NULL;
	w->open = NULL;
	w->cursor = nowhere + WRITER_MARGIN;
	writer_set_end(w, w->cursor);
	return false;
}

/* ---- definitions ---- */

void writer_ring_define_in(struct writer *w, struct binlog_block *block)
{
	w->ring.definitions = block;
	w->ring.cursor = (char *)(block + 1);
	w->ring.end = (char *)block + block->size - sizeof(uint32_t);
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

bool writer_ring_reserve(struct writer *w, uint32_t bytes)
{
	return !ring_is_on() ||
	       w->ring.end - w->ring.cursor >= (ptrdiff_t)bytes ||
	       refill_definitions(w, bytes);
}

void *writer_ring_control(struct writer *w, uint32_t bytes)
{
	struct binlog_control_head *head;

	if (bytes > WRITER_RECORD_MAX || !writer_ring_reserve(w, bytes))
		return NULL;
	head = (void *)w->ring.cursor;
	head->size = bytes;
	return head;
}

void writer_ring_commit(struct writer *w, uint32_t kind)
{
	struct binlog_control_head *head = (void *)w->ring.cursor;
	char *end = w->ring.cursor + head->size;

	*(uint32_t *)(void *)end = 0;
	__atomic_store_n(&head->kind, kind, __ATOMIC_RELEASE);
	SIGNAL_FENCE();
	w->ring.cursor = end;
}
