#include "tools/ship/compress.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/array.h"

/* What a server unpacks at once. */
#define PIECE ((size_t)1 << 20)
/* Before each piece: 16 bytes of a checksum, what it is packed by, and how many
 * bytes, from there on, and unpacked. */
#define CHECKSUM 16u
#define HEAD 9u
#define ZSTD 0x90

static void put_number(char *out, size_t number)
{
	const uint32_t value = (uint32_t)number;

	memcpy(out, &value, sizeof(value));
}

static bool put_piece(
	struct compressed *compressed, const void *bytes, size_t size)
{
	const size_t most = ZSTD_compressBound(size);
	size_t packed;
	char *head;

	if (!array_reserve(compressed->bytes, compressed->room,
		    compressed->size + CHECKSUM + HEAD + most))
		return false;
	head = compressed->bytes + compressed->size + CHECKSUM;
	packed = ZSTD_compress2(
		compressed->context, head + HEAD, most, bytes, size);
	if (ZSTD_isError(packed))
		return false;
	memset(head - CHECKSUM, 0, CHECKSUM);
	*head = (char)ZSTD;
	put_number(head + 1, HEAD + packed);
	put_number(head + 5, size);
	compressed->size += CHECKSUM + HEAD + packed;
	return true;
}

bool compress_body(struct compressed *compressed, const void *bytes,
	size_t size, int level)
{
	const char *at = bytes;
	bool good;

	if (!compressed->context)
		compressed->context = ZSTD_createCCtx();
	good = compressed->context &&
	       !ZSTD_isError(ZSTD_CCtx_setParameter(
		       compressed->context, ZSTD_c_compressionLevel, level)) &&
	       !ZSTD_isError(ZSTD_CCtx_setParameter(
		       compressed->context, ZSTD_c_checksumFlag, 1));
	compressed->size = 0;
	while (good && size > 0) {
		const size_t piece = size < PIECE ? size : PIECE;

		good = put_piece(compressed, at, piece);
		at += piece;
		size -= piece;
	}
	return good;
}

void compress_free(struct compressed *compressed)
{
	ZSTD_freeCCtx(compressed->context);
	free(compressed->bytes);
	*compressed = (struct compressed){0};
}
