/*
 * The symbols of an ELF file, ordered by address: functions, data, and the
 * stubs through which it calls others.  Called by the symbolizer for code
 * without DWARF, for the start of a function, and for data.  Of several symbols
 * it promises the one that binutils would choose: the nearest one before the
 * address in the same section.
 */
#ifndef SYMBOLIZER_SYMTAB_H
#define SYMBOLIZER_SYMTAB_H

#include "symbolizer/elf/elffile.h"

struct minidebuginfo {
	char *data;	     /* all of the small file; the caller frees it */
	const char *symbols; /* of Elf64_Sym, at any alignment */
	size_t symbol_bytes;
	const char *names; /* ends in NUL */
	size_t name_bytes;
};

/* False when there is none, or none that can be read. */
bool minidebuginfo_read(struct minidebuginfo *mini, struct elffile *file);

struct symtab_symbol {
	uint64_t address;
	uint64_t bytes; /* 0: it does not say */
	const char *name;
	const char *file; /* null: unknown */
	uint32_t section;
	uint32_t order; /* in the table */
	uint8_t type;	/* STT_... */
	bool bounded;	/* nothing behind its end belongs to it */
	bool stub;	/* made by pltnames */
};

/* Of the table, of MiniDebugInfo, of stubs. */
#define SYMTAB_TEXTS 3

struct symtab {
	struct symtab_symbol *symbols;
	size_t count;
	size_t room;
	char *texts[SYMTAB_TEXTS]; /* where the names lie; null: none */
	bool dynamic; /* exported symbols and MiniDebugInfo only: */
		      /* there are gaps */
};

/* What may be read for names besides the tables themselves. */
enum symtab_sources {
	SYMTAB_ALL,    /* MiniDebugInfo, and what is called by stubs */
	SYMTAB_TABLES, /* nothing */
};

/*
 * Reads .symtab, or .dynsym and MiniDebugInfo when there is none, and the
 * stubs.  Returns false when out of memory; a missing or damaged table has no
 * symbols.
 */
bool symtab_load(struct symtab *symtab, struct elffile *file,
	enum symtab_sources sources);
void symtab_free(struct symtab *symtab);

/*
 * Moves the stubs of `from` to the symbols of its separate debug file, which
 * has none, as it has no code.  False when out of memory.
 */
bool symtab_take_stubs(struct symtab *symtab, struct symtab *from);

/* False when no function or object with code in the file has this name. */
bool symtab_address_of(
	const struct symtab *symtab, const char *name, uint64_t *address);

/*
 * The symbol at `address`, or null.  In a table of exported symbols, and for
 * data and stubs, only one that reaches the address, since what lies between
 * two of them need not belong to either.
 */
const struct symtab_symbol *symtab_find(
	const struct symtab *symtab, size_t section, uint64_t address);

#endif
