#include "symbolizer/dwarfread.h"

#include <string.h>

#include "symbolizer/dwarfhandle.h"

/*
 * Nesting beyond this is not read: without DW_AT_sibling libdwarf walks all
 * that is below an entry again to find its sibling.
 */
#define DEPTH_MAX 256

static const char *text(struct dwarfread *reader, Dwarf_Attribute attribute)
{
	Dwarf_Error error = NULL;
	Dwarf_Half form;
	char *string;

	if (!dwarfhandle_fine(
		    reader, dwarf_whatform(attribute, &form, &error), &error))
		return NULL;
	/* in a supplementary file, which is not read */
	if (form == DW_FORM_GNU_strp_alt || form == DW_FORM_strp_sup)
		return NULL;
	if (!dwarfhandle_fine(reader,
		    dwarf_formstring(attribute, &string, &error), &error))
		return NULL;
	return string;
}

static uint64_t number(struct dwarfread *reader, Dwarf_Attribute attribute)
{
	Dwarf_Error error = NULL;
	Dwarf_Unsigned value;
	Dwarf_Signed with_sign;

	if (dwarfhandle_fine(
		    reader, dwarf_formudata(attribute, &value, &error), &error))
		return value;
	if (dwarfhandle_fine(reader,
		    dwarf_formsdata(attribute, &with_sign, &error), &error))
		return (uint64_t)with_sign;
	return 0;
}

static uint64_t reference(struct dwarfread *reader, Dwarf_Attribute attribute)
{
	Dwarf_Error error = NULL;
	Dwarf_Half form;
	Dwarf_Off offset;

	if (!dwarfhandle_fine(
		    reader, dwarf_whatform(attribute, &form, &error), &error))
		return 0;
	if (form == DW_FORM_GNU_ref_alt || form == DW_FORM_ref_sup4 ||
		form == DW_FORM_ref_sup8 || form == DW_FORM_ref_sig8)
		return 0;
	if (!dwarfhandle_fine(reader,
		    dwarf_global_formref(attribute, &offset, &error), &error))
		return 0;
	return offset;
}

/* An address, or a number when the form is not that of an address. */
static bool address(
	struct dwarfread *reader, Dwarf_Attribute attribute, uint64_t *value)
{
	Dwarf_Error error = NULL;
	Dwarf_Addr found;
	Dwarf_Half form;

	if (!dwarfhandle_fine(
		    reader, dwarf_whatform(attribute, &form, &error), &error))
		return false;
	switch (form) {
	case DW_FORM_addr:
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		if (!dwarfhandle_fine(reader,
			    dwarf_formaddr(attribute, &found, &error), &error))
			return false;
		*value = found;
		return true;
	default:
		*value = number(reader, attribute);
		return false;
	}
}

static bool list_place(struct dwarfread *reader, Dwarf_Attribute attribute,
	struct rangelist_place *place)
{
	Dwarf_Error error = NULL;
	Dwarf_Half form;

	if (!dwarfhandle_fine(
		    reader, dwarf_whatform(attribute, &form, &error), &error))
		return false;
	place->is_index = form == DW_FORM_rnglistx;
	/* a plain number before DWARF 4 */
	place->value = form == DW_FORM_sec_offset ? reference(reader, attribute)
						  : number(reader, attribute);
	return true;
}

static void take_attribute(struct dwarfread *reader, Dwarf_Half which,
	Dwarf_Attribute attribute, struct dwarfread_entry *entry)
{
	switch (which) {
	case DW_AT_name:
		entry->name = text(reader, attribute);
		break;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		entry->linkage_name = text(reader, attribute);
		break;
	case DW_AT_abstract_origin:
	case DW_AT_specification:
		entry->origin = reference(reader, attribute);
		break;
	case DW_AT_low_pc:
		entry->has_low = address(reader, attribute, &entry->low);
		break;
	case DW_AT_high_pc:
		entry->high_is_length =
			!address(reader, attribute, &entry->high);
		break;
	case DW_AT_ranges:
		entry->has_ranges =
			list_place(reader, attribute, &entry->ranges);
		break;
	case DW_AT_rnglists_base:
		entry->lists_base = reference(reader, attribute);
		break;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		entry->address_base = reference(reader, attribute);
		break;
	case DW_AT_call_file:
		entry->call_file = (uint32_t)number(reader, attribute);
		break;
	case DW_AT_call_line:
		entry->call_line = (uint32_t)number(reader, attribute);
		break;
	case DW_AT_call_column:
		entry->call_column = (uint32_t)number(reader, attribute);
		break;
	case DW_AT_language:
		entry->language = number(reader, attribute);
		break;
	case DW_AT_comp_dir:
		entry->directory = text(reader, attribute);
		break;
	default:
		break;
	}
}

static bool read_entry(
	struct dwarfread *reader, Dwarf_Die die, struct dwarfread_entry *entry)
{
	Dwarf_Error error = NULL;
	Dwarf_Attribute *list;
	Dwarf_Signed count;
	Dwarf_Signed i;
	Dwarf_Half which;
	Dwarf_Off offset;

	memset(entry, 0, sizeof(*entry));
	if (!dwarfhandle_fine(
		    reader, dwarf_dieoffset(die, &offset, &error), &error) ||
		!dwarfhandle_fine(reader,
			dwarf_attrlist(die, &list, &count, &error), &error))
		return false;
	entry->offset = offset;
	for (i = 0; i < count; i++) {
		if (dwarfhandle_fine(reader,
			    dwarf_whatattr(list[i], &which, &error), &error))
			take_attribute(reader, which, list[i], entry);
		dwarf_dealloc(reader->debug, list[i], DW_DLA_ATTR);
	}
	dwarf_dealloc(reader->debug, list, DW_DLA_LIST);
	if (entry->has_low && entry->high_is_length)
		entry->high += entry->low;
	return true;
}

bool dwarfread_at(struct dwarfread *reader, uint64_t offset,
	struct dwarfread_entry *entry)
{
	Dwarf_Die die;
	bool found;

	if (!dwarfhandle_die(reader, offset, &die))
		return false;
	found = read_entry(reader, die, entry);
	dwarf_dealloc(reader->debug, die, DW_DLA_DIE);
	return found;
}

bool dwarfread_ranges(const struct dwarfread *reader,
	const struct dwarfread_entry *entry, const struct rangelist_unit *unit,
	rangelist_take *take, void *closure)
{
	if (entry->has_ranges)
		return rangelist_each(
			&reader->lists, unit, &entry->ranges, take, closure);
	return !entry->has_low || entry->high <= entry->low ||
	       take(closure, entry->low, entry->high);
}

static bool visit_unit(
	struct dwarfread *reader, dwarfread_visit *visit, void *closure)
{
	struct dwarfread_entry entry;
	Dwarf_Error error = NULL;
	Dwarf_Half version = 0;
	Dwarf_Half offset_bytes = 4;
	Dwarf_Die die;
	bool going = true;

	if (!dwarfhandle_fine(reader,
		    dwarf_siblingof_b(reader->debug, NULL, 1, &die, &error),
		    &error))
		return true;
	if (read_entry(reader, die, &entry)) {
		dwarf_get_version_of_die(die, &version, &offset_bytes);
		entry.version = version;
		entry.offset_bytes = offset_bytes;
		going = visit(closure, &entry, 0);
	}
	dwarf_dealloc(reader->debug, die, DW_DLA_DIE);
	return going;
}

void dwarfread_units(
	struct dwarfread *reader, dwarfread_visit *visit, void *closure)
{
	Dwarf_Error error = NULL;
	Dwarf_Unsigned length, next, type_offset;
	Dwarf_Half version, address_bytes, offset_bytes, extension, kind;
	Dwarf_Off abbreviations;
	Dwarf_Sig8 signature;

	while (dwarfhandle_fine(reader,
		dwarf_next_cu_header_d(reader->debug, 1, &length, &version,
			&abbreviations, &address_bytes, &offset_bytes,
			&extension, &signature, &type_offset, &next, &kind,
			&error),
		&error))
		if (kind != DW_UT_type && kind != DW_UT_split_type &&
			!visit_unit(reader, visit, closure))
			break;
}

/* A walk over the entries of a unit. */
struct walk {
	struct dwarfread *reader;
	dwarfread_visit *visit;
	void *closure;
	struct {
		Dwarf_Die die;
		uint64_t function; /* offset of it or of the one around it */
	} path[DEPTH_MAX];
	unsigned depth;
};

static bool visit_function(struct walk *walk)
{
	struct dwarfread *reader = walk->reader;
	Dwarf_Die die = walk->path[walk->depth].die;
	uint64_t enclosing = walk->path[walk->depth - 1].function;
	struct dwarfread_entry entry;
	Dwarf_Error error = NULL;
	Dwarf_Half tag;
	bool going;

	walk->path[walk->depth].function = enclosing;
	if (!dwarfhandle_fine(reader, dwarf_tag(die, &tag, &error), &error) ||
		(tag != DW_TAG_subprogram && tag != DW_TAG_entry_point &&
			tag != DW_TAG_inlined_subroutine) ||
		!read_entry(reader, die, &entry))
		return true;
	entry.inlined = tag == DW_TAG_inlined_subroutine;
	entry.enclosing = enclosing;
	walk->path[walk->depth].function = entry.offset;
	going = walk->visit(walk->closure, &entry, walk->depth);
	return going;
}

/*
 * Replaces *die by its sibling; false when there is none.  A sibling before
 * the entry would be a loop.
 */
static bool next_sibling(struct dwarfread *reader, Dwarf_Die *die)
{
	Dwarf_Error error = NULL;
	Dwarf_Off here = 0;
	Dwarf_Off there = 0;
	Dwarf_Die sibling;

	if (!dwarfhandle_fine(reader,
		    dwarf_siblingof_b(reader->debug, *die, 1, &sibling, &error),
		    &error))
		return false;
	dwarf_dieoffset(*die, &here, &error);
	dwarf_dieoffset(sibling, &there, &error);
	dwarf_dealloc(reader->debug, *die, DW_DLA_DIE);
	*die = sibling;
	return there > here;
}

static bool enter_child(struct walk *walk)
{
	Dwarf_Error error = NULL;

	if (walk->depth + 1 == DEPTH_MAX ||
		!dwarfhandle_fine(walk->reader,
			dwarf_child(walk->path[walk->depth].die,
				&walk->path[walk->depth + 1].die, &error),
			&error))
		return false;
	walk->depth++;
	return true;
}

/* Goes on after all that is below the present entry; false at the end. */
static bool leave(struct walk *walk, bool going)
{
	for (; walk->depth > 0; walk->depth--) {
		Dwarf_Die *die = &walk->path[walk->depth].die;

		if (going && next_sibling(walk->reader, die))
			return true;
		dwarf_dealloc(walk->reader->debug, *die, DW_DLA_DIE);
	}
	return false;
}

bool dwarfread_functions(struct dwarfread *reader, uint64_t unit,
	dwarfread_visit *visit, void *closure)
{
	struct walk walk = {
		.reader = reader, .visit = visit, .closure = closure};
	bool going = true;

	if (!dwarfhandle_die(reader, unit, &walk.path[0].die))
		return true;
	while ((going && enter_child(&walk)) || leave(&walk, going))
		going = visit_function(&walk);
	dwarf_dealloc(reader->debug, walk.path[0].die, DW_DLA_DIE);
	return going;
}
