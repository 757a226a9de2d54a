#include "symbolizer/dwarf/debuginfo.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "symbolizer/dwarf/debugunit.h"
#include "symbolizer/dwarf/dwarf_split.h"
#include "symbolizer/dwarf/dwarf_supplement.h"
#include "symbolizer/dwarf/functionname.h"

struct unit {
	bool has_ranges;
	bool loaded;
	const char *missing; /* file with its entries */
	struct debugunit functions;
	struct line_table lines;
	bool calls_loaded;
	struct debugcalls calls;
};

struct range {
	uint64_t low;
	uint64_t high;
	uint64_t highest; /* of this range and all before it */
	size_t unit;
};

struct debuginfo {
	struct dwarf_reader *reader;
	struct dwarf_split *split;
	struct functionname_table names;
	uint64_t floor;	    /* where the code of the file begins */
	struct unit *units; /* as many as `reader` has */
	struct range *ranges;
	size_t range_count;
	size_t range_room;
	bool complete; /* units that list no ranges were read too */
};

/* Languages whose functions the linker knows by the name in the source. */
static bool is_plain_language(uint64_t language)
{
	switch (language) {
	case 0x01:   /* C89 */
	case 0x02:   /* C */
	case 0x05:   /* Cobol74 */
	case 0x06:   /* Cobol85 */
	case 0x07:   /* Fortran77 */
	case 0x09:   /* Pascal83 */
	case 0x0c:   /* C99 */
	case 0x0f:   /* PLI */
	case 0x12:   /* UPC */
	case 0x1d:   /* C11 */
	case 0x2c:   /* C17 */
	case 0x8001: /* assembler */
		return true;
	default:
		return false;
	}
}

/* What the linker dropped is left at addresses where no code can be. */
static bool add_range(
	struct debuginfo *info, uint64_t low, uint64_t high, size_t unit)
{
	if (low < info->floor || low >= high)
		return true;
	if (!array_reserve(
		    info->ranges, info->range_room, info->range_count + 1))
		return false;
	info->ranges[info->range_count++] =
		(struct range){.low = low, .high = high, .unit = unit};
	info->units[unit].has_ranges = true;
	return true;
}

/* A unit whose ranges are being read. */
struct reading {
	struct debuginfo *info;
	size_t unit;
};

static bool take_unit_range(void *closure, uint64_t low, uint64_t high)
{
	struct reading *reading = closure;

	return add_range(reading->info, low, high, reading->unit);
}

static bool read_unit_ranges(struct debuginfo *info, size_t index)
{
	struct dwarf_unit *unit = &info->reader->units[index];
	struct reading reading = {.info = info, .unit = index};

	return dwarf_unit_ranges(unit, &unit->code, take_unit_range, &reading);
}

static int compare_ranges(const void *left, const void *right)
{
	const struct range *a = left;
	const struct range *b = right;

	return a->low < b->low ? -1 : a->low > b->low;
}

static void sort_ranges(struct debuginfo *info)
{
	uint64_t highest = 0;
	size_t i;

	if (info->range_count == 0)
		return;
	qsort(info->ranges, info->range_count, sizeof(*info->ranges),
		compare_ranges);
	for (i = 0; i < info->range_count; i++) {
		if (info->ranges[i].high > highest)
			highest = info->ranges[i].high;
		info->ranges[i].highest = highest;
	}
}

static uint64_t start_of_code(const struct elffile *file)
{
	uint64_t floor = UINT64_MAX;
	size_t i;

	for (i = 0; i < file->section_count; i++)
		if (file->sections[i].flags & SHF_EXECINSTR &&
			file->sections[i].flags & SHF_ALLOC &&
			file->sections[i].address < floor)
			floor = file->sections[i].address;
	return floor;
}

static bool list_units(struct debuginfo *info)
{
	size_t i;

	info->units =
		calloc(info->reader->unit_count + 1, sizeof(*info->units));
	if (!info->units)
		return false;
	for (i = 0; i < info->reader->unit_count; i++)
		if (!read_unit_ranges(info, i))
			return false;
	sort_ranges(info);
	return true;
}

struct debuginfo *debuginfo_open(
	struct elffile *file, const struct debugpaths *paths, const char **why)
{
	struct debuginfo *info = calloc(1, sizeof(*info));

	*why = NULL;
	if (!info)
		return NULL;
	info->reader = dwarf_reader_open(file, DWARF_READER_WHOLE, why);
	if (!info->reader) {
		free(info);
		return NULL;
	}
	info->floor = start_of_code(file);
	info->reader->supplement = dwarf_supplement_open(file, paths);
	info->split = dwarf_split_new(paths);
	if (info->split && list_units(info))
		return info;
	*why = "out of memory";
	debuginfo_close(info);
	return NULL;
}

void debuginfo_close(struct debuginfo *info)
{
	size_t i;

	if (!info)
		return;
	for (i = 0; info->units && i < info->reader->unit_count; i++) {
		debugunit_free(&info->units[i].functions);
		line_table_close(&info->units[i].lines);
		debugcalls_free(&info->units[i].calls);
	}
	free(info->units);
	free(info->ranges);
	functionname_free(&info->names);
	dwarf_split_free(info->split);
	dwarf_reader_close(info->reader);
	free(info);
}

/* The unit that has the entries, loaded; null when there is none. */
static struct dwarf_unit *entries_of(struct debuginfo *info, size_t index)
{
	struct dwarf_unit *unit = &info->reader->units[index];

	if (unit->split_name)
		unit = dwarf_split_unit(info->split, unit);
	return unit && dwarf_unit_load(unit) ? unit : NULL;
}

/* What memory does not suffice for is missing from the answers. */
static void load_unit(struct debuginfo *info, size_t index)
{
	struct unit *unit = &info->units[index];
	struct dwarf_unit *entries;

	if (unit->loaded)
		return;
	unit->loaded = true;
	entries = entries_of(info, index);
	if (entries)
		debugunit_load(&unit->functions, entries, info->floor);
	else
		unit->missing = info->reader->units[index].split_name;
	line_table_open(&unit->lines, &info->reader->units[index], info->floor);
}

/* Reads the units that do not say where their code is. */
static void complete_ranges(struct debuginfo *info)
{
	size_t i;
	size_t k;

	info->complete = true;
	for (i = 0; i < info->reader->unit_count; i++) {
		struct unit *unit = &info->units[i];

		if (unit->has_ranges || info->reader->units[i].partial)
			continue;
		load_unit(info, i);
		for (k = 0; k < unit->lines.sequence_count; k++)
			add_range(info, unit->lines.sequences[k].low,
				unit->lines.sequences[k].high, i);
		for (k = 0; k + 1 < unit->functions.spans.span_count; k++)
			if (unit->functions.spans.spans[k].owner !=
				SPANMAP_NONE)
				add_range(info,
					unit->functions.spans.spans[k].low,
					unit->functions.spans.spans[k + 1].low,
					i);
	}
	sort_ranges(info);
}

static size_t ranges_before(const struct debuginfo *info, uint64_t address)
{
	size_t low = 0;
	size_t high = info->range_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (info->ranges[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static unsigned knowledge(const struct debuginfo_place *place)
{
	return (place->body ? 2 : 0) + (place->has_row ? 1 : 0);
}

static struct debuginfo_place look_in(struct unit *unit, uint64_t address)
{
	struct debuginfo_place place = {
		.unit = unit->functions.unit,
		.lines = &unit->lines,
		.missing = unit->missing,
	};

	place.has_row = line_table_find(&unit->lines, address, &place.row);
	place.body = debugunit_body_at(&unit->functions, address);
	if (place.body)
		place.call = spanmap_at(&place.body->spans, address);
	if (place.call == SPANMAP_NONE)
		place.call = 0;
	return place;
}

/* Ranges of units may overlap: the unit that knows most answers. */
static bool find_in_ranges(
	struct debuginfo *info, uint64_t address, struct debuginfo_place *place)
{
	size_t i = ranges_before(info, address);
	uint64_t tried = 0;
	unsigned best = 0;

	for (; i > 0 && info->ranges[i - 1].highest > address; i--) {
		struct range *range = &info->ranges[i - 1];
		struct debuginfo_place here;

		if (range->high <= address)
			continue;
		if (tried++ == readlimits_of(READLIMIT_OVERLAPS)) {
			dwarf_reader_note(info->reader, READLIMIT_OVERLAPS);
			break;
		}
		load_unit(info, range->unit);
		here = look_in(&info->units[range->unit], address);
		if (knowledge(&here) > best) {
			best = knowledge(&here);
			*place = here;
		}
		if (best == 3)
			break;
	}
	return best > 0;
}

bool debuginfo_find(
	struct debuginfo *info, uint64_t address, struct debuginfo_place *place)
{
	if (find_in_ranges(info, address, place))
		return true;
	if (info->complete)
		return false;
	complete_ranges(info);
	return find_in_ranges(info, address, place);
}

static void tell_row(
	const struct debuginfo_place *place, struct debuginfo_frame *frame)
{
	*frame = (struct debuginfo_frame){0};
	if (!place->has_row)
		return;
	frame->file = line_table_path(place->lines, place->row.file);
	frame->line = place->row.line;
	frame->column = place->row.column;
}

bool debuginfo_next(struct debuginfo *info, struct debuginfo_place *place,
	struct debuginfo_frame *frame)
{
	const struct debugunit_call *call;
	struct functionname name;
	struct dwarf_entry entry;

	tell_row(place, frame);
	if (!place->body || place->call == SPANMAP_NONE)
		return false;
	call = &place->body->calls[place->call];
	if (!dwarf_entry_read(&entry, place->unit, call->entry))
		return false;
	name = functionname_of(&info->names, &entry);
	frame->name = name.text;
	frame->linkage =
		name.linkage || is_plain_language(place->unit->language);
	frame->inlined = call->caller != SPANMAP_NONE;
	frame->wrapper = name.wrapper;
	frame->low = call->low;
	place->has_row = true;
	place->row = (struct dwarf_row){
		.file = (uint32_t)dwarf_entry_number(&entry, DW_AT_call_file),
		.line = (uint32_t)dwarf_entry_number(&entry, DW_AT_call_line),
		.column =
			(uint32_t)dwarf_entry_number(&entry, DW_AT_call_column),
	};
	place->call = call->caller;
	return true;
}

static bool calls_in(struct debuginfo *info, size_t index, uint64_t argument,
	debugcalls_take *take, void *closure)
{
	struct unit *unit = &info->units[index];

	if (!unit->calls_loaded) {
		struct dwarf_unit *entries = entries_of(info, index);

		unit->calls_loaded = true;
		if (entries)
			debugcalls_load(&unit->calls, entries);
	}
	return debugcalls_each(&unit->calls, argument, take, closure);
}

bool debuginfo_call_sites(struct debuginfo *info, uint64_t argument,
	uint64_t within, debugcalls_take *take, void *closure)
{
	size_t i;

	for (i = ranges_before(info, within);
		i > 0 && info->ranges[i - 1].highest > within; i--)
		if (info->ranges[i - 1].high > within &&
			!calls_in(info, info->ranges[i - 1].unit, argument,
				take, closure))
			return false;
	return true;
}
