#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/pool.h"
#include "tests/unit/world/inject_faults.h"

static void what_is_taken_is_aligned_and_stays(void **state)
{
	struct pool pool = {0};
	const char *texts[100];
	void *taken[100];
	char text[100];
	size_t size;

	(void)state;
	for (size = 0; size < 100; size++) {
		memset(text, (int)size, size);
		texts[size] = pool_copy(&pool, text, size);
		assert_non_null(texts[size]);
		taken[size] = pool_take(&pool, size);
		/* a type's size is a multiple of its alignment */
		assert_int_equal((uintptr_t)taken[size] %
					 (size % alignof(max_align_t) == 0
							 ? alignof(max_align_t)
							 : alignof(uint64_t)),
			0);
		memset(taken[size], (int)size + 100, size);
	}
	for (size = 0; size < 100; size++) {
		memset(text, (int)size, size);
		assert_memory_equal(texts[size], text, size);
		assert_int_equal(texts[size][size], '\0');
		memset(text, (int)size + 100, size);
		assert_memory_equal(taken[size], text, size);
	}
	assert_false(pool.failed);
	pool_free(&pool);
	assert_int_equal(pool.bytes, 0);
}

static void nothing_can_be_taken_too(void **state)
{
	struct pool pool = {0};

	(void)state;
	assert_non_null(pool_take(&pool, 0));
	pool_free(&pool);
}

static void what_is_too_much_is_refused(void **state)
{
	struct pool pool = {0};

	(void)state;
	assert_null(pool_take(&pool, SIZE_MAX));
	assert_null(pool_copy(&pool, "", SIZE_MAX));
	assert_null(pool.chunks);
}

static void without_memory_what_there_is_stays(void **state)
{
	struct pool pool = {0};
	const char *text;

	(void)state;
	text = pool_copy(&pool, "stays", 5);
	inject_begin(INJECT_MEMORY, 0, true);
	assert_non_null(pool_take(&pool, 16));
	assert_false(pool.failed);
	assert_null(pool_take(&pool, 4096));
	inject_end();
	assert_true(pool.failed);
	assert_string_equal(text, "stays");
	assert_non_null(pool_take(&pool, 4096));
	pool_free(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_taken_is_aligned_and_stays),
		cmocka_unit_test(nothing_can_be_taken_too),
		cmocka_unit_test(what_is_too_much_is_refused),
		cmocka_unit_test(without_memory_what_there_is_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
