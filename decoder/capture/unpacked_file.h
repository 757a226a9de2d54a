/*
 * Copies of what cannot be read at any offset: logs that gzip or zstd has
 * compressed, and what comes through a pipe.  Made by capture_list.c, read by
 * whoever opens a log by its path, who gets the copy in its place.  All of them
 * are in one temporary file without a name, so that they need one descriptor,
 * and no right to make files; zeros in them are holes.
 */
#ifndef DECODER_UNPACKED_FILE_H
#define DECODER_UNPACKED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

#define UNPACKED_FILE_STDIN "-"

struct unpacked_file {
	const char *path; /* borrowed */
	uint64_t at;	  /* in the temporary file */
	uint64_t size;
	uint64_t device; /* of the file that it was made of */
	uint64_t inode;
	bool regular; /* that is one, and has an owner: */
	uint32_t owner;
};

/*
 * Makes the temporary file, before rights are given up.  Where it cannot be,
 * that is told when it is needed.
 */
void unpacked_file_prepare(void);

/* Whether the regular file at `path` is compressed. */
bool unpacked_file_is_for(const char *path);

/*
 * The copy of this file, or of standard input, which is made if there is none:
 * unpacked, as far as it can be.  `path` lasts as long as the process.  Null:
 * there is none, which is reported.
 */
const struct unpacked_file *unpacked_file_make(
	const char *path, struct error_list *errors);

/* The copy of this file.  Null: there is none. */
const struct unpacked_file *unpacked_file_find(const char *path);

/* As pread(). */
ssize_t unpacked_file_read(const struct unpacked_file *file, void *bytes,
	size_t size, uint64_t offset);

/* Where data begins, from `offset` on; the end: there is nothing but a hole. */
uint64_t unpacked_file_data(const struct unpacked_file *file, uint64_t offset);

/*
 * The first bytes of standard input, at most `size` and at most
 * UNPACKED_FILE_PEEK, which stay to be read; how many.  Waits for them.
 */
#define UNPACKED_FILE_PEEK 8192u
size_t unpacked_file_peek(void *bytes, size_t size);

/* As read() of standard input, of which something may have been peeked. */
ssize_t unpacked_file_stdin(void *bytes, size_t size);

#endif
