/*
 * Bytes in the buffers of FILEs: put there by macros (putc_unlocked) and by
 * libraries that know the buffer, without any call that we could replace.
 * They are recorded, in order, before the next call on the stream, and at
 * flush, fork, close and exit.  Streams that are replaced have nothing else
 * in their buffers, so whatever is found there is taken out; for streams that
 * are also written it is remembered up to where the buffer is known.
 */
#ifndef SHIM_STDIO_BUFFER_H
#define SHIM_STDIO_BUFFER_H

#include "shim/record/capture.h"
#include "shim/streams/streams.h"
#include "shim/writer/stdio_turn.h"

/* Records what is unknown in the buffer, unless that is in use. */
void stdio_buffer_drain(const struct call *call, FILE *file, unsigned stream);

/* The same for all FILEs that may have something, as what natively flushes all
 * of them does. */
void stdio_buffer_drain_all(const struct call *call);

/*
 * The same for those that no other thread is using: what natively touches no
 * buffer must not find half a character there, nor leave half of one.
 */
void stdio_buffer_drain_own(const struct call *call);

/* Some FILE has something in its buffer that may have to be recorded. */
bool stdio_buffer_is_used(void);

/*
 * A macro has found the buffer of this FILE full or missing: remember it.
 * False: too many are.
 */
bool stdio_buffer_remember(FILE *file);
void stdio_buffer_forget(const FILE *file);

/*
 * After a call that was recorded has also been made: what is in the buffer
 * now is known.
 */
void stdio_buffer_settle(FILE *file);

/*
 * Around a call on this FILE that is made natively, also or because it could
 * not be recorded: what it puts into the buffer stays there.  `locks`: it does
 * so itself.
 */
void stdio_buffer_write(
	const struct call *call, FILE *file, unsigned stream, bool locks);
void stdio_buffer_written(FILE *file, unsigned stream, bool locks);

/*
 * Around such a call that may call back into the program (printf with functions
 * of register_printf_specifier): what these print to the same FILE is part of
 * its text, which has been recorded, or passed, as a whole.
 */
void stdio_buffer_native_begin(const struct call *call, FILE *file);
void stdio_buffer_native_end(const FILE *file);

/* So many such calls are under way. */
extern HIDDEN uint32_t stdio_buffer_natives;
bool stdio_buffer_is_native(const struct call *call, const FILE *file);

/* What a FILE is for this call: streams_of_file(). */
static inline unsigned stdio_buffer_stream(
	const struct call *call, const FILE *file)
{
	unsigned stream = streams_of_file(file);

	return unlikely(__atomic_load_n(&stdio_buffer_natives,
				__ATOMIC_RELAXED) != 0) &&
			       stdio_buffer_is_native(call, file)
		       ? STREAM_PASS
		       : stream;
}

/* There was such a call on a FILE whose text is replaced. */
extern HIDDEN bool stdio_buffer_passed;

/* The same after a flush, of all FILEs if null; of those remembered only. */
void stdio_buffer_flushed(const FILE *file);

/*
 * Single characters (putc) are collected in the buffer of their FILE, as the
 * macro does it, and recorded line by line, or before anything else is: one
 * record for each would take ten times the time and the room of its text.
 * Only for a FILE that is fully buffered, while there is one thread.  Null, or
 * the FILE that does so; no other has collected anything.
 */
extern HIDDEN FILE *stdio_buffer_collects;
/* So many calls, of all threads, are just recording what is in a buffer. */
extern HIDDEN uint32_t stdio_buffer_marks;
bool stdio_buffer_is_marked(const FILE *file, uintptr_t sp);

/* Some call is recording what is in a buffer: not for the short way. */
static inline bool stdio_buffer_some_busy(void)
{
	return unlikely(
		__atomic_load_n(&stdio_buffer_marks, __ATOMIC_RELAXED) != 0);
}

/*
 * A call at this stack pointer interrupts one of the same thread that is just
 * recording what is in the buffer of this FILE: it leaves the buffer alone.
 */
static inline bool stdio_buffer_is_busy(const FILE *file, uintptr_t sp)
{
	return stdio_buffer_some_busy() && stdio_buffer_is_marked(file, sp);
}

/*
 * The stack pointer of a call that is just putting a character there, or 0.  It
 * goes on from the end that it has read; so while it is interrupted, what is
 * recorded stays where it is, and the buffer begins behind it.
 */
extern HIDDEN uintptr_t stdio_buffer_putting;

/* Where the buffer of the FILE that collects began before; or null, and then it
 * begins there.  Of no other buffer: see begin_again(). */
extern HIDDEN char *stdio_buffer_start;

/* Such a call has been jumped out of: by a call with this stack pointer. */
void stdio_buffer_put_is_over(uintptr_t sp);

/* From here on `file` collects, if it may. */
void stdio_buffer_collect(const struct call *call, FILE *file, unsigned stream);

/* The FILE that collects, if there is one, has something. */
static inline bool stdio_buffer_has_collected(void)
{
	const FILE *file = stdio_buffer_collects;

	return file && file->_IO_write_ptr != file->_IO_write_base;
}

void stdio_buffer_catch_up_slow(const struct call *call);

/* Records what has been collected, before something else is recorded. */
static inline void stdio_buffer_catch_up(const struct call *call)
{
	if (unlikely(stdio_buffer_collects != NULL))
		stdio_buffer_catch_up_slow(call);
}

/*
 * For a look at a FILE whose lock is not held: who has it may be storing there.
 */
TSAN_IGNORE static inline bool stdio_buffer_has_some(const FILE *file)
{
	return file->_IO_write_ptr != file->_IO_write_base;
}

/* The rest of stdio_buffer_prepare(), where there is anything to do. */
void stdio_buffer_prepare_slow(
	const struct call *call, FILE *file, unsigned stream);

/*
 * What has to be done before a call on a FILE is recorded.  `locks`: the
 * function takes the lock of the FILE.
 */
static inline void stdio_buffer_prepare(
	const struct call *call, FILE *file, unsigned stream, bool locks)
{
	if (unlikely(stdio_buffer_collects != file))
		stdio_buffer_catch_up(call);
	/* Also for a program that begins to use flockfile() just now. */
	call->turn->file = file;
	call->turn->locks = locks;
	call->turn->drains = !streams[stream].tee;
	/* As a first byte-oriented call would: fwide(file, -1). */
	if (unlikely(__atomic_load_n(&file->_mode, __ATOMIC_RELAXED) == 0))
		__atomic_store_n(&file->_mode, -1, __ATOMIC_RELAXED);
	if (unlikely(stdio_buffer_has_some(file) || stdio_turn_is_on() ||
		     !call->turn->drains))
		stdio_buffer_prepare_slow(call, file, stream);
}

#endif
