#include "decoder/capture/core_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/layout.h"

static int open_file(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

bool core_file_is(const char *path)
{
	Elf64_Ehdr head;
	int fd = open_file(path);
	ssize_t n;

	if (fd < 0)
		return false;
	n = pread(fd, &head, sizeof(head), 0);
	close(fd);
	return n == sizeof(head) &&
	       memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
	       head.e_ident[EI_CLASS] == ELFCLASS64 && head.e_type == ET_CORE;
}

static bool read_header(int fd, uint64_t offset, struct binlog_header *header)
{
	return pread(fd, header, sizeof(*header), (off_t)offset) ==
		       sizeof(*header) &&
	       memcmp(header->magic, BINLOG_MAGIC, sizeof(header->magic)) ==
		       0 &&
	       header->byte_order == BINLOG_BYTE_ORDER;
}

struct found {
	uint64_t *headers;
	uint64_t nonces[LIMITS_CORE_CAPTURES];
	size_t count;
	bool more;
};

/* Enters it unless it is there: a page may be mapped twice. */
static void enter(int fd, struct found *found, uint64_t offset)
{
	struct binlog_header here;
	size_t i;

	if (!read_header(fd, offset, &here))
		return;
	for (i = 0; i < found->count; i++)
		if (found->nonces[i] == here.nonce)
			return;
	found->more = found->count == LIMITS_CORE_CAPTURES;
	if (found->more)
		return;
	found->nonces[found->count] = here.nonce;
	found->headers[found->count++] = offset;
}

size_t core_file_captures(
	const char *path, uint64_t headers[LIMITS_CORE_CAPTURES], bool *more)
{
	static const char magic[] = BINLOG_MAGIC;
	char pages[64 * BINLOG_PAGE];
	uint64_t offset = BINLOG_PAGE;
	struct found found = {.headers = headers};
	int fd = open_file(path);
	ssize_t n;

	while (fd >= 0 && !found.more &&
		(n = pread(fd, pages, sizeof(pages), (off_t)offset)) > 0) {
		off_t data;
		size_t i;

		for (i = 0; i + sizeof(magic) <= (size_t)n && !found.more;
			i += BINLOG_PAGE)
			if (memcmp(pages + i, magic, sizeof(magic) - 1) == 0)
				enter(fd, &found, offset + i);
		offset += sizeof(pages);
		data = lseek(fd, (off_t)offset, SEEK_DATA);
		if (data < 0 && errno == ENXIO)
			break; /* nothing but a hole is left */
		if (data > (off_t)offset)
			offset = (uint64_t)data & ~(uint64_t)(BINLOG_PAGE - 1);
	}
	if (fd >= 0)
		close(fd);
	*more = found.more;
	return found.count;
}
