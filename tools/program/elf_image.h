/*
 * What the headers of an ELF file say about how it is loaded: class, machine,
 * dynamic loader, needed libraries.  Called by the checks of binlog-run on
 * programs, loaders and libraries of any origin.  Promises that a damaged or
 * hostile file costs a sentence in `why` and bounded work: each read is
 * checked against the file's size, each list has a longest length.
 */
#ifndef TOOLS_RUN_ELF_IMAGE_H
#define TOOLS_RUN_ELF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	ELF_IMAGE_NAME = 256, /* room for a library's or a version's name */
	/* Above any real file; keeps a hostile one from taking minutes. */
	ELF_IMAGE_LONGEST_LIST = 16384,
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

/* Reads `size` bytes at a file offset, all or none; false with `why` set. */
bool elf_image_read(
	struct elf_image *image, uint64_t offset, void *data, size_t size);

/* Reads a string of the dynamic string table; false with `why` set. */
bool elf_image_string(struct elf_image *image, uint64_t index,
	char text[static ELF_IMAGE_NAME]);

/* Sets `why` unless it is set already; returns false. */
bool elf_image_fail(struct elf_image *image, const char *why);

/* Whether a version is defined whose name begins with `prefix`. */
bool elf_versions_defines_like(struct elf_image *image, const char *prefix);

/* Whether this very version is defined. */
bool elf_versions_defines(struct elf_image *image, const char *version);

/* Stands between two required versions; begins as all zeros. */
struct elf_versions_walk {
	uint64_t library_place;
	uint64_t version_place;
	unsigned steps;
	bool begun;
};

/*
 * The next required version and the library that it is required of; those
 * that may be missing (weak) are left out.  False after the last one.
 */
bool elf_versions_next_required(struct elf_image *image,
	struct elf_versions_walk *walk, char library[static ELF_IMAGE_NAME],
	char version[static ELF_IMAGE_NAME]);

#endif
