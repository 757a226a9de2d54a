#include "symbolizer/debuginfo.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/array.h"
#include "symbolizer/dwarfline.h"
#include "symbolizer/dwarfread.h"
#include "symbolizer/functionname.h"

/* As many levels as the reader goes down. */
#define DEPTH_MAX 256

struct unit {
	uint64_t offset;
	struct rangelist_unit lists;
	bool mangles; /* names for the linker differ from others */
	bool has_ranges;
	bool loaded;
	struct debugunit contents;
};

struct range {
	uint64_t low;
	uint64_t high;
	uint64_t highest; /* of this range and all before it */
	size_t unit;
};

struct debuginfo {
	struct dwarfread *reader;
	struct functionname_table names;
	uint64_t floor; /* where the code of the file begins */
	struct unit *units;
	size_t unit_count;
	size_t unit_room;
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
	struct range *ranges;

	if (low < info->floor || low >= high)
		return true;
	ranges = array_grow(info->ranges, &info->range_room, info->range_count,
		sizeof(*ranges));
	if (!ranges)
		return false;
	info->ranges = ranges;
	ranges[info->range_count++] =
		(struct range){.low = low, .high = high, .unit = unit};
	info->units[unit].has_ranges = true;
	return true;
}

static bool take_unit_range(void *closure, uint64_t low, uint64_t high)
{
	struct debuginfo *info = closure;

	return add_range(info, low, high, info->unit_count - 1);
}

static bool take_unit(
	void *closure, const struct dwarfread_entry *entry, unsigned depth)
{
	struct debuginfo *info = closure;
	struct unit *units = array_grow(info->units, &info->unit_room,
		info->unit_count, sizeof(*units));

	(void)depth;
	if (!units)
		return false;
	info->units = units;
	units[info->unit_count++] = (struct unit){
		.offset = entry->offset,
		.lists = {.base = entry->low,
			.lists_base = entry->lists_base,
			.address_base = entry->address_base,
			.version = entry->version,
			.offset_bytes = entry->offset_bytes},
		.mangles = !is_plain_language(entry->language),
		.contents.directory = entry->directory,
		.contents.floor = info->floor,
	};
	return dwarfread_ranges(info->reader, entry,
		&units[info->unit_count - 1].lists, take_unit_range, info);
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

struct debuginfo *debuginfo_open(struct elffile *file, const char **why)
{
	struct debuginfo *info = calloc(1, sizeof(*info));

	*why = NULL;
	if (!info)
		return NULL;
	info->reader = dwarfread_open(file, why);
	if (!info->reader) {
		free(info);
		return NULL;
	}
	info->floor = start_of_code(file);
	dwarfread_units(info->reader, take_unit, info);
	sort_ranges(info);
	return info;
}

void debuginfo_close(struct debuginfo *info)
{
	size_t i;

	if (!info)
		return;
	for (i = 0; i < info->unit_count; i++)
		debugunit_free(&info->units[i].contents);
	free(info->units);
	free(info->ranges);
	functionname_free(&info->names, false);
	dwarfread_close(info->reader);
	free(info);
}

/* A unit on its way into memory. */
struct load {
	struct debuginfo *info;
	struct unit *unit;
	/* the function added last at each depth */
	struct {
		uint64_t offset; /* of its entry */
		uint32_t function;
	} path[DEPTH_MAX];
};

/* Index of the function that an inlined one is in, as far as it has code. */
static uint32_t caller_of(const struct load *load,
	const struct dwarfread_entry *entry, unsigned depth)
{
	if (!entry->inlined || entry->enclosing == 0)
		return DEBUGUNIT_NONE;
	while (depth-- > 0)
		if (load->path[depth].offset == entry->enclosing)
			return load->path[depth].function;
	return DEBUGUNIT_NONE;
}

static bool take_piece(void *closure, uint64_t low, uint64_t high)
{
	return debugunit_add_piece(closure, low, high);
}

static bool take_function(
	void *closure, const struct dwarfread_entry *entry, unsigned depth)
{
	struct load *load = closure;
	struct debugunit *unit = &load->unit->contents;
	struct functionname name;
	uint32_t caller = caller_of(load, entry, depth);
	uint32_t index;

	/* declarations and abstract functions have no code */
	if (!entry->has_low && !entry->has_ranges && caller == DEBUGUNIT_NONE)
		return true;
	name = functionname_of(&load->info->names, load->info->reader, entry);
	index = debugunit_add_function(unit,
		&(struct debugunit_function){
			.name = name.linkage ? name.linkage : name.declared,
			.linkage = name.linkage || !load->unit->mangles,
			.inlined = entry->inlined,
			.caller = caller,
			.call_file = entry->call_file,
			.call_line = entry->call_line,
			.call_column = entry->call_column,
		});
	if (index == DEBUGUNIT_NONE)
		return false;
	load->path[depth].function = index;
	load->path[depth].offset = entry->offset;
	return dwarfread_ranges(load->info->reader, entry, &load->unit->lists,
		take_piece, unit);
}

static void load_unit(struct debuginfo *info, struct unit *unit)
{
	struct load load = {.info = info, .unit = unit};

	if (unit->loaded)
		return;
	unit->loaded = true;
	dwarfread_functions(info->reader, unit->offset, take_function, &load);
	dwarfline_read(info->reader, unit->offset, &unit->contents);
	debugunit_finish(&unit->contents);
}

/* Reads the units that do not say where their code is. */
static void complete_ranges(struct debuginfo *info)
{
	size_t i;
	size_t k;

	info->complete = true;
	for (i = 0; i < info->unit_count; i++) {
		struct unit *unit = &info->units[i];

		if (unit->has_ranges)
			continue;
		load_unit(info, unit);
		for (k = 0; k < unit->contents.sequence_count; k++)
			add_range(info, unit->contents.sequences[k].low,
				unit->contents.sequences[k].high, i);
		for (k = 0; k < unit->contents.piece_count; k++)
			add_range(info, unit->contents.pieces[k].low,
				unit->contents.pieces[k].high, i);
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
	return (place->function != DEBUGUNIT_NONE ? 2 : 0) +
	       (place->row ? 1 : 0);
}

/* Ranges of units may overlap: the unit that knows most answers. */
static bool find_in_ranges(
	struct debuginfo *info, uint64_t address, struct debuginfo_place *place)
{
	size_t i = ranges_before(info, address);
	unsigned best = 0;

	for (; i > 0 && info->ranges[i - 1].highest > address; i--) {
		struct range *range = &info->ranges[i - 1];
		struct unit *unit = &info->units[range->unit];
		struct debuginfo_place here;

		if (range->high <= address)
			continue;
		load_unit(info, unit);
		here.unit = &unit->contents;
		here.function = debugunit_function_at(here.unit, address);
		here.row = debugunit_row_at(here.unit, address);
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
