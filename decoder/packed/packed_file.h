/*
 * The bytes of a packed log, for frame_scan.h: of a regular file, which is
 * open only for as long as it is read if there are many, or of standard input.
 * Used by the reader and by recovery.
 */
#ifndef DECODER_PACKED_FILE_H
#define DECODER_PACKED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PACKED_FILE_STDIN "-"

/* All zeros but `path` is one that is not open yet. */
struct packed_file {
	const char *path;
	bool open;
	bool regular; /* and can be read again */
	int fd;
	uint64_t device;
	uint64_t inode;
	uint32_t owner; /* of a regular one */
	uint64_t *read; /* counts the bytes, or is null */
};

/* A frame_read; the closure is a struct packed_file. */
ssize_t packed_file_read(
	void *closure, uint64_t offset, void *buffer, size_t size);

/* A frame_data, likewise. */
uint64_t packed_file_data(void *closure, uint64_t offset);

/* Until the next read.  Of regular files alone. */
void packed_file_close(struct packed_file *file);

#endif
