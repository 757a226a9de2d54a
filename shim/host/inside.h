/*
 * Included by force before everything that ends up in libbinlog.so.  It runs
 * in a stranger's process: at any time, in any thread, in signal handlers,
 * before constructors, between fork and exec.  So it may not allocate, lock,
 * print, exit or abort, and the names that would do so cannot be used.
 */
#ifndef SHIM_INSIDE_H
#define SHIM_INSIDE_H

#include <features.h>
/* Else scanf is another name for __isoc99_scanf, and could not be defined. */
#undef __GLIBC_USE_DEPRECATED_SCANF
#define __GLIBC_USE_DEPRECATED_SCANF 1

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* There is fast_x86_64.S. */
#if defined(__x86_64__) && !defined(PORTABLE)
#define FAST_CODE 1
#else
#define FAST_CODE 0
#endif

#if defined(__aarch64__)
/* The compiler's library asks libc what the processor has, before it does an
 * atomic operation: what all processors have will do. */
#pragma GCC target("no-outline-atomics")
#endif

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define COLD __attribute__((noinline, cold))
/* Of a variable that others use: it is reached without the table of offsets
 * that symbols of other libraries need. */
#define HIDDEN __attribute__((visibility("hidden")))

/* Orders our stores as a signal handler of the same thread sees them. */
#define SIGNAL_FENCE() __atomic_signal_fence(__ATOMIC_SEQ_CST)

/*
 * For ThreadSanitizer (`make check-tsan`).  What the kernel orders: all that
 * was done before GIVE comes before all that follows TAKE.  IGNORE: a function
 * that looks at what is not ordered, and may.  OWNER_ADD: to a word that others
 * look at, and one thread changes, in one instruction.
 */
#if defined(__SANITIZE_THREAD__)
void __tsan_acquire(void *);
void __tsan_release(void *);
#define TSAN_GIVE(place) __tsan_release(place)
#define TSAN_TAKE(place) __tsan_acquire(place)
#define OWNER_ADD(word, n)                                                     \
	__atomic_store_n(&(word), (word) + (n), __ATOMIC_RELAXED)
#define TSAN_IGNORE __attribute__((no_sanitize("thread"), noinline))
#else
#define TSAN_GIVE(place) ((void)(place))
#define TSAN_TAKE(place) ((void)(place))
#define OWNER_ADD(word, n) ((word) += (n))
#define TSAN_IGNORE
#endif

/* With TRAP=1, as TSAN_IGNORE: not this function. */
#define UBSAN_IGNORE __attribute__((no_sanitize("undefined")))

/* libc's own, although the program may export an __errno_location. */
extern HIDDEN int *(*host_errno)(void)__attribute__((const));
#undef errno
#define errno (*host_errno())

#pragma GCC poison malloc calloc realloc free strdup
#pragma GCC poison pthread_mutex_lock pthread_mutex_unlock
#pragma GCC poison sprintf snprintf vsprintf asprintf vasprintf
#pragma GCC poison getenv setenv putenv sleep usleep

#endif
