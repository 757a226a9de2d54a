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
};

/* Indexes of some of them. */
enum { INFO = 1, ABBREVIATIONS = 2, ADDRESSES = 7 };

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

/* Null and 0 bytes when the file has no such section. */
static bool read_section(struct elffile *file, const char *name, void **data,
	size_t *bytes, const char **why)
{
	size_t section = elffile_section_named(file, name);

	if (section == ELFFILE_NONE ||
		file->sections[section].type == SHT_NOBITS)
		return true;
	*data = elffile_read_section(file, section, bytes, why);
	return *data != NULL;
}

static bool read_list(struct elffile *file, const char *name,
	struct rangelist_section *section, const char **why)
{
	void *data = NULL;

	if (!read_section(file, name, &data, &section->bytes, why))
		return false;
	section->data = data;
	return true;
}

static bool read_all(
	struct dwarfread *reader, struct elffile *file, const char **why)
{
	size_t i;

	for (i = 1; i < DWARFHANDLE_SECTIONS; i++)
		if (!read_section(file, section_names[i], &reader->data[i],
			    &reader->bytes[i], why))
			return false;
	if (reader->bytes[INFO] == 0 || reader->bytes[ABBREVIATIONS] == 0)
		return false;
	reader->lists.addresses.data = reader->data[ADDRESSES];
	reader->lists.addresses.bytes = reader->bytes[ADDRESSES];
	return read_list(file, ".debug_ranges", &reader->lists.ranges, why) &&
	       read_list(file, ".debug_rnglists", &reader->lists.lists, why);
}

struct dwarfread *dwarfread_open(struct elffile *file, const char **why)
{
	struct dwarfread *reader = calloc(1, sizeof(*reader));
	Dwarf_Error error = NULL;

	*why = NULL;
	if (!reader)
		return NULL;
	/* every object is released here, libdwarf need not keep a list */
	dwarf_set_de_alloc_flag(0);
	reader->interface.object = reader;
	reader->interface.methods = &methods;
	if (read_all(reader, file, why)) {
		if (dwarfhandle_fine(reader,
			    dwarf_object_init_b(&reader->interface, NULL, NULL,
				    DW_GROUPNUMBER_ANY, &reader->debug, &error),
			    &error))
			return reader;
		*why = "its debug information is damaged";
	}
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
	free((void *)(uintptr_t)reader->lists.ranges.data);
	free((void *)(uintptr_t)reader->lists.lists.data);
	free(reader);
}
