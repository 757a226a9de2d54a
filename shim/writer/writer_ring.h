/*
 * What a writer does otherwise where there is a ring: its block is a place of
 * the ring, and definitions go to blocks of their own.  Called by writer.c
 * alone; promises that a block which has become full costs no system call once
 * the ring is there, and that a handler may jump out anywhere.
 */
#ifndef SHIM_WRITER_RING_H
#define SHIM_WRITER_RING_H

#include "shim/writer/writer.h"

/* ---- of writer.c, for this file ---- */

/* Fills in the header, but for its anchor, and its magic last. */
void writer_publish_block(struct writer *w, struct binlog_block *block,
	uint32_t size, uint32_t sequence);

/* What the writer says from here on goes there. */
void writer_use_block(
	struct writer *w, struct binlog_block *block, char *start);

/* A fresh block that stays, with room for a record of `bytes`, and as large as
 * is usual by now; null: there is none.  With signals blocked. */
struct binlog_block *writer_claim_block(struct writer *w, uint32_t bytes);

/* ---- for writer.c ---- */

/* writer_refill(). */
bool writer_ring_refill(struct writer *w, uint32_t bytes);

/* Room for definitions; true without a ring. */
bool writer_ring_reserve(struct writer *w, uint32_t bytes);

/* writer_control() and writer_commit_control(). */
void *writer_ring_control(struct writer *w, uint32_t bytes);
void writer_ring_commit(struct writer *w, uint32_t kind);

/* The next definitions go to this block, which is fresh. */
void writer_ring_define_in(struct writer *w, struct binlog_block *block);

/* writer_mend(); false: the writer has no block any more. */
bool writer_ring_mend(struct writer *w);

#endif
