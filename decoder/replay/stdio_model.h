/*
 * The buffer of one FILE, as glibc fills and empties it: which bytes are
 * written when, for every mode and size.  Used by the replay, which gives it
 * every text in order and is told what reaches the file.  Follows
 * _IO_new_file_xsputn(), _IO_new_file_overflow() and _IO_default_xsputn() of
 * libio and __printf_buffer_flush_to_file() of stdio-common; no state outside
 * the model, one thread.
 */
#ifndef DECODER_STDIO_MODEL_H
#define DECODER_STDIO_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/render_buffer.h"

/* All zeros is a FILE that has not been written to, unbuffered. */
struct stdio_model {
	uint32_t mode; /* BINLOG_BUFFER_... */
	uint32_t size; /* of the buffer, bytes */
	char *data;    /* what is held back */
	size_t used;
	size_t end;  /* up to which libc fills it without a thought */
	size_t room; /* of data */
	bool begun;  /* libc has made it a buffer */
};

/* What is written, in order. */
struct stdio_model_sink {
	void (*write)(void *closure, const char *bytes, size_t size);
	void *closure;
};

/* The mode and size from here on; what is held back stays so. */
void stdio_model_set(struct stdio_model *model, uint32_t mode, uint32_t size);

/* It has been written to before, and everything was flushed. */
void stdio_model_used(struct stdio_model *model);

/* As by fwrite() and fputs(), and before BUFFERS of record/libc_changes.def by
 * printf() for each of its pieces. */
void stdio_model_block(struct stdio_model *model, const char *bytes,
	size_t size, const struct stdio_model_sink *sink);

/* As by putc(). */
void stdio_model_byte(struct stdio_model *model, char byte,
	const struct stdio_model_sink *sink);

/* As by vfprintf() since then; what it has not handed on when it fails is not
 * in the buffer. */
void stdio_model_print(struct stdio_model *model, const char *text, size_t size,
	bool failed, const struct stdio_model_sink *sink);

/* A text that knows its pieces, each as it was given to the FILE. */
void stdio_model_text(struct stdio_model *model,
	const struct render_buffer *text, const struct stdio_model_sink *sink);

void stdio_model_flush(
	struct stdio_model *model, const struct stdio_model_sink *sink);

/* As by __fpurge(). */
void stdio_model_purge(struct stdio_model *model);

/* The FILE is opened anew: what it holds back is written, and it has no buffer
 * yet. */
void stdio_model_reopen(
	struct stdio_model *model, const struct stdio_model_sink *sink);

/* As by setvbuf(), when it gives the FILE another buffer or takes it away. */
void stdio_model_replace_buffer(
	struct stdio_model *model, const struct stdio_model_sink *sink);

/* A copy of what is held back, as in a child of fork.  False: no memory. */
bool stdio_model_copy(struct stdio_model *to, const struct stdio_model *from);

void stdio_model_free(struct stdio_model *model);

#endif
