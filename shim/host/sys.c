#include "shim/host/sys.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include "shim/host/bytes.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* Linux 5.14 */
#endif
#define WORD 8u /* of a signal mask */

bool sys_forbidden;

size_t sys_fair_share(size_t wish, size_t least)
{
	struct rlimit space = {RLIM_INFINITY, RLIM_INFINITY};

	if (wish <= least)
		return wish;
	SYS4(prlimit64, 0, RLIMIT_AS, NULL, &space);
	if (space.rlim_cur == RLIM_INFINITY || space.rlim_cur / 16 > wish)
		return wish;
	return space.rlim_cur / 16 < least ? least : space.rlim_cur / 16;
}

#if !defined(__x86_64__)
/* At address 0 there is nothing to be read. */
bool sys_is_emulated(void)
{
	static enum { UNKNOWN, NO, YES } known;

	if (unlikely(known == UNKNOWN))
		known = SYS3(madvise, NULL, 1, MADV_POPULATE_READ) == 0 ? YES
									: NO;
	return known == YES;
}
#endif

/*
 * Of the second word of the page: at 0 there would be no mask at all.
 *
 * The kernel copies the new mask before it looks at what to do with it, and
 * nothing is called ~0: EINVAL if there are eight bytes, and no effect.
 */
static long ask(const void *address)
{
	uintptr_t page = (uintptr_t)address & -(uintptr_t)SYS_PAGE;

	return SYS4(rt_sigprocmask, ~0u, page + WORD, NULL, WORD);
}

static bool has_word(const void *address)
{
	return ask(address) == -EINVAL;
}

/*
 * Checkers that watch what system calls read (valgrind) would take has_word()
 * for an error of the program, since its bytes need not be initialized.  But
 * older kernels do not know the first way, nor do mappings of devices.
 */
bool sys_is_readable(const void *address)
{
	long result = SYS3(madvise, (uintptr_t)address & -(uintptr_t)SYS_PAGE,
		1, MADV_POPULATE_READ);

	return result == -EINVAL || sys_is_emulated() ? has_word(address)
						      : result == 0;
}

/*
 * The request 0x1001 of valgrind, which has no system call to be asked by: to
 * the processor these are instructions that change nothing.
 */
static bool is_simulated(void)
{
#if defined(__x86_64__)
	const uint64_t request[6] = {0x1001};
	uint64_t answer = 0;

	__asm__ volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\t"
			 "rolq $61, %%rdi\n\trolq $51, %%rdi\n\t"
			 "xchgq %%rbx, %%rbx"
			 : "+d"(answer)
			 : "a"(request)
			 : "cc", "memory");
	return answer != 0;
#else
	return false;
#endif
}

size_t sys_readable(const void *bytes, size_t size)
{
	const char *at = bytes;
	/* valgrind would say that it does not know such a mask. */
	bool simulated = is_simulated();
	size_t done = 0;

	if (sys_forbidden)
		return size;
	/* A kernel that does not answer is not one that says no. */
	while (done < size && (simulated ? sys_is_readable(at + done)
					 : ask(at + done) != -EFAULT))
		done += SYS_PAGE - ((uintptr_t)at + done) % SYS_PAGE;
	return done < size ? done : size;
}

bool sys_are_readable(const void *bytes, size_t size)
{
	const char *at = bytes;
	bool simulated = is_simulated();

	for (size_t done = 0; done < size;
		done += SYS_PAGE - ((uintptr_t)at + done) % SYS_PAGE)
		if (!(simulated ? sys_is_readable(at + done)
				: has_word(at + done)))
			return false;
	return true;
}

bool sys_are_addresses(const struct iovec *v, int count)
{
	const struct iovec nothing = {NULL, 0};

	return SYS6(process_vm_readv, SYS0(getpid), v, count, &nothing, 1, 0) !=
	       -EFAULT;
}

bool sys_copy(void *to, const void *from, size_t size)
{
	struct iovec ours = {to, size},
		     theirs = {(void *)(uintptr_t)from, size};
	long copied = sys_forbidden ? -EPERM
				    : SYS6(process_vm_readv, SYS0(getpid),
					      &ours, 1, &theirs, 1, 0);

	if (!sys_failed(copied) || copied == -EFAULT)
		return copied == (long)size;
	if (!sys_forbidden && !sys_are_readable(from, size))
		return false;
	bytes_copy(to, from, size);
	return true;
}
