#include "decoder/packed/packed_inflate.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static bool make_room(struct packed_buffer *buffer, size_t size)
{
	size_t room = size + size / 4 + 1;
	uint8_t *data;

	if (size < buffer->room)
		return true;
	data = realloc(buffer->data, room);
	if (!data)
		return false;
	buffer->data = data;
	buffer->room = room;
	return true;
}

static bool inflate_zstd(struct packed_inflate *inflate,
	struct packed_bytes bytes, size_t size, uint8_t *into)
{
	unsigned long long told =
		ZSTD_getFrameContentSize(bytes.data, bytes.size);

	if (told != size && told != ZSTD_CONTENTSIZE_UNKNOWN)
		return false;
	if (!inflate->context)
		inflate->context = ZSTD_createDCtx();
	return inflate->context &&
	       ZSTD_decompressDCtx(inflate->context, into, size, bytes.data,
		       bytes.size) == size;
}

bool packed_inflate(struct packed_inflate *inflate, uint64_t compression,
	struct packed_bytes bytes, uint64_t size, size_t most,
	struct packed_buffer *into)
{
	if (!bytes.data || size > most || !make_room(into, (size_t)size))
		return false;
	if (compression == PACKED_ZSTD)
		return inflate_zstd(inflate, bytes, (size_t)size, into->data);
	if (compression != PACKED_STORED || bytes.size != size)
		return false;
	memcpy(into->data, bytes.data, bytes.size);
	return true;
}

void packed_inflate_free(struct packed_inflate *inflate)
{
	ZSTD_freeDCtx(inflate->context);
	inflate->context = NULL;
}
