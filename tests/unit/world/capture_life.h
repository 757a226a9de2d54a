/*
 * The life of a process that has a capture file, in a child of a unit test: the
 * blocks that it is given, and what is wrong with them.  The oracle is the
 * kernel, which is asked without the library's mappings.
 */
#ifndef TESTS_CAPTURE_LIFE_H
#define TESTS_CAPTURE_LIFE_H

#include "shim/host/inside.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "shim/file/capture_file.h"
#include "tests/unit/world/capture_host.h"
#include "tests/unit/world/inject_calls.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))
#define MIB ((uint64_t)1 << 20)
#define LARGE BINLOG_PREPARED_BLOCK
#define BLOCKS_MOST 64

enum wrong {
	RIGHT,
	OVER = 70,   /* all was done before the k-th call */
	IMPOSSIBLE,  /* calls cannot be made to fail here */
	LEFT_BEHIND, /* there is no file, and something of it */
	NOT_MADE,
	NOT_ZERO,
	SHARED,
	OUTSIDE,
	NOT_STORED,
	FORGOTTEN,
	KILLED,
};

static const struct inject_call calls[] = {
	{SYS_openat, EMFILE},
	{SYS_mkdirat, EACCES},
	{SYS_renameat, EACCES},
	{SYS_linkat, EPERM},
	{SYS_unlinkat, EACCES},
	{SYS_fchmod, EPERM},
	{SYS_fchmodat, EPERM},
	{SYS_pwritev, ENOSPC},
	{SYS_fstat, EIO},
	{SYS_newfstatat, EACCES},
	{SYS_fstatfs, ENOSYS},
	{SYS_statfs, EIO},
	{SYS_truncate, EFBIG},
	{SYS_ftruncate, ENOSPC},
	{SYS_mmap, ENOMEM},
	{SYS_mprotect, ENOMEM},
	{SYS_mremap, ENOMEM},
	{SYS_madvise, EFAULT},
	{SYS_prlimit64, EPERM},
};

/* What is there before. */
struct place {
	const uint32_t *sizes; /* of blocks, then 0 */
	uint64_t max_bytes;
	bool alone;   /* in the process */
	bool crowded; /* the directory is not ours alone */
	bool named;   /* no file can be without a name, as on NFS */
	uint64_t file_limit, address_limit; /* 0: none */
	mode_t mask;
};

static char directory[64], path[CAPTURE_FILE_PATH];
static struct {
	unsigned char *at;
	uint32_t size;
} blocks[BLOCKS_MOST];
static size_t block_count;

static inline bool is_filled(
	const unsigned char *p, size_t size, unsigned char with)
{
	return p[0] == with && memcmp(p, p + 1, size - 1) == 0;
}

static inline bool is_outside(size_t i)
{
	uint64_t offset = capture_file_offset(blocks[i].at);
	struct stat st;

	return stat(path, &st) != 0 || offset % BINLOG_PAGE != 0 ||
	       offset == 0 || offset + blocks[i].size > (uint64_t)st.st_size ||
	       capture_file_place(offset, blocks[i].size) !=
		       (char *)blocks[i].at;
}

static inline bool is_shared(size_t i)
{
	uint64_t from = capture_file_offset(blocks[i].at);

	for (size_t k = 0; k < i; k++) {
		uint64_t other = capture_file_offset(blocks[k].at);

		if (from < other + blocks[k].size &&
			other < from + blocks[i].size)
			return true;
	}
	return false;
}

/* The kernel's view of it: what the mappings say is in the file. */
static inline enum wrong read_back(void)
{
	static unsigned char bytes[BINLOG_BLOCK_MAX];
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	for (size_t i = 0; i < block_count; i++)
		if (pread(fd, bytes, blocks[i].size,
			    (off_t)capture_file_offset(blocks[i].at)) !=
				(ssize_t)blocks[i].size ||
			!is_filled(
				bytes, blocks[i].size, (unsigned char)(i + 1)))
			return NOT_STORED;
	close(fd);
	return RIGHT;
}

static inline void add(void *block, uint32_t size)
{
	if (!block || block_count == BLOCKS_MOST)
		return;
	blocks[block_count].at = block;
	blocks[block_count++].size = size;
}

/* Calls do not fail while what they were for is looked at. */
static inline enum wrong use(size_t i)
{
	if (!is_filled(blocks[i].at, blocks[i].size, 0))
		return NOT_ZERO;
	if (is_outside(i))
		return OUTSIDE;
	if (is_shared(i))
		return SHARED;
	memset(blocks[i].at, (int)i + 1, blocks[i].size);
	return RIGHT;
}

static inline enum wrong use_all(void)
{
	enum wrong wrong = RIGHT;

	for (size_t i = 0; i < block_count && !wrong; i++)
		wrong = use(i);
	return wrong ? wrong : read_back();
}

static inline void limit(int what, uint64_t bytes)
{
	const struct rlimit limit = {bytes, bytes};

	if (bytes)
		setrlimit((__rlimit_resource_t)what, &limit);
}

static inline void make_place(const struct place *place)
{
	if (place->crowded)
		chmod(directory, 0777);
	strcat(strcpy(path, directory), "/data/of.binlog");
	capture_host_set_alone(place->alone);
	signal(SIGXFSZ, SIG_DFL);
	umask(place->mask);
	limit(RLIMIT_FSIZE, place->file_limit);
	limit(RLIMIT_AS, place->address_limit);
}

static inline void make_directory(void)
{
	strcpy(directory, "/tmp/binlog-test-XXXXXX");
	assert_non_null(mkdtemp(directory));
}

static inline void clean_up(void)
{
	char command[96] = "rm -rf ";

	assert_int_equal(system(strcat(command, directory)), 0);
}

static inline enum wrong end_of(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	clean_up();
	return WIFEXITED(status) ? (enum wrong)WEXITSTATUS(status) : KILLED;
}

/* In a process of its own, with a file. */
static inline void happens_to(
	const struct place *place, enum wrong (*what)(void))
{
	enum wrong wrong;
	pid_t pid;

	make_directory();
	pid = fork();
	if (pid == 0) {
		make_place(place);
		if (!inject_calls_prepare(calls, LENGTH(calls)))
			_exit(IMPOSSIBLE);
		_exit((int)what());
	}
	wrong = end_of(pid);
	if (wrong == IMPOSSIBLE)
		skip();
	if (wrong)
		fail_msg("%d", wrong);
}

#endif
