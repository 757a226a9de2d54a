#include "decoder/pack/column_shape.h"

#include <stdlib.h>

#include "decoder/pack/entropy.h"

#define SAMPLES 64u
/* An estimate looks at so many values, in runs. */
#define ESTIMATED 8192u
#define RUN 1024u

void column_shape_put_number(struct render_buffer *out, uint64_t number)
{
	char bytes[10];
	size_t size = 0;

	for (; number >= 0x80; number >>= 7)
		bytes[size++] = (char)(number | 0x80);
	bytes[size++] = (char)number;
	render_buffer_put(out, bytes, size);
}

void column_shape_put_signed(struct render_buffer *out, uint64_t number)
{
	column_shape_put_number(
		out, number << 1 ^ (uint64_t)((int64_t)number >> 63));
}

static void measure(
	const uint64_t *values, size_t count, int64_t *min, int64_t *max)
{
	int64_t low = (int64_t)values[0];
	int64_t high = low;
	size_t i;

	for (i = 1; i < count; i++) {
		int64_t value = (int64_t)values[i];

		low = value < low ? value : low;
		high = value > high ? value : high;
	}
	*min = low;
	*max = high;
}

static uint64_t limit_of(unsigned width)
{
	return width >= 8 ? UINT64_MAX : ((uint64_t)1 << 8 * width) - 1;
}

static void consider_patched(struct column_shape *best, const uint64_t *values,
	size_t count, uint64_t base, unsigned width)
{
	struct column_shape shape = {
		.kind = PACKED_PATCHED,
		.width = width,
		.base = base,
		.exception_bytes = best->exception_bytes,
	};
	uint64_t limit = limit_of(width);
	size_t i;

	for (i = 0; i < count; i++)
		shape.exceptions += values[i] - base > limit;
	shape.cost = width * count + shape.exceptions * shape.exception_bytes;
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
static size_t best_window(
	const int64_t *samples, size_t count, uint64_t limit, size_t *first)
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
static void consider_samples(struct column_shape *best, const uint64_t *values,
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

		if (width * count + outside * best->exception_bytes <
			best->cost)
			consider_patched(best, values, count,
				base_of(samples, first, most, limit, min),
				width);
	}
}

/* The first value may be another thing than all that follow. */
static void consider_first(struct column_shape *best, const uint64_t *values,
	size_t count, int64_t min, int64_t max)
{
	unsigned width = column_shape_width((uint64_t)max - (uint64_t)min);

	if (width < best->width)
		consider_patched(
			best, values, count, (uint64_t)min, width ? width : 1);
}

struct column_shape column_shape_of(const uint64_t *values, size_t count)
{
	struct column_shape shape = {.kind = PACKED_PLANES};
	int64_t first = (int64_t)values[0];
	int64_t rest_min = first;
	int64_t rest_max = first;
	int64_t min, max;

	if (count > 1)
		measure(values + 1, count - 1, &rest_min, &rest_max);
	min = first < rest_min ? first : rest_min;
	max = first > rest_max ? first : rest_max;
	shape.base = (uint64_t)min;
	shape.width = column_shape_width((uint64_t)max - (uint64_t)min);
	shape.cost = shape.width * count;
	shape.exception_bytes = shape.width + 2;
	if (shape.width == 0)
		shape.kind = PACKED_CONSTANT;
	if (count > 1 && shape.width > 1)
		consider_first(&shape, values, count, rest_min, rest_max);
	if (count >= SAMPLES && shape.width > 1)
		consider_samples(&shape, values, count, min);
	return shape;
}

/*
 * Counts one plane of some values, and returns how many these are: where there
 * are planes, values differ.
 */
static size_t count_plane(uint32_t counts[256],
	const struct column_shape *shape, const uint64_t *values, size_t count,
	unsigned plane)
{
	size_t step = count > ESTIMATED ? count / (ESTIMATED / RUN) : RUN;
	uint64_t limit = limit_of(shape->width);
	size_t counted = 0;
	size_t first = 0;

	do {
		size_t end = count - first < RUN ? count : first + RUN;
		size_t i = first;

		do {
			uint64_t value = values[i] - shape->base;

			value = value > limit ? 0 : value >> 8 * plane;
			counts[value & 0xff]++;
			counted++;
		} while (++i < end);
		first += step;
	} while (first < count);
	return counted;
}

size_t column_shape_estimate(
	const struct column_shape *shape, const uint64_t *values, size_t count)
{
	size_t bytes = 8;
	unsigned plane;

	if (shape->kind == PACKED_CONSTANT)
		return 3;
	for (plane = 0; plane < shape->width; plane++) {
		uint32_t counts[256] = {0};
		size_t some = count_plane(counts, shape, values, count, plane);

		bytes += entropy_bytes(counts, some) * count / some;
	}
	return bytes + shape->exceptions * (shape->exception_bytes - 1);
}

static void put_planes(const struct column_shape *shape,
	struct render_buffer *out, const uint64_t *values, size_t count)
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

static void put_exceptions(const struct column_shape *shape,
	struct render_buffer *out, const uint64_t *values, size_t count)
{
	uint64_t limit = limit_of(shape->width);
	size_t before = 0;
	size_t i;

	column_shape_put_number(out, shape->exceptions);
	for (i = 0; i < count; i++) {
		if (values[i] - shape->base <= limit)
			continue;
		column_shape_put_number(out, i - before);
		column_shape_put_signed(out, values[i]);
		before = i;
	}
}

void column_shape_put(const struct column_shape *shape,
	struct render_buffer *out, const uint64_t *values, size_t count)
{
	render_buffer_put_byte(out, (char)shape->kind);
	if (shape->kind == PACKED_CONSTANT) {
		column_shape_put_signed(out, shape->base);
		return;
	}
	column_shape_put_number(out, shape->width);
	column_shape_put_signed(out, shape->base);
	put_planes(shape, out, values, count);
	if (shape->kind == PACKED_PATCHED)
		put_exceptions(shape, out, values, count);
}
