#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/dwarf/dwarfline.h"

/* A table of version 4 that is put together byte by byte. */
struct table {
	uint8_t bytes[8192];
	size_t count;
	struct dwarfobject object;
	struct dwarfunit unit;
};

/* After the header; its length is in the first 4 bytes. */
static const uint8_t header[] = {
	0,
	0,
	0,
	0, /* length of all */
	4,
	0, /* version */
	0,
	0,
	0,
	0, /* length of what follows of the header */
	1,
	1,
	1, /* bytes, operations of an instruction; statements */
	(uint8_t)-5,
	14,
	10, /* line base and range, first special */
	0,
	1,
	1,
	1,
	1,
	0,
	0,
	0,
	1,
	's',
	'r',
	'c',
	0,
	'/',
	's',
	'r',
	'c',
	0,
	0,
	'a',
	'.',
	'c',
	0,
	0,
	0,
	0,
	'a',
	'.',
	'c',
	0,
	1,
	0,
	0,
	'a',
	'.',
	'c',
	0,
	2,
	0,
	0,
	'/',
	'a',
	'.',
	'c',
	0,
	2,
	0,
	0,
	0,
};

static void begin(struct table *table)
{
	memset(table, 0, sizeof(*table));
	memcpy(table->bytes, header, sizeof(header));
	table->bytes[6] = sizeof(header) - 10;
	table->count = sizeof(header);
	table->object.sections[DWARFOBJECT_LINE].data = table->bytes;
	table->unit.object = table->unit.home = &table->object;
	table->unit.has_lines = true;
	table->unit.directory = "/build";
}

static void put(struct table *table, uint64_t value, unsigned bytes)
{
	assert_true(table->count + bytes <= sizeof(table->bytes));
	memcpy(table->bytes + table->count, &value, bytes);
	table->count += bytes;
}

static void set_address(struct table *table, uint64_t address)
{
	put(table, 0x020900, 3);
	put(table, address, 8);
}

/* Lines only increase from one row to the next, by less than 64. */
static void row(struct table *table, uint64_t address, unsigned lines_more)
{
	set_address(table, address);
	put(table, 3, 1); /* DW_LNS_advance_line */
	put(table, lines_more, 1);
	put(table, 1, 1); /* DW_LNS_copy */
}

static void end(struct table *table, uint64_t address)
{
	set_address(table, address);
	put(table, 0x010100, 3);
}

/* Reads the first `bytes` of it as if they were all. */
static struct dwarfline opened(
	struct table *table, size_t bytes, uint64_t floor)
{
	uint32_t length = (uint32_t)bytes - 4;
	struct dwarfline line = {0};

	memcpy(table->bytes, &length, sizeof(length));
	table->object.sections[DWARFOBJECT_LINE].bytes = bytes;
	assert_true(dwarfline_open(&line, &table->unit, floor));
	return line;
}

static uint32_t line_at(const struct dwarfline *line, uint64_t address)
{
	struct dwarfline_row found;

	return dwarfline_find(line, address, &found) ? found.line : 0;
}

static void of_rows_with_one_address_the_last_one_holds(void **state)
{
	struct dwarfline line;
	struct table table;

	(void)state;
	begin(&table);
	row(&table, 100, 0);
	row(&table, 100, 1);
	row(&table, 110, 1);
	end(&table, 120);
	line = opened(&table, table.count, 0);
	assert_int_equal(line_at(&line, 99), 0);
	assert_int_equal(line_at(&line, 105), 2);
	assert_int_equal(line_at(&line, 119), 3);
	assert_int_equal(line_at(&line, 120), 0);
	dwarfline_close(&line);
}

static void rows_out_of_order_are_found(void **state)
{
	struct dwarfline line;
	struct table table;

	(void)state;
	begin(&table);
	row(&table, 110, 1);
	row(&table, 100, 1);
	row(&table, 105, 1);
	end(&table, 120);
	line = opened(&table, table.count, 0);
	assert_int_equal(line_at(&line, 104), 3);
	assert_int_equal(line_at(&line, 109), 4);
	assert_int_equal(line_at(&line, 119), 2);
	dwarfline_close(&line);
}

static void the_first_of_overlapping_sequences_keeps_its_lines(void **state)
{
	struct dwarfline line;
	struct table table;

	(void)state;
	begin(&table);
	row(&table, 150, 2);
	end(&table, 250);
	row(&table, 100, 1);
	end(&table, 200);
	row(&table, 120, 3);
	end(&table, 130);
	line = opened(&table, table.count, 0);
	assert_int_equal(line_at(&line, 125), 2);
	assert_int_equal(line_at(&line, 199), 2);
	assert_int_equal(line_at(&line, 200), 3);
	dwarfline_close(&line);
}

static void what_lies_below_the_code_is_dropped(void **state)
{
	struct dwarfline line;
	struct table table;

	(void)state;
	begin(&table);
	row(&table, 0, 7);
	end(&table, 5000);
	row(&table, 2000, 8);
	end(&table, 2010);
	line = opened(&table, table.count, 1000);
	assert_int_equal(line_at(&line, 2005), 9);
	assert_int_equal(line_at(&line, 3000), 0);
	dwarfline_close(&line);
}

/* Far more rows than lie between two places where the program is entered. */
static void each_of_many_rows_is_found(void **state)
{
	struct dwarfline line;
	struct table table;
	unsigned i;

	(void)state;
	begin(&table);
	set_address(&table, 1000);
	for (i = 0; i < 1000; i++)
		put(&table, 10 + 2 * 14 + 6, 1); /* 2 bytes, 1 line */
	end(&table, 1000 + 2 * 1001);
	line = opened(&table, table.count, 0);
	for (i = 0; i < 1000; i++) {
		assert_int_equal(line_at(&line, 1002 + 2 * i), 2 + i);
		assert_int_equal(line_at(&line, 1003 + 2 * i), 2 + i);
	}
	dwarfline_close(&line);
}

static void paths_are_joined_as_far_as_they_are_relative(void **state)
{
	struct dwarfline line;
	struct table table;

	(void)state;
	begin(&table);
	line = opened(&table, table.count, 0);
	assert_null(dwarfline_path(&line, 0));
	assert_string_equal(dwarfline_path(&line, 1), "/build/a.c");
	assert_string_equal(dwarfline_path(&line, 2), "/build/src/a.c");
	assert_string_equal(dwarfline_path(&line, 3), "/src/a.c");
	assert_string_equal(dwarfline_path(&line, 4), "/a.c");
	assert_null(dwarfline_path(&line, 5));
	dwarfline_close(&line);
}

/* Each cut table has a place of its own, that a step outside is seen. */
static void a_table_cut_anywhere_has_what_came_before(void **state)
{
	struct dwarfline line;
	struct table table;
	size_t bytes;

	(void)state;
	begin(&table);
	row(&table, 100, 1);
	end(&table, 120);
	row(&table, 200, 1);
	end(&table, 220);
	for (bytes = 4; bytes < table.count; bytes++) {
		uint8_t *cut = malloc(bytes);

		assert_non_null(cut);
		line = opened(&table, bytes, 0);
		dwarfline_close(&line);
		memcpy(cut, table.bytes, bytes);
		table.object.sections[DWARFOBJECT_LINE].data = cut;
		assert_true(dwarfline_open(&line, &table.unit, 0));
		assert_int_equal(line_at(&line, 205), 0);
		if (bytes >= table.count - 28)
			assert_int_equal(line_at(&line, 105), 2);
		dwarfline_close(&line);
		table.object.sections[DWARFOBJECT_LINE].data = table.bytes;
		free(cut);
	}
}

static void rules_that_divide_by_zero_are_damage(void **state)
{
	struct dwarfline line;
	struct table table;

	(void)state;
	begin(&table);
	row(&table, 100, 1);
	end(&table, 120);
	table.bytes[14] = 0;
	line = opened(&table, table.count, 0);
	assert_int_equal(line_at(&line, 105), 0);
	dwarfline_close(&line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_rows_with_one_address_the_last_one_holds),
		cmocka_unit_test(rows_out_of_order_are_found),
		cmocka_unit_test(
			the_first_of_overlapping_sequences_keeps_its_lines),
		cmocka_unit_test(what_lies_below_the_code_is_dropped),
		cmocka_unit_test(each_of_many_rows_is_found),
		cmocka_unit_test(paths_are_joined_as_far_as_they_are_relative),
		cmocka_unit_test(a_table_cut_anywhere_has_what_came_before),
		cmocka_unit_test(rules_that_divide_by_zero_are_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
