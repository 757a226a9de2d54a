#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/packed/column_strings.h"
#include "record/packed.h"

#define BYTES(literal) (const uint8_t *)(literal), sizeof(literal) - 1

static struct column_store store;

/* The column in these bytes has these values, and nothing is left. */
static void expect(const uint8_t *bytes, size_t size, size_t count,
	const uint64_t *values, const struct column_groups *groups)
{
	struct cursor cursor = cursor_over(bytes, size);
	struct column column;
	size_t i;

	column_store_reset(&store);
	assert_true(
		column_read_numbers(&cursor, &store, count, groups, &column));
	assert_int_equal(cursor_left(&cursor), 0);
	for (i = 0; i < count; i++)
		assert_int_equal(column_read_next(&column), values[i]);
	if (groups)
		return;
	cursor = cursor_over(bytes, size);
	assert_true(column_read_skip(&cursor, &store, count));
	assert_int_equal(cursor_left(&cursor), 0);
}

static void refuse_grouped(const uint8_t *bytes, size_t size, size_t count,
	const struct column_groups *groups)
{
	struct cursor cursor = cursor_over(bytes, size);
	struct column column;

	column_store_reset(&store);
	assert_false(
		column_read_numbers(&cursor, &store, count, groups, &column));
}

static void refuse(const uint8_t *bytes, size_t size, size_t count)
{
	struct cursor cursor = cursor_over(bytes, size);

	refuse_grouped(bytes, size, count, NULL);
	assert_false(column_read_skip(&cursor, &store, count));
}

static void columns_of_every_kind_are_read(void **state)
{
	static const uint64_t same[] = {3, 3, 3};
	static const uint64_t planes[] = {5, 6, 260};
	static const uint64_t patched[] = {1, UINT64_MAX, 3};
	static const uint64_t even[] = {10, 8, 6};
	static const uint64_t uneven[] = {10, 8, 9};
	static const uint64_t picked[] = {7, 9, 7};
	static const uint64_t phrases[] = {1, 2, 1, 2, 9, 1, 2};
	static const uint64_t scaled[] = {20, 7, 40};

	(void)state;
	expect(BYTES("\0\6"), 3, same, NULL);
	expect(BYTES("\1\2\12\0\1\377\0\0\0"), 3, planes, NULL);
	expect(BYTES("\2\1\0\1\0\3\1\1\1"), 3, patched, NULL);
	expect(BYTES("\3\24\0\3"), 3, even, NULL);
	expect(BYTES("\3\24\1\1\0\376\1"), 3, (const uint64_t[]){10, 264, 265},
		NULL);
	expect(BYTES("\3\24\1\1\3\0\3"), 3, uneven, NULL);
	expect(BYTES("\4\2\16\22\1\1\0\0\1\0"), 3, picked, NULL);
	expect(BYTES("\6\2\1\1\0\2\1\1\1\0\1\2\11\4\1\1\0\0\0\1\0"), 7, phrases,
		NULL);
	expect(BYTES("\7\12\1\1\16\1\1\0\2\0\4"), 3, scaled, NULL);
}

static void numbers_have_up_to_64_bits(void **state)
{
	static const uint64_t most[] = {(uint64_t)1 << 63};

	(void)state;
	expect(BYTES("\0\377\377\377\377\377\377\377\377\377\1"), 1, most,
		NULL);
	refuse(BYTES("\0\377\377\377\377\377\377\377\377\377\2"), 1);
	refuse(BYTES("\0\377\377\377\377\377\377\377\377\377\377\1"), 1);
	refuse(BYTES("\0\377"), 1);
}

static void groups_are_put_in_the_order_of_calls(void **state)
{
	static const uint64_t sites[] = {1, 0, 1, 1};
	static const uint64_t values[] = {7, 5, 8, 9};
	static const uint32_t messages[] = {1, 3}, more[] = {1, 4};
	const struct column_groups groups = {
		{.at = sites, .stride = 1}, messages, 2};
	const struct column_groups others = {
		{.at = sites, .stride = 1}, more, 2};

	(void)state;
	expect(BYTES("\5\0\12\3\16\0\2"), 4, values, &groups);
	refuse(BYTES("\5\0\12\3\16\0\2"), 4);
	refuse_grouped(BYTES("\5\0\12\3\16\0\2"), 4, &others);
	refuse_grouped(BYTES("\3\0\5\0\12\3\16\0\2"), 5, &groups);
}

static void impossible_columns_are_refused(void **state)
{
	(void)state;
	refuse(BYTES(""), 1);
	refuse(BYTES("\10\0"), 1);
	refuse(BYTES("\1\0\0"), 1);		     /* no width */
	refuse(BYTES("\1\11\0abcdefghi"), 1);	     /* too wide */
	refuse(BYTES("\1\1\0ab"), 3);		     /* cut off */
	refuse(BYTES("\2\1\0abc\1\3\0"), 3);	     /* beyond the end */
	refuse(BYTES("\2\1\0abc\2\2\0\1\0"), 3);     /* likewise */
	refuse(BYTES("\4\2\0\0\1\1\0\0\2\0"), 3);    /* no such place */
	refuse(BYTES("\4\377\377\377\377\17\0"), 3); /* too many */
	refuse(BYTES("\6\1\0\0\0\2\0\0"), 3);	     /* empty phrases */
	refuse(BYTES("\6\1\0\6\0\2\1\0\0"), 2);	     /* too long */
	refuse(BYTES("\6\1\0\2\0\2\2\0\0"), 3);	     /* too few */
	refuse(BYTES("\6\1\0\4\0\2\2\0\0"), 3);	     /* too many */
	refuse(BYTES("\7\2\1\5\0\0\2"), 3);
}

static void a_column_of_nothing_takes_no_bytes(void **state)
{
	struct cursor cursor = cursor_over(BYTES("\1\1\0"));

	(void)state;
	column_store_reset(&store);
	assert_true(column_read_skip(&cursor, &store, 0));
	assert_int_equal(cursor_left(&cursor), 3);
}

static void columns_are_nested_no_deeper_than_allowed(void **state)
{
	static const uint64_t values[] = {0, 0, 1, 3};
	static const uint64_t deeper[] = {0, 0, 0, 1, 4};

	(void)state;
	expect(BYTES("\3\0\3\0\0\2"), 4, values, NULL);
	expect(BYTES("\3\0\3\0\3\0\0\2"), 5, deeper, NULL);
	refuse(BYTES("\3\0\3\0\3\0\3\0\0\2"), 5);
}

static void low_bits_may_be_apart(void **state)
{
	static const uint64_t values[] = {16 + 3, 16 + 15, 16 + 1};

	(void)state;
	expect(BYTES("\11\4\0\2\363\1"), 3, values, NULL);
	refuse(BYTES("\11\4\0\2\363"), 3);
	refuse(BYTES("\11\0\0\2\363\1"), 3);
	refuse(BYTES("\11\21\0\2\363\1\1\1\1\1\1\1"), 3);
	refuse(BYTES("\11\4\11\4\0\2\363\1\363\1"), 3);
	refuse(BYTES("\3\0\11\4\0\2\363"), 3);
}

static void columns_take_a_bounded_amount_of_memory(void **state)
{
	struct column column;
	size_t total = 0;

	(void)state;
	column_store_reset(&store);
	for (;;) {
		struct cursor cursor = cursor_over(BYTES("\3\0\3\0\0\2"));

		if (!column_read_numbers(&cursor, &store, PACKED_MESSAGES_MAX,
			    NULL, &column))
			break;
		total += PACKED_MESSAGES_MAX * sizeof(uint64_t);
		assert_true(total <= COLUMN_STORE_MAX);
	}
	column_store_reset(&store);
	assert_non_null(column_store_take(&store, COLUMN_STORE_MAX));
	assert_null(column_store_take(&store, 1));
	assert_null(column_store_take(&store, SIZE_MAX));
	column_store_free(&store);
}

static void expect_strings(const uint8_t *bytes, size_t size, size_t count,
	const char *const *values)
{
	struct cursor cursor = cursor_over(bytes, size);
	struct column_strings column;
	size_t i;

	column_store_reset(&store);
	assert_true(column_strings_read(&cursor, &store, count, &column));
	assert_int_equal(cursor_left(&cursor), 0);
	for (i = 0; i < count; i++) {
		struct column_value value = column_strings_next(&column);

		if (!values[i]) {
			assert_null(value.data);
			continue;
		}
		assert_int_equal(value.size, strlen(values[i]));
		assert_memory_equal(value.data, values[i], value.size);
	}
}

static void refuse_strings(const uint8_t *bytes, size_t size, size_t count)
{
	struct cursor cursor = cursor_over(bytes, size);
	struct column_strings column;

	column_store_reset(&store);
	assert_false(column_strings_read(&cursor, &store, count, &column));
}

static void strings_are_read(void **state)
{
	static const char *const plain[] = {"ab", NULL, "", "c"};
	static const char *const picked[] = {"b", "a", "b"};
	static const char *const made[] = {
		"n=7;", "x00ff", "n=18446744073709551615;", "a", NULL};

	(void)state;
	expect_strings(BYTES("\0\1\1\0\3\0\1\2abc"), 4, plain);
	expect_strings(BYTES("\1\2\0\4ab\1\1\0\1\0\1"), 3, picked);
	expect_strings(BYTES("\2\4\1\1\0\5\4\2\0n=\1;x\4\4a"
			     "\1\1\0\0\1\0\2\3" /* places */
			     "\3\16\0\17"	/* 7 and -1 */
			     "\0\376\3"),
		5, made);
}

static void impossible_strings_are_refused(void **state)
{
	(void)state;
	refuse_strings(BYTES("\3\0"), 1);
	refuse_strings(BYTES("\0\0\10ab"), 1);
	refuse_strings(BYTES("\0\0\377\377\377\377\377\377\377\377\377\1"), 3);
	refuse_strings(BYTES("\1\1\0\4a\0\2"), 3);
	refuse_strings(BYTES("\1\377\377\7\0\0\0\0"), 3);
	refuse_strings(BYTES(""), 1);
	refuse_strings(BYTES("\2\1\0\4\3\0\0\0"), 1);	   /* cut off */
	refuse_strings(BYTES("\2\1\0\6\3\0\0\0"), 1);	   /* no width */
	refuse_strings(BYTES("\2\1\0\6\3\25\0\0\0\0"), 1); /* too wide */
	refuse_strings(BYTES("\2\1\0\4\1\0\0"), 1);	   /* no numbers */
}

/* "\2\1\0": one string for all; its size, itself, the place, the number. */
static void templates_have_a_bounded_size(void **state)
{
	uint8_t bytes[PACKED_TEMPLATE_MAX + 16] = {2, 1, 0};
	struct column_strings column;
	struct cursor cursor;
	size_t size;

	(void)state;
	for (size = PACKED_TEMPLATE_MAX; size <= PACKED_TEMPLATE_MAX + 1;
		size++) {
		uint64_t told = 2 * (size + 1);

		bytes[3] = (uint8_t)(told | 0x80);
		bytes[4] = (uint8_t)(told >> 7);
		memset(bytes + 5, 'x', size);
		bytes[5] = 1;
		memcpy(bytes + 5 + size, "\0\0\0\16", 4);
		cursor = cursor_over(bytes, 5 + size + 4);
		column_store_reset(&store);
		assert_int_equal(
			column_strings_read(&cursor, &store, 1, &column),
			size <= PACKED_TEMPLATE_MAX);
	}
}

static void strings_of_nothing_take_no_bytes(void **state)
{
	struct cursor cursor = cursor_over(BYTES("\0"));
	struct column_strings column;

	(void)state;
	column_store_reset(&store);
	assert_true(column_strings_read(&cursor, &store, 0, &column));
	assert_int_equal(cursor_left(&cursor), 1);
}

static void long_doubles_are_there_as_a_whole_or_not(void **state)
{
	static const uint8_t bytes[2 * 16] = {1};
	struct cursor cursor = cursor_over(bytes, sizeof(bytes));
	struct column_strings column;

	(void)state;
	assert_false(column_strings_read_long_doubles(&cursor, 3, &column));
	assert_true(column_strings_read_long_doubles(&cursor, 2, &column));
	assert_int_equal(cursor_left(&cursor), 0);
}

/* A column of each kind that takes memory on the way. */
static void read_with_room(size_t room)
{
	static const struct {
		const char *bytes;
		size_t size;
		size_t count;
		bool strings;
	} columns[] = {
		{"\4\2\16\22\1\1\0\0\1\0", 10, 3, false},
		{"\6\2\1\1\0\2\1\1\1\0\1\2\11\4\1\1\0\0\0\1\0", 21, 7, false},
		{"\1\2\0\4ab\1\1\0\1\0\1", 12, 3, true},
		{"\2\1\0\6n\1\0\0\1\1\0abc", 14, 3, true},
	};
	struct column_strings strings;
	struct column column;
	size_t i;

	for (i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		struct cursor cursor =
			cursor_over(columns[i].bytes, columns[i].size);
		bool good;

		column_store_reset(&store);
		column_store_take(&store, COLUMN_STORE_MAX - room);
		good = columns[i].strings
			       ? column_strings_read(&cursor, &store,
					 columns[i].count, &strings)
			       : column_read_numbers(&cursor, &store,
					 columns[i].count, NULL, &column);
		assert_true(good || room < 256);
		assert_false(good && room == 0);
	}
}

static void without_room_columns_are_refused(void **state)
{
	size_t room;

	(void)state;
	for (room = 0; room <= 256; room += 8)
		read_with_room(room);
	column_store_free(&store);
}

static void without_room_groups_are_refused(void **state)
{
	static const uint64_t sites[] = {1, 0, 1, 1};
	static const uint32_t messages[] = {1, 3};
	const struct column_groups groups = {
		{.at = sites, .stride = 1}, messages, 2};
	struct column column;
	size_t room;

	(void)state;
	for (room = 0; room <= 80; room += 8) {
		struct cursor cursor = cursor_over(BYTES("\5\0\12\3\16\0\2"));

		column_store_reset(&store);
		column_store_take(&store, COLUMN_STORE_MAX - room);
		assert_int_equal(column_read_numbers(
					 &cursor, &store, 4, &groups, &column),
			room >= (4 + 4 + 2) * sizeof(uint64_t));
	}
	column_store_free(&store);
}

/* Under a sanitizer, or valgrind, this finds what is read beyond the end. */
static void random_bytes_are_read_or_refused(void **state)
{
	uint32_t seed = 1;
	int round;

	(void)state;
	for (round = 0; round < 200000; round++) {
		size_t size = 1 + (seed >> 16) % 24;
		size_t count = 1 + (seed >> 8) % 9;
		uint8_t *bytes = malloc(size);
		struct column_strings strings;
		struct column column;
		struct cursor cursor;
		size_t i;

		assert_non_null(bytes);
		for (i = 0; i < size; i++) {
			seed = seed * 1664525u + 1013904223u;
			bytes[i] = (uint8_t)(seed >> 24) % (i % 3 ? 9 : 255);
		}
		column_store_reset(&store);
		cursor = cursor_over(bytes, size);
		if (column_read_numbers(&cursor, &store, count, NULL, &column))
			for (i = 0; i < count; i++)
				column_read_next(&column);
		cursor = cursor_over(bytes, size);
		if (column_strings_read(&cursor, &store, count, &strings))
			for (i = 0; i < count; i++)
				column_strings_next(&strings);
		free(bytes);
	}
}

/* Each column needs somewhat more than all before it have left behind. */
static void memory_for_columns_that_grow_is_bounded(void **test)
{
	static const struct column_store_mark none;
	size_t size;

	(void)test;
	for (size = 100000; size < 600000; size += 64) {
		assert_non_null(column_store_take(&store, size));
		column_store_return(&store, none);
		assert_true(store.held <= 2 * COLUMN_STORE_MAX);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_of_every_kind_are_read),
		cmocka_unit_test(numbers_have_up_to_64_bits),
		cmocka_unit_test(groups_are_put_in_the_order_of_calls),
		cmocka_unit_test(impossible_columns_are_refused),
		cmocka_unit_test(a_column_of_nothing_takes_no_bytes),
		cmocka_unit_test(columns_are_nested_no_deeper_than_allowed),
		cmocka_unit_test(low_bits_may_be_apart),
		cmocka_unit_test(columns_take_a_bounded_amount_of_memory),
		cmocka_unit_test(memory_for_columns_that_grow_is_bounded),
		cmocka_unit_test(strings_are_read),
		cmocka_unit_test(impossible_strings_are_refused),
		cmocka_unit_test(templates_have_a_bounded_size),
		cmocka_unit_test(strings_of_nothing_take_no_bytes),
		cmocka_unit_test(long_doubles_are_there_as_a_whole_or_not),
		cmocka_unit_test(without_room_columns_are_refused),
		cmocka_unit_test(without_room_groups_are_refused),
		cmocka_unit_test(random_bytes_are_read_or_refused),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	column_store_free(&store);
	return failed;
}
