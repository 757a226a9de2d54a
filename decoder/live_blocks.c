#include "decoder/live_blocks.h"

#include <stdlib.h>
#include <string.h>
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
static bool read_block(struct recording *capture, uint64_t offset,
	struct recording_block *block)
{
	struct binlog_block head;

	if (recording_read(capture, offset, &head, sizeof(head)) <
			sizeof(head) ||
		head.magic != BINLOG_BLOCK_MAGIC ||
		head.nonce != capture->header.nonce ||
		head.size < sizeof(head) || head.size > BINLOG_BLOCK_MAX)
		return false;
	*block = recording_block_at(offset, &head);
	return true;
}

static uint64_t round_up(uint64_t size)
{
	return (size + BINLOG_PAGE - 1) & ~(uint64_t)(BINLOG_PAGE - 1);
}

static bool look_at_place(struct live_blocks *blocks, size_t index,
	struct recording *capture, live_blocks_found *found, void *closure)
{
	struct live_gap gap = blocks->gaps[index];
	struct recording_block block;

	if (!read_block(capture, gap.at, &block))
		return false;
	blocks->gaps[index] = blocks->gaps[--blocks->count];
	found(closure, &block, gap.end - gap.at);
	return true;
}

/* What is not a block in it remains, in one piece or several. */
static bool look_into_gap(struct live_blocks *blocks, size_t index,
	struct recording *capture, live_blocks_found *found, void *closure)
{
	struct live_gap gap = blocks->gaps[index];
	uint64_t at = gap.at;
	struct recording_block block;
	bool good = true;

	blocks->gaps[index] = blocks->gaps[--blocks->count];
	while (at < gap.end && good) {
		uint64_t place;

		if (!read_block(capture, at, &block)) {
			at += BINLOG_PAGE;
			if (at % BINLOG_PREPARED_BLOCK == 0)
				at = recording_skip_hole(capture, at) &
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

static bool look_everywhere(struct live_blocks *blocks,
	struct recording *capture, live_blocks_found *found, void *closure)
{
	bool good = true;
	size_t i;

	/* From the last on: what comes in its place was looked at. */
	for (i = blocks->count; i > 0 && good; i--)
		if (blocks->gaps[i - 1].whole)
			look_at_place(blocks, i - 1, capture, found, closure);
		else
			good = look_into_gap(
				blocks, i - 1, capture, found, closure);
	if (blocks->taken_count > 0)
		cut_gaps(blocks);
	return good;
}

/* What is claimed beyond the end of the file is no block yet, or a lie. */
static uint64_t claimed_in_file(
	const struct recording *capture, const struct binlog_header *header)
{
	struct stat st;
	uint64_t end;

	if (fstat(capture->fd, &st) != 0)
		return 0;
	end = (uint64_t)st.st_size & ~(uint64_t)(BINLOG_PAGE - 1);
	return header->next < end ? header->next : end;
}

bool live_blocks_look(struct live_blocks *blocks, struct recording *capture,
	bool all, live_blocks_found *found, void *closure)
{
	struct binlog_header header;
	uint64_t time = now();
	uint64_t claimed;

	if (recording_read(capture, 0, &header, sizeof(header)) <
		sizeof(header))
		return true;
	if (blocks->claimed == 0)
		blocks->claimed = BINLOG_PAGE;
	claimed = claimed_in_file(capture, &header);
	if (claimed > blocks->claimed) {
		if (!add_gap(blocks, blocks->claimed, claimed, false))
			return false;
		blocks->claimed = claimed;
	}
	if (!all && header.published == blocks->published &&
		time - blocks->looked < LOOK_NS)
		return true;
	blocks->published = header.published;
	blocks->looked = time;
	capture->header.next = header.next;
	capture->header.published = header.published;
	capture->header.passed = header.passed;
	capture->header.dropped = header.dropped;
	return look_everywhere(blocks, capture, found, closure);
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
	return size == 0 ||
	       (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

/* Or the header of a block whose writer was killed before its magic. */
static bool is_nothing(const uint8_t *page, size_t size)
{
	const size_t head = sizeof(struct binlog_block);

	return is_zero(page, size) ||
	       (size > head && is_zero(page, sizeof(uint32_t)) &&
		       is_zero(page + head, size - head));
}

static void check_gap(const struct live_gap *gap, struct recording *capture)
{
	uint8_t page[BINLOG_PAGE];
	uint64_t damaged = 0;
	uint64_t first = 0;
	uint64_t at = gap->at;
	size_t size;

	while (at < gap->end &&
		(size = recording_read(capture, at, page, sizeof(page))) > 0) {
		if (!is_nothing(page, size)) {
			first = damaged ? first : at;
			damaged += size;
		}
		at = recording_skip_hole(capture, at + BINLOG_PAGE) &
		     ~(uint64_t)(BINLOG_PAGE - 1);
	}
	if (damaged > 0)
		recording_report(capture, ERROR_BLOCK, first, damaged);
}

void live_blocks_check(
	const struct live_blocks *blocks, struct recording *capture)
{
	size_t i;

	for (i = 0; i < blocks->count; i++)
		check_gap(&blocks->gaps[i], capture);
}

void live_blocks_free(struct live_blocks *blocks)
{
	free(blocks->gaps);
	free(blocks->taken);
	*blocks = (struct live_blocks){0};
}
