/*
 * Finds the blocks of a capture file.  Called by recording_open() once; looks
 * at every page where a block may begin, so damage costs the blocks that it hit
 * and no others.  Reads only headers and what is not a block.
 */
#ifndef DECODER_BLOCK_SCAN_H
#define DECODER_BLOCK_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/capture/recording.h"

struct block_search {
	struct recording *capture;
	uint64_t nonce;	      /* of all its blocks */
	uint64_t other_nonce; /* of the first block with another one */
	bool seen_other;
	uint64_t damage;  /* where a run of damaged pages began */
	uint64_t damaged; /* bytes of it, 0 when there is none */
};

bool block_is(struct block_search *search, const struct binlog_block *head);

/*
 * Of a block: writers make them of powers of two.  One of another size is
 * damaged if others begin in it, and then ends before the first; reports that.
 */
void block_mend_size(struct block_search *search, uint64_t offset,
	struct binlog_block *head);

/* Zeros, or the header of a block whose writer was killed before it had stored
 * the magic, which comes last: there are no records yet. */
bool block_is_none(const uint8_t *page, size_t size);

/* A run of pages that are neither; reports it when it ends. */
void block_damage_add(
	struct block_search *search, uint64_t offset, uint64_t size);
void block_damage_end(struct block_search *search);

/* When no block was found: takes another nonce for that of the capture, and
 * reports it.  False: there is none. */
bool block_adopt_nonce(struct block_search *search);

/*
 * Of a file that was cut: blocks that were published are beyond its end.
 * `found` bytes of them are in it.
 */
void block_check_end(struct recording *capture, uint64_t found);

/* How many of its bytes the file has. */
uint64_t block_bytes(
	const struct recording *capture, const struct recording_block *block);

/* For qsort(): by writer, then by what comes first. */
int block_compare(const void *left, const void *right);

/*
 * The last of these, which are sorted, that does not come after the block,
 * wherever in the file it is; or null.
 */
const struct recording_block *block_before(const struct recording_block *blocks,
	size_t count, const struct recording_block *block);

/*
 * `before` is that one among those of its writer, whose next sequence should be
 * `expected`.  Reports copies, gaps, and two blocks of one number that are no
 * copies: the header of one of them is damaged, and nobody knows of which.
 * False: it is a copy.
 */
bool block_check(struct recording *capture, const struct recording_block *block,
	const struct recording_block *before, uint32_t expected);

/*
 * Fills the capture's index, sorted, each block once; adds what the blocks
 * have passed and dropped.  False: out of memory.
 */
bool block_scan(struct recording *capture);

#endif
