#include "symbolizer/elf/unpack.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define XZ_OK 0
#define XZ_TOO_MUCH_MEMORY 6 /* LZMA_MEMLIMIT_ERROR */
#define XZ_TOO_SMALL 10	     /* LZMA_BUF_ERROR */

/* As the two libraries declare them; both interfaces are frozen. */
typedef size_t zstd_decompress(
	void *to, size_t to_bytes, const void *from, size_t from_bytes);
typedef unsigned zstd_is_error(size_t result);
typedef int xz_decode(uint64_t *memory, uint32_t flags, const void *allocator,
	const uint8_t *from, size_t *from_at, size_t from_bytes, uint8_t *to,
	size_t *to_at, size_t to_bytes);

static struct {
	bool prepared;
	zstd_decompress *zstd;
	zstd_is_error *zstd_is_error;
	xz_decode *xz;
} library;

void unpack_prepare(void)
{
	void *zstd;
	void *xz;

	if (library.prepared)
		return;
	library.prepared = true;
	zstd = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
	if (zstd) {
		/* POSIX: what dlsym() returns may be called */
		*(void **)&library.zstd = dlsym(zstd, "ZSTD_decompress");
		*(void **)&library.zstd_is_error = dlsym(zstd, "ZSTD_isError");
	}
	xz = dlopen("liblzma.so.5", RTLD_NOW | RTLD_LOCAL);
	if (xz)
		*(void **)&library.xz = dlsym(xz, "lzma_stream_buffer_decode");
}

const char *unpack_zstd(
	const void *from, size_t from_bytes, void *to, size_t to_bytes)
{
	size_t got;

	unpack_prepare();
	if (!library.zstd || !library.zstd_is_error)
		return "its sections are compressed with zstd, and there is no "
		       "libzstd.so.1 here";
	got = library.zstd(to, to_bytes, from, from_bytes);
	if (library.zstd_is_error(got) || got != to_bytes)
		return "its compressed section is damaged";
	return NULL;
}

/* One that is cut off ends otherwise: liblzma takes it for one without room. */
static bool is_whole(const void *xz, size_t bytes)
{
	return bytes >= 2 && memcmp((const char *)xz + bytes - 2, "YZ", 2) == 0;
}

/* The stream does not say at its beginning how long it will be. */
void *unpack_xz(const void *from, size_t from_bytes, size_t limit,
	size_t *bytes, enum readlimit *met)
{
	size_t room = from_bytes;
	int result = XZ_TOO_SMALL;
	void *to = NULL;

	unpack_prepare();
	while (library.xz && result == XZ_TOO_SMALL && room < limit) {
		uint64_t memory = readlimits_of(READLIMIT_XZ);
		size_t from_at = 0;

		room = room > limit / 4 ? limit : room * 4;
		free(to);
		to = malloc(room);
		if (!to)
			return NULL;
		*bytes = 0;
		result = library.xz(&memory, 0, NULL, from, &from_at,
			from_bytes, to, bytes, room);
	}
	if (to && result == XZ_OK)
		return to;
	free(to);
	if (result == XZ_TOO_MUCH_MEMORY)
		*met = READLIMIT_XZ;
	else if (library.xz && result == XZ_TOO_SMALL &&
		 is_whole(from, from_bytes))
		*met = READLIMIT_MINIDEBUGINFO;
	return NULL;
}
