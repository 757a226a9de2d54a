#include "symbolizer/elf/symtab.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "symbolizer/elf/minidebuginfo.h"
#include "symbolizer/elf/pltnames.h"

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
	struct symtab_symbol *symbols = array_grow(symtab->symbols,
		&symtab->room, symtab->count, sizeof(*symbols));

	if (!symbols)
		return false;
	symtab->symbols = symbols;
	symbols[symtab->count++] = *symbol;
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
		elffile_meet(file, READLIMIT_LOOKUPS);
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
