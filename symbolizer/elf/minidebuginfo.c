#include "symbolizer/elf/minidebuginfo.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/elf/elffile.h"

/* The headers of the sections, in the data or null; any alignment. */
static const char *section_heads(const char *data, size_t bytes, size_t *count)
{
	Elf64_Ehdr head;

	if (bytes < sizeof(head))
		return NULL;
	memcpy(&head, data, sizeof(head));
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
		head.e_ident[EI_CLASS] != ELFCLASS64 ||
		head.e_ident[EI_DATA] != ELFDATA2LSB ||
		head.e_shentsize != sizeof(Elf64_Shdr) ||
		head.e_shoff > bytes ||
		(bytes - head.e_shoff) / sizeof(Elf64_Shdr) < head.e_shnum)
		return NULL;
	*count = head.e_shnum;
	return data + head.e_shoff;
}

static bool read_head(
	Elf64_Shdr *head, const char *heads, size_t index, size_t file_bytes)
{
	memcpy(head, heads + index * sizeof(*head), sizeof(*head));
	return head->sh_type != SHT_NOBITS && head->sh_offset <= file_bytes &&
	       file_bytes - head->sh_offset >= head->sh_size;
}

static bool find_tables(struct minidebuginfo *mini, size_t bytes)
{
	size_t count = 0;
	const char *heads = section_heads(mini->data, bytes, &count);
	Elf64_Shdr symbols;
	Elf64_Shdr names;
	size_t i;

	for (i = 0; i < count; i++) {
		if (!read_head(&symbols, heads, i, bytes) ||
			symbols.sh_type != SHT_SYMTAB)
			continue;
		if (symbols.sh_link >= count ||
			!read_head(&names, heads, symbols.sh_link, bytes) ||
			names.sh_size == 0)
			return false;
		mini->data[names.sh_offset + names.sh_size - 1] = '\0';
		mini->symbols = mini->data + symbols.sh_offset;
		mini->symbol_bytes = symbols.sh_size;
		mini->names = mini->data + names.sh_offset;
		mini->name_bytes = names.sh_size;
		return true;
	}
	return false;
}

static char *unpack(struct elffile *file, const char *packed,
	size_t packed_bytes, size_t *bytes)
{
	const uint64_t limit = readlimits_of(READLIMIT_MINIDEBUGINFO);
	const bool budgeted = file->unpack_budget < limit;
	enum readlimit met = READLIMIT_ROWS;
	char *data = unpack_xz(packed, packed_bytes,
		budgeted ? file->unpack_budget : limit, bytes, &met);

	if (met == READLIMIT_MINIDEBUGINFO && budgeted)
		met = file->unpack_limit;
	if (met != READLIMIT_ROWS)
		elffile_meet(file, met);
	return data;
}

bool minidebuginfo_read(struct minidebuginfo *mini, struct elffile *file)
{
	size_t section = elffile_section_named(file, ".gnu_debugdata");
	const char *why;
	size_t bytes;
	char *packed;

	memset(mini, 0, sizeof(*mini));
	if (section == ELFFILE_NONE)
		return false;
	packed = elffile_read_section(file, section, &bytes, &why);
	if (!packed)
		return false;
	mini->data = unpack(file, packed, bytes, &bytes);
	free(packed);
	if (mini->data && find_tables(mini, bytes))
		return true;
	free(mini->data);
	mini->data = NULL;
	return false;
}
