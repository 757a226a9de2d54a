#include "symbolizer/elf/pltnames.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define SUFFIX "@plt"
#define STUB_BYTES ((size_t)16)
/* How many stubs a name may be of, if all names are, and what is free. */
#define STUBS_PER_NAME 4
#define FREE_BYTES ((size_t)1 << 20)

/* A slot that the loader fills with the address of a function. */
struct slot {
	uint64_t address;
	uint32_t symbol;
};

struct scan {
	struct pltnames *names;
	struct elffile *file;
	struct slot *slots; /* by address */
	size_t slot_count;
	size_t slot_room;
	char *symbols; /* .dynsym */
	size_t symbol_bytes;
	char *strings; /* .dynstr, and a NUL behind it */
	size_t string_bytes;
};

static bool fills_slot(uint64_t info)
{
	switch (ELF64_R_TYPE(info)) {
	case R_X86_64_JUMP_SLOT:
	case R_X86_64_GLOB_DAT:
	case R_AARCH64_JUMP_SLOT:
	case R_AARCH64_GLOB_DAT:
		return true;
	default:
		return false;
	}
}

static bool take_relocations(struct scan *scan, const char *data, size_t bytes)
{
	Elf64_Rela rela;

	for (; bytes >= sizeof(rela); bytes -= sizeof(rela)) {
		struct slot *slots;

		memcpy(&rela, data, sizeof(rela));
		data += sizeof(rela);
		if (!fills_slot(rela.r_info))
			continue;
		slots = array_grow(scan->slots, &scan->slot_room,
			scan->slot_count, sizeof(*slots));
		if (!slots)
			return false;
		scan->slots = slots;
		slots[scan->slot_count++] = (struct slot){
			.address = rela.r_offset,
			.symbol = ELF64_R_SYM(rela.r_info),
		};
	}
	return true;
}

static int compare(const void *left, const void *right)
{
	const struct slot *a = left;
	const struct slot *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

/*
 * Slots of the usual stubs have relocations of their own; only those of
 * .plt.got are among all the others, of which there may be very many.
 */
static bool may_fill_slots(
	const struct elffile_section *section, size_t dynsym, bool all)
{
	return section->type == SHT_RELA && section->link == dynsym &&
	       section->flags & SHF_ALLOC &&
	       (all || strcmp(section->name, ".rela.plt") == 0);
}

static bool read_slots(struct scan *scan, size_t dynsym)
{
	bool all =
		elffile_section_named(scan->file, ".plt.got") != ELFFILE_NONE;
	bool fine = true;
	size_t i;

	for (i = 0; fine && i < scan->file->section_count; i++) {
		const char *why;
		size_t bytes;
		char *data;

		if (!may_fill_slots(&scan->file->sections[i], dynsym, all))
			continue;
		data = elffile_read_section(scan->file, i, &bytes, &why);
		fine = !data || take_relocations(scan, data, bytes);
		free(data);
	}
	if (scan->slot_count > 0)
		qsort(scan->slots, scan->slot_count, sizeof(*scan->slots),
			compare);
	return fine;
}

static bool read_symbols(struct scan *scan, size_t dynsym)
{
	size_t strings = scan->file->sections[dynsym].link;
	const char *why;

	if (strings >= scan->file->section_count)
		return false;
	scan->symbols = elffile_read_section(
		scan->file, dynsym, &scan->symbol_bytes, &why);
	scan->strings = elffile_read_section(
		scan->file, strings, &scan->string_bytes, &why);
	return scan->symbols && scan->strings;
}

/* Of the function that the slot at `address` leads to; null: unknown. */
static const char *name_of_slot(const struct scan *scan, uint64_t address)
{
	const struct slot key = {.address = address};
	const struct slot *slot;
	Elf64_Sym symbol;

	if (scan->slot_count == 0)
		return NULL;
	slot = bsearch(
		&key, scan->slots, scan->slot_count, sizeof(key), compare);
	if (!slot || slot->symbol >= scan->symbol_bytes / sizeof(symbol))
		return NULL;
	memcpy(&symbol, scan->symbols + slot->symbol * sizeof(symbol),
		sizeof(symbol));
	if (symbol.st_name >= scan->string_bytes ||
		!scan->strings[symbol.st_name])
		return NULL;
	return scan->strings + symbol.st_name;
}

static bool add_text(struct pltnames *names, const char *name)
{
	size_t length = strlen(name);
	size_t wanted = length + sizeof(SUFFIX);

	while (names->text_room - names->text_bytes < wanted) {
		char *text = array_grow(
			names->text, &names->text_room, names->text_room, 1);

		if (!text)
			return false;
		names->text = text;
	}
	memcpy(names->text + names->text_bytes, name, length);
	memcpy(names->text + names->text_bytes + length, SUFFIX,
		sizeof(SUFFIX));
	names->text_bytes += wanted;
	return true;
}

static bool add_stub(struct scan *scan, size_t section, uint64_t address,
	uint64_t bytes, uint64_t slot)
{
	struct pltnames *names = scan->names;
	const char *name = name_of_slot(scan, slot);
	size_t text = names->text_bytes;
	struct pltnames_stub *stubs;

	if (!name || text > UINT32_MAX ||
		text > FREE_BYTES + scan->string_bytes * STUBS_PER_NAME)
		return true;
	stubs = array_grow(
		names->stubs, &names->room, names->count, sizeof(*stubs));
	if (!stubs)
		return false;
	names->stubs = stubs;
	if (!add_text(names, name))
		return false;
	stubs[names->count++] = (struct pltnames_stub){
		.address = address,
		.bytes = bytes,
		.section = (uint32_t)section,
		.name = (uint32_t)text,
	};
	return true;
}

/* [endbr64] [bnd] jmp *slot(%rip): true when the code begins like this. */
static bool jumps_x86_64(
	const uint8_t *code, size_t bytes, uint64_t address, uint64_t *slot)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	size_t at = 0;
	int32_t distance;

	if (bytes > sizeof(endbr64) &&
		memcmp(code, endbr64, sizeof(endbr64)) == 0)
		at = sizeof(endbr64);
	if (at < bytes && code[at] == 0xf2)
		at++;
	if (bytes - at < 6 || code[at] != 0xff || code[at + 1] != 0x25)
		return false;
	memcpy(&distance, code + at + 2, sizeof(distance));
	*slot = address + at + 6 + (uint64_t)(int64_t)distance;
	return true;
}

static bool scan_x86_64(
	struct scan *scan, size_t section, const uint8_t *code, size_t bytes)
{
	const struct elffile_section *s = &scan->file->sections[section];
	size_t step = s->entry_bytes == 8 ? 8 : STUB_BYTES;
	size_t at;

	for (at = 0; at < bytes; at += step) {
		size_t left = bytes - at;
		uint64_t slot;

		if (jumps_x86_64(code + at, left, s->address + at, &slot) &&
			!add_stub(scan, section, s->address + at,
				left < step ? left : step, slot))
			return false;
	}
	return true;
}

/* adrp x16, page; ldr x17, [x16, offset] */
static bool jumps_aarch64(const uint8_t *code, uint64_t address, uint64_t *slot)
{
	uint32_t adrp, ldr;
	uint64_t pages;

	memcpy(&adrp, code, sizeof(adrp));
	memcpy(&ldr, code + 4, sizeof(ldr));
	if ((adrp & 0x9f00001f) != 0x90000010 ||
		(ldr & 0xffc003ff) != 0xf9400211)
		return false;
	pages = (adrp >> 29 & 3) | (adrp >> 5 & 0x7ffff) << 2;
	if (pages & (uint64_t)1 << 20)
		pages |= ~(((uint64_t)1 << 21) - 1);
	*slot = (address & ~(uint64_t)0xfff) + (pages << 12) +
		((uint64_t)ldr >> 10 & 0xfff) * 8;
	return true;
}

static bool scan_aarch64(
	struct scan *scan, size_t section, const uint8_t *code, size_t bytes)
{
	static const uint8_t bti_c[] = {0x5f, 0x24, 0x03, 0xd5};
	uint64_t address = scan->file->sections[section].address;
	size_t at;

	/* the first stub is for the loader, and twice as long */
	for (at = 2 * STUB_BYTES; bytes >= 8 && at <= bytes - 8; at += 4) {
		size_t start = at;
		uint64_t slot;

		if (!jumps_aarch64(code + at, address + at, &slot))
			continue;
		if (memcmp(code + at - 4, bti_c, sizeof(bti_c)) == 0)
			start -= 4;
		if (!add_stub(scan, section, address + start,
			    at - start + STUB_BYTES, slot))
			return false;
	}
	return true;
}

static bool scan_section(struct scan *scan, size_t section)
{
	const char *why;
	size_t bytes;
	uint8_t *code = elffile_read_section(scan->file, section, &bytes, &why);
	bool fine = !code || (scan_x86_64(scan, section, code, bytes) &&
				     scan_aarch64(scan, section, code, bytes));

	free(code);
	return fine;
}

static bool is_plt(const struct elffile_section *section)
{
	return section->type == SHT_PROGBITS &&
	       section->flags & SHF_EXECINSTR &&
	       (strcmp(section->name, ".plt") == 0 ||
		       strcmp(section->name, ".plt.sec") == 0 ||
		       strcmp(section->name, ".plt.got") == 0);
}

static bool scan_sections(struct scan *scan)
{
	size_t i;

	for (i = 0; i < scan->file->section_count; i++)
		if (is_plt(&scan->file->sections[i]) && !scan_section(scan, i))
			return false;
	return true;
}

bool pltnames_read(struct pltnames *names, struct elffile *file)
{
	struct scan scan = {.names = names, .file = file};
	bool fine = true;
	size_t dynsym;

	for (dynsym = 0; dynsym < file->section_count; dynsym++)
		if (file->sections[dynsym].type == SHT_DYNSYM)
			break;
	if (dynsym < file->section_count && read_symbols(&scan, dynsym))
		fine = read_slots(&scan, dynsym) && scan_sections(&scan);
	free(scan.slots);
	free(scan.symbols);
	free(scan.strings);
	return fine;
}

void pltnames_free(struct pltnames *names)
{
	free(names->stubs);
	free(names->text);
	memset(names, 0, sizeof(*names));
}
