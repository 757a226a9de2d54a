#include "symbolizer/dwarf/dwarfpackage.h"

/* DW_SECT_..., which are the same in both versions but for the last one. */
enum part {
	PART_INFO = 1,
	PART_ABBREV = 3,
	PART_STR_OFFSETS = 6,
	PART_RNGLISTS = 8,
	PARTS
};

/* The index: a hash table of ids, and one row of offsets for each unit. */
struct index {
	const struct dwarfbytes *section;
	uint32_t version;
	uint32_t columns;
	uint32_t rows;
	uint32_t slots;
	uint64_t numbers; /* of rows, one for each slot */
	uint64_t parts;	  /* which part each column is about */
	uint64_t offsets;
};

static uint64_t number_at(
	const struct index *index, uint64_t offset, unsigned bytes)
{
	struct dwarfcursor cursor = dwarfcursor_at(index->section, offset);

	return dwarfcursor_fixed(&cursor, bytes);
}

static bool read_index(struct index *index)
{
	struct dwarfcursor cursor = dwarfcursor_at(index->section, 0);

	/* 16 bits from version 5 on, with as many zeros behind them */
	index->version = (uint32_t)dwarfcursor_fixed(&cursor, 4);
	index->columns = (uint32_t)dwarfcursor_fixed(&cursor, 4);
	index->rows = (uint32_t)dwarfcursor_fixed(&cursor, 4);
	index->slots = (uint32_t)dwarfcursor_fixed(&cursor, 4);
	index->numbers = 16 + (uint64_t)index->slots * 8;
	index->parts = index->numbers + (uint64_t)index->slots * 4;
	index->offsets = index->parts + (uint64_t)index->columns * 4;
	return !cursor.damaged && index->columns < 16 &&
	       (index->version == 2 || index->version == 5) &&
	       index->offsets <= index->section->bytes &&
	       (uint64_t)index->rows * index->columns * 4 <=
		       index->section->bytes - index->offsets;
}

/* `row` counts from 1. */
static void read_row(
	const struct index *index, uint32_t row, uint64_t parts[PARTS])
{
	uint64_t offset =
		index->offsets + (uint64_t)(row - 1) * index->columns * 4;
	uint64_t i;

	memset(parts, 0, PARTS * sizeof(*parts));
	for (i = 0; i < index->columns; i++) {
		uint64_t part = number_at(index, index->parts + 4 * i, 4);

		if (part < PARTS)
			parts[part] = number_at(index, offset + 4 * i, 4);
	}
}

static struct dwarfunit *unit_at(struct dwarfobject *package, uint64_t offset)
{
	size_t low = 0;
	size_t high = package->unit_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (package->units[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < package->unit_count && package->units[low].offset == offset
		       ? &package->units[low]
		       : NULL;
}

bool dwarfpackage_apply(struct dwarfobject *package)
{
	struct index index = {
		.section = &package->sections[DWARFOBJECT_CU_INDEX]};
	uint64_t parts[PARTS];
	uint32_t i;

	if (!read_index(&index))
		return false;
	for (i = 0; i < index.slots; i++) {
		uint32_t row = (uint32_t)number_at(
			&index, index.numbers + 4 * (uint64_t)i, 4);
		struct dwarfunit *unit;

		if (row == 0 || row > index.rows)
			continue;
		read_row(&index, row, parts);
		unit = unit_at(package, parts[PART_INFO]);
		if (!unit || unit->opened || unit->in_package)
			continue;
		unit->in_package = true;
		unit->split_id = number_at(&index, 16 + 8 * (uint64_t)i, 8);
		unit->abbreviations_at += parts[PART_ABBREV];
		unit->str_offsets_base = parts[PART_STR_OFFSETS];
		if (index.version == 5)
			unit->lists_base = parts[PART_RNGLISTS];
	}
	return true;
}
