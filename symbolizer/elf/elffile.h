/*
 * An ELF file, read with bounds.  Called by all of the symbolizer that needs
 * bytes of a file; nothing else there reads one.  Promises that only regular
 * files are opened, that opening never waits, and that no section is handed
 * out whose bytes are not in the file.
 */
#ifndef SYMBOLIZER_ELFFILE_H
#define SYMBOLIZER_ELFFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

struct elffile_section {
	const char *name; /* "" when damaged */
	uint32_t type;	  /* SHT_... */
	uint32_t link;
	uint64_t flags; /* SHF_... */
	uint64_t address;
	uint64_t offset; /* in the file */
	uint64_t bytes;	 /* in the file; of SHT_NOBITS: in memory */
	uint64_t entry_bytes;
};

/* Segments of constants that are looked at. */
#define ELFFILE_CONSTANT 4

struct elffile_part {
	uint64_t offset; /* in the file */
	uint64_t bytes;
};

struct elffile {
	const char *root; /* that it was opened below, or null */
	char *path;	  /* that it was opened by; null: no memory */
	int descriptor;
	uint64_t bytes;		     /* of the whole file */
	uint64_t bytes_on_disk;	     /* of these, without holes */
	uint64_t budget;	     /* bytes that may still be read from it */
	uint64_t unpack_budget;	     /* bytes that these may still unpack to */
	enum readlimit unpack_limit; /* that this is for */
	uint32_t met; /* a bit for each readlimit that it has met */
	size_t section_count;
	struct elffile_section *sections;
	char *section_names;
	uint8_t *build_id; /* null: it has none */
	size_t build_id_bytes;
	uint64_t code_offset; /* first executable segment, in the file */
	uint64_t code_bytes;  /* 0: there is none */
	struct elffile_part constant[ELFFILE_CONSTANT]; /* only read */
	unsigned constants;
};

#define ELFFILE_NONE ((size_t)-1)

/*
 * Opens `path` and reads headers, section names and build-id.  Returns null,
 * or why not (a constant string; then there is nothing to close).
 */
const char *elffile_open(struct elffile *file, const char *path);
/* The same, as if `root` were "/" (null: it is); see openfile.h. */
const char *elffile_open_below(
	struct elffile *file, const char *root, const char *path);
void elffile_close(struct elffile *file);

/* Something in it is not read for this limit, which is told once. */
void elffile_note(struct elffile *file, enum readlimit limit);

/* Index of the first section called `name`, or ELFFILE_NONE. */
size_t elffile_section_named(const struct elffile *file, const char *name);

/*
 * Index of the section that is loaded over `address`, or ELFFILE_NONE.  Of a
 * separate debug file too, which has such sections without their bytes.
 */
size_t elffile_section_at(const struct elffile *file, uint64_t address);

/*
 * Reads a section, decompressed (zlib, zstd), with one NUL byte after its end.
 * Returns null and `*why` (a constant string; for want of memory
 * elffile_no_memory) when that is impossible; else the caller frees it.  What
 * one file may unpack to is limited, in all, to 64 times what it occupies on
 * disk and to 1 GiB, so that a small file cannot fill memory.
 */
void *elffile_read_section(
	struct elffile *file, size_t section, size_t *bytes, const char **why);
extern const char elffile_no_memory[];

/* Reads bytes of the file; null when they are not there.  Caller frees. */
void *elffile_read(struct elffile *file, uint64_t offset, uint64_t bytes);

/* The name and the CRC32 in .gnu_debuglink; null: none.  Caller frees. */
char *elffile_debug_link(struct elffile *file, uint32_t *crc);

/* The CRC32 of zlib of the whole file; false when it cannot be read. */
bool elffile_crc(struct elffile *file, uint32_t *crc);

#endif
