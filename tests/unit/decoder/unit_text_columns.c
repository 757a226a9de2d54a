/* Texts of many places together, as the packer writes them, against the reader
 * of packed logs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/pack/text_columns.h"
#include "decoder/packed/column_strings.h"

#define TEXTS 2000u
#define COLUMNS 7u
#define LONGEST 4000u

static uint64_t state = 1;

static uint64_t below(uint64_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % limit;
}

struct texts {
	struct column_write numbers;
	struct string_columns strings;
	struct text_columns writer;
	struct render_buffer bytes;
	char *all[TEXTS];
	size_t sizes[TEXTS];
	uint32_t columns[TEXTS];
	uint32_t counts[COLUMNS];
	size_t count;
	size_t next;
};

static void begin(struct texts *texts)
{
	*texts = (struct texts){0};
	texts->strings.numbers = &texts->numbers;
	texts->writer.strings = &texts->strings;
}

static void add(
	struct texts *texts, uint32_t column, const char *bytes, size_t size)
{
	char *copy = malloc(size + 1);

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	texts->all[texts->count] = copy;
	texts->sizes[texts->count] = size;
	texts->columns[texts->count++] = column;
	texts->counts[column]++;
}

static bool write_texts(struct texts *texts)
{
	size_t i;

	assert_true(text_columns_reserve(&texts->writer, TEXTS));
	for (i = 0; i < texts->count; i++) {
		texts->writer.texts[i] = (struct string_value){
			texts->all[i], (uint32_t)texts->sizes[i]};
		texts->writer.column_of[i] = texts->columns[i];
	}
	texts->writer.count = texts->count;
	texts->bytes.length = 0;
	return text_columns_write(&texts->writer, &texts->bytes, COLUMNS) &&
	       !texts->bytes.failed;
}

static size_t next_column(void *closure)
{
	struct texts *texts = closure;

	return texts->columns[texts->next++];
}

/* `wanted`: a bit for each column. */
static bool read_texts(struct texts *texts, const uint8_t *bytes, size_t size,
	unsigned wanted, bool compare)
{
	struct cursor cursor = cursor_over(bytes, size);
	struct column_store store = {0};
	struct column_strings columns[COLUMNS];
	struct column_strings *asked[COLUMNS];
	struct column_texts all = {.columns = asked,
		.counts = texts->counts,
		.column_count = COLUMNS,
		.count = texts->count};
	size_t i;
	bool good;

	for (i = 0; i < COLUMNS; i++)
		asked[i] = wanted >> i & 1 ? &columns[i] : NULL;
	texts->next = 0;
	good = column_texts_read(&cursor, &store, &all, next_column, texts);
	for (i = 0; good && i < texts->count; i++) {
		struct column_value value;

		if (!asked[texts->columns[i]])
			continue;
		value = column_strings_next(asked[texts->columns[i]]);
		if (!compare)
			continue;
		assert_int_equal(value.size, texts->sizes[i]);
		assert_memory_equal(value.data, texts->all[i], value.size);
	}
	if (compare)
		assert_int_equal(cursor_left(&cursor), 0);
	column_store_free(&store);
	return good;
}

static void end(struct texts *texts)
{
	size_t i;

	for (i = 0; i < texts->count; i++)
		free(texts->all[i]);
	text_columns_free(&texts->writer);
	string_columns_free(&texts->strings);
	column_write_free(&texts->numbers);
	render_buffer_free(&texts->bytes);
}

/* As daemons say them; `odd` of 1000 are of no kind. */
static size_t text_of(char *text, size_t size, uint32_t column)
{
	unsigned some = (unsigned)below(300);

	switch (column) {
	case 0:
		return (size_t)snprintf(text, size, "constant\n");
	case 1:
		return (size_t)snprintf(text, size, "phase: %u\n", some);
	case 2:
		return (size_t)snprintf(text, size, "\"%u\"", some);
	case 3:
		return (size_t)snprintf(text, size, "%u", some);
	case 4:
		return (size_t)snprintf(text, size, "of %u, of 7\n", some);
	case 5:
		return 0;
	default:
		return (size_t)snprintf(text, size, "free: %016X\n", some);
	}
}

/* As daemons say them; `odd` of 1000 are of no kind. */
static void say(struct texts *texts, unsigned odd)
{
	char text[LONGEST];
	size_t i, k, size;

	for (i = 0; i < TEXTS; i++) {
		uint32_t column = (uint32_t)below(COLUMNS);

		size = (size_t)snprintf(text, sizeof(text),
			"2026/11/%02u 10:00:%02u [debug] 12#12: *%u ",
			(unsigned)i / 900, (unsigned)i / 100, (unsigned)i / 90);
		if (below(20) == 0)
			size = 0;
		size += text_of(text + size, sizeof(text) - size, column);
		if (below(1000) < odd) {
			size = below(below(10) ? 60 : LONGEST);
			for (k = 0; k < size; k++)
				text[k] = (char)(1 + below(120));
		}
		add(texts, column, text, size);
	}
}

static void texts_read_back_as_they_were(void **test)
{
	unsigned round;

	(void)test;
	for (round = 0; round < 30; round++) {
		struct texts texts;

		begin(&texts);
		say(&texts, round * round);
		assert_true(write_texts(&texts));
		assert_true(read_texts(&texts, (uint8_t *)texts.bytes.data,
			texts.bytes.length, 0x7f, true));
		assert_true(read_texts(&texts, (uint8_t *)texts.bytes.data,
			texts.bytes.length, (unsigned)below(128), true));
		end(&texts);
	}
}

static void what_comes_before_all_of_them_is_there_once(void **test)
{
	struct texts texts;
	size_t plain = 0;
	size_t i;

	(void)test;
	begin(&texts);
	say(&texts, 0);
	for (i = 0; i < texts.count; i++)
		plain += texts.sizes[i];
	assert_true(write_texts(&texts));
	assert_true(texts.bytes.length < plain / 3);
	end(&texts);
}

static void texts_that_use_all_bytes_are_not_written(void **test)
{
	struct texts texts;
	char text[2];
	unsigned i;

	(void)test;
	begin(&texts);
	for (i = 0; i < 1024; i++) {
		text[0] = 'x';
		text[1] = (char)i;
		add(&texts, i % COLUMNS, text, sizeof(text));
	}
	assert_false(write_texts(&texts));
	end(&texts);
}

static void a_few_are_not_written(void **test)
{
	struct texts texts;

	(void)test;
	begin(&texts);
	add(&texts, 0, "alone", 5);
	assert_false(write_texts(&texts));
	end(&texts);
}

static void damage_does_no_harm(void **test)
{
	struct texts texts;
	unsigned round;
	size_t i;

	(void)test;
	begin(&texts);
	say(&texts, 10);
	assert_true(write_texts(&texts));
	for (i = 0; i < texts.bytes.length; i += 1 + i / 8)
		assert_false(read_texts(
			&texts, (uint8_t *)texts.bytes.data, i, 0x7f, false));
	for (round = 0; round < 3000; round++) {
		uint8_t *at = (uint8_t *)texts.bytes.data +
			      below(round % 2 ? 2000 : texts.bytes.length);
		uint8_t was = *at;

		*at ^= (uint8_t)(1 + below(255));
		read_texts(&texts, (uint8_t *)texts.bytes.data,
			texts.bytes.length, (unsigned)below(128), false);
		*at = was;
	}
	end(&texts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_read_back_as_they_were),
		cmocka_unit_test(what_comes_before_all_of_them_is_there_once),
		cmocka_unit_test(texts_that_use_all_bytes_are_not_written),
		cmocka_unit_test(a_few_are_not_written),
		cmocka_unit_test(damage_does_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
