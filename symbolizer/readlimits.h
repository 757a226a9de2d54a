/*
 * How much of a file with names is read, whoever asks for them.  Rows of
 * decoder/limits.def, which has what is seen beyond; included by the modules
 * that keep them.
 */
#ifndef SYMBOLIZER_READLIMITS_H
#define SYMBOLIZER_READLIMITS_H

#include <stddef.h>
#include <stdint.h>

/* Larger files are holes, or beyond all that is linked. */
#define READLIMITS_FILE_BYTES ((uint64_t)32 << 30)
/* Far more than one for each function of the largest programs. */
#define READLIMITS_SECTIONS ((uint64_t)1 << 22)
/* Of all compressed sections of a file. */
#define READLIMITS_UNPACKED_BYTES ((uint64_t)1 << 30)
/* Of .gnu_debugdata; and what xz takes to unpack it: as much as files made
 * with -9 need. */
#define READLIMITS_MINIDEBUGINFO_BYTES ((size_t)256 << 20)
#define READLIMITS_XZ_BYTES ((uint64_t)80 << 20)
/* Functions at one address; one inlined into itself would be damage. */
#define READLIMITS_INLINED 512
/* Entries of debug information that are looked at to find the tail calls
 * between two frames, and calls that are followed. */
#define READLIMITS_TAIL_ENTRIES 1000000
#define READLIMITS_TAIL_CALLS 1000
/* Of a text in the program that a call was given. */
#define READLIMITS_TEXT_BYTES (1u << 20)

#endif
