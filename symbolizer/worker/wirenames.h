/*
 * Names on the wire: each is said once, and from then on by its number.  Called
 * by workerloop, which says the names of a file's answers, and by
 * workerquestion, which puts them into the store of that file.  Promises that
 * both ends mean the same name, also after a packet was given up or the store
 * was emptied, and that numbers which were never given are refused.
 *
 * A name is a u32: 0 is null, one more than there are is a new one, that
 * follows, and any other one a name that was said before.
 */
#ifndef SYMBOLIZER_WIRENAMES_H
#define SYMBOLIZER_WIRENAMES_H

#include "symbolizer/answers/answerstore.h"
#include "symbolizer/worker/wire.h"

/* What a worker has said.  All zeros is nothing. */
struct wirenames_said {
	const char **names; /* by number, from 1 */
	size_t name_room;
	uint32_t count;
	uint32_t *slots;  /* from the hash of a place in memory to a number */
	size_t slot_room; /* a power of two */
	size_t slots_taken;
};

/*
 * `name` has to stay where it is, unchanged, as long as the worker.  False when
 * out of memory.
 */
bool wirenames_put(struct wirenames_said *said, struct wire_writer *packet,
	const char *name);

/* Only the first `count` have been heard; false when there are not so many. */
bool wirenames_take_back(struct wirenames_said *said, uint32_t count);

/* What has been heard, as offsets in a store.  All zeros is nothing. */
struct wirenames_heard {
	uint32_t *offsets; /* by number, from 1 */
	size_t room;
	uint32_t count;
	bool lost; /* memory was out: answers are not to be trusted */
};

/* The offset in `store` of the name that comes next in the packet. */
uint32_t wirenames_take(struct wirenames_heard *heard,
	struct wire_reader *packet, struct answerstore *store);

/* The worker will have to say all again. */
void wirenames_forget(struct wirenames_heard *heard);

#endif
