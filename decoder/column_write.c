#include "decoder/column_write.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "record/hash.h"

#define DISTINCT_MAX 256u
#define SAMPLES 128u
#define EXCEPTION_BYTES 8u /* about what one takes */

/* How a column would be stored. */
struct shape {
	enum packed_column kind;
	unsigned width;
	size_t cost;
	uint64_t base; /* of PLANES and PATCHED; also the CONSTANT */
	size_t exceptions;
};

static bool make_room(void **array, size_t *room, size_t wanted, size_t size)
{
	void *more;

	if (*room >= wanted)
		return true;
	more = realloc(*array, wanted * size);
	if (!more)
		return false;
	*array = more;
	*room = wanted;
	return true;
}

static void put_number(struct render_buffer *out, uint64_t number)
{
	char bytes[10];
	size_t size = 0;

	for (; number >= 0x80; number >>= 7)
		bytes[size++] = (char)(number | 0x80);
	bytes[size++] = (char)number;
	render_buffer_put(out, bytes, size);
}

static void put_signed(struct render_buffer *out, uint64_t number)
{
	put_number(out, number << 1 ^ (uint64_t)((int64_t)number >> 63));
}

static void measure(const uint64_t *values, size_t count, int64_t *min,
	int64_t *max)
{
	size_t i;

	*min = *max = (int64_t)values[0];
	for (i = 1; i < count; i++) {
		int64_t value = (int64_t)values[i];

		*min = value < *min ? value : *min;
		*max = value > *max ? value : *max;
	}
}

static uint64_t limit_of(unsigned width)
{
	return width >= 8 ? UINT64_MAX : ((uint64_t)1 << 8 * width) - 1;
}

static size_t count_exceptions(const uint64_t *values, size_t count,
	uint64_t base, uint64_t limit)
{
	size_t exceptions = 0;
	size_t i;

	for (i = 0; i < count; i++)
		exceptions += values[i] - base > limit;
	return exceptions;
}

static void consider_patched(struct shape *best, const uint64_t *values,
	size_t count, uint64_t base, unsigned width)
{
	struct shape shape = {
		.kind = PACKED_PATCHED, .width = width, .base = base};

	shape.exceptions =
		count_exceptions(values, count, base, limit_of(width));
	shape.cost = width * count + shape.exceptions * EXCEPTION_BYTES;
	if (shape.cost < best->cost)
		*best = shape;
}

static int compare_signed(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The most of the samples, in order, that are within `limit` of each other. */
static size_t best_window(const int64_t *samples, size_t count, uint64_t limit,
	size_t *first)
{
	size_t low = 0;
	size_t most = 0;
	size_t high;

	for (high = 0; high < count; high++) {
		while ((uint64_t)samples[high] - (uint64_t)samples[low] > limit)
			low++;
		if (high - low + 1 > most) {
			most = high - low + 1;
			*first = low;
		}
	}
	return most;
}

/* A base with as much room below the window as above. */
static uint64_t base_of(const int64_t *samples, size_t first, size_t most,
	uint64_t limit, int64_t min)
{
	uint64_t low = (uint64_t)samples[first];
	uint64_t used = (uint64_t)samples[first + most - 1] - low;
	uint64_t room = (limit - used) / 2;

	return low - (uint64_t)min < room ? (uint64_t)min : low - room;
}

/* Most values may be close together, and a few far away. */
static void consider_samples(struct shape *best, const uint64_t *values,
	size_t count, int64_t min)
{
	int64_t samples[SAMPLES];
	unsigned full = best->width;
	unsigned width;
	size_t i;

	for (i = 0; i < SAMPLES; i++)
		samples[i] = (int64_t)values[i * count / SAMPLES];
	qsort(samples, SAMPLES, sizeof(*samples), compare_signed);
	for (width = 1; width < full && width <= 4; width++) {
		uint64_t limit = limit_of(width);
		size_t first = 0;
		size_t most = best_window(samples, SAMPLES, limit, &first);
		size_t outside = (SAMPLES - most) * count / SAMPLES;

		if (width * count + outside * EXCEPTION_BYTES < best->cost)
			consider_patched(best, values, count,
				base_of(samples, first, most, limit, min),
				width);
	}
}

/* The best of CONSTANT, PLANES and PATCHED. */
static struct shape shape_of(const uint64_t *values, size_t count)
{
	struct shape shape = {.kind = PACKED_PLANES};
	int64_t min, max, rest_min, rest_max;

	measure(values, count, &min, &max);
	shape.base = (uint64_t)min;
	shape.width = column_write_width((uint64_t)max - (uint64_t)min);
	shape.cost = shape.width * count;
	if (shape.width == 0) {
		shape.kind = PACKED_CONSTANT;
		return shape;
	}
	if (count > 1 && shape.width > 1) {
		unsigned width;

		measure(values + 1, count - 1, &rest_min, &rest_max);
		width = column_write_width(
			(uint64_t)rest_max - (uint64_t)rest_min);
		if (width < shape.width)
			consider_patched(&shape, values, count,
				(uint64_t)rest_min, width ? width : 1);
	}
	if (count >= SAMPLES && shape.width > 1)
		consider_samples(&shape, values, count, min);
	return shape;
}

static void put_planes(struct render_buffer *out, const uint64_t *values,
	size_t count, const struct shape *shape)
{
	uint64_t limit = limit_of(shape->width);
	unsigned plane;

	if (!render_buffer_reserve(out, shape->width * count))
		return;
	for (plane = 0; plane < shape->width; plane++) {
		char *to = out->data + out->length;
		size_t i;

		for (i = 0; i < count; i++) {
			uint64_t value = values[i] - shape->base;

			to[i] = (char)(value > limit ? 0 : value >> 8 * plane);
		}
		out->length += count;
	}
}

static void put_exceptions(struct render_buffer *out, const uint64_t *values,
	size_t count, const struct shape *shape)
{
	uint64_t limit = limit_of(shape->width);
	size_t before = 0;
	size_t i;

	put_number(out, shape->exceptions);
	for (i = 0; i < count; i++) {
		if (values[i] - shape->base <= limit)
			continue;
		put_number(out, i - before);
		put_signed(out, values[i]);
		before = i;
	}
}

static void put_shape(struct render_buffer *out, const uint64_t *values,
	size_t count, const struct shape *shape)
{
	render_buffer_put_byte(out, (char)shape->kind);
	if (shape->kind == PACKED_CONSTANT) {
		put_signed(out, shape->base);
		return;
	}
	put_number(out, shape->width);
	put_signed(out, shape->base);
	put_planes(out, values, count, shape);
	if (shape->kind == PACKED_PATCHED)
		put_exceptions(out, values, count, shape);
}

static bool reserve_numbers(
	struct column_write *writer, unsigned depth, size_t count)
{
	return make_room((void **)&writer->numbers[depth],
		&writer->numbers_room[depth], count, sizeof(uint64_t));
}

/* Empty, with at least `count` slots: a power of two, of which it returns the
 * mask, or 0. */
static size_t reserve_slots(struct column_write *writer, size_t count)
{
	size_t slots = 16;

	if (writer->seed == 0 && getrandom(&writer->seed, sizeof(writer->seed),
					 0) != sizeof(writer->seed))
		writer->seed = 1;
	while (slots < count)
		slots *= 2;
	if (!make_room((void **)&writer->slots, &writer->slots_room, slots,
		    sizeof(*writer->slots)))
		return 0;
	memset(writer->slots, 0, slots * sizeof(*writer->slots));
	return slots - 1;
}

/*
 * Fills places[0..count) and distinct[0..DISTINCT_MAX); returns how many
 * distinct values there are, 0: too many.
 */
static size_t find_distinct(struct column_write *writer, const uint64_t *values,
	size_t count, uint64_t *places, uint64_t *distinct)
{
	size_t most = count / 4 < DISTINCT_MAX ? count / 4 : DISTINCT_MAX;
	size_t mask = reserve_slots(writer, 4 * DISTINCT_MAX);
	size_t found = 0;
	size_t i;

	for (i = 0; mask && i < count; i++) {
		size_t at = binlog_hash_word(writer->seed, values[i]) & mask;

		while (writer->slots[at] &&
			distinct[writer->slots[at] - 1] != values[i])
			at = (at + 1) & mask;
		if (!writer->slots[at]) {
			if (found == most)
				return 0;
			distinct[found++] = values[i];
			writer->slots[at] = (uint32_t)found;
		}
		places[i] = writer->slots[at] - 1;
	}
	return found;
}

static bool put_distinct(struct column_write *writer, struct render_buffer *out,
	const uint64_t *values, size_t count, size_t cost, unsigned depth)
{
	uint64_t distinct[DISTINCT_MAX];
	struct shape shape;
	size_t found, i;

	if (!reserve_numbers(writer, depth, count))
		return false;
	found = find_distinct(
		writer, values, count, writer->numbers[depth], distinct);
	if (found == 0 || count + found * EXCEPTION_BYTES >= cost)
		return false;
	render_buffer_put_byte(out, (char)PACKED_DICTIONARY);
	put_number(out, found);
	for (i = 0; i < found; i++)
		put_signed(out, distinct[i]);
	shape = shape_of(writer->numbers[depth], count);
	put_shape(out, writer->numbers[depth], count, &shape);
	return true;
}

/* Null: no memory, or they are not narrower. */
static const uint64_t *narrower_deltas(struct column_write *writer,
	const uint64_t *values, size_t count, unsigned depth,
	struct shape *shape)
{
	uint64_t *deltas;
	struct shape found;
	size_t i;

	if (count < 3 || depth + 1 >= PACKED_NESTING ||
		!reserve_numbers(writer, depth, count))
		return NULL;
	deltas = writer->numbers[depth];
	for (i = 1; i < count; i++)
		deltas[i - 1] = values[i] - values[i - 1];
	found = shape_of(deltas, count - 1);
	if (found.cost + EXCEPTION_BYTES >= shape->cost)
		return NULL;
	*shape = found;
	return deltas;
}

static void write_numbers(struct column_write *writer,
	struct render_buffer *out, const uint64_t *values, size_t count,
	unsigned depth)
{
	struct shape shape = shape_of(values, count);
	const uint64_t *deltas;

	if (shape.kind == PACKED_CONSTANT) {
		put_shape(out, values, count, &shape);
		return;
	}
	if (shape.cost > count && put_distinct(writer, out, values, count,
					  shape.cost, depth))
		return;
	deltas = narrower_deltas(writer, values, count, depth, &shape);
	if (!deltas) {
		put_shape(out, values, count, &shape);
		return;
	}
	render_buffer_put_byte(out, (char)PACKED_DELTA);
	put_signed(out, values[0]);
	put_shape(out, deltas, count - 1, &shape);
}

void column_write_numbers(struct column_write *writer,
	struct render_buffer *out, const uint64_t *values, size_t count)
{
	write_numbers(writer, out, values, count, 0);
}

static void put_plain(struct column_write *writer, struct render_buffer *out,
	const struct column_string *strings, size_t count)
{
	uint64_t *sizes;
	size_t i;

	if (!reserve_numbers(writer, PACKED_NESTING - 1, count)) {
		out->failed = true;
		return;
	}
	sizes = writer->numbers[PACKED_NESTING - 1];
	for (i = 0; i < count; i++)
		sizes[i] = strings[i].bytes ? (uint64_t)strings[i].size + 1 : 0;
	write_numbers(writer, out, sizes, count, 0);
	for (i = 0; i < count; i++)
		render_buffer_put(out, strings[i].bytes,
			strings[i].bytes ? strings[i].size : 0);
}

static bool same_string(
	const struct column_string *a, const struct column_string *b)
{
	return a->size == b->size && !a->bytes == !b->bytes &&
	       (!a->bytes || memcmp(a->bytes, b->bytes, a->size) == 0);
}

static uint64_t hash_string(
	const struct column_write *writer, const struct column_string *string)
{
	const char *p = string->bytes;
	uint64_t hash = writer->seed ^ string->size;
	size_t left = p ? string->size : 0;
	uint64_t word;

	for (; left >= sizeof(word); left -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		hash = binlog_hash_word(hash, word);
	}
	for (word = !p; left > 0; left--)
		word = word << 8 | (uint8_t)p[left - 1];
	return binlog_hash_word(hash, word);
}

/* As find_distinct(); the strings are in `strings` of the writer. */
static size_t find_strings(struct column_write *writer,
	const struct column_string *strings, size_t count, uint64_t *places)
{
	size_t mask = reserve_slots(writer, count + 1);
	size_t found = 0;
	size_t i;

	for (i = 0; mask && i < count; i++) {
		size_t at = hash_string(writer, &strings[i]) & mask;

		while (writer->slots[at] &&
			!same_string(&writer->strings[writer->slots[at] - 1],
				&strings[i]))
			at = (at + 1) & mask;
		if (!writer->slots[at]) {
			if (found == count / 2)
				return 0;
			writer->strings[found++] = strings[i];
			writer->slots[at] = (uint32_t)found;
		}
		places[i] = writer->slots[at] - 1;
	}
	return found;
}

void column_write_strings(struct column_write *writer,
	struct render_buffer *out, const struct column_string *strings,
	size_t count)
{
	const unsigned depth = PACKED_NESTING - 2;
	size_t found = 0;

	if (reserve_numbers(writer, depth, count) &&
		make_room((void **)&writer->strings, &writer->strings_room,
			count, sizeof(*writer->strings)))
		found = find_strings(
			writer, strings, count, writer->numbers[depth]);
	if (found == 0) {
		render_buffer_put_byte(out, (char)PACKED_STRINGS_PLAIN);
		put_plain(writer, out, strings, count);
		return;
	}
	render_buffer_put_byte(out, (char)PACKED_STRINGS_DICTIONARY);
	put_number(out, found);
	put_plain(writer, out, writer->strings, found);
	write_numbers(writer, out, writer->numbers[depth], count, 0);
}

void column_write_free(struct column_write *writer)
{
	size_t i;

	for (i = 0; i < PACKED_NESTING; i++)
		free(writer->numbers[i]);
	free(writer->slots);
	free(writer->strings);
	*writer = (struct column_write){0};
}
