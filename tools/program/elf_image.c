#include "tools/program/elf_image.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool elf_image_fail(struct elf_image *image, const char *why)
{
	if (!image->why)
		image->why = why;
	return false;
}

bool elf_image_read(
	struct elf_image *image, uint64_t offset, void *data, size_t size)
{
	ssize_t got;

	if (image->why)
		return false;
	if (offset > image->bytes || image->bytes - offset < size)
		return elf_image_fail(
			image, "its headers point beyond its end");
	do
		got = pread(image->file, data, size, (off_t)offset);
	while (got < 0 && errno == EINTR);
	if (got < 0 || (size_t)got != size)
		return elf_image_fail(image, "it cannot be read to its end");
	return true;
}

bool elf_image_string(struct elf_image *image, uint64_t index,
	char text[static ELF_IMAGE_NAME])
{
	uint64_t size = ELF_IMAGE_NAME;

	if (index >= image->string_bytes)
		return elf_image_fail(image, "a name lies outside its strings");
	if (image->string_bytes - index < size)
		size = image->string_bytes - index;
	if (image->strings > image->bytes ||
		image->bytes - image->strings < index)
		return elf_image_fail(image, "its strings lie beyond its end");
	if (image->bytes - image->strings - index < size)
		size = image->bytes - image->strings - index;
	if (!elf_image_read(image, image->strings + index, text, size))
		return false;
	if (!memchr(text, '\0', size))
		return elf_image_fail(image, "a name in it has no end");
	return true;
}

static bool read_segment(
	struct elf_image *image, uint64_t index, Elf64_Phdr *segment)
{
	return elf_image_read(image,
		image->segment_table + index * sizeof(*segment), segment,
		sizeof(*segment));
}

static bool find_segment(
	struct elf_image *image, uint32_t type, Elf64_Phdr *segment)
{
	uint64_t i;

	for (i = 0; i < image->segments; i++) {
		if (!read_segment(image, i, segment))
			return false;
		if (segment->p_type == type)
			return true;
	}
	return false;
}

/*
 * The file offset of an address.  0 stays 0: not there; it is also the answer,
 * with `why` set, for an address of which the file has nothing.
 */
static uint64_t place_of(struct elf_image *image, uint64_t address)
{
	Elf64_Phdr segment;
	uint64_t i;

	if (address == 0)
		return 0;
	for (i = 0; i < image->segments; i++) {
		if (!read_segment(image, i, &segment))
			return 0;
		if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
			address - segment.p_vaddr < segment.p_filesz)
			return address - segment.p_vaddr + segment.p_offset;
	}
	elf_image_fail(image, "an address in it is in none of its segments");
	return 0;
}

static bool read_entry(
	struct elf_image *image, uint64_t index, Elf64_Dyn *entry)
{
	if (index >= image->dynamic_entries)
		return false;
	return elf_image_read(image, image->dynamic + index * sizeof(*entry),
		       entry, sizeof(*entry)) &&
	       entry->d_tag != DT_NULL;
}

static void read_dynamic(struct elf_image *image)
{
	Elf64_Phdr segment;
	Elf64_Dyn entry;
	uint64_t i;

	if (!find_segment(image, PT_DYNAMIC, &segment))
		return;
	image->dynamic = segment.p_offset;
	image->dynamic_entries = segment.p_filesz / sizeof(entry);
	if (image->dynamic > image->bytes ||
		image->dynamic_entries > ELF_IMAGE_LONGEST_LIST)
		elf_image_fail(image, "its dynamic section is damaged");
	for (i = 0; read_entry(image, i, &entry); i++) {
		if (entry.d_tag == DT_STRTAB)
			image->strings = entry.d_un.d_ptr;
		else if (entry.d_tag == DT_STRSZ)
			image->string_bytes = entry.d_un.d_val;
		else if (entry.d_tag == DT_VERDEF)
			image->defined_versions = entry.d_un.d_ptr;
		else if (entry.d_tag == DT_VERNEED)
			image->required_versions = entry.d_un.d_ptr;
	}
	image->strings = place_of(image, image->strings);
	image->defined_versions = place_of(image, image->defined_versions);
	image->required_versions = place_of(image, image->required_versions);
}

/* The beginning that both classes have in common, then the rest of ours. */
static void read_headers(struct elf_image *image)
{
	Elf64_Ehdr header;
	const size_t common = offsetof(Elf64_Ehdr, e_version);

	if (image->bytes < SELFMAG ||
		!elf_image_read(image, 0, &header, SELFMAG) ||
		memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return;
	image->is_elf = true;
	if (!elf_image_read(image, 0, &header, common))
		return;
	image->class = header.e_ident[EI_CLASS];
	image->byte_order = header.e_ident[EI_DATA];
	if (image->byte_order == ELFDATA2MSB) {
		header.e_type = be16toh(header.e_type);
		header.e_machine = be16toh(header.e_machine);
	}
	image->type = header.e_type;
	image->machine = header.e_machine;
	if (image->class != ELFCLASS64 || image->byte_order != ELFDATA2LSB)
		return;
	if (!elf_image_read(image, 0, &header, sizeof(header)))
		return;
	image->segment_table = header.e_phoff;
	image->segments = header.e_phnum;
	/* Linux runs nothing with more, and nothing of another entry size. */
	if (header.e_phentsize != sizeof(Elf64_Phdr) ||
		image->segments > 65536 / sizeof(Elf64_Phdr))
		elf_image_fail(image, "its program headers are damaged");
	/* Indexes are small, so that no sum after this one can wrap. */
	if (image->segment_table > image->bytes)
		elf_image_fail(image, "its program headers lie beyond its end");
	read_dynamic(image);
}

bool elf_image_open(struct elf_image *image, const char *path)
{
	struct stat status;

	memset(image, 0, sizeof(*image));
	image->file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (image->file < 0)
		return false;
	if (fstat(image->file, &status) != 0 || !S_ISREG(status.st_mode)) {
		close(image->file);
		errno = EACCES;
		return false;
	}
	image->bytes = (uint64_t)status.st_size;
	read_headers(image);
	return true;
}

void elf_image_close(struct elf_image *image)
{
	close(image->file);
}

bool elf_image_same_machine(
	const struct elf_image *image, const struct elf_image *other)
{
	return image->class == other->class &&
	       image->byte_order == other->byte_order &&
	       image->machine == other->machine;
}

bool elf_image_loader(struct elf_image *image, char *path, size_t size)
{
	Elf64_Phdr segment;

	if (!find_segment(image, PT_INTERP, &segment))
		return false;
	if (segment.p_filesz < 2 || segment.p_filesz > size)
		return elf_image_fail(image,
			"the name of its dynamic loader has no sensible size");
	if (!elf_image_read(image, segment.p_offset, path, segment.p_filesz))
		return false;
	if (path[segment.p_filesz - 1] != '\0')
		return elf_image_fail(
			image, "the name of its dynamic loader has no end");
	return true;
}

bool elf_image_next_needed(struct elf_image *image, uint64_t *place,
	char name[static ELF_IMAGE_NAME])
{
	Elf64_Dyn entry;

	while (read_entry(image, *place, &entry)) {
		++*place;
		if (entry.d_tag == DT_NEEDED)
			return elf_image_string(image, entry.d_un.d_val, name);
	}
	return false;
}

/*
 * The symbol versions that an ELF file defines and those that it requires of
 * others.  Called by the checks of binlog-run to see whether a program's
 * loader is glibc's and whether its libc is new enough for the library.
 * Promises what elf_image.h promises: damage sets `why` and ends the walk.
 */

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
