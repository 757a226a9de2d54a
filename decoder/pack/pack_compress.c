#include "decoder/pack/pack_compress.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "decoder/pack/entropy.h"
#include "decoder/pack/pack_choice.h"

#define CHUNK 1024u
/* What another block must save; a table of codes takes about half of it. */
#define BLOCK_GAIN 160u
#define BLOCK_HEAD 16u
#define LEVEL 9
#define INDEX_LEVEL 7 /* for what is small 9 takes ten times the time */
/*
 * Numbers are alike by chance: copies of a few bytes take more than coding each
 * byte does, and much time to be found.  Strings are alike for a reason.
 */
#define MATCH_OF_NUMBERS 6
#define SEARCH_LOG 5
/* Bodies have not many more different pieces; tables are memory. */
#define HASH_OF_NUMBERS 17
#define HASH_OF_STRINGS 18
/* Short copies must save one byte of so many. */
#define GAIN_OF 512u

enum content { INDEX, NUMBERS, STRINGS };

struct pack_compress {
	ZSTD_CCtx *zstd;
	struct pack_choice with_strings;
	struct render_buffer other;
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
static bool belongs(struct pack_compress *compress, size_t size, size_t more,
	uint64_t *bytes)
{
	uint64_t apart = *bytes + entropy_bytes(compress->chunk, more);
	size_t i;

	for (i = 0; i < 256; i++)
		compress->block[i] += compress->chunk[i];
	*bytes = entropy_bytes(compress->block, size + more);
	return *bytes < apart + BLOCK_GAIN;
}

/* How many of the bytes are of one kind. */
static size_t next_block(
	struct pack_compress *compress, const char *bytes, size_t size)
{
	size_t done = size < CHUNK ? size : CHUNK;
	uint64_t compressed;

	count_bytes(compress->block, bytes, done);
	compressed = entropy_bytes(compress->block, done);
	while (done < size) {
		size_t more = size - done < CHUNK ? size - done : CHUNK;

		count_bytes(compress->chunk, bytes + done, more);
		if (!belongs(compress, done, more, &compressed))
			break;
		done += more;
	}
	return done;
}

/* The level that was asked for, or else what is good for the bytes. */
static void set_up(ZSTD_CCtx *zstd, size_t size, int level, enum content what)
{
	int own = what == INDEX ? INDEX_LEVEL : LEVEL;

	ZSTD_CCtx_reset(zstd, ZSTD_reset_session_and_parameters);
	ZSTD_CCtx_setParameter(
		zstd, ZSTD_c_compressionLevel, level ? level : own);
	if (level == 0)
		ZSTD_CCtx_setParameter(zstd, ZSTD_c_hashLog,
			what == STRINGS ? HASH_OF_STRINGS : HASH_OF_NUMBERS);
	if (level == 0 && what == NUMBERS) {
		ZSTD_CCtx_setParameter(zstd, ZSTD_c_minMatch, MATCH_OF_NUMBERS);
		ZSTD_CCtx_setParameter(zstd, ZSTD_c_strategy, ZSTD_lazy);
		ZSTD_CCtx_setParameter(zstd, ZSTD_c_searchLog, SEARCH_LOG);
	}
	ZSTD_CCtx_setPledgedSrcSize(zstd, size);
}

static bool compress_in_blocks(struct pack_compress *compress,
	struct render_buffer *to, const struct render_buffer *from, int level,
	enum content what)
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
	set_up(compress->zstd, from->length, level, what);
	do {
		in.size += next_block(
			compress, from->data + in.size, from->length - in.size);
		left = ZSTD_compressStream2(compress->zstd, &out, &in,
			in.size < from->length ? ZSTD_e_flush : ZSTD_e_end);
	} while (left == 0 && in.size < from->length);
	to->length = out.pos;
	return left == 0;
}

bool pack_compress_body(struct pack_compress *compress,
	struct render_buffer *to, const struct render_buffer *from, int level)
{
	struct pack_choice *choice = &compress->with_strings;
	bool settled = level != 0 || pack_choice_settled(choice);
	struct render_buffer longer;
	bool pays;

	if (!compress_in_blocks(compress, to, from, level,
		    settled && choice->other ? STRINGS : NUMBERS))
		return false;
	if (settled)
		return true;
	if (!compress_in_blocks(
		    compress, &compress->other, from, level, STRINGS))
		return false;
	pays = compress->other.length + compress->other.length / GAIN_OF <
	       to->length;
	if (pays) {
		longer = *to;
		*to = compress->other;
		compress->other = longer;
	}
	pack_choice_make(choice, pays);
	return true;
}

bool pack_compress_index(struct pack_compress *compress,
	struct render_buffer *to, const struct render_buffer *from, int level)
{
	return compress_in_blocks(compress, to, from, level, INDEX);
}

void pack_compress_free(struct pack_compress *compress)
{
	if (!compress)
		return;
	ZSTD_freeCCtx(compress->zstd);
	render_buffer_free(&compress->other);
	free(compress);
}
