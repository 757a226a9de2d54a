/*
 * The message with which libc ends a program: __abort_msg, which libc sets
 * and debuggers and crash handlers read (GLIBC_PRIVATE, but found by name).
 * Set by the wrappers that say such a message in libc's place; read where a
 * program is about to die, since libc writes most of them ("free(): invalid
 * pointer") without a call that could be replaced.  Async-signal-safe.
 */
#ifndef SHIM_ABORT_MESSAGE_H
#define SHIM_ABORT_MESSAGE_H

#include "shim/record/capture.h"

/*
 * Makes `text`, of `length` bytes, the message, as libc would have: in a
 * mapping of its own, the one before it unmapped.  It counts as recorded.
 */
void abort_message_set(const char *text, size_t length);

/* libc itself is about to set this constant text, which is recorded. */
void abort_message_expect(const char *text);

/*
 * Records the message if libc has set one that is not recorded, as text that
 * libc has written itself (BINLOG_CONTEXT_ESCAPED) to the file behind
 * descriptor 2, provided that file is recorded.  Where text is recorded
 * instead of being written, it is taken out of the file again.
 */
void abort_message_record(const struct call *call);

#endif
