/*
 * Text that grows: where the outside collects what it will print.  Used by
 * the renderer and by whoever puts more around a message.  Appending never
 * fails halfway: without memory nothing is added any more and `failed` says
 * so, to be asked once at the end.  One thread per buffer.
 */
#ifndef DECODER_RENDER_BUFFER_H
#define DECODER_RENDER_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* All zero is an empty buffer. */
struct render_buffer {
	char *data;    /* not NUL-terminated; NULL while room is 0 */
	size_t length; /* bytes in use; may be set back by the owner */
	size_t room;
	size_t limit; /* of render_format(), see there; 0: RENDER_LIMIT */
	bool failed;  /* no memory: something was not appended */
};

/* Makes room for `size` more bytes at data + length; false without memory. */
bool render_buffer_grow(struct render_buffer *buffer, size_t size);

static inline bool render_buffer_reserve(
	struct render_buffer *buffer, size_t size)
{
	if (__builtin_expect(buffer->room - buffer->length >= size, 1))
		return true;
	return render_buffer_grow(buffer, size);
}

static inline void render_buffer_put(
	struct render_buffer *buffer, const void *data, size_t size)
{
	if (size == 0 || !render_buffer_reserve(buffer, size))
		return;
	memcpy(buffer->data + buffer->length, data, size);
	buffer->length += size;
}

static inline void render_buffer_put_byte(struct render_buffer *buffer, char c)
{
	if (render_buffer_reserve(buffer, 1))
		buffer->data[buffer->length++] = c;
}

/* Appends `count` times the same byte. */
static inline void render_buffer_fill(
	struct render_buffer *buffer, char c, size_t count)
{
	if (count == 0 || !render_buffer_reserve(buffer, count))
		return;
	memset(buffer->data + buffer->length, c, count);
	buffer->length += count;
}

/* Gives the memory back; the buffer is empty and usable again. */
void render_buffer_free(struct render_buffer *buffer);

#endif
