#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zstd.h>

#include "decoder/packed/packed_inflate.h"
#include "record/packed.h"
#include "tests/unit/world/inject_faults.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))
#define SIZE 1000u
#define NEW_COMPRESSION 77u

static uint8_t plain[SIZE];
static uint8_t compressed[2 * SIZE];

static struct packed_bytes zstd(void)
{
	size_t i;

	for (i = 0; i < SIZE; i++)
		plain[i] = (uint8_t)(i / 10);
	return (struct packed_bytes){compressed,
		ZSTD_compress(compressed, sizeof(compressed), plain, SIZE, 3)};
}

static void what_is_as_large_as_it_says_comes_back(void **state)
{
	const struct packed_bytes small = zstd();
	const struct packed_bytes stored = {plain, SIZE};
	const struct {
		uint64_t compression;
		struct packed_bytes bytes;
		uint64_t size;
		size_t most;
		bool good;
	} cases[] = {
		{PACKED_ZSTD, small, SIZE, SIZE, true},
		{PACKED_ZSTD, small, SIZE, SIZE - 1, false},
		{PACKED_ZSTD, small, SIZE - 1, SIZE, false},
		{PACKED_ZSTD, {small.data, small.size - 1}, SIZE, SIZE, false},
		{PACKED_ZSTD, stored, SIZE, SIZE, false},
		{PACKED_STORED, stored, SIZE, SIZE, true},
		{PACKED_STORED, stored, SIZE - 1, SIZE, false},
		{PACKED_STORED, stored, SIZE + 1, 2 * SIZE, false},
		{PACKED_STORED, {NULL, 0}, 0, SIZE, false},
		{NEW_COMPRESSION, stored, SIZE, SIZE, false},
	};
	struct packed_inflate inflate = {0};
	struct packed_buffer into = {0};
	size_t i;

	(void)state;
	for (i = 0; i < LENGTH(cases); i++) {
		assert_int_equal(packed_inflate(&inflate, cases[i].compression,
					 cases[i].bytes, cases[i].size,
					 cases[i].most, &into),
			cases[i].good);
		if (cases[i].good)
			assert_memory_equal(into.data, plain, SIZE);
	}
	free(into.data);
	packed_inflate_free(&inflate);
}

/* As a program says it that did not know it beforehand. */
static void a_size_that_is_not_told_is_found_out(void **state)
{
	struct packed_inflate inflate = {0};
	struct packed_buffer into = {0};
	struct packed_bytes bytes = zstd();
	ZSTD_CCtx *context = ZSTD_createCCtx();

	(void)state;
	ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
	bytes.size = ZSTD_compress2(
		context, compressed, sizeof(compressed), plain, SIZE);
	ZSTD_freeCCtx(context);
	assert_true(packed_inflate(
		&inflate, PACKED_ZSTD, bytes, SIZE, SIZE, &into));
	assert_memory_equal(into.data, plain, SIZE);
	assert_false(packed_inflate(
		&inflate, PACKED_ZSTD, bytes, SIZE + 1, 2 * SIZE, &into));
	free(into.data);
	packed_inflate_free(&inflate);
}

static void without_memory_nothing_comes_back(void **state)
{
	const struct packed_bytes small = zstd();
	unsigned long k = 0;
	bool good;

	(void)state;
	do {
		struct packed_inflate inflate = {0};
		struct packed_buffer into = {0};

		inject_begin(INJECT_MEMORY, k++, true);
		good = packed_inflate(
			&inflate, PACKED_ZSTD, small, SIZE, SIZE, &into);
		inject_end();
		assert_int_not_equal(good, inject.happened);
		free(into.data);
		packed_inflate_free(&inflate);
	} while (!good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_as_large_as_it_says_comes_back),
		cmocka_unit_test(a_size_that_is_not_told_is_found_out),
		cmocka_unit_test(without_memory_nothing_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
