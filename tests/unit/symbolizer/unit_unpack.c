#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/elf/elffile.h"

static const char text[] = "hello hello hello hello hello hello hello\n";

#define TEXT_BYTES (sizeof(text) - 1)

/* The text, as the commands xz and zstd pack it. */
static const uint8_t xz[] = {0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04,
	0xe6, 0xd6, 0xb4, 0x46, 0x02, 0x00, 0x21, 0x01, 0x1c, 0x00, 0x00, 0x00,
	0x10, 0xcf, 0x58, 0xcc, 0xe0, 0x00, 0x29, 0x00, 0x0d, 0x5d, 0x00, 0x34,
	0x19, 0x49, 0xee, 0x8d, 0xe9, 0x57, 0xa3, 0x91, 0x09, 0x0c, 0x80, 0x00,
	0x00, 0x00, 0x00, 0x00, 0xc2, 0x68, 0x44, 0x1a, 0xdc, 0x34, 0xbd, 0xee,
	0x00, 0x01, 0x29, 0x2a, 0x16, 0xe3, 0x7b, 0xbf, 0x1f, 0xb6, 0xf3, 0x7d,
	0x01, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59, 0x5a};
static const uint8_t zstd[] = {0x28, 0xb5, 0x2f, 0xfd, 0x24, 0x2a, 0x6d, 0x00,
	0x00, 0x38, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x20, 0x0a, 0x01, 0x00, 0x42,
	0x96, 0x22, 0x75, 0x17, 0xc9, 0xf3};

static void xz_gives_back_what_was_packed(void **state)
{
	size_t bytes;
	enum readlimit met = READLIMIT_ROWS;
	char *got = unpack_xz(xz, sizeof(xz), 1 << 20, &bytes, &met);

	(void)state;
	assert_non_null(got);
	assert_int_equal(met, READLIMIT_ROWS);
	assert_int_equal(bytes, TEXT_BYTES);
	assert_memory_equal(got, text, TEXT_BYTES);
	free(got);
}

static void xz_that_would_be_longer_than_allowed_is_refused(void **state)
{
	enum readlimit met = READLIMIT_ROWS;
	size_t bytes;
	char *got;

	(void)state;
	assert_null(unpack_xz(xz, 4, TEXT_BYTES - 1, &bytes, &met));
	assert_int_equal(met, READLIMIT_ROWS);
	assert_null(unpack_xz(xz, sizeof(xz), TEXT_BYTES - 1, &bytes, &met));
	assert_int_equal(met, READLIMIT_MINIDEBUGINFO);
	got = unpack_xz(xz, sizeof(xz), sizeof(xz) + 1, &bytes, &met);
	assert_non_null(got);
	free(got);
}

static void xz_that_takes_more_memory_than_allowed_is_refused(void **state)
{
	enum readlimit met = READLIMIT_ROWS;
	size_t bytes;

	(void)state;
	readlimits_values[READLIMIT_XZ] = 1000;
	assert_null(unpack_xz(xz, sizeof(xz), 1 << 20, &bytes, &met));
	assert_int_equal(met, READLIMIT_XZ);
	readlimits_values[READLIMIT_XZ] = READLIMITS_XZ_BYTES;
}

static void damaged_xz_is_refused(void **state)
{
	enum readlimit met = READLIMIT_ROWS;
	uint8_t damaged[sizeof(xz)];
	size_t bytes;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(xz); i++) {
		memcpy(damaged, xz, sizeof(xz));
		damaged[i] ^= 0x10;
		assert_null(
			unpack_xz(damaged, sizeof(xz), 1 << 20, &bytes, &met));
		assert_null(unpack_xz(xz, i, 1 << 20, &bytes, &met));
	}
}

static void zstd_gives_back_what_was_packed(void **state)
{
	char got[TEXT_BYTES];

	(void)state;
	assert_null(unpack_zstd(zstd, sizeof(zstd), got, sizeof(got)));
	assert_memory_equal(got, text, TEXT_BYTES);
}

static void zstd_of_another_length_is_refused(void **state)
{
	char got[TEXT_BYTES + 1];

	(void)state;
	assert_non_null(unpack_zstd(zstd, sizeof(zstd), got, TEXT_BYTES + 1));
	assert_non_null(unpack_zstd(zstd, sizeof(zstd), got, TEXT_BYTES - 1));
	assert_non_null(unpack_zstd(zstd, sizeof(zstd) - 5, got, TEXT_BYTES));
	assert_non_null(unpack_zstd(zstd, 0, got, TEXT_BYTES));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(xz_gives_back_what_was_packed),
		cmocka_unit_test(
			xz_that_would_be_longer_than_allowed_is_refused),
		cmocka_unit_test(
			xz_that_takes_more_memory_than_allowed_is_refused),
		cmocka_unit_test(damaged_xz_is_refused),
		cmocka_unit_test(zstd_gives_back_what_was_packed),
		cmocka_unit_test(zstd_of_another_length_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
