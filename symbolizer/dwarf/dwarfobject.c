#include "symbolizer/dwarf/dwarfobject.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbolizer/dwarf/dwarfunit.h"

/* What may be read of a section in any case. */
#define FREE_BYTES ((uint64_t)1 << 20)

static const char *const names[][DWARFOBJECT_SECTIONS] = {
	[DWARFOBJECT_WHOLE] =
		{
			[DWARFOBJECT_INFO] = ".debug_info",
			[DWARFOBJECT_ABBREV] = ".debug_abbrev",
			[DWARFOBJECT_STR] = ".debug_str",
			[DWARFOBJECT_STR_OFFSETS] = ".debug_str_offsets",
			[DWARFOBJECT_RNGLISTS] = ".debug_rnglists",
			[DWARFOBJECT_LINE] = ".debug_line",
			[DWARFOBJECT_LINE_STR] = ".debug_line_str",
			[DWARFOBJECT_ADDR] = ".debug_addr",
			[DWARFOBJECT_RANGES] = ".debug_ranges",
		},
	[DWARFOBJECT_SPLIT] =
		{
			[DWARFOBJECT_INFO] = ".debug_info.dwo",
			[DWARFOBJECT_ABBREV] = ".debug_abbrev.dwo",
			[DWARFOBJECT_STR] = ".debug_str.dwo",
			[DWARFOBJECT_STR_OFFSETS] = ".debug_str_offsets.dwo",
			[DWARFOBJECT_RNGLISTS] = ".debug_rnglists.dwo",
			[DWARFOBJECT_CU_INDEX] = ".debug_cu_index",
		},
};

/* False when the kernel will not map it. */
static bool map_section(struct dwarfobject *object, unsigned which,
	const struct elffile *file, const struct elffile_section *section)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t before = section->offset % page;
	char *start =
		mmap(NULL, section->bytes + before, PROT_READ, MAP_PRIVATE,
			file->descriptor, (off_t)(section->offset - before));

	if (start == MAP_FAILED)
		return false;
	object->storage[which].start = start;
	object->storage[which].bytes = section->bytes + before;
	object->sections[which].data = (const uint8_t *)start + before;
	object->sections[which].bytes = section->bytes;
	return true;
}

/* True also when the file has no such section. */
static bool take_section(struct dwarfobject *object, unsigned which,
	struct elffile *file, const char *name, const char **why)
{
	size_t number = elffile_section_named(file, name);
	const struct elffile_section *section;
	size_t bytes;
	void *data;

	if (number == ELFFILE_NONE)
		return true;
	section = &file->sections[number];
	if (section->type == SHT_NOBITS || section->bytes == 0)
		return true;
	if (!(section->flags & SHF_COMPRESSED) &&
		map_section(object, which, file, section))
		return true;
	data = elffile_read_section(file, number, &bytes, why);
	if (!data)
		return false;
	object->storage[which].start = data;
	object->sections[which].data = data;
	object->sections[which].bytes = bytes;
	return true;
}

struct dwarfobject *dwarfobject_open(
	struct elffile *file, enum dwarfobject_kind kind, const char **why)
{
	struct dwarfobject *object = calloc(1, sizeof(*object));
	const char *reason = NULL;
	bool fine = object != NULL;
	unsigned i;

	*why = NULL;
	for (i = 0; i < DWARFOBJECT_SECTIONS && fine; i++)
		if (names[kind][i])
			fine = take_section(
				object, i, file, names[kind][i], &reason);
	if (fine && object->sections[DWARFOBJECT_INFO].bytes > 0 &&
		object->sections[DWARFOBJECT_ABBREV].bytes > 0) {
		object->path = file->path ? strdup(file->path) : NULL;
		return object;
	}
	if (!fine)
		*why = reason;
	dwarfobject_close(object);
	return NULL;
}

void dwarfobject_spend(struct dwarfobject *object,
	enum dwarfobject_section section, uint64_t bytes)
{
	object->spent[section] += bytes;
}

bool dwarfobject_exhausted(
	struct dwarfobject *object, enum dwarfobject_section section)
{
	const uint64_t spent = object->spent[section];

	if (spent <= FREE_BYTES ||
		spent - FREE_BYTES <= readlimits_times(READLIMIT_SHARED_TIMES,
					      object->sections[section].bytes))
		return false;
	dwarfobject_note(object, READLIMIT_SHARED_TIMES);
	return true;
}

void dwarfobject_note(struct dwarfobject *object, enum readlimit limit)
{
	if (object->met & 1u << limit)
		return;
	object->met |= 1u << limit;
	readlimits_note(limit, object->path ? object->path : "a file");
}

void dwarfobject_close(struct dwarfobject *object)
{
	unsigned i;

	if (!object)
		return;
	for (i = 0; i < DWARFOBJECT_SECTIONS; i++)
		if (object->storage[i].bytes > 0)
			munmap(object->storage[i].start,
				object->storage[i].bytes);
		else
			free(object->storage[i].start);
	dwarfabbrev_free(&object->abbreviations);
	dwarfobject_close(object->supplement);
	free(object->path);
	free(object->units);
	free(object);
}
