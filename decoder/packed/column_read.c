#include "decoder/packed/column_read.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/power_of_ten.h"
#include "record/packed.h"

/*
 * Memory for the columns of one batch, which is used again for the next.
 * Taken by column_read.c; promises a bound, whatever a batch says.
 */

/* Small ones as long as little is taken, since many logs may be open at once.
 */
#define CHUNK_LEAST ((size_t)2 << 10)
#define CHUNK_MOST ((size_t)64 << 10)

struct column_chunk {
	struct column_chunk *next;
	size_t size; /* of data */
	uint64_t data[];
};

/* One that is large enough, out of those of the batch before. */
static struct column_chunk *take_spare(struct column_store *store, size_t size)
{
	struct column_chunk **place = &store->spare;
	struct column_chunk *chunk;

	while (*place && (*place)->size < size)
		place = &(*place)->next;
	chunk = *place;
	if (chunk)
		*place = chunk->next;
	return chunk;
}

static void free_chunks(struct column_chunk *chunk)
{
	while (chunk) {
		struct column_chunk *next = chunk->next;

		free(chunk);
		chunk = next;
	}
}

/* Spare ones that are all too small are not bits for ever. */
static struct column_chunk *make_chunk(struct column_store *store, size_t size)
{
	struct column_chunk *chunk;

	if (store->held > COLUMN_STORE_MAX) {
		for (chunk = store->spare; chunk; chunk = chunk->next)
			store->held -= chunk->size;
		free_chunks(store->spare);
		store->spare = NULL;
	}
	chunk = malloc(sizeof(*chunk) + size);
	if (!chunk)
		return NULL;
	chunk->size = size;
	store->held += size;
	return chunk;
}

static bool add_chunk(struct column_store *store, size_t size)
{
	size_t wish = store->total / 8;
	struct column_chunk *chunk = take_spare(store, size);

	if (wish < CHUNK_LEAST)
		wish = CHUNK_LEAST;
	if (wish > CHUNK_MOST)
		wish = CHUNK_MOST;
	if (size > wish / 2)
		wish = size;
	if (!chunk)
		chunk = make_chunk(store, wish);
	if (!chunk)
		return false;
	chunk->next = store->chunks;
	store->chunks = chunk;
	store->used = 0;
	return true;
}

void *column_store_take(struct column_store *store, size_t size)
{
	void *taken;

	if (size > COLUMN_STORE_MAX)
		return NULL;
	size = (size + 7) & ~(size_t)7;
	if (COLUMN_STORE_MAX - store->total < size)
		return NULL;
	if ((!store->chunks || store->chunks->size - store->used < size) &&
		!add_chunk(store, size))
		return NULL;
	taken = (char *)store->chunks->data + store->used;
	store->used += size;
	store->total += size;
	return taken;
}

struct column_store_mark column_store_mark(const struct column_store *store)
{
	return (struct column_store_mark){
		store->chunks, store->used, store->total};
}

void column_store_return(
	struct column_store *store, struct column_store_mark mark)
{
	while (store->chunks != mark.chunk) {
		struct column_chunk *chunk = store->chunks;

		store->chunks = chunk->next;
		chunk->next = store->spare;
		store->spare = chunk;
	}
	store->used = mark.used;
	store->total = mark.total;
}

void column_store_reset(struct column_store *store)
{
	column_store_return(store, (struct column_store_mark){0});
}

void column_store_free(struct column_store *store)
{
	free_chunks(store->chunks);
	free_chunks(store->spare);
	*store = (struct column_store){0};
}

/* What a column is read from, and how deep it is. */
struct reading {
	struct cursor *bytes;
	struct column_store *store;
	const struct column_groups *groups; /* null: it has none */
	bool split;			    /* what is within SPLIT */
};

static uint64_t number_slowly(struct cursor *bytes)
{
	uint64_t value = 0;
	unsigned shift;

	for (shift = 0;; shift += 7) {
		const uint8_t *at = cursor_bytes(bytes, 1);

		if (!at || (shift == 63 && *at > 1))
			break;
		value |= (uint64_t)(*at & 0x7f) << shift;
		if (*at < 0x80)
			return value;
	}
	bytes->failed = true;
	bytes->at = bytes->end;
	return 0;
}

static inline uint64_t number(struct cursor *bytes)
{
	if (bytes->at < bytes->end && *bytes->at < 0x80)
		return *bytes->at++;
	return number_slowly(bytes);
}

uint64_t column_read_number(struct cursor *bytes)
{
	return number(bytes);
}

static inline uint64_t signed_number(struct cursor *bytes)
{
	uint64_t value = number(bytes);

	return value >> 1 ^ -(value & 1);
}

static unsigned kind_of(struct cursor *bytes)
{
	const uint8_t *kind = cursor_bytes(bytes, 1);

	return kind ? *kind : UINT8_MAX;
}

/* Planes of `count` values, of which there are PACKED_MESSAGES_MAX at most: how
 * wide they are, and what they begin with.  Null: impossible. */
static const uint8_t *take_planes(
	struct cursor *bytes, size_t count, size_t *width, uint64_t *base)
{
	uint64_t told = number(bytes);

	*base = signed_number(bytes);
	if (told == 0 || told > 8)
		return NULL;
	*width = (size_t)told;
	return cursor_bytes(bytes, *width * count);
}

static uint64_t *take_numbers(struct column_store *store, size_t count)
{
	return column_store_take(store, count * sizeof(uint64_t));
}

static bool fill_planes(struct cursor *bytes, size_t count, uint64_t *values)
{
	size_t width, w, i;
	uint64_t base;
	const uint8_t *plane = take_planes(bytes, count, &width, &base);

	if (!plane)
		return false;
	for (i = 0; i < count; i++)
		values[i] = base + plane[i];
	for (w = 1; w < width; w++) {
		plane += count;
		for (i = 0; i < count; i++)
			values[i] += (uint64_t)plane[i] << 8 * w;
	}
	return true;
}

/* Exceptions, into `values` unless that is null. */
static bool fill_exceptions(
	struct cursor *bytes, size_t count, uint64_t *values)
{
	uint64_t place = 0;
	uint64_t left;

	for (left = number(bytes); left > 0; left--) {
		uint64_t distance = number(bytes);
		uint64_t value = signed_number(bytes);

		if (bytes->failed || count - 1 - place < distance)
			return false;
		place += distance;
		if (values)
			values[place] = value;
	}
	return !bytes->failed;
}

static bool fill(const struct reading *from, size_t count, uint64_t *values,
	unsigned nesting);

static bool fill_delta(const struct reading *from, size_t count,
	uint64_t *values, unsigned nesting)
{
	size_t i;

	values[0] = signed_number(from->bytes);
	if (!fill(from, count - 1, values + 1, nesting + 1))
		return false;
	for (i = 1; i < count; i++)
		values[i] += values[i - 1];
	return true;
}

static bool look_up(
	const uint64_t *known, size_t size, size_t count, uint64_t *values)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (values[i] >= size)
			return false;
		values[i] = known[values[i]];
	}
	return true;
}

static bool fill_dictionary(const struct reading *from, size_t count,
	uint64_t *values, unsigned nesting)
{
	uint64_t size = number(from->bytes);
	uint64_t *known;
	size_t i;

	if (size > cursor_left(from->bytes))
		return false;
	known = take_numbers(from->store, (size_t)size);
	if (!known)
		return false;
	for (i = 0; i < size; i++)
		known[i] = signed_number(from->bytes);
	return fill(from, count, values, nesting + 1) &&
	       look_up(known, (size_t)size, count, values);
}

/* Group by group: where each begins comes to be where its next value is. */
static bool fill_grouped(const struct reading *from, size_t count,
	uint64_t *values, unsigned nesting)
{
	const struct column_groups *groups = from->groups;
	const struct reading inner = {from->bytes, from->store, NULL, false};
	uint64_t *grouped = take_numbers(from->store, count);
	uint64_t *next;
	struct column sites;
	size_t at = 0;
	size_t i;

	if (!groups || nesting != 1u + from->split || !grouped)
		return false;
	next = take_numbers(from->store, groups->count);
	for (i = 0; next && i < groups->count; i++) {
		size_t messages = groups->messages[i];

		if (count - at < messages ||
			!fill(&inner, messages, grouped + at, nesting + 1))
			return false;
		next[i] = at;
		at += messages;
	}
	sites = groups->sites;
	for (i = 0; next && i < count; i++)
		values[i] = grouped[next[column_read_next(&sites)]++];
	return next;
}

struct phrases {
	uint64_t count;
	uint64_t *ends; /* of each, in: */
	uint64_t *values;
};

static bool read_phrases(const struct reading *from, size_t count,
	struct phrases *phrases, unsigned nesting)
{
	uint64_t end = 0;
	size_t i;

	phrases->count = number(from->bytes);
	if (phrases->count > count)
		return false;
	phrases->ends = take_numbers(from->store, (size_t)phrases->count);
	if (!phrases->ends ||
		!fill(from, (size_t)phrases->count, phrases->ends, nesting + 1))
		return false;
	for (i = 0; i < phrases->count; i++) {
		if (phrases->ends[i] == 0 || phrases->ends[i] > count - end)
			return false;
		end += phrases->ends[i];
		phrases->ends[i] = end;
	}
	phrases->values = take_numbers(from->store, (size_t)end);
	return phrases->values &&
	       fill(from, (size_t)end, phrases->values, nesting + 1);
}

static bool put_phrases(const struct phrases *phrases, const uint64_t *places,
	size_t place_count, size_t count, uint64_t *values)
{
	size_t at = 0;
	size_t i;

	for (i = 0; i < place_count; i++) {
		uint64_t place = places[i];
		uint64_t start, size;

		if (place >= phrases->count)
			return false;
		start = place > 0 ? phrases->ends[place - 1] : 0;
		size = phrases->ends[place] - start;
		if (count - at < size)
			return false;
		memcpy(values + at, phrases->values + start,
			(size_t)size * sizeof(*values));
		at += (size_t)size;
	}
	return at == count;
}

static bool fill_phrases(const struct reading *from, size_t count,
	uint64_t *values, unsigned nesting)
{
	struct phrases phrases;
	uint64_t place_count;
	uint64_t *places;

	if (!read_phrases(from, count, &phrases, nesting))
		return false;
	place_count = number(from->bytes);
	if (place_count > count)
		return false;
	places = take_numbers(from->store, (size_t)place_count);
	return places && fill(from, (size_t)place_count, places, nesting + 1) &&
	       put_phrases(
		       &phrases, places, (size_t)place_count, count, values);
}

static bool fill_scaled(const struct reading *from, size_t count,
	uint64_t *values, unsigned nesting)
{
	uint64_t scale = number(from->bytes);
	struct cursor exceptions = *from->bytes;
	size_t i;

	if (!fill_exceptions(from->bytes, count, NULL) ||
		!fill(from, count, values, nesting + 1))
		return false;
	for (i = 0; i < count; i++)
		values[i] *= scale;
	return fill_exceptions(&exceptions, count, values);
}

/* As many low bits of each value, one after the other, the lowest first. */
static bool add_bits(
	struct cursor *bytes, size_t count, unsigned bits, uint64_t *values)
{
	const uint8_t *at = cursor_bytes(bytes, (count * bits + 7) / 8);
	const uint64_t mask = ((uint64_t)1 << bits) - 1;
	uint64_t some = 0;
	unsigned have = 0;
	size_t i;

	for (i = 0; at && i < count; i++) {
		for (; have < bits; have += 8)
			some |= (uint64_t)*at++ << have;
		values[i] = values[i] << bits | (some & mask);
		some >>= bits;
		have -= bits;
	}
	return at;
}

static bool fill_split(const struct reading *from, size_t count,
	uint64_t *values, unsigned nesting)
{
	const struct reading inner = {
		from->bytes, from->store, from->groups, true};
	uint64_t bits = number(from->bytes);

	return nesting == 1 && bits >= 1 && bits <= PACKED_SPLIT_MAX &&
	       fill(&inner, count, values, nesting + 1) &&
	       add_bits(from->bytes, count, (unsigned)bits, values);
}

static bool fill_decimal(const struct reading *from, size_t count,
	uint64_t *values, unsigned nesting)
{
	uint64_t exponent = number(from->bytes);
	struct cursor exceptions = *from->bytes;
	double power;
	size_t i;

	if (exponent > POWER_OF_TEN_MAX ||
		!fill_exceptions(from->bytes, count, NULL) ||
		!fill(from, count, values, nesting + 1))
		return false;
	power = power_of_ten((unsigned)exponent);
	for (i = 0; i < count; i++) {
		double value = (double)(int64_t)values[i] / power;

		memcpy(&values[i], &value, sizeof(value));
	}
	return fill_exceptions(&exceptions, count, values);
}

static bool fill_with(const struct reading *from, size_t count,
	uint64_t *values, unsigned nesting)
{
	uint64_t value;
	size_t i;

	switch (kind_of(from->bytes)) {
	case PACKED_CONSTANT:
		value = signed_number(from->bytes);
		for (i = 0; i < count; i++)
			values[i] = value;
		return !from->bytes->failed;
	case PACKED_PLANES:
		return fill_planes(from->bytes, count, values);
	case PACKED_PATCHED:
		return fill_planes(from->bytes, count, values) &&
		       fill_exceptions(from->bytes, count, values);
	case PACKED_DELTA:
		return fill_delta(from, count, values, nesting);
	case PACKED_DICTIONARY:
		return fill_dictionary(from, count, values, nesting);
	case PACKED_GROUPED:
		return fill_grouped(from, count, values, nesting);
	case PACKED_PHRASES:
		return fill_phrases(from, count, values, nesting);
	case PACKED_SCALED:
		return fill_scaled(from, count, values, nesting);
	case PACKED_DECIMAL:
		return fill_decimal(from, count, values, nesting);
	case PACKED_SPLIT:
		return fill_split(from, count, values, nesting);
	default:
		return false;
	}
}

/* What is taken on the way is given back. */
static bool fill(const struct reading *from, size_t count, uint64_t *values,
	unsigned nesting)
{
	struct column_store_mark mark;
	bool good;

	if (count == 0)
		return !from->bytes->failed;
	if (nesting > PACKED_NESTING)
		return false;
	mark = column_store_mark(from->store);
	good = fill_with(from, count, values, nesting);
	column_store_return(from->store, mark);
	return good;
}

/* Where those begin that take no memory for their values. */
static const uint64_t none;

/*
 * One that takes no memory for its values: all the same, or each more than
 * the one before by the same.  False: it is another, nothing was taken.
 */
static bool take_even(struct cursor *bytes, size_t count, struct column *column)
{
	struct cursor ahead = *bytes;
	unsigned kind = kind_of(&ahead);
	uint64_t step = 0;
	uint64_t first;

	if (kind != PACKED_CONSTANT && kind != PACKED_DELTA)
		return false;
	first = signed_number(&ahead);
	if (kind == PACKED_DELTA && count > 1) {
		if (kind_of(&ahead) != PACKED_CONSTANT)
			return false;
		step = signed_number(&ahead);
	}
	if (ahead.failed)
		return false;
	*column = (struct column){.at = &none, .add = first, .step = step};
	*bytes = ahead;
	return true;
}

bool column_read_numbers(struct cursor *bytes, struct column_store *store,
	size_t count, const struct column_groups *groups, struct column *column)
{
	const struct reading from = {bytes, store, groups, false};
	uint64_t *values;

	*column = (struct column){.at = &none};
	if (count == 0 || take_even(bytes, count, column))
		return !bytes->failed;
	values = take_numbers(store, count);
	*column = (struct column){.at = values, .stride = 1};
	return values && fill(&from, count, values, 1);
}

/* The commonest one: its bytes are not even looked at. */
static bool skip_planes(struct cursor *bytes, size_t count)
{
	struct cursor ahead = *bytes;
	uint64_t base;
	size_t width;

	if (kind_of(&ahead) != PACKED_PLANES ||
		!take_planes(&ahead, count, &width, &base))
		return false;
	*bytes = ahead;
	return true;
}

bool column_read_skip(
	struct cursor *bytes, struct column_store *store, size_t count)
{
	struct column_store_mark mark = column_store_mark(store);
	struct column column;
	bool good;

	if (count > 0 && skip_planes(bytes, count))
		return true;
	good = column_read_numbers(bytes, store, count, NULL, &column);
	column_store_return(store, mark);
	return good;
}
