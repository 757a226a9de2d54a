#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/fleet/native_block.h"

/*
 * The oracle is the format as the server's documentation has it: numbers of
 * columns and rows, and of each column its name, type and values; of arrays
 * first where each ends.  Whether a server takes it, t_ship shows.
 */
static const char wanted[] = "\x02\x02" /* columns, rows */
			     "\x02id\x06UInt64"
			     "\x01\x00\x00\x00\x00\x00\x00\x00"
			     "\x00\x01\x00\x00\x00\x00\x00\x80"
			     "\x05"
			     "frame\x0d"
			     "Array(String)"
			     "\x02\x00\x00\x00\x00\x00\x00\x00"
			     "\x02\x00\x00\x00\x00\x00\x00\x00"
			     "\x04main\x00";

static void put_first(struct native_block *block)
{
	native_block_put(block, 1);
	native_block_add_text(block, 0, "main", 4);
	native_block_add_text(block, 0, "", 0);
	native_block_end_array(block);
}

static void put_rows(struct native_block *block)
{
	put_first(block);
	native_block_put(block, 0x8000000000000100u);
	native_block_end_array(block);
}

static void columns_are_one_after_the_other(void **state)
{
	struct render_buffer out = {0};
	struct native_block block;
	int turn;

	(void)state;
	native_block_begin(&block, FLEET_stacks);
	for (turn = 0; turn < 2; turn++) {
		put_rows(&block);
		assert_int_equal(block.rows, 2);
		out.length = 0;
		native_block_take(&block, &out);
		assert_int_equal(out.length, sizeof(wanted) - 1);
		assert_memory_equal(out.data, wanted, sizeof(wanted) - 1);
		assert_int_equal(block.rows, 0);
		assert_int_equal(native_block_bytes(&block), 0);
	}
	native_block_free(&block);
	render_buffer_free(&out);
}

static void what_has_begun_can_be_taken_back(void **state)
{
	struct render_buffer out = {0};
	struct native_block block;

	(void)state;
	native_block_begin(&block, FLEET_stacks);
	put_first(&block);
	native_block_mark(&block);
	native_block_put(&block, 77);
	native_block_add_text(&block, 0, "half", 4);
	native_block_back(&block);
	assert_int_equal(block.rows, 1);
	native_block_put(&block, 0x8000000000000100u);
	native_block_end_array(&block);
	native_block_take(&block, &out);
	assert_int_equal(out.length, sizeof(wanted) - 1);
	assert_memory_equal(out.data, wanted, sizeof(wanted) - 1);
	native_block_free(&block);
	render_buffer_free(&out);
}

static void long_texts_have_long_sizes(void **state)
{
	static char text[300];
	struct render_buffer out = {0};
	struct native_block block;

	(void)state;
	native_block_begin(&block, FLEET_losses);
	native_block_put(&block, 1);
	native_block_put_text(&block, text, sizeof(text));
	native_block_put(&block, 2);
	native_block_put(&block, 3);
	native_block_put_word(&block, NULL);
	assert_int_equal(block.rows, 1);
	/* 300 is 0xac 0x02 */
	assert_int_equal(native_block_bytes(&block), 8 + 302 + 8 + 8 + 1);
	native_block_take(&block, &out);
	assert_non_null(memmem(out.data, out.length, "String\xac\x02\x00", 9));
	assert_false(native_block_lacks(&block));
	native_block_free(&block);
	render_buffer_free(&out);
}

static void all_columns_fit(void **state)
{
	enum fleet_table table;
	size_t count;

	(void)state;
	for (table = 0; table < FLEET_TABLES; table++) {
		fleet_columns(table, &count);
		assert_in_range(count, 2, FLEET_COLUMNS_MAX);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_one_after_the_other),
		cmocka_unit_test(what_has_begun_can_be_taken_back),
		cmocka_unit_test(long_texts_have_long_sizes),
		cmocka_unit_test(all_columns_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
