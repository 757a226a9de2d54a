/* Columns as the packer writes them, against the reader of packed logs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/pack/column_doubles.h"
#include "decoder/pack/column_phrases.h"
#include "decoder/pack/string_columns.h"
#include "decoder/packed/column_read.h"
#include "decoder/packed/column_strings.h"

#define VALUES 3000u
#define ROUNDS 40u

static uint64_t state = 1;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint64_t below(uint64_t limit)
{
	return next_random() % limit;
}

/* Values of every kind that a column may be good for. */
enum kind {
	ALL_SAME,
	NARROW,
	WIDE,
	NEGATIVE,
	RISING,
	STEPS,
	SCALED,
	FEW,
	OUTLIERS,
	FIRST_IS_ANOTHER,
	EXTREME,
	KINDS
};

static uint64_t value_of(enum kind kind, size_t i, unsigned width)
{
	uint64_t any =
		width >= 8 ? next_random() : below((uint64_t)1 << 8 * width);

	switch (kind) {
	case ALL_SAME:
		return 0 - (uint64_t)7;
	case NARROW:
		return 1000 + below(200);
	case NEGATIVE:
		return 0 - any;
	case RISING:
		return (uint64_t)i * 8 + below(8) + ((uint64_t)width << 40);
	case STEPS:
		return (uint64_t)i * 4096;
	case SCALED:
		return 26 * below(5000);
	case FEW:
		return ((uint64_t)below(5) << 8 * (width % 8)) * 77;
	case OUTLIERS:
		return below(100) ? 26 + below(50) : next_random();
	case FIRST_IS_ANOTHER:
		return i == 0 ? next_random() : below(100);
	case EXTREME:
		return below(2) ? (uint64_t)INT64_MIN : (uint64_t)INT64_MAX;
	default:
		return any;
	}
}

static void check_numbers(const struct render_buffer *bytes,
	const uint64_t *values, size_t count,
	const struct column_groups *groups)
{
	struct cursor cursor = cursor_over(bytes->data, bytes->length);
	struct column_store store = {0};
	struct column column;
	size_t i;

	assert_false(bytes->failed);
	assert_true(
		column_read_numbers(&cursor, &store, count, groups, &column));
	assert_int_equal(cursor_left(&cursor), 0);
	for (i = 0; i < count; i++)
		assert_true(column_read_next(&column) == values[i]);
	column_store_free(&store);
}

static void columns_of_numbers_read_back_as_they_were(void **test)
{
	struct column_write writer = {0};
	struct render_buffer bytes = {0};
	static uint64_t values[VALUES];
	unsigned round;

	(void)test;
	for (round = 0; round < ROUNDS * KINDS; round++) {
		size_t count = 1 + below(round % 3 ? 20 : VALUES);
		size_t i;

		for (i = 0; i < count; i++)
			values[i] = value_of(
				round % KINDS, i, 1 + round / KINDS % 8);
		bytes.length = 0;
		column_write_numbers(&writer, &bytes, values, count);
		check_numbers(&bytes, values, count, NULL);
	}
	render_buffer_free(&bytes);
	column_write_free(&writer);
}

static void a_column_takes_no_more_than_its_widest_value_says(void **test)
{
	struct column_write writer = {0};
	struct render_buffer bytes = {0};
	static uint64_t values[VALUES];
	unsigned round;

	(void)test;
	for (round = 0; round < 8 * ROUNDS; round++) {
		unsigned width = 1 + round % 8;
		size_t i;

		for (i = 0; i < VALUES; i++)
			values[i] = value_of(WIDE, i, width);
		bytes.length = 0;
		column_write_numbers(&writer, &bytes, values, VALUES);
		assert_true(bytes.length <= width * VALUES + 16);
	}
	render_buffer_free(&bytes);
	column_write_free(&writer);
}

static void columns_of_doubles_read_back_as_they_were(void **test)
{
	static const double odd[] = {0.0, -0.0, 1e300, 1.0 / 3, -7.25};
	struct column_write writer = {0};
	struct render_buffer bytes = {0};
	static uint64_t values[VALUES];
	unsigned round;

	(void)test;
	for (round = 0; round < ROUNDS; round++) {
		double unit =
			round % 4 == 3 ? 3 : (double[]){1, 100, 1e6}[round % 4];
		size_t i;

		for (i = 0; i < VALUES; i++) {
			double value = (double)((int64_t)below(50000) - 9000);

			value = below(40) ? value / unit : odd[below(5)];
			memcpy(&values[i], &value, sizeof(value));
		}
		bytes.length = 0;
		column_doubles_write(&writer, &bytes, values, VALUES);
		check_numbers(&bytes, values, VALUES, NULL);
		assert_true(round % 4 == 3 || bytes.data[0] == PACKED_DECIMAL);
	}
	render_buffer_free(&bytes);
	column_write_free(&writer);
}

static size_t bytes_of(enum kind kind)
{
	struct column_write writer = {0};
	struct render_buffer bytes = {0};
	static uint64_t values[VALUES];
	size_t length, i;

	for (i = 0; i < VALUES; i++)
		values[i] = value_of(kind, i, 4);
	column_write_numbers(&writer, &bytes, values, VALUES);
	length = bytes.length;
	render_buffer_free(&bytes);
	column_write_free(&writer);
	return length;
}

static void what_is_regular_takes_little(void **test)
{
	(void)test;
	assert_true(bytes_of(ALL_SAME) <= 12);
	assert_true(bytes_of(STEPS) <= 24);
	assert_true(bytes_of(NARROW) <= VALUES + 16);
	assert_true(bytes_of(RISING) <= VALUES + 16);
	assert_true(bytes_of(FEW) <= VALUES + 64);
	assert_true(bytes_of(FIRST_IS_ANOTHER) <= VALUES + 32);
	assert_true(bytes_of(OUTLIERS) <= VALUES + VALUES / 100 * 2 * 12);
}

/* The sites of messages, and the groups that these make. */
struct sites {
	uint64_t places[VALUES];
	uint32_t order[VALUES];
	uint32_t counts[64];
	size_t count;
};

/* Lines of a few sites each, some of which come again and again. */
static void make_sites(struct sites *sites, size_t count, bool *starts)
{
	uint32_t start[64] = {0};
	size_t i;

	memset(sites->counts, 0, sizeof(sites->counts));
	sites->count = 1 + below(20);
	for (i = 0; i < count; i++) {
		starts[i] = i % 7 == 0;
		sites->places[i] = i < sites->count ? i
				   : i % 7 < 6	    ? i % 7 % sites->count
						    : below(sites->count);
		sites->counts[sites->places[i]]++;
	}
	for (i = 1; i < sites->count; i++)
		start[i] = start[i - 1] + sites->counts[i - 1];
	for (i = 0; i < count; i++)
		sites->order[start[sites->places[i]]++] = (uint32_t)i;
}

static void sites_and_what_depends_on_them_read_back(void **test)
{
	struct column_write writer = {0};
	struct render_buffer bytes = {0};
	static struct sites sites;
	static uint64_t values[VALUES];
	static bool starts[VALUES];
	unsigned grouped = 0;
	unsigned phrases = 0;
	struct pack_choice choices[2] = {0};
	unsigned round;
	size_t i;

	(void)test;
	for (round = 0; round < ROUNDS; round++) {
		size_t count = 64 + below(VALUES - 64);
		struct column_groups read = {0};
		struct column_write_groups groups;

		make_sites(&sites, count, starts);
		groups = (struct column_write_groups){
			sites.order, sites.counts, sites.count};
		bytes.length = 0;
		column_phrases_write(&writer, &bytes, sites.places, count,
			starts, &choices[0]);
		phrases += bytes.data[0] == PACKED_PHRASES;
		check_numbers(&bytes, sites.places, count, NULL);
		for (i = 0; i < count; i++)
			values[i] = sites.places[i] == 0 ? 100 * below(200)
							 : 7 * sites.places[i];
		bytes.length = 0;
		column_write_grouped(
			&writer, &bytes, values, count, &groups, &choices[1]);
		grouped += bytes.data[0] == PACKED_GROUPED;
		read.sites = (struct column){sites.places, 1, 0, 0};
		read.messages = sites.counts;
		read.count = sites.count;
		check_numbers(&bytes, values, count, &read);
	}
	assert_true(grouped > ROUNDS / 2);
	assert_true(phrases > ROUNDS / 2);
	render_buffer_free(&bytes);
	column_write_free(&writer);
}

enum text { RANDOM, ADDRESSES, COMMANDS, HEX, PADDED, NULLS, CONTROLS, TEXTS };

/* Null: a null pointer. */
static const char *text_of(enum text text, size_t i)
{
	static char buffer[256];
	size_t size, k;

	switch (text) {
	case ADDRESSES:
		sprintf(buffer, "10.0.%u.%u", (unsigned)below(4),
			(unsigned)below(256));
		return buffer;
	case COMMANDS:
		sprintf(buffer, below(2) ? "get user:%zu" : "set item%zu 0 %zu",
			i * 3, (size_t)below(1000));
		return buffer;
	case HEX:
		sprintf(buffer, "0x%zx at %zx <main>", 0x4000 + i,
			(size_t)below(UINT32_MAX));
		return buffer;
	case PADDED:
		sprintf(buffer, "%02u:%02u.%06u %018u", (unsigned)below(24),
			(unsigned)below(60), (unsigned)below(1000000),
			(unsigned)below(1000));
		return buffer;
	case NULLS:
		return below(2) ? NULL : "";
	default:
		size = below(40);
		for (k = 0; k < size; k++)
			buffer[k] = (char)(text == CONTROLS ? 1 + below(60)
							    : 32 + below(90));
		buffer[size] = '\0';
		return buffer;
	}
}

static void check_strings(const struct render_buffer *bytes,
	const struct string_value *values, size_t count)
{
	struct cursor cursor = cursor_over(bytes->data, bytes->length);
	struct column_store store = {0};
	struct column_strings column;
	size_t i;

	assert_false(bytes->failed);
	assert_true(column_strings_read(&cursor, &store, count, &column));
	assert_int_equal(cursor_left(&cursor), 0);
	for (i = 0; i < count; i++) {
		struct column_value value = column_strings_next(&column);

		assert_true(!value.data == !values[i].bytes);
		if (!value.data)
			continue;
		assert_int_equal(value.size, values[i].size);
		assert_memory_equal(value.data, values[i].bytes, value.size);
	}
	column_store_free(&store);
}

static void columns_of_strings_read_back_as_they_were(void **test)
{
	struct column_write numbers = {0};
	struct string_columns writer = {.numbers = &numbers};
	struct render_buffer bytes = {0};
	static struct string_value values[VALUES];
	unsigned templates = 0;
	unsigned round;

	(void)test;
	for (round = 0; round < ROUNDS * TEXTS; round++) {
		size_t count = 1 + below(round % 3 ? 30 : VALUES);
		size_t i;

		for (i = 0; i < count; i++) {
			const char *text =
				text_of(below(50) ? round % TEXTS : RANDOM, i);

			values[i] = (struct string_value){0};
			if (!text)
				continue;
			values[i].bytes = strdup(text);
			values[i].size = (uint32_t)strlen(text);
		}
		bytes.length = 0;
		string_columns_write(&writer, &bytes, values, count);
		check_strings(&bytes, values, count);
		templates += bytes.data[0] == PACKED_STRINGS_TEMPLATES;
		for (i = 0; i < count; i++)
			free((void *)(uintptr_t)values[i].bytes);
	}
	assert_true(templates > ROUNDS / 3);
	render_buffer_free(&bytes);
	string_columns_free(&writer);
	column_write_free(&numbers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_of_numbers_read_back_as_they_were),
		cmocka_unit_test(
			a_column_takes_no_more_than_its_widest_value_says),
		cmocka_unit_test(columns_of_doubles_read_back_as_they_were),
		cmocka_unit_test(what_is_regular_takes_little),
		cmocka_unit_test(sites_and_what_depends_on_them_read_back),
		cmocka_unit_test(columns_of_strings_read_back_as_they_were),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
