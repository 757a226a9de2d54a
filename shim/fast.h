/*
 * The short way to record a call on a FILE: for one that has been met before,
 * with the same stack, on a stream where nothing is unusual.  Called by the
 * interposed functions before anything else; has everything in registers, and
 * either records the call and is done, or has done nothing at all: then the
 * long way (wrappers/handlers.h) begins from the beginning.  Async-signal-safe;
 * no system call.  `pc`, `sp` and `fp` are the caller's, as in struct call.
 */
#ifndef SHIM_FAST_H
#define SHIM_FAST_H

#include "shim/capture.h"

/* Longer blocks take the long way. */
#define FAST_BYTES_MAX 4096u

/* What printf returns, or CAPTURE_PASS. */
int fast_format(uintptr_t pc, uintptr_t sp, uintptr_t fp, FILE *file,
	const char *format, va_list arguments);

/* fwrite(). */
bool fast_bytes(uintptr_t pc, uintptr_t sp, uintptr_t fp, FILE *file,
	const void *bytes, size_t size);

/*
 * fputs() with BINLOG_TEXT_BYTES, puts() with BINLOG_TEXT_BYTES_LINE: the
 * length of the string, or -1.
 */
int fast_string(uintptr_t pc, uintptr_t sp, uintptr_t fp, FILE *file,
	const char *s, unsigned text);

/* putc(). */
bool fast_character(
	uintptr_t pc, uintptr_t sp, uintptr_t fp, FILE *file, int c);

#endif
