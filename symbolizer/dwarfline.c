#include "symbolizer/dwarfline.h"

#include "symbolizer/dwarfhandle.h"

static const char *directory_of(
	struct dwarfread *reader, Dwarf_Line_Context context, uint64_t index)
{
	Dwarf_Error error = NULL;
	const char *name;

	if (!dwarfhandle_fine(reader,
		    dwarf_srclines_include_dir_data(
			    context, (Dwarf_Signed)index, &name, &error),
		    &error))
		return NULL;
	return name;
}

static bool add_files(struct dwarfread *reader, Dwarf_Line_Context context,
	struct debugunit *unit)
{
	Dwarf_Error error = NULL;
	Dwarf_Signed first, count, end, i;
	Dwarf_Unsigned directory, modified, bytes;
	Dwarf_Form_Data16 *sum;
	const char *name;

	if (!dwarfhandle_fine(reader,
		    dwarf_srclines_files_indexes(
			    context, &first, &count, &end, &error),
		    &error))
		return true;
	unit->first_file = (uint32_t)first;
	for (i = first; i < end; i++) {
		if (!dwarfhandle_fine(reader,
			    dwarf_srclines_files_data_b(context, i, &name,
				    &directory, &modified, &bytes, &sum,
				    &error),
			    &error)) {
			name = NULL;
			directory = 0;
		}
		if (!debugunit_add_file(unit, name,
			    directory_of(reader, context, directory)))
			return false;
	}
	return true;
}

/*
 * libdwarf 20210528 says of a row with DW_LNS_set_epilogue_begin that it ends
 * the sequence; a row that does end one never has that mark.
 */
static bool ends_sequence(struct dwarfread *reader, Dwarf_Line line)
{
	Dwarf_Error error = NULL;
	Dwarf_Bool ends, prologue_ends, epilogue_begins;
	Dwarf_Unsigned set, discriminator;

	if (!dwarfhandle_fine(
		    reader, dwarf_lineendsequence(line, &ends, &error), &error))
		return false;
	if (!ends ||
		!dwarfhandle_fine(reader,
			dwarf_prologue_end_etc(line, &prologue_ends,
				&epilogue_begins, &set, &discriminator, &error),
			&error))
		return ends;
	return !epilogue_begins;
}

static bool add_row(
	struct dwarfread *reader, Dwarf_Line line, struct debugunit *unit)
{
	Dwarf_Error error = NULL;
	Dwarf_Unsigned file, number, column;
	Dwarf_Addr at;

	if (!dwarfhandle_fine(
		    reader, dwarf_lineaddr(line, &at, &error), &error))
		return true;
	if (ends_sequence(reader, line))
		return debugunit_end_sequence(unit, at);
	if (!dwarfhandle_fine(reader, dwarf_line_srcfileno(line, &file, &error),
		    &error) ||
		!dwarfhandle_fine(
			reader, dwarf_lineno(line, &number, &error), &error) ||
		!dwarfhandle_fine(
			reader, dwarf_lineoff_b(line, &column, &error), &error))
		return true;
	return debugunit_add_row(unit, &(struct debugunit_row){
					       .address = at,
					       .file = (uint32_t)file,
					       .line = (uint32_t)number,
					       .column = (uint32_t)column,
				       });
}

bool dwarfline_read(
	struct dwarfread *reader, uint64_t offset, struct debugunit *unit)
{
	Dwarf_Error error = NULL;
	Dwarf_Line_Context context = NULL;
	Dwarf_Unsigned version;
	Dwarf_Small tables;
	Dwarf_Signed count = 0;
	Dwarf_Signed i;
	Dwarf_Line *lines;
	Dwarf_Die die;
	bool going = true;

	if (!dwarfhandle_die(reader, offset, &die))
		return true;
	if (dwarfhandle_fine(reader,
		    dwarf_srclines_b(die, &version, &tables, &context, &error),
		    &error)) {
		going = add_files(reader, context, unit);
		if (tables != 1 ||
			!dwarfhandle_fine(reader,
				dwarf_srclines_from_linecontext(
					context, &lines, &count, &error),
				&error))
			count = 0;
		for (i = 0; i < count && going; i++)
			going = add_row(reader, lines[i], unit);
		dwarf_srclines_dealloc_b(context);
	}
	dwarf_dealloc(reader->debug, die, DW_DLA_DIE);
	return going;
}
