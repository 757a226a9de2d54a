/*
 * A file system for the symbolizer in which every path leads to one file, the
 * input, in memory: the program that is asked about, its debug file, its
 * split units, their package and its supplement.  For targets that read an
 * ELF file in this process, as the symbolizer's worker does in its own.
 */
#ifndef TESTS_FUZZ_ONE_FILE_H
#define TESTS_FUZZ_ONE_FILE_H

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbolizer/files/openfile.h"
#include "tests/fuzz/fuzz.h"

#define ONE_FILE_PATH "/program"

static int one_file = -1;
static uint64_t one_file_bytes;

static inline enum openfile_result one_file_open(void *closure,
	struct openfile *file, const char *root, const char *path)
{
	(void)closure;
	(void)root;
	(void)path;
	file->descriptor = dup(one_file);
	file->bytes = one_file_bytes;
	file->bytes_on_disk = one_file_bytes;
	return file->descriptor < 0 ? OPENFILE_FAILED : OPENFILE_FINE;
}

static inline char *one_file_real_path(
	void *closure, const char *root, const char *path)
{
	(void)closure;
	(void)root;
	return strdup(path);
}

/* Once per process. */
static inline void one_file_begin(void)
{
	const struct openfile_deputy deputy = {
		.open = one_file_open,
		.real_path = one_file_real_path,
	};

	one_file = memfd_create("program", MFD_CLOEXEC);
	FUZZ_CHECK(one_file >= 0);
	openfile_delegate(&deputy);
}

/* From now on the file is this; nobody has it open any longer. */
static inline void one_file_set(const void *data, size_t bytes)
{
	FUZZ_CHECK(pwrite(one_file, data, bytes, 0) == (ssize_t)bytes);
	if (bytes < one_file_bytes)
		FUZZ_CHECK(ftruncate(one_file, (off_t)bytes) == 0);
	one_file_bytes = bytes;
}

#endif
