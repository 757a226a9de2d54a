#include "decoder/pack/column_write.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/seeded_hash.h"
#include "decoder/pack/column_shape.h"

#define DISTINCT_MAX ((size_t)256)
#define SAMPLES 64u
#define GUESS 4u /* so many samples tell a divisor */
/* What is wrapped around something must save so many bytes. */
#define LEAST_GAIN 8u
#define TRIAL_LEVEL 3
/* Of a column of more values, runs of some are looked at first. */
#define LARGE 4096u
#define RUNS ((size_t)8)
#define RUN ((size_t)128)

enum wrapping { NOT_WRAPPED, WRAPPED_DELTA, WRAPPED_SCALED, WRAPPED_DISTINCT };

/* How a column is going to be written. */
struct plan {
	enum wrapping wrapping;
	struct column_shape shape; /* of what is inside */
	size_t estimate;
	uint64_t divisor;
	size_t exceptions; /* that it does not divide */
	size_t distinct;
};

bool column_write_room(void **array, size_t *room, size_t count, size_t size)
{
	void *more;

	if (*room >= count)
		return true;
	more = realloc(*array, count * size);
	if (!more)
		return false;
	*array = more;
	*room = count;
	return true;
}

bool column_write_reserve_numbers(struct column_write *writer, size_t count)
{
	return column_write_room((void **)&writer->numbers,
		&writer->numbers_room, count, sizeof(*writer->numbers));
}

bool column_write_reserve_group(struct column_write *writer, size_t count)
{
	return column_write_room((void **)&writer->group, &writer->group_room,
		count, sizeof(*writer->group));
}

size_t column_write_slots(struct column_write *writer, size_t count)
{
	size_t slots = 16;

	while (slots < 2 * count)
		slots *= 2;
	if (!column_write_room((void **)&writer->slots, &writer->slots_room,
		    slots, sizeof(*writer->slots)))
		return 0;
	memset(writer->slots, 0, slots * sizeof(*writer->slots));
	return slots - 1;
}

static void fill_deltas(uint64_t *deltas, const uint64_t *values, size_t count)
{
	size_t i;

	for (i = 1; i < count; i++)
		deltas[i - 1] = values[i] - values[i - 1];
}

/* Whether differences may take less, as some runs of them have it. */
static bool deltas_promise(struct column_write *writer, size_t least,
	const uint64_t *values, size_t count)
{
	struct column_shape shape;
	size_t estimate, i;

	for (i = 0; i < RUNS; i++)
		fill_deltas(writer->numbers + i * RUN,
			values + i * (count - RUN - 1) / RUNS, RUN + 1);
	shape = column_shape_of(writer->numbers, RUNS * RUN);
	estimate = column_shape_estimate(&shape, writer->numbers, RUNS * RUN);
	return estimate * count / (RUNS * RUN) < least + least / 16;
}

static void consider_deltas(struct column_write *writer, struct plan *best,
	const uint64_t *values, size_t count)
{
	struct plan plan = {.wrapping = WRAPPED_DELTA};

	if (count > LARGE &&
		!deltas_promise(writer, best->estimate, values, count))
		return;
	fill_deltas(writer->numbers, values, count);
	plan.shape = column_shape_of(writer->numbers, count - 1);
	plan.estimate =
		column_shape_estimate(&plan.shape, writer->numbers, count - 1);
	plan.estimate += LEAST_GAIN + plan.estimate / 16;
	if (plan.estimate < best->estimate)
		*best = plan;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b != 0) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static uint64_t magnitude(uint64_t value)
{
	return (int64_t)value < 0 ? 0 - value : value;
}

/* What divides most of some samples; the first value is none of them. */
static uint64_t divisor_of(const uint64_t *values, size_t count)
{
	uint64_t samples[SAMPLES];
	uint64_t best = 0;
	size_t most = SAMPLES - SAMPLES / 8;
	size_t i, k;

	for (i = 0; i < SAMPLES; i++)
		samples[i] = magnitude(values[1 + i * (count - 1) / SAMPLES]);
	for (i = 0; i < SAMPLES; i += GUESS) {
		uint64_t divisor = samples[i];
		size_t divides = 0;

		for (k = 1; k < GUESS; k++)
			divisor = common_divisor(divisor, samples[i + k]);
		for (k = 0; divisor > 1 && k < SAMPLES; k++)
			divides += samples[k] % divisor == 0;
		if (divides > most) {
			most = divides;
			best = divisor;
		}
	}
	return best;
}

/* Returns how many it does not divide. */
static size_t fill_quotients(uint64_t *quotients, const uint64_t *values,
	size_t count, uint64_t divisor)
{
	size_t exceptions = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		int64_t quotient = (int64_t)values[i] / (int64_t)divisor;

		quotients[i] = (uint64_t)quotient;
		if ((uint64_t)quotient * divisor != values[i]) {
			quotients[i] = i > 0 ? quotients[i - 1] : 0;
			exceptions++;
		}
	}
	return exceptions;
}

static void consider_scaled(struct column_write *writer, struct plan *best,
	const uint64_t *values, size_t count)
{
	struct plan plan = {.wrapping = WRAPPED_SCALED};

	plan.divisor = divisor_of(values, count);
	if (plan.divisor < 2 || plan.divisor > INT64_MAX)
		return;
	plan.exceptions =
		fill_quotients(writer->numbers, values, count, plan.divisor);
	plan.shape = column_shape_of(writer->numbers, count);
	plan.estimate =
		column_shape_estimate(&plan.shape, writer->numbers, count) +
		LEAST_GAIN + 4 * plan.exceptions;
	if (plan.estimate < best->estimate)
		*best = plan;
}

/*
 * Fills places[0..count) and distinct[0..DISTINCT_MAX); returns how many
 * distinct values there are, 0: too many.
 */
static size_t find_distinct(struct column_write *writer, const uint64_t *values,
	size_t count, uint64_t *distinct)
{
	size_t most = count / 4 < DISTINCT_MAX ? count / 4 : DISTINCT_MAX;
	size_t mask = column_write_slots(writer, 2 * DISTINCT_MAX);
	size_t found = 0;
	size_t i;

	for (i = 0; mask && i < count; i++) {
		size_t at =
			seeded_hash_word(seeded_hash_start, values[i]) & mask;

		while (writer->slots[at] &&
			distinct[writer->slots[at] - 1] != values[i])
			at = (at + 1) & mask;
		if (!writer->slots[at]) {
			if (found == most)
				return 0;
			distinct[found++] = values[i];
			writer->slots[at] = (uint32_t)found;
		}
		writer->numbers[i] = writer->slots[at] - 1;
	}
	return found;
}

static void consider_distinct(struct column_write *writer, struct plan *best,
	const uint64_t *values, size_t count)
{
	uint64_t distinct[DISTINCT_MAX];
	struct plan plan = {.wrapping = WRAPPED_DISTINCT};

	plan.distinct = find_distinct(writer, values, count, distinct);
	if (plan.distinct == 0)
		return;
	plan.shape = column_shape_of(writer->numbers, count);
	plan.estimate =
		column_shape_estimate(&plan.shape, writer->numbers, count) +
		LEAST_GAIN + plan.distinct * best->shape.width;
	if (plan.estimate < best->estimate)
		*best = plan;
}

static struct plan plan_for(
	struct column_write *writer, const uint64_t *values, size_t count)
{
	struct plan plan = {.shape = column_shape_of(values, count)};

	plan.estimate = column_shape_estimate(&plan.shape, values, count);
	if (plan.shape.kind == PACKED_CONSTANT || count < 4 ||
		plan.estimate <= LEAST_GAIN ||
		!column_write_reserve_numbers(writer, count))
		return plan;
	if (plan.shape.width > 1 || plan.shape.exceptions > 0)
		consider_scaled(writer, &plan, values, count);
	if (plan.shape.width > 1)
		consider_distinct(writer, &plan, values, count);
	consider_deltas(writer, &plan, values, count);
	return plan;
}

static void put_scaled(struct column_write *writer, struct render_buffer *out,
	const uint64_t *values, size_t count, const struct plan *plan)
{
	size_t before = 0;
	size_t i;

	fill_quotients(writer->numbers, values, count, plan->divisor);
	render_buffer_put_byte(out, (char)PACKED_SCALED);
	column_shape_put_number(out, plan->divisor);
	column_shape_put_number(out, plan->exceptions);
	for (i = 0; i < count; i++) {
		if (writer->numbers[i] * plan->divisor == values[i])
			continue;
		column_shape_put_number(out, i - before);
		column_shape_put_signed(out, values[i]);
		before = i;
	}
	column_shape_put(&plan->shape, out, writer->numbers, count);
}

static void put_distinct(struct column_write *writer, struct render_buffer *out,
	const uint64_t *values, size_t count, const struct plan *plan)
{
	uint64_t distinct[DISTINCT_MAX];
	size_t i;

	find_distinct(writer, values, count, distinct);
	render_buffer_put_byte(out, (char)PACKED_DICTIONARY);
	column_shape_put_number(out, plan->distinct);
	for (i = 0; i < plan->distinct; i++)
		column_shape_put_signed(out, distinct[i]);
	column_shape_put(&plan->shape, out, writer->numbers, count);
}

static void put_plan(struct column_write *writer, struct render_buffer *out,
	const uint64_t *values, size_t count, const struct plan *plan)
{
	switch (plan->wrapping) {
	case NOT_WRAPPED:
		column_shape_put(&plan->shape, out, values, count);
		break;
	case WRAPPED_DELTA:
		fill_deltas(writer->numbers, values, count);
		render_buffer_put_byte(out, (char)PACKED_DELTA);
		column_shape_put_signed(out, values[0]);
		column_shape_put(&plan->shape, out, writer->numbers, count - 1);
		break;
	case WRAPPED_SCALED:
		put_scaled(writer, out, values, count, plan);
		break;
	case WRAPPED_DISTINCT:
		put_distinct(writer, out, values, count, plan);
		break;
	}
}

void column_write_numbers(struct column_write *writer,
	struct render_buffer *out, const uint64_t *values, size_t count)
{
	struct plan plan = plan_for(writer, values, count);

	put_plan(writer, out, values, count, &plan);
}

static void gather(uint64_t *group, const uint64_t *values,
	const uint32_t *order, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		group[i] = values[order[i]];
}

size_t column_write_compressed(
	struct column_write *writer, const char *bytes, size_t size)
{
	struct render_buffer *to = &writer->compressed;
	size_t compressed;

	if (!writer->zstd)
		writer->zstd = ZSTD_createCCtx();
	to->length = 0;
	if (!writer->zstd ||
		!render_buffer_reserve(to, ZSTD_compressBound(size)))
		return SIZE_MAX;
	compressed = ZSTD_compressCCtx(
		writer->zstd, to->data, to->room, bytes, size, TRIAL_LEVEL);
	return ZSTD_isError(compressed) ? SIZE_MAX : compressed;
}

bool column_write_keep_better(struct column_write *writer,
	struct render_buffer *out, size_t start,
	const struct render_buffer *other)
{
	size_t now = column_write_compressed(
		writer, out->data + start, out->length - start);
	size_t then =
		column_write_compressed(writer, other->data, other->length);

	if (out->failed || other->failed || then + LEAST_GAIN >= now)
		return false;
	out->length = start;
	render_buffer_put(out, other->data, other->length);
	return true;
}

static void put_groups(struct column_write *writer, struct render_buffer *out,
	const uint64_t *values, const struct column_write_groups *groups)
{
	const uint32_t *order = groups->order;
	size_t i;

	render_buffer_put_byte(out, (char)PACKED_GROUPED);
	for (i = 0; i < groups->count; order += groups->counts[i++]) {
		gather(writer->group, values, order, groups->counts[i]);
		column_write_numbers(
			writer, out, writer->group, groups->counts[i]);
	}
}

void column_write_grouped(struct column_write *writer,
	struct render_buffer *out, const uint64_t *values, size_t count,
	const struct column_write_groups *groups, struct pack_choice *choice)
{
	bool settled = pack_choice_settled(choice);
	size_t start = out->length;
	struct plan plan;

	if (groups->count < 2 || !column_write_reserve_group(writer, count)) {
		column_write_numbers(writer, out, values, count);
		return;
	}
	if (settled && choice->other) {
		put_groups(writer, out, values, groups);
		return;
	}
	plan = plan_for(writer, values, count);
	put_plan(writer, out, values, count, &plan);
	if (settled || plan.estimate < 4 * groups->count)
		return;
	writer->other.length = 0;
	put_groups(writer, &writer->other, values, groups);
	pack_choice_make(choice,
		column_write_keep_better(writer, out, start, &writer->other));
}

void column_write_free(struct column_write *writer)
{
	free(writer->numbers);
	free(writer->group);
	free(writer->slots);
	render_buffer_free(&writer->other);
	render_buffer_free(&writer->compressed);
	ZSTD_freeCCtx(writer->zstd);
	*writer = (struct column_write){0};
}
