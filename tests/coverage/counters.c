/*
 * In everything that is built to measure coverage: the counters of branches
 * are pages of a file, which all processes share from their start.  So nothing
 * has to be written at the end, and those count too that are killed, forked,
 * in a sandbox, or strangers.  It calls no libc: the preloaded library has it
 * as well.
 */
#include "tests/coverage/counters.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "shim/host/inside.h"
#include "shim/host/sys.h"

/* From counters.ld and, of the section that -fprofile-info-section names, the
 * linker. */
extern HIDDEN uint64_t coverage_counts_begin[];
extern HIDDEN uint64_t coverage_counts_end[];
extern HIDDEN const struct gcov_info *const __start_gcov_infos[];
extern HIDDEN const struct gcov_info *const __stop_gcov_infos[];

__attribute__((visibility("default"))) const struct coverage coverage = {
	.begin = __start_gcov_infos,
	.end = __stop_gcov_infos,
};

/* Says which kind the counters are of; nobody calls it. */
HIDDEN void __gcov_merge_add(void);
HIDDEN void __gcov_merge_add(void)
{
}

static void *map(void *address, size_t size, int flags, long descriptor)
{
	long mapped = sys_enter(SYS_mmap, (long)address, (long)size,
		PROT_READ | PROT_WRITE, flags, descriptor, 0);

	return sys_failed(mapped) ? NULL : (void *)mapped;
}

/* What has been counted before the file was there. */
static void share(long descriptor, size_t size)
{
	size_t i, count = size / sizeof(uint64_t);
	uint64_t *early = map(NULL, size, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	if (!early)
		return;
	for (i = 0; i < count; i++)
		early[i] = coverage_counts_begin[i];
	if (map(coverage_counts_begin, size, MAP_SHARED | MAP_FIXED,
		    descriptor))
		for (i = 0; i < count; i++)
			if (early[i])
				__atomic_fetch_add(&coverage_counts_begin[i],
					early[i], __ATOMIC_RELAXED);
	sys_enter(SYS_munmap, (long)early, (long)size, 0, 0, 0, 0);
}

/* The first of all constructors.  Without the file nothing is counted. */
__attribute__((constructor(101))) static void begin(void)
{
	size_t size = (size_t)((char *)coverage_counts_end -
			       (char *)coverage_counts_begin);
	long descriptor = sys_enter(SYS_openat, AT_FDCWD, (long)COVERAGE_COUNTS,
		O_RDWR | O_CLOEXEC, 0, 0, 0);

	if (descriptor < 0)
		return;
	share(descriptor, size);
	sys_enter(SYS_close, descriptor, 0, 0, 0, 0, 0);
}
