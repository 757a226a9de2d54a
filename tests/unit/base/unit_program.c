#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/program.h"
#include "tests/support/make_capture.h"

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
	assert_string_equal(program_find(&table, 42, 0)->name, "?");
	cursor = cursor_of(&record);
	assert_true(
		program_describe(&table, program_find(&table, 42, 0), &cursor));
	assert_string_equal(program_find(&table, 42, 0)->name, "named");
	assert_string_equal(
		program_find(&table, 42, 0)->executable, "/usr/sbin/named");
	assert_string_equal(program_find(&table, 42, 0)->directory, "/");
	program_table_free(&table);
	make_free(&record.capture);
}

static void describe(struct program_table *table, uint32_t pid,
	uint32_t process, uint32_t ppid, uint32_t parent)
{
	struct binlog_process_record head = {
		.pid = pid, .ppid = ppid, .bytes = 6, .parent = parent};
	struct record record;
	struct cursor cursor;

	begin(&record);
	make_control(&record.block, BINLOG_PROCESS, &head, sizeof(head),
		"/x\0/\0", 6);
	cursor = cursor_of(&record);
	assert_true(program_describe(
		table, program_find(table, pid, process), &cursor));
	make_free(&record.capture);
}

static void processes_with_one_pid_are_told_apart(void **state)
{
	struct program_table table = {0};
	struct program *first, *second;

	(void)state;
	first = program_find(&table, 7, 3);
	second = program_find(&table, 7, 5);
	assert_ptr_not_equal(first, second);
	assert_ptr_equal(program_find(&table, 7, 3), first);
	assert_ptr_equal(program_find(&table, 7, 5), second);
	assert_ptr_not_equal(program_find(&table, 8, 5), second);
	program_table_free(&table);
}

static void a_child_names_its_parent_among_those_with_one_pid(void **state)
{
	struct program_table table = {0};

	(void)state;
	describe(&table, 1, 0, 100, 0);
	describe(&table, 7, 3, 1, 0);
	describe(&table, 7, 5, 1, 0);
	describe(&table, 9, 6, 7, 3);
	describe(&table, 7, 8, 7, 5);
	assert_null(program_find(&table, 1, 0)->parent);
	assert_ptr_equal(
		program_find(&table, 7, 5)->parent, program_find(&table, 1, 0));
	assert_ptr_equal(
		program_find(&table, 9, 6)->parent, program_find(&table, 7, 3));
	assert_ptr_equal(
		program_find(&table, 7, 8)->parent, program_find(&table, 7, 5));
	program_table_free(&table);
}

static void without_such_a_number_the_pid_tells(void **state)
{
	struct program_table table = {0};

	(void)state;
	describe(&table, 1, 0, 100, 0);
	describe(&table, 7, 0, 1, 0);
	assert_ptr_equal(
		program_find(&table, 7, 0)->parent, program_find(&table, 1, 0));
	program_table_free(&table);
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
		assert_false(program_describe(
			&table, program_find(&table, 42, 0), &cursor));
	}
	make_free(&record.capture);
	begin(&record);
	make_module(&record.block, 1, 2, 3, "/x");
	for (size = 0; size < sizeof(struct binlog_module_record) + 2; size++) {
		cursor = cursor_over(record.capture.bytes + record.start, size);
		assert_false(program_add_module(
			&table, program_find(&table, 1, 0), &cursor, &full));
	}
	make_free(&record.capture);
	program_table_free(&table);
}

static void an_address_belongs_to_the_module_of_its_time(void **state)
{
	struct program_table table = {0};
	struct program *program = program_find(&table, 1, 0);

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
	struct program *program = program_find(&table, 1, 0);

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
	struct program *program = program_find(&table, 1, 0);
	uint64_t i;

	(void)state;
	for (i = 0; i < limits_size(LIMIT_MODULES); i++)
		assert_true(add_module(&table, program, i, i + 1, "a"));
	assert_false(add_module(&table, program, i, i + 1, "a"));
	assert_int_equal(program->module_count, limits_size(LIMIT_MODULES));
	program_table_free(&table);
}

static void
modules_of_distant_ancestors_are_not_looked_through_and_that_is_told(
	void **state)
{
	struct program_module module = {.start = 10, .end = 20};
	struct program chain[LIMITS_ANCESTORS + 1] = {
		{.modules = &module, .module_count = 1}};
	char sentence[512];
	size_t i;

	(void)state;
	for (i = 1; i <= LIMITS_ANCESTORS; i++)
		chain[i].parent = &chain[i - 1];
	assert_ptr_equal(program_module_at(&chain[LIMITS_ANCESTORS - 1], 15, 0),
		&module);
	assert_false(limits_were_met());
	assert_null(program_module_at(&chain[LIMITS_ANCESTORS], 15, 0));
	assert_true(limits_tell(sentence, sizeof(sentence)));
	assert_string_equal(sentence,
		"names are missing: too many processes descend from each "
		"other: more than 16 generations (processes whose modules are "
		"looked through, since those that they made have them, too): "
		"nothing raises it, see binlog-limits(7)");
	assert_false(limits_tell(sentence, sizeof(sentence)));
	assert_true(limits_were_met());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_has_the_name_of_its_executable),
		cmocka_unit_test(processes_with_one_pid_are_told_apart),
		cmocka_unit_test(
			a_child_names_its_parent_among_those_with_one_pid),
		cmocka_unit_test(without_such_a_number_the_pid_tells),
		cmocka_unit_test(lengths_that_do_not_fit_are_refused),
		cmocka_unit_test(an_address_belongs_to_the_module_of_its_time),
		cmocka_unit_test(a_module_that_is_known_is_not_kept_twice),
		cmocka_unit_test(
			more_modules_than_any_program_has_are_not_kept),
		cmocka_unit_test(
			modules_of_distant_ancestors_are_not_looked_through_and_that_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
