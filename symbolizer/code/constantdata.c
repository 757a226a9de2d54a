#include "symbolizer/code/constantdata.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

bool constantdata_open(struct constantdata *data, struct elffile *file)
{
	size_t count = file->section_count + 1;

	*data = (struct constantdata){.file = file};
	data->sections = calloc(count, sizeof(*data->sections));
	data->tried = calloc(count, sizeof(*data->tried));
	if (data->sections && data->tried)
		return true;
	constantdata_close(data);
	return false;
}

void constantdata_close(struct constantdata *data)
{
	size_t i;

	for (i = 0; data->sections && i < data->file->section_count; i++)
		free(data->sections[i]);
	free(data->sections);
	free(data->tried);
	*data = (struct constantdata){0};
}

static bool is_constant(const struct elffile_section *section)
{
	const uint64_t flags = SHF_ALLOC | SHF_WRITE | SHF_TLS | SHF_COMPRESSED;

	return section->type == SHT_PROGBITS &&
	       (section->flags & flags) == SHF_ALLOC;
}

static bool is_in(const struct elffile_section *section, uint64_t address)
{
	return address >= section->address &&
	       address - section->address < section->bytes;
}

static const uint8_t *bytes_of(struct constantdata *data, size_t section)
{
	const char *why;
	size_t bytes;

	if (!data->tried[section]) {
		data->tried[section] = true;
		data->sections[section] =
			elffile_read_section(data->file, section, &bytes, &why);
	}
	return data->sections[section];
}

const uint8_t *constantdata_at(
	struct constantdata *data, uint64_t address, size_t *left)
{
	const struct elffile_section *sections = data->file->sections;
	const uint8_t *bytes;
	size_t i = data->last;

	if (i >= data->file->section_count || !is_in(&sections[i], address))
		i = elffile_section_at(data->file, address);
	if (i == ELFFILE_NONE || !is_constant(&sections[i]))
		return NULL;
	data->last = i;
	bytes = bytes_of(data, i);
	if (!bytes)
		return NULL;
	*left = sections[i].bytes - (address - sections[i].address);
	return bytes + (address - sections[i].address);
}

static size_t bounded(size_t left)
{
	return left < READLIMITS_TEXT_BYTES ? left : READLIMITS_TEXT_BYTES;
}

const uint8_t *constantdata_string(
	struct constantdata *data, uint64_t address, size_t *bytes)
{
	size_t left, within;
	const uint8_t *text = constantdata_at(data, address, &left);

	if (!text)
		return NULL;
	within = bounded(left);
	*bytes = strnlen((const char *)text, within);
	if (*bytes < within)
		return text;
	if (within < left)
		elffile_meet(data->file, READLIMIT_TEXT);
	return NULL;
}

const uint8_t *constantdata_wide(
	struct constantdata *data, uint64_t address, size_t *bytes)
{
	size_t left, within;
	const uint8_t *text = constantdata_at(data, address, &left);
	uint32_t character;
	size_t at;

	if (!text)
		return NULL;
	within = bounded(left);
	for (at = 0; within - at >= sizeof(character);
		at += sizeof(character)) {
		memcpy(&character, text + at, sizeof(character));
		*bytes = at;
		if (character == 0)
			return text;
	}
	if (within < left)
		elffile_meet(data->file, READLIMIT_TEXT);
	return NULL;
}
