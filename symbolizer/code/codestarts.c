#include "symbolizer/code/codestarts.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "symbolizer/elf/symtab.h"

/* .eh_frame_hdr as all linkers make it: counts of 4 bytes, pairs of signed */
/* distances from its own start. */
#define HEAD_BYTES 12
#define PAIR_BYTES 8
static const uint8_t usual_head[] = {1, 0x1b, 0x03, 0x3b};

static bool add(struct codestarts *starts, uint64_t address)
{
	uint64_t *addresses = array_grow(starts->addresses, &starts->room,
		starts->count, sizeof(*addresses));

	if (!addresses)
		return false;
	starts->addresses = addresses;
	addresses[starts->count++] = address;
	return true;
}

static bool add_symbols(struct codestarts *starts, struct elffile *file)
{
	struct symtab symtab;
	bool good = symtab_load(&symtab, file, SYMTAB_ALL);
	size_t i;

	for (i = 0; good && i < symtab.count; i++)
		if (symtab.symbols[i].type == STT_FUNC ||
			symtab.symbols[i].type == STT_GNU_IFUNC)
			good = add(starts, symtab.symbols[i].address);
	symtab_free(&symtab);
	return good;
}

static bool add_unwound(struct codestarts *starts, struct constantdata *data)
{
	size_t section = elffile_section_named(data->file, ".eh_frame_hdr");
	uint64_t base;
	const uint8_t *head;
	uint32_t count;
	int32_t distance;
	size_t left;
	size_t i;

	if (section == ELFFILE_NONE)
		return true;
	base = data->file->sections[section].address;
	head = constantdata_at(data, base, &left);
	if (!head || left < HEAD_BYTES ||
		memcmp(head, usual_head, sizeof(usual_head)) != 0)
		return true;
	memcpy(&count, head + HEAD_BYTES - sizeof(count), sizeof(count));
	left = (left - HEAD_BYTES) / PAIR_BYTES;
	for (i = 0; i < count && i < left; i++) {
		memcpy(&distance, head + HEAD_BYTES + i * PAIR_BYTES,
			sizeof(distance));
		if (!add(starts, base + (uint64_t)(int64_t)distance))
			return false;
	}
	return true;
}

static int compare(const void *left, const void *right)
{
	const uint64_t *a = left;
	const uint64_t *b = right;

	return *a < *b ? -1 : *a > *b;
}

static void sort(struct codestarts *starts)
{
	size_t kept = 0;
	size_t i;

	if (starts->count == 0)
		return;
	qsort(starts->addresses, starts->count, sizeof(*starts->addresses),
		compare);
	for (i = 1; i < starts->count; i++)
		if (starts->addresses[i] != starts->addresses[kept])
			starts->addresses[++kept] = starts->addresses[i];
	starts->count = kept + 1;
}

bool codestarts_load(struct codestarts *starts, struct constantdata *data)
{
	*starts = (struct codestarts){0};
	if (!add_symbols(starts, data->file) || !add_unwound(starts, data))
		return false;
	sort(starts);
	return true;
}

void codestarts_free(struct codestarts *starts)
{
	free(starts->addresses);
	*starts = (struct codestarts){0};
}

/* How many starts are not after `address`. */
static size_t count_until(const struct codestarts *starts, uint64_t address)
{
	size_t low = 0;
	size_t high = starts->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (starts->addresses[middle] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t codestarts_index(const struct codestarts *starts, uint64_t address)
{
	size_t count = count_until(starts, address);

	return count > 0 ? count - 1 : starts->count;
}

uint64_t codestarts_before(
	const struct codestarts *starts, uint64_t address, uint64_t least)
{
	size_t count = count_until(starts, address);

	if (count == 0 || starts->addresses[count - 1] < least)
		return least;
	return starts->addresses[count - 1];
}

uint64_t codestarts_after(
	const struct codestarts *starts, uint64_t address, uint64_t most)
{
	size_t count = count_until(starts, address);

	if (count == starts->count || starts->addresses[count] > most)
		return most;
	return starts->addresses[count];
}
