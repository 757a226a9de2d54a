#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/dwarf/rangelist.h"

struct ranges {
	uint64_t low[8];
	uint64_t high[8];
	size_t count;
};

static bool take(void *closure, uint64_t low, uint64_t high)
{
	struct ranges *ranges = closure;

	if (ranges->count == 8)
		return false;
	ranges->low[ranges->count] = low;
	ranges->high[ranges->count++] = high;
	return true;
}

static void assert_range(
	const struct ranges *ranges, size_t i, uint64_t low, uint64_t high)
{
	assert_true(i < ranges->count);
	assert_int_equal(ranges->low[i], low);
	assert_int_equal(ranges->high[i], high);
}

/* DW_RLE_... by their numbers; the addresses by index are in `addresses`. */
static const uint8_t addresses[] = {
	0, 0, 0, 0, 0, 0, 0, 0,	 /* not of this unit */
	0, 16, 0, 0, 0, 0, 0, 0, /* 0x1000 */
	0, 32, 0, 0, 0, 0, 0, 0, /* 0x2000 */
};
static const uint8_t list[] = {
	4,
	1,
	2, /* offset pair, from the base of the unit */
	1,
	0, /* base by index: 0x1000 */
	4,
	0x80,
	1,
	0x90,
	1, /* offset pair 128, 144 */
	2,
	0,
	1, /* start and end by index */
	3,
	1,
	5, /* start by index, length */
	5,
	0,
	48,
	0,
	0,
	0,
	0,
	0,
	0, /* base 0x3000 */
	4,
	7,
	7, /* nothing */
	4,
	7,
	8,
	6,
	0,
	64,
	0,
	0,
	0,
	0,
	0,
	0,
	1,
	64,
	0,
	0,
	0,
	0,
	0,
	0,
	7,
	0,
	80,
	0,
	0,
	0,
	0,
	0,
	0,
	3,
	0, /* the end */
	7,
	0,
	80,
	0,
	0,
	0,
	0,
	0,
	0,
	3,
};
static const struct rangelist_unit unit5 = {
	.base = 100, .address_base = 8, .version = 5, .offset_bytes = 4};

static void every_kind_of_entry_is_read(void **state)
{
	struct rangelist_sections sections = {.lists = {list, sizeof(list)},
		.addresses = {addresses, sizeof(addresses)}};
	struct rangelist_place place = {0};
	struct ranges got = {0};

	(void)state;
	assert_true(rangelist_each(&sections, &unit5, &place, take, &got));
	assert_int_equal(got.count, 7);
	assert_range(&got, 0, 101, 102);
	assert_range(&got, 1, 0x1080, 0x1090);
	assert_range(&got, 2, 0x1000, 0x2000);
	assert_range(&got, 3, 0x2000, 0x2005);
	assert_range(&got, 4, 0x3007, 0x3008);
	assert_range(&got, 5, 0x4000, 0x4001);
	assert_range(&got, 6, 0x5000, 0x5003);
}

/* In an allocation of its own, so that a sanitizer sees one byte too many. */
static void a_list_cut_anywhere_gives_what_came_before(void **state)
{
	struct rangelist_place place = {0};
	size_t bytes;

	(void)state;
	for (bytes = 0; bytes < sizeof(list) - 11; bytes++) {
		struct rangelist_sections sections = {
			.addresses = {addresses, sizeof(addresses)}};
		struct ranges got = {0};
		uint8_t *cut = malloc(bytes + 1);

		assert_non_null(cut);
		cut = realloc(cut, bytes ? bytes : 1);
		assert_non_null(cut);
		memcpy(cut, list, bytes);
		sections.lists.data = cut;
		sections.lists.bytes = bytes;
		assert_true(
			rangelist_each(&sections, &unit5, &place, take, &got));
		assert_true(got.count <= 7);
		if (bytes >= 3)
			assert_range(&got, 0, 101, 102);
		else
			assert_int_equal(got.count, 0);
		free(cut);
	}
}

static void an_index_leads_through_the_table_of_offsets(void **state)
{
	const uint8_t lists[] = {
		9, 9, 9, 9, 8, 0, 0, 0, 11, 0, 0, 0, 4, 1, 2, 4, 3, 4, 0};
	struct rangelist_sections sections = {.lists = {lists, sizeof(lists)}};
	struct rangelist_unit unit = {
		.lists_base = 4, .version = 5, .offset_bytes = 4};
	struct rangelist_place place = {.value = 1, .is_index = true};
	struct ranges got = {0};

	(void)state;
	assert_true(rangelist_each(&sections, &unit, &place, take, &got));
	assert_int_equal(got.count, 1);
	assert_range(&got, 0, 3, 4);
	place.value = UINT64_MAX / 2;
	got.count = 0;
	assert_true(rangelist_each(&sections, &unit, &place, take, &got));
	assert_int_equal(got.count, 0);
}

static void pairs_before_dwarf_5_have_bases_and_an_end(void **state)
{
	const uint64_t pairs[] = {
		1, 2, UINT64_MAX, 5000, 3, 4, 7, 7, 8, 9, 0, 0, 10, 11};
	struct rangelist_sections sections = {
		.ranges = {(const uint8_t *)pairs, sizeof(pairs)}};
	struct rangelist_unit unit = {.base = 100, .version = 4};
	struct rangelist_place place = {0};
	struct ranges got = {0};

	(void)state;
	assert_true(rangelist_each(&sections, &unit, &place, take, &got));
	assert_int_equal(got.count, 3);
	assert_range(&got, 0, 101, 102);
	assert_range(&got, 1, 5003, 5004);
	assert_range(&got, 2, 5008, 5009);
	place.value = sizeof(pairs) + 1;
	got.count = 0;
	assert_true(rangelist_each(&sections, &unit, &place, take, &got));
	assert_int_equal(got.count, 0);
}

static void the_callback_can_stop_a_list(void **state)
{
	struct rangelist_sections sections = {.lists = {list, sizeof(list)},
		.addresses = {addresses, sizeof(addresses)}};
	struct rangelist_place place = {0};
	struct ranges full = {.count = 8};

	(void)state;
	assert_false(rangelist_each(&sections, &unit5, &place, take, &full));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_entry_is_read),
		cmocka_unit_test(a_list_cut_anywhere_gives_what_came_before),
		cmocka_unit_test(an_index_leads_through_the_table_of_offsets),
		cmocka_unit_test(pairs_before_dwarf_5_have_bases_and_an_end),
		cmocka_unit_test(the_callback_can_stop_a_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
