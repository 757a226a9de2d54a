/*
 * What a person at a terminal has to see although text for it is recorded and
 * not written (`replace`): lines without an end, such as prompts.  Called after
 * each record of such text, when a FILE is flushed and before an answer is
 * read; shows them by system calls of its own, so nothing is recorded twice.
 * Async-signal-safe, keeps errno; one state for all threads, which wait for
 * each other as they would for the FILE.
 */
#ifndef SHIM_TERMINAL_H
#define SHIM_TERMINAL_H

#include "shim/record/capture.h"

/* Bytes, and a newline after them if `line`, were recorded for `stream`. */
void terminal_bytes(unsigned stream, const void *bytes, size_t size, bool ends);

/* The same for a call with a format; see capture_format(). */
void terminal_format(
	const struct capture_text *how, const char *format, va_list arguments);

/* A FILE writes what it holds back; `stream` 0: all FILEs do. */
void terminal_flushed(unsigned stream);

/* Anything that an answer may be waited for is held back or on the screen. */
bool terminal_waits(void);

/* The program is about to read from this descriptor, perhaps of a terminal. */
void terminal_asked(int fd);

/* The settings of some terminal were changed. */
void terminal_changed(void);

#endif
