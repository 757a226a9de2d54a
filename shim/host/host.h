/*
 * The functions of the host's libc behind ours: the next definition after
 * this library's in the order of the loader, so that other preloaded
 * libraries keep working.  The libraries are listed once, by the constructor or
 * the first call before it, and each function is looked up in them when it is
 * first called (first_use.h).  No other function of libc is ever called, since
 * the program may have one of that name.
 */
#ifndef SHIM_HOST_H
#define SHIM_HOST_H

#include <pthread.h>
#include <time.h>
#include <wchar.h>

#include "shim/host/first_use.h"

/* Those that we interpose, from here up to host_functions_end, and those of
 * them that are looked up while arming: next.c. */
extern HIDDEN const struct first_use host_functions[], host_functions_end[];
extern HIDDEN const struct first_use host_at_once[], host_at_once_end[];

/* False where a FILE is something else: then nothing can be recorded. */
extern bool host_is_glibc;

/* glibc's version: 2036 is 2.36; 0: it does not say. */
extern HIDDEN uint32_t host_libc_version;

/*
 * A FILE is laid out as here, also what is not part of libc's interface: which
 * of its flags says that threads share it, and its lock.  Where it is not known
 * (glibc is younger than all that were looked at, or what is seen of stdout is
 * not so), nothing is decided by these: calls go the longer way.
 */
extern HIDDEN bool host_knows_files;

/* libc's variable __abort_msg, or null. */
extern void *host_abort_message;

/* What a FILE that is not wide has after its visible part, or null. */
extern const void *host_file_jumps;

extern bool host_resolved;
void host_resolve_now(void);

/* What of this name comes behind us, or null.  While arming only. */
void *host_find(const char *name);

/* Afterwards all of them can be called; does nothing when that is so. */
static inline void host_resolve(void)
{
	if (unlikely(!host_resolved))
		host_resolve_now();
}

/* What libc's messages begin with; it has another name in <errno.h>, which a
 * program may have a variable of its own for. */
extern char *__progname;

/* What stdout and stderr are at first; null where libc does not tell. */
extern const FILE *host_file_stdout;
extern const FILE *host_file_stderr;

/* host_vsnprintf and so on, as in borrowed.def. */
#define BORROW(returns, name, parameters)                                      \
	extern returns(*host_##name) parameters;
#include "shim/host/borrowed.def"
#undef BORROW

/* libc knows that there is no other thread: a byte of it, or null. */
extern HIDDEN const char *host_single_threaded;

static inline bool host_is_single_threaded(void)
{
	return host_single_threaded && *host_single_threaded;
}

#endif
