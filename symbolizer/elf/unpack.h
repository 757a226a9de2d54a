/*
 * Unpacks what ELF files hold compressed otherwise than by zlib: zstd in
 * sections, xz in MiniDebugInfo.  Called by elffile and minidebuginfo; the
 * libraries are opened when they are needed and not linked, so that nothing
 * depends on them.  Promises to write no byte beyond the room that it is given.
 */
#ifndef SYMBOLIZER_UNPACK_H
#define SYMBOLIZER_UNPACK_H

#include <stddef.h>

#include "base/readlimits.h"

#define UNPACK_ZSTD 2u /* ch_type of a section; not in every elf.h */

/*
 * Opens the libraries.  Called before a process gives up the right to open
 * files, and by the functions below otherwise.  Before there are threads.
 */
void unpack_prepare(void);

/*
 * Fills exactly `to_bytes`.  Returns null, or why that is impossible (a
 * constant string).
 */
const char *unpack_zstd(
	const void *from, size_t from_bytes, void *to, size_t to_bytes);

/*
 * Returns what an .xz stream holds, at most `limit` bytes of it, which the
 * caller frees; null when it is damaged or cannot be unpacked here, or when
 * *met has become READLIMIT_MINIDEBUGINFO, since it is longer, or
 * READLIMIT_XZ.
 */
void *unpack_xz(const void *from, size_t from_bytes, size_t limit,
	size_t *bytes, enum readlimit *met);

#endif
