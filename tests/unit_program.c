#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "decoder/program.h"
#include "tests/make_capture.h"

/* One record of a block as a cursor. */
struct record {
	struct make_capture capture;
	struct make_block block;
	size_t start;
};

static void begin(struct record *record)
{
	record->capture = make_capture();
	record->block = make_block(&record->capture, 0, 0, 8192, 0);
	record->start = record->block.at;
}

static struct cursor cursor_of(const struct record *record)
{
	return cursor_over(record->capture.bytes + record->start,
		record->block.at - record->start);
}

static bool add_module(struct program_table *table, struct program *program,
	uint64_t start, uint64_t end, const char *path)
{
	struct record record;
	struct cursor cursor;
	bool good, full;

	begin(&record);
	make_module(&record.block, start, end, start, path);
	cursor = cursor_of(&record);
	good = program_add_module(table, program, &cursor, &full);
	make_free(&record.capture);
	return good && !full;
}

static void a_process_has_the_name_of_its_executable(void **state)
{
	struct program_table table = {0};
	struct record record;
	struct cursor cursor;

	(void)state;
	begin(&record);
	make_process(&record.block, 42, "/usr/sbin/named");
	assert_string_equal(program_find(&table, 42)->name, "?");
	cursor = cursor_of(&record);
	assert_true(program_describe(&table, &cursor));
	assert_string_equal(program_find(&table, 42)->name, "named");
	assert_string_equal(
		program_find(&table, 42)->executable, "/usr/sbin/named");
	assert_string_equal(program_find(&table, 42)->directory, "/");
	program_table_free(&table);
	make_free(&record.capture);
}

static void lengths_that_do_not_fit_are_refused(void **state)
{
	struct program_table table = {0};
	struct record record;
	struct cursor cursor;
	size_t size;
	bool full;

	(void)state;
	begin(&record);
	make_process(&record.block, 42, "/x");
	for (size = 0; size < sizeof(struct binlog_process_record) + 5;
		size++) {
		cursor = cursor_over(record.capture.bytes + record.start, size);
		assert_false(program_describe(&table, &cursor));
	}
	make_free(&record.capture);
	begin(&record);
	make_module(&record.block, 1, 2, 3, "/x");
	for (size = 0; size < sizeof(struct binlog_module_record) + 2; size++) {
		cursor = cursor_over(record.capture.bytes + record.start, size);
		assert_false(program_add_module(
			&table, program_find(&table, 1), &cursor, &full));
	}
	make_free(&record.capture);
	program_table_free(&table);
}

static void an_address_belongs_to_the_module_of_its_time(void **state)
{
	struct program_table table = {0};
	struct program *program = program_find(&table, 1);

	(void)state;
	assert_true(add_module(&table, program, 100, 200, "old"));
	assert_true(add_module(&table, program, 150, 250, "new"));
	assert_string_equal(program_module_at(program, 160, 1)->path, "old");
	assert_string_equal(program_module_at(program, 160, 2)->path, "new");
	assert_string_equal(program_module_at(program, 120, 2)->path, "old");
	assert_string_equal(program_module_at(program, 220, 1)->path, "new");
	assert_null(program_module_at(program, 99, 2));
	assert_null(program_module_at(program, 250, 2));
	program_table_free(&table);
}

static void a_module_that_is_known_is_not_kept_twice(void **state)
{
	struct program_table table = {0};
	struct program *program = program_find(&table, 1);

	(void)state;
	assert_true(add_module(&table, program, 100, 200, "a"));
	assert_true(add_module(&table, program, 200, 300, "b"));
	assert_true(add_module(&table, program, 100, 200, "a"));
	assert_int_equal(program->module_count, 2);
	assert_true(add_module(&table, program, 100, 200, "c"));
	assert_true(add_module(&table, program, 100, 200, "a"));
	assert_int_equal(program->module_count, 4);
	program_table_free(&table);
}

static void more_modules_than_any_program_has_are_not_kept(void **state)
{
	struct program_table table = {0};
	struct program *program = program_find(&table, 1);
	uint64_t i;

	(void)state;
	for (i = 0; i < PROGRAM_MODULES_MAX; i++)
		assert_true(add_module(&table, program, i, i + 1, "a"));
	assert_false(add_module(&table, program, i, i + 1, "a"));
	assert_int_equal(program->module_count, PROGRAM_MODULES_MAX);
	program_table_free(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_has_the_name_of_its_executable),
		cmocka_unit_test(lengths_that_do_not_fit_are_refused),
		cmocka_unit_test(an_address_belongs_to_the_module_of_its_time),
		cmocka_unit_test(a_module_that_is_known_is_not_kept_twice),
		cmocka_unit_test(
			more_modules_than_any_program_has_are_not_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
