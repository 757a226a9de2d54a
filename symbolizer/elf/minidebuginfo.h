/*
 * MiniDebugInfo: the names of functions that are not exported, in a small ELF
 * file of its own, compressed with xz, in the section .gnu_debugdata of a
 * stripped one.  Called by symtab for files without .symtab.  Promises that
 * both tables lie within the data.
 */
#ifndef SYMBOLIZER_MINIDEBUGINFO_H
#define SYMBOLIZER_MINIDEBUGINFO_H

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

#endif
