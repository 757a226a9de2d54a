#include "decoder/stats/numbers.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/query/expression.h"
#include "decoder/query/expression_columns.h"
#include "decoder/stats/number_rows.h"
#include "record/layout.h"

/*
 * How numbers are spread: a count for each bucket, of which every power of two
 * has 512, so that values of one bucket differ by at most 1/512 of themselves,
 * and integers below 1024 have one each.  Filled by numbers.c, read by what
 * shows percentiles and the like.  Takes memory for the powers of two that
 * occur, as far as it is allowed to.
 */

/*
 * The bits of a double, its sign turned, are in the order of the values.  The
 * first 12 of them, sign and exponent, choose a page, through a group of
 * pages; the next 9 one of the counts on it.
 */
#define COUNT_BITS 9u
#define COUNTS (1u << COUNT_BITS)
#define GROUP_PAGES 64u
#define PAGES (NUMBER_SKETCH_GROUPS * GROUP_PAGES)
#define DROPPED_BITS (64 - 12 - COUNT_BITS)
#define SIGN ((uint64_t)1 << 63)

#define PAGE_BYTES (COUNTS * sizeof(uint64_t))
#define GROUP_BYTES (GROUP_PAGES * sizeof(uint64_t *))

static inline uint32_t place_of(double value)
{
	double positive_zero = value + 0.0;
	uint64_t bits;

	memcpy(&bits, &positive_zero, sizeof(bits));
	bits = (bits & SIGN) ? ~bits : bits | SIGN;
	return (uint32_t)(bits >> DROPPED_BITS);
}

static double value_of(uint64_t ordered)
{
	uint64_t bits = (ordered & SIGN) ? ordered ^ SIGN : ~ordered;
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static inline uint64_t *page_of(
	const struct number_sketch *sketch, uint32_t place)
{
	uint32_t page = place >> COUNT_BITS;
	uint64_t **group = sketch->groups[page / GROUP_PAGES];

	return group ? group[page % GROUP_PAGES] : NULL;
}

static void *take(size_t bytes, size_t *left)
{
	void *taken = left && *left < bytes ? NULL : calloc(1, bytes);

	if (taken && left)
		*left -= bytes;
	return taken;
}

__attribute__((noinline, cold)) static uint64_t *make_page(
	struct number_sketch *sketch, uint32_t place, size_t *left)
{
	uint32_t page = place >> COUNT_BITS;
	uint64_t ***group = &sketch->groups[page / GROUP_PAGES];

	if (!*group)
		*group = take(GROUP_BYTES, left);
	if (!*group)
		return NULL;
	(*group)[page % GROUP_PAGES] = take(PAGE_BYTES, left);
	return (*group)[page % GROUP_PAGES];
}

static inline bool sketch_add(struct number_sketch *sketch, uint32_t place,
	uint64_t times, size_t *left)
{
	uint64_t *page = page_of(sketch, place);

	if (__builtin_expect(!page, 0)) {
		page = make_page(sketch, place, left);
		if (!page)
			return false;
	}
	page[place % COUNTS] += times;
	return true;
}

/* Counts the value, which is finite, so many times; *left is what memory it
 * may take, or null.  False: more than that, or there is none; it was not
 * counted. */
static bool number_sketch_add(struct number_sketch *sketch, double value,
	uint64_t times, size_t *left)
{
	return sketch_add(sketch, place_of(value), times, left);
}

/* Likewise of many; gives how many were counted. */
static size_t number_sketch_add_all(struct number_sketch *sketch,
	const double *values, size_t count, size_t *left)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!sketch_add(sketch, place_of(values[i]), 1, left))
			break;
	return i;
}

/* The first count that is not zero, from the place on; its place, or PAGES *
 * COUNTS. */
static uint32_t find(const struct number_sketch *sketch, uint32_t place)
{
	while (place < PAGES * COUNTS) {
		const uint64_t *page = page_of(sketch, place);

		if (!sketch->groups[place / (GROUP_PAGES * COUNTS)])
			place = (place / (GROUP_PAGES * COUNTS) + 1) *
				(GROUP_PAGES * COUNTS);
		else if (!page)
			place = (place / COUNTS + 1) * COUNTS;
		else if (page[place % COUNTS] == 0)
			place++;
		else
			break;
	}
	return place;
}

bool number_sketch_next(
	const struct number_sketch *sketch, struct number_sketch_bucket *bucket)
{
	uint32_t place = find(sketch, bucket->next);
	uint64_t least = (uint64_t)place << DROPPED_BITS;

	if (place == PAGES * COUNTS)
		return false;
	bucket->next = place + 1;
	bucket->low = value_of(least);
	bucket->high = value_of(least + (((uint64_t)1 << DROPPED_BITS) - 1));
	bucket->count = page_of(sketch, place)[place % COUNTS];
	return true;
}

/* Adds all counts of the other.  False: no memory. */
static bool number_sketch_merge(
	struct number_sketch *sketch, const struct number_sketch *other)
{
	uint32_t place = find(other, 0);

	for (; place < PAGES * COUNTS; place = find(other, place + 1))
		if (!sketch_add(sketch, place,
			    page_of(other, place)[place % COUNTS], NULL))
			return false;
	return true;
}

static void free_group(uint64_t **group, size_t *left)
{
	size_t i;

	for (i = 0; i < GROUP_PAGES; i++) {
		if (group[i] && left)
			*left += PAGE_BYTES;
		free(group[i]);
	}
	if (left)
		*left += GROUP_BYTES;
	free(group);
}

/* Frees what it owns and gives back to *left; it is empty again. */
static void number_sketch_free(struct number_sketch *sketch, size_t *left)
{
	size_t i;

	for (i = 0; i < NUMBER_SKETCH_GROUPS; i++)
		if (sketch->groups[i])
			free_group(sketch->groups[i], left);
	*sketch = (struct number_sketch){0};
}

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

/* The same for one that may be a fraction, or none. */
static void numbers_add_float(struct numbers *numbers,
	struct numbers_room *room, double value, uint64_t times)
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

/*
 * The numbers that an argument has had, site by site: what --values,
 * --histogram and --rcdf show.  Takes messages one by one, and batches of
 * packed logs as columns.
 */

#define ARGUMENT_NUMBERS_PIECE ((size_t)1 << 10)

/* Null: out of memory. */
static struct argument_site *site_of(
	struct argument_numbers *numbers, const struct message *message)
{
	struct argument_site *site =
		message_sites_find(&numbers->sites, message);

	if (!site)
		numbers->failed = true;
	return site;
}

void argument_numbers_message(
	struct argument_numbers *numbers, const struct message *message)
{
	const struct field *field;
	struct named_field_value value;
	struct argument_site *site;

	if (message_is_event(message) || message->continues)
		return;
	numbers->asked = true;
	field = named_field_number(message, numbers->name);
	if (!field)
		return;
	value = named_field_value(field, message);
	site = value.known ? site_of(numbers, message) : NULL;
	if (!site)
		return;
	if (value.fractional)
		numbers_add_float(&site->numbers, &numbers->room,
			(double)value.number, 1);
	else
		numbers_add_integer(
			&site->numbers, &numbers->room, value.number, 1);
	if (numbers->bars && value.number - value.number == 0)
		number_bars_add(numbers->bars, value.number, 1);
}

_Static_assert(DROPPED_BITS == NUMBERS_BUCKET_SHIFT, "others count by it");

double numbers_bucket_low(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	bits = bits >> DROPPED_BITS << DROPPED_BITS;
	memcpy(&value, &bits, sizeof(bits));
	return value;
}

void argument_numbers_add(struct argument_numbers *numbers,
	const struct message *example, const struct numbers_sums *sums)
{
	struct argument_site *site = site_of(numbers, example);
	const long double count = (long double)sums->count;
	/* of negative values the largest is the one next to zero */
	const long double low = numbers_bucket_low(
		(double)(sums->least < 0 ? sums->most : sums->least));
	const long double mean =
		sums->differences / count + (low - sums->least);
	const struct numbers part = {
		.count = sums->count,
		.fractional = sums->fractional,
		.least = sums->least,
		.most = sums->most,
		.origin = sums->least,
		.sum = sums->differences + count * (low - sums->least),
		.squares = count * (sums->variance + mean * mean),
	};

	if (!site)
		return;
	numbers_merge(&site->numbers, &numbers->room, &part);
	sketch(&site->numbers, &numbers->room, (double)sums->least,
		sums->count);
	numbers->asked = true;
}

void argument_numbers_add_to_bars(
	struct argument_numbers *numbers, long double value, uint64_t count)
{
	number_bars_add(numbers->bars, value, count);
}

static bool needs(void *closure, const struct message *example)
{
	struct argument_numbers *numbers = closure;

	if (named_field_number(example, numbers->name))
		return true;
	numbers->asked = true;
	return false;
}

/* Long doubles are none of a column of numbers. */
static bool accepts(void *closure, const struct batch_rows *rows)
{
	const struct argument_numbers *numbers = closure;
	const struct field *field =
		named_field_number(&rows->example, numbers->name);

	return !field || field->kind != BINLOG_ARG_LONG_DOUBLE;
}

/* Of the next rows those values that are chosen, to the front. */
static size_t keep_chosen(const struct batch_rows *rows, size_t first,
	int64_t *values, size_t count)
{
	const uint8_t *chosen;
	size_t kept = 0;
	size_t i;

	if (!rows->chosen)
		return count;
	chosen = rows->chosen + first;
	for (i = 0; i < count; i++) {
		values[kept] = values[i];
		kept += chosen[i];
	}
	return kept;
}

static bool are_large(const int64_t *values, size_t count)
{
	int64_t all = 0;
	size_t i;

	for (i = 0; i < count; i++)
		all |= values[i];
	return all < 0;
}

static void add_unsigned(struct argument_numbers *numbers,
	struct argument_site *site, const int64_t *values, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		long double value = (uint64_t)values[i];

		numbers_add_integer(&site->numbers, &numbers->room, value, 1);
		if (numbers->bars)
			number_bars_add(numbers->bars, value, 1);
	}
}

static void add_integers(struct argument_numbers *numbers,
	struct argument_site *site, const struct field *field,
	const int64_t *values, size_t count)
{
	if (!column_values_are_signed(field->conversion) &&
		are_large(values, count)) {
		add_unsigned(numbers, site, values, count);
		return;
	}
	numbers_add_integers(&site->numbers, &numbers->room, values, count);
	if (numbers->bars)
		number_bars_add_integers(numbers->bars, values, count);
}

static void add_floats(struct argument_numbers *numbers,
	struct argument_site *site, const int64_t *bits, size_t count)
{
	double values[ARGUMENT_NUMBERS_PIECE];

	memcpy(values, bits, count * sizeof(*values));
	numbers_add_floats(&site->numbers, &numbers->room, values, count);
	if (numbers->bars)
		number_bars_add_floats(numbers->bars, values, count);
}

/* All values of it are the same. */
static void add_constant(struct argument_numbers *numbers,
	struct argument_site *site, const struct field *field,
	struct column column, uint64_t times)
{
	long double value;
	int64_t bits;
	double number;

	if (field->kind == BINLOG_ARG_F64) {
		column_values_floats(&column, &number, 1);
		value = number;
		numbers_add_float(
			&site->numbers, &numbers->room, number, times);
	} else {
		column_values_integers(&column, field, &bits, 1);
		value = column_values_are_signed(field->conversion)
				? (long double)bits
				: (long double)(uint64_t)bits;
		numbers_add_integer(
			&site->numbers, &numbers->room, value, times);
	}
	if (numbers->bars && value - value == 0)
		number_bars_add(numbers->bars, value, times);
}

static void add_column(struct argument_numbers *numbers,
	struct argument_site *site, const struct field *field,
	const struct batch_rows *rows, struct column column)
{
	int64_t values[ARGUMENT_NUMBERS_PIECE];
	size_t done = 0;

	while (done < rows->count) {
		size_t left = rows->count - done;
		size_t piece = left < ARGUMENT_NUMBERS_PIECE
				       ? left
				       : ARGUMENT_NUMBERS_PIECE;
		size_t kept;

		if (field->kind == BINLOG_ARG_F64)
			column_values_bits(&column, values, piece);
		else
			column_values_integers(&column, field, values, piece);
		kept = keep_chosen(rows, done, values, piece);
		if (field->kind == BINLOG_ARG_F64)
			add_floats(numbers, site, values, kept);
		else
			add_integers(numbers, site, field, values, kept);
		done += piece;
	}
}

static void numbers_take(void *closure, const struct batch_rows *rows)
{
	struct argument_numbers *numbers = closure;
	const struct field *field =
		named_field_number(&rows->example, numbers->name);
	struct argument_site *site =
		field ? site_of(numbers, &rows->example) : NULL;
	struct column column;

	if (!site)
		return;
	column =
		packed_columns_numbers(rows->body, rows->site, field->argument);
	if (column_values_are_constant(&column))
		add_constant(numbers, site, field, column, rows->chosen_count);
	else
		add_column(numbers, site, field, rows, column);
}

struct argument_numbers *argument_numbers_new(
	const struct style_settings *settings)
{
	struct argument_numbers *numbers = calloc(1, sizeof(*numbers));

	if (!numbers)
		return NULL;
	numbers->settings = *settings;
	numbers->name = settings->options->argument;
	numbers->room = numbers_room();
	message_sites_begin(&numbers->sites, sizeof(struct argument_site),
		settings->location);
	numbers->fold = (struct batch_fold){
		.needs = needs,
		.accepts = accepts,
		.take = numbers_take,
		.closure = numbers,
	};
	if (settings->batches)
		settings->batches->fold = &numbers->fold;
	return numbers;
}

static int compare(const void *one, const void *other)
{
	const struct argument_site *a = *(struct argument_site *const *)one;
	const struct argument_site *b = *(struct argument_site *const *)other;

	if (a->numbers.count != b->numbers.count)
		return a->numbers.count < b->numbers.count ? 1 : -1;
	return message_sites_compare(&a->site, &b->site);
}

struct numbers argument_numbers_sum(struct argument_numbers *numbers)
{
	struct numbers sum = {0};
	size_t i;

	message_sites_sort(&numbers->sites, compare);
	for (i = 0; i < numbers->sites.count; i++) {
		struct argument_site *site =
			(struct argument_site *)numbers->sites.all[i];

		numbers_merge(&sum, &numbers->room, &site->numbers);
	}
	numbers_add_spilled(&sum, &numbers->room);
	return sum;
}

void argument_numbers_complain(const struct argument_numbers *numbers)
{
	if (numbers->asked && numbers->sites.count == 0 && !numbers->failed)
		number_rows_no_argument(
			numbers->settings.output, numbers->name);
}

void argument_numbers_free(struct argument_numbers *numbers)
{
	struct output *output = numbers->settings.output;
	size_t i;

	if ((numbers->failed || numbers->room.failed) && output->failed == 0)
		output->failed = ENOMEM;
	for (i = 0; i < numbers->sites.count; i++) {
		struct argument_site *site =
			(struct argument_site *)numbers->sites.all[i];

		numbers_free(&site->numbers, &numbers->room);
	}
	message_sites_end(&numbers->sites);
	numbers_room_free(&numbers->room);
	number_bars_free(numbers->bars);
	free(numbers);
}
