#include "symbolizer/code/imports.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/*
 * What of an ELF file is loaded where nobody can write: its constant strings,
 * its code.  Called by whoever needs bytes by their address.  Promises to give
 * nothing of a section that is writable, and nothing beyond its end.
 */

bool constantdata_open(struct constantdata *data, struct elffile *file)
{
	size_t count = file->section_count + 1;

	*data = (struct constantdata){.file = file};
	data->sections = calloc(count, sizeof(*data->sections));
	data->tried = calloc(count, sizeof(*data->tried));
	if (data->sections && data->tried)
		return true;
	constantdata_close(data);
	return false;
}

void constantdata_close(struct constantdata *data)
{
	size_t i;

	for (i = 0; data->sections && i < data->file->section_count; i++)
		free(data->sections[i]);
	free(data->sections);
	free(data->tried);
	*data = (struct constantdata){0};
}

static bool is_constant(const struct elffile_section *section)
{
	const uint64_t flags = SHF_ALLOC | SHF_WRITE | SHF_TLS | SHF_COMPRESSED;

	return section->type == SHT_PROGBITS &&
	       (section->flags & flags) == SHF_ALLOC;
}

static bool is_in(const struct elffile_section *section, uint64_t address)
{
	return address >= section->address &&
	       address - section->address < section->bytes;
}

static const uint8_t *bytes_of(struct constantdata *data, size_t section)
{
	const char *why;
	size_t bytes;

	if (!data->tried[section]) {
		data->tried[section] = true;
		data->sections[section] =
			elffile_read_section(data->file, section, &bytes, &why);
	}
	return data->sections[section];
}

const uint8_t *constantdata_at(
	struct constantdata *data, uint64_t address, size_t *left)
{
	const struct elffile_section *sections = data->file->sections;
	const uint8_t *bytes;
	size_t i = data->last;

	if (i >= data->file->section_count || !is_in(&sections[i], address))
		i = elffile_section_at(data->file, address);
	if (i == ELFFILE_NONE || !is_constant(&sections[i]))
		return NULL;
	data->last = i;
	bytes = bytes_of(data, i);
	if (!bytes)
		return NULL;
	*left = sections[i].bytes - (address - sections[i].address);
	return bytes + (address - sections[i].address);
}

static size_t bounded(size_t left)
{
	return left < READLIMITS_TEXT_BYTES ? left : READLIMITS_TEXT_BYTES;
}

const uint8_t *constantdata_string(
	struct constantdata *data, uint64_t address, size_t *bytes)
{
	size_t left, within;
	const uint8_t *text = constantdata_at(data, address, &left);

	if (!text)
		return NULL;
	within = bounded(left);
	*bytes = strnlen((const char *)text, within);
	if (*bytes < within)
		return text;
	if (within < left)
		elffile_note(data->file, READLIMIT_TEXT);
	return NULL;
}

const uint8_t *constantdata_wide(
	struct constantdata *data, uint64_t address, size_t *bytes)
{
	size_t left, within;
	const uint8_t *text = constantdata_at(data, address, &left);
	uint32_t character;
	size_t at;

	if (!text)
		return NULL;
	within = bounded(left);
	for (at = 0; within - at >= sizeof(character);
		at += sizeof(character)) {
		memcpy(&character, text + at, sizeof(character));
		*bytes = at;
		if (character == 0)
			return text;
	}
	if (within < left)
		elffile_note(data->file, READLIMIT_TEXT);
	return NULL;
}

#define STUB_INSTRUCTIONS_MAX 5
/* Of functions that nothing is known of. */
#define NAME_BYTES_MAX 128

static const struct imports_function functions[] = {
#define NONE IMPORTS_NONE
#define PRINTER(name, what, ends, text, size, count)                           \
	{#name, IMPORTS_##what, ends, text, size, count},
#include "symbolizer/code/printers.def"
#undef PRINTER
#undef NONE
};

/* A relocation section with what it refers to. */
struct table {
	Elf64_Rela *entries;
	size_t count;
	Elf64_Sym *symbols;
	size_t symbol_count;
	char *names;
	size_t names_bytes;
};

static const struct imports_function *function_named(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (strcmp(functions[i].name, name) == 0)
			return &functions[i];
	return NULL;
}

/* Of a function that nothing is known of; null: none, or out of memory. */
static char *copy_name(const struct table *table, const Elf64_Sym *sym)
{
	const char *name = table->names + sym->st_name;
	const size_t left = table->names_bytes - sym->st_name;
	const size_t bytes = strnlen(name, NAME_BYTES_MAX + 1);
	const unsigned type = ELF64_ST_TYPE(sym->st_info);

	if (bytes == 0 || bytes > NAME_BYTES_MAX || bytes >= left ||
		(type != STT_FUNC && type != STT_NOTYPE))
		return NULL;
	return strdup(name);
}

/* What the symbol stands for; false: nothing that matters. */
static bool read_symbol(
	const struct table *table, size_t symbol, struct imports_slot *slot)
{
	const Elf64_Sym *sym;

	if (symbol >= table->symbol_count)
		return false;
	sym = &table->symbols[symbol];
	if (sym->st_shndx == SHN_UNDEF && sym->st_name < table->names_bytes) {
		slot->function = function_named(table->names + sym->st_name);
		if (!slot->function)
			slot->name = copy_name(table, sym);
	} else if (ELF64_ST_TYPE(sym->st_info) == STT_FUNC) {
		slot->value = sym->st_value;
	}
	return slot->function || slot->value || slot->name;
}

/* Whether nobody writes to it once the loader is done. */
static bool stays(const struct constantdata *data, uint64_t address)
{
	size_t section = elffile_section_at(data->file, address);
	const char *name;

	if (section == ELFFILE_NONE)
		return false;
	name = data->file->sections[section].name;
	return strncmp(name, ".data.rel.ro", 12) == 0 ||
	       strcmp(name, ".got") == 0;
}

static bool add(struct imports *imports, const struct imports_slot *slot)
{
	if (!array_reserve(imports->slots, imports->room, imports->count + 1))
		return false;
	imports->slots[imports->count++] = *slot;
	return true;
}

static bool add_entry(struct imports *imports, const struct table *table,
	const Elf64_Rela *entry)
{
	struct imports_slot slot = {.address = entry->r_offset};

	switch (ELF64_R_TYPE(entry->r_info)) {
	case R_X86_64_JUMP_SLOT:
	case R_X86_64_GLOB_DAT:
	case R_X86_64_64:
	case R_AARCH64_JUMP_SLOT:
	case R_AARCH64_GLOB_DAT:
	case R_AARCH64_ABS64:
		if (!read_symbol(table, ELF64_R_SYM(entry->r_info), &slot))
			return true;
		imports->print |=
			slot.function && imports_prints(slot.function);
		if (add(imports, &slot))
			return true;
		free(slot.name);
		return false;
	case R_X86_64_RELATIVE:
	case R_AARCH64_RELATIVE:
		slot.value = (uint64_t)entry->r_addend;
		return !stays(imports->data, slot.address) ||
		       add(imports, &slot);
	default:
		return true;
	}
}

static void *read_linked(struct elffile *file, size_t section, size_t *bytes)
{
	const char *why;

	*bytes = 0;
	if (section >= file->section_count)
		return NULL;
	return elffile_read_section(file, section, bytes, &why);
}

static void read_table(
	struct table *table, struct elffile *file, size_t section)
{
	size_t symbols = file->sections[section].link;
	size_t bytes;

	*table = (struct table){0};
	table->entries = read_linked(file, section, &bytes);
	table->count = table->entries ? bytes / sizeof(*table->entries) : 0;
	table->symbols = read_linked(file, symbols, &bytes);
	table->symbol_count =
		table->symbols ? bytes / sizeof(*table->symbols) : 0;
	if (table->symbols)
		table->names = read_linked(file, file->sections[symbols].link,
			&table->names_bytes);
}

static void free_table(struct table *table)
{
	free(table->entries);
	free(table->symbols);
	free(table->names);
}

static bool take_table(struct imports *imports, size_t section)
{
	struct table table;
	bool good = true;
	size_t i;

	read_table(&table, imports->data->file, section);
	for (i = 0; good && i < table.count; i++)
		good = add_entry(imports, &table, &table.entries[i]);
	free_table(&table);
	return good;
}

static int compare(const void *left, const void *right)
{
	const struct imports_slot *a = left;
	const struct imports_slot *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

bool imports_load(struct imports *imports, struct constantdata *data,
	instruction_decode *decode)
{
	const struct elffile *file = data->file;
	size_t i;

	*imports = (struct imports){.data = data, .decode = decode};
	for (i = 0; i < file->section_count; i++)
		if (file->sections[i].type == SHT_RELA &&
			file->sections[i].flags & SHF_ALLOC &&
			!take_table(imports, i))
			return false;
	if (imports->count > 0)
		qsort(imports->slots, imports->count, sizeof(*imports->slots),
			compare);
	return true;
}

void imports_free(struct imports *imports)
{
	while (imports->count > 0)
		free(imports->slots[--imports->count].name);
	free(imports->slots);
	*imports = (struct imports){0};
}

const struct imports_slot *imports_slot_at(
	const struct imports *imports, uint64_t address)
{
	const struct imports_slot wanted = {.address = address};

	if (imports->count == 0)
		return NULL;
	return bsearch(&wanted, imports->slots, imports->count,
		sizeof(*imports->slots), compare);
}

/*
 * A stub is `jmp *slot`, or `adrp x16; ldr x17, [x16, #n]; add x16, x16, #n;
 * br x17`, perhaps with a mark for indirect jumps before it.  Returns the slot
 * that the code at `address` jumps through, or 0.
 */
static uint64_t slot_of_stub(const struct imports *imports, uint64_t address)
{
	struct instruction in = {0};
	uint64_t constant = 0;
	uint64_t slot = 0;
	size_t left;
	const uint8_t *code = constantdata_at(imports->data, address, &left);
	int i;

	for (i = 0; code && i < STUB_INSTRUCTIONS_MAX; i++) {
		if (!imports->decode(&in, code, left, address))
			return 0;
		if (in.kind == INSTRUCTION_JUMP_LOADED)
			return in.from == INSTRUCTION_NO_REGISTER ? in.value
								  : 0;
		if (in.kind == INSTRUCTION_JUMP_REGISTER)
			return slot;
		if (in.kind == INSTRUCTION_CONSTANT)
			constant = in.value;
		else if (in.kind == INSTRUCTION_LOAD && constant)
			slot = constant + in.value;
		else if (in.written != 0 && in.kind != INSTRUCTION_ADD)
			return 0;
		code += in.bytes;
		left -= in.bytes;
		address += in.bytes;
	}
	return 0;
}

const struct imports_slot *imports_slot_of(
	const struct imports *imports, const struct instruction *instruction)
{
	uint64_t address = 0;

	switch (instruction->kind) {
	case INSTRUCTION_CALL:
	case INSTRUCTION_JUMP:
	case INSTRUCTION_BRANCH:
		address = slot_of_stub(imports, instruction->value);
		break;
	case INSTRUCTION_CALL_LOADED:
	case INSTRUCTION_JUMP_LOADED:
		if (instruction->from == INSTRUCTION_NO_REGISTER)
			address = instruction->value;
		break;
	default:
		break;
	}
	return address ? imports_slot_at(imports, address) : NULL;
}

const struct imports_function *imports_called(
	const struct imports *imports, const struct instruction *instruction)
{
	const struct imports_slot *slot = imports_slot_of(imports, instruction);

	return slot ? slot->function : NULL;
}

uint64_t imports_target(
	const struct imports *imports, const struct instruction *instruction)
{
	const struct imports_slot *slot = imports_slot_of(imports, instruction);

	if (slot)
		return slot->value;
	switch (instruction->kind) {
	case INSTRUCTION_CALL:
	case INSTRUCTION_JUMP:
	case INSTRUCTION_BRANCH:
		return instruction->value;
	default:
		return 0;
	}
}
