#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/dwarf/dwarfabbrev.h"

/* A form, and bytes that are a value of it; all forms there are. */
static const struct sample {
	uint16_t form;
	uint8_t bytes[18];
	unsigned count;
} samples[] = {
	{DWARF_FORM_ADDR, {1, 2, 3, 4, 5, 6, 7, 8}, 8},
	{DWARF_FORM_BLOCK2, {2, 0, 9, 9}, 4},
	{DWARF_FORM_BLOCK4, {1, 0, 0, 0, 9}, 5},
	{DWARF_FORM_DATA2, {1, 2}, 2},
	{DWARF_FORM_DATA4, {1, 2, 3, 4}, 4},
	{DWARF_FORM_DATA8, {1, 2, 3, 4, 5, 6, 7, 8}, 8},
	{DWARF_FORM_STRING, {'a', 'b', 0}, 3},
	{DWARF_FORM_BLOCK, {3, 9, 9, 9}, 4},
	{DWARF_FORM_BLOCK1, {1, 9}, 2},
	{DWARF_FORM_DATA1, {1}, 1},
	{DWARF_FORM_FLAG, {1}, 1},
	{DWARF_FORM_SDATA, {0x80, 0x7f}, 2},
	{DWARF_FORM_STRP, {1, 2, 3, 4}, 4},
	{DWARF_FORM_UDATA, {0x80, 0x80, 1}, 3},
	{DWARF_FORM_REF_ADDR, {1, 2, 3, 4}, 4},
	{DWARF_FORM_REF1, {1}, 1},
	{DWARF_FORM_REF2, {1, 2}, 2},
	{DWARF_FORM_REF4, {1, 2, 3, 4}, 4},
	{DWARF_FORM_REF8, {1, 2, 3, 4, 5, 6, 7, 8}, 8},
	{DWARF_FORM_REF_UDATA, {0x81, 1}, 2},
	{DWARF_FORM_INDIRECT, {DWARF_FORM_DATA2, 1, 2}, 3},
	{DWARF_FORM_SEC_OFFSET, {1, 2, 3, 4}, 4},
	{DWARF_FORM_EXPRLOC, {2, 9, 9}, 3},
	{DWARF_FORM_FLAG_PRESENT, {0}, 0},
	{DWARF_FORM_STRX, {0x81, 1}, 2},
	{DWARF_FORM_ADDRX, {5}, 1},
	{DWARF_FORM_REF_SUP4, {1, 2, 3, 4}, 4},
	{DWARF_FORM_STRP_SUP, {1, 2, 3, 4}, 4},
	{DWARF_FORM_DATA16, {1, 2, 3}, 16},
	{DWARF_FORM_LINE_STRP, {1, 2, 3, 4}, 4},
	{DWARF_FORM_REF_SIG8, {1, 2, 3, 4, 5, 6, 7, 8}, 8},
	{DWARF_FORM_IMPLICIT_CONST, {0}, 0},
	{DWARF_FORM_LOCLISTX, {5}, 1},
	{DWARF_FORM_RNGLISTX, {5}, 1},
	{DWARF_FORM_REF_SUP8, {1, 2, 3, 4, 5, 6, 7, 8}, 8},
	{DWARF_FORM_STRX1, {1}, 1},
	{DWARF_FORM_STRX2, {1, 2}, 2},
	{DWARF_FORM_STRX3, {1, 2, 3}, 3},
	{DWARF_FORM_STRX4, {1, 2, 3, 4}, 4},
	{DWARF_FORM_ADDRX1, {1}, 1},
	{DWARF_FORM_ADDRX2, {1, 2}, 2},
	{DWARF_FORM_ADDRX3, {1, 2, 3}, 3},
	{DWARF_FORM_ADDRX4, {1, 2, 3, 4}, 4},
	{DWARF_FORM_GNU_ADDR_INDEX, {0x81, 1}, 2},
	{DWARF_FORM_GNU_STR_INDEX, {5}, 1},
	{DWARF_FORM_GNU_REF_ALT, {1, 2, 3, 4}, 4},
	{DWARF_FORM_GNU_STRP_ALT, {1, 2, 3, 4}, 4},
};

#define SAMPLES (sizeof(samples) / sizeof(samples[0]))

static const struct dwarfform_encoding encoding = {
	.version = 5, .offset_bytes = 4};

/* A section that is put together byte by byte. */
struct section {
	uint8_t data[1024];
	struct dwarfbytes bytes;
};

static void put(struct section *section, uint64_t number)
{
	do {
		uint8_t byte = number & 0x7f;

		number >>= 7;
		assert_true(section->bytes.bytes < sizeof(section->data));
		section->data[section->bytes.bytes++] =
			byte | (number ? 0x80 : 0);
	} while (number);
	section->bytes.data = section->data;
}

static void put_kind(struct section *section, uint64_t code, uint64_t form)
{
	put(section, code);
	put(section, DWARF_TAG_SUBPROGRAM);
	put(section, 0);
	put(section, DWARF_AT_NAME);
	put(section, form);
	if (form == DWARF_FORM_IMPLICIT_CONST)
		put(section, 7);
	put(section, 0);
	put(section, 0);
}

static void each_form_is_read_and_skipped(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < SAMPLES; i++) {
		struct dwarfcursor reading = {.at = samples[i].bytes,
			.end = samples[i].bytes + samples[i].count};
		struct dwarfcursor skipping = reading;
		struct dwarfvalue value =
			dwarfform_read(&reading, samples[i].form, 7, &encoding);

		dwarfform_skip(&skipping, samples[i].form, &encoding);
		assert_false(reading.damaged || skipping.damaged);
		assert_ptr_equal(reading.at, reading.end);
		assert_ptr_equal(skipping.at, skipping.end);
		assert_int_not_equal(value.form, DWARF_FORM_NONE);
	}
}

static void a_form_that_is_cut_is_damage(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < SAMPLES; i++) {
		struct dwarfcursor cursor = {.at = samples[i].bytes,
			.end = samples[i].bytes + samples[i].count - 1};

		if (samples[i].count == 0)
			continue;
		dwarfform_read(&cursor, samples[i].form, 0, &encoding);
		assert_true(cursor.damaged);
		assert_ptr_equal(cursor.at, cursor.end);
	}
}

/* All samples in one entry: what has known sizes is one step. */
static void all_attributes_of_an_entry_are_skipped(void **state)
{
	struct dwarfabbrev_tables tables = {0};
	struct section section = {0};
	const struct dwarfabbrev_table *table;
	uint8_t entry[512];
	struct dwarfcursor cursor = {.at = entry};
	size_t bytes = 0;
	size_t i;

	(void)state;
	put(&section, 1);
	put(&section, DWARF_TAG_SUBPROGRAM);
	put(&section, 0);
	for (i = 0; i < SAMPLES; i++) {
		put(&section, DWARF_AT_NAME);
		put(&section, samples[i].form);
		if (samples[i].form == DWARF_FORM_IMPLICIT_CONST)
			put(&section, 7);
		memcpy(entry + bytes, samples[i].bytes, samples[i].count);
		bytes += samples[i].count;
	}
	put(&section, 0);
	put(&section, 0);
	put(&section, 0);
	cursor.end = entry + bytes;
	table = dwarfabbrev_table(&tables, &section.bytes, 0, &encoding);
	assert_non_null(table);
	dwarfabbrev_skip(table, dwarfabbrev_find(table, 1), &cursor);
	assert_false(cursor.damaged);
	assert_ptr_equal(cursor.at, cursor.end);
	cursor = (struct dwarfcursor){.at = entry, .end = entry + bytes - 1};
	dwarfabbrev_skip(table, dwarfabbrev_find(table, 1), &cursor);
	assert_true(cursor.damaged);
	dwarfabbrev_free(&tables);
}

/* Names are counted from 1, so that each form has its own. */
static void put_samples(
	struct section *section, uint8_t code, size_t samples_used)
{
	size_t i;

	put(section, code);
	put(section, DWARF_TAG_SUBPROGRAM);
	put(section, 0);
	for (i = 0; i < samples_used; i++) {
		put(section, (uint8_t)(i + 1));
		put(section, samples[i].form);
	}
	put(section, 0);
	put(section, 0);
}

static void attributes_are_where_the_sizes_before_them_say(void **state)
{
	struct dwarfabbrev_tables tables = {0};
	struct section section = {0};
	const struct dwarfabbrev_attribute *attribute;
	const struct dwarfabbrev_table *table;
	size_t i;

	(void)state;
	put_samples(&section, 1, 6);
	put_samples(&section, 2, 1);
	put(&section, 0);
	table = dwarfabbrev_table(&tables, &section.bytes, 0, &encoding);
	assert_non_null(table);
	for (i = 0; i < 6; i++) {
		attribute = dwarfabbrev_attribute(
			table, dwarfabbrev_find(table, 1), (uint16_t)(i + 1));
		assert_non_null(attribute);
		assert_int_equal(attribute->form, samples[i].form);
		assert_int_equal(
			attribute->before, i == 0   ? 0
					   : i == 1 ? samples[0].count
						    : DWARFABBREV_VARIES);
	}
	assert_int_equal(dwarfabbrev_find(table, 1)->bytes, DWARFABBREV_VARIES);
	assert_int_equal(dwarfabbrev_find(table, 2)->bytes, samples[0].count);
	/* of another name, and of one that only looks alike */
	assert_null(
		dwarfabbrev_attribute(table, dwarfabbrev_find(table, 2), 2));
	assert_null(dwarfabbrev_attribute(
		table, dwarfabbrev_find(table, 2), 1 + 64));
	dwarfabbrev_free(&tables);
}

static void kinds_are_found_in_any_order_of_their_codes(void **state)
{
	struct dwarfabbrev_tables tables = {0};
	struct section section = {0};
	const struct dwarfabbrev_table *table;

	(void)state;
	put_kind(&section, 1000, DWARF_FORM_DATA1);
	put_kind(&section, 3, DWARF_FORM_DATA2);
	put_kind(&section, 1, DWARF_FORM_DATA4);
	put(&section, 0);
	table = dwarfabbrev_table(&tables, &section.bytes, 0, &encoding);
	assert_non_null(table);
	assert_int_equal(dwarfabbrev_find(table, 1000)->code, 1000);
	assert_int_equal(dwarfabbrev_find(table, 3)->code, 3);
	assert_int_equal(dwarfabbrev_find(table, 1)->code, 1);
	assert_null(dwarfabbrev_find(table, 0));
	assert_null(dwarfabbrev_find(table, 2));
	assert_null(dwarfabbrev_find(table, 1001));
	assert_ptr_equal(table,
		dwarfabbrev_table(&tables, &section.bytes, 0, &encoding));
	dwarfabbrev_free(&tables);
}

/* Many attributes come before it: their array has grown when it is refused. */
static void what_comes_before_an_unknown_form_is_kept(void **state)
{
	struct dwarfabbrev_tables tables = {0};
	struct section section = {0};
	const struct dwarfabbrev_table *table;
	unsigned i;

	(void)state;
	for (i = 1; i <= 16; i++)
		put_kind(&section, i, DWARF_FORM_DATA1);
	put_kind(&section, 17, 0x12345);
	put_kind(&section, 18, DWARF_FORM_DATA1);
	table = dwarfabbrev_table(&tables, &section.bytes, 0, &encoding);
	assert_non_null(table);
	for (i = 1; i <= 16; i++) {
		const struct dwarfabbrev *kind = dwarfabbrev_find(table, i);

		assert_non_null(kind);
		assert_int_equal(
			table->attributes[kind->first].form, DWARF_FORM_DATA1);
	}
	assert_null(dwarfabbrev_find(table, 17));
	dwarfabbrev_free(&tables);
}

/* Each byte of a damaged section could be said to begin a table. */
static void tables_that_overlap_are_not_decoded_for_ever(void **state)
{
	struct dwarfabbrev_tables tables = {0};
	struct section section = {0};
	unsigned read = 0;
	uint64_t offset;

	(void)state;
	for (offset = 0; offset < 64; offset++)
		put_kind(&section, 1, DWARF_FORM_DATA1);
	for (offset = 0; offset < section.bytes.bytes; offset++)
		read += dwarfabbrev_table(&tables, &section.bytes, offset,
				&encoding) != NULL;
	assert_true(read > 0);
	assert_true(read < section.bytes.bytes / 2);
	dwarfabbrev_free(&tables);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_form_is_read_and_skipped),
		cmocka_unit_test(a_form_that_is_cut_is_damage),
		cmocka_unit_test(all_attributes_of_an_entry_are_skipped),
		cmocka_unit_test(
			attributes_are_where_the_sizes_before_them_say),
		cmocka_unit_test(kinds_are_found_in_any_order_of_their_codes),
		cmocka_unit_test(what_comes_before_an_unknown_form_is_kept),
		cmocka_unit_test(tables_that_overlap_are_not_decoded_for_ever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
