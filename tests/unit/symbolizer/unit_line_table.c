/* Rows as libdwarf tells them, and what is found of them: no file is read. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/dwarf/line_table.h"

#define BASE 0x401000u

static const struct dwarf_row *rows;
static size_t row_count;

static const struct {
	uint32_t number;
	const char *name, *directory;
} files[] = {
	{1, "a.c", NULL},
	{2, "b.h", "sub"},
	{3, "c.h", "/usr/include"},
	{4, "/abs/d.c", "sub"},
};

/* Stands in for the one that asks libdwarf. */
bool dwarf_unit_rows(
	struct dwarf_unit *unit, const struct dwarf_rows_take *take)
{
	size_t i;

	(void)unit;
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		assert_true(take->file(take->closure, files[i].number,
			files[i].name, files[i].directory));
	for (i = 0; i < row_count; i++)
		assert_true(take->row(take->closure, &rows[i]));
	return true;
}

static struct line_table read_rows(
	const struct dwarf_row *given, size_t count, const char *directory)
{
	struct dwarf_unit unit = {.directory = directory};
	struct line_table table = {0};

	rows = given;
	row_count = count;
	assert_true(line_table_open(&table, &unit, BASE));
	return table;
}

#define READ(given) read_rows(given, sizeof(given) / sizeof((given)[0]), "/src")

/* 0: there is none. */
static uint32_t line_at(const struct line_table *table, uint64_t address)
{
	struct dwarf_row row;

	return line_table_find(table, address, &row) ? row.line : 0;
}

static void each_row_holds_up_to_the_next(void **state)
{
	static const struct dwarf_row given[] = {
		{.address = BASE, .line = 10, .file = 1, .column = 3},
		{.address = BASE + 4, .line = 11, .file = 2},
		{.address = BASE + 8, .ends = true},
	};
	struct line_table table = READ(given);
	struct dwarf_row row;

	(void)state;
	assert_int_equal(line_at(&table, BASE - 1), 0);
	assert_true(line_table_find(&table, BASE + 3, &row));
	assert_int_equal(row.line, 10);
	assert_int_equal(row.file, 1);
	assert_int_equal(row.column, 3);
	assert_int_equal(line_at(&table, BASE + 4), 11);
	assert_int_equal(line_at(&table, BASE + 7), 11);
	assert_int_equal(line_at(&table, BASE + 8), 0);
	line_table_close(&table);
}

static void of_rows_with_one_address_the_last_one_holds(void **state)
{
	static const struct dwarf_row given[] = {
		{.address = BASE, .line = 10},
		{.address = BASE, .line = 11},
		{.address = BASE, .line = 12},
		{.address = BASE + 8, .ends = true},
	};
	struct line_table table = READ(given);

	(void)state;
	assert_int_equal(line_at(&table, BASE), 12);
	assert_int_equal(line_at(&table, BASE + 7), 12);
	line_table_close(&table);
}

static void rows_out_of_order_are_found(void **state)
{
	static const struct dwarf_row given[] = {
		{.address = BASE + 16, .line = 10},
		{.address = BASE + 20, .line = 11},
		{.address = BASE, .line = 12},
		{.address = BASE + 20, .line = 13},
		{.address = BASE + 8, .line = 14},
		{.address = BASE + 24, .ends = true},
	};
	struct line_table table = READ(given);

	(void)state;
	assert_int_equal(line_at(&table, BASE), 12);
	assert_int_equal(line_at(&table, BASE + 9), 14);
	assert_int_equal(line_at(&table, BASE + 19), 10);
	assert_int_equal(line_at(&table, BASE + 23), 13);
	line_table_close(&table);
}

static void what_lies_below_the_code_is_dropped(void **state)
{
	static const struct dwarf_row given[] = {
		{.address = 0, .line = 10},
		{.address = 64, .ends = true},
		{.address = BASE, .line = 11},
		{.address = BASE + 4, .ends = true},
	};
	struct line_table table = READ(given);

	(void)state;
	assert_int_equal(line_at(&table, 3), 0);
	assert_int_equal(line_at(&table, BASE), 11);
	line_table_close(&table);
}

static void rows_without_an_end_cover_nothing(void **state)
{
	static const struct dwarf_row given[] = {
		{.address = BASE, .line = 11},
		{.address = BASE + 4, .ends = true},
		{.address = BASE + 8, .line = 12},
		{.address = BASE + 12, .line = 13},
	};
	struct line_table table = READ(given);

	(void)state;
	assert_int_equal(line_at(&table, BASE), 11);
	assert_int_equal(line_at(&table, BASE + 9), 0);
	line_table_close(&table);
}

static void of_sequences_that_overlap_the_first_one_holds(void **state)
{
	static const struct dwarf_row given[] = {
		{.address = BASE + 4, .line = 20},
		{.address = BASE + 16, .ends = true},
		{.address = BASE, .line = 10},
		{.address = BASE + 8, .ends = true},
		{.address = BASE + 5, .line = 30}, /* inside of another */
		{.address = BASE + 6, .ends = true},
	};
	struct line_table table = READ(given);

	(void)state;
	assert_int_equal(line_at(&table, BASE + 5), 10);
	assert_int_equal(line_at(&table, BASE + 8), 20);
	assert_int_equal(line_at(&table, BASE + 15), 20);
	line_table_close(&table);
}

static void each_field_comes_back(void **state)
{
	static const struct dwarf_row given[] = {
		{.address = BASE, .line = 1, .file = 40000, .column = 70000},
		{.address = BASE + 4, .line = 2, .file = 1},
		{.address = BASE + 5,
			.line = UINT32_MAX,
			.file = UINT32_MAX,
			.column = UINT32_MAX},
		{.address = BASE + 6},
		{.address = UINT64_MAX - 1, .line = 3},
		{.address = UINT64_MAX, .ends = true},
	};
	struct line_table table = READ(given);
	struct dwarf_row row;
	size_t i;

	(void)state;
	for (i = 0; !given[i].ends; i++) {
		assert_true(line_table_find(&table, given[i].address, &row));
		assert_true(row.address == given[i].address);
		assert_int_equal(row.line, given[i].line);
		assert_int_equal(row.file, given[i].file);
		assert_int_equal(row.column, given[i].column);
	}
	assert_null(line_table_path(&table, UINT32_MAX));
	line_table_close(&table);
}

#define MANY 100000u

static void each_of_many_rows_is_found(void **state)
{
	struct dwarf_row *given = calloc(MANY + 1, sizeof(*given));
	struct line_table table;
	uint32_t i;

	(void)state;
	assert_non_null(given);
	for (i = 0; i < MANY; i++) {
		given[i].address = BASE + (uint64_t)3 * i;
		given[i].line = i + 1;
	}
	given[MANY].address = BASE + (uint64_t)3 * MANY;
	given[MANY].ends = true;
	table = read_rows(given, MANY + 1, NULL);
	for (i = 0; i < 3 * MANY; i++)
		assert_int_equal(line_at(&table, BASE + i), i / 3 + 1);
	line_table_close(&table);
	free(given);
}

static void paths_are_joined_as_far_as_they_are_relative(void **state)
{
	struct line_table table = read_rows(NULL, 0, "/src");

	(void)state;
	assert_null(line_table_path(&table, 0));
	assert_string_equal(line_table_path(&table, 1), "/src/a.c");
	assert_string_equal(line_table_path(&table, 2), "/src/sub/b.h");
	assert_string_equal(line_table_path(&table, 3), "/usr/include/c.h");
	assert_string_equal(line_table_path(&table, 4), "/abs/d.c");
	assert_null(line_table_path(&table, 5));
	line_table_close(&table);
	table = read_rows(NULL, 0, NULL);
	assert_string_equal(line_table_path(&table, 1), "a.c");
	assert_string_equal(line_table_path(&table, 2), "sub/b.h");
	line_table_close(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_holds_up_to_the_next),
		cmocka_unit_test(of_rows_with_one_address_the_last_one_holds),
		cmocka_unit_test(rows_out_of_order_are_found),
		cmocka_unit_test(what_lies_below_the_code_is_dropped),
		cmocka_unit_test(rows_without_an_end_cover_nothing),
		cmocka_unit_test(of_sequences_that_overlap_the_first_one_holds),
		cmocka_unit_test(each_field_comes_back),
		cmocka_unit_test(each_of_many_rows_is_found),
		cmocka_unit_test(paths_are_joined_as_far_as_they_are_relative),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
