/*
 * What gzip or zstd has made of a file, as it was, from its beginning to its
 * end.  Used by unpacked_file.c and the reader of plain text.  Promises that
 * members and frames of both kinds behind each other are read as one, that what
 * is before damage is given out and the damage reported once, with its offset
 * in the file, and that no file gives out more than limits.def allows.
 */
#ifndef DECODER_DECOMPRESS_H
#define DECODER_DECOMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Of the beginning of a file, so that it can be told what it is. */
#define DECOMPRESS_MAGIC_BYTES 4u

/* Whether one begins with these bytes. */
bool decompress_is(const void *bytes, size_t size);

struct decompress;

/*
 * Reads from the descriptor on, which stays the caller's; `size` bytes of the
 * file, at most DECOMPRESS_BEGIN_MAX, have been read before.  `path` and
 * `errors` are borrowed.  Null: out of memory.
 */
#define DECOMPRESS_BEGIN_MAX ((size_t)256 << 10)
struct decompress *decompress_new(const char *path, int fd, const void *begin,
	size_t size, struct error_list *errors);

/* Up to `size` bytes of what it was; 0: that was all, or all that can be read.
 */
size_t decompress_read(struct decompress *decompress, void *bytes, size_t size);

/* Null is fine. */
void decompress_free(struct decompress *decompress);

#endif
