/*
 * Text that grows: where the outside collects what it will print.  Used by
 * the renderer and by whoever puts more around a message.  Appending never
 * fails halfway: without memory nothing is added any more and `failed` says
 * so, to be asked once at the end.  One thread per buffer.
 */
#ifndef BASE_RENDER_BUFFER_H
#define BASE_RENDER_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/digits.h"

/* How a piece of a text was given to the FILE. */
enum render_piece_kind {
	RENDER_PIECE_BLOCK,
	RENDER_PIECE_BYTES,   /* byte by byte */
	RENDER_PIECE_PRINTED, /* by vfprintf(), since BUFFERS of record/libc.h
			       */
	RENDER_PIECE_FAILED,  /* likewise, and then it has failed */
};

#define RENDER_PIECE_KINDS 4u

/* How a text was put together: where each of its pieces ends. */
struct render_pieces {
	size_t *ends; /* RENDER_PIECE_KINDS times the length of the text */
		      /* there, plus its kind */
	size_t count;
	size_t room;
	bool small; /* blocks of at most 20 bytes count as bytes: %f of libc */
};

struct render_buffer;

/* Asked for each %p, right behind it: may append what it points to. */
struct render_pointers {
	void (*put)(void *closure, struct render_buffer *out, uint64_t pointer);
	void *closure;
};

/* All zero is an empty buffer. */
struct render_buffer {
	char *data;    /* not NUL-terminated; NULL while room is 0 */
	size_t length; /* bytes in use; may be set back by the owner */
	size_t room;
	size_t limit; /* instead of LIMIT_PADDING; 0: none */
	bool failed;  /* no memory: something was not appended */
	bool cut;     /* a limit: likewise; the owner may set it back */
	struct render_pieces *pieces;		/* null: nobody wants to know */
	const struct render_pointers *pointers; /* null: likewise */
	bool named; /* for message_text(): arguments as name(value) */
};

/* Makes room for `size` more bytes at data + length; false without memory. */
bool render_buffer_grow(struct render_buffer *buffer, size_t size);

/* Notes what has been appended since the last piece. */
void render_buffer_note(struct render_buffer *buffer, bool bytes);

/* The same, and it is a block however small. */
void render_buffer_note_padding(struct render_buffer *buffer);

static inline bool render_buffer_reserve(
	struct render_buffer *buffer, size_t size)
{
	if (__builtin_expect(buffer->room - buffer->length >= size, 1))
		return true;
	return render_buffer_grow(buffer, size);
}

/* What begins there; never null, also of an empty buffer without room. */
static inline const char *render_buffer_from(
	const struct render_buffer *buffer, size_t start)
{
	return buffer->data ? buffer->data + start : "";
}

static inline void render_buffer_put(
	struct render_buffer *buffer, const void *data, size_t size)
{
	if (size == 0 || !render_buffer_reserve(buffer, size))
		return;
	memcpy(buffer->data + buffer->length, data, size);
	buffer->length += size;
	if (__builtin_expect(buffer->pieces != NULL, 0))
		render_buffer_note(buffer, false);
}

static inline void render_buffer_put_byte(struct render_buffer *buffer, char c)
{
	if (!render_buffer_reserve(buffer, 1))
		return;
	buffer->data[buffer->length++] = c;
	if (__builtin_expect(buffer->pieces != NULL, 0))
		render_buffer_note(buffer, true);
}

/* One that ends in NUL. */
static inline void render_buffer_put_string(
	struct render_buffer *buffer, const char *string)
{
	render_buffer_put(buffer, string, strlen(string));
}

/* All digits. */
static inline void render_buffer_put_number(
	struct render_buffer *buffer, uint64_t number)
{
	char text[DIGITS_U64_MAX];

	render_buffer_put(
		buffer, text, (size_t)(digits_write(text, number) - text));
}

/* Appends `count` times the same byte. */
static inline void render_buffer_fill(
	struct render_buffer *buffer, char c, size_t count)
{
	if (count == 0 || !render_buffer_reserve(buffer, count))
		return;
	memset(buffer->data + buffer->length, c, count);
	if (__builtin_expect(buffer->pieces == NULL, 1)) {
		buffer->length += count;
		return;
	}
	/* As _IO_padn() of libc does. */
	for (; count > 0; count -= count < 16 ? count : 16) {
		buffer->length += count < 16 ? count : 16;
		render_buffer_note_padding(buffer);
	}
}

/* How many pieces there are: where render_buffer_join() may begin. */
static inline size_t render_buffer_pieces(const struct render_buffer *buffer)
{
	return buffer->pieces ? buffer->pieces->count : 0;
}

/* All from piece `first` on is one block, or bytes if it is `small` as above.
 */
void render_buffer_join(struct render_buffer *buffer, size_t first, bool small);

/* All from piece `first` on is one call of vfprintf(). */
void render_buffer_join_printed(
	struct render_buffer *buffer, size_t first, bool failed);

/* Gives the memory back; the buffer is empty and usable again. */
void render_buffer_free(struct render_buffer *buffer);

/* The same for one whose text went to `out`: what it lacks, that lacks, too. */
static inline void render_buffer_retire(
	struct render_buffer *buffer, struct render_buffer *out)
{
	out->failed |= buffer->failed;
	render_buffer_free(buffer);
}

#endif
