#include "decoder/capture/decompress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/limits.h"

/* A file may always be so many times as long as it is compressed. */
#define TIMES 64u
/* A header and a check sum, no more than that. */
#define GZIP_ONLY (MAX_WBITS + 16)

enum kind { NONE, GZIP, ZSTD };

struct decompress {
	const char *path;
	struct error_list *errors;
	int fd;
	enum kind member; /* that is being read; NONE: between two */
	bool ended;
	bool at_end;   /* nothing is left of the file but what is in `bytes` */
	uint64_t read; /* of the file so far */
	uint64_t given;
	z_stream gzip;
	bool has_gzip;
	ZSTD_DStream *zstd; /* null: not needed yet */
	size_t wanted;	    /* bytes of the file for its next step */
	size_t at;	    /* of what comes next in `bytes` */
	size_t end;
	uint8_t bytes[DECOMPRESS_BEGIN_MAX];
};

/* A deflated member without reserved flags; a frame, or one to be skipped. */
static enum kind kind_of(const uint8_t *bytes, size_t size)
{
	if (size < DECOMPRESS_MAGIC_BYTES)
		return NONE;
	if (memcmp(bytes, "\x1f\x8b\x08", 3) == 0 && (bytes[3] & 0xe0) == 0)
		return GZIP;
	if (memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0 ||
		((bytes[0] & 0xf0) == 0x50 &&
			memcmp(bytes + 1, "\x2a\x4d\x18", 3) == 0))
		return ZSTD;
	return NONE;
}

bool decompress_is(const void *bytes, size_t size)
{
	return kind_of(bytes, size) != NONE;
}

struct decompress *decompress_new(const char *path, int fd, const void *begin,
	size_t size, struct error_list *errors)
{
	struct decompress *decompress = malloc(sizeof(*decompress));

	if (!decompress)
		return NULL;
	memset(decompress, 0, offsetof(struct decompress, bytes));
	decompress->path = path;
	decompress->fd = fd;
	decompress->errors = errors;
	if (size > 0)
		memcpy(decompress->bytes, begin, size);
	decompress->read = decompress->end = size;
	return decompress;
}

/* How far the file was made use of. */
static uint64_t offset_of(const struct decompress *decompress)
{
	return decompress->read - (decompress->end - decompress->at);
}

static void stop(struct decompress *decompress, enum error_code code)
{
	if (decompress->ended)
		return;
	decompress->ended = true;
	error_add(decompress->errors, &(struct error){
					      .code = code,
					      .system = errno,
					      .file = decompress->path,
					      .offset = offset_of(decompress),
					      .number = decompress->given,
				      });
}

/* Reads on until there are `size` bytes, or the file ends. */
static void fill(struct decompress *decompress, size_t size)
{
	while (decompress->end - decompress->at < size && !decompress->at_end) {
		ssize_t n;

		memmove(decompress->bytes, decompress->bytes + decompress->at,
			decompress->end - decompress->at);
		decompress->end -= decompress->at;
		decompress->at = 0;
		n = read(decompress->fd, decompress->bytes + decompress->end,
			sizeof(decompress->bytes) - decompress->end);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			stop(decompress, ERROR_READ);
		decompress->at_end = n <= 0;
		decompress->end += n > 0 ? (size_t)n : 0;
		decompress->read += n > 0 ? (uint64_t)n : 0;
	}
}

/* As tape drives leave behind a member, to fill a block. */
static void pass_zeros(struct decompress *decompress)
{
	do {
		while (decompress->at < decompress->end &&
			decompress->bytes[decompress->at] == 0)
			decompress->at++;
		fill(decompress, 1);
	} while (decompress->at < decompress->end &&
		 decompress->bytes[decompress->at] == 0);
}

static bool begin_gzip(struct decompress *decompress)
{
	if (decompress->has_gzip)
		return inflateReset(&decompress->gzip) == Z_OK;
	decompress->has_gzip =
		inflateInit2(&decompress->gzip, GZIP_ONLY) == Z_OK;
	return decompress->has_gzip;
}

static bool begin_zstd(struct decompress *decompress)
{
	if (!decompress->zstd)
		decompress->zstd = ZSTD_createDStream();
	if (!decompress->zstd)
		return false;
	decompress->wanted = ZSTD_initDStream(decompress->zstd);
	return !ZSTD_isError(decompress->wanted);
}

/* The next member or frame, if there is one. */
static void begin_member(struct decompress *decompress)
{
	bool good = true;

	fill(decompress, DECOMPRESS_MAGIC_BYTES);
	decompress->member = kind_of(decompress->bytes + decompress->at,
		decompress->end - decompress->at);
	if (decompress->member == NONE) {
		pass_zeros(decompress);
		if (decompress->at < decompress->end && !decompress->ended)
			stop(decompress, ERROR_UNPACK_BEHIND);
		decompress->ended = true;
		return;
	}
	if (decompress->member == GZIP)
		good = begin_gzip(decompress);
	else
		good = begin_zstd(decompress);
	if (!good)
		stop(decompress, ERROR_MEMORY);
}

/* How many bytes it gave. */
static size_t step_gzip(struct decompress *decompress, void *bytes, size_t size)
{
	z_stream *gzip = &decompress->gzip;
	int code;

	gzip->next_in = decompress->bytes + decompress->at;
	gzip->avail_in = (uInt)(decompress->end - decompress->at);
	gzip->next_out = bytes;
	gzip->avail_out = (uInt)size;
	code = inflate(gzip, Z_NO_FLUSH);
	decompress->at = decompress->end - gzip->avail_in;
	if (code == Z_STREAM_END)
		decompress->member = NONE;
	else if (code != Z_OK && code != Z_BUF_ERROR)
		stop(decompress, ERROR_UNPACK_DAMAGE);
	return size - gzip->avail_out;
}

/*
 * Given more than one block it may decode a whole frame in one go, and then
 * nothing comes of one that is damaged, nor does it say where.
 */
static size_t step_zstd(struct decompress *decompress, void *bytes, size_t size)
{
	size_t left = decompress->end - decompress->at;
	size_t wanted = left < decompress->wanted ? left : decompress->wanted;
	ZSTD_inBuffer in = {
		.src = decompress->bytes,
		.size = decompress->at + wanted,
		.pos = decompress->at,
	};
	ZSTD_outBuffer out = {.dst = bytes, .size = size};
	size_t code = ZSTD_decompressStream(decompress->zstd, &out, &in);

	decompress->at = in.pos;
	decompress->wanted = code;
	if (code == 0)
		decompress->member = NONE;
	else if (ZSTD_isError(code))
		stop(decompress,
			ZSTD_getErrorCode(code) ==
					ZSTD_error_frameParameter_windowTooLarge
				? ERROR_UNPACK_WINDOW
				: ERROR_UNPACK_DAMAGE);
	return out.pos;
}

/* As much as there may be for what was read of the file. */
static size_t cut(struct decompress *decompress, size_t size)
{
	uint64_t most = limits_of(LIMIT_UNPACKED) +
			TIMES * offset_of(decompress) - decompress->given;

	if (size <= most)
		return size;
	stop(decompress, ERROR_UNPACK_LIMIT);
	return (size_t)most;
}

static size_t step(struct decompress *decompress, void *bytes, size_t size)
{
	size_t left = decompress->end - decompress->at;
	size_t given;

	if (size > UINT32_MAX / 2)
		size = UINT32_MAX / 2;
	if (decompress->member == GZIP)
		given = step_gzip(decompress, bytes, size);
	else
		given = step_zstd(decompress, bytes, size);
	/* all of the file was seen, and it is not done */
	if (left == 0 && given == 0 && decompress->member != NONE &&
		!decompress->ended)
		stop(decompress, ERROR_UNPACK_CUT);
	given = cut(decompress, given);
	decompress->given += given;
	return given;
}

size_t decompress_read(struct decompress *decompress, void *bytes, size_t size)
{
	size_t done = 0;

	while (done < size && !decompress->ended) {
		if (decompress->member == NONE)
			begin_member(decompress);
		else
			fill(decompress, 1);
		if (!decompress->ended)
			done += step(
				decompress, (char *)bytes + done, size - done);
	}
	return done;
}

void decompress_free(struct decompress *decompress)
{
	if (!decompress)
		return;
	if (decompress->has_gzip)
		inflateEnd(&decompress->gzip);
	ZSTD_freeDStream(decompress->zstd);
	free(decompress);
}
