#include <stdint.h>
#include <stdlib.h>

#include "decoder/render_buffer.h"

#define SMALLEST_ROOM 256u

bool render_buffer_grow(struct render_buffer *buffer, size_t size)
{
	size_t room;
	char *data;

	if (SIZE_MAX / 2 - buffer->length < size) {
		buffer->failed = true;
		return false;
	}
	room = (buffer->length + size) / 2 * 3;
	if (room < SMALLEST_ROOM)
		room = SMALLEST_ROOM;
	data = realloc(buffer->data, room);
	if (data == NULL) {
		buffer->failed = true;
		return false;
	}
	buffer->data = data;
	buffer->room = room;
	return true;
}

void render_buffer_free(struct render_buffer *buffer)
{
	free(buffer->data);
	buffer->data = NULL;
	buffer->length = 0;
	buffer->room = 0;
	buffer->failed = false;
}
