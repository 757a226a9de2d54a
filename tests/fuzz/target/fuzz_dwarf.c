/*
 * Damaged debug information of all kinds (DWARF 2 to 5, split, packaged, moved
 * by dwz) costs names at most: each question has an answer, and the same one
 * again.  The input is a list of sections: see elf_parts.h.
 */
#include "tests/fuzz/asked_names.h"
#include "tests/fuzz/elf_parts.h"

#define ADDRESSES 8 /* per part of code */

static struct elf_parts parts;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	one_file_begin();
	return 0;
}

size_t LLVMFuzzerCustomMutator(
	uint8_t *data, size_t size, size_t most, unsigned int seed)
{
	return elf_parts_mutate(data, size, most, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct resolver *resolver;
	size_t i;
	size_t k;

	elf_parts_list(&parts, data, size);
	elf_parts_build(&parts);
	one_file_set(parts.file, parts.file_bytes);
	resolver = asked_names_open(SYMTAB_ALL);
	for (i = 0; i < parts.count; i++) {
		const struct elf_part *part = &parts.parts[i];

		if (strcmp(elf_parts_name(&parts, i), ".text") != 0)
			continue;
		for (k = 0; k < ADDRESSES; k++)
			asked_names_at(resolver,
				part->address + k * part->bytes / ADDRESSES);
		asked_names_between(resolver, part->address);
	}
	resolver_free(resolver);
	return 0;
}
