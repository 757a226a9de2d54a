#include "decoder/pack_compress.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "decoder/entropy.h"

#define CHUNK 1024u
/* What another block must save; a table of codes takes about half of it. */
#define BLOCK_GAIN 160u
#define BLOCK_HEAD 16u

struct pack_compress {
	ZSTD_CCtx *zstd;
	uint32_t block[256]; /* how often each byte is in it */
	uint32_t chunk[256]; /* behind it */
};

struct pack_compress *pack_compress_new(void)
{
	struct pack_compress *compress = calloc(1, sizeof(*compress));

	if (!compress)
		return NULL;
	compress->zstd = ZSTD_createCCtx();
	if (compress->zstd)
		return compress;
	free(compress);
	return NULL;
}

static void count_bytes(uint32_t counts[256], const char *bytes, size_t size)
{
	size_t i;

	memset(counts, 0, 256 * sizeof(*counts));
	for (i = 0; i < size; i++)
		counts[(uint8_t)bytes[i]]++;
}

/* Takes the chunk into the block, unless it is of another kind. */
static bool belongs(struct pack_compress *compress, size_t size, size_t more)
{
	uint64_t apart = entropy_bytes(compress->block, size) +
			 entropy_bytes(compress->chunk, more);
	size_t i;

	for (i = 0; i < 256; i++)
		compress->block[i] += compress->chunk[i];
	return entropy_bytes(compress->block, size + more) < apart + BLOCK_GAIN;
}

/* How many of the bytes are of one kind. */
static size_t next_block(
	struct pack_compress *compress, const char *bytes, size_t size)
{
	size_t done = size < CHUNK ? size : CHUNK;

	count_bytes(compress->block, bytes, done);
	while (done < size) {
		size_t more = size - done < CHUNK ? size - done : CHUNK;

		count_bytes(compress->chunk, bytes + done, more);
		if (!belongs(compress, done, more))
			break;
		done += more;
	}
	return done;
}

bool pack_compress_all(struct pack_compress *compress, struct render_buffer *to,
	const struct render_buffer *from, int level)
{
	ZSTD_inBuffer in = {from->data, 0, 0};
	ZSTD_outBuffer out = {NULL, 0, 0};
	size_t left = 0;

	to->length = 0;
	if (!render_buffer_reserve(
		    to, ZSTD_compressBound(from->length) +
				from->length / CHUNK * BLOCK_HEAD))
		return false;
	out.dst = to->data;
	out.size = to->room;
	ZSTD_CCtx_reset(compress->zstd, ZSTD_reset_session_only);
	ZSTD_CCtx_setParameter(compress->zstd, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setPledgedSrcSize(compress->zstd, from->length);
	do {
		in.size += next_block(
			compress, from->data + in.size, from->length - in.size);
		left = ZSTD_compressStream2(compress->zstd, &out, &in,
			in.size < from->length ? ZSTD_e_flush : ZSTD_e_end);
	} while (left == 0 && in.size < from->length);
	to->length = out.pos;
	return left == 0;
}

void pack_compress_free(struct pack_compress *compress)
{
	if (!compress)
		return;
	ZSTD_freeCCtx(compress->zstd);
	free(compress);
}
