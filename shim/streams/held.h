/*
 * What FILEs would be holding back, had their text been written by libc: in
 * bytes, since the text itself is in the capture.  Told by position.c what was
 * said, asked by functions like __fpending() and lseek().  Exact for full
 * buffering of texts in small pieces; from the first question on exact for
 * all of them.  No lock: a race costs exactness, nothing else.
 */
#ifndef SHIM_HELD_H
#define SHIM_HELD_H

#include "shim/streams/streams.h"

/* Defined by wrappers/functions.c, filled in by host_resolve(). */
extern int (*next___overflow)(FILE *, int);

/* Nothing is known of the offset of a FILE but from its descriptor. */
#define HELD_NO_OFFSET (-1)

/*
 * `bytes` more were said to this stream of a FILE; returns how many bytes, of
 * these and of what was held back, are written now.
 */
uint64_t held_take(unsigned stream, uint64_t bytes);

/* What the FILE holds back, bytes. */
uint64_t held_bytes(const FILE *file);

/* It holds back nothing from here on; returns what it did. */
uint64_t held_release(FILE *file);
void held_purge(FILE *file);

/*
 * The offset that libc keeps in the FILE since it was last asked to seek, of
 * what is written; or HELD_NO_OFFSET.
 */
int64_t held_offset(const FILE *file);
void held_set_offset(FILE *file, int64_t offset);

/* The FILE is closed or becomes another. */
void held_forget(const FILE *file);

/*
 * From here on all text to this FILE is also printed to a shadow of it, whose
 * bytes go nowhere: so libc itself says what is held back.  Not to be called
 * from handlers; may do nothing.
 */
void held_watch(FILE *file, unsigned stream);

/* The shadow, or null. */
FILE *held_shadow(const FILE *file);

/* As setvbuf(); `buffer` itself is not used. */
void held_set_buffer(FILE *file, const char *buffer, int mode, size_t size);

/* What was said to a FILE that is watched: a block, or bytes one by one. */
void held_block(const FILE *file, const void *bytes, size_t size);
void held_bytewise(const FILE *file, const void *bytes, size_t size);

#endif
