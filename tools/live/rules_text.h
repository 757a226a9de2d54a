/*
 * The text of the rules that a process obeys: in its capture file, in a block
 * of a writer that is no thread, so that a capture says under which rules it
 * was made.  Called by switching.c and status.c.  Promises that no text is
 * changed once it is there, and that the file grows by the agreement of those
 * who write to it (record/file_growth.h).
 */
#ifndef TOOLS_CTL_RULES_TEXT_H
#define TOOLS_CTL_RULES_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/switches.h"

/*
 * What `switches` say is in force, out of the file; the caller's to free.  Not
 * terminated.  Null: there is none, *bytes is 0, or it cannot be read: errno.
 */
char *rules_text_read(
	int fd, const struct binlog_switches *switches, size_t *bytes);

/*
 * Writes a text of 1 to RULES_TEXT_MAX bytes into the file, which is open for
 * writing and whose header page is mapped; *at is where it is.  False: errno
 * says why not.  Who calls holds the lock of the switches.
 */
bool rules_text_write(int fd, struct binlog_header *header, const char *text,
	size_t bytes, uint64_t *at);

#endif
