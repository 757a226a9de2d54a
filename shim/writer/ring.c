#include "shim/writer/ring.h"

#include "shim/control/process.h"
#include "shim/file/capture_file.h"
#include "shim/host/clock.h"
#include "shim/host/signal_mask.h"
#include "shim/host/sys.h"
#include "shim/writer/life.h"

/*
 * Who fills a slot of the ring, and whether they are gone: threads that have
 * ended, and children, leave slots behind that are not full.  Called by
 * ring.c; promises that nothing is taken from a thread that is alive.
 */

/* Of all slots at once. */
#define SEEN_MOST 1024u

/* Numbers of threads mean the same to all processes of one namespace. */
static bool is_at_home(void)
{
	const struct binlog_founder *founder =
		(const void *)((const char *)capture_file_header +
			       BINLOG_FOUNDER_OFFSET);
	static uint32_t asked; /* as which process */
	static bool home;

	if (asked != process.pid) {
		home = process_is_founder() ||
		       (founder->pid_namespace != 0 && !sys_forbidden &&
			       life_pid_namespace() == founder->pid_namespace);
		asked = process.pid;
	}
	return home;
}

void ring_owner_set(struct binlog_ring_slot *slot, uint32_t tid)
{
	__atomic_store_n(
		&slot->owner, is_at_home() ? tid : 0, __ATOMIC_RELEASE);
}

void ring_owner_clear(struct binlog_ring_slot *slot)
{
	__atomic_store_n(&slot->owner, 0, __ATOMIC_RELEASE);
}

static bool ring_owner_take_back(struct binlog_ring_slot *slot, uint64_t owner)
{
	return __atomic_compare_exchange_n(&slot->owner, &owner, 0, false,
		__ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

static bool is_gone(uint64_t owner)
{
	return owner != 0 && SYS2(tkill, owner, 0) == -ESRCH;
}

/* Whoever fills it, and will not come back, has finished. */
static bool finish_for(struct binlog_ring *ring, struct binlog_ring_slot *slot)
{
	uint64_t state = ring_slot_state(slot);
	uint64_t owner = __atomic_load_n(&slot->owner, __ATOMIC_ACQUIRE);
	uint64_t writer = ring_slot_writer(state);

	/* Another thread may go on with it. */
	if ((state & RING_STATE) != RING_OPEN || !is_gone(owner) ||
		!ring_owner_take_back(slot, owner))
		return false;
	slot->until = clock_ticks();
	return ring_slot_change(
		slot, state, ring_slot_state_for(ring, writer, RING_DONE));
}

/* Looks at some, in turns.  True: there is one more that can be taken. */
bool ring_owner_find_gone(uint32_t asked)
{
	static uint32_t cursor;
	struct binlog_ring *ring = ring_of(capture_file_header);
	uint32_t count = ring_slot_count(ring);
	uint32_t seen = count < SEEN_MOST ? count : SEEN_MOST;
	bool any = false;

	if (sys_forbidden || count == 0 || !is_at_home())
		return false;
	for (; asked > 0 && seen > 0; seen--) {
		uint32_t i = __atomic_fetch_add(&cursor, 1, __ATOMIC_RELAXED);
		struct binlog_ring_slot *slot = &ring_slots[i % count];

		if ((ring_slot_state(slot) & RING_STATE) != RING_OPEN)
			continue;
		any |= finish_for(ring, slot);
		asked--;
	}
	return any;
}

/* Of the ring, so much may be in one block. */
#define BLOCK_SHARE 128u
#define BLOCK_LEAST 4096u
/* Of the table, and from which size of ring on it is the larger one. */
#define TABLE_BYTES (128u << 10)
#define TABLE_LARGE_FROM ((uint64_t)128 << 20)
/* And in definitions that calls can do without, but at least so much. */
#define DEFINED_SHARE 4u
#define DEFINED_LEAST ((uint64_t)256 << 10)
/* For how many slots the kernel is asked whether their owners are gone. */
#define ASKED 16u
#define STOCKED 4u

struct binlog_ring_slot *ring_slots;
struct binlog_ring_window *ring_windows;
static struct binlog_ring *ring;
static uint64_t usual_most, first_most; /* bytes of all slots */

static uint64_t next_state(uint64_t writer, enum ring_state state)
{
	return ring_slot_state_for(ring, writer, state);
}

/* ---- making it ---- */

static uint32_t table_bytes(uint64_t bytes)
{
	return bytes < TABLE_LARGE_FROM ? TABLE_BYTES : BINLOG_BLOCK_MAX;
}

static void begin_table(struct binlog_block *block, uint32_t size)
{
	struct binlog_control_head *head = (void *)(block + 1);

	block->size = size;
	block->nonce = capture_file_header->nonce;
	block->pid = process.pid;
	block->writer = __atomic_fetch_add(
		&capture_file_header->next_writer, 1, __ATOMIC_RELAXED);
	clock_anchor(&block->anchor);
	head->kind = BINLOG_RING;
	head->size = size - (uint32_t)(sizeof(*block) + sizeof(uint32_t));
	ring_windows = (void *)(head + 1);
	ring->slots = (uint32_t)((head->size - sizeof(*head) -
					 BINLOG_RING_WINDOWS *
						 sizeof(*ring_windows)) /
				 sizeof(*ring_slots));
	__atomic_store_n(&block->magic, BINLOG_BLOCK_MAGIC, __ATOMIC_RELEASE);
	__atomic_fetch_add(
		&capture_file_header->published, size, __ATOMIC_RELEASE);
}

void ring_begin(uint64_t bytes, uint64_t max_bytes)
{
	uint64_t most = max_bytes / 4 * 3;
	struct binlog_block *block;
	uint32_t size;

	if (bytes > most)
		bytes = most;
	size = table_bytes(bytes);
	if (bytes < BLOCK_LEAST || !capture_file_header)
		return;
	block = capture_file_claim(size);
	if (!block)
		return;
	ring = ring_of(capture_file_header);
	begin_table(block, size);
	ring->table = capture_file_offset(ring_windows);
	ring->keep_most = most - bytes;
	usual_most = bytes;
	first_most = bytes + bytes / 2;
	/* Definitions need room, too. */
	if (first_most > max_bytes / 8 * 7)
		first_most = max_bytes / 8 * 7;
	__atomic_store_n(&ring->bytes, bytes, __ATOMIC_RELEASE);
	ring_slots = (void *)(ring_windows + BINLOG_RING_WINDOWS);
}

bool ring_may_define(void)
{
	const struct binlog_block *table =
		(const void *)((const char *)ring_windows -
			       sizeof(struct binlog_control_head) -
			       sizeof(*table));
	uint64_t most = ring->bytes / DEFINED_SHARE;
	uint64_t all = __atomic_load_n(
		&capture_file_header->published, __ATOMIC_RELAXED);
	uint64_t others = table->size;

	others += __atomic_load_n(&ring->claimed, __ATOMIC_RELAXED);
	others += __atomic_load_n(&ring->kept, __ATOMIC_RELAXED);
	if (most < DEFINED_LEAST)
		most = DEFINED_LEAST;
	return all < others + most;
}

uint32_t ring_block_most(void)
{
	uint32_t most = BINLOG_PREPARED_BLOCK;

	while (most > BLOCK_LEAST && most > ring->bytes / BLOCK_SHARE)
		most /= 2;
	return most;
}

/* ---- what is kept ---- */

static bool is_wanted(const struct binlog_ring_slot *slot)
{
	uint32_t count = __atomic_load_n(&ring->windows, __ATOMIC_ACQUIRE);

	if (count > BINLOG_RING_WINDOWS)
		count = BINLOG_RING_WINDOWS;
	for (uint32_t i = count; i > 0; i--)
		if (ring_window_meets(&ring_windows[i - 1], slot))
			return true;
	return false;
}

/* Out of the ring.  False: it need not be kept, or there is no room for it. */
static bool keep(struct binlog_ring_slot *slot, uint64_t state)
{
	uint64_t bytes = ring_slot_bytes(slot->at);

	if (!is_wanted(slot))
		return false;
	if (__atomic_add_fetch(&ring->kept, bytes, __ATOMIC_RELAXED) >
		ring->keep_most) {
		__atomic_fetch_sub(&ring->kept, bytes, __ATOMIC_RELAXED);
		return false;
	}
	if (ring_slot_change(slot, state, state | RING_KEPT))
		__atomic_fetch_sub(&ring->claimed, bytes, __ATOMIC_RELAXED);
	else
		__atomic_fetch_sub(&ring->kept, bytes, __ATOMIC_RELAXED);
	return true;
}

/* ---- taking slots ---- */

static char *memory_of(const struct binlog_ring_slot *slot)
{
	return capture_file_place(
		ring_slot_offset(slot->at), ring_slot_bytes(slot->at));
}

static void hold_it(
	struct ring_hold *hold, struct binlog_ring_slot *slot, uint64_t state)
{
	hold->slot = slot;
	hold->state = state;
}

/* What was in a slot is lost from here on. */
static void overwrite(const struct binlog_ring_slot *slot)
{
	uint64_t before = __atomic_load_n(&ring->lost_until, __ATOMIC_RELAXED);

	while (before < slot->until &&
		!__atomic_compare_exchange_n(&ring->lost_until, &before,
			slot->until, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	__atomic_fetch_add(&ring->overwritten, ring_slot_bytes(slot->at),
		__ATOMIC_RELAXED);
}

/* From that state into ours.  Null: another one was faster. */
static char *seize(const struct ring_want *want, struct binlog_ring_slot *slot,
	uint64_t before, uint32_t *taking, struct ring_hold *hold)
{
	uint64_t state = next_state(want->writer, RING_OPEN);
	char *memory = memory_of(slot);

	if (!memory)
		return NULL;
	*taking = ring_name(slot) |
		  ((before & RING_STATE) == RING_DONE ? RING_UNTOLD : 0);
	SIGNAL_FENCE();
	if (!ring_slot_change(slot, before, state)) {
		*taking = 0;
		return NULL;
	}
	ring_owner_set(slot, want->tid);
	if ((before & RING_STATE) == RING_DONE) {
		overwrite(slot);
		SIGNAL_FENCE();
		*taking &= ~RING_UNTOLD;
	}
	hold_it(hold, slot, state);
	return memory;
}

void ring_clear_magic(struct binlog_block *block)
{
	struct binlog_header *header = capture_file_header;

	if (block->magic != BINLOG_BLOCK_MAGIC)
		return;
	__atomic_store_n(&block->magic, 0, __ATOMIC_RELEASE);
	__atomic_fetch_add(&header->passed, block->passed, __ATOMIC_RELAXED);
	__atomic_fetch_add(&header->dropped, block->dropped, __ATOMIC_RELAXED);
}

/* What is in a slot that was taken is no block. */
static void give_back(struct binlog_ring_slot *slot, uint64_t state)
{
	struct binlog_block *block = (void *)memory_of(slot);

	if (block)
		ring_clear_magic(block);
	ring_owner_clear(slot);
	ring_slot_change(slot, state,
		next_state(ring_slot_writer(state), RING_FREE));
}

/*
 * What a call that was left by a jump had taken and not used yet, or had filled
 * and not said so.  It may be left once more: *taking holds until that is over,
 * since what was taken may be a block by now, with the number of the next one.
 */
static char *take_left(
	const struct ring_want *want, uint32_t *taking, struct ring_hold *hold)
{
	uint32_t left = *taking;
	struct binlog_ring_slot *slot = ring_named(left);
	uint64_t state = ring_slot_state(slot);
	struct ring_hold its = {.slot = slot, .state = state};

	if ((state & RING_STATE) == RING_OPEN && slot != hold->slot &&
		ring_slot_writer(state) == (want->writer & RING_WRITER_MOST)) {
		if (left & RING_UNTOLD)
			overwrite(slot);
		if (left & RING_LEAVING)
			ring_finish(&its);
		else if (ring_slot_bytes(slot->at) < want->bytes)
			give_back(slot, state);
		else
			return seize(want, slot, state, taking, hold);
	}
	SIGNAL_FENCE();
	*taking = 0;
	return NULL;
}

static char *take_free(
	const struct ring_want *want, uint32_t *taking, struct ring_hold *hold)
{
	uint32_t count = ring_slot_count(ring);
	char *memory;

	for (uint32_t i = 0; i < count; i++) {
		struct binlog_ring_slot *slot = &ring_slots[i];
		uint64_t state = ring_slot_state(slot);

		if ((state & RING_STATE) != RING_FREE || slot->at == 0 ||
			ring_slot_bytes(slot->at) < want->bytes)
			continue;
		memory = seize(want, slot, state, taking, hold);
		if (memory)
			return memory;
	}
	return NULL;
}

/* A slot more, in `state`. */
static struct binlog_ring_slot *add_slot(
	char *memory, uint32_t bytes, uint64_t state)
{
	uint32_t i = __atomic_fetch_add(&ring->used, 1, __ATOMIC_ACQ_REL);
	struct binlog_ring_slot *slot = &ring_slots[i];

	if (i >= ring->slots)
		return NULL;
	/* Else a slot of no bytes, which is free, could be taken. */
	slot->from = clock_ticks();
	__atomic_store_n(&slot->state, state, __ATOMIC_RELEASE);
	__atomic_store_n(&slot->at,
		capture_file_offset(memory) | bytes / BINLOG_PAGE,
		__ATOMIC_RELEASE);
	__atomic_fetch_add(
		&capture_file_header->published, bytes, __ATOMIC_RELEASE);
	return slot;
}

/* More of the file, as long as the ring has no more than `most` of it. */
static struct binlog_ring_slot *claim(
	uint32_t bytes, uint64_t most, uint64_t state, char **memory)
{
	struct binlog_ring_slot *slot = NULL;

	*memory = NULL;
	if (ring_slot_count(ring) == ring->slots)
		return NULL;
	if (__atomic_fetch_add(&ring->claimed, bytes, __ATOMIC_RELAXED) < most)
		*memory = capture_file_claim(bytes);
	if (*memory)
		slot = add_slot(*memory, bytes, state);
	if (!slot)
		__atomic_fetch_sub(&ring->claimed, bytes, __ATOMIC_RELAXED);
	return slot;
}

/* With signals blocked: a handler that jumps out would leave a block behind
 * that nobody knows of. */
static char *take_fresh(const struct ring_want *want, uint32_t bytes,
	uint64_t most, uint32_t *taking, struct ring_hold *hold)
{
	uint64_t state = next_state(want->writer, RING_OPEN);
	struct binlog_ring_slot *slot;
	uint64_t mask;
	char *memory;

	if (__atomic_load_n(&ring->claimed, __ATOMIC_RELAXED) >= most)
		return NULL;
	mask = signal_mask_block();
	slot = claim(bytes, most, state, &memory);
	if (slot) {
		*taking = ring_name(slot);
		ring_owner_set(slot, want->tid);
		hold_it(hold, slot, state);
	}
	signal_mask_restore(mask);
	return slot ? memory : NULL;
}

/* Of those that are full, the one that is full for the longest time; and how
 * many are not. */
static struct binlog_ring_slot *find_oldest(
	uint32_t least, uint64_t *state, uint32_t *open)
{
	struct binlog_ring_slot *oldest = NULL;
	uint32_t count = ring_slot_count(ring);

	*state = UINT64_MAX;
	*open = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct binlog_ring_slot *slot = &ring_slots[i];
		uint64_t now = ring_slot_state(slot);

		*open += (now & RING_STATE) == RING_OPEN;
		if ((now & RING_STATE) != RING_DONE || now >= *state ||
			ring_slot_bytes(slot->at) < least)
			continue;
		oldest = slot;
		*state = now;
	}
	return oldest;
}

static char *take_oldest(
	const struct ring_want *want, uint32_t *taking, struct ring_hold *hold)
{
	struct binlog_ring_slot *slot;
	uint64_t state;
	uint32_t open;
	char *memory;

	if (capture_file_keeps_off())
		return NULL;
	while ((slot = find_oldest(want->bytes, &state, &open)) != NULL) {
		if (keep(slot, state)) {
			memory = take_fresh(
				want, want->wished, usual_most, taking, hold);
			if (memory)
				return memory;
			continue;
		}
		/* Of threads that have ended, perhaps. */
		if (open > ring_slot_count(ring) / 2)
			ring_owner_find_gone(1);
		memory = seize(want, slot, state, taking, hold);
		if (memory || ring_slot_state(slot) == state)
			return memory;
	}
	return NULL;
}

static char *take(
	const struct ring_want *want, uint32_t *taking, struct ring_hold *hold)
{
	/* A new thread takes little, so that many of them take nobody's; and
	 * where there are few slots for a large record these would be taken
	 * out of turn. */
	bool more = want->first || want->bytes > ring_block_most();
	uint64_t most = more ? first_most : usual_most;
	char *memory = NULL;

	if (*taking)
		memory = take_left(want, taking, hold);
	if (!memory)
		memory = take_free(want, taking, hold);
	if (!memory)
		memory = take_fresh(want, want->wished, most, taking, hold);
	if (!memory)
		memory = take_oldest(want, taking, hold);
	if (!memory && ring_owner_find_gone(ASKED))
		memory = take_oldest(want, taking, hold);
	if (!memory)
		memory =
			take_fresh(want, want->bytes, UINT64_MAX, taking, hold);
	return memory;
}

char *ring_take(
	const struct ring_want *want, uint32_t *taking, struct ring_hold *hold)
{
	char *memory;

	if (want->first)
		ring_owner_find_gone(ASKED);
	memory = take(want, taking, hold);
	if (memory)
		hold->slot->from = clock_ticks();
	return memory;
}

void ring_finish(struct ring_hold *hold)
{
	struct binlog_ring_slot *slot = hold->slot;

	hold->slot = NULL;
	if (!slot || ring_slot_state(slot) != hold->state)
		return;
	ring_owner_clear(slot);
	slot->until = clock_ticks();
	ring_slot_change(slot, hold->state,
		next_state(ring_slot_writer(hold->state), RING_DONE));
}

/* In a state that may be another one than is held, if ring_resume() was left in
 * the middle. */
static bool is_ours(const struct ring_hold *hold, uint64_t state)
{
	return (state & RING_STATE) == RING_OPEN &&
	       ring_slot_writer(state) == ring_slot_writer(hold->state);
}

void ring_finish_left(const struct ring_hold *hold)
{
	struct ring_hold now = *hold;

	now.state = ring_slot_state(hold->slot);
	if (is_ours(hold, now.state))
		ring_finish(&now);
}

bool ring_resume(struct ring_hold *hold, uint32_t tid)
{
	struct binlog_ring_slot *slot = hold->slot;
	uint64_t before, state;

	if (!slot)
		return false;
	before = ring_slot_state(slot);
	if (!is_ours(hold, before)) {
		hold->slot = NULL;
		return false;
	}
	state = next_state(ring_slot_writer(hold->state), RING_OPEN);
	/* In this order: who sees the old owner does not see the new state. */
	ring_owner_set(slot, tid);
	if (ring_slot_change(slot, before, state)) {
		hold->state = state;
		return true;
	}
	ring_owner_take_back(slot, tid);
	hold->slot = NULL;
	return false;
}

void ring_stock(void)
{
	char *memory;

	for (unsigned i = 0; i < STOCKED; i++)
		claim(BINLOG_PREPARED_BLOCK, UINT64_MAX,
			next_state(0, RING_FREE), &memory);
}
