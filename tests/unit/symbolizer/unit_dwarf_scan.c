/* Abbreviations and entries that are put together byte by byte. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dwarf.h>

#include "base/readlimits.h"
#include "symbolizer/dwarf/dwarf_scan.h"

static const struct dwarf_encoding version4 = {4, 4};

static const struct {
	uint16_t form;
	uint8_t bytes[20];
	size_t count;
} forms[] = {
	{DW_FORM_addr, {1, 2, 3, 4, 5, 6, 7, 8}, 8},
	{DW_FORM_data1, {1}, 1},
	{DW_FORM_data2, {1, 2}, 2},
	{DW_FORM_strx3, {1, 2, 3}, 3},
	{DW_FORM_data4, {1, 2, 3, 4}, 4},
	{DW_FORM_data8, {1}, 8},
	{DW_FORM_data16, {1}, 16},
	{DW_FORM_flag_present, {0}, 0},
	{DW_FORM_string, {'a', 'b', 0}, 3},
	{DW_FORM_strp, {1, 2, 3, 4}, 4},
	{DW_FORM_sdata, {0x80, 0x7f}, 2},
	{DW_FORM_udata, {0x80, 0x80, 1}, 3},
	{DW_FORM_exprloc, {2, 9, 9}, 3},
	{DW_FORM_block1, {3, 9, 9, 9}, 4},
	{DW_FORM_block2, {1, 0, 9}, 3},
	{DW_FORM_block4, {1, 0, 0, 0, 9}, 5},
	{DW_FORM_indirect, {DW_FORM_data2, 1, 2}, 3},
	{DW_FORM_indirect, {DW_FORM_exprloc, 1, 9}, 3},
	{DW_FORM_rnglistx, {0x81, 1}, 2},
	{DW_FORM_GNU_ref_alt, {1, 2, 3, 4}, 4},
};
#define FORMS (sizeof(forms) / sizeof(forms[0]))

static const struct dwarf_scan_table *table_of(
	struct dwarf_scan_tables *tables, const uint8_t *data, size_t bytes)
{
	const struct dwarf_bytes section = {data, bytes};

	return dwarf_scan_table(tables, &section, 0, version4);
}

/* The last entry that is reached, from the first one on. */
static struct dwarf_scan last_of(const struct dwarf_scan_table *table,
	const uint8_t *data, size_t bytes, unsigned *count)
{
	const struct dwarf_bytes unit = {data, bytes};
	struct dwarf_scan scan, last = {0};

	*count = 0;
	dwarf_scan_start(&scan, table, unit, data);
	while (dwarf_scan_next(&scan)) {
		last = scan;
		++*count;
	}
	return last;
}

static void all_attributes_of_an_entry_are_skipped(void **state)
{
	uint8_t abbreviations[128], entries[256];
	struct dwarf_scan_tables tables = {0};
	size_t at = 0, end = 0, i;
	unsigned count;

	(void)state;
	abbreviations[at++] = 1;
	abbreviations[at++] = DW_TAG_compile_unit;
	abbreviations[at++] = 1;
	entries[end++] = 1;
	for (i = 0; i < FORMS; i++) {
		abbreviations[at++] = DW_AT_name;
		if (forms[i].form >= 0x80) {
			abbreviations[at++] = (forms[i].form & 0x7f) | 0x80;
			abbreviations[at++] = (uint8_t)(forms[i].form >> 7);
		} else {
			abbreviations[at++] = (uint8_t)forms[i].form;
		}
		memcpy(entries + end, forms[i].bytes, forms[i].count);
		end += forms[i].count;
	}
	memcpy(abbreviations + at, "\0\0\2\x2e\0\0\0\0", 8);
	at += 8;
	entries[end++] = 2;
	entries[end++] = 0;
	for (i = 0; i <= end; i++) {
		struct dwarf_scan last =
			last_of(table_of(&tables, abbreviations, at), entries,
				i, &count);

		/* the second one is there when its code is */
		assert_int_equal(count, (i + 2 >= end) + (i + 1 >= end));
		if (i == end)
			assert_int_equal(last.kind->tag, DW_TAG_subprogram);
	}
	dwarf_scan_free(&tables);
}

static void an_unknown_form_makes_the_table_useless(void **state)
{
	static const uint8_t abbreviations[] = {
		1, DW_TAG_compile_unit, 0, DW_AT_name, 0x7e, 0, 0, 0};
	struct dwarf_scan_tables tables = {0};
	const struct dwarf_scan_table *table =
		table_of(&tables, abbreviations, sizeof(abbreviations));

	(void)state;
	assert_non_null(table);
	assert_true(table->unknown);
	dwarf_scan_free(&tables);
}

static void kinds_are_found_in_any_order_of_their_codes(void **state)
{
	static const uint8_t abbreviations[] = {200, 1, DW_TAG_subprogram, 0, 0,
		0, 7, DW_TAG_compile_unit, 1, 0, 0, 1, DW_TAG_variable, 0, 0, 0,
		0};
	static const uint8_t entries[] = {7, 200, 1, 1, 0};
	struct dwarf_scan_tables tables = {0};
	const struct dwarf_scan_table *table =
		table_of(&tables, abbreviations, sizeof(abbreviations));
	unsigned count;
	struct dwarf_scan last =
		last_of(table, entries, sizeof(entries), &count);

	(void)state;
	assert_int_equal(count, 3);
	assert_int_equal(last.kind->tag, DW_TAG_variable);
	assert_int_equal(last.depth, 1);
	dwarf_scan_free(&tables);
}

static void what_is_below_is_passed_over_by_its_sibling(void **state)
{
	static const uint8_t abbreviations[] = {1, DW_TAG_compile_unit, 1,
		DW_AT_sibling, DW_FORM_ref4, 0, 0, 2, DW_TAG_variable, 0, 0, 0,
		0};
	/* a sibling behind it; one before it, and one beyond the unit: a loop
	 * and damage */
	static const uint8_t wanted[] = {8, 0, 255};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wanted); i++) {
		const uint8_t entries[] = {
			1, wanted[i], 0, 0, 0, 2, 2, 0, 2, 0};
		const struct dwarf_bytes unit = {entries, sizeof(entries)};
		struct dwarf_scan_tables tables = {0};
		struct dwarf_scan scan;

		dwarf_scan_start(&scan,
			table_of(&tables, abbreviations, sizeof(abbreviations)),
			unit, entries);
		assert_true(dwarf_scan_next(&scan));
		dwarf_scan_skip_children(&scan);
		if (i == 0)
			assert_false(dwarf_scan_next(&scan));
		else
			assert_ptr_equal(
				dwarf_scan_next(&scan) ? scan.at : NULL,
				entries + 5);
		dwarf_scan_free(&tables);
	}
}

static void tables_that_overlap_are_not_decoded_for_ever(void **state)
{
	/* each begins two bytes behind the one before, and has all of it */
	uint8_t abbreviations[4096];
	struct dwarf_bytes section = {abbreviations, sizeof(abbreviations)};
	struct dwarf_scan_tables tables = {0};
	uint64_t i;

	(void)state;
	memset(abbreviations, DW_FORM_data1, sizeof(abbreviations));
	memset(abbreviations + sizeof(abbreviations) - 3, 0, 3);
	for (i = 0; i < sizeof(abbreviations) && !tables.exhausted; i++)
		dwarf_scan_table(&tables, &section, i, version4);
	assert_true(tables.exhausted);
	assert_true(tables.spent <= readlimits_times(READLIMIT_SHARED_TIMES,
					    sizeof(abbreviations)) +
					    sizeof(abbreviations));
	dwarf_scan_free(&tables);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_attributes_of_an_entry_are_skipped),
		cmocka_unit_test(an_unknown_form_makes_the_table_useless),
		cmocka_unit_test(kinds_are_found_in_any_order_of_their_codes),
		cmocka_unit_test(what_is_below_is_passed_over_by_its_sibling),
		cmocka_unit_test(tables_that_overlap_are_not_decoded_for_ever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
