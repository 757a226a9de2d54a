#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/parity.h"

/* The parity begins in the middle of a row. */
#define ROW 40u
#define BYTES (PARITY_DATA_ROWS * ROW - ROW / 2)

struct group {
	uint8_t data[BYTES];
	uint8_t parity[PARITY_ROWS * ROW];
};

static struct group sound, hurt;
static bool may[PARITY_ALL_ROWS];

static bool read_sound(
	void *closure, size_t offset, uint8_t *bytes, size_t size)
{
	(void)closure;
	memcpy(bytes, sound.data + offset, size);
	return true;
}

static int begin(void **state)
{
	size_t i;

	(void)state;
	srand(1);
	for (i = 0; i < BYTES; i++)
		sound.data[i] = (uint8_t)(rand() >> 7);
	assert_true(parity_make(read_sound, NULL, BYTES, sound.parity));
	hurt = sound;
	memset(may, true, sizeof(may));
	return 0;
}

/* Of the data, then of the parity. */
static uint8_t *byte(size_t at)
{
	return at < BYTES ? &hurt.data[at] : &hurt.parity[at - BYTES];
}

static size_t mend(void)
{
	return parity_mend(hurt.data, BYTES, hurt.parity, may, NULL, NULL);
}

static void expect_all(void)
{
	assert_int_equal(mend(), 0);
	assert_memory_equal(&hurt, &sound, sizeof(sound));
}

static void what_is_whole_stays(void **state)
{
	(void)state;
	expect_all();
}

static void four_bytes_of_a_column_come_back(void **state)
{
	(void)state;
	*byte(7) ^= 0x10;
	*byte(100 * ROW + 7) ^= 0xff;
	*byte(BYTES + ROW + 7 + ROW / 2) ^= 1;
	*byte(BYTES + 6 * ROW + 7 + ROW / 2) ^= 0x80;
	expect_all();
}

/* As check sums of the data would. */
static bool is_sound(void *closure)
{
	(void)closure;
	return memcmp(&hurt, &sound, sizeof(sound)) == 0;
}

/* The rows of it, and some around them, alone may be damaged. */
static void suspect(size_t begin, size_t end)
{
	size_t row;

	for (row = 0; row < PARITY_ALL_ROWS; row++)
		may[row] |=
			row * ROW < end + 5 * ROW && (row + 6) * ROW > begin;
}

static void overwrite(size_t begin, size_t bytes, bool noise)
{
	size_t i;

	for (i = begin; i < begin + bytes; i++)
		*byte(i) = noise ? (uint8_t)(rand() >> 7) : 0;
	suspect(begin, begin + bytes);
}

/* Two columns say where, and others do so by chance. */
static void a_run_of_nearly_eight_rows_comes_back_by_a_check_sum(void **state)
{
	const size_t bytes = 8 * ROW - 2;
	size_t from;

	(void)state;
	for (from = 0; from + bytes <= sizeof(hurt); from++) {
		hurt = sound;
		memset(may, false, sizeof(may));
		overwrite(from, bytes, from % 2);
		assert_int_equal(parity_mend(hurt.data, BYTES, hurt.parity, may,
					 is_sound, NULL),
			0);
		assert_true(is_sound(NULL));
	}
}

/* As zeros leave zeros, windows behind the
 * run's are explained, too, with some between that are not. */
static void one_that_leaves_bytes_as_they_were_comes_back(void **state)
{
	const size_t bytes = 7 * ROW + ROW * 2 / 3;
	size_t from, i;

	(void)state;
	for (from = 0; from + bytes <= sizeof(hurt); from++) {
		hurt = sound;
		memset(may, false, sizeof(may));
		for (i = from; i < from + bytes; i++)
			if (rand() >> 7 & 3)
				*byte(i) ^= 1;
		suspect(from, from + bytes);
		assert_int_equal(parity_mend(hurt.data, BYTES, hurt.parity, may,
					 is_sound, NULL),
			0);
		assert_true(is_sound(NULL));
	}
}

static void one_of_seven_rows_comes_back_without(void **state)
{
	size_t from;

	(void)state;
	for (from = 0; from + 7 * ROW <= sizeof(hurt); from += 331) {
		hurt = sound;
		overwrite(from, 7 * ROW, true);
		expect_all();
	}
}

static void one_of_five_rows_comes_back_though_bits_elsewhere_are_wrong(
	void **state)
{
	const size_t last = sizeof(hurt) - 1;

	(void)state;
	memset(may, false, sizeof(may));
	overwrite(100 * ROW + 9, 5 * ROW, true);
	*byte(7) ^= 1;
	*byte(last) ^= 0x80;
	suspect(7, 8);
	suspect(last, last + 1);
	expect_all();
}

static void eight_rows_come_back_if_they_are_known(void **state)
{
	size_t i;

	(void)state;
	memset(may, false, sizeof(may));
	for (i = 0; i < PARITY_ROWS; i++) {
		may[i * 20] = true;
		memset(byte(i * 20 * ROW), 0, ROW);
	}
	expect_all();
}

static void a_row_that_is_not_damaged_is_not_touched(void **state)
{
	(void)state;
	*byte(7) ^= 0x10;
	may[0] = false;
	assert_int_equal(mend(), 1);
	assert_int_equal(*byte(7), sound.data[7] ^ 0x10);
}

static void more_is_told(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < BYTES / 2; i++)
		hurt.data[i] = (uint8_t)rand();
	assert_true(mend() > 0);
}

static bool read_nothing(
	void *closure, size_t offset, uint8_t *bytes, size_t size)
{
	(void)closure;
	(void)offset;
	(void)bytes;
	(void)size;
	return false;
}

static void what_cannot_be_read_has_none(void **state)
{
	(void)state;
	assert_false(parity_make(read_nothing, NULL, BYTES, hurt.parity));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(what_is_whole_stays, begin),
		cmocka_unit_test_setup(four_bytes_of_a_column_come_back, begin),
		cmocka_unit_test_setup(
			a_run_of_nearly_eight_rows_comes_back_by_a_check_sum,
			begin),
		cmocka_unit_test_setup(
			one_that_leaves_bytes_as_they_were_comes_back, begin),
		cmocka_unit_test_setup(
			one_of_seven_rows_comes_back_without, begin),
		cmocka_unit_test_setup(
			one_of_five_rows_comes_back_though_bits_elsewhere_are_wrong,
			begin),
		cmocka_unit_test_setup(
			eight_rows_come_back_if_they_are_known, begin),
		cmocka_unit_test_setup(
			a_row_that_is_not_damaged_is_not_touched, begin),
		cmocka_unit_test_setup(more_is_told, begin),
		cmocka_unit_test_setup(what_cannot_be_read_has_none, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
