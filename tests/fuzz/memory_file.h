/*
 * A file in memory that has a path, for readers that open what they read.
 * Used by the targets that read logs; made once, filled for each input.
 */
#ifndef TESTS_FUZZ_MEMORY_FILE_H
#define TESTS_FUZZ_MEMORY_FILE_H

#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

/* All zeros is one that is not made yet. */
struct memory_file {
	int fd;
	char path[32];
	size_t size;
};

/* The file's first bytes from `at` on are these, and nothing follows. */
static inline void memory_file_fill(
	struct memory_file *file, size_t at, const void *bytes, size_t size)
{
	if (!file->fd) {
		file->fd = memfd_create("input", MFD_CLOEXEC);
		FUZZ_CHECK(file->fd > 0);
		snprintf(file->path, sizeof(file->path), "/proc/self/fd/%d",
			file->fd);
	}
	if (size > 0)
		FUZZ_CHECK(pwrite(file->fd, bytes, size, (off_t)at) ==
			   (ssize_t)size);
	if (at + size < file->size)
		FUZZ_CHECK(ftruncate(file->fd, (off_t)(at + size)) == 0);
	file->size = at + size;
}

#endif
