/*
 * The calls that print, and what any call hands on, are found in any machine
 * code of x86-64 and aarch64, imports and symbols; each text that one is said to be given stands in
 * the file, where nobody can write.  The input is a list of sections: see elf_parts.h.
 */
#include "symbolizer/code/callsites.h"
#include "symbolizer/code/handed.h"
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

/* Return addresses that are asked about. */
#define ASKED_MAX 16

struct asked {
	uint64_t next[ASKED_MAX];
	size_t count;
};

static void take_handed(void *closure, const struct symbolizer_handed *handed)
{
	const struct symbolizer_text text = {
		.bytes = (const uint8_t *)handed->bytes,
		.count = handed->count + 1,
	};

	(void)closure;
	FUZZ_CHECK(handed->how < SYMBOLIZER_HANDINGS);
	if (handed->call || handed->end)
		FUZZ_CHECK(handed->begin <= handed->call &&
			   handed->call < handed->end);
	FUZZ_CHECK(is_there(&text));
}

static void ask(struct elffile *file, const struct asked *asked)
{
	struct handed handed = {0};
	struct constantdata data;
	size_t i;

	if (!constantdata_open(&data, file))
		return;
	for (i = 0; i < asked->count; i++)
		handed_each(&handed, &data, asked->next[i], take_handed, NULL);
	handed_list(&handed, &data, take_handed, NULL);
	handed_free(&handed);
	constantdata_close(&data);
}

static void take(void *closure, const struct symbolizer_call *call)
{
	struct asked *asked = closure;
	size_t i;

	if (asked->count < ASKED_MAX && call->next)
		asked->next[asked->count++] = call->next;
	FUZZ_CHECK(call->function || call->target);
	FUZZ_CHECK(call->next == 0 || call->next > call->address);
	for (i = 0; i < call->text_count; i++)
		FUZZ_CHECK(is_there(&call->texts[i]));
}

static void try_as(uint16_t machine)
{
	struct asked asked = {0};
	struct elffile file;

	parts.machine = machine;
	elf_parts_build(&parts);
	one_file_set(parts.file, parts.file_bytes);
	if (elffile_open(&file, ONE_FILE_PATH))
		return;
	callsites_list(&file, take, &asked);
	ask(&file, &asked);
	elffile_close(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	elf_parts_list(&parts, data, size);
	try_as(EM_X86_64);
	try_as(EM_AARCH64);
	return 0;
}
