#include "symbolizer/elf/symtab.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "symbolizer/elf/elffile.h"

/*
 * MiniDebugInfo: the names of functions that are not exported, in a small ELF
 * file of its own, compressed with xz, in the section .gnu_debugdata of a
 * stripped one.  Called by symtab for files without .symtab.  Promises that
 * both tables lie within the data.
 */

/* The headers of the sections, in the data or null; any alignment. */
static const char *section_heads(const char *data, size_t bytes, size_t *count)
{
	Elf64_Ehdr head;

	if (bytes < sizeof(head))
		return NULL;
	memcpy(&head, data, sizeof(head));
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
		head.e_ident[EI_CLASS] != ELFCLASS64 ||
		head.e_ident[EI_DATA] != ELFDATA2LSB ||
		head.e_shentsize != sizeof(Elf64_Shdr) ||
		head.e_shoff > bytes ||
		(bytes - head.e_shoff) / sizeof(Elf64_Shdr) < head.e_shnum)
		return NULL;
	*count = head.e_shnum;
	return data + head.e_shoff;
}

static bool read_head(
	Elf64_Shdr *head, const char *heads, size_t index, size_t file_bytes)
{
	memcpy(head, heads + index * sizeof(*head), sizeof(*head));
	return head->sh_type != SHT_NOBITS && head->sh_offset <= file_bytes &&
	       file_bytes - head->sh_offset >= head->sh_size;
}

static bool find_tables(struct minidebuginfo *mini, size_t bytes)
{
	size_t count = 0;
	const char *heads = section_heads(mini->data, bytes, &count);
	Elf64_Shdr symbols;
	Elf64_Shdr names;
	size_t i;

	for (i = 0; i < count; i++) {
		if (!read_head(&symbols, heads, i, bytes) ||
			symbols.sh_type != SHT_SYMTAB)
			continue;
		if (symbols.sh_link >= count ||
			!read_head(&names, heads, symbols.sh_link, bytes) ||
			names.sh_size == 0)
			return false;
		mini->data[names.sh_offset + names.sh_size - 1] = '\0';
		mini->symbols = mini->data + symbols.sh_offset;
		mini->symbol_bytes = symbols.sh_size;
		mini->names = mini->data + names.sh_offset;
		mini->name_bytes = names.sh_size;
		return true;
	}
	return false;
}

static char *unpack(struct elffile *file, const char *packed,
	size_t packed_bytes, size_t *bytes)
{
	const uint64_t limit = readlimits_of(READLIMIT_MINIDEBUGINFO);
	const bool budgeted = file->unpack_budget < limit;
	enum readlimit met = READLIMIT_ROWS;
	char *data = unpack_xz(packed, packed_bytes,
		budgeted ? file->unpack_budget : limit, bytes, &met);

	if (met == READLIMIT_MINIDEBUGINFO && budgeted)
		met = file->unpack_limit;
	if (met != READLIMIT_ROWS)
		elffile_note(file, met);
	return data;
}

bool minidebuginfo_read(struct minidebuginfo *mini, struct elffile *file)
{
	size_t section = elffile_section_named(file, ".gnu_debugdata");
	const char *why;
	size_t bytes;
	char *packed;

	memset(mini, 0, sizeof(*mini));
	if (section == ELFFILE_NONE)
		return false;
	packed = elffile_read_section(file, section, &bytes, &why);
	if (!packed)
		return false;
	mini->data = unpack(file, packed, bytes, &bytes);
	free(packed);
	if (mini->data && find_tables(mini, bytes))
		return true;
	free(mini->data);
	mini->data = NULL;
	return false;
}

/*
 * The stubs through which a file calls functions of others: no symbol names
 * them, so their names come from the slot that each one jumps through and the
 * relocation of that slot.  Called by symtab.  Knows x86-64 and aarch64, and
 * promises the names that objdump gives, such as `printf@plt`.
 */

struct pltnames_stub {
	uint64_t address;
	uint64_t bytes;
	uint32_t section;
	uint32_t name; /* offset in `text` */
};

/* All zeros is empty. */
struct pltnames {
	struct pltnames_stub *stubs;
	size_t count;
	size_t room;
	char *text; /* the names, each with its NUL */
	size_t text_bytes;
	size_t text_room;
};

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

struct pltnames_scan {
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

static bool take_relocations(
	struct pltnames_scan *scan, const char *data, size_t bytes)
{
	Elf64_Rela rela;

	for (; bytes >= sizeof(rela); bytes -= sizeof(rela)) {

		memcpy(&rela, data, sizeof(rela));
		data += sizeof(rela);
		if (!fills_slot(rela.r_info))
			continue;
		if (!array_reserve(
			    scan->slots, scan->slot_room, scan->slot_count + 1))
			return false;
		scan->slots[scan->slot_count++] = (struct slot){
			.address = rela.r_offset,
			.symbol = ELF64_R_SYM(rela.r_info),
		};
	}
	return true;
}

static int pltnames_compare(const void *left, const void *right)
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

static bool read_slots(struct pltnames_scan *scan, size_t dynsym)
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
			pltnames_compare);
	return fine;
}

static bool pltnames_read_symbols(struct pltnames_scan *scan, size_t dynsym)
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
static const char *name_of_slot(
	const struct pltnames_scan *scan, uint64_t address)
{
	const struct slot key = {.address = address};
	const struct slot *slot;
	Elf64_Sym symbol;

	if (scan->slot_count == 0)
		return NULL;
	slot = bsearch(&key, scan->slots, scan->slot_count, sizeof(key),
		pltnames_compare);
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

	if (!array_reserve(
		    names->text, names->text_room, names->text_bytes + wanted))
		return false;
	memcpy(names->text + names->text_bytes, name, length);
	memcpy(names->text + names->text_bytes + length, SUFFIX,
		sizeof(SUFFIX));
	names->text_bytes += wanted;
	return true;
}

static bool add_stub(struct pltnames_scan *scan, size_t section,
	uint64_t address, uint64_t bytes, uint64_t slot)
{
	struct pltnames *names = scan->names;
	const char *name = name_of_slot(scan, slot);
	size_t text = names->text_bytes;

	if (!name || text > UINT32_MAX ||
		text > FREE_BYTES + scan->string_bytes * STUBS_PER_NAME)
		return true;
	if (!array_reserve(names->stubs, names->room, names->count + 1))
		return false;
	if (!add_text(names, name))
		return false;
	names->stubs[names->count++] = (struct pltnames_stub){
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

static bool scan_x86_64(struct pltnames_scan *scan, size_t section,
	const uint8_t *code, size_t bytes)
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

static bool scan_aarch64(struct pltnames_scan *scan, size_t section,
	const uint8_t *code, size_t bytes)
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

static bool scan_section(struct pltnames_scan *scan, size_t section)
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

static bool scan_sections(struct pltnames_scan *scan)
{
	size_t i;

	for (i = 0; i < scan->file->section_count; i++)
		if (is_plt(&scan->file->sections[i]) && !scan_section(scan, i))
			return false;
	return true;
}

/* Adds the stubs of `file`.  False when out of memory. */
static bool pltnames_read(struct pltnames *names, struct elffile *file)
{
	struct pltnames_scan scan = {.names = names, .file = file};
	bool fine = true;
	size_t dynsym;

	for (dynsym = 0; dynsym < file->section_count; dynsym++)
		if (file->sections[dynsym].type == SHT_DYNSYM)
			break;
	if (dynsym < file->section_count &&
		pltnames_read_symbols(&scan, dynsym))
		fine = read_slots(&scan, dynsym) && scan_sections(&scan);
	free(scan.slots);
	free(scan.symbols);
	free(scan.strings);
	return fine;
}

static void pltnames_free(struct pltnames *names)
{
	free(names->stubs);
	free(names->text);
	memset(names, 0, sizeof(*names));
}

enum text { TEXT_TABLE, TEXT_MINIDEBUGINFO, TEXT_STUBS };

/* A table of symbols that is read, and what is known of it so far. */
struct scan {
	struct symtab *symtab;
	const struct elffile *elf;
	const char *symbols; /* of Elf64_Sym, at any alignment */
	size_t bytes;
	const char *names; /* ends in NUL */
	size_t name_bytes;
	bool foreign;	  /* numbers of sections are those of another file */
	const char *file; /* of the last STT_FILE, null: none yet */
	bool symbol_seen;
	bool file_after_symbol;
};

static const char *name_at(const struct scan *scan, uint32_t offset)
{
	return offset < scan->name_bytes ? scan->names + offset : "";
}

/* Of code or data. */
static bool is_named_place(const Elf64_Sym *sym, bool code)
{
	switch (ELF64_ST_TYPE(sym->st_info)) {
	case STT_SECTION:
	case STT_FILE:
	case STT_TLS:
		return false;
	case STT_OBJECT:
	case STT_COMMON:
		return !code;
	case STT_NOTYPE:
		/* marks that annotating compilers leave in the code */
		return !(sym->st_size == 0 &&
			 ELF64_ST_BIND(sym->st_info) == STB_LOCAL &&
			 ELF64_ST_VISIBILITY(sym->st_other) == STV_HIDDEN);
	default:
		return true;
	}
}

/* ELFFILE_NONE: it is not defined in the file. */
static size_t section_of(const struct scan *scan, const Elf64_Sym *sym)
{
	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx >= SHN_LORESERVE)
		return ELFFILE_NONE;
	if (scan->foreign)
		return elffile_section_at(scan->elf, sym->st_value);
	return sym->st_shndx < scan->elf->section_count ? sym->st_shndx
							: ELFFILE_NONE;
}

/* aarch64 marks where code ($x) and data ($d) begin. */
static bool is_mapping(const char *name)
{
	return name[0] == '$' && (name[1] == 'x' || name[1] == 'd') &&
	       (name[2] == '\0' || name[2] == '.');
}

/*
 * A local symbol belongs to the source file named before it.  For a global
 * one that is sure only where the table names just one file.
 */
static const char *file_of(const struct scan *scan, const Elf64_Sym *sym)
{
	if (!scan->file || !*scan->file)
		return NULL;
	if (ELF64_ST_BIND(sym->st_info) == STB_LOCAL ||
		!scan->file_after_symbol)
		return scan->file;
	return NULL;
}

static bool append(struct symtab *symtab, const struct symtab_symbol *symbol)
{
	if (!array_reserve(symtab->symbols, symtab->room, symtab->count + 1))
		return false;
	symtab->symbols[symtab->count++] = *symbol;
	return true;
}

static bool add(struct scan *scan, const Elf64_Sym *sym, uint32_t order)
{
	const char *name = name_at(scan, sym->st_name);
	size_t section;
	bool code;

	if (ELF64_ST_TYPE(sym->st_info) == STT_FILE) {
		scan->file = name;
		scan->file_after_symbol |= scan->symbol_seen;
		return true;
	}
	scan->symbol_seen = true;
	section = section_of(scan, sym);
	if (section == ELFFILE_NONE || !*name || is_mapping(name))
		return true;
	code = scan->elf->sections[section].flags & SHF_EXECINSTR;
	if (!is_named_place(sym, code))
		return true;
	return append(scan->symtab, &(struct symtab_symbol){
					    .address = sym->st_value,
					    .bytes = sym->st_size,
					    .name = name,
					    .file = file_of(scan, sym),
					    .section = (uint32_t)section,
					    .order = order,
					    .type = ELF64_ST_TYPE(sym->st_info),
					    .bounded = !code,
				    });
}

static int compare(const void *left, const void *right)
{
	const struct symtab_symbol *a = left;
	const struct symtab_symbol *b = right;

	if (a->section != b->section)
		return a->section < b->section ? -1 : 1;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static void sort(struct symtab *symtab)
{
	if (symtab->count > 0)
		qsort(symtab->symbols, symtab->count, sizeof(*symtab->symbols),
			compare);
}

/* False when out of memory. */
static bool read_symbols(struct scan *scan)
{
	size_t count = scan->bytes / sizeof(Elf64_Sym);
	Elf64_Sym sym;
	size_t i;

	for (i = 1; i < count; i++) {
		memcpy(&sym, scan->symbols + i * sizeof(sym), sizeof(sym));
		if (!add(scan, &sym, (uint32_t)i))
			return false;
	}
	return true;
}

static bool read_table(
	struct symtab *symtab, struct elffile *file, uint32_t type)
{
	struct scan scan = {.symtab = symtab, .elf = file};
	bool fine = true;
	const char *why;
	size_t table;
	char *symbols;
	char *names;

	for (table = 0; table < file->section_count; table++)
		if (file->sections[table].type == type)
			break;
	if (table == file->section_count ||
		file->sections[table].link >= file->section_count)
		return true;
	names = elffile_read_section(
		file, file->sections[table].link, &scan.name_bytes, &why);
	symbols = elffile_read_section(file, table, &scan.bytes, &why);
	if (names && symbols) {
		scan.names = names;
		scan.symbols = symbols;
		fine = read_symbols(&scan);
	}
	free(symbols);
	symtab->texts[TEXT_TABLE] = names;
	return fine;
}

static bool read_minidebuginfo(struct symtab *symtab, struct elffile *file)
{
	struct minidebuginfo mini;
	struct scan scan;

	if (!minidebuginfo_read(&mini, file))
		return true;
	scan = (struct scan){
		.symtab = symtab,
		.elf = file,
		.symbols = mini.symbols,
		.bytes = mini.symbol_bytes,
		.names = mini.names,
		.name_bytes = mini.name_bytes,
		.foreign = true,
	};
	symtab->texts[TEXT_MINIDEBUGINFO] = mini.data;
	if (mini.symbol_bytes / sizeof(Elf64_Sym) * file->section_count >
		readlimits_of(READLIMIT_LOOKUPS)) {
		elffile_note(file, READLIMIT_LOOKUPS);
		return true;
	}
	return read_symbols(&scan);
}

static bool read_stubs(struct symtab *symtab, struct elffile *file)
{
	struct pltnames names = {0};
	bool fine = pltnames_read(&names, file);
	size_t i;

	for (i = 0; fine && i < names.count; i++)
		fine = append(symtab,
			&(struct symtab_symbol){
				.address = names.stubs[i].address,
				.bytes = names.stubs[i].bytes,
				.name = names.text + names.stubs[i].name,
				.section = names.stubs[i].section,
				.type = STT_FUNC,
				.bounded = true,
				.stub = true,
			});
	symtab->texts[TEXT_STUBS] = names.text;
	names.text = NULL;
	pltnames_free(&names);
	return fine;
}

bool symtab_load(struct symtab *symtab, struct elffile *file,
	enum symtab_sources sources)
{
	bool fine;

	memset(symtab, 0, sizeof(*symtab));
	fine = read_table(symtab, file, SHT_SYMTAB);
	if (fine && symtab->count == 0) {
		free(symtab->texts[TEXT_TABLE]);
		symtab->texts[TEXT_TABLE] = NULL;
		symtab->dynamic = true;
		fine = read_table(symtab, file, SHT_DYNSYM);
		if (sources == SYMTAB_ALL)
			fine = fine && read_minidebuginfo(symtab, file);
	}
	if (sources == SYMTAB_ALL)
		fine = fine && read_stubs(symtab, file);
	sort(symtab);
	return fine;
}

bool symtab_take_stubs(struct symtab *symtab, struct symtab *from)
{
	size_t i;

	if (symtab->texts[TEXT_STUBS])
		return true;
	for (i = 0; i < from->count; i++)
		if (from->symbols[i].stub && !append(symtab, &from->symbols[i]))
			return false;
	symtab->texts[TEXT_STUBS] = from->texts[TEXT_STUBS];
	from->texts[TEXT_STUBS] = NULL;
	sort(symtab);
	return true;
}

void symtab_free(struct symtab *symtab)
{
	size_t i;

	for (i = 0; i < SYMTAB_TEXTS; i++)
		free(symtab->texts[i]);
	free(symtab->symbols);
	memset(symtab, 0, sizeof(*symtab));
}

static bool reaches(const struct symtab_symbol *symbol, uint64_t address)
{
	return address - symbol->address < (symbol->bytes ? symbol->bytes : 1);
}

/* Of two symbols with one address, in the order of the table. */
static bool fits_better(const struct symtab_symbol *next,
	const struct symtab_symbol *best, uint64_t address)
{
	bool next_function = next->type == STT_FUNC;
	bool best_function = best->type == STT_FUNC;

	if (!reaches(best, address))
		return next->bytes > best->bytes;
	if (!reaches(next, address))
		return false;
	if (next_function != best_function)
		return next_function;
	if ((next->type == STT_NOTYPE) != (best->type == STT_NOTYPE))
		return best->type == STT_NOTYPE;
	return next->bytes < best->bytes;
}

/* The number of symbols that do not lie after (section, address). */
static size_t count_before(
	const struct symtab *symtab, size_t section, uint64_t address)
{
	size_t low = 0;
	size_t high = symtab->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct symtab_symbol *s = &symtab->symbols[middle];

		if (s->section < section ||
			(s->section == section && s->address <= address))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct symtab_symbol *symtab_find(
	const struct symtab *symtab, size_t section, uint64_t address)
{
	size_t end = count_before(symtab, section, address);
	const struct symtab_symbol *best;
	size_t i = end;

	if (end == 0 || symtab->symbols[end - 1].section != section)
		return NULL;
	while (i > 0 && symtab->symbols[i - 1].section == section &&
		symtab->symbols[i - 1].address ==
			symtab->symbols[end - 1].address)
		i--;
	best = &symtab->symbols[i];
	for (; i < end; i++)
		if (fits_better(&symtab->symbols[i], best, address))
			best = &symtab->symbols[i];
	if ((symtab->dynamic || best->bounded) && !reaches(best, address))
		return NULL;
	return best;
}

bool symtab_address_of(
	const struct symtab *symtab, const char *name, uint64_t *address)
{
	size_t i;

	for (i = 0; i < symtab->count; i++)
		if (symtab->symbols[i].address &&
			strcmp(symtab->symbols[i].name, name) == 0) {
			*address = symtab->symbols[i].address;
			return true;
		}
	return false;
}
