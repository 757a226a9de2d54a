#include "tools/program/elf_image.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of one segment. */
#define NOTES_MAX 64

/* Sets `why` unless it is set already; returns false. */
static bool fail(struct elf_image *image, const char *why)
{
	if (!image->why)
		image->why = why;
	return false;
}

/* All or none; false with `why` set. */
static bool read_at(
	struct elf_image *image, uint64_t offset, void *data, size_t size)
{
	ssize_t got;

	if (image->why)
		return false;
	if (offset > image->bytes || image->bytes - offset < size)
		return fail(image, "its headers point beyond its end");
	do
		got = pread(image->file, data, size, (off_t)offset);
	while (got < 0 && errno == EINTR);
	if (got < 0 || (size_t)got != size)
		return fail(image, "it cannot be read to its end");
	return true;
}

/* Of the dynamic string table; false with `why` set. */
static bool read_string(struct elf_image *image, uint64_t index,
	char text[static ELF_IMAGE_NAME])
{
	uint64_t size = ELF_IMAGE_NAME;

	if (index >= image->string_bytes)
		return fail(image, "a name lies outside its strings");
	if (image->string_bytes - index < size)
		size = image->string_bytes - index;
	if (image->strings > image->bytes ||
		image->bytes - image->strings < index)
		return fail(image, "its strings lie beyond its end");
	if (image->bytes - image->strings - index < size)
		size = image->bytes - image->strings - index;
	if (!read_at(image, image->strings + index, text, size))
		return false;
	if (!memchr(text, '\0', size))
		return fail(image, "a name in it has no end");
	return true;
}

static bool read_segment(
	struct elf_image *image, uint64_t index, Elf64_Phdr *segment)
{
	return read_at(image, image->segment_table + index * sizeof(*segment),
		segment, sizeof(*segment));
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
	fail(image, "an address in it is in none of its segments");
	return 0;
}

static bool read_entry(
	struct elf_image *image, uint64_t index, Elf64_Dyn *entry)
{
	if (index >= image->dynamic_entries)
		return false;
	return read_at(image, image->dynamic + index * sizeof(*entry), entry,
		       sizeof(*entry)) &&
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
		fail(image, "its dynamic section is damaged");
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

	if (image->bytes < SELFMAG || !read_at(image, 0, &header, SELFMAG) ||
		memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return;
	image->is_elf = true;
	if (!read_at(image, 0, &header, common))
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
	if (!read_at(image, 0, &header, sizeof(header)))
		return;
	image->segment_table = header.e_phoff;
	image->segments = header.e_phnum;
	/* Linux runs nothing with more, and nothing of another entry size. */
	if (header.e_phentsize != sizeof(Elf64_Phdr) ||
		image->segments > 65536 / sizeof(Elf64_Phdr))
		fail(image, "its program headers are damaged");
	/* Indexes are small, so that no sum after this one can wrap. */
	if (image->segment_table > image->bytes)
		fail(image, "its program headers lie beyond its end");
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
		return fail(image,
			"the name of its dynamic loader has no sensible size");
	if (!read_at(image, segment.p_offset, path, segment.p_filesz))
		return false;
	if (path[segment.p_filesz - 1] != '\0')
		return fail(image, "the name of its dynamic loader has no end");
	return true;
}

bool elf_image_next_needed(struct elf_image *image, uint64_t *place,
	char name[static ELF_IMAGE_NAME])
{
	Elf64_Dyn entry;

	while (read_entry(image, *place, &entry)) {
		++*place;
		if (entry.d_tag == DT_NEEDED)
			return read_string(image, entry.d_un.d_val, name);
	}
	return false;
}

/* ---- versions of symbols ---- */

/* Steps go forwards only and are counted: a circle of entries ends too. */
bool elf_image_defines(struct elf_image *image, const char *wanted, bool whole)
{
	size_t bytes = strlen(wanted) + (whole ? 1 : 0);
	uint64_t place = image->defined_versions;
	char name[ELF_IMAGE_NAME];
	Elf64_Verdef entry;
	Elf64_Verdaux first;
	unsigned steps;

	if (place == 0)
		return false;
	for (steps = 0; steps < ELF_IMAGE_LONGEST_LIST; steps++) {
		if (!read_at(image, place, &entry, sizeof(entry)) ||
			!read_at(image, place + entry.vd_aux, &first,
				sizeof(first)) ||
			!read_string(image, first.vda_name, name))
			return false;
		/* The base entry is the file's own name, no version. */
		if (!(entry.vd_flags & VER_FLG_BASE) &&
			strncmp(name, wanted, bytes) == 0)
			return true;
		if (entry.vd_next == 0)
			return false;
		place += entry.vd_next;
	}
	return fail(image, "its list of versions has no end");
}

bool elf_image_lacks(struct elf_image *image, struct elf_image *other,
	const char *prefix, char version[static ELF_IMAGE_NAME])
{
	uint64_t library = image->required_versions;
	unsigned steps = 0;
	Elf64_Verneed entry = {.vn_next = 1};
	Elf64_Vernaux required;

	for (; library != 0 && entry.vn_next != 0; library += entry.vn_next) {
		uint64_t place;

		if (!read_at(image, library, &entry, sizeof(entry)) ||
			!read_string(image, entry.vn_file, version))
			return false;
		if (strncmp(version, prefix, strlen(prefix)) != 0)
			entry.vn_cnt = 0;
		place = library + entry.vn_aux;
		for (; entry.vn_cnt > 0; entry.vn_cnt--) {
			if (!read_at(image, place, &required,
				    sizeof(required)) ||
				!read_string(image, required.vna_name, version))
				return false;
			if (!(required.vna_flags & VER_FLG_WEAK) &&
				!elf_image_defines(other, version, true) &&
				!other->why)
				return true;
			place += required.vna_next;
			if (++steps == ELF_IMAGE_LONGEST_LIST)
				break;
		}
		if (++steps >= ELF_IMAGE_LONGEST_LIST)
			return fail(image, "its list of versions has no end");
	}
	return false;
}

/* ---- notes ---- */

static bool read_build_id(struct elf_image *image, const Elf64_Phdr *segment,
	char digits[static ELF_IMAGE_BUILD_ID])
{
	const uint64_t to = segment->p_align == 8 ? 8 : 4;
	uint64_t at = segment->p_offset;
	uint64_t left = segment->p_filesz;
	/* Of the name only as many bytes as ours has. */
	struct {
		Elf64_Nhdr note;
		char name[4];
	} head;
	uint8_t id[ELF_IMAGE_BUILD_ID / 2];
	int i;

	for (i = 0; i < NOTES_MAX && left > sizeof(head); i++) {
		const Elf64_Nhdr *note = &head.note;
		uint64_t bytes;

		if (!read_at(image, at, &head, sizeof(head)))
			return false;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
			note->n_descsz > 0 && note->n_descsz <= sizeof(id) &&
			memcmp(head.name, "GNU", 4) == 0) {
			if (!read_at(image, at + sizeof(head), id,
				    note->n_descsz))
				return false;
			for (uint32_t b = 0; b < note->n_descsz; b++)
				snprintf(digits + 2 * b, 3, "%02x", id[b]);
			return true;
		}
		bytes = sizeof(*note) +
			((uint64_t)note->n_namesz + to - 1) / to * to +
			((uint64_t)note->n_descsz + to - 1) / to * to;
		if (bytes >= left)
			return false;
		at += bytes;
		left -= bytes;
	}
	return false;
}

bool elf_image_build_id(
	const char *path, char digits[static ELF_IMAGE_BUILD_ID])
{
	struct elf_image image;
	Elf64_Phdr segment;
	bool found = false;
	uint64_t i;

	if (!elf_image_open(&image, path))
		return false;
	for (i = 0; i < image.segments && !found &&
		    read_segment(&image, i, &segment);
		i++)
		found = segment.p_type == PT_NOTE &&
			read_build_id(&image, &segment, digits);
	elf_image_close(&image);
	return found;
}
