#include "symbolizer/dwarf/dwarfabbrev.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/readlimits.h"

/*
 * A step over attributes: so many bytes, a number in LEB128, so many bytes as
 * the number there says; or else this plus a form.
 */
enum { STEP_BYTES_MAX = 0x3fff, STEP_NUMBER, STEP_BLOCK, STEP_FORM = 0x8000 };

/* Of the kind that the first entry of a unit is of. */
#define FIRST_BYTES_MAX 256

static bool add_attribute(struct dwarfabbrev_table *table,
	struct dwarfcursor *cursor, uint64_t name, uint64_t form)
{
	int64_t constant = 0;

	if (form >= STEP_FORM)
		return false;
	if (!array_reserve(table->attributes, table->attribute_room,
		    table->attribute_count + 1))
		return false;
	if (form == DWARF_FORM_IMPLICIT_CONST)
		constant = dwarfcursor_sleb(cursor);
	if (constant < INT32_MIN || constant > INT32_MAX)
		constant = 0;
	table->attributes[table->attribute_count++] =
		(struct dwarfabbrev_attribute){
			.name = name > UINT16_MAX ? 0 : (uint16_t)name,
			.form = (uint16_t)form,
			.constant = (int32_t)constant,
		};
	return true;
}

static bool add_step(struct dwarfabbrev_table *table, uint16_t step)
{
	if (!array_reserve(
		    table->steps, table->step_room, table->step_count + 1))
		return false;
	table->steps[table->step_count++] = step;
	return true;
}

static uint16_t step_over(uint16_t form)
{
	switch (form) {
	case DWARF_FORM_SDATA:
	case DWARF_FORM_UDATA:
	case DWARF_FORM_REF_UDATA:
	case DWARF_FORM_STRX:
	case DWARF_FORM_ADDRX:
	case DWARF_FORM_LOCLISTX:
	case DWARF_FORM_RNGLISTX:
	case DWARF_FORM_GNU_ADDR_INDEX:
	case DWARF_FORM_GNU_STR_INDEX:
		return STEP_NUMBER;
	case DWARF_FORM_BLOCK:
	case DWARF_FORM_EXPRLOC:
		return STEP_BLOCK;
	default:
		return STEP_FORM | form;
	}
}

/* Where the attributes are, as far as those before them have known sizes. */
static void place_attributes(
	struct dwarfabbrev_table *table, struct dwarfabbrev *kind)
{
	struct dwarfabbrev_attribute *attribute =
		table->attributes + kind->first;
	int before = 0;
	uint32_t i;

	for (i = 0; i < kind->count; i++, attribute++) {
		int bytes = dwarfform_bytes(attribute->form, &table->encoding);

		attribute->before = (uint16_t)before;
		if (attribute->name == DWARF_AT_SIBLING &&
			attribute->form == DWARF_FORM_REF4)
			kind->sibling = (uint16_t)before;
		if (bytes < 0 || DWARFABBREV_VARIES - before < bytes)
			before = DWARFABBREV_VARIES;
		else if (before != DWARFABBREV_VARIES)
			before += bytes;
		kind->names |= dwarfabbrev_bit(attribute->name);
		kind->has_code |= attribute->name == DWARF_AT_LOW_PC ||
				  attribute->name == DWARF_AT_RANGES;
	}
	kind->bytes = (uint16_t)before;
}

/* Attributes of known sizes are one step together. */
static bool add_steps(struct dwarfabbrev_table *table, struct dwarfabbrev *kind)
{
	const struct dwarfabbrev_attribute *attribute =
		table->attributes + kind->first;
	int sum = 0;
	uint32_t i;

	kind->first_step = (uint32_t)table->step_count;
	for (i = 0; i < kind->count; i++, attribute++) {
		int bytes = dwarfform_bytes(attribute->form, &table->encoding);

		if (bytes >= 0 && sum + bytes <= STEP_BYTES_MAX) {
			sum += bytes;
			continue;
		}
		if (sum > 0 && !add_step(table, (uint16_t)sum))
			return false;
		sum = bytes > 0 ? bytes : 0;
		if (bytes < 0 && !add_step(table, step_over(attribute->form)))
			return false;
	}
	if (sum > 0 && !add_step(table, (uint16_t)sum))
		return false;
	kind->step_count = (uint32_t)table->step_count - kind->first_step;
	return true;
}

static bool read_kind(struct dwarfabbrev_table *table,
	struct dwarfcursor *cursor, uint64_t code)
{
	uint64_t tag = dwarfcursor_uleb(cursor);
	struct dwarfabbrev kind = {
		.code = (uint32_t)code,
		.first = (uint32_t)table->attribute_count,
		.tag = tag > UINT16_MAX ? 0 : (uint16_t)tag,
		.children = dwarfcursor_byte(cursor) != 0,
		.sibling = DWARFABBREV_VARIES,
	};

	if (!array_reserve(
		    table->kinds, table->kind_room, table->kind_count + 1))
		return false;
	for (;;) {
		uint64_t name = dwarfcursor_uleb(cursor);
		uint64_t form = dwarfcursor_uleb(cursor);

		if (cursor->damaged || code > UINT32_MAX)
			return false;
		if (name == 0 && form == 0)
			break;
		if (!add_attribute(table, cursor, name, form))
			return false;
	}
	kind.count = (uint32_t)table->attribute_count - kind.first;
	place_attributes(table, &kind);
	if (!add_steps(table, &kind))
		return false;
	table->kinds[table->kind_count++] = kind;
	return true;
}

static int compare_kinds(const void *left, const void *right)
{
	const struct dwarfabbrev *a = left;
	const struct dwarfabbrev *b = right;

	if (a->code != b->code)
		return a->code < b->code ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

static void sort_kinds(struct dwarfabbrev_table *table)
{
	size_t i;

	for (i = 1; i < table->kind_count; i++)
		if (table->kinds[i - 1].code > table->kinds[i].code)
			break;
	if (i < table->kind_count)
		qsort(table->kinds, table->kind_count, sizeof(*table->kinds),
			compare_kinds);
}

void dwarfabbrev_free_table(struct dwarfabbrev_table *table)
{
	if (!table)
		return;
	free(table->kinds);
	free(table->attributes);
	free(table->steps);
	free(table);
}

static struct dwarfabbrev_table *new_table(
	uint64_t offset, const struct dwarfform_encoding *encoding)
{
	struct dwarfabbrev_table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->offset = offset;
	table->encoding = *encoding;
	/* kinds without attributes have a place there, too */
	if (array_reserve(table->attributes, table->attribute_room, 1))
		return table;
	free(table);
	return NULL;
}

struct dwarfabbrev_table *dwarfabbrev_first(const struct dwarfbytes *section,
	uint64_t offset, uint64_t code,
	const struct dwarfform_encoding *encoding)
{
	struct dwarfcursor cursor = dwarfcursor_at(section, offset);
	struct dwarfabbrev_table *table;

	/* any number of units may begin with the same one */
	if (dwarfcursor_left(&cursor) > FIRST_BYTES_MAX)
		cursor.end = cursor.at + FIRST_BYTES_MAX;
	if (code == 0 || dwarfcursor_uleb(&cursor) != code)
		return NULL;
	table = new_table(offset, encoding);
	if (table && read_kind(table, &cursor, code))
		return table;
	dwarfabbrev_free_table(table);
	return NULL;
}

/* What comes before damage is kept. */
static struct dwarfabbrev_table *read_table(struct dwarfabbrev_tables *tables,
	const struct dwarfbytes *section, uint64_t offset,
	const struct dwarfform_encoding *encoding)
{
	struct dwarfcursor cursor = dwarfcursor_at(section, offset);
	const uint8_t *start = cursor.at;
	struct dwarfabbrev_table *table;
	uint64_t code;

	tables->exhausted =
		tables->spent >
		readlimits_times(READLIMIT_SHARED_TIMES, section->bytes);
	if (cursor.damaged || tables->exhausted)
		return NULL;
	table = new_table(offset, encoding);
	if (!table)
		return NULL;
	do
		code = dwarfcursor_uleb(&cursor);
	while (code != 0 && read_kind(table, &cursor, code));
	tables->spent += (uint64_t)(cursor.at - start);
	sort_kinds(table);
	return table;
}

/* How many tables come before `offset`. */
static size_t place_of(const struct dwarfabbrev_tables *tables, uint64_t offset)
{
	size_t low = 0;
	size_t high = tables->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (tables->tables[middle]->offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct dwarfabbrev_table *dwarfabbrev_table(
	struct dwarfabbrev_tables *tables, const struct dwarfbytes *section,
	uint64_t offset, const struct dwarfform_encoding *encoding)
{
	size_t place = place_of(tables, offset);
	struct dwarfabbrev_table *table;
	size_t i;

	for (i = place; i < tables->count; i++) {
		table = tables->tables[i];
		if (table->offset != offset)
			break;
		if (table->encoding.version == encoding->version &&
			table->encoding.offset_bytes == encoding->offset_bytes)
			return table;
	}
	if (!array_reserve(tables->tables, tables->room, tables->count + 1))
		return NULL;
	table = read_table(tables, section, offset, encoding);
	if (!table)
		return NULL;
	memmove(tables->tables + place + 1, tables->tables + place,
		(tables->count - place) * sizeof(struct dwarfabbrev_table *));
	tables->tables[place] = table;
	tables->count++;
	return table;
}

void dwarfabbrev_free(struct dwarfabbrev_tables *tables)
{
	size_t i;

	for (i = 0; i < tables->count; i++)
		dwarfabbrev_free_table(tables->tables[i]);
	free(tables->tables);
	memset(tables, 0, sizeof(*tables));
}

const struct dwarfabbrev *dwarfabbrev_search(
	const struct dwarfabbrev_table *table, uint64_t code)
{
	size_t low = 0;
	size_t high = table->kind_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->kinds[middle].code < code)
			low = middle + 1;
		else
			high = middle;
	}
	return low < table->kind_count && table->kinds[low].code == code
		       ? &table->kinds[low]
		       : NULL;
}

void dwarfabbrev_step(const struct dwarfabbrev_table *table,
	const struct dwarfabbrev *kind, struct dwarfcursor *cursor)
{
	const uint16_t *step = table->steps + kind->first_step;
	const uint16_t *end = step + kind->step_count;

	for (; step < end && !cursor->damaged; step++)
		if (*step <= STEP_BYTES_MAX)
			dwarfcursor_skip(cursor, *step);
		else if (*step == STEP_NUMBER)
			dwarfcursor_uleb(cursor);
		else if (*step == STEP_BLOCK)
			dwarfcursor_skip(cursor, dwarfcursor_uleb(cursor));
		else
			dwarfform_skip(cursor, *step & (STEP_FORM - 1),
				&table->encoding);
}
