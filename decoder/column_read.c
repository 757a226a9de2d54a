#include "decoder/column_read.h"

#include <stdlib.h>

#include "record/packed.h"

#define CHUNK_BYTES ((size_t)64 << 10)
#define LONG_DOUBLE_BYTES 16u

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

static bool add_chunk(struct column_store *store, size_t size)
{
	size_t wish = size > CHUNK_BYTES / 4 ? size : CHUNK_BYTES;
	struct column_chunk *chunk = take_spare(store, size);

	if (!store->chunks && !chunk && size < CHUNK_BYTES / 16)
		wish = CHUNK_BYTES / 16; /* many small logs may be open */
	if (!chunk) {
		chunk = malloc(sizeof(*chunk) + wish);
		if (!chunk)
			return false;
		chunk->size = wish;
	}
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

void column_store_reset(struct column_store *store)
{
	while (store->chunks) {
		struct column_chunk *chunk = store->chunks;

		store->chunks = chunk->next;
		chunk->next = store->spare;
		store->spare = chunk;
	}
	store->used = store->total = 0;
}

static void free_chunks(struct column_chunk *chunk)
{
	while (chunk) {
		struct column_chunk *next = chunk->next;

		free(chunk);
		chunk = next;
	}
}

void column_store_free(struct column_store *store)
{
	free_chunks(store->chunks);
	free_chunks(store->spare);
	*store = (struct column_store){0};
}

/* LEB128 of up to 64 bits; 0 and a failed cursor if it is none. */
static uint64_t number_slowly(struct cursor *bytes)
{
	uint64_t value = 0;
	unsigned shift;

	for (shift = 0; shift < 64; shift += 7) {
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

/* How wide planes are.  0: impossible. */
static size_t width_of(struct cursor *bytes)
{
	uint64_t width = number(bytes);

	return width <= 8 ? (size_t)width : 0;
}

static bool fill_planes(struct cursor *bytes, size_t count, uint64_t *values)
{
	size_t width = width_of(bytes);
	uint64_t base = signed_number(bytes);
	const uint8_t *plane;
	size_t w, i;

	if (width == 0 || cursor_left(bytes) / width < count)
		return false;
	plane = cursor_bytes(bytes, width * count);
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

static bool fill_patched(struct cursor *bytes, size_t count, uint64_t *values)
{
	uint64_t place = 0;
	uint64_t left;

	if (!fill_planes(bytes, count, values))
		return false;
	for (left = number(bytes); left > 0; left--) {
		uint64_t distance = number(bytes);
		uint64_t value = signed_number(bytes);

		if (bytes->failed || count - 1 - place < distance)
			return false;
		place += distance;
		values[place] = value;
	}
	return !bytes->failed;
}

static bool fill(struct cursor *bytes, struct column_store *store, size_t count,
	uint64_t *values, unsigned nesting);

static bool fill_delta(struct cursor *bytes, struct column_store *store,
	size_t count, uint64_t *values, unsigned nesting)
{
	size_t i;

	values[0] = signed_number(bytes);
	if (!fill(bytes, store, count - 1, values + 1, nesting + 1))
		return false;
	for (i = 1; i < count; i++)
		values[i] += values[i - 1];
	return !bytes->failed;
}

static bool fill_dictionary(struct cursor *bytes, struct column_store *store,
	size_t count, uint64_t *values, unsigned nesting)
{
	uint64_t size = number(bytes);
	uint64_t *known;
	size_t i;

	if (size > cursor_left(bytes))
		return false;
	known = column_store_take(store, (size_t)size * sizeof(*known));
	if (!known)
		return false;
	for (i = 0; i < size; i++)
		known[i] = signed_number(bytes);
	if (!fill(bytes, store, count, values, nesting + 1))
		return false;
	for (i = 0; i < count; i++) {
		if (values[i] >= size)
			return false;
		values[i] = known[values[i]];
	}
	return true;
}

static bool fill(struct cursor *bytes, struct column_store *store, size_t count,
	uint64_t *values, unsigned nesting)
{
	uint64_t value;
	size_t i;

	if (count == 0)
		return !bytes->failed;
	if (nesting > PACKED_NESTING)
		return false;
	switch (kind_of(bytes)) {
	case PACKED_CONSTANT:
		value = signed_number(bytes);
		for (i = 0; i < count; i++)
			values[i] = value;
		return !bytes->failed;
	case PACKED_PLANES:
		return fill_planes(bytes, count, values);
	case PACKED_PATCHED:
		return fill_patched(bytes, count, values);
	case PACKED_DELTA:
		return fill_delta(bytes, store, count, values, nesting);
	case PACKED_DICTIONARY:
		return fill_dictionary(bytes, store, count, values, nesting);
	default:
		return false;
	}
}

/*
 * One that takes no memory for its values: all the same, or each more than
 * the one before by the same.  False: it is another, nothing was taken.
 */
static bool take_even(struct cursor *bytes, struct column_store *store,
	size_t count, struct column *column)
{
	struct cursor ahead = *bytes;
	unsigned kind = kind_of(&ahead);
	uint64_t *value;

	if (kind != PACKED_CONSTANT && kind != PACKED_DELTA)
		return false;
	value = column_store_take(store, sizeof(*value));
	if (!value)
		return false;
	*value = signed_number(&ahead);
	if (kind == PACKED_DELTA && count > 1) {
		if (kind_of(&ahead) != PACKED_CONSTANT)
			return false;
		column->step = signed_number(&ahead);
	}
	if (ahead.failed)
		return false;
	column->at = value;
	*bytes = ahead;
	return true;
}

bool column_numbers(struct cursor *bytes, struct column_store *store,
	size_t count, struct column *column)
{
	static const uint64_t none;
	uint64_t *values;

	*column = (struct column){.at = &none};
	if (count == 0 || take_even(bytes, store, count, column))
		return !bytes->failed;
	values = column_store_take(store, count * sizeof(*values));
	*column = (struct column){.at = values, .stride = 1};
	return values && fill(bytes, store, count, values, 1);
}

/* The bytes of all strings whose sizes are known. */
static bool take_bytes(
	struct cursor *bytes, size_t count, struct column *column)
{
	struct column sizes = *column;
	size_t left = cursor_left(bytes);
	size_t i;

	column->bytes = bytes->at;
	for (i = 0; i < count; i++) {
		uint64_t size = column_next(&sizes);

		if (size > 1 && size - 1 > left)
			return false;
		left -= size > 1 ? (size_t)size - 1 : 0;
	}
	return cursor_bytes(bytes, cursor_left(bytes) - left);
}

static bool take_plain(struct cursor *bytes, struct column_store *store,
	size_t count, struct column *column)
{
	return column_numbers(bytes, store, count, column) &&
	       take_bytes(bytes, count, column);
}

static bool take_dictionary(struct cursor *bytes, struct column_store *store,
	size_t count, struct column *column)
{
	uint64_t size = number(bytes);
	struct column_string *known;
	struct column plain, places;
	size_t i;

	if (size > PACKED_MESSAGES_MAX ||
		!take_plain(bytes, store, (size_t)size, &plain))
		return false;
	known = column_store_take(store, (size_t)size * sizeof(*known));
	if (!known || !column_numbers(bytes, store, count, column))
		return false;
	for (i = 0; i < size; i++)
		known[i] = column_next_string(&plain);
	places = *column;
	for (i = 0; i < count; i++)
		if (column_next(&places) >= size)
			return false;
	column->dictionary = known;
	return true;
}

bool column_strings(struct cursor *bytes, struct column_store *store,
	size_t count, struct column *column)
{
	if (count == 0)
		return column_numbers(bytes, store, 0, column);
	switch (kind_of(bytes)) {
	case PACKED_STRINGS_PLAIN:
		return take_plain(bytes, store, count, column);
	case PACKED_STRINGS_DICTIONARY:
		return take_dictionary(bytes, store, count, column);
	default:
		return false;
	}
}

bool column_long_doubles(
	struct cursor *bytes, size_t count, struct column *column)
{
	*column = (struct column){0};
	if (cursor_left(bytes) / LONG_DOUBLE_BYTES < count)
		return false;
	column->bytes = cursor_bytes(bytes, count * LONG_DOUBLE_BYTES);
	return column->bytes;
}

static bool skip_planes(struct cursor *bytes, size_t count)
{
	size_t width = width_of(bytes);

	signed_number(bytes);
	return width > 0 && cursor_left(bytes) / width >= count &&
	       cursor_bytes(bytes, width * count);
}

static bool skip_pairs(struct cursor *bytes, uint64_t count, unsigned each)
{
	for (; count > 0 && !bytes->failed; count--)
		for (unsigned i = 0; i < each; i++)
			number(bytes);
	return !bytes->failed;
}

static bool skip(struct cursor *bytes, size_t count, unsigned nesting)
{
	if (count == 0)
		return !bytes->failed;
	if (nesting > PACKED_NESTING)
		return false;
	switch (kind_of(bytes)) {
	case PACKED_CONSTANT:
		return skip_pairs(bytes, 1, 1);
	case PACKED_PLANES:
		return skip_planes(bytes, count);
	case PACKED_PATCHED:
		return skip_planes(bytes, count) &&
		       skip_pairs(bytes, number(bytes), 2);
	case PACKED_DELTA:
		return skip_pairs(bytes, 1, 1) &&
		       skip(bytes, count - 1, nesting + 1);
	case PACKED_DICTIONARY:
		return skip_pairs(bytes, number(bytes), 1) &&
		       skip(bytes, count, nesting + 1);
	default:
		return false;
	}
}

bool column_skip_numbers(struct cursor *bytes, size_t count)
{
	return skip(bytes, count, 1);
}
