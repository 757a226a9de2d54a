/*
 * Where in the file system this process may still write (Landlock).  Used by
 * confine.c; promises that reading goes on as it was, and that a kernel which
 * has less of it gives what it has.
 */
#ifndef CONFINE_LANDLOCK_H
#define CONFINE_LANDLOCK_H

#include <stdbool.h>
#include <stddef.h>

/*
 * From here on nothing is executed, and nothing is written, made or removed
 * but below these directories (those that are there); what is open stays so.
 * No TCP connection is made, no abstract socket of others is reached and no
 * signal is sent to them, as far as the kernel knows of these.  /proc of other
 * processes shows what it shows to any user.
 *
 * Only the calling thread and what it starts: to be called before there are
 * others.  PR_SET_NO_NEW_PRIVS has to be set.  False: the kernel has none, or
 * a rule cannot be made; then nothing has changed.
 */
bool landlock_keep_writing_below(const char *const *directories, size_t count);

#endif
