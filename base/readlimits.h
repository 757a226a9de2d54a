/*
 * How much of a file with names is read, whoever asks for them.  These are rows
 * of base/limits.def, in the same order, which has what is seen beyond; kept
 * by the modules of the symbolizer.  Promises that a limit that was met is
 * known to whoever asks for names, even if another process met it.
 */
#ifndef BASE_READLIMITS_H
#define BASE_READLIMITS_H

#include <stddef.h>
#include <stdint.h>

/* What one file may take, and one question; the time is at most three years. */
#define READLIMITS_MEMORY_BYTES ((uint64_t)1 << 30)
#define READLIMITS_SECONDS 10
#define READLIMITS_SECONDS_MAX 100000000u
/* Larger files are holes, or beyond all that is linked. */
#define READLIMITS_FILE_BYTES ((uint64_t)32 << 30)
/* Far more than one for each function of the largest programs. */
#define READLIMITS_SECTIONS ((uint64_t)1 << 22)
/* How often the bytes of a file on disk are read: its sections overlap if it is
 * not sound, but some are read more than once. */
#define READLIMITS_READ_TIMES 16
/* Of all compressed sections of a file: together, and for each byte on disk. */
#define READLIMITS_UNPACKED_BYTES ((uint64_t)1 << 30)
#define READLIMITS_UNPACKED_TIMES 64
/* Of .gnu_debugdata; and what xz takes to unpack it: as much as files made
 * with -9 need. */
#define READLIMITS_MINIDEBUGINFO_BYTES ((size_t)256 << 20)
#define READLIMITS_XZ_BYTES ((uint64_t)80 << 20)
/* Entries of debug information that are looked at to find the tail calls
 * between two frames, and calls that are followed. */
#define READLIMITS_TAIL_ENTRIES 1000000
#define READLIMITS_TAIL_CALLS 1000
/* How often the bytes of a table are read that units of debug information
 * share: compilers share some. */
#define READLIMITS_SHARED_TIMES 4
/* Units that may be at one address; in sound files there are two or three. */
#define READLIMITS_OVERLAPS 64
/* Sections that are looked through for the symbols of .gnu_debugdata. */
#define READLIMITS_LOOKUPS ((size_t)1 << 28)
/* Functions that pass a text on to those that print pass it on to others. */
#define READLIMITS_ROUNDS 8
/* Files that may cost the process that reads them, since each costs time. */
#define READLIMITS_DEATHS 8
/* Functions at one address; one inlined into itself would be damage. */
#define READLIMITS_INLINED 512
/* Of a text in the program that a call was given: it has to fit into a packet
 * between two processes. */
#define READLIMITS_TEXT_BYTES (60u << 10)
/* Of what is said of one address; likewise. */
#define READLIMITS_NAMES_BYTES (64u << 10)

enum readlimit {
	READLIMIT_FILE,
	READLIMIT_SECTIONS,
	READLIMIT_READ_TIMES,
	READLIMIT_UNPACKED,
	READLIMIT_UNPACKED_TIMES,
	READLIMIT_MINIDEBUGINFO,
	READLIMIT_XZ,
	READLIMIT_TAIL_ENTRIES,
	READLIMIT_TAIL_CALLS,
	READLIMIT_SHARED_TIMES,
	READLIMIT_OVERLAPS,
	READLIMIT_LOOKUPS,
	READLIMIT_ROUNDS,
	READLIMIT_DEATHS,
	READLIMIT_INLINED,
	READLIMIT_TEXT,
	READLIMIT_NAMES,
	READLIMIT_ROWS
};

/* Set before anything is read. */
extern uint64_t readlimits_values[READLIMIT_ROWS];

static inline uint64_t readlimits_of(enum readlimit limit)
{
	return readlimits_values[limit];
}

/* So many times a number of bytes, or as many as there can be. */
static inline uint64_t readlimits_times(enum readlimit limit, uint64_t bytes)
{
	uint64_t product;

	return __builtin_mul_overflow(bytes, readlimits_of(limit), &product)
		       ? UINT64_MAX
		       : product;
}

/* Something of this file is not read.  Any thread. */
void readlimits_note(enum readlimit limit, const char *path);

/*
 * The file that this limit was first met in, once; the caller frees it.  Null:
 * in none, or it has been asked for.  Any thread.
 */
char *readlimits_take(enum readlimit limit);

/* Who is told in the rest of this process instead: another process. */
void readlimits_delegate(
	void (*meet)(void *closure, enum readlimit limit, const char *path),
	void *closure);

#endif
