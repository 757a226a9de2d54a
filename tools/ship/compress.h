/*
 * A body of a request in the blocks that ClickHouse itself compresses: of all
 * versions of it, old ones among them, take zstd so.  Made by send.c, once for
 * each block of rows.  One thread.
 */
#ifndef TOOLS_SHIP_COMPRESS_H
#define TOOLS_SHIP_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>

#define COMPRESS_LEVEL_MOST 19

/* What a server has to be told of such a body.  Its checksums are those of a
 * hash that is used nowhere else; TCP and zstd have their own. */
#define COMPRESS_PARAMETERS                                                    \
	"&decompress=1"                                                        \
	"&http_native_compression_disable_checksumming_on_decompress=1"

struct compressed {
	char *bytes;
	size_t size;
	size_t room;
	void *context; /* of zstd */
};

/* At a level of zstd(1).  False: out of memory. */
bool compress_body(struct compressed *compressed, const void *bytes,
	size_t size, int level);

void compress_free(struct compressed *compressed);

#endif
