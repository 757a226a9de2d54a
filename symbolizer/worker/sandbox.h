/*
 * What a process gives up before it reads strangers' files.  Called by the
 * symbolizer's worker when it has nothing left to open.  Promises that from
 * then on the process can compute, read what it has been handed and talk on
 * one socket, that it leaves no core, and that it does not outlive its
 * parent.
 */
#ifndef SYMBOLIZER_SANDBOX_H
#define SYMBOLIZER_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Where the socket is afterwards. */
#define SANDBOX_SOCKET 0

/*
 * Closes all descriptors but `socket`, which becomes SANDBOX_SOCKET.
 * `memory_bytes` is what it may take beyond what it has; the parent may raise
 * that with prlimit().  `parent` is the process that forked it.
 *
 * Every system call that is not needed ends the process with SIGSYS, but those
 * by which libraries look at the file system fail with EACCES.  Left out under
 * ThreadSanitizer, AddressSanitizer and valgrind, which make calls of their
 * own, take more memory and have something to say on standard error: the
 * filter, the limit of memory, the closing of standard error.  The filter
 * alone is left out by a kernel, or a container, that gives none.
 *
 * False when the parent is gone or the kernel refuses: then the process has to
 * end.
 */
bool sandbox_enter(int socket, uint64_t memory_bytes, pid_t parent);

#endif
