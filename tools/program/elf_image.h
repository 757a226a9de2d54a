/*
 * What the headers of an ELF file say about how it is loaded: class, machine,
 * dynamic loader, needed libraries, versions of symbols, build ID.  Called by
 * the checks of binlog-run on programs, loaders and libraries of any origin.
 * Promises that a damaged or hostile file costs a sentence in `why` and bounded
 * work: each read is checked against the file's size, each list has a longest
 * length.
 */
#ifndef TOOLS_PROGRAM_ELF_IMAGE_H
#define TOOLS_PROGRAM_ELF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	ELF_IMAGE_NAME = 256, /* room for a library's or a version's name */
	/* Above any real file; keeps a hostile one from taking minutes. */
	ELF_IMAGE_LONGEST_LIST = 16384,
	ELF_IMAGE_BUILD_ID = 2 * 64 + 1,
};

struct elf_image {
	int file;
	uint64_t bytes;
	const char *why; /* null, or what is damaged: the first finding */

	bool is_elf;	    /* else nothing below means anything */
	uint8_t class;	    /* EI_CLASS */
	uint8_t byte_order; /* EI_DATA */
	uint16_t type;	    /* ET_* */
	uint16_t machine;   /* EM_* */

	/* The rest is filled in for 64-bit files of our byte order alone. */
	uint64_t segment_table;
	uint64_t segments;
	uint64_t dynamic; /* like all below: an offset in the file, 0: none */
	uint64_t dynamic_entries;
	uint64_t strings;
	uint64_t string_bytes;
	uint64_t defined_versions;
	uint64_t required_versions;
};

/*
 * Opens the file and reads its headers.  False, with errno, when it cannot be
 * opened or is no regular file.  After true it must be closed, and `is_elf`
 * and `why` have to be looked at.
 */
bool elf_image_open(struct elf_image *image, const char *path);
void elf_image_close(struct elf_image *image);

/* Whether both are for the same class, byte order and machine. */
bool elf_image_same_machine(
	const struct elf_image *image, const struct elf_image *other);

/*
 * The path of the dynamic loader.  False when the file names none, or when
 * that is damaged (see `why`).
 */
bool elf_image_loader(struct elf_image *image, char *path, size_t size);

/*
 * The next needed library; `*place` begins as 0.  False after the last one, or
 * when the list is damaged (see `why`).
 */
bool elf_image_next_needed(struct elf_image *image, uint64_t *place,
	char name[static ELF_IMAGE_NAME]);

/*
 * Whether a version of symbols is defined that is `wanted`, or only begins so.
 * False also when the list is damaged (see `why`).
 */
bool elf_image_defines(struct elf_image *image, const char *wanted, bool whole);

/*
 * Whether the image requires a version of a library whose name begins with
 * `prefix` that `other` does not define; then it is in `version`.  What may be
 * missing (weak) and what a damaged list hides is not told.
 */
bool elf_image_lacks(struct elf_image *image, struct elf_image *other,
	const char *prefix, char version[static ELF_IMAGE_NAME]);

/*
 * The build ID of a file, by which a process knows a module whatever its path,
 * in hexadecimal digits.  False: it has none, or cannot be read.
 */
bool elf_image_build_id(
	const char *path, char digits[static ELF_IMAGE_BUILD_ID]);

#endif
