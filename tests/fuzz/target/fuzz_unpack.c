/*
 * Compressed sections (zlib, zstd) and MiniDebugInfo (xz) unpack to as much as
 * a file of that size may have, or to nothing.  The first byte of the input
 * says what the rest is: a compressed section with its header, an .xz stream,
 * or the small ELF file in one.
 */
#include "symbolizer/elf/symtab.h"
#include "tests/fuzz/elf_parts.h"
#include "tests/fuzz/one_file.h"
#include "tests/fuzz/stored_xz.h"

#define UNPACKED_PER_BYTE 64 /* of the file and 64 KiB */

enum { SECTION, STREAM, SMALL_FILE, KINDS };

static struct elf_parts parts;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	one_file_begin();
	return 0;
}

/* Keeps what is above one part of the file. */
static void make_file(
	const char *name, uint8_t flags, const uint8_t *data, size_t size)
{
	parts.count = 1;
	parts.parts[0] =
		(struct elf_part){.flags = flags, .bytes = (uint16_t)size};
	while (strcmp(elf_parts_name(&parts, 0), name) != 0)
		parts.parts[0].name++;
	parts.bytes[0] = data;
	elf_parts_build(&parts);
	one_file_set(parts.file, parts.file_bytes);
}

static size_t sum_of(const char *bytes, size_t count)
{
	size_t sum = 0;

	while (count-- > 0)
		sum += (uint8_t)bytes[count];
	return sum;
}

static void read_section(struct elffile *file)
{
	const char *why = NULL;
	size_t bytes = 0;
	char *data = elffile_read_section(file, 1, &bytes, &why);

	FUZZ_CHECK(data || why);
	if (!data)
		return;
	FUZZ_CHECK(data[bytes] == '\0');
	FUZZ_CHECK(bytes <= (file->bytes + 65536) * UNPACKED_PER_BYTE);
	FUZZ_CHECK(sum_of(data, bytes) <= bytes * 255);
	free(data);
}

/* Both tables are there, and the last name ends. */
static void read_small_file(struct elffile *file)
{
	struct minidebuginfo mini;

	if (!minidebuginfo_read(&mini, file))
		return;
	FUZZ_CHECK(sum_of(mini.symbols, mini.symbol_bytes) <=
		   mini.symbol_bytes * 255);
	FUZZ_CHECK(
		sum_of(mini.names, mini.name_bytes) <= mini.name_bytes * 255);
	FUZZ_CHECK(mini.names[mini.name_bytes - 1] == '\0');
	free(mini.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t stream[ELF_PARTS_BYTES_MAX];
	struct elffile file;

	if (size == 0 || size > sizeof(stream) - STORED_XZ_MORE)
		return 0;
	size--;
	switch (*data++ % KINDS) {
	case SECTION:
		make_file(".debug_str", ELF_PART_COMPRESSED, data, size);
		break;
	case STREAM:
		make_file(".gnu_debugdata", 0, data, size);
		break;
	default:
		size = stored_xz(stream, data, size);
		make_file(".gnu_debugdata", 0, stream, size);
	}
	FUZZ_CHECK(!elffile_open(&file, ONE_FILE_PATH));
	read_section(&file);
	read_small_file(&file);
	elffile_close(&file);
	return 0;
}
