/*
 * How much the captures of a directory may take on disk, and the oldest of them
 * removed where they take more (BINLOG_QUOTA).  Called when a capture is made,
 * and after one was lengthened, never on the way of a call.
 *
 * Promises to remove nothing but regular files of this user, with one name,
 * which is that which the library gives to a capture with that header, that
 * nobody has open for writing or mapped: see record/in_use.h.  Follows no link,
 * waits for nobody, looks at so many entries of the directory and no more.
 * Async-signal-safe.
 */
#ifndef SHIM_QUOTA_H
#define SHIM_QUOTA_H

#include <stdbool.h>
#include <stdint.h>

/* Once, while arming.  0: there is none, and nothing below does anything. */
void quota_set(uint64_t bytes);
bool quota_is_set(void);

/*
 * The directory is that of `path`, a capture or what will be one: it is nobody
 * else's, nor is any above it.
 */
void quota_fit(const char *path);

/* The same for another `bytes`.  False: they have no room. */
bool quota_makes_room(const char *path, uint64_t bytes);

/* The capture at `path` has `size` bytes by now: where that is much. */
void quota_lengthened(const char *path, uint64_t size);

#endif
