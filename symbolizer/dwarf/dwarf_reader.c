#include "symbolizer/dwarf/dwarf_reader.h"

#include <elf.h>
#include <libdwarf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"

/*
 * The only file that sees libdwarf: of Debian 11 and 12 (20201201, 20210528)
 * and of Debian 13 (0.11.1).  It gets mapped sections by its interface for
 * object files and never sees the file.  The README of this directory says what
 * of it is worked around here, and until which version.
 */
#ifdef DW_LIBDWARF_VERSION_MAJOR
#define LIBDWARF_0 1 /* from 0.1 on: other names of the same things */
typedef Dwarf_Obj_Access_Interface_a interface;
typedef Dwarf_Obj_Access_Methods_a methods;
typedef Dwarf_Obj_Access_Section_a section_info;
typedef Dwarf_Unsigned section_index;
typedef Dwarf_Small byte_order;
#else
#define LIBDWARF_0 0
typedef Dwarf_Obj_Access_Interface interface;
typedef Dwarf_Obj_Access_Methods methods;
typedef Dwarf_Obj_Access_Section section_info;
typedef Dwarf_Half section_index;
typedef Dwarf_Endianness byte_order;
#endif
/* Until 0.5 the lines of DWARF 5 begin with file 0 instead of file 1. */
#if !LIBDWARF_0 ||                                                             \
	DW_LIBDWARF_VERSION_MAJOR == 0 && DW_LIBDWARF_VERSION_MINOR < 5
#define BEGINS_WITH_FILE_0 true
#else
#define BEGINS_WITH_FILE_0 false
#endif

#define ADDRESS_BYTES 8
/* What may be read of a section in any case. */
#define FREE_BYTES ((uint64_t)1 << 20)
/* libdwarf goes through all units before the one of an entry. */
#define UNITS_OF_SLICE 64
/* Slices that tell of no unit: more are not looked at. */
#define EMPTY_SLICES_MAX 1000
/* Each time that it is asked for an attribute, it goes through those before it:
 * the first entries of units have a dozen. */
#define ATTRIBUTES_MAX 64
/* It goes through all files before the one that it is asked for; so many for
 * each time that a table may be read. */
#define FILES_MAX 2048
/* It makes an entry anew each time: so many of them are kept. */
#define RECENT 16
/* Where libdwarf goes from entry to entry; deeper ones are not looked at. */
#define DEPTH_MAX 256

struct dwarf_slice {
	struct dwarf_reader *reader;
	Dwarf_Debug library;
	Dwarf_Error error; /* of the last call */
	interface object;  /* libdwarf points to it */
	uint64_t first;	   /* offset of its first unit in the section */
	uint64_t bytes;
	struct {
		const uint8_t *at;
		Dwarf_Die die; /* null: there is no entry */
	} recent[RECENT];
};

static bool scans = true;

void dwarf_reader_scans(bool wanted)
{
	scans = wanted;
}

/* Whether a function of libdwarf, which takes where its error goes last, has
 * found something. */
#define GOT(slice, function, ...)                                              \
	got(slice, function(__VA_ARGS__, &(slice)->error))

static bool got(struct dwarf_slice *slice, int result)
{
	if (result == DW_DLV_ERROR && slice->error)
		dwarf_dealloc_error(slice->library, slice->error);
	slice->error = NULL;
	return result == DW_DLV_OK;
}

/* ---- sections ---- */

static const char *const names[][DWARF_SECTIONS] = {
	[DWARF_READER_WHOLE] =
		{
			[DWARF_INFO] = ".debug_info",
			[DWARF_ABBREV] = ".debug_abbrev",
			[DWARF_STR] = ".debug_str",
			[DWARF_STR_OFFSETS] = ".debug_str_offsets",
			[DWARF_LINE] = ".debug_line",
			[DWARF_LINE_STR] = ".debug_line_str",
			[DWARF_RNGLISTS] = ".debug_rnglists",
			[DWARF_RANGES] = ".debug_ranges",
			[DWARF_ADDR] = ".debug_addr",
		},
	[DWARF_READER_SPLIT] =
		{
			[DWARF_INFO] = ".debug_info.dwo",
			[DWARF_ABBREV] = ".debug_abbrev.dwo",
			[DWARF_STR] = ".debug_str.dwo",
			[DWARF_STR_OFFSETS] = ".debug_str_offsets.dwo",
			[DWARF_CU_INDEX] = ".debug_cu_index",
			[DWARF_TU_INDEX] = ".debug_tu_index",
			[DWARF_RNGLISTS] = ".debug_rnglists.dwo",
		},
};

/* False when the kernel will not map it. */
static bool map_section(struct dwarf_reader *reader, unsigned which,
	const struct elffile *file, const struct elffile_section *section)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t before = section->offset % page;
	char *start =
		mmap(NULL, section->bytes + before, PROT_READ, MAP_PRIVATE,
			file->descriptor, (off_t)(section->offset - before));

	if (start == MAP_FAILED)
		return false;
	reader->storage[which].start = start;
	reader->storage[which].bytes = section->bytes + before;
	reader->sections[which].data = (const uint8_t *)start + before;
	reader->sections[which].bytes = section->bytes;
	return true;
}

/* True also when the file has no such section. */
static bool take_section(struct dwarf_reader *reader, unsigned which,
	struct elffile *file, const char *name, const char **why)
{
	size_t number = elffile_section_named(file, name);
	const struct elffile_section *section;
	size_t bytes;
	void *data;

	if (number == ELFFILE_NONE)
		return true;
	section = &file->sections[number];
	if (section->type == SHT_NOBITS || section->bytes == 0)
		return true;
	if (!(section->flags & SHF_COMPRESSED) &&
		map_section(reader, which, file, section))
		return true;
	data = elffile_read_section(file, number, &bytes, why);
	if (!data)
		return false;
	reader->storage[which].start = data;
	reader->sections[which].data = data;
	reader->sections[which].bytes = bytes;
	return true;
}

/*
 * Units may share a table, but tables that all of them share are there to cost
 * more than the file holds: after so many bytes nothing else is to be read from
 * the section.
 */
static bool is_exhausted(
	struct dwarf_reader *reader, enum dwarf_section section)
{
	const uint64_t spent = reader->spent[section];

	if (spent <= FREE_BYTES ||
		spent - FREE_BYTES <= readlimits_times(READLIMIT_SHARED_TIMES,
					      reader->sections[section].bytes))
		return false;
	dwarf_reader_note(reader, READLIMIT_SHARED_TIMES);
	return true;
}

void dwarf_reader_note(struct dwarf_reader *reader, enum readlimit limit)
{
	if (reader->met & 1u << limit)
		return;
	reader->met |= 1u << limit;
	readlimits_note(limit, reader->path ? reader->path : "a file");
}

/* ---- slices: consecutive units for one instance of libdwarf ---- */

/* Section 0 is none, as in an ELF file. */
static struct dwarf_bytes section_of(
	const struct dwarf_slice *slice, uint64_t index)
{
	struct dwarf_bytes bytes = slice->reader->sections[index - 1];

	if (index - 1 == DWARF_INFO) {
		bytes.data += slice->first;
		bytes.bytes = slice->bytes;
	}
	return bytes;
}

static int tell_section(
	void *object, section_index index, section_info *info, int *error)
{
	const struct dwarf_slice *slice = object;
	const char *name = "";

	(void)error;
	memset(info, 0, sizeof(*info));
	if (index > DWARF_READ_BY_LIBRARY)
		return DW_DLV_NO_ENTRY;
	if (index > 0 && slice->reader->sections[index - 1].bytes > 0)
		name = names[slice->reader->kind][index - 1];
#if LIBDWARF_0
	info->as_name = name;
	info->as_type = *name ? SHT_PROGBITS : SHT_NULL;
	info->as_size = *name ? section_of(slice, index).bytes : 0;
#else
	info->name = name;
	info->type = *name ? SHT_PROGBITS : SHT_NULL;
	info->size = *name ? section_of(slice, index).bytes : 0;
#endif
	return DW_DLV_OK;
}

static int load_section(
	void *object, section_index index, Dwarf_Small **data, int *error)
{
	(void)error;
	if (index == 0 || index > DWARF_READ_BY_LIBRARY)
		return DW_DLV_NO_ENTRY;
	/* it is not written to */
	*data = (Dwarf_Small *)(uintptr_t)section_of(object, index).data;
	return *data ? DW_DLV_OK : DW_DLV_NO_ENTRY;
}

static byte_order tell_byte_order(void *object)
{
	(void)object;
#if LIBDWARF_0
	return DW_END_little;
#else
	return DW_OBJECT_LSB;
#endif
}

static Dwarf_Small tell_eight(void *object)
{
	(void)object;
	return 8;
}

static Dwarf_Unsigned count_sections(void *object)
{
	(void)object;
	return DWARF_READ_BY_LIBRARY + 1;
}

#if LIBDWARF_0
static Dwarf_Unsigned tell_file_bytes(void *object)
{
	const struct dwarf_slice *slice = object;
	Dwarf_Unsigned bytes = slice->bytes;
	unsigned i;

	for (i = DWARF_INFO + 1; i < DWARF_READ_BY_LIBRARY; i++)
		bytes += slice->reader->sections[i].bytes;
	return bytes;
}

static const methods file_methods = {
	.om_get_section_info = tell_section,
	.om_get_byte_order = tell_byte_order,
	.om_get_length_size = tell_eight,
	.om_get_pointer_size = tell_eight,
	.om_get_filesize = tell_file_bytes,
	.om_get_section_count = count_sections,
	.om_load_section = load_section,
};
#else
static const methods file_methods = {
	.get_section_info = tell_section,
	.get_byte_order = tell_byte_order,
	.get_length_size = tell_eight,
	.get_pointer_size = tell_eight,
	.get_section_count = count_sections,
	.load_section = load_section,
};
#endif

/* Its units stay known: what is asked of them opens it again. */
static void close_library(struct dwarf_slice *slice)
{
	unsigned i;

	if (!slice->library)
		return;
	for (i = 0; i < RECENT; i++)
		if (slice->recent[i].die)
			dwarf_dealloc_die(slice->recent[i].die);
	memset(slice->recent, 0, sizeof(slice->recent));
#if LIBDWARF_0
	dwarf_object_finish(slice->library);
#else
	dwarf_object_finish(slice->library, &slice->error);
#endif
	slice->library = NULL;
}

static bool open_library(struct dwarf_slice *slice)
{
	if (slice->library)
		return true;
#if LIBDWARF_0
	slice->object.ai_object = slice;
	slice->object.ai_methods = &file_methods;
#else
	slice->object.object = slice;
	slice->object.methods = &file_methods;
#endif
	if (!GOT(slice, dwarf_object_init_b, &slice->object, NULL, NULL,
		    DW_GROUPNUMBER_ANY, &slice->library))
		slice->library = NULL;
	return slice->library != NULL;
}

/* Null when out of memory. */
static struct dwarf_slice *add_slice(
	struct dwarf_reader *reader, uint64_t first, uint64_t bytes)
{
	struct dwarf_slice *slice;

	if (!array_reserve(reader->slices, reader->slice_room,
		    reader->slice_count + 1))
		return NULL;
	slice = calloc(1, sizeof(*slice));
	if (!slice)
		return NULL;
	slice->reader = reader;
	slice->first = first;
	slice->bytes = bytes;
	return reader->slices[reader->slice_count++] = slice;
}

/* ---- entries ---- */

static const uint8_t *place_in(const struct dwarf_slice *slice, uint64_t offset)
{
	return slice->reader->sections[DWARF_INFO].data + slice->first + offset;
}

/* libdwarf's entry, which stays the slice's; null when there is none. */
static Dwarf_Die die_at(struct dwarf_slice *slice, const uint8_t *at)
{
	const uint64_t offset = (uint64_t)(at - place_in(slice, 0));
	const size_t i = (offset * 0x9e3779b97f4a7c15u) >> 60;
	Dwarf_Die die = NULL;

	_Static_assert(RECENT == 16, "as many as 4 bits tell apart");
	if (slice->recent[i].at == at)
		return slice->recent[i].die;
	if (slice->recent[i].die)
		dwarf_dealloc_die(slice->recent[i].die);
	if (!open_library(slice) ||
		!GOT(slice, dwarf_offdie_b, slice->library, offset, 1, &die))
		die = NULL;
	slice->recent[i].at = at;
	slice->recent[i].die = die;
	return die;
}

/* To be given back by drop(). */
static Dwarf_Attribute attribute_of(
	const struct dwarf_entry *entry, uint16_t name, uint16_t *form)
{
	struct dwarf_slice *slice = entry->unit->slice;
	Dwarf_Die die;
	Dwarf_Attribute attribute = NULL;
	Dwarf_Half its_form = 0;

	if (!(entry->names & dwarf_scan_bit(name)))
		return NULL;
	die = die_at(slice, entry->at);
	if (!die || !GOT(slice, dwarf_attr, die, name, &attribute))
		return NULL;
	if (!GOT(slice, dwarf_whatform, attribute, &its_form))
		its_form = 0;
	*form = its_form;
	return attribute;
}

static void drop(const struct dwarf_entry *entry, Dwarf_Attribute attribute)
{
	dwarf_dealloc(entry->unit->slice->library, attribute, DW_DLA_ATTR);
}

/* Bytes of the attribute, where libdwarf cannot read or does not check them. */
static struct dwarf_cursor bytes_of(
	const struct dwarf_entry *entry, Dwarf_Attribute attribute)
{
	struct dwarf_slice *slice = entry->unit->slice;
	struct dwarf_bytes info = section_of(slice, DWARF_INFO + 1);
	Dwarf_Off offset = UINT64_MAX;

	if (!GOT(slice, dwarf_attr_offset, die_at(slice, entry->at), attribute,
		    &offset))
		offset = UINT64_MAX;
	return dwarf_cursor_at(&info, offset);
}

/* An offset in a section; false when the form is no such one. */
static bool read_offset(const struct dwarf_entry *entry,
	Dwarf_Attribute attribute, uint16_t form, uint64_t *offset)
{
	struct dwarf_slice *slice = entry->unit->slice;
	struct dwarf_cursor cursor;
	Dwarf_Off global = 0;
	bool is;

	switch (form) {
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8: /* known to no version */
		cursor = bytes_of(entry, attribute);
		*offset = dwarf_cursor_fixed(
			&cursor, form == DW_FORM_ref_sup4 ? 4 : 8);
		return !cursor.damaged;
	default:
		is = GOT(slice, dwarf_global_formref, attribute, &global);
		*offset = global;
		return is;
	}
}

static bool read_number(const struct dwarf_entry *entry,
	Dwarf_Attribute attribute, uint16_t form, uint64_t *number)
{
	struct dwarf_slice *slice = entry->unit->slice;
	struct dwarf_cursor cursor;
	Dwarf_Unsigned plain = 0;
	Dwarf_Signed with_sign = 0;
	bool is;

	switch (form) {
	case DW_FORM_flag_present:
		*number = 1;
		return true;
	case DW_FORM_flag: /* it is not checked that the byte is there */
		cursor = bytes_of(entry, attribute);
		*number = dwarf_cursor_byte(&cursor);
		return !cursor.damaged;
	case DW_FORM_sdata:
	case DW_FORM_implicit_const:
		is = GOT(slice, dwarf_formsdata, attribute, &with_sign);
		*number = (uint64_t)with_sign;
		return is;
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
	case DW_FORM_udata:
	case DW_FORM_rnglistx:
		is = GOT(slice, dwarf_formudata, attribute, &plain);
		*number = plain;
		return is;
	default:
		return read_offset(entry, attribute, form, number);
	}
}

static struct dwarf_address read_address(const struct dwarf_entry *entry,
	Dwarf_Attribute attribute, uint16_t form)
{
	struct dwarf_slice *slice = entry->unit->slice;
	struct dwarf_address address = {DWARF_ADDRESS_NONE, 0};
	Dwarf_Unsigned index = 0;
	Dwarf_Addr plain = 0;

	switch (form) {
	case DW_FORM_addr:
		if (GOT(slice, dwarf_formaddr, attribute, &plain))
			address = (struct dwarf_address){DWARF_ADDRESS, plain};
		break;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		if (GOT(slice, dwarf_get_debug_addr_index, attribute, &index))
			address = (struct dwarf_address){
				DWARF_ADDRESS_INDEX, index};
		break;
	default:
		break;
	}
	return address;
}

bool dwarf_entry_has(const struct dwarf_entry *entry, uint16_t name)
{
	struct dwarf_slice *slice = entry->unit->slice;
	Dwarf_Die die;
	Dwarf_Bool has = 0;

	if (!(entry->names & dwarf_scan_bit(name)))
		return false;
	die = die_at(slice, entry->at);
	return die && GOT(slice, dwarf_hasattr, die, name, &has) && has;
}

static uint64_t number_or(
	const struct dwarf_entry *entry, uint16_t name, uint64_t otherwise)
{
	uint16_t form;
	Dwarf_Attribute attribute = attribute_of(entry, name, &form);
	uint64_t number = otherwise;

	if (!attribute)
		return otherwise;
	if (!read_number(entry, attribute, form, &number))
		number = otherwise;
	drop(entry, attribute);
	return number;
}

uint64_t dwarf_entry_number(const struct dwarf_entry *entry, uint16_t name)
{
	return number_or(entry, name, 0);
}

/* Of a string that dwz has moved to the supplement. */
static const char *string_of_supplement(const struct dwarf_entry *entry,
	Dwarf_Attribute attribute, uint16_t form)
{
	const struct dwarf_reader *supplement = entry->unit->reader->supplement;
	struct dwarf_cursor cursor;
	uint64_t offset;

	if (!supplement || !read_offset(entry, attribute, form, &offset))
		return NULL;
	cursor = dwarf_cursor_at(&supplement->sections[DWARF_STR], offset);
	return dwarf_cursor_string(&cursor);
}

const char *dwarf_entry_string(const struct dwarf_entry *entry, uint16_t name)
{
	uint16_t form;
	Dwarf_Attribute attribute = attribute_of(entry, name, &form);
	const char *text = NULL;
	char *own = NULL;

	if (!attribute)
		return NULL;
	if (form == DW_FORM_strp_sup || form == DW_FORM_GNU_strp_alt)
		text = string_of_supplement(entry, attribute, form);
	else if (GOT(entry->unit->slice, dwarf_formstring, attribute, &own))
		text = own;
	drop(entry, attribute);
	return text;
}

bool dwarf_unit_address(
	const struct dwarf_unit *unit, uint64_t index, uint64_t *address)
{
	struct dwarf_cursor cursor = dwarf_cursor_at(
		&unit->home->sections[DWARF_ADDR], unit->address_base);

	if (cursor.damaged ||
		index >= dwarf_cursor_left(&cursor) / ADDRESS_BYTES)
		return false;
	cursor.at += index * ADDRESS_BYTES;
	*address = dwarf_cursor_fixed(&cursor, ADDRESS_BYTES);
	return true;
}

static bool resolve(const struct dwarf_unit *unit, struct dwarf_address address,
	uint64_t *value)
{
	*value = address.value;
	return address.kind == DWARF_ADDRESS ||
	       (address.kind == DWARF_ADDRESS_INDEX &&
		       dwarf_unit_address(unit, address.value, value));
}

bool dwarf_entry_address(
	const struct dwarf_entry *entry, uint16_t name, uint64_t *address)
{
	uint16_t form;
	Dwarf_Attribute attribute = attribute_of(entry, name, &form);
	struct dwarf_address its;

	if (!attribute)
		return false;
	its = read_address(entry, attribute, form);
	drop(entry, attribute);
	return resolve(entry->unit, its, address);
}

static bool read_block(const struct dwarf_entry *entry,
	Dwarf_Attribute attribute, uint16_t form, struct dwarf_bytes *bytes)
{
	struct dwarf_slice *slice = entry->unit->slice;
	Dwarf_Unsigned length = 0;
	Dwarf_Block *block = NULL;
	Dwarf_Ptr data = NULL;

	if (form == DW_FORM_exprloc) {
		if (!GOT(slice, dwarf_formexprloc, attribute, &length, &data))
			return false;
		*bytes = (struct dwarf_bytes){data, length};
		return true;
	}
	if (form != DW_FORM_block && form != DW_FORM_block1 &&
		form != DW_FORM_block2 && form != DW_FORM_block4)
		return false;
	if (!GOT(slice, dwarf_formblock, attribute, &block))
		return false;
	*bytes = (struct dwarf_bytes){block->bl_data, block->bl_len};
	dwarf_dealloc(slice->library, block, DW_DLA_BLOCK);
	return true;
}

bool dwarf_entry_block(const struct dwarf_entry *entry, uint16_t name,
	struct dwarf_bytes *block)
{
	uint16_t form;
	Dwarf_Attribute attribute = attribute_of(entry, name, &form);
	bool is;

	if (!attribute)
		return false;
	is = read_block(entry, attribute, form, block);
	drop(entry, attribute);
	return is;
}

/* The unit that has this offset in .debug_info, loaded; or null. */
static struct dwarf_unit *unit_at(struct dwarf_reader *reader, uint64_t offset)
{
	size_t low = 0;
	size_t high = reader->unit_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (reader->units[middle].end <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < reader->unit_count &&
			       reader->units[low].entries <= offset &&
			       dwarf_unit_load(&reader->units[low])
		       ? &reader->units[low]
		       : NULL;
}

bool dwarf_entry_follow(
	const struct dwarf_entry *entry, uint16_t name, struct dwarf_entry *to)
{
	uint16_t form;
	Dwarf_Attribute attribute = attribute_of(entry, name, &form);
	struct dwarf_unit *in = entry->unit;
	struct dwarf_reader *reader = in->reader;
	uint64_t offset;
	bool is;

	if (!attribute)
		return false;
	is = read_offset(entry, attribute, form, &offset);
	drop(entry, attribute);
	if (!is)
		return false;
	switch (form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata: /* counted from the slice on */
		offset += in->slice->first;
		break;
	case DW_FORM_ref_addr:
		in = unit_at(reader, offset);
		break;
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_GNU_ref_alt:
		reader = reader->supplement;
		in = reader ? unit_at(reader, offset) : NULL;
		break;
	default:
		return false;
	}
	return in && dwarf_entry_read(to, in,
			     reader->sections[DWARF_INFO].data + offset);
}

/* As the scan has it, without libdwarf. */
static void take_kind(
	struct dwarf_entry *entry, const struct dwarf_scan_kind *kind)
{
	entry->tag = kind->tag;
	entry->has_code = kind->has_low || kind->has_ranges;
	entry->has_ranges = kind->has_ranges;
	entry->is_declaration = kind->is_declaration;
	entry->names = kind->names;
}

static bool ask_kind(struct dwarf_entry *entry)
{
	struct dwarf_slice *slice = entry->unit->slice;
	Dwarf_Die die = die_at(slice, entry->at);
	Dwarf_Half tag = 0;

	if (!die || !GOT(slice, dwarf_tag, die, &tag))
		return false;
	entry->tag = tag;
	entry->names = UINT64_MAX;
	entry->has_ranges = dwarf_entry_has(entry, DW_AT_ranges);
	entry->has_code =
		entry->has_ranges || dwarf_entry_has(entry, DW_AT_low_pc);
	entry->is_declaration = dwarf_entry_has(entry, DW_AT_declaration);
	return true;
}

bool dwarf_entry_read(
	struct dwarf_entry *entry, struct dwarf_unit *unit, const uint8_t *at)
{
	const struct dwarf_bytes *info = &unit->reader->sections[DWARF_INFO];
	const uint64_t offset = (uint64_t)(at - info->data);
	const struct dwarf_scan_table *table = unit->abbreviations;
	const struct dwarf_scan_kind *kind;

	if (offset < unit->entries || offset >= unit->end)
		return false;
	*entry = (struct dwarf_entry){.unit = unit, .at = at};
	if (!table || table->unknown || !scans)
		return ask_kind(entry);
	kind = dwarf_scan_kind_at(table,
		(struct dwarf_cursor){.at = at, .end = info->data + unit->end});
	if (kind)
		take_kind(entry, kind);
	return kind != NULL;
}

/* ---- where code is ---- */

/* Without an instance of the attribute, which libdwarf would allocate; false
 * when it is none that can be read so. */
static bool read_plain_code(
	const struct dwarf_entry *entry, struct dwarf_code *code)
{
	struct dwarf_slice *slice = entry->unit->slice;
	Dwarf_Die die = die_at(slice, entry->at);
	enum Dwarf_Form_Class class = DW_FORM_CLASS_UNKNOWN;
	Dwarf_Addr low = 0, high = 0;
	Dwarf_Half form = 0;

	if (!die || entry->unit->home != entry->unit->reader ||
		!GOT(slice, dwarf_lowpc, die, &low))
		return false;
	code->low = (struct dwarf_address){DWARF_ADDRESS, low};
	if (!GOT(slice, dwarf_highpc_b, die, &high, &form, &class))
		return true;
	if (class == DW_FORM_CLASS_ADDRESS)
		code->high = (struct dwarf_address){DWARF_ADDRESS, high};
	else
		code->length = high;
	return true;
}

static struct dwarf_code code_of(const struct dwarf_entry *entry)
{
	struct dwarf_code code = {0};
	Dwarf_Attribute attribute;
	uint16_t form;

	if (entry->has_ranges) {
		attribute = attribute_of(entry, DW_AT_ranges, &form);
		if (!attribute)
			return code;
		code.has_ranges =
			read_number(entry, attribute, form, &code.ranges);
		code.ranges_by_index = form == DW_FORM_rnglistx;
		drop(entry, attribute);
		return code;
	}
	if (!entry->has_code || read_plain_code(entry, &code))
		return code;
	attribute = attribute_of(entry, DW_AT_low_pc, &form);
	if (!attribute)
		return code;
	code.low = read_address(entry, attribute, form);
	drop(entry, attribute);
	attribute = attribute_of(entry, DW_AT_high_pc, &form);
	if (!attribute)
		return code;
	/* from DWARF 4 on it may be a length */
	code.high = read_address(entry, attribute, form);
	if (code.high.kind == DWARF_ADDRESS_NONE &&
		!read_number(entry, attribute, form, &code.length))
		code.length = 0;
	drop(entry, attribute);
	return code;
}

static bool each_of_list(const struct dwarf_unit *unit,
	const struct dwarf_code *code, rangelist_take *take, void *closure)
{
	const struct rangelist_sections sections = {
		.ranges = unit->home->sections[DWARF_RANGES],
		.lists = unit->reader->sections[DWARF_RNGLISTS],
		.addresses = unit->home->sections[DWARF_ADDR],
	};
	const struct rangelist_unit context = {
		.base = unit->low,
		.lists_base = unit->lists_base,
		.address_base = unit->address_base,
		.version = unit->encoding.version,
		.offset_bytes = unit->encoding.offset_bytes,
	};
	struct rangelist_place place = {
		.value = code->ranges,
		.is_index = code->ranges_by_index,
	};
	const bool old = context.version < 5;
	struct dwarf_reader *reader = old ? unit->home : unit->reader;
	const enum dwarf_section section = old ? DWARF_RANGES : DWARF_RNGLISTS;
	bool wanted;

	if (is_exhausted(reader, section))
		return true;
	if (unit->home != unit->reader && old)
		place.value += unit->ranges_base;
	wanted = rangelist_each(&sections, &context, &place, take, closure);
	reader->spent[section] += place.bytes;
	return wanted;
}

bool dwarf_unit_ranges(const struct dwarf_unit *unit,
	const struct dwarf_code *code, rangelist_take *take, void *closure)
{
	uint64_t low;
	uint64_t high;

	if (code->has_ranges)
		return each_of_list(unit, code, take, closure);
	if (!resolve(unit, code->low, &low))
		return true;
	if (!resolve(unit, code->high, &high))
		high = low + code->length;
	return high <= low || take(closure, low, high);
}

bool dwarf_entry_ranges(
	const struct dwarf_entry *entry, rangelist_take *take, void *closure)
{
	struct dwarf_code code = code_of(entry);

	return dwarf_unit_ranges(entry->unit, &code, take, closure);
}

/* ---- units ---- */

/* The header of a table of offsets begins with its length and a version. */
static unsigned header_bytes(const struct dwarf_unit *unit, unsigned rest)
{
	return (unit->encoding.offset_bytes == 8 ? 12 : 4) + rest;
}

/* Of a package: where the range lists of the unit begin. */
static uint64_t lists_in_package(struct dwarf_unit *unit, Dwarf_Die die)
{
	Dwarf_Debug_Fission_Per_CU parts;

	memset(&parts, 0, sizeof(parts));
	if (unit->encoding.version < 5 ||
		unit->reader->sections[DWARF_CU_INDEX].bytes == 0 ||
		!GOT(unit->slice, dwarf_get_debugfission_for_die, die, &parts))
		return 0;
	return parts.pcu_offset[DW_SECT_RNGLISTS];
}

/* A split unit says nothing of bases: it has its tables for itself. */
static void read_bases(
	struct dwarf_unit *unit, const struct dwarf_entry *root, Dwarf_Die die)
{
	/* before version 5 tables had no headers */
	uint64_t headers = unit->encoding.version >= 5;

	unit->address_base = number_or(
		root, DW_AT_addr_base, number_or(root, DW_AT_GNU_addr_base, 0));
	unit->ranges_base = number_or(root, DW_AT_GNU_ranges_base, 0);
	unit->lists_base = lists_in_package(unit, die) +
			   number_or(root, DW_AT_rnglists_base,
				   headers * header_bytes(unit, 8));
}

static void read_root(
	struct dwarf_unit *unit, const struct dwarf_entry *root, Dwarf_Die die)
{
	unit->partial |= root->tag == DW_TAG_partial_unit;
	read_bases(unit, root, die);
	unit->split_id = number_or(root, DW_AT_GNU_dwo_id, unit->split_id);
	unit->split_name = dwarf_entry_string(root, DW_AT_dwo_name);
	if (!unit->split_name)
		unit->split_name = dwarf_entry_string(root, DW_AT_GNU_dwo_name);
	unit->directory = dwarf_entry_string(root, DW_AT_comp_dir);
	unit->language = dwarf_entry_number(root, DW_AT_language);
	unit->code = code_of(root);
	resolve(unit, unit->code.low, &unit->low);
	unit->lines = number_or(root, DW_AT_stmt_list, UINT64_MAX);
}

/* What a header says, as libdwarf has read it. */
struct header {
	Dwarf_Unsigned bytes, abbreviations, type_offset, next;
	Dwarf_Half version, address_bytes, offset_bytes, extension_bytes, type;
	Dwarf_Sig8 id;
};

static bool is_read_here(const struct header *header)
{
	return header->address_bytes == ADDRESS_BYTES && header->version >= 2 &&
	       header->version <= 5 && header->type != DW_UT_type &&
	       header->type != DW_UT_split_type;
}

/* libdwarf reads all abbreviations before that of the root, for each unit. */
static void spend_on_root(
	struct dwarf_slice *slice, const struct header *header, Dwarf_Die die)
{
	Dwarf_Off offset = 0;
	Dwarf_Unsigned count = 0;

	if (!GOT(slice, dwarf_die_abbrev_global_offset, die, &offset, &count))
		return;
	if (offset > header->abbreviations)
		slice->reader->spent[DWARF_ABBREV] +=
			offset - header->abbreviations;
	if (count > ATTRIBUTES_MAX)
		slice->reader->spent[DWARF_ABBREV] += 2 * count;
}

/* False when out of memory. */
static bool add_unit(struct dwarf_slice *slice, const struct header *header,
	uint64_t offset, Dwarf_Die die)
{
	struct dwarf_reader *reader = slice->reader;
	struct dwarf_entry root;
	struct dwarf_unit *unit;
	Dwarf_Off first = 0;

	if (!GOT(slice, dwarf_dieoffset, die, &first))
		return true;
	if (!array_reserve(
		    reader->units, reader->unit_room, reader->unit_count + 1))
		return false;
	unit = &reader->units[reader->unit_count];
	*unit = (struct dwarf_unit){
		.reader = reader,
		.home = reader,
		.slice = slice,
		.offset = offset,
		.entries = slice->first + first,
		.end = slice->first + header->next,
		.abbreviations_at = header->abbreviations,
		.encoding = {header->version, header->offset_bytes},
		.partial = header->type == DW_UT_partial,
	};
	memcpy(&unit->split_id, &header->id, sizeof(unit->split_id));
	spend_on_root(slice, header, die);
	if (!is_exhausted(reader, DWARF_ABBREV) &&
		dwarf_entry_read(&root, unit, place_in(slice, first))) {
		read_root(unit, &root, die);
		reader->unit_count++;
	}
	return true;
}

/*
 * Lists the units of a slice.  `*at` is where the next one begins, and stays
 * where it is if libdwarf goes no further.  False when out of memory.
 */
static bool list_slice(struct dwarf_slice *slice, uint64_t *at)
{
	const uint64_t end = slice->first + slice->bytes;

	while (*at < end) {
		struct header header = {0};
		Dwarf_Die die = NULL;
		bool fine = true;

		if (!GOT(slice, dwarf_next_cu_header_d, slice->library, 1,
			    &header.bytes, &header.version,
			    &header.abbreviations, &header.address_bytes,
			    &header.offset_bytes, &header.extension_bytes,
			    &header.id, &header.type_offset, &header.next,
			    &header.type))
			return true;
		if (is_read_here(&header) &&
			GOT(slice, dwarf_siblingof_b, slice->library, NULL, 1,
				&die)) {
			fine = add_unit(slice, &header, *at, die);
			dwarf_dealloc_die(die);
		}
		if (!fine)
			return false;
		if (slice->first + header.next <= *at)
			return true;
		*at = slice->first + header.next;
		if (is_exhausted(slice->reader, DWARF_ABBREV))
			break;
	}
	return true;
}

/* Where the unit ends that begins here; 0: nobody knows. */
static uint64_t end_of_unit(const struct dwarf_reader *reader, uint64_t offset)
{
	struct dwarf_cursor cursor =
		dwarf_cursor_at(&reader->sections[DWARF_INFO], offset);
	unsigned offset_bytes;

	return dwarf_cursor_unit(&cursor, &offset_bytes)
		       ? (uint64_t)(cursor.end -
				    reader->sections[DWARF_INFO].data)
		       : 0;
}

/* Where the slice ends that begins here. */
static uint64_t end_of_slice(const struct dwarf_reader *reader, uint64_t offset)
{
	/* the index of a package tells offsets in the whole section */
	if (reader->sections[DWARF_CU_INDEX].bytes > 0)
		return reader->sections[DWARF_INFO].bytes;
	for (unsigned i = 0; i < UNITS_OF_SLICE; i++) {
		uint64_t end = end_of_unit(reader, offset);

		if (end == 0)
			break;
		offset = end;
	}
	return offset;
}

/* What libdwarf makes nothing of is passed over.  False when out of memory. */
static bool list_units(struct dwarf_reader *reader)
{
	uint64_t at = 0;
	uint64_t end;
	unsigned empty = 0;

	while (empty < EMPTY_SLICES_MAX &&
		(end = end_of_slice(reader, at)) > at) {
		struct dwarf_slice *slice = add_slice(reader, at, end - at);
		size_t before = reader->unit_count;

		/* what libdwarf does not open has no units for us */
		if (!slice || (open_library(slice) && !list_slice(slice, &at)))
			return false;
		/* of most units nobody asks more */
		close_library(slice);
		if (reader->unit_count == before) {
			reader->slice_count--;
			free(slice);
			empty++;
		}
		if (is_exhausted(reader, DWARF_ABBREV))
			break;
		if (at < end)
			at = end_of_unit(reader, at);
		if (at == 0)
			break;
	}
	return true;
}

bool dwarf_unit_load(struct dwarf_unit *unit)
{
	struct dwarf_reader *reader = unit->reader;

	if (!unit->abbreviations) {
		unit->abbreviations = dwarf_scan_table(&reader->abbreviations,
			&reader->sections[DWARF_ABBREV], unit->abbreviations_at,
			unit->encoding);
		if (reader->abbreviations.exhausted)
			dwarf_reader_note(reader, READLIMIT_SHARED_TIMES);
	}
	return unit->abbreviations != NULL;
}

struct dwarf_reader *dwarf_reader_open(
	struct elffile *file, enum dwarf_reader_kind kind, const char **why)
{
	struct dwarf_reader *reader = calloc(1, sizeof(*reader));
	const char *reason = NULL;
	bool fine = reader != NULL;
	unsigned i;

	*why = NULL;
	/* it would keep all that it allocates in a tree */
	dwarf_set_de_alloc_flag(0);
	for (i = 0; i < DWARF_SECTIONS && fine; i++)
		if (names[kind][i])
			fine = take_section(
				reader, i, file, names[kind][i], &reason);
	if (fine && (reader->sections[DWARF_INFO].bytes == 0 ||
			    reader->sections[DWARF_ABBREV].bytes == 0)) {
		dwarf_reader_close(reader);
		return NULL;
	}
	if (fine) {
		reader->kind = kind;
		reader->path = file->path ? strdup(file->path) : NULL;
		fine = list_units(reader);
		reason = "out of memory";
	}
	if (fine)
		return reader;
	*why = reason ? reason : "out of memory";
	dwarf_reader_close(reader);
	return NULL;
}

void dwarf_reader_close(struct dwarf_reader *reader)
{
	size_t i;

	if (!reader)
		return;
	for (i = 0; i < reader->slice_count; i++) {
		close_library(reader->slices[i]);
		free(reader->slices[i]);
	}
	for (i = 0; i < DWARF_SECTIONS; i++)
		if (reader->storage[i].bytes > 0)
			munmap(reader->storage[i].start,
				reader->storage[i].bytes);
		else
			free(reader->storage[i].start);
	dwarf_scan_free(&reader->abbreviations);
	dwarf_reader_close(reader->supplement);
	free(reader->path);
	free(reader->slices);
	free(reader->units);
	free(reader);
}

/* ---- walks ---- */

static bool walk_by_scan(struct dwarf_unit *unit, const uint8_t *at,
	dwarf_take_entry *take, void *closure)
{
	const struct dwarf_bytes whole = {
		unit->reader->sections[DWARF_INFO].data + unit->offset,
		unit->end - unit->offset,
	};
	struct dwarf_entry entry = {.unit = unit};
	unsigned told = UINT32_MAX; /* deeper ones are not */
	struct dwarf_scan scan;

	dwarf_scan_start(&scan, unit->abbreviations, whole, at);
	while (dwarf_scan_next(&scan)) {
		if (scan.depth > told)
			continue;
		told = UINT32_MAX;
		entry.at = scan.at;
		take_kind(&entry, scan.kind);
		switch (take(closure, &entry, scan.depth)) {
		case DWARF_GO_ON:
			break;
		case DWARF_SKIP_CHILDREN:
			told = scan.depth;
			dwarf_scan_skip_children(&scan);
			break;
		case DWARF_STOP:
			return false;
		}
	}
	return true;
}

/* Where libdwarf is on its way through a tree. */
struct way {
	struct dwarf_slice *slice;
	Dwarf_Die dies[DEPTH_MAX]; /* the present entry, and those above it */
	unsigned depth;
	uint64_t left; /* entries that the bytes of the unit may hold */
};

/* To what is below the present entry, or comes after it; false: nothing. */
static bool go_on(struct way *way, bool below)
{
	Dwarf_Die next = NULL;

	if (way->left-- == 0)
		return false;
	if (below && way->depth + 1 < DEPTH_MAX &&
		GOT(way->slice, dwarf_child, way->dies[way->depth], &next)) {
		way->dies[++way->depth] = next;
		return true;
	}
	/* nothing comes after the entry that was begun with */
	for (; way->depth > 0; way->depth--) {
		bool is;

		is = GOT(way->slice, dwarf_siblingof_b, way->slice->library,
			way->dies[way->depth], 1, &next);
		dwarf_dealloc_die(way->dies[way->depth]);
		if (is) {
			way->dies[way->depth] = next;
			return true;
		}
	}
	return false;
}

static bool walk_by_library(struct dwarf_unit *unit, const uint8_t *at,
	dwarf_take_entry *take, void *closure)
{
	struct way way = {
		.slice = unit->slice, .left = unit->end - unit->offset};
	enum dwarf_step step = DWARF_GO_ON;

	if (!open_library(unit->slice) ||
		!GOT(unit->slice, dwarf_offdie_b, unit->slice->library,
			(uint64_t)(at - place_in(unit->slice, 0)), 1,
			&way.dies[0]))
		return true;
	do {
		struct dwarf_entry entry;
		Dwarf_Off offset = 0;

		if (!GOT(unit->slice, dwarf_dieoffset, way.dies[way.depth],
			    &offset) ||
			!dwarf_entry_read(
				&entry, unit, place_in(unit->slice, offset)))
			break;
		step = take(closure, &entry, way.depth);
	} while (step != DWARF_STOP && go_on(&way, step == DWARF_GO_ON));
	while (way.depth > 0)
		dwarf_dealloc_die(way.dies[way.depth--]);
	dwarf_dealloc_die(way.dies[0]);
	return step != DWARF_STOP;
}

bool dwarf_walk(struct dwarf_unit *unit, const uint8_t *at,
	dwarf_take_entry *take, void *closure)
{
	if (!dwarf_unit_load(unit))
		return true;
	if (!at)
		at = unit->reader->sections[DWARF_INFO].data + unit->entries;
	return scans && !unit->abbreviations->unknown
		       ? walk_by_scan(unit, at, take, closure)
		       : walk_by_library(unit, at, take, closure);
}

/* ---- lines ---- */

static bool take_files(struct dwarf_slice *slice, Dwarf_Line_Context context,
	const struct dwarf_rows_take *take)
{
	Dwarf_Signed first = 0, count = 0, end = 0, i;

	if (!GOT(slice, dwarf_srclines_files_indexes, context, &first, &count,
		    &end))
		return true;
	if ((uint64_t)(end - first) >
		readlimits_times(READLIMIT_SHARED_TIMES, FILES_MAX)) {
		dwarf_reader_note(slice->reader, READLIMIT_SHARED_TIMES);
		end = first + (Dwarf_Signed)readlimits_times(
				      READLIMIT_SHARED_TIMES, FILES_MAX);
	}
	for (i = first; i < end; i++) {
		Dwarf_Unsigned directory = 0, time = 0, bytes = 0;
		const char *name = NULL, *path = NULL;
		Dwarf_Form_Data16 *md5 = NULL;

		if (!GOT(slice, dwarf_srclines_files_data_b, context, i, &name,
			    &directory, &time, &bytes, &md5))
			continue;
		if (!GOT(slice, dwarf_srclines_include_dir_data, context,
			    (Dwarf_Signed)directory, &path))
			path = NULL;
		if (!take->file(take->closure, (uint32_t)i, name, path))
			return false;
	}
	return true;
}

/*
 * Up to 2.3.1 a row that begins an epilogue is said to end a sequence as well.
 * It does if another sequence begins behind it.
 */
static bool ends_sequence(struct dwarf_slice *slice, Dwarf_Line *lines,
	Dwarf_Signed at, bool last)
{
	Dwarf_Bool ends = 0, epilogue = 0, prologue = 0, set = 0;
	Dwarf_Unsigned isa = 0, discriminator = 0;

	if (!GOT(slice, dwarf_lineendsequence, lines[at], &ends) || !ends)
		return false;
	if (!GOT(slice, dwarf_prologue_end_etc, lines[at], &prologue, &epilogue,
		    &isa, &discriminator) ||
		!epilogue || last)
		return true;
	return GOT(slice, dwarf_line_is_addr_set, lines[at + 1], &set) && set;
}

static bool read_row(
	struct dwarf_slice *slice, Dwarf_Line line, struct dwarf_row *row)
{
	Dwarf_Unsigned number = 0, file = 0, column = 0;
	Dwarf_Addr address = 0;

	if (!GOT(slice, dwarf_lineaddr, line, &address) ||
		!GOT(slice, dwarf_lineno, line, &number) ||
		!GOT(slice, dwarf_line_srcfileno, line, &file) ||
		!GOT(slice, dwarf_lineoff_b, line, &column))
		return false;
	*row = (struct dwarf_row){
		.address = address,
		.file = (uint32_t)file,
		.line = (uint32_t)number,
		.column = (uint32_t)column,
	};
	return true;
}

/* A line program, read for nothing but where it says a file. */
struct line_program {
	struct dwarf_cursor cursor;
	const uint8_t *operands; /* of the opcodes from 1 on: how many */
	unsigned opcode_base;
	bool set; /* in this sequence */
};

/* Section 6.2.4. */
static struct line_program line_program_of(struct dwarf_bytes table)
{
	struct dwarf_cursor cursor = dwarf_cursor_at(&table, 0);
	struct line_program program;
	unsigned offset_bytes;
	uint64_t header;

	dwarf_cursor_unit(&cursor, &offset_bytes);
	dwarf_cursor_skip(&cursor, 4); /* version, sizes of addresses */
	header = dwarf_cursor_fixed(&cursor, offset_bytes);
	program = (struct line_program){.cursor = cursor};
	dwarf_cursor_skip(&program.cursor, header);
	dwarf_cursor_skip(&cursor, 5);
	program.opcode_base = dwarf_cursor_byte(&cursor);
	program.operands = cursor.at;
	if (program.opcode_base > 0)
		dwarf_cursor_skip(&cursor, program.opcode_base - 1);
	if (cursor.damaged || program.opcode_base == 0)
		dwarf_cursor_fail(&program.cursor);
	return program;
}

/* Up to the next row, whatever that is: whether something has said its file. */
static bool line_program_sets_file(struct line_program *program)
{
	struct dwarf_cursor *cursor = &program->cursor;

	while (dwarf_cursor_left(cursor) > 0) {
		const unsigned opcode = dwarf_cursor_byte(cursor);
		const bool set = program->set;
		unsigned operands;
		uint64_t bytes;

		if (opcode >= program->opcode_base || opcode == DW_LNS_copy)
			return set;
		if (opcode == DW_LNS_fixed_advance_pc) {
			dwarf_cursor_skip(cursor, 2);
		} else if (opcode != 0) {
			program->set |= opcode == DW_LNS_set_file;
			operands = program->operands[opcode - 1];
			for (; operands > 0; operands--)
				dwarf_cursor_uleb(cursor);
		} else {
			bytes = dwarf_cursor_uleb(cursor);
			if (bytes > 0 && dwarf_cursor_left(cursor) > 0 &&
				*cursor->at == DW_LNE_end_sequence) {
				dwarf_cursor_skip(cursor, bytes);
				program->set = false;
				return set;
			}
			dwarf_cursor_skip(cursor, bytes);
		}
	}
	return true;
}

static bool take_rows(struct dwarf_slice *slice, Dwarf_Line_Context context,
	struct line_program *program, const struct dwarf_rows_take *take)
{
	Dwarf_Line *lines = NULL;
	Dwarf_Signed count = 0, i;

	if (!GOT(slice, dwarf_srclines_from_linecontext, context, &lines,
		    &count))
		return true;
	for (i = 0; i < count; i++) {
		struct dwarf_row row;

		if (!read_row(slice, lines[i], &row))
			return true;
		if (program && !line_program_sets_file(program))
			row.file = 1;
		row.ends = ends_sequence(slice, lines, i, i + 1 == count);
		if (!take->row(take->closure, &row))
			return false;
	}
	return true;
}

/* The line table of a unit; no bytes: there is none. */
static struct dwarf_bytes lines_of(const struct dwarf_unit *unit)
{
	const struct dwarf_bytes *section = &unit->reader->sections[DWARF_LINE];
	struct dwarf_cursor cursor = dwarf_cursor_at(section, unit->lines);
	const uint8_t *start = cursor.at;
	unsigned offset_bytes;

	if (!dwarf_cursor_unit(&cursor, &offset_bytes))
		return (struct dwarf_bytes){NULL, 0};
	return (struct dwarf_bytes){start, (size_t)(cursor.end - start)};
}

/* A table is read once; names of files are read again where they are asked for.
 */
static void forget_pages(
	const struct dwarf_reader *reader, struct dwarf_bytes table)
{
	const size_t before =
		(uintptr_t)table.data % (uintptr_t)sysconf(_SC_PAGESIZE);

	if (reader->storage[DWARF_LINE].bytes > 0)
		madvise((void *)((uintptr_t)table.data - before),
			table.bytes + before, MADV_DONTNEED);
}

bool dwarf_unit_rows(
	struct dwarf_unit *unit, const struct dwarf_rows_take *take)
{
	const struct dwarf_bytes table = lines_of(unit);
	struct dwarf_reader *reader = unit->reader;
	struct dwarf_slice *slice = unit->slice;
	Dwarf_Line_Context context = NULL;
	Dwarf_Unsigned version = 0;
	Dwarf_Small tables = 0;
	struct line_program program;
	bool fine = true;
	Dwarf_Die die;

	if (table.bytes == 0 || is_exhausted(reader, DWARF_LINE))
		return true;
	reader->spent[DWARF_LINE] += table.bytes;
	die = die_at(slice, reader->sections[DWARF_INFO].data + unit->entries);
	if (!die ||
		!GOT(slice, dwarf_srclines_b, die, &version, &tables, &context))
		return true;
	program = line_program_of(table);
	fine = take_files(slice, context, take) &&
	       (tables == 0 ||
		       take_rows(slice, context,
			       BEGINS_WITH_FILE_0 && version >= 5 ? &program
								  : NULL,
			       take));
	dwarf_srclines_dealloc_b(context);
	forget_pages(reader, table);
	return fine;
}
