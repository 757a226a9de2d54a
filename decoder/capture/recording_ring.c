#include "decoder/capture/recording_ring.h"

#include <stdlib.h>
#include <string.h>

#include "decoder/capture/recording.h"
#include "record/in_use.h"

/*
 * How much time the ring of a capture holds.  Asked by whoever says so to
 * people, when the messages were read; about right, since it asks no clock.
 */

/* By the longest stretch whose ticks are known. */
static double nanoseconds_per_tick(const struct recording *capture)
{
	const struct binlog_anchor *start = &capture->header.start;
	const struct binlog_anchor *last = start;
	size_t i;

	for (i = 0; i < capture->block_count; i++)
		if (capture->blocks[i].anchor.ticks > last->ticks)
			last = &capture->blocks[i].anchor;
	return last->ticks == start->ticks
		       ? 1
		       : (double)(last->monotonic - start->monotonic) /
				 (double)(last->ticks - start->ticks);
}

/* A file may say anything. */
static double within(double nanoseconds)
{
	return nanoseconds < 0 ? 0 : nanoseconds < 1e18 ? nanoseconds : 1e18;
}

uint64_t ring_time_span(const struct recording *capture)
{
	const struct recording_ring *ring = capture->ring;

	if (ring->head.overwritten == 0)
		return UINT64_MAX;
	return ring->newest <= ring->head.lost_until
		       ? 0
		       : (uint64_t)within((double)(ring->newest -
						   ring->head.lost_until) *
					  nanoseconds_per_tick(capture));
}

uint64_t ring_time_wall(const struct recording *capture, uint64_t ticks)
{
	const struct binlog_anchor *start = &capture->header.start;
	double since = (double)(int64_t)(ticks - start->ticks) *
		       nanoseconds_per_tick(capture);

	return start->realtime + (uint64_t)within(since);
}

/* More slots than these are in no table. */
#define PLACES_MAX (BINLOG_BLOCK_MAX / sizeof(struct binlog_ring_slot))

#define TRIES 5

/* A block in our memory; of a process that is gone it stays in the file. */
struct recording_ring_copy {
	uint64_t offset;
	uint32_t size;
	uint8_t *
		bytes; /* null: nothing of it is wanted, or it is in the file */
};

/* A slot as it was when the table was read, and where in the table. */
struct candidate {
	struct binlog_ring_slot slot;
	size_t index;
};

/* While it is taken. */
struct taking {
	struct recording *capture;
	struct recording_ring *ring;
	struct binlog_ring_slot *slots;
	struct candidate *candidates;
	size_t count;	/* of both */
	uint8_t *bytes; /* of a block, twice; if not live, of its header */
	bool live;	/* somebody may be writing */
};

static uint64_t state_of(const struct binlog_ring_slot *slot)
{
	return slot->state & RING_STATE;
}

static uint64_t place_at(const struct recording_ring *ring, size_t index)
{
	return ring->head.table +
	       BINLOG_RING_WINDOWS * sizeof(struct binlog_ring_window) +
	       index * sizeof(struct binlog_ring_slot);
}

/* ---- the table ---- */

static bool read_places(struct taking *taking)
{
	size_t size = taking->count * sizeof(*taking->slots);

	return recording_read(taking->capture, place_at(taking->ring, 0),
		       taking->slots, size) == size;
}

/*
 * Twice: what has begun after all that was there the first time is left out,
 * so that of no writer a block is there whose predecessor was passed too early.
 */
static bool read_table(struct taking *taking)
{
	uint64_t newest = 0;
	size_t count = 0;
	size_t i;

	if (!read_places(taking))
		return false;
	for (i = 0; i < taking->count; i++)
		if (taking->slots[i].from > newest)
			newest = taking->slots[i].from;
	if (!read_places(taking))
		return false;
	for (i = 0; i < taking->count; i++)
		if (taking->slots[i].at != 0 && taking->slots[i].from <= newest)
			taking->candidates[count++] =
				(struct candidate){taking->slots[i], i};
	taking->ring->newest = newest;
	taking->count = count;
	return true;
}

static size_t windows_of(const struct recording_ring *ring)
{
	return ring->head.windows < BINLOG_RING_WINDOWS ? ring->head.windows
							: BINLOG_RING_WINDOWS;
}

/* The first one that has not begun yet ends the list. */
static void read_windows(struct taking *taking)
{
	struct recording_ring *ring = taking->ring;
	size_t count = windows_of(ring);
	size_t size = count * sizeof(*ring->windows);

	if (recording_read(taking->capture, ring->head.table, ring->windows,
		    size) < size)
		count = 0;
	while (ring->window_count < count &&
		ring->windows[ring->window_count].until != 0)
		ring->window_count++;
}

/* Newest first: what is lost, if it is overwritten faster than it can be read,
 * is the oldest then. */
static int compare_candidates(const void *left, const void *right)
{
	const struct candidate *a = left;
	const struct candidate *b = right;
	bool a_open = state_of(&a->slot) == RING_OPEN;
	bool b_open = state_of(&b->slot) == RING_OPEN;

	if (a_open != b_open)
		return b_open - a_open;
	return a->slot.state > b->slot.state ? -1
					     : a->slot.state < b->slot.state;
}

static int compare_offsets(const void *left, const void *right)
{
	const struct candidate *a = left;
	const struct candidate *b = right;

	return a->slot.at < b->slot.at ? -1 : a->slot.at > b->slot.at;
}

static int compare_copies(const void *left, const void *right)
{
	const struct recording_ring_copy *a = left;
	const struct recording_ring_copy *b = right;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* ---- the blocks ---- */

static bool is_block(const struct taking *taking,
	const struct binlog_ring_slot *slot, const struct binlog_block *head)
{
	return head->magic == BINLOG_BLOCK_MAGIC &&
	       head->nonce == taking->capture->header.nonce &&
	       (head->sequence & BINLOG_RING_DATA) != 0 &&
	       head->size == ring_slot_bytes(slot->at);
}

/* Nobody has taken the slot since the table was read: that is to be seen
 * before anything in it changes. */
static bool is_still(struct taking *taking, const struct candidate *candidate)
{
	const struct binlog_ring_slot *then = &candidate->slot;
	struct binlog_ring_slot now;

	if (recording_read(taking->capture,
		    place_at(taking->ring, candidate->index), &now,
		    sizeof(now)) < sizeof(now))
		return false;
	return now.at == then->at && now.from == then->from &&
	       (state_of(then) == RING_OPEN || state_of(&now) != RING_OPEN);
}

/* Of what is being written, up to what has changed while it was read: a record
 * whose first word was there the first time was whole the second. */
static void cut_open(struct taking *taking, uint64_t offset, size_t size)
{
	uint8_t *again = taking->bytes + BINLOG_BLOCK_MAX;
	size_t same = sizeof(struct binlog_block);
	size_t n = recording_read(taking->capture, offset, again, size);

	while (same < n && taking->bytes[same] == again[same])
		same++;
	same &= ~(size_t)3;
	memset(taking->bytes + same, 0, size - same);
}

static bool enter_block(struct taking *taking,
	const struct candidate *candidate, const struct binlog_block *head)
{
	struct recording_ring *ring = taking->ring;
	struct recording_ring_copy *copy = &ring->copies[ring->count - 1];
	struct recording_block *block = &ring->blocks[ring->block_count++];

	*block = recording_block_at(copy->offset, head);
	block->kept = state_of(&candidate->slot) == RING_KEPT;
	if (candidate->slot.until > ring->newest)
		ring->newest = candidate->slot.until;
	ring->passed += head->passed;
	ring->dropped += head->dropped;
	if (!taking->live)
		return true;
	copy->bytes = malloc(copy->size);
	if (copy->bytes)
		memcpy(copy->bytes, taking->bytes, copy->size);
	return copy->bytes;
}

/* False: out of memory. */
static bool take_place(struct taking *taking, const struct candidate *candidate)
{
	const struct binlog_ring_slot *slot = &candidate->slot;
	const struct recording_ring_copy copy = {
		.offset = ring_slot_offset(slot->at),
		.size = ring_slot_bytes(slot->at),
	};
	struct binlog_block head;
	size_t wanted = taking->live ? copy.size : sizeof(head);

	if (copy.size < sizeof(head) || copy.size > BINLOG_BLOCK_MAX)
		return true;
	taking->ring->copies[taking->ring->count++] = copy;
	if (recording_read(taking->capture, copy.offset, taking->bytes,
		    wanted) < wanted)
		return true;
	if (taking->live && state_of(slot) == RING_OPEN)
		cut_open(taking, copy.offset, copy.size);
	memcpy(&head, taking->bytes, sizeof(head));
	return !is_block(taking, slot, &head) || !is_still(taking, candidate) ||
	       enter_block(taking, candidate, &head);
}

static bool has_block(
	struct taking *taking, const struct binlog_ring_slot *slot)
{
	struct binlog_block head;

	return recording_read(taking->capture, ring_slot_offset(slot->at),
		       &head, sizeof(head)) == sizeof(head) &&
	       is_block(taking, slot, &head);
}

/* Blocks do not overlap, unless the table is damaged: what is taken is never
 * more than the file. */
static void leave_out_overlapping(struct taking *taking)
{
	uint64_t end = 0;
	size_t count = 0;
	size_t i;

	qsort(taking->candidates, taking->count, sizeof(*taking->candidates),
		compare_offsets);
	for (i = 0; i < taking->count; i++) {
		struct candidate candidate = taking->candidates[i];
		uint64_t offset = ring_slot_offset(candidate.slot.at);

		if (offset < end || offset > INT64_MAX)
			continue;
		if (has_block(taking, &candidate.slot))
			end = offset + ring_slot_bytes(candidate.slot.at);
		taking->candidates[count++] = candidate;
	}
	taking->count = count;
}

static bool take_places(struct taking *taking)
{
	bool good = true;
	size_t i;

	leave_out_overlapping(taking);
	qsort(taking->candidates, taking->count, sizeof(*taking->candidates),
		compare_candidates);
	for (i = 0; i < taking->count && good; i++)
		good = take_place(taking, &taking->candidates[i]);
	if (taking->ring->count > 0)
		qsort(taking->ring->copies, taking->ring->count,
			sizeof(*taking->ring->copies), compare_copies);
	return good;
}

/* ---- all of it ---- */

static bool is_live(const struct recording *capture)
{
	enum in_use use =
		capture->unpacked ? IN_USE_NO : in_use_hold(capture->fd);

	if (use == IN_USE_NO && !capture->unpacked)
		in_use_release(capture->fd);
	return use != IN_USE_NO;
}

static bool read_head(struct recording *capture, struct binlog_ring *head)
{
	return recording_read_page(capture, BINLOG_RING_OFFSET, head,
		       sizeof(*head)) == sizeof(*head);
}

bool recording_ring_is(struct recording *capture)
{
	struct binlog_ring head;

	return read_head(capture, &head) && head.bytes != 0;
}

/* Anything may have been overwritten until now. */
static void note_losses(struct taking *taking)
{
	struct binlog_ring now;

	if (!read_head(taking->capture, &now))
		return;
	taking->ring->head.lost_until = now.lost_until;
	taking->ring->head.overwritten = now.overwritten;
}

static void forget_blocks(struct recording_ring *ring)
{
	size_t i;

	for (i = 0; i < ring->count; i++)
		free(ring->copies[i].bytes);
	ring->count = ring->block_count = 0;
	ring->passed = ring->dropped = 0;
}

/* Again if we had to wait for the processor while most was overwritten. */
static bool take_all(struct taking *taking)
{
	struct recording_ring *ring = taking->ring;
	size_t room = taking->count + 1;
	bool enough = false;
	unsigned i;

	ring->windows = calloc(windows_of(ring) + 1, sizeof(*ring->windows));
	ring->copies = calloc(room, sizeof(*ring->copies));
	ring->blocks = calloc(room, sizeof(*ring->blocks));
	taking->slots = calloc(room, sizeof(*taking->slots));
	taking->candidates = calloc(room, sizeof(*taking->candidates));
	taking->bytes = malloc(taking->live ? (size_t)2 * BINLOG_BLOCK_MAX
					    : sizeof(struct binlog_block));
	if (!ring->windows || !ring->copies || !ring->blocks ||
		!taking->slots || !taking->candidates || !taking->bytes)
		return false;
	for (i = 0; i < TRIES && !enough; i++) {
		forget_blocks(ring);
		taking->count = room - 1;
		if (!read_table(taking))
			break;
		if (!take_places(taking))
			return false;
		enough =
			!taking->live || ring->block_count >= taking->count / 2;
	}
	read_windows(taking);
	note_losses(taking);
	return true;
}

/* What nobody could say is that it was killed by SIGKILL. */
static bool was_cut_off(const struct taking *taking)
{
	return taking->ring->head.waits & BINLOG_RING_KILL && !taking->live &&
	       liveness_founder(taking->capture).end == 0;
}

/* Of a table that is cut off there are none. */
static size_t count_places(
	const struct recording *capture, const struct recording_ring *ring)
{
	uint32_t used = ring->head.used < ring->head.slots ? ring->head.used
							   : ring->head.slots;
	uint64_t first = place_at(ring, 0);
	uint64_t most = 0;

	if (first < capture->size)
		most = (capture->size - first) /
		       sizeof(struct binlog_ring_slot);
	if (used > PLACES_MAX)
		used = PLACES_MAX;
	return used <= most ? used : 0;
}

bool recording_ring_take(struct recording *capture)
{
	struct taking taking = {.capture = capture};
	struct binlog_ring head;
	bool good;

	if (!read_head(capture, &head) || head.bytes == 0)
		return true;
	taking.ring = capture->ring = calloc(1, sizeof(*taking.ring));
	if (!taking.ring)
		return false;
	taking.ring->head = head;
	/* Where the table is in a core file is not known: all is shown. */
	taking.ring->all = capture->header_at > 0;
	if (taking.ring->all)
		return true;
	taking.count = count_places(capture, taking.ring);
	taking.live = is_live(capture);
	good = take_all(&taking);
	taking.ring->all = was_cut_off(&taking);
	free(taking.slots);
	free(taking.candidates);
	free(taking.bytes);
	return good;
}

/* ---- what is asked ---- */

/* The last one that begins there or before. */
static const struct recording_ring_copy *copy_at(
	const struct recording_ring *ring, uint64_t offset)
{
	size_t low = 0;
	size_t high = ring->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ring->copies[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? &ring->copies[low - 1] : NULL;
}

uint32_t recording_ring_slot(const struct recording_ring *ring, uint64_t offset)
{
	const struct recording_ring_copy *copy =
		ring ? copy_at(ring, offset) : NULL;

	return copy && copy->offset == offset ? copy->size : 0;
}

size_t recording_ring_read(const struct recording_ring *ring, uint64_t offset,
	void *buffer, size_t size)
{
	const struct recording_ring_copy *copy =
		ring ? copy_at(ring, offset) : NULL;
	uint64_t in;

	if (!copy || !copy->bytes || offset - copy->offset >= copy->size)
		return 0;
	in = offset - copy->offset;
	if (size > copy->size - in)
		size = copy->size - in;
	memcpy(buffer, copy->bytes + in, size);
	return size;
}

void recording_ring_free(struct recording_ring *ring)
{
	if (!ring)
		return;
	forget_blocks(ring);
	free(ring->copies);
	free(ring->blocks);
	free(ring->windows);
	free(ring);
}

/* Both of one writer. */
static bool follows(const struct recording_block *after,
	const struct recording_block *block)
{
	return ((after->sequence - block->sequence) & ~BINLOG_RING_DATA) == 1;
}

void recording_ring_prune(struct recording *capture)
{
	const struct recording_ring *ring = capture->ring;
	const struct recording_block *after = NULL;
	size_t kept = capture->block_count;
	bool whole = true;
	size_t i;

	for (i = capture->block_count; i > 0; i--) {
		struct recording_block block = capture->blocks[i - 1];
		bool last = !after || after->writer != block.writer;

		if (block.sequence & BINLOG_RING_DATA) {
			whole = last || (whole && follows(after, &block));
			block.windowed = ring->head.waits || !whole;
		} else {
			whole = true;
		}
		capture->blocks[kept - 1] = block;
		after = &capture->blocks[kept - 1];
		kept -= whole || block.kept || ring->window_count > 0;
	}
	capture->block_count -= kept;
	if (capture->block_count > 0)
		memmove(capture->blocks, capture->blocks + kept,
			capture->block_count * sizeof(*capture->blocks));
}

bool recording_ring_shows(const struct recording *capture, uint64_t ticks)
{
	const struct recording_ring *ring = capture->ring;
	size_t i;

	if (ring->all)
		return true;
	for (i = ring->window_count; i > 0; i--)
		if (ticks >= ring->windows[i - 1].from &&
			ticks <= ring->windows[i - 1].until)
			return true;
	return false;
}

bool recording_ring_waits(const struct recording *capture)
{
	const struct recording_ring *ring = capture->ring;

	return ring && ring->head.waits && ring->window_count == 0 &&
	       !ring->all;
}
