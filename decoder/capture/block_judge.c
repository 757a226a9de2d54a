#include "decoder/capture/block_judge.h"

#include <string.h>

#include "record/ring_table.h"

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

bool block_judge(struct recording *capture, const struct recording_block *block,
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
