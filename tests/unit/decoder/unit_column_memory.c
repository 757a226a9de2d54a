/*
 * Columns are written while the k-th allocation fails, for every k: what is
 * there reads back as it was, in a simpler encoding perhaps, or it is said that
 * something is missing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/pack/column_doubles.h"
#include "decoder/pack/column_phrases.h"
#include "decoder/packed/column_read.h"
#include "tests/unit/world/inject_faults.h"

#define VALUES 3000u
#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

static uint64_t values[VALUES];
static bool starts[VALUES];

static void write_doubles(
	struct column_write *writer, struct render_buffer *out, size_t count)
{
	column_doubles_write(writer, out, values, count);
}

static void write_phrases(
	struct column_write *writer, struct render_buffer *out, size_t count)
{
	column_phrases_write(
		writer, out, values, count, starts, &(struct pack_choice){0});
}

/* What a trial has found holds for a few batches. */
static void write_phrases_again(
	struct column_write *writer, struct render_buffer *out, size_t count)
{
	column_phrases_write(writer, out, values, count, starts,
		&(struct pack_choice){.other = true, .left = 1});
}

typedef void write_column(
	struct column_write *writer, struct render_buffer *out, size_t count);

static void check(const struct render_buffer *bytes, size_t count)
{
	struct cursor cursor = cursor_over(bytes->data, bytes->length);
	struct column_store store = {0};
	struct column column;
	size_t i;

	assert_true(column_read_numbers(&cursor, &store, count, NULL, &column));
	assert_int_equal(cursor_left(&cursor), 0);
	for (i = 0; i < count; i++)
		assert_true(column_read_next(&column) == values[i]);
	column_store_free(&store);
}

/* The encoding that was taken; -1: nothing is there. */
static int write_once(write_column *write, size_t count)
{
	struct column_write writer = {0};
	struct render_buffer bytes = {0};
	int kind = -1;

	write(&writer, &bytes, count);
	inject_end();
	if (!bytes.failed) {
		check(&bytes, count);
		kind = bytes.data[0];
	}
	render_buffer_free(&bytes);
	column_write_free(&writer);
	return kind;
}

static void write_without_memory(write_column *write, size_t count)
{
	unsigned long k = 0;

	do {
		inject_begin(INJECT_MEMORY, k++, false);
		write_once(write, count);
	} while (inject.happened);
	assert_int_equal(inject.blocks, 0);
}

/* Prices, the first of which is none. */
static void fill_prices(void)
{
	size_t i;

	for (i = 0; i < VALUES; i++) {
		double value =
			i % 100 ? (double)(i * 7919 % 50021) / 100 : 1.0 / 3;

		memcpy(&values[i], &value, sizeof(value));
	}
}

static uint32_t mix(size_t a, size_t b)
{
	uint32_t hash = ((uint32_t)a * 2654435761u) ^ ((uint32_t)b * 40503u);

	hash = (hash ^ hash >> 15) * 2246822519u;
	return hash ^ hash >> 13;
}

/* Some lines come again and again, in no order. */
static void fill_some_lines(size_t lines)
{
	size_t line = 0;
	size_t in = 0;
	size_t i;

	for (i = 0; i < VALUES; i++) {
		size_t kind = mix(line, 77) % lines;

		starts[i] = in == 0;
		values[i] = mix(kind, in) % 61;
		if (in++ == 6 + kind % 12) {
			line++;
			in = 0;
		}
	}
}

static void fill_lines(void)
{
	fill_some_lines(12);
}

static void without_memory_another_encoding_is_taken(void **state)
{
	const struct {
		void (*fill)(void);
		write_column *write;
		int kind; /* with enough memory */
	} cases[] = {
		{fill_prices, write_doubles, PACKED_DECIMAL},
		{fill_lines, write_phrases, PACKED_PHRASES},
		{fill_lines, write_phrases_again, PACKED_PHRASES},
	};
	size_t i;

	(void)state;
	for (i = 0; i < LENGTH(cases); i++) {
		cases[i].fill();
		assert_int_equal(
			write_once(cases[i].write, VALUES), cases[i].kind);
		write_without_memory(cases[i].write, VALUES);
	}
}

static void what_is_too_little_for_an_encoding_has_another(void **state)
{
	(void)state;
	fill_prices();
	assert_int_not_equal(write_once(write_doubles, 10), PACKED_DECIMAL);
	memset(values, 0, sizeof(values));
	assert_int_equal(write_once(write_doubles, VALUES), PACKED_CONSTANT);
}

static void a_line_that_never_ends_is_many_phrases(void **state)
{
	size_t i;

	(void)state;
	memset(starts, 0, sizeof(starts));
	for (i = 0; i < VALUES; i++)
		values[i] = mix(mix(i / 64, 77) % 3, i % 64) % 61;
	assert_int_equal(write_once(write_phrases, VALUES), PACKED_PHRASES);
	/* What was good for other batches may be bad for this one. */
	for (i = 0; i < VALUES; i++)
		values[i] = mix(i, 77);
	assert_int_not_equal(
		write_once(write_phrases_again, VALUES), PACKED_PHRASES);
}

/* Some of which begin at one place of the table that they are looked up in. */
static void lines_of_any_number_read_back(void **state)
{
	size_t lines;

	(void)state;
	for (lines = 2; lines < 60; lines++) {
		fill_some_lines(lines);
		write_once(write_phrases_again, VALUES);
	}
}

static void what_was_worse_is_not_tried_for_a_while(void **state)
{
	struct column_write writer = {0};
	struct render_buffer bytes = {0};
	struct pack_choice choice = {.other = false, .left = 1};

	(void)state;
	fill_lines();
	column_phrases_write(&writer, &bytes, values, VALUES, starts, &choice);
	assert_int_not_equal(bytes.data[0], PACKED_PHRASES);
	check(&bytes, VALUES);
	assert_int_equal(choice.left, 0);
	render_buffer_free(&bytes);
	column_write_free(&writer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_memory_another_encoding_is_taken),
		cmocka_unit_test(
			what_is_too_little_for_an_encoding_has_another),
		cmocka_unit_test(lines_of_any_number_read_back),
		cmocka_unit_test(what_was_worse_is_not_tried_for_a_while),
		cmocka_unit_test(a_line_that_never_ends_is_many_phrases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
