#include "decoder/block_scan.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decoder/cursor.h"
#include "decoder/recording_ring.h"

struct scan {
	struct recording *capture;
	uint64_t nonce;
	uint64_t end;	  /* blocks from here on belong to the future */
	uint64_t damage;  /* where a run of damaged pages began */
	uint64_t damaged; /* bytes of it, 0 when there is none */
	uint64_t zeros;	  /* where the pages of zeros before this one */
	/* begin, or 0 */
	uint64_t looked_back; /* up to here they were looked at twice */
	uint64_t other_nonce; /* of the first block with another one */
	bool seen_other;
	bool failed;
};

static void end_damage(struct scan *scan)
{
	if (scan->damaged > 0)
		recording_report(scan->capture, ERROR_BLOCK, scan->damage,
			scan->damaged);
	scan->damaged = 0;
}

static void add_damage(struct scan *scan, uint64_t offset, uint64_t size)
{
	if (scan->damaged == 0)
		scan->damage = offset;
	scan->damaged += size;
}

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

static bool is_block(struct scan *scan, const struct binlog_block *head)
{
	if (head->magic != BINLOG_BLOCK_MAGIC ||
		head->size < sizeof(struct binlog_block) ||
		head->size > BINLOG_BLOCK_MAX)
		return false;
	if (head->nonce == scan->nonce)
		return true;
	if (!scan->seen_other)
		scan->other_nonce = head->nonce;
	scan->seen_other = true;
	return false;
}

static bool is_power_of_two(uint32_t size)
{
	return (size & (size - 1)) == 0;
}

/* Of a ring: those that were there are known already. */
static bool is_known(
	const struct recording *capture, const struct binlog_block *head)
{
	return (head->sequence & BINLOG_RING_DATA) != 0 && capture->ring &&
	       capture->ring->count > 0;
}

/*
 * Writers make blocks of powers of two.  One of another size is damaged if
 * others begin in it: it ends before the first.
 */
static uint32_t sound_size(
	struct scan *scan, uint64_t offset, const struct binlog_block *head)
{
	struct binlog_block other;
	uint32_t at;

	for (at = BINLOG_PAGE; at < head->size && !is_power_of_two(head->size);
		at += BINLOG_PAGE) {
		if (recording_read(scan->capture, offset + at, &other,
			    sizeof(other)) < sizeof(other))
			break;
		if (!is_block(scan, &other))
			continue;
		recording_report(scan->capture, ERROR_BLOCK_CLASH, offset,
			head->sequence);
		return at;
	}
	return head->size;
}

/* The size of the block that begins here, now entered.  0: none does. */
static uint32_t take_block(
	struct scan *scan, uint64_t offset, struct cursor page)
{
	struct recording *capture = scan->capture;
	struct binlog_block head;

	cursor_struct(&page, &head, sizeof(head));
	if (!is_block(scan, &head))
		return 0;
	if (is_known(capture, &head))
		return head.size;
	head.size = sound_size(scan, offset, &head);
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

static bool is_zero(const uint8_t *bytes, size_t size)
{
	return size == 0 ||
	       (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

/*
 * The writer was killed while it filled in the header of a new block: its
 * magic is stored last, and there are no records yet.
 */
static bool is_unfinished(const uint8_t *page, size_t size)
{
	const size_t head = sizeof(struct binlog_block);

	return size > head && is_zero(page, sizeof(uint32_t)) &&
	       is_zero(page + head, size - head);
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
	uint32_t block = recording_ring_place(scan->capture->ring, offset);
	uint8_t page[BINLOG_PAGE];
	size_t size;

	if (block > 0) {
		end_damage(scan);
		scan->zeros = 0;
		return offset + block;
	}
	size = recording_read(scan->capture, offset, page, sizeof(page));
	if (size == 0)
		return scan->end;
	block = take_block(scan, offset, cursor_over(page, size));
	if (block > 0) {
		end_damage(scan);
		scan->zeros = 0;
		return round_up(offset + block);
	}
	if (scan->capture->header_at > 0) { /* a core file has other things */
		offset = recording_skip_hole(
			scan->capture, offset + BINLOG_PAGE);
		return offset & ~(uint64_t)(BINLOG_PAGE - 1);
	}
	if (!is_zero(page, size) && !is_unfinished(page, size)) {
		if (looks_back(scan, offset))
			return scan->zeros;
		scan->zeros = 0;
		add_damage(scan, offset, size);
		return offset + BINLOG_PAGE;
	}
	end_damage(scan);
	if (scan->zeros == 0)
		scan->zeros = offset;
	offset = recording_skip_hole(scan->capture, offset + BINLOG_PAGE);
	return offset & ~(uint64_t)(BINLOG_PAGE - 1);
}

static void scan_file(struct scan *scan)
{
	uint64_t offset = BINLOG_PAGE;

	scan->zeros = scan->looked_back = 0;
	while (offset < scan->end && !scan->failed)
		offset = scan_page(scan, offset);
	end_damage(scan);
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

/*
 * A file that has been cut has fewer bytes of blocks than were published when
 * we began.  That it is shorter than what was claimed is not enough: a program
 * may be growing it, or may have been killed while it did.
 */
static void check_end(struct recording *recording)
{
	uint64_t size = recording->size;
	uint64_t found = 0;
	size_t i;

	if (recording->header_at > 0 || recording->header.next <= size)
		return;
	for (i = 0; i < recording->block_count; i++) {
		const struct recording_block *block = &recording->blocks[i];
		uint64_t left = size - block->offset;

		found += block->size < left ? block->size : left;
	}
	if (found < recording->header.published)
		recording_report(recording, ERROR_BLOCKS_GONE, size,
			recording->header.published - found);
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

static bool is_of_ring(const struct recording_block *block)
{
	return block->sequence & BINLOG_RING_DATA;
}

/* In a ring sequences start anew; definitions come first. */
static int compare_blocks(const void *left, const void *right)
{
	const struct recording_block *a = left;
	const struct recording_block *b = right;

	if (a->writer != b->writer)
		return a->writer < b->writer ? -1 : 1;
	if (is_of_ring(a) && is_of_ring(b) &&
		a->anchor.ticks != b->anchor.ticks)
		return a->anchor.ticks < b->anchor.ticks ? -1 : 1;
	if (a->sequence != b->sequence)
		return a->sequence < b->sequence ? -1 : 1;
	return a->offset < b->offset ? -1 : 1;
}

/* By what is different in any two blocks that were made. */
static bool is_copy(
	const struct recording_block *a, const struct recording_block *b)
{
	return a->writer == b->writer && a->sequence == b->sequence &&
	       a->tid == b->tid && a->process == b->process &&
	       memcmp(&a->anchor, &b->anchor, sizeof(a->anchor)) == 0;
}

/*
 * Reports copies and gaps; what remains is each block once.  Two of one number
 * that are no copies: the header of one of them is damaged, and nobody knows
 * of which.
 */
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
		uint32_t expected = last ? last->sequence + 1 : 0;

		if (last && is_copy(block, last)) {
			if (capture->header_at > 0) /* mapped twice */
				continue;
			recording_report(capture, ERROR_BLOCK_TWICE,
				block->offset, block->sequence);
			continue;
		}
		if (last && block->sequence == last->sequence)
			recording_report(capture, ERROR_BLOCK_CLASH,
				block->offset, block->sequence);
		else if (block->sequence != expected && !is_of_ring(block))
			recording_report(capture, ERROR_GAP, block->offset,
				block->sequence - expected);
		capture->blocks[kept++] = *block;
	}
	capture->block_count = kept;
}

/* Scans without a word, to learn whether the header's nonce is the right one.
 * False: there was something to complain about. */
static bool scan_silently(struct scan *scan)
{
	struct recording *capture = scan->capture;
	struct error_list *errors = capture->errors;
	struct error_list silent = {0};

	capture->errors = &silent;
	scan_file(scan);
	capture->errors = errors;
	return silent.count == 0;
}

static void scan_again(struct scan *scan)
{
	struct recording *capture = scan->capture;
	off_t size;

	if (capture->block_count == 0 && scan->seen_other) {
		recording_report(capture, ERROR_NONCE,
			offsetof(struct binlog_header, nonce), 0);
		scan->nonce = scan->other_nonce;
	}
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
		.capture = capture,
		.nonce = capture->header.nonce,
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
	check_end(capture);
	/* The definitions of all that is in a ring are there by now. */
	if (grown && !capture->ring)
		forget_newer(capture, newest);
	if (!add_ring(capture))
		return false;
	if (capture->block_count > 0)
		qsort(capture->blocks, capture->block_count,
			sizeof(*capture->blocks), compare_blocks);
	check_sequences(capture);
	if (capture->ring)
		recording_ring_prune(capture);
	return true;
}
