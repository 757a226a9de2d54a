#include "decoder/capture/block_scan.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/cursor.h"
#include "decoder/capture/block_judge.h"
#include "decoder/capture/recording_ring.h"

struct scan {
	struct block_search search;
	uint64_t end;	/* blocks from here on belong to the future */
	uint64_t zeros; /* where the pages of zeros before this one */
	/* begin, or 0 */
	uint64_t looked_back; /* up to here they were looked at twice */
	bool failed;
};

static bool make_room(struct recording *capture)
{
	size_t room = capture->block_room ? capture->block_room * 2 : 64;
	struct recording_block *blocks;

	if (capture->block_count < capture->block_room)
		return true;
	blocks = realloc(capture->blocks, room * sizeof(*blocks));
	if (!blocks) {
		recording_report(capture, ERROR_MEMORY, 0, 0);
		return false;
	}
	capture->blocks = blocks;
	capture->block_room = room;
	return true;
}

/* Of a ring: those that were there are known already. */
static bool is_known(
	const struct recording *capture, const struct binlog_block *head)
{
	return (head->sequence & BINLOG_RING_DATA) != 0 && capture->ring &&
	       capture->ring->count > 0;
}

/* The size of the block that begins here, now entered.  0: none does. */
static uint32_t take_block(
	struct scan *scan, uint64_t offset, struct cursor page)
{
	struct recording *capture = scan->search.capture;
	struct binlog_block head;

	cursor_struct(&page, &head, sizeof(head));
	if (!block_is(&scan->search, &head))
		return 0;
	if (is_known(capture, &head))
		return head.size;
	block_mend_size(&scan->search, offset, &head);
	if (!make_room(capture)) {
		scan->failed = true;
		return 0;
	}
	capture->blocks[capture->block_count++] =
		recording_block_at(offset, &head);
	capture->passed += head.passed;
	capture->dropped += head.dropped;
	return head.size;
}

static uint64_t round_up(uint64_t offset)
{
	return (offset + BINLOG_PAGE - 1) & ~(uint64_t)(BINLOG_PAGE - 1);
}

/*
 * A program that runs may have begun a block where there were zeros when we
 * passed, and filled it up to here meanwhile: then look there once more.
 */
static bool looks_back(struct scan *scan, uint64_t offset)
{
	bool again = scan->zeros > 0 && scan->looked_back < offset;

	if (again)
		scan->looked_back = offset;
	return again;
}

/* Looks at one page; returns where to look next. */
static uint64_t scan_page(struct scan *scan, uint64_t offset)
{
	struct recording *capture = scan->search.capture;
	uint32_t block = recording_ring_place(capture->ring, offset);
	uint8_t page[BINLOG_PAGE];
	size_t size;

	if (block > 0) {
		block_damage_end(&scan->search);
		scan->zeros = 0;
		return offset + block;
	}
	size = recording_read(capture, offset, page, sizeof(page));
	if (size == 0)
		return scan->end;
	block = take_block(scan, offset, cursor_over(page, size));
	if (block > 0) {
		block_damage_end(&scan->search);
		scan->zeros = 0;
		return round_up(offset + block);
	}
	if (capture->header_at > 0) { /* a core file has other things */
		offset = recording_skip_hole(capture, offset + BINLOG_PAGE);
		return offset & ~(uint64_t)(BINLOG_PAGE - 1);
	}
	if (!block_is_none(page, size)) {
		if (looks_back(scan, offset))
			return scan->zeros;
		scan->zeros = 0;
		block_damage_add(&scan->search, offset, size);
		return offset + BINLOG_PAGE;
	}
	block_damage_end(&scan->search);
	if (scan->zeros == 0)
		scan->zeros = offset;
	offset = recording_skip_hole(capture, offset + BINLOG_PAGE);
	return offset & ~(uint64_t)(BINLOG_PAGE - 1);
}

static void scan_file(struct scan *scan)
{
	uint64_t offset = BINLOG_PAGE;

	scan->zeros = scan->looked_back = 0;
	while (offset < scan->end && !scan->failed)
		offset = scan_page(scan, offset);
	block_damage_end(&scan->search);
}

/* Blocks were begun, or places for them claimed, since it was opened. */
static bool has_grown(struct recording *capture)
{
	struct binlog_header now;

	return recording_read(capture, capture->header_at, &now, sizeof(now)) ==
		       sizeof(now) &&
	       (now.next != capture->header.next ||
		       now.published != capture->header.published);
}

static uint64_t newest_of(const struct recording *capture)
{
	uint64_t newest = 0;
	size_t i;

	for (i = 0; i < capture->block_count; i++)
		if (capture->blocks[i].anchor.ticks > newest)
			newest = capture->blocks[i].anchor.ticks;
	return newest;
}

/* Copies, too. */
static uint64_t count_found(const struct recording *capture)
{
	uint64_t found = 0;
	size_t i;

	for (i = 0; i < capture->block_count; i++)
		found += block_bytes(capture, &capture->blocks[i]);
	return found;
}

/*
 * A running program begins blocks while we look, anywhere in the file.  To see
 * one moment of all writers, we look twice, and what is newer than all that was
 * there at first is left out: otherwise a block could appear whose predecessor
 * was passed by too early.
 */
static void forget_newer(struct recording *capture, uint64_t newest)
{
	size_t kept = 0;
	size_t i;

	for (i = 0; i < capture->block_count; i++)
		if (capture->blocks[i].anchor.ticks <= newest)
			capture->blocks[kept++] = capture->blocks[i];
	capture->block_count = kept;
}

/* What remains is each block once. */
static void check_sequences(struct recording *capture)
{
	size_t kept = 0;
	size_t i;

	for (i = 0; i < capture->block_count; i++) {
		const struct recording_block *block = &capture->blocks[i];
		const struct recording_block *last =
			kept > 0 && block[0].writer ==
						capture->blocks[kept - 1].writer
				? &capture->blocks[kept - 1]
				: NULL;

		if (block_judge(capture, block, last,
			    last ? last->sequence + 1 : 0))
			capture->blocks[kept++] = *block;
	}
	capture->block_count = kept;
}

/* Scans without a word, to learn whether the header's nonce is the right one.
 * False: there was something to complain about. */
static bool scan_silently(struct scan *scan)
{
	struct recording *capture = scan->search.capture;
	struct error_list *errors = capture->errors;
	struct error_list silent = {0};

	capture->errors = &silent;
	scan_file(scan);
	capture->errors = errors;
	return silent.count == 0;
}

static void scan_again(struct scan *scan)
{
	struct recording *capture = scan->search.capture;
	off_t size;

	if (capture->block_count == 0)
		block_adopt_nonce(&scan->search);
	size = lseek(capture->fd, 0, SEEK_END);
	if (size > 0)
		scan->end = capture->size = (uint64_t)size;
	capture->block_count = 0;
	capture->passed = capture->header.passed;
	capture->dropped = capture->header.dropped;
	scan->failed = false;
	scan_file(scan);
}

/* Those of the ring to those that were found.  False: out of memory. */
static bool add_ring(struct recording *capture)
{
	const struct recording_ring *ring = capture->ring;
	size_t i;

	if (!ring)
		return true;
	for (i = 0; i < ring->block_count; i++) {
		if (!make_room(capture))
			return false;
		capture->blocks[capture->block_count++] = ring->blocks[i];
	}
	capture->passed += ring->passed;
	capture->dropped += ring->dropped;
	return true;
}

bool block_scan(struct recording *capture)
{
	struct scan scan = {
		.search = {.capture = capture, .nonce = capture->header.nonce},
		.end = capture->size,
	};
	uint64_t newest;
	bool sound, grown;

	sound = scan_silently(&scan);
	grown = has_grown(capture);
	newest = newest_of(capture);
	if (!sound || grown)
		scan_again(&scan);
	if (scan.failed)
		return false;
	block_check_end(capture, count_found(capture));
	/* The definitions of all that is in a ring are there by now. */
	if (grown && !capture->ring)
		forget_newer(capture, newest);
	if (!add_ring(capture))
		return false;
	if (capture->block_count > 0)
		qsort(capture->blocks, capture->block_count,
			sizeof(*capture->blocks), block_compare);
	check_sequences(capture);
	if (capture->ring)
		recording_ring_prune(capture);
	return true;
}
