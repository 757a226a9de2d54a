#include "decoder/live/live_blocks.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

/* A writer that was killed has begun a block without saying so. */
#define LOOK_NS 1000000000u

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static bool add_gap(
	struct live_blocks *blocks, uint64_t at, uint64_t end, bool whole)
{
	size_t room = blocks->room ? blocks->room * 2 : 16;
	struct live_gap *gaps;

	if (at >= end)
		return true;
	if (blocks->count == blocks->room) {
		gaps = realloc(blocks->gaps, room * sizeof(*gaps));
		if (!gaps)
			return false;
		blocks->gaps = gaps;
		blocks->room = room;
	}
	blocks->gaps[blocks->count++] = (struct live_gap){at, end, whole};
	return true;
}

bool live_blocks_expect(
	struct live_blocks *blocks, uint64_t offset, uint64_t size)
{
	return add_gap(blocks, offset, offset + size, true);
}

bool live_blocks_expect_anywhere(
	struct live_blocks *blocks, uint64_t offset, uint64_t size)
{
	blocks->anywhere = true;
	return add_gap(blocks, offset, offset + size, false);
}

static bool take(struct live_blocks *blocks, uint64_t at, uint64_t end)
{
	size_t room = blocks->taken_room ? blocks->taken_room * 2 : 16;
	struct live_gap *taken;

	if (!blocks->anywhere)
		return true;
	if (blocks->taken_count == blocks->taken_room) {
		taken = realloc(blocks->taken, room * sizeof(*taken));
		if (!taken)
			return false;
		blocks->taken = taken;
		blocks->taken_room = room;
	}
	blocks->taken[blocks->taken_count++] =
		(struct live_gap){.at = at, .end = end};
	return true;
}

/* What a block reaches into is no gap any more. */
static void cut_gaps(struct live_blocks *blocks)
{
	size_t kept = 0;
	size_t i, j;

	for (i = 0; i < blocks->count; i++) {
		struct live_gap gap = blocks->gaps[i];

		for (j = 0; j < blocks->taken_count; j++)
			if (blocks->taken[j].at <= gap.at &&
				blocks->taken[j].end > gap.at)
				gap.at = blocks->taken[j].end;
		if (gap.at < gap.end)
			blocks->gaps[kept++] = gap;
	}
	blocks->count = kept;
	blocks->taken_count = 0;
}

/* The block that begins here, if one does. */
static bool read_block(struct live_blocks *blocks, uint64_t offset,
	struct recording_block *block)
{
	struct recording *capture = blocks->search.capture;
	struct binlog_block head;

	if (recording_read(capture, offset, &head, sizeof(head)) <
			sizeof(head) ||
		!block_is(&blocks->search, &head))
		return false;
	block_mend_size(&blocks->search, offset, &head);
	*block = recording_block_at(offset, &head);
	blocks->found += block_bytes(capture, block);
	return true;
}

static uint64_t round_up(uint64_t size)
{
	return (size + BINLOG_PAGE - 1) & ~(uint64_t)(BINLOG_PAGE - 1);
}

static bool look_at_place(struct live_blocks *blocks, size_t index,
	live_blocks_found *found, void *closure)
{
	struct live_gap gap = blocks->gaps[index];
	struct recording_block block;

	if (!read_block(blocks, gap.at, &block))
		return false;
	blocks->gaps[index] = blocks->gaps[--blocks->count];
	found(closure, &block, gap.end - gap.at);
	return true;
}

/* What is not a block in it remains, in one piece or several. */
static bool look_into_gap(struct live_blocks *blocks, size_t index,
	live_blocks_found *found, void *closure)
{
	struct live_gap gap = blocks->gaps[index];
	uint64_t at = gap.at;
	struct recording_block block;
	bool good = true;

	blocks->gaps[index] = blocks->gaps[--blocks->count];
	while (at < gap.end && good) {
		uint64_t place;

		if (!read_block(blocks, at, &block)) {
			at += BINLOG_PAGE;
			if (at % BINLOG_PREPARED_BLOCK == 0)
				at = recording_skip_hole(
					     blocks->search.capture, at) &
				     ~(uint64_t)(BINLOG_PAGE - 1);
			continue;
		}
		place = round_up(block.size);
		good = add_gap(blocks, gap.at, at, false) &&
		       take(blocks, at, at + place);
		found(closure, &block, place);
		gap.at = at = at + place;
	}
	return add_gap(blocks, gap.at, gap.end, false) && good;
}

static bool look_everywhere(
	struct live_blocks *blocks, live_blocks_found *found, void *closure)
{
	bool good = true;
	size_t i;

	/* From the last on: what comes in its place was looked at. */
	for (i = blocks->count; i > 0 && good; i--)
		if (blocks->gaps[i - 1].whole)
			look_at_place(blocks, i - 1, found, closure);
		else
			good = look_into_gap(blocks, i - 1, found, closure);
	if (blocks->taken_count > 0)
		cut_gaps(blocks);
	return good;
}

/* Whether its size is known. */
static bool measure(struct recording *capture)
{
	struct stat st;

	if (fstat(capture->fd, &st) != 0)
		return false;
	capture->size = (uint64_t)st.st_size;
	return true;
}

static bool claim(
	struct live_blocks *blocks, struct recording *capture, uint64_t claimed)
{
	if (blocks->claimed == 0) {
		blocks->claimed = BINLOG_PAGE;
		blocks->search = (struct block_search){
			.capture = capture, .nonce = capture->header.nonce};
	}
	if (claimed <= blocks->claimed)
		return true;
	if (!add_gap(blocks, blocks->claimed, claimed, false))
		return false;
	blocks->claimed = claimed;
	return true;
}

/* What is claimed beyond the end of the file is no block yet, or a lie. */
static uint64_t claimed_in_file(
	struct recording *capture, const struct binlog_header *header)
{
	uint64_t end;

	if (!measure(capture))
		return 0;
	end = capture->size & ~(uint64_t)(BINLOG_PAGE - 1);
	return header->next < end ? header->next : end;
}

bool live_blocks_look(struct live_blocks *blocks, struct recording *capture,
	bool all, live_blocks_found *found, void *closure)
{
	struct binlog_header header;
	uint64_t time = now();

	if (recording_read(capture, 0, &header, sizeof(header)) <
		sizeof(header))
		return true;
	if (!claim(blocks, capture, claimed_in_file(capture, &header)))
		return false;
	if (!all && header.published == blocks->published &&
		time - blocks->looked < LOOK_NS)
		return true;
	blocks->published = header.published;
	blocks->looked = time;
	capture->header.next = header.next;
	capture->header.published = header.published;
	capture->header.passed = header.passed;
	capture->header.dropped = header.dropped;
	return look_everywhere(blocks, found, closure);
}

static int compare_gaps(const void *left, const void *right)
{
	const struct live_gap *a = left;
	const struct live_gap *b = right;

	return (a->at > b->at) - (a->at < b->at);
}

static void check_gap(struct block_search *search, const struct live_gap *gap)
{
	struct recording *capture = search->capture;
	uint8_t page[BINLOG_PAGE];
	uint64_t at = gap->at;
	size_t size;

	while (at < gap->end &&
		(size = recording_read(capture, at, page, sizeof(page))) > 0) {
		if (!block_is_none(page, size)) {
			block_damage_add(search, at, size);
			at += BINLOG_PAGE;
			continue;
		}
		block_damage_end(search);
		at = recording_skip_hole(capture, at + BINLOG_PAGE) &
		     ~(uint64_t)(BINLOG_PAGE - 1);
	}
}

/* In the gaps there should be zeros. */
static void check_gaps(struct live_blocks *blocks)
{
	size_t i;

	if (blocks->count > 0)
		qsort(blocks->gaps, blocks->count, sizeof(*blocks->gaps),
			compare_gaps);
	for (i = 0; i < blocks->count; i++) {
		if (i > 0 && blocks->gaps[i - 1].end != blocks->gaps[i].at)
			block_damage_end(&blocks->search);
		check_gap(&blocks->search, &blocks->gaps[i]);
	}
	block_damage_end(&blocks->search);
}

bool live_blocks_finish(struct live_blocks *blocks, struct recording *capture,
	live_blocks_found *found, void *closure)
{
	if (measure(capture) &&
		!claim(blocks, capture, round_up(capture->size)))
		return false;
	if (!live_blocks_look(blocks, capture, true, found, closure))
		return false;
	if (blocks->found == 0 && block_adopt_nonce(&blocks->search) &&
		!look_everywhere(blocks, found, closure))
		return false;
	check_gaps(blocks);
	block_check_end(capture, blocks->found);
	return true;
}

void live_blocks_free(struct live_blocks *blocks)
{
	free(blocks->gaps);
	free(blocks->taken);
	*blocks = (struct live_blocks){0};
}
