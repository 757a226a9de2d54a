/*
 * An ELF file as a fuzzer can change it without losing it: a list of parts,
 * each a section's number in elf_parts_names, flags, its size and its address,
 * then its bytes.  elf_parts_build() makes the file of them, with section
 * headers that are always sound.  No debug file has to be there: see
 * one_file.h.
 */
#ifndef TESTS_FUZZ_ELF_PARTS_H
#define TESTS_FUZZ_ELF_PARTS_H

#include <elf.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

#define ELF_PARTS_MAX 24
#define ELF_PARTS_BYTES_MAX 32768

struct elf_part {
	uint8_t name;  /* modulo the number of names */
	uint8_t flags; /* ELF_PART_... */
	uint16_t bytes;
	uint32_t address;
};

#define ELF_PART_WRITABLE 1u
#define ELF_PART_COMPRESSED 2u
#define ELF_PART_NO_BITS 4u

static const struct {
	const char *name;
	uint32_t type;
	uint32_t flags;
	uint8_t entry_bytes;
	const char *link;
} elf_parts_names[] = {
	{".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, NULL},
	{".rodata", SHT_PROGBITS, SHF_ALLOC, 0, NULL},
	{".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0, NULL},
	{".symtab", SHT_SYMTAB, 0, 24, ".strtab"},
	{".strtab", SHT_STRTAB, 0, 0, NULL},
	{".dynsym", SHT_DYNSYM, SHF_ALLOC, 24, ".dynstr"},
	{".dynstr", SHT_STRTAB, SHF_ALLOC, 0, NULL},
	{".rela.plt", SHT_RELA, SHF_ALLOC, 24, ".dynsym"},
	{".rela.dyn", SHT_RELA, SHF_ALLOC, 24, ".dynsym"},
	{".plt", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 16, NULL},
	{".plt.got", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 8, NULL},
	{".plt.sec", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 16, NULL},
	{".got", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 8, NULL},
	{".eh_frame_hdr", SHT_PROGBITS, SHF_ALLOC, 0, NULL},
	{".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, 0, NULL},
	{".gnu_debuglink", SHT_PROGBITS, 0, 0, NULL},
	{".gnu_debugaltlink", SHT_PROGBITS, 0, 0, NULL},
	{".debug_sup", SHT_PROGBITS, 0, 0, NULL},
	{".gnu_debugdata", SHT_PROGBITS, 0, 0, NULL},
	{".debug_info", SHT_PROGBITS, 0, 0, NULL},
	{".debug_abbrev", SHT_PROGBITS, 0, 0, NULL},
	{".debug_str", SHT_PROGBITS, 0, 0, NULL},
	{".debug_str_offsets", SHT_PROGBITS, 0, 0, NULL},
	{".debug_rnglists", SHT_PROGBITS, 0, 0, NULL},
	{".debug_line", SHT_PROGBITS, 0, 0, NULL},
	{".debug_line_str", SHT_PROGBITS, 0, 0, NULL},
	{".debug_addr", SHT_PROGBITS, 0, 0, NULL},
	{".debug_ranges", SHT_PROGBITS, 0, 0, NULL},
	{".debug_info.dwo", SHT_PROGBITS, 0, 0, NULL},
	{".debug_abbrev.dwo", SHT_PROGBITS, 0, 0, NULL},
	{".debug_str.dwo", SHT_PROGBITS, 0, 0, NULL},
	{".debug_str_offsets.dwo", SHT_PROGBITS, 0, 0, NULL},
	{".debug_rnglists.dwo", SHT_PROGBITS, 0, 0, NULL},
	{".debug_cu_index", SHT_PROGBITS, 0, 0, NULL},
};

#define ELF_PARTS_NAMES (sizeof(elf_parts_names) / sizeof(elf_parts_names[0]))

/* A file that is being made; all zeros is an empty one. */
struct elf_parts {
	uint16_t machine; /* 0: EM_X86_64 */
	struct elf_part parts[ELF_PARTS_MAX];
	const uint8_t *bytes[ELF_PARTS_MAX];
	size_t count;
	_Alignas(8) uint8_t file[ELF_PARTS_BYTES_MAX + 8192];
	size_t file_bytes;
};

/* What is cut off has a shorter last part. */
static inline void elf_parts_list(
	struct elf_parts *parts, const uint8_t *data, size_t size)
{
	if (size > ELF_PARTS_BYTES_MAX)
		size = ELF_PARTS_BYTES_MAX;
	parts->count = 0;
	while (size >= sizeof(struct elf_part) &&
		parts->count < ELF_PARTS_MAX) {
		struct elf_part *part = &parts->parts[parts->count];

		memcpy(part, data, sizeof(*part));
		part->name %= ELF_PARTS_NAMES;
		data += sizeof(*part);
		size -= sizeof(*part);
		if (part->bytes > size)
			part->bytes = (uint16_t)size;
		parts->bytes[parts->count++] = data;
		data += part->bytes;
		size -= part->bytes;
	}
}

static inline const char *elf_parts_name(
	const struct elf_parts *parts, size_t part)
{
	return elf_parts_names[parts->parts[part].name].name;
}

/* The number of the section; 0: there is none. */
static inline uint32_t elf_parts_section(
	const struct elf_parts *parts, const char *name)
{
	size_t i;

	for (i = 0; name && i < parts->count; i++)
		if (strcmp(elf_parts_name(parts, i), name) == 0)
			return (uint32_t)i + 1;
	return 0;
}

static inline Elf64_Shdr elf_parts_head(
	const struct elf_parts *parts, size_t part, uint64_t offset)
{
	const struct elf_part *p = &parts->parts[part];
	Elf64_Shdr head = {
		.sh_type = p->flags & ELF_PART_NO_BITS
				   ? SHT_NOBITS
				   : elf_parts_names[p->name].type,
		.sh_flags = elf_parts_names[p->name].flags,
		.sh_addr = p->address,
		.sh_offset = offset,
		.sh_size = p->bytes,
		.sh_link =
			elf_parts_section(parts, elf_parts_names[p->name].link),
		.sh_entsize = elf_parts_names[p->name].entry_bytes,
	};

	if (p->flags & ELF_PART_WRITABLE)
		head.sh_flags |= SHF_WRITE;
	if (p->flags & ELF_PART_COMPRESSED)
		head.sh_flags |= SHF_COMPRESSED;
	return head;
}

static inline void elf_parts_put(
	struct elf_parts *parts, const void *bytes, size_t count)
{
	memcpy(parts->file + parts->file_bytes, bytes, count);
	parts->file_bytes += count;
}

/* Header, the parts, the names of the sections, their headers. */
static inline void elf_parts_build(struct elf_parts *parts)
{
	Elf64_Ehdr head = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_EXEC,
		.e_machine = parts->machine ? parts->machine : EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(head),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = (uint16_t)(parts->count + 2),
		.e_shstrndx = (uint16_t)(parts->count + 1),
	};
	Elf64_Shdr heads[ELF_PARTS_MAX + 2] = {0};
	Elf64_Shdr *names = &heads[parts->count + 1];
	size_t i;

	parts->file_bytes = sizeof(head);
	for (i = 0; i < parts->count; i++) {
		heads[i + 1] = elf_parts_head(parts, i, parts->file_bytes);
		elf_parts_put(parts, parts->bytes[i], parts->parts[i].bytes);
	}
	names->sh_type = SHT_STRTAB;
	names->sh_offset = parts->file_bytes;
	elf_parts_put(parts, "", 1);
	for (i = 0; i < parts->count; i++) {
		const char *name = elf_parts_name(parts, i);

		heads[i + 1].sh_name =
			(uint32_t)(parts->file_bytes - names->sh_offset);
		elf_parts_put(parts, name, strlen(name) + 1);
	}
	names->sh_size = parts->file_bytes - names->sh_offset;
	parts->file_bytes += -parts->file_bytes % 8;
	head.e_shoff = parts->file_bytes;
	elf_parts_put(parts, heads, (parts->count + 2) * sizeof(heads[0]));
	memcpy(parts->file, &head, sizeof(head));
}

/* Changes one part of data[0..size), its header or its bytes. */
static inline size_t elf_parts_mutate(
	uint8_t *data, size_t size, size_t most, unsigned int seed)
{
	static struct elf_parts parts;
	static uint8_t changed[65536];
	struct elf_part *part;
	uint8_t *bytes;
	size_t room;
	size_t rest;
	size_t after;

	elf_parts_list(&parts, data, size);
	if (parts.count == 0 || seed % 64 == 0)
		return LLVMFuzzerMutate(data, size, most);
	part = &parts.parts[seed / 64 % parts.count];
	bytes = data + (parts.bytes[part - parts.parts] - data);
	if (seed / 4096 % 16 == 0) {
		LLVMFuzzerMutate(
			bytes - sizeof(*part), sizeof(*part), sizeof(*part));
		return size;
	}
	room = most > size ? most - size + part->bytes : part->bytes;
	if (room > UINT16_MAX)
		room = UINT16_MAX;
	if (room == 0)
		return LLVMFuzzerMutate(data, size, most);
	memcpy(changed, bytes, part->bytes);
	after = LLVMFuzzerMutate(changed, part->bytes, room);
	rest = (size_t)(data + size - bytes) - part->bytes;
	memmove(bytes + after, bytes + part->bytes, rest);
	memcpy(bytes, changed, after);
	part->bytes = (uint16_t)after;
	memcpy(bytes - sizeof(*part), part, sizeof(*part));
	return (size_t)(bytes - data) + after + rest;
}

#endif
