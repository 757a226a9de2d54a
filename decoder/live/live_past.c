#include "decoder/live/live_past.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* The one that was asked for last is first: most are asked for repeatedly. */
static struct live_past *bring_forward(struct live_pasts *pasts, uint64_t nonce)
{
	struct live_past **place = &pasts->first;
	struct live_past *past;

	while (*place && (*place)->nonce != nonce)
		place = &(*place)->next;
	past = *place;
	if (past) {
		*place = past->next;
		past->next = pasts->first;
		pasts->first = past;
	}
	return past;
}

static struct live_past *obtain(struct live_pasts *pasts, uint64_t nonce)
{
	struct live_past *past = bring_forward(pasts, nonce);

	if (past)
		return past;
	past = calloc(1, sizeof(*past));
	if (past) {
		past->nonce = nonce;
		past->next = pasts->first;
		pasts->first = past;
	}
	return past;
}

static int compare(const void *left, const void *right)
{
	const struct live_position *a = left;
	const struct live_position *b = right;

	if (a->writer != b->writer)
		return a->writer < b->writer ? -1 : 1;
	if (a->sequence != b->sequence)
		return a->sequence < b->sequence ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* What remains is the latest of each writer. */
static void reduce(struct live_past *past)
{
	size_t kept = 0;
	size_t i;

	if (past->count > 0)
		qsort(past->positions, past->count, sizeof(*past->positions),
			compare);
	for (i = 0; i < past->count; i++) {
		if (kept > 0 && past->positions[kept - 1].writer ==
					past->positions[i].writer)
			kept--;
		past->positions[kept++] = past->positions[i];
	}
	past->count = kept;
}

static bool make_room(struct live_past *past)
{
	if (past->count < past->room)
		return true;
	reduce(past);
	if (past->count < past->room / 2)
		return true;
	return array_reserve(past->positions, past->room, past->room + 1);
}

bool live_past_add_position(struct live_pasts *pasts, uint64_t nonce,
	const struct live_position *position)
{
	struct live_past *past = obtain(pasts, nonce);

	if (!past || !make_room(past))
		return false;
	past->positions[past->count++] = *position;
	return true;
}

bool live_past_add_records(struct live_pasts *pasts, uint64_t nonce,
	const void *bytes, size_t size)
{
	struct live_past *past = obtain(pasts, nonce);
	uint8_t *records;

	if (!past || size == 0)
		return past;
	if (past->bytes_room - past->bytes < size) {
		size_t room = 2 * past->bytes + size;

		records = realloc(past->records, room);
		if (!records)
			return false;
		past->records = records;
		past->bytes_room = room;
	}
	memcpy(past->records + past->bytes, bytes, size);
	past->bytes += size;
	return true;
}

struct live_past *live_past_find(struct live_pasts *pasts, uint64_t nonce)
{
	struct live_past *past = bring_forward(pasts, nonce);

	if (past)
		reduce(past);
	return past;
}

void live_past_free(struct live_pasts *pasts)
{
	while (pasts->first) {
		struct live_past *past = pasts->first;

		pasts->first = past->next;
		free(past->positions);
		free(past->records);
		free(past);
	}
}
