#include "symbolizer/dwarf/dwarfunit.h"

#include "base/array.h"
#include "symbolizer/dwarf/dwarfentry.h"

#define ADDRESS_BYTES 8
/* Of a unit that tells of any function; smaller ones would cost the most. */
#define ENTRIES_BYTES_MIN 4

/* The header of a table of offsets begins with its length and a version. */
static unsigned header_bytes(const struct dwarfunit *unit, unsigned rest)
{
	return (unit->encoding.offset_bytes == 8 ? 12 : 4) + rest;
}

/* Reads a header; false when units of this kind are not read here. */
static bool read_header(struct dwarfunit *unit, struct dwarfcursor *cursor)
{
	unsigned address_bytes;
	unsigned offset_bytes = unit->encoding.offset_bytes;

	unit->encoding.version = (unsigned)dwarfcursor_fixed(cursor, 2);
	unit->kind = DWARF_UNIT_COMPILE;
	if (unit->encoding.version >= 5) {
		unit->kind = dwarfcursor_byte(cursor);
		address_bytes = dwarfcursor_byte(cursor);
		unit->abbreviations_at =
			dwarfcursor_fixed(cursor, offset_bytes);
	} else {
		unit->abbreviations_at =
			dwarfcursor_fixed(cursor, offset_bytes);
		address_bytes = dwarfcursor_byte(cursor);
	}
	if (unit->kind == DWARF_UNIT_SKELETON ||
		unit->kind == DWARF_UNIT_SPLIT_COMPILE)
		unit->split_id = dwarfcursor_fixed(cursor, 8);
	return !cursor->damaged && address_bytes == ADDRESS_BYTES &&
	       unit->encoding.version >= 2 && unit->encoding.version <= 5 &&
	       unit->kind != DWARF_UNIT_TYPE &&
	       unit->kind != DWARF_UNIT_SPLIT_TYPE;
}

static bool add_unit(struct dwarfobject *object, const struct dwarfunit *unit)
{
	if (!array_reserve(
		    object->units, object->unit_room, object->unit_count + 1))
		return false;
	object->units[object->unit_count++] = *unit;
	return true;
}

bool dwarfunit_list(struct dwarfobject *object)
{
	const struct dwarfbytes *info = &object->sections[DWARFOBJECT_INFO];
	uint64_t offset = 0;

	while (offset < info->bytes) {
		struct dwarfunit unit = {
			.object = object, .home = object, .offset = offset};
		struct dwarfcursor cursor = dwarfcursor_at(info, offset);

		if (!dwarfcursor_unit(&cursor, &unit.encoding.offset_bytes))
			break;
		unit.end = offset = (uint64_t)(cursor.end - info->data);
		if (!read_header(&unit, &cursor))
			continue;
		unit.entries = (uint64_t)(cursor.at - info->data);
		if (unit.end - unit.entries < ENTRIES_BYTES_MIN)
			continue;
		if (!add_unit(object, &unit))
			return false;
	}
	return true;
}

static uint64_t or_default(struct dwarfvalue value, uint64_t otherwise)
{
	return value.form == DWARF_FORM_NONE ? otherwise : value.number;
}

/* A split unit says nothing of bases: it has its tables for itself. */
static void read_bases(struct dwarfunit *unit, const struct dwarfentry *root)
{
	struct dwarfvalue addresses =
		dwarfentry_value(root, DWARF_AT_ADDR_BASE);
	/* before version 5 tables had no headers */
	uint64_t headers = unit->encoding.version >= 5;

	if (addresses.form == DWARF_FORM_NONE)
		addresses = dwarfentry_value(root, DWARF_AT_GNU_ADDR_BASE);
	unit->address_base = or_default(addresses, unit->address_base);
	unit->ranges_base =
		or_default(dwarfentry_value(root, DWARF_AT_GNU_RANGES_BASE),
			unit->ranges_base);
	unit->str_offsets_base +=
		or_default(dwarfentry_value(root, DWARF_AT_STR_OFFSETS_BASE),
			headers * header_bytes(unit, 4));
	unit->lists_base +=
		or_default(dwarfentry_value(root, DWARF_AT_RNGLISTS_BASE),
			headers * header_bytes(unit, 8));
}

static void read_split(struct dwarfunit *unit, const struct dwarfentry *root)
{
	struct dwarfvalue id = dwarfentry_value(root, DWARF_AT_GNU_DWO_ID);

	unit->split_id = or_default(id, unit->split_id);
	unit->split_name = dwarfentry_string(root, DWARF_AT_DWO_NAME);
	if (!unit->split_name)
		unit->split_name =
			dwarfentry_string(root, DWARF_AT_GNU_DWO_NAME);
}

static const struct dwarfabbrev_table *all_abbreviations(struct dwarfunit *unit)
{
	struct dwarfobject *object = unit->object;
	const struct dwarfabbrev_table *table = dwarfabbrev_table(
		&object->abbreviations, &object->sections[DWARFOBJECT_ABBREV],
		unit->abbreviations_at, &unit->encoding);

	if (object->abbreviations.exhausted)
		dwarfobject_note(object, READLIMIT_SHARED_TIMES);
	return table;
}

static void read_root(struct dwarfunit *unit, const struct dwarfentry *root)
{
	struct dwarfvalue lines = dwarfentry_value(root, DWARF_AT_STMT_LIST);

	/* before version 5 only the first entry tells it */
	if (root->kind->tag == DWARF_TAG_PARTIAL_UNIT)
		unit->kind = DWARF_UNIT_PARTIAL;
	read_bases(unit, root);
	read_split(unit, root);
	unit->directory = dwarfentry_string(root, DWARF_AT_COMP_DIR);
	unit->language = dwarfentry_number(root, DWARF_AT_LANGUAGE);
	unit->code = dwarfentry_code(root);
	dwarfunit_address(unit, &unit->code.low, &unit->low);
	unit->has_lines = lines.form != DWARF_FORM_NONE;
	unit->lines = lines.number;
}

bool dwarfunit_open(struct dwarfunit *unit)
{
	const struct dwarfbytes *info =
		&unit->object->sections[DWARFOBJECT_INFO];
	struct dwarfcursor cursor = {
		.at = info->data + unit->entries,
		.end = info->data + unit->end,
	};
	struct dwarfabbrev_table *first;
	struct dwarfentry root;

	if (unit->opened)
		return unit->sound;
	unit->opened = true;
	/* most units are never asked about: one kind of entry is enough */
	first = dwarfabbrev_first(&unit->object->sections[DWARFOBJECT_ABBREV],
		unit->abbreviations_at, dwarfcursor_uleb(&cursor),
		&unit->encoding);
	unit->abbreviations = first ? first : all_abbreviations(unit);
	unit->sound = dwarfentry_read(&root, unit, info->data + unit->entries);
	if (unit->sound)
		read_root(unit, &root);
	if (first || !unit->sound)
		unit->abbreviations = NULL;
	dwarfabbrev_free_table(first);
	return unit->sound;
}

bool dwarfunit_load(struct dwarfunit *unit)
{
	if (!dwarfunit_open(unit))
		return false;
	if (!unit->abbreviations)
		unit->abbreviations = all_abbreviations(unit);
	return unit->abbreviations != NULL;
}

/* The unit that has this offset in .debug_info, loaded; or null. */
static struct dwarfunit *dwarfunit_at(
	struct dwarfobject *object, uint64_t offset)
{
	size_t low = 0;
	size_t high = object->unit_count;
	struct dwarfunit *unit;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (object->units[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	unit = &object->units[low - 1];
	return offset < unit->end && dwarfunit_load(unit) ? unit : NULL;
}

/* Entry `index` of a table at `base`; false when it is outside. */
static bool table_entry(const struct dwarfbytes *section, uint64_t base,
	uint64_t index, unsigned entry_bytes, uint64_t *value)
{
	struct dwarfcursor cursor = dwarfcursor_at(section, base);

	if (cursor.damaged || index >= dwarfcursor_left(&cursor) / entry_bytes)
		return false;
	cursor.at += index * entry_bytes;
	*value = dwarfcursor_fixed(&cursor, entry_bytes);
	return true;
}

static const char *string_in(
	const struct dwarfobject *object, unsigned section, uint64_t offset)
{
	struct dwarfcursor cursor =
		dwarfcursor_at(&object->sections[section], offset);

	return cursor.damaged ? NULL : dwarfcursor_string(&cursor);
}

const char *dwarfunit_string(
	const struct dwarfunit *unit, const struct dwarfvalue *value)
{
	const struct dwarfobject *object = unit->object;
	uint64_t offset;

	switch (value->form) {
	case DWARF_FORM_STRING:
		return (const char *)value->block;
	case DWARF_FORM_STRP:
		return string_in(object, DWARFOBJECT_STR, value->number);
	case DWARF_FORM_LINE_STRP:
		return string_in(
			unit->home, DWARFOBJECT_LINE_STR, value->number);
	case DWARF_FORM_STRP_SUP:
	case DWARF_FORM_GNU_STRP_ALT:
		return object->supplement
			       ? string_in(object->supplement, DWARFOBJECT_STR,
					 value->number)
			       : NULL;
	case DWARF_FORM_STRX:
	case DWARF_FORM_STRX1:
	case DWARF_FORM_STRX2:
	case DWARF_FORM_STRX3:
	case DWARF_FORM_STRX4:
	case DWARF_FORM_GNU_STR_INDEX:
		if (!table_entry(&object->sections[DWARFOBJECT_STR_OFFSETS],
			    unit->str_offsets_base, value->number,
			    unit->encoding.offset_bytes, &offset))
			return NULL;
		return string_in(object, DWARFOBJECT_STR, offset);
	default:
		return NULL;
	}
}

bool dwarfunit_address(const struct dwarfunit *unit,
	const struct dwarfvalue *value, uint64_t *address)
{
	if (!dwarfform_is_address(value->form))
		return false;
	if (value->form != DWARF_FORM_ADDR)
		return table_entry(&unit->home->sections[DWARFOBJECT_ADDR],
			unit->address_base, value->number, ADDRESS_BYTES,
			address);
	*address = value->number;
	return true;
}

const uint8_t *dwarfunit_reference(struct dwarfunit *unit,
	const struct dwarfvalue *value, struct dwarfunit **in)
{
	struct dwarfobject *object = unit->object;
	uint64_t offset = value->number;

	*in = unit;
	switch (value->form) {
	case DWARF_FORM_REF1:
	case DWARF_FORM_REF2:
	case DWARF_FORM_REF4:
	case DWARF_FORM_REF8:
	case DWARF_FORM_REF_UDATA:
		if (offset >= unit->end - unit->offset)
			return NULL;
		offset += unit->offset;
		break;
	case DWARF_FORM_REF_ADDR:
		*in = dwarfunit_at(object, offset);
		break;
	case DWARF_FORM_REF_SUP4:
	case DWARF_FORM_REF_SUP8:
	case DWARF_FORM_GNU_REF_ALT:
		object = object->supplement;
		*in = object ? dwarfunit_at(object, offset) : NULL;
		break;
	default:
		return NULL;
	}
	if (!*in || offset < (*in)->entries)
		return NULL;
	return object->sections[DWARFOBJECT_INFO].data + offset;
}

static bool each_of_list(const struct dwarfunit *unit,
	const struct dwarfvalue *value, rangelist_take *take, void *closure)
{
	const struct rangelist_sections sections = {
		.ranges = unit->home->sections[DWARFOBJECT_RANGES],
		.lists = unit->object->sections[DWARFOBJECT_RNGLISTS],
		.addresses = unit->home->sections[DWARFOBJECT_ADDR],
	};
	const struct rangelist_unit context = {
		.base = unit->low,
		.lists_base = unit->lists_base,
		.address_base = unit->address_base,
		.version = unit->encoding.version,
		.offset_bytes = unit->encoding.offset_bytes,
	};
	struct rangelist_place place = {
		.value = value->number,
		.is_index = value->form == DWARF_FORM_RNGLISTX,
	};
	const bool old = context.version < 5;
	struct dwarfobject *object = old ? unit->home : unit->object;
	const enum dwarfobject_section section =
		old ? DWARFOBJECT_RANGES : DWARFOBJECT_RNGLISTS;
	bool wanted;

	if (dwarfobject_exhausted(object, section))
		return true;
	if (unit->home != unit->object && old)
		place.value += unit->ranges_base;
	wanted = rangelist_each(&sections, &context, &place, take, closure);
	dwarfobject_spend(object, section, place.bytes);
	return wanted;
}

bool dwarfunit_ranges(const struct dwarfunit *unit,
	const struct dwarfunit_code *code, rangelist_take *take, void *closure)
{
	uint64_t low;
	uint64_t high;

	if (code->ranges.form != DWARF_FORM_NONE)
		return each_of_list(unit, &code->ranges, take, closure);
	if (!dwarfunit_address(unit, &code->low, &low))
		return true;
	/* from DWARF 4 on it may be a length */
	if (!dwarfunit_address(unit, &code->high, &high))
		high = low + code->high.number;
	return high <= low || take(closure, low, high);
}
