#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/msgpack_check.h"
#include "decoder/packed/packed_record.h"
#include "tests/unit/world/inject_faults.h"

#define BYTES(literal) (const uint8_t *)(literal), sizeof(literal) - 1

static void objects_end_where_they_end(void **state)
{
	(void)state;
	assert_int_equal(msgpack_check(BYTES("\1\200"), 2, 9), 2);
	assert_int_equal(msgpack_check(BYTES("\1\200x"), 2, 9), 2);
	assert_int_equal(msgpack_check(BYTES("\202\1\2\3\222\4\5"), 1, 9), 7);
	assert_int_equal(msgpack_check(BYTES("\243abc\331\1d"), 2, 9), 7);
	assert_int_equal(msgpack_check(BYTES("\304\2ab\305\0\1c"), 2, 9), 8);
	assert_int_equal(
		msgpack_check(BYTES("\313abcdefgh\300\302\317abcdefgh"), 4, 9),
		20);
	assert_int_equal(msgpack_check(BYTES("\324ta\307\3tabc"), 2, 9), 9);
	assert_int_equal(msgpack_check(BYTES("\334\0\2\1\2"), 1, 9), 5);
	assert_int_equal(msgpack_check(BYTES("\336\0\1\1\2"), 1, 9), 5);
}

static void objects_that_do_not_end_are_refused(void **state)
{
	(void)state;
	assert_int_equal(msgpack_check(BYTES("\1"), 2, 9), 0);
	assert_int_equal(msgpack_check(BYTES("\243ab"), 1, 9), 0);
	assert_int_equal(msgpack_check(BYTES("\301"), 1, 9), 0);
	assert_int_equal(msgpack_check(BYTES("\222\1"), 1, 9), 0);
	assert_int_equal(
		msgpack_check(BYTES("\335\377\377\377\377\1"), 1, 9), 0);
	assert_int_equal(
		msgpack_check(BYTES("\337\377\377\377\377\1"), 1, 9), 0);
	assert_int_equal(
		msgpack_check(BYTES("\306\377\377\377\377\1"), 1, 9), 0);
	assert_int_equal(msgpack_check(BYTES("\331"), 1, 9), 0);
}

static void objects_are_neither_too_deep_nor_too_many(void **state)
{
	uint8_t nested[LIMITS_NESTING + 2];

	(void)state;
	memset(nested, 0x91, sizeof(nested));
	nested[LIMITS_NESTING] = 1;
	assert_int_equal(msgpack_check(nested, sizeof(nested), 1, 99),
		LIMITS_NESTING + 1);
	nested[LIMITS_NESTING] = 0x91;
	nested[LIMITS_NESTING + 1] = 1;
	assert_int_equal(msgpack_check(nested, sizeof(nested), 1, 99), 0);
	assert_int_equal(msgpack_check(BYTES("\223\1\2\3"), 1, 4), 4);
	assert_int_equal(msgpack_check(BYTES("\223\1\2\3"), 1, 3), 0);
}

/* A STRING: log 5, id 1, text "abc", module 2; and one field that is new. */
static const char string[] = "\1\205\0\5\2\1\3\243abc\4\2\176\7";

static void fields_are_found_by_their_numbers(void **state)
{
	struct packed_record record = {0};
	uint8_t bytes[sizeof(string)];
	struct packed_bytes text;

	(void)state;
	memcpy(bytes, string, sizeof(string));
	assert_true(packed_record_read(&record, bytes, sizeof(string)));
	assert_int_equal(record.tag, PACKED_STRING);
	assert_true(record.known);
	assert_int_equal(record.unknown, 1);
	assert_int_equal(record.extra, 1);
	assert_int_equal(packed_record_number(&record, PACKED_ALL_LOG), 5);
	assert_int_equal(packed_record_id(&record, PACKED_STRING_ID), 1);
	assert_int_equal(packed_record_id(&record, PACKED_STRING_MODULE), 2);
	assert_false(packed_record_has(&record, PACKED_STRING_OFFSET));
	assert_int_equal(packed_record_id(&record, PACKED_STRING_OFFSET), 0);
	text = packed_record_bytes(&record, PACKED_STRING_TEXT);
	assert_int_equal(text.size, 3);
	assert_memory_equal(text.data, "abc", 3);
	packed_record_free(&record);
}

static void what_is_masked_is_unmasked_in_lists_too(void **state)
{
	static const char masked[] =
		"\15\203\4\221\243abc\2\243\101\102\103\177\40";
	struct packed_record record = {0};
	const msgpack_object_array *names;
	uint8_t bytes[sizeof(masked) - 1];

	(void)state;
	memcpy(bytes, masked, sizeof(bytes));
	assert_true(packed_record_read(&record, bytes, sizeof(bytes)));
	assert_memory_equal(
		packed_record_bytes(&record, PACKED_SYMBOL_MODULE).data, "abc",
		3);
	names = packed_record_list(&record, PACKED_SYMBOL_FUNCTIONS);
	assert_non_null(names);
	assert_memory_equal(packed_object_bytes(&names->ptr[0]).data, "ABC", 3);
	packed_record_free(&record);
}

static void what_is_no_record_is_refused(void **state)
{
	static const char *const wrong[] = {
		"\1\221\1", "\1", "\243abc\200", "\340\200", "\1\301"};
	struct packed_record record = {0};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		uint8_t bytes[8];
		size_t size = strlen(wrong[i]);

		memcpy(bytes, wrong[i], size);
		assert_false(packed_record_read(&record, bytes, size));
	}
	packed_record_free(&record);
}

static void what_is_no_list_has_no_elements(void **state)
{
	const msgpack_object number = {.type = MSGPACK_OBJECT_POSITIVE_INTEGER};
	size_t count = 7;

	(void)state;
	assert_null(packed_object_elements(NULL, 0, &count));
	assert_int_equal(count, 0);
	assert_null(packed_object_elements(&number, 0, &count));
}

/* A list of more than is there room for at first. */
static void without_memory_there_is_no_record(void **state)
{
	enum { MANY = 5000 };
	static uint8_t bytes[2 + 1 + 3 + MANY] = {PACKED_SYMBOL, 0x81,
		PACKED_SYMBOL_LINES, 0xdc, MANY >> 8, MANY & 0xff};
	unsigned long k = 0;
	bool good;

	(void)state;
	do {
		struct packed_record record = {0};

		inject_begin(INJECT_MEMORY, k++, true);
		good = packed_record_read(&record, bytes, sizeof(bytes));
		inject_end();
		assert_int_not_equal(good, inject.happened);
		packed_record_free(&record);
	} while (!good);
	assert_true(k > 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_end_where_they_end),
		cmocka_unit_test(objects_that_do_not_end_are_refused),
		cmocka_unit_test(objects_are_neither_too_deep_nor_too_many),
		cmocka_unit_test(fields_are_found_by_their_numbers),
		cmocka_unit_test(what_is_masked_is_unmasked_in_lists_too),
		cmocka_unit_test(what_is_no_record_is_refused),
		cmocka_unit_test(what_is_no_list_has_no_elements),
		cmocka_unit_test(without_memory_there_is_no_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
