/*
 * The symbol table of an ELF file, ordered by address.  Called by the
 * symbolizer for code without DWARF and for the start of a function.  Of
 * several symbols it promises the one that binutils would choose: the nearest
 * one before the address in the same section.
 */
#ifndef SYMBOLIZER_SYMTAB_H
#define SYMBOLIZER_SYMTAB_H

#include "symbolizer/elffile.h"

struct symtab_symbol {
	uint64_t address;
	uint64_t bytes;		/* 0: it does not say */
	const char *name;
	const char *file;	/* null: unknown */
	uint32_t section;
	uint32_t order;		/* in the table */
	uint8_t type;		/* STT_... */
};

struct symtab {
	struct symtab_symbol *symbols;
	size_t count;
	size_t room;
	char *names;
	size_t names_bytes;
	bool dynamic;		/* exported symbols only: there are gaps */
};

/*
 * Reads .symtab, or .dynsym when there is none.  Returns false when out of
 * memory; a missing or damaged table has no symbols.
 */
bool symtab_load(struct symtab *symtab, struct elffile *file);
void symtab_free(struct symtab *symtab);

/*
 * The symbol of the function at `address`, or null.  In a table of exported
 * symbols only one that reaches the address, since what lies between two of
 * them need not belong to either.
 */
const struct symtab_symbol *symtab_find(
	const struct symtab *symtab, size_t section, uint64_t address);

#endif
