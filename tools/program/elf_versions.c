#include "tools/program/elf_versions.h"

#include <elf.h>
#include <string.h>

static bool matches(const char *name, const char *wanted, bool whole)
{
	return whole ? strcmp(name, wanted) == 0
		     : strncmp(name, wanted, strlen(wanted)) == 0;
}

/* Steps go forwards only and are counted: a circle of entries ends too. */
static bool is_defined(struct elf_image *image, const char *wanted, bool whole)
{
	uint64_t place = image->defined_versions;
	char name[ELF_IMAGE_NAME];
	Elf64_Verdef entry;
	Elf64_Verdaux first;
	unsigned steps;

	if (place == 0)
		return false;
	for (steps = 0; steps < ELF_IMAGE_LONGEST_LIST; steps++) {
		if (!elf_image_read(image, place, &entry, sizeof(entry)) ||
			!elf_image_read(image, place + entry.vd_aux, &first,
				sizeof(first)) ||
			!elf_image_string(image, first.vda_name, name))
			return false;
		/* The base entry is the file's own name, no version. */
		if (!(entry.vd_flags & VER_FLG_BASE) &&
			matches(name, wanted, whole))
			return true;
		if (entry.vd_next == 0)
			return false;
		place += entry.vd_next;
	}
	return elf_image_fail(image, "its list of versions has no end");
}

bool elf_versions_defines_like(struct elf_image *image, const char *prefix)
{
	return is_defined(image, prefix, false);
}

bool elf_versions_defines(struct elf_image *image, const char *version)
{
	return is_defined(image, version, true);
}

/* To the first version of the next library. */
static bool next_library(
	struct elf_image *image, struct elf_versions_walk *walk)
{
	Elf64_Verneed entry;

	if (!walk->begun) {
		walk->begun = true;
		walk->library_place = image->required_versions;
	} else if (elf_image_read(
			   image, walk->library_place, &entry, sizeof(entry)) &&
		   entry.vn_next != 0) {
		walk->library_place += entry.vn_next;
	} else {
		return false;
	}
	if (walk->library_place == 0 ||
		!elf_image_read(
			image, walk->library_place, &entry, sizeof(entry)))
		return false;
	walk->version_place = walk->library_place + entry.vn_aux;
	return true;
}

/* To the next version, of the same library or of one after it. */
static bool next_version(struct elf_image *image,
	struct elf_versions_walk *walk, Elf64_Vernaux *version)
{
	if (walk->steps++ >= ELF_IMAGE_LONGEST_LIST)
		return elf_image_fail(image, "its list of versions has no end");
	if (walk->version_place == 0 && !next_library(image, walk))
		return false;
	if (!elf_image_read(
		    image, walk->version_place, version, sizeof(*version)))
		return false;
	if (version->vna_next == 0)
		walk->version_place = 0;
	else
		walk->version_place += version->vna_next;
	return true;
}

bool elf_versions_next_required(struct elf_image *image,
	struct elf_versions_walk *walk, char library[static ELF_IMAGE_NAME],
	char version[static ELF_IMAGE_NAME])
{
	Elf64_Vernaux found = {0};
	Elf64_Verneed entry;

	do {
		if (!next_version(image, walk, &found))
			return false;
	} while (found.vna_flags & VER_FLG_WEAK);
	return elf_image_read(
		       image, walk->library_place, &entry, sizeof(entry)) &&
	       elf_image_string(image, entry.vn_file, library) &&
	       elf_image_string(image, found.vna_name, version);
}
