/*
 * Any file as a program, its loader and its libc, as binlog-run looks at them
 * before it starts anything: the lists in it end, the names in it end, and it
 * is either accepted or refused with a sentence.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"
#include "tools/program/elf_image.h"

static int file = -1;
static char path[32];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	file = memfd_create("program", MFD_CLOEXEC);
	FUZZ_CHECK(file >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	return 0;
}

/* How many of something a file may have in its lists. */
#define MOST (ELF_IMAGE_LONGEST_LIST + 2)

static void walk(struct elf_image *image)
{
	/* That one is damaged ends no walk. */
	struct elf_image other = {.why = "damaged"};
	char library[ELF_IMAGE_NAME];
	char name[ELF_IMAGE_NAME];
	uint64_t place = 0;
	unsigned count = 0;

	while (elf_image_next_needed(image, &place, name)) {
		FUZZ_CHECK(memchr(name, '\0', sizeof(name)));
		FUZZ_CHECK(++count < MOST);
	}
	FUZZ_CHECK(!elf_image_lacks(image, &other, "", name));
	other.why = NULL;
	if (elf_image_lacks(image, &other, "lib", name))
		FUZZ_CHECK(memchr(name, '\0', sizeof(name)));
	elf_image_defines(image, "GLIBC_", false);
	elf_image_defines(image, "GLIBC_2.34", true);
	if (elf_image_loader(image, library, sizeof(library)))
		FUZZ_CHECK(memchr(library, '\0', sizeof(library)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char digits[ELF_IMAGE_BUILD_ID];
	struct elf_image image;

	FUZZ_CHECK(pwrite(file, data, size, 0) == (ssize_t)size);
	FUZZ_CHECK(ftruncate(file, (off_t)size) == 0);
	FUZZ_CHECK(elf_image_open(&image, path));
	walk(&image);
	elf_image_close(&image);
	if (elf_image_build_id(path, digits))
		FUZZ_CHECK(strlen(digits) % 2 == 0);
	return 0;
}
