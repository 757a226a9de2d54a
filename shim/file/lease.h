/*
 * Whether anybody may be writing to a file: a lease, fcntl(2), of a descriptor
 * that cannot write is refused while another process has the file open for
 * writing, or mapped; and who would open it so waits until the lease ends.
 * Async-signal-safe; records nothing.
 */
#ifndef SHIM_LEASE_H
#define SHIM_LEASE_H

#include <signal.h>

#include "shim/host/sys.h"

/* The kernel's answer: -EAGAIN if somebody is writing, another error where
 * there are no leases.  Until lease_end(), or until `fd` is closed. */
static inline long lease_take(int fd)
{
	long result;

	/*
	 * We would be told by SIGIO, which kills, that somebody waits: let it
	 * be a signal that does not, for the moment until it is nobody who is
	 * told.
	 */
	result = SYS3(fcntl, fd, F_SETSIG, SIGURG);
	if (!sys_failed(result))
		result = SYS3(fcntl, fd, F_SETLEASE, F_RDLCK);
	SYS3(fcntl, fd, F_SETOWN, 0);
	return result;
}

/* Also one that a child has inherited, which was born meanwhile. */
static inline void lease_end(int fd)
{
	SYS3(fcntl, fd, F_SETLEASE, F_UNLCK);
}

#endif
