#include "symbolizer/dwarf/rangelist.h"

/* DW_RLE_... of DWARF 5, section 7.25. */
enum kind {
	END = 0,
	BASE_BY_INDEX = 1,
	START_END_BY_INDEX = 2,
	START_LENGTH_BY_INDEX = 3,
	OFFSET_PAIR = 4,
	BASE = 5,
	START_END = 6,
	START_LENGTH = 7,
};

/* Entry `index` of a table at `base`. */
static uint64_t read_table(const struct dwarf_bytes *section, uint64_t base,
	uint64_t index, unsigned entry_bytes, bool *damaged)
{
	struct dwarf_cursor cursor = dwarf_cursor_at(section, base);
	uint64_t value;

	if (cursor.damaged ||
		index >= dwarf_cursor_left(&cursor) / entry_bytes) {
		*damaged = true;
		return 0;
	}
	cursor.at += index * entry_bytes;
	value = dwarf_cursor_fixed(&cursor, entry_bytes);
	*damaged |= cursor.damaged;
	return value;
}

/* DWARF 2 to 4: pairs; a pair of zeros ends, one with all ones is a base. */
static bool each_pair(struct dwarf_cursor *cursor, uint64_t base,
	rangelist_take *take, void *closure)
{
	for (;;) {
		uint64_t low = dwarf_cursor_fixed(cursor, 8);
		uint64_t high = dwarf_cursor_fixed(cursor, 8);

		if (cursor->damaged || (low == 0 && high == 0))
			return true;
		if (low == UINT64_MAX)
			base = high;
		else if (low < high && !take(closure, base + low, base + high))
			return false;
	}
}

/* A list of DWARF 5 that is being read. */
struct list {
	const struct rangelist_sections *sections;
	const struct rangelist_unit *unit;
	struct dwarf_cursor *cursor;
	uint64_t base;
};

static uint64_t read_address_by_index(struct list *list)
{
	return read_table(&list->sections->addresses, list->unit->address_base,
		dwarf_cursor_uleb(list->cursor), 8, &list->cursor->damaged);
}

/* Reads one entry; an empty range when it only sets the base. */
static void read_entry(
	struct list *list, enum kind kind, uint64_t *low, uint64_t *high)
{
	struct dwarf_cursor *cursor = list->cursor;

	*low = 0;
	*high = 0;
	switch (kind) {
	case BASE_BY_INDEX:
		list->base = read_address_by_index(list);
		break;
	case START_END_BY_INDEX:
		*low = read_address_by_index(list);
		*high = read_address_by_index(list);
		break;
	case START_LENGTH_BY_INDEX:
		*low = read_address_by_index(list);
		*high = *low + dwarf_cursor_uleb(cursor);
		break;
	case OFFSET_PAIR:
		*low = list->base + dwarf_cursor_uleb(cursor);
		*high = list->base + dwarf_cursor_uleb(cursor);
		break;
	case BASE:
		list->base = dwarf_cursor_fixed(cursor, 8);
		break;
	case START_END:
		*low = dwarf_cursor_fixed(cursor, 8);
		*high = dwarf_cursor_fixed(cursor, 8);
		break;
	case START_LENGTH:
		*low = dwarf_cursor_fixed(cursor, 8);
		*high = *low + dwarf_cursor_uleb(cursor);
		break;
	case END:
	default:
		cursor->damaged = true;
		break;
	}
}

static bool each_entry(struct list *list, rangelist_take *take, void *closure)
{
	for (;;) {
		enum kind kind = dwarf_cursor_fixed(list->cursor, 1);
		uint64_t low;
		uint64_t high;

		read_entry(list, kind, &low, &high);
		if (list->cursor->damaged)
			return true;
		if (low < high && !take(closure, low, high))
			return false;
	}
}

bool rangelist_each(const struct rangelist_sections *sections,
	const struct rangelist_unit *unit, struct rangelist_place *place,
	rangelist_take *take, void *closure)
{
	const struct dwarf_bytes *section =
		unit->version < 5 ? &sections->ranges : &sections->lists;
	struct list list = {
		.sections = sections,
		.unit = unit,
		.base = unit->base,
	};
	uint64_t offset = place->value;
	struct dwarf_cursor cursor;
	bool damaged = false;
	const uint8_t *start;
	bool wanted;

	place->bytes = 0;
	if (unit->version >= 5 && place->is_index)
		offset = unit->lists_base +
			 read_table(section, unit->lists_base, offset,
				 unit->offset_bytes, &damaged);
	if (damaged)
		return true;
	cursor = dwarf_cursor_at(section, offset);
	start = cursor.at;
	list.cursor = &cursor;
	wanted = unit->version < 5
			 ? each_pair(&cursor, unit->base, take, closure)
			 : each_entry(&list, take, closure);
	place->bytes = (uint64_t)(cursor.at - start);
	return wanted;
}
