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
