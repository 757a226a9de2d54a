#include "symbolizer/dwarfhandle.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/dwarfread.h"

static const char *const section_names[DWARFHANDLE_SECTIONS] = {
	"", /* as in ELF, the first section is none */
	".debug_info",
	".debug_abbrev",
	".debug_line",
	".debug_line_str",
	".debug_str",
	".debug_str_offsets",
	".debug_addr",
	".debug_ranges",
	".debug_rnglists",
};

static int section_info(void *object, Dwarf_Half index,
	Dwarf_Obj_Access_Section *section, int *error)
{
	struct dwarfread *reader = object;

	(void)error;
	if (index >= DWARFHANDLE_SECTIONS)
		return DW_DLV_NO_ENTRY;
	memset(section, 0, sizeof(*section));
	section->name = section_names[index];
	section->type = index == 0 ? SHT_NULL : SHT_PROGBITS;
	section->size = reader->bytes[index];
	return DW_DLV_OK;
}

static int section_load(
	void *object, Dwarf_Half index, Dwarf_Small **data, int *error)
{
	struct dwarfread *reader = object;

	(void)error;
	if (index >= DWARFHANDLE_SECTIONS || !reader->data[index])
		return DW_DLV_NO_ENTRY;
	*data = reader->data[index];
	return DW_DLV_OK;
}

static Dwarf_Endianness byte_order(void *object)
{
	(void)object;
	return DW_OBJECT_LSB;
}

static Dwarf_Small eight(void *object)
{
	(void)object;
	return 8;
}

static Dwarf_Unsigned section_total(void *object)
{
	(void)object;
	return DWARFHANDLE_SECTIONS;
}

static const Dwarf_Obj_Access_Methods methods = {
	.get_section_info = section_info,
	.get_byte_order = byte_order,
	.get_length_size = eight,
	.get_pointer_size = eight,
	.get_section_count = section_total,
	.load_section = section_load,
};

static bool read_all(
	struct dwarfread *reader, struct elffile *file, const char **why)
{
	size_t i;

	for (i = 1; i < DWARFHANDLE_SECTIONS; i++) {
		size_t section = elffile_section_named(file, section_names[i]);

		if (section == ELFFILE_NONE ||
			file->sections[section].type == SHT_NOBITS)
			continue;
		reader->data[i] = elffile_read_section(
			file, section, &reader->bytes[i], why);
		if (!reader->data[i])
			return false;
	}
	return reader->bytes[1] > 0 && reader->bytes[2] > 0;
}

struct dwarfread *dwarfread_open(struct elffile *file, const char **why)
{
	struct dwarfread *reader = calloc(1, sizeof(*reader));
	Dwarf_Unsigned lists;
	Dwarf_Error error = NULL;

	*why = NULL;
	if (!reader)
		return NULL;
	/* every object is released here, libdwarf need not keep a list */
	dwarf_set_de_alloc_flag(0);
	reader->interface.object = reader;
	reader->interface.methods = &methods;
	if (!read_all(reader, file, why))
		goto fail;
	if (!dwarfhandle_fine(reader,
		    dwarf_object_init_b(&reader->interface, NULL, NULL,
			    DW_GROUPNUMBER_ANY, &reader->debug, &error),
		    &error)) {
		*why = "its debug information is damaged";
		goto fail;
	}
	if (reader->data[DWARFHANDLE_SECTIONS - 1])
		dwarfhandle_fine(reader,
			dwarf_load_rnglists(reader->debug, &lists, &error),
			&error);
	return reader;
fail:
	dwarfread_close(reader);
	return NULL;
}

void dwarfread_close(struct dwarfread *reader)
{
	Dwarf_Error error = NULL;
	size_t i;

	if (!reader)
		return;
	if (reader->debug)
		dwarf_object_finish(reader->debug, &error);
	for (i = 0; i < DWARFHANDLE_SECTIONS; i++)
		free(reader->data[i]);
	free(reader);
}
