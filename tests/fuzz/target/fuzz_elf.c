/*
 * An ELF file whose headers, tables and contents are damaged anyhow costs
 * names at most: each question has an answer, with its debug information and
 * without it.  The mutator changes single fields of the headers, and the
 * contents of single sections, which may grow: then the file is laid out anew.
 */
#include <elf.h>
#include <string.h>

#include "tests/fuzz/asked_names.h"

#define ADDRESSES 4 /* per section that is loaded */
#define SECTIONS_MAX 64
#define FILE_MAX 65536

struct image {
	Elf64_Ehdr head;
	Elf64_Shdr sections[SECTIONS_MAX];
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	one_file_begin();
	return 0;
}

/* False when the headers are too damaged to be changed one by one. */
static bool read_image(struct image *image, const uint8_t *data, size_t size)
{
	if (size < sizeof(image->head))
		return false;
	memcpy(&image->head, data, sizeof(image->head));
	if (image->head.e_shnum == 0 || image->head.e_shnum > SECTIONS_MAX ||
		image->head.e_shoff > size ||
		(size - image->head.e_shoff) / sizeof(Elf64_Shdr) <
			image->head.e_shnum)
		return false;
	memcpy(image->sections, data + image->head.e_shoff,
		image->head.e_shnum * sizeof(Elf64_Shdr));
	return true;
}

static bool has_bytes(const Elf64_Shdr *section, size_t size)
{
	return section->sh_type != SHT_NOBITS && section->sh_type != SHT_NULL &&
	       section->sh_offset <= size &&
	       size - section->sh_offset >= section->sh_size;
}

/* Sizes, places and counts are wrong by one, or by all there is. */
static uint64_t odd_value(uint64_t value, size_t size, unsigned int seed)
{
	const uint64_t values[] = {0, 1, UINT64_MAX, UINT64_MAX - 7,
		(uint64_t)1 << 63, UINT32_MAX, (uint64_t)1 << 40, value + 1,
		value - 1, value * 2, ~value, size, size - value, size - 1};

	return values[seed % (sizeof(values) / sizeof(values[0]))];
}

static void change_section_head(uint8_t *data, size_t size,
	const struct image *image, unsigned int seed)
{
	static const struct {
		uint8_t offset;
		uint8_t bytes;
	} fields[] = {
		{offsetof(Elf64_Shdr, sh_name), 4},
		{offsetof(Elf64_Shdr, sh_type), 4},
		{offsetof(Elf64_Shdr, sh_flags), 8},
		{offsetof(Elf64_Shdr, sh_addr), 8},
		{offsetof(Elf64_Shdr, sh_offset), 8},
		{offsetof(Elf64_Shdr, sh_size), 8},
		{offsetof(Elf64_Shdr, sh_link), 4},
		{offsetof(Elf64_Shdr, sh_entsize), 8},
	};
	size_t section = seed % image->head.e_shnum;
	size_t field = seed / 64 % (sizeof(fields) / sizeof(fields[0]));
	uint8_t *at = data + image->head.e_shoff +
		      section * sizeof(Elf64_Shdr) + fields[field].offset;
	uint64_t value = 0;

	if (seed / 512 % 2 == 0) {
		LLVMFuzzerMutate(at, fields[field].bytes, fields[field].bytes);
		return;
	}
	memcpy(&value, at, fields[field].bytes);
	value = odd_value(value, size, seed / 1024);
	memcpy(at, &value, fields[field].bytes);
}

/* Puts `bytes` in the place of a section, behind all others. */
static size_t lay_out(uint8_t *data, const struct image *image, size_t size,
	size_t section, const uint8_t *bytes, size_t count)
{
	struct image moved = *image;
	size_t heads = image->head.e_shnum * sizeof(Elf64_Shdr);
	size_t at = size - heads;

	/* the headers are mostly the last thing there is */
	if (image->head.e_shoff != at)
		at = size;
	memcpy(data + at, bytes, count);
	moved.sections[section].sh_offset = at;
	moved.sections[section].sh_size = count;
	at += count;
	memcpy(data + at, moved.sections, heads);
	moved.head.e_shoff = at;
	memcpy(data, &moved.head, sizeof(moved.head));
	return at + heads;
}

static size_t change_contents(uint8_t *data, size_t size, size_t most,
	const struct image *image, size_t section)
{
	static uint8_t changed[FILE_MAX];
	const Elf64_Shdr *head = &image->sections[section];
	size_t heads = image->head.e_shnum * sizeof(Elf64_Shdr);
	size_t room = head->sh_size + 64;
	size_t after;

	if (!has_bytes(head, size) || room > sizeof(changed))
		return LLVMFuzzerMutate(data, size, most);
	memcpy(changed, data + head->sh_offset, head->sh_size);
	after = LLVMFuzzerMutate(changed, head->sh_size, room);
	if (after > head->sh_size && size + after + heads <= most)
		return lay_out(data, image, size, section, changed, after);
	if (after > head->sh_size)
		after = head->sh_size;
	memcpy(data + head->sh_offset, changed, after);
	return size;
}

size_t LLVMFuzzerCustomMutator(
	uint8_t *data, size_t size, size_t most, unsigned int seed)
{
	struct image image;

	if (!read_image(&image, data, size))
		return LLVMFuzzerMutate(data, size, most);
	switch (seed % 16) {
	case 0:
		return LLVMFuzzerMutate(data, size, most);
	case 1:
		LLVMFuzzerMutate(data + 16, sizeof(Elf64_Ehdr) - 16,
			sizeof(Elf64_Ehdr) - 16);
		return size;
	case 2:
	case 3:
	case 4:
	case 5:
		change_section_head(data, size, &image, seed / 16);
		return size;
	default:
		return change_contents(data, size, most, &image,
			seed / 16 % image.head.e_shnum);
	}
}

static void ask(const struct image *image, enum symtab_sources sources)
{
	struct resolver *resolver = asked_names_open(sources);
	size_t i;
	size_t k;

	asked_names_at(resolver, 0);
	asked_names_at(resolver, UINT64_MAX);
	for (i = 0; i < image->head.e_shnum; i++) {
		const Elf64_Shdr *section = &image->sections[i];

		if (!(section->sh_flags & SHF_ALLOC))
			continue;
		for (k = 0; k < ADDRESSES; k++)
			asked_names_at(resolver,
				section->sh_addr +
					k * (section->sh_size / ADDRESSES));
		asked_names_between(resolver, section->sh_addr);
	}
	resolver_free(resolver);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct image image;

	if (!read_image(&image, data, size))
		image.head.e_shnum = 0;
	one_file_set(data, size);
	ask(&image, SYMTAB_ALL);
	ask(&image, SYMTAB_TABLES);
	return 0;
}
