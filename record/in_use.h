/*
 * Whether a capture may still grow.  Asked by readers before they call a
 * process cut off and before a capture is removed; promises an answer of the
 * kernel, which holds for processes of any namespace, also for those that have
 * nothing but a mapping of the file left.
 */
#ifndef RECORD_IN_USE_H
#define RECORD_IN_USE_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>

enum in_use { IN_USE_NO, IN_USE_YES, IN_USE_UNKNOWN };

/*
 * `fd` is open for reading only.  With IN_USE_NO nobody can open the file for
 * writing until in_use_release() or close(): who tries waits.  Unknown: the
 * file is another user's, or its file system does not tell.
 */
static inline enum in_use in_use_hold(int fd)
{
	/* Who waits for us lets us know; that must not kill. */
	signal(SIGIO, SIG_IGN);
	if (fcntl(fd, F_SETLEASE, F_RDLCK) == 0)
		return IN_USE_NO;
	return errno == EAGAIN ? IN_USE_YES : IN_USE_UNKNOWN;
}

static inline void in_use_release(int fd)
{
	fcntl(fd, F_SETLEASE, F_UNLCK);
}

#endif
