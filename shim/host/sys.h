/*
 * System calls without libc: no cancellation point, no errno, no name that
 * the program may have replaced.  They return the kernel's answer: negative
 * is -errno.  Async-signal-safe.
 */
#ifndef SHIM_SYS_H
#define SHIM_SYS_H

#include <sys/syscall.h>

/*
 * The program has asked for a seccomp filter: a system call that it does not
 * expect may kill it, so from then on we make none and all of ours fail.
 */
extern HIDDEN bool sys_forbidden;

/* The smallest page that there is: all of it can be read, or nothing. */
#define SYS_PAGE 4096u

#if defined(__clang_analyzer__)
/* What assembly writes it does not see: any function may write anywhere. */
long sys_enter(long number, long a, long b, long c, long d, long e, long f);
#elif defined(__x86_64__)
static inline long sys_enter(
	long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10),
			 "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}
#elif defined(__aarch64__)
static inline long sys_enter(
	long number, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}
#else
#error "binlog knows the system calls of x86-64 and aarch64"
#endif

static inline long sys_call6(
	long number, long a, long b, long c, long d, long e, long f)
{
	return likely(!sys_forbidden) ? sys_enter(number, a, b, c, d, e, f)
				      : -EPERM;
}

#define SYS0(name) sys_call6(SYS_##name, 0, 0, 0, 0, 0, 0)
#define SYS1(name, a) sys_call6(SYS_##name, (long)(a), 0, 0, 0, 0, 0)
#define SYS2(name, a, b) sys_call6(SYS_##name, (long)(a), (long)(b), 0, 0, 0, 0)
#define SYS3(name, a, b, c)                                                    \
	sys_call6(SYS_##name, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define SYS4(name, a, b, c, d)                                                 \
	sys_call6(SYS_##name, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define SYS6(name, a, b, c, d, e, f)                                           \
	sys_call6(SYS_##name, (long)(a), (long)(b), (long)(c), (long)(d),      \
		(long)(e), (long)(f))

/*
 * How much of the address space to take where a program may have only so
 * much: `wish`, or a 16th of RLIMIT_AS, at least `least`.
 */
size_t sys_fair_share(size_t wish, size_t least);

/*
 * The byte at `address` can be read.  Whoever watches the program does not see
 * that it was looked at, whatever is there.
 */
bool sys_is_readable(const void *address);

/*
 * How many of `size` bytes, from the first on, can be read: a system call for
 * each page.  Twice to four times as fast; but a checker may take it for a use
 * of them: they are such as the program has asked the kernel to read, or words
 * that a call has left.  Where the kernel does not answer, as under a seccomp
 * filter, all are believed to be there.
 */
size_t sys_readable(const void *bytes, size_t size);

/* All of them; false under a seccomp filter. */
bool sys_are_readable(const void *bytes, size_t size);

/*
 * False: some are where no process has addresses, so the kernel takes none of
 * them, in place of those before.
 */
bool sys_are_addresses(const struct iovec *v, int count);

/*
 * Copies what may be unmapped at any moment by another thread; false: it is not
 * there.  Where the kernel does not copy (it may not, before 4.8 in a
 * container) it is asked whether it is there, and then believed; under a
 * seccomp filter it is believed at once.
 */
bool sys_copy(void *to, const void *from, size_t size);

/*
 * The system calls are those of an emulator, which takes any advice and does
 * nothing about it (qemu-user).
 */
#if defined(__x86_64__)
static inline bool sys_is_emulated(void)
{
	return false;
}
#else
bool sys_is_emulated(void);
#endif

/* Where the calling thread's control block is.  gcc has a word for it on x86-64
 * from 11 on. */
static inline const char *sys_thread_pointer(void)
{
#if defined(__x86_64__)
	const char *self;

	/* Its first word points to itself (the psABI's section on TLS). */
	__asm__("movq %%fs:0, %0" : "=r"(self));
	return self;
#else
	return __builtin_thread_pointer();
#endif
}

/* What a system call returned is an error. */
static inline int sys_failed(long result)
{
	return (unsigned long)result > -4096ul;
}

#endif
