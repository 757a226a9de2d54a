#include "symbolizer/files/vdso.h"

#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

/* Its section headers are what it ends with. */
static size_t size_of(const Elf64_Ehdr *head)
{
	return head->e_shoff + (size_t)head->e_shnum * head->e_shentsize;
}

uint32_t vdso_sum(void)
{
	const Elf64_Ehdr *head = (const void *)getauxval(AT_SYSINFO_EHDR);

	return head ? (uint32_t)crc32(
			      0, (const void *)head, (uInt)size_of(head))
		    : 0;
}

int vdso_open(void)
{
	const Elf64_Ehdr *head = (const void *)getauxval(AT_SYSINFO_EHDR);
	int descriptor;

	if (!head) {
		errno = ENOENT;
		return -1;
	}
	descriptor = memfd_create("vdso", MFD_CLOEXEC);
	if (descriptor < 0)
		return -1;
	if (write(descriptor, head, size_of(head)) == (ssize_t)size_of(head))
		return descriptor;
	close(descriptor);
	return -1;
}
