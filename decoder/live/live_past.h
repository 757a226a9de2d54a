/*
 * What a follower before us has left in its log about captures: how far their
 * writers were read, and the control records that were.  Filled while the log
 * is read back, asked when a capture of the same number is opened.
 */
#ifndef DECODER_LIVE_PAST_H
#define DECODER_LIVE_PAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How far a writer was read. */
struct live_position {
	uint32_t writer;
	uint32_t sequence; /* of the block that goes on, or comes next */
	uint32_t offset;   /* in it, of what comes next */
	uint64_t wall;	   /* of the message before: none is earlier */
};

/* Before each control record that is kept: whose it is. */
struct live_record {
	uint32_t writer;
	uint32_t pid;
	uint32_t process;
};

/* Of one capture. */
struct live_past {
	uint64_t nonce;
	struct live_position *positions; /* sorted by writer once asked for */
	size_t count;
	size_t room;
	uint8_t *records;
	size_t bytes;
	size_t bytes_room;
	bool taken; /* its capture was found */
	struct live_past *next;
};

/* All zeros is empty. */
struct live_pasts {
	struct live_past *first;
};

/* Later ones replace earlier ones.  False: out of memory. */
bool live_past_add_position(struct live_pasts *pasts, uint64_t nonce,
	const struct live_position *position);
bool live_past_add_records(struct live_pasts *pasts, uint64_t nonce,
	const void *bytes, size_t size);

/* Of this capture, each writer once; null: it was not read before. */
struct live_past *live_past_find(struct live_pasts *pasts, uint64_t nonce);

void live_past_free(struct live_pasts *pasts);

#endif
