#include "tools/ctl/capture_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "decoder/capture/recording_ring.h"
#include "record/layout.h"
#include "tools/ctl/block_copy.h"

static bool is_of_ring(const struct recording_block *block)
{
	return block->sequence & BINLOG_RING_DATA;
}

/* Its writer may still write to it: no other one of its kind follows. */
static bool is_open(const struct recording *recording, size_t i)
{
	const struct recording_block *block = &recording->blocks[i];

	return i + 1 == recording->block_count ||
	       block[1].writer != block->writer ||
	       is_of_ring(&block[1]) != is_of_ring(block);
}

/* It is not written from its beginning to its end, but all over. */
static bool has_table(
	const struct recording *recording, const struct recording_block *block)
{
	uint64_t table = recording->ring ? recording->ring->head.table : 0;

	return table >= block->offset && table - block->offset < block->size;
}

static enum block_copy copy_block(
	struct recording *recording, struct block_copier *copier, size_t i)
{
	const struct recording_block *block = &recording->blocks[i];

	if (is_of_ring(block))
		return block_copy_ring(copier, recording, block);
	return block_copy(copier, block,
		is_open(recording, i) && !has_table(recording, block));
}

static uint64_t end_of(const struct recording_block *block)
{
	return (block->offset + block->size + BINLOG_PAGE - 1) &
	       ~(uint64_t)(BINLOG_PAGE - 1);
}

static bool copy_blocks(struct recording *recording,
	struct block_copier *copier, struct binlog_header *header)
{
	size_t i;

	header->next = BINLOG_PAGE;
	header->published = 0;
	for (i = 0; i < recording->block_count; i++) {
		const struct recording_block *block = &recording->blocks[i];

		switch (copy_block(recording, copier, i)) {
		case BLOCK_COPY_DONE:
			header->published += block->size;
			break;
		case BLOCK_COPY_GONE:
			continue;
		case BLOCK_COPY_FAILED:
			return false;
		}
		if (end_of(block) > header->next)
			header->next = end_of(block);
	}
	return true;
}

/* Last of all: what was counted is at least what was copied.  How blocks are
 * handed over is no business of a file that does not grow. */
static bool copy_page(int from, int to, const struct binlog_header *header,
	const struct recording *recording)
{
	char page[BINLOG_PAGE];
	struct binlog_header *copy = (void *)page;

	if (pread(from, page, sizeof(page), 0) != (ssize_t)sizeof(page)) {
		errno = ENODATA;
		return false;
	}
	copy->next = header->next;
	copy->published = header->published;
	if (recording->ring)
		*ring_of(copy) = recording->ring->head;
	memset(page + BINLOG_PREPARED_OFFSET, 0,
		BINLOG_PACKED_OFFSET - BINLOG_PREPARED_OFFSET);
	memset(page + BINLOG_POSITIONS_OFFSET, 0,
		sizeof(page) - BINLOG_POSITIONS_OFFSET);
	return ftruncate(to, (off_t)header->next) == 0 &&
	       pwrite(to, page, sizeof(page), 0) == (ssize_t)sizeof(page);
}

bool capture_copy(int from, int to, uint64_t *bytes)
{
	struct binlog_header header = {.next = 0};
	struct error_list errors = {0};
	struct block_copier copier = {.from = from};
	struct recording *recording;
	char path[40];
	bool copied;
	int reason;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", from);
	errno = 0;
	recording = recording_open(path, true, &errors);
	copied = recording && block_copy_begin(&copier, from, to) &&
		 copy_blocks(recording, &copier, &header) &&
		 copy_page(from, to, &header, recording);
	reason = errno != 0 ? errno : EINVAL;
	block_copy_end(&copier);
	recording_close(recording);
	*bytes = header.published;
	errno = reason;
	return copied;
}
