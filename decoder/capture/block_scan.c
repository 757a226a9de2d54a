#include "decoder/capture/block_scan.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cursor.h"
#include "decoder/capture/lost_page.h"
#include "decoder/capture/recording_ring.h"
#include "record/ring_table.h"

/*
 * What is a block, and which of its writer's.  Asked by block_scan.c of whole
 * captures, by live_capture.c of those that grow, so that
 * both show the same of one that is damaged, and tell the same of it.
 */

bool block_is(struct block_search *search, const struct binlog_block *head)
{
	if (head->magic != BINLOG_BLOCK_MAGIC ||
		head->size < sizeof(struct binlog_block) ||
		head->size > BINLOG_BLOCK_MAX)
		return false;
	if (head->nonce == search->nonce)
		return true;
	if (!search->seen_other)
		search->other_nonce = head->nonce;
	search->seen_other = true;
	return false;
}

static bool is_power_of_two(uint32_t size)
{
	return (size & (size - 1)) == 0;
}

void block_mend_size(
	struct block_search *search, uint64_t offset, struct binlog_block *head)
{
	struct binlog_block other;
	uint32_t at;

	for (at = BINLOG_PAGE; at < head->size && !is_power_of_two(head->size);
		at += BINLOG_PAGE) {
		if (recording_read(search->capture, offset + at, &other,
			    sizeof(other)) < sizeof(other))
			return;
		if (!block_is(search, &other))
			continue;
		recording_report(search->capture, ERROR_BLOCK_CLASH, offset,
			head->sequence);
		head->size = at;
	}
}

/* Of one byte at least. */
static bool is_zero(const uint8_t *bytes, size_t size)
{
	return bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

bool block_is_none(const uint8_t *page, size_t size)
{
	const size_t head = sizeof(struct binlog_block);

	return is_zero(page, size) ||
	       (size > head && is_zero(page, sizeof(uint32_t)) &&
		       is_zero(page + head, size - head));
}

void block_damage_add(
	struct block_search *search, uint64_t offset, uint64_t size)
{
	if (search->damaged == 0)
		search->damage = offset;
	search->damaged += size;
}

void block_damage_end(struct block_search *search)
{
	if (search->damaged > 0)
		recording_report(search->capture, ERROR_BLOCK, search->damage,
			search->damaged);
	search->damaged = 0;
}

bool block_adopt_nonce(struct block_search *search)
{
	if (!search->seen_other)
		return false;
	recording_report(search->capture, ERROR_NONCE,
		offsetof(struct binlog_header, nonce), 0);
	search->nonce = search->other_nonce;
	return true;
}

/*
 * That the file is shorter than what was claimed is not enough: a program may
 * be growing it, or may have been killed while it did.
 */
void block_check_end(struct recording *capture, uint64_t found)
{
	const struct binlog_header *header = &capture->header;

	if (capture->header_at == 0 && capture->freed.log == 0 &&
		header->next > capture->size && found < header->published)
		recording_report(capture, ERROR_BLOCKS_GONE, capture->size,
			header->published - found);
}

uint64_t block_bytes(
	const struct recording *capture, const struct recording_block *block)
{
	uint64_t left = capture->size - block->offset;

	return block->size < left ? block->size : left;
}

static bool is_of_ring(const struct recording_block *block)
{
	return block->sequence & BINLOG_RING_DATA;
}

/* In a ring sequences start anew; definitions come first. */
static int compare_numbers(
	const struct recording_block *a, const struct recording_block *b)
{
	bool by_time = is_of_ring(a) && is_of_ring(b);

	if (a->writer != b->writer)
		return a->writer < b->writer ? -1 : 1;
	if (a->sequence != b->sequence && !by_time)
		return a->sequence < b->sequence ? -1 : 1;
	if (a->anchor.ticks != b->anchor.ticks)
		return a->anchor.ticks < b->anchor.ticks ? -1 : 1;
	return a->sequence < b->sequence ? -1 : a->sequence > b->sequence;
}

int block_compare(const void *left, const void *right)
{
	const struct recording_block *a = left;
	const struct recording_block *b = right;
	int order = compare_numbers(a, b);

	return order != 0 ? order
			  : (a->offset > b->offset) - (a->offset < b->offset);
}

const struct recording_block *block_before(const struct recording_block *blocks,
	size_t count, const struct recording_block *block)
{
	size_t low = 0;
	size_t high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_numbers(&blocks[middle], block) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? &blocks[low - 1] : NULL;
}

/* Of one writer, by what is different in any two blocks that it made. */
static bool is_copy(
	const struct recording_block *a, const struct recording_block *b)
{
	return a->sequence == b->sequence && a->tid == b->tid &&
	       a->process == b->process &&
	       memcmp(&a->anchor, &b->anchor, sizeof(a->anchor)) == 0;
}

bool block_check(struct recording *capture, const struct recording_block *block,
	const struct recording_block *before, uint32_t expected)
{
	if (before && is_copy(block, before)) {
		if (capture->header_at == 0) /* not only mapped twice */
			recording_report(capture, ERROR_BLOCK_TWICE,
				block->offset, block->sequence);
		return false;
	}
	if ((before && block->sequence == before->sequence) ||
		(block->sequence < expected && !is_of_ring(block)))
		recording_report(capture, ERROR_BLOCK_CLASH, block->offset,
			block->sequence);
	else if (block->sequence != expected && !is_of_ring(block))
		recording_report(capture, ERROR_GAP, block->offset,
			block->sequence - expected);
	return true;
}

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
	if (array_reserve(capture->blocks, capture->block_room,
		    capture->block_count + 1))
		return true;
	recording_report(capture, ERROR_MEMORY, 0, 0);
	return false;
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

/* Pages begin at multiples of their size; in a core file of a debugger all are
 * as far off as that with the header is. */
static uint64_t page_of(const struct recording *capture, uint64_t offset)
{
	uint64_t off = capture->header_at % BINLOG_PAGE;

	return offset - (offset - off) % BINLOG_PAGE;
}

static uint64_t round_up(const struct recording *capture, uint64_t offset)
{
	return page_of(capture, offset + BINLOG_PAGE - 1);
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
	uint32_t block = recording_ring_slot(capture->ring, offset);
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
		return round_up(capture, offset + block);
	}
	if (capture->header_at > 0) { /* a core file has other things */
		offset = recording_skip_hole(capture, offset + BINLOG_PAGE);
		return page_of(capture, offset);
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
	return page_of(capture, offset);
}

static void scan_file(struct scan *scan)
{
	uint64_t offset = scan->search.capture->blocks_at;

	scan->zeros = scan->looked_back = 0;
	while (offset < scan->end && !scan->failed)
		offset = scan_page(scan, offset);
	block_damage_end(&scan->search);
}

/* Blocks were begun, or places for them claimed, since it was opened. */
static bool has_grown(struct recording *capture)
{
	struct binlog_header now;

	return recording_read_page(capture, 0, &now, sizeof(now)) ==
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

		if (block_check(capture, block, last,
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

	if (capture->block_count == 0 && scan->search.seen_other) {
		lost_page_nonce(capture, &scan->search.other_nonce);
		block_adopt_nonce(&scan->search);
	}
	size = capture->unpacked ? -1 : lseek(capture->fd, 0, SEEK_END);
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
