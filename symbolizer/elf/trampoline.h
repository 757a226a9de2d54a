/*
 * The code through which a signal handler returns: libc has no symbol for it
 * when it is stripped, and every stack of a handler goes through it.  Called
 * for addresses that no symbol names.  Promises to know it by its
 * instructions, which debuggers rely on and which never change.
 */
#ifndef SYMBOLIZER_TRAMPOLINE_H
#define SYMBOLIZER_TRAMPOLINE_H

#include "symbolizer/elf/elffile.h"

/* As libc calls it. */
#define TRAMPOLINE_NAME "__restore_rt"

/* Whether it begins at `address`. */
bool trampoline_is_at(struct elffile *file, uint64_t address);

#endif
