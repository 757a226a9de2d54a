/*
 * Cancellation (pthread_cancel) where natively it would act: glibc's stdio is
 * cancelled in the write(2) of a FILE that is full, has got a whole line, or
 * has no buffer.  Recording makes no such call, so it asks at these moments.
 * Nothing is asked for before the program has called pthread_cancel(): from
 * then on, text for a FILE that is not fully buffered goes the long way.
 *
 * What natively becomes of the text (glibc 2.36, libio/fileops.c: the write
 * comes after the copy into the buffer, and a buffer is emptied only after it
 * has been written):
 * - no buffer: the call is cancelled before anything is written, so ask first;
 *   but a single character has got into the buffer of one byte.
 * - lines: the line stays in the buffer and is written later, so ask after.
 * - fully buffered: likewise, once the buffer is full; but a block that is as
 *   large as the buffer, which is empty, is written at once, and so lost.
 *
 * error() disables cancellation; getopt(), malloc_stats(), herror() and
 * psiginfo() write by calls that are no cancellation points.
 */
#ifndef SHIM_CANCEL_H
#define SHIM_CANCEL_H

#include <pthread.h>

#include "shim/host/inside.h"

/* How often pthread_cancel() has been called; 0: never. */
extern HIDDEN uint32_t cancel_requests;

static inline bool cancel_is_on(void)
{
	return __atomic_load_n(&cancel_requests, __ATOMIC_RELAXED) != 0;
}

/* A text of this stream may be a moment to ask at: only the long way does. */
struct writer;
bool cancel_matters(const struct writer *w, unsigned stream);

/* Before and after pthread_cancel(): the short ways look again. */
void cancel_requested(pthread_t thread);

/* The calling thread ends, by pthread_exit() or since it is cancelled. */
void cancel_unwinds(void *unused);

/* May not come back. */
void cancel_before_slow(unsigned stream, size_t block);
void cancel_before_character_slow(unsigned stream);
void cancel_after_slow(unsigned stream, size_t size, bool is_line);
void cancel_after_character_slow(unsigned stream, int c);

/*
 * Around the recording of a text for a FILE, where no lock is held and nothing
 * is left half done.  `block`: so many bytes are given to libc as they are; 0:
 * it makes the text piece by piece.  `is_line`: there is a newline in it.
 */
static inline void cancel_before(unsigned stream, size_t block)
{
	if (unlikely(cancel_is_on()))
		cancel_before_slow(stream, block);
}

/* One that goes into the buffer, whatever that is, before anybody is asked. */
static inline void cancel_before_character(unsigned stream)
{
	if (unlikely(cancel_is_on()))
		cancel_before_character_slow(stream);
}

static inline void cancel_after_character(unsigned stream, int c)
{
	if (unlikely(cancel_is_on()))
		cancel_after_character_slow(stream, c);
}

/* Before what waits in a FILE, or in all of them, is written. */
void cancel_before_flush(const FILE *file);

/* Around what natively is no cancellation point; returns what was before. */
int cancel_disable(void);
void cancel_restore(int state);

#endif
