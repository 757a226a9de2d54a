/*
 * The capture file of this process: created once by the constructor, shared
 * with forked children, grown block by block.  Called on the slow path only.
 * A full disk, a limit, a closed descriptor or a forbidden system call is a
 * null pointer, never a signal.  Lock-free, async-signal-safe.
 */
#ifndef SHIM_CAPTURE_FILE_H
#define SHIM_CAPTURE_FILE_H

#include "record/layout.h"

/* The mapped header page; null without a capture file. */
extern struct binlog_header *capture_file_header;

/*
 * Creates `path` (mode 0600) for at most `max_bytes` and maps it; under a name
 * that readers do not look for until the header is written.  *header is copied
 * into its first page.  False: no file, nothing left.
 */
bool capture_file_create(const char *path, uint64_t max_bytes,
	const struct binlog_header *header);

/*
 * A zeroed block of `size` bytes (a multiple of BINLOG_PAGE), mapped and
 * backed by disk, so that stores into it cannot fail.  Null: there is none.
 */
void *capture_file_claim(uint32_t size);

/* Whether `fd` is our descriptor, which the program must not see. */
bool capture_file_owns(int fd);

/* Our descriptor, or -1. */
int capture_file_descriptor(void);

/* The program is about to use the number of our descriptor: take another. */
void capture_file_evade(void);

#endif
