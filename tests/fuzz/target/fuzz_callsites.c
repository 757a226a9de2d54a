/*
 * The calls that print are found in any machine code, imports and symbols, and
 * each text that one is said to be given stands in the file, where nobody can
 * write.  The input is a list of sections: see elf_parts.h.
 */
#include "symbolizer/code/callsites.h"
#include "tests/fuzz/elf_parts.h"
#include "tests/fuzz/one_file.h"

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

static bool is_constant(const struct elf_part *part)
{
	return (elf_parts_names[part->name].flags & (SHF_ALLOC | SHF_WRITE)) ==
		       SHF_ALLOC &&
	       !(part->flags & ELF_PART_WRITABLE);
}

static bool is_there(const struct symbolizer_text *text)
{
	size_t i;

	for (i = 0; i < parts.count; i++)
		if (is_constant(&parts.parts[i]) &&
			memmem(parts.bytes[i], parts.parts[i].bytes,
				text->bytes, text->count))
			return true;
	return false;
}

static void take(void *closure, const struct symbolizer_call *call)
{
	size_t i;

	(void)closure;
	FUZZ_CHECK(call->function || call->target);
	FUZZ_CHECK(call->next == 0 || call->next > call->address);
	for (i = 0; i < call->text_count; i++)
		FUZZ_CHECK(is_there(&call->texts[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elffile file;

	elf_parts_list(&parts, data, size);
	elf_parts_build(&parts);
	one_file_set(parts.file, parts.file_bytes);
	if (elffile_open(&file, ONE_FILE_PATH))
		return 0;
	callsites_list(&file, take, NULL);
	elffile_close(&file);
	return 0;
}
