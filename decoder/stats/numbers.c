#include "decoder/stats/numbers.h"

#include <math.h>

#define ROOM_BYTES ((size_t)64 << 20)
/* Integers no further from the origin than this can be squared, and so many
 * squares added, in 64 bits. */
#define NEAR ((int64_t)1 << 25)
#define PIECE ((size_t)1 << 10)

struct numbers_room numbers_room(void)
{
	return (struct numbers_room){.left = ROOM_BYTES};
}

void numbers_room_free(struct numbers_room *room)
{
	number_sketch_free(&room->spill, NULL);
}

static void spill(struct numbers *numbers, struct numbers_room *room)
{
	if (!number_sketch_merge(&room->spill, &numbers->sketch))
		room->failed = true;
	number_sketch_free(&numbers->sketch, &room->left);
	numbers->spilled = true;
}

static void sketch(struct numbers *numbers, struct numbers_room *room,
	double value, uint64_t times)
{
	if (!numbers->spilled) {
		if (number_sketch_add(
			    &numbers->sketch, value, times, &room->left))
			return;
		spill(numbers, room);
	}
	if (!number_sketch_add(&room->spill, value, times, NULL))
		room->failed = true;
}

static void sketch_all(struct numbers *numbers, struct numbers_room *room,
	const double *values, size_t count)
{
	size_t done = 0;

	if (!numbers->spilled)
		done = number_sketch_add_all(
			&numbers->sketch, values, count, &room->left);
	for (; done < count; done++)
		sketch(numbers, room, values[done], 1);
}

/* Before values are added, of which this is the first. */
static inline void begin(struct numbers *numbers, long double first)
{
	if (numbers->count == 0)
		numbers->origin = numbers->least = numbers->most = first;
}

static inline void widen(
	struct numbers *numbers, long double least, long double most)
{
	if (least < numbers->least)
		numbers->least = least;
	if (most > numbers->most)
		numbers->most = most;
}

static void add(struct numbers *numbers, long double value, uint64_t times)
{
	long double difference;

	begin(numbers, value);
	widen(numbers, value, value);
	difference = value - numbers->origin;
	numbers->sum += difference * (long double)times;
	numbers->squares += difference * difference * (long double)times;
	numbers->count += times;
}

void numbers_add_integer(struct numbers *numbers, struct numbers_room *room,
	long double value, uint64_t times)
{
	if (times == 0)
		return;
	add(numbers, value, times);
	sketch(numbers, room, (double)value, times);
}

void numbers_add_float(struct numbers *numbers, struct numbers_room *room,
	double value, uint64_t times)
{
	if (times == 0)
		return;
	numbers->fractional = true;
	if (!isfinite(value)) {
		numbers->left_out += times;
		return;
	}
	add(numbers, value, times);
	sketch(numbers, room, value, times);
}

/* All of them are near the origin. */
static void add_near(
	struct numbers *numbers, const int64_t *values, size_t count)
{
	int64_t origin = (int64_t)numbers->origin;
	int64_t sum = 0;
	int64_t squares = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		int64_t difference = values[i] - origin;

		sum += difference;
		squares += difference * difference;
	}
	numbers->sum += (long double)sum;
	numbers->squares += (long double)squares;
	numbers->count += count;
}

static void add_piece(struct numbers *numbers, struct numbers_room *room,
	const int64_t *values, size_t count)
{
	int64_t least = values[0];
	int64_t most = values[0];
	double floats[PIECE];
	size_t i;

	for (i = 0; i < count; i++) {
		least = values[i] < least ? values[i] : least;
		most = values[i] > most ? values[i] : most;
		floats[i] = (double)values[i];
	}
	begin(numbers, values[0]);
	widen(numbers, least, most);
	if (!numbers->fractional && numbers->origin <= INT64_MAX &&
		most - numbers->origin <= NEAR &&
		numbers->origin - least <= NEAR)
		add_near(numbers, values, count);
	else
		for (i = 0; i < count; i++)
			add(numbers, values[i], 1);
	sketch_all(numbers, room, floats, count);
}

void numbers_add_integers(struct numbers *numbers, struct numbers_room *room,
	const int64_t *values, size_t count)
{
	while (count > 0) {
		size_t piece = count < PIECE ? count : PIECE;

		add_piece(numbers, room, values, piece);
		values += piece;
		count -= piece;
	}
}

void numbers_add_floats(struct numbers *numbers, struct numbers_room *room,
	const double *values, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		numbers_add_float(numbers, room, values[i], 1);
}

void numbers_merge(struct numbers *numbers, struct numbers_room *room,
	const struct numbers *other)
{
	long double count = (long double)other->count;
	long double shift;

	numbers->left_out += other->left_out;
	numbers->fractional |= other->fractional;
	numbers->spilled |= other->spilled;
	if (other->count == 0)
		return;
	begin(numbers, other->origin);
	widen(numbers, other->least, other->most);
	shift = other->origin - numbers->origin;
	numbers->sum += other->sum + count * shift;
	numbers->squares +=
		other->squares + 2 * shift * other->sum + count * shift * shift;
	numbers->count += other->count;
	if (!number_sketch_merge(&numbers->sketch, &other->sketch))
		room->failed = true;
}

void numbers_add_spilled(struct numbers *sum, struct numbers_room *room)
{
	if (!number_sketch_merge(&sum->sketch, &room->spill))
		room->failed = true;
	sum->spilled = false;
}

long double numbers_mean(const struct numbers *numbers)
{
	if (numbers->count == 0)
		return 0;
	return numbers->origin + numbers->sum / (long double)numbers->count;
}

long double numbers_deviation(const struct numbers *numbers)
{
	long double count = (long double)numbers->count;
	long double mean;
	long double variance;

	if (numbers->count == 0)
		return 0;
	mean = numbers->sum / count;
	variance = numbers->squares / count - mean * mean;
	return variance > 0 ? sqrtl(variance) : 0;
}

/* Its middle, which is not outside of all values. */
static long double value_in(const struct numbers *numbers,
	const struct number_sketch_bucket *bucket)
{
	long double value = ((long double)bucket->low + bucket->high) / 2;

	if (!numbers->fractional)
		value = floorl((ceill(bucket->low) + floorl(bucket->high)) / 2);
	if (value < numbers->least)
		return numbers->least;
	return value > numbers->most ? numbers->most : value;
}

long double numbers_percentile(
	const struct numbers *numbers, unsigned thousandths)
{
	struct number_sketch_bucket bucket = {0};
	uint64_t whole = numbers->count / 1000 * thousandths;
	uint64_t rank =
		whole + (numbers->count % 1000 * thousandths + 999) / 1000;
	uint64_t seen = 0;

	if (rank <= 1)
		return numbers->least;
	while (rank < numbers->count &&
		number_sketch_next(&numbers->sketch, &bucket)) {
		seen += bucket.count;
		if (seen >= rank)
			return value_in(numbers, &bucket);
	}
	return numbers->most;
}

void numbers_free(struct numbers *numbers, struct numbers_room *room)
{
	number_sketch_free(&numbers->sketch, &room->left);
}
