#include "symbolizer/elf/trampoline.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

static const struct code {
	uint8_t bytes[12];
	size_t count;
} codes[] = {
	/* x86-64: mov $SYS_rt_sigreturn, %rax (gcc) or %eax (musl); syscall */
	{{0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05}, 9},
	{{0xb8, 15, 0, 0, 0, 0x0f, 0x05}, 7},
	/* aarch64: mov x8, #SYS_rt_sigreturn; svc #0 */
	{{0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4}, 8},
};

static bool begins_with(struct elffile *file,
	const struct elffile_section *section, uint64_t address,
	const struct code *code)
{
	uint64_t at = address - section->address;
	bool same;
	void *bytes;

	if (section->bytes - at < code->count)
		return false;
	bytes = elffile_read(file, section->offset + at, code->count);
	same = bytes && memcmp(bytes, code->bytes, code->count) == 0;
	free(bytes);
	return same;
}

bool trampoline_is_at(struct elffile *file, uint64_t address)
{
	size_t index = elffile_section_at(file, address);
	const struct elffile_section *section;
	size_t i;

	if (index == ELFFILE_NONE)
		return false;
	section = &file->sections[index];
	if (section->type == SHT_NOBITS || !(section->flags & SHF_EXECINSTR) ||
		section->flags & SHF_COMPRESSED)
		return false;
	for (i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (begins_with(file, section, address, &codes[i]))
			return true;
	return false;
}
