#include "symbolizer/symtab.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/array.h"

/* What of the table is known when the next symbol is looked at. */
struct scan {
	const char *file; /* of the last STT_FILE, null: none yet */
	bool symbol_seen;
	bool file_after_symbol;
};

static const char *name_at(const struct symtab *symtab, uint32_t offset)
{
	return offset < symtab->names_bytes ? symtab->names + offset : "";
}

static bool may_be_function(const Elf64_Sym *sym)
{
	switch (ELF64_ST_TYPE(sym->st_info)) {
	case STT_SECTION:
	case STT_FILE:
	case STT_OBJECT:
	case STT_COMMON:
	case STT_TLS:
		return false;
	case STT_NOTYPE:
		/* marks that annotating compilers leave in the code */
		if (sym->st_size == 0 &&
			ELF64_ST_BIND(sym->st_info) == STB_LOCAL &&
			ELF64_ST_VISIBILITY(sym->st_other) == STV_HIDDEN)
			return false;
		break;
	default:
		break;
	}
	return sym->st_shndx != SHN_UNDEF && sym->st_shndx < SHN_LORESERVE;
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

static bool add(struct symtab *symtab, struct scan *scan, const Elf64_Sym *sym,
	uint32_t order)
{
	struct symtab_symbol *symbols;

	if (ELF64_ST_TYPE(sym->st_info) == STT_FILE) {
		scan->file = name_at(symtab, sym->st_name);
		scan->file_after_symbol |= scan->symbol_seen;
		return true;
	}
	scan->symbol_seen = true;
	if (!may_be_function(sym) || !*name_at(symtab, sym->st_name))
		return true;
	if (is_mapping(name_at(symtab, sym->st_name)))
		return true;
	symbols = array_grow(symtab->symbols, &symtab->room, symtab->count,
		sizeof(*symbols));
	if (!symbols)
		return false;
	symtab->symbols = symbols;
	symbols[symtab->count++] = (struct symtab_symbol){
		.address = sym->st_value,
		.bytes = sym->st_size,
		.name = name_at(symtab, sym->st_name),
		.file = file_of(scan, sym),
		.section = sym->st_shndx,
		.order = order,
		.type = ELF64_ST_TYPE(sym->st_info),
	};
	return true;
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

static bool read_table(
	struct symtab *symtab, struct elffile *file, size_t table)
{
	const struct elffile_section *section = &file->sections[table];
	struct scan scan = {0};
	const char *why;
	Elf64_Sym sym;
	size_t bytes;
	size_t count;
	size_t i;
	char *data;

	if (section->link >= file->section_count)
		return true;
	symtab->names = elffile_read_section(
		file, section->link, &symtab->names_bytes, &why);
	data = elffile_read_section(file, table, &bytes, &why);
	if (!symtab->names || !data) {
		free(data);
		return true;
	}
	count = bytes / sizeof(sym);
	for (i = 1; i < count; i++) {
		memcpy(&sym, data + i * sizeof(sym), sizeof(sym));
		if (!add(symtab, &scan, &sym, (uint32_t)i))
			break;
	}
	free(data);
	if (symtab->count > 0)
		qsort(symtab->symbols, symtab->count, sizeof(*symtab->symbols),
			compare);
	return i >= count;
}

bool symtab_load(struct symtab *symtab, struct elffile *file)
{
	const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM};
	size_t t;
	size_t i;

	memset(symtab, 0, sizeof(*symtab));
	for (t = 0; t < 2; t++) {
		for (i = 0; i < file->section_count; i++)
			if (file->sections[i].type == types[t])
				break;
		if (i == file->section_count)
			continue;
		symtab->dynamic = types[t] == SHT_DYNSYM;
		if (!read_table(symtab, file, i))
			return false;
		if (symtab->count > 0)
			return true;
		symtab_free(symtab);
	}
	return true;
}

void symtab_free(struct symtab *symtab)
{
	free(symtab->symbols);
	free(symtab->names);
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
	if (symtab->dynamic && !reaches(best, address))
		return NULL;
	return best;
}
