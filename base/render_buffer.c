#include <stdint.h>
#include <stdlib.h>

#include "base/render_buffer.h"

#define SMALLEST_ROOM 256u
#define SMALL_BLOCK 20u

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

static size_t last_end(const struct render_pieces *pieces)
{
	return pieces->count
		       ? pieces->ends[pieces->count - 1] / RENDER_PIECE_KINDS
		       : 0;
}

static void add_piece(struct render_buffer *buffer, enum render_piece_kind kind)
{
	struct render_pieces *pieces = buffer->pieces;
	size_t *ends = pieces->ends;

	if (pieces->count == pieces->room) {
		pieces->room = pieces->room ? pieces->room * 2 : 64;
		ends = realloc(ends, pieces->room * sizeof(*ends));
		if (!ends) {
			pieces->room = pieces->count;
			buffer->failed = true;
			return;
		}
		pieces->ends = ends;
	}
	ends[pieces->count++] = buffer->length * RENDER_PIECE_KINDS + kind;
}

static bool is_small(const struct render_buffer *buffer)
{
	return buffer->length - last_end(buffer->pieces) <= SMALL_BLOCK;
}

void render_buffer_note(struct render_buffer *buffer, bool bytes)
{
	bytes |= buffer->pieces->small && is_small(buffer);
	add_piece(buffer, bytes ? RENDER_PIECE_BYTES : RENDER_PIECE_BLOCK);
}

void render_buffer_note_padding(struct render_buffer *buffer)
{
	add_piece(buffer, RENDER_PIECE_BLOCK);
}

void render_buffer_join(struct render_buffer *buffer, size_t first, bool small)
{
	struct render_pieces *pieces = buffer->pieces;

	if (!pieces || pieces->count <= first)
		return;
	pieces->count = first;
	add_piece(buffer, small && is_small(buffer) ? RENDER_PIECE_BYTES
						    : RENDER_PIECE_BLOCK);
}

void render_buffer_join_printed(
	struct render_buffer *buffer, size_t first, bool failed)
{
	struct render_pieces *pieces = buffer->pieces;

	if (!pieces || pieces->count <= first)
		return;
	pieces->count = first;
	add_piece(buffer, failed ? RENDER_PIECE_FAILED : RENDER_PIECE_PRINTED);
}

void render_buffer_free(struct render_buffer *buffer)
{
	free(buffer->data);
	buffer->data = NULL;
	buffer->length = 0;
	buffer->room = 0;
	buffer->failed = false;
}
