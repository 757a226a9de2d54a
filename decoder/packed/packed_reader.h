/*
 * A packed log as a stream of messages: one file, or a pipe, with one log in
 * it or several, whole or damaged.  Driven by source.c; costs nothing until
 * its first message is asked for and next to nothing after its last.
 */
#ifndef DECODER_PACKED_READER_H
#define DECODER_PACKED_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "decoder/packed/frame_scan.h"
#include "decoder/packed/packed_batch.h"
#include "decoder/packed/packed_capture.h"
#include "decoder/packed/packed_inflate.h"

#define PACKED_FILE_STDIN "-"

/* Where a log ends that somebody writes to: false: nobody waits for more. */
typedef bool packed_more(void *closure);

/* All zeros but `path` is one that is not open yet. */
struct packed_file {
	const char *path;
	bool open;
	bool regular; /* and can be read again */
	int fd;
	uint64_t device;
	uint64_t inode;
	uint32_t owner;			      /* of a regular one */
	const struct unpacked_file *unpacked; /* read in its place, if any */
	uint64_t *read;			      /* counts the bytes, or is null */
	packed_more *more; /* of a regular one; null: it ends where it ends */
	void *more_closure;
	bool complete; /* the last log in it has its end: likewise */
	/* Of packed_parity.h: */
	struct packed_patch *patches; /* what is read instead */
	uint64_t group_begin;	      /* of the last group that was told, */
	size_t group_bytes;	      /* or 0 */
	uint64_t unmarked; /* before this no group is told but that one */
	uint64_t tried;	   /* before this nothing more comes back */
};

/* A frame_read; the closure is a struct packed_file. */
ssize_t packed_file_read(
	void *closure, uint64_t offset, void *buffer, size_t size);

/* A frame_data, likewise. */
uint64_t packed_file_data(void *closure, uint64_t offset);

/* From `offset` on, past holes.  Null: out of memory. */
struct frame_scan *packed_file_scan(struct packed_file *file, uint64_t offset);

/* Until the next read.  Of regular files alone. */
void packed_file_close(struct packed_file *file);

struct packed_reader;
struct packed_tail;

/* What all readers of a run share. */
struct packed_readers {
	struct packed_captures captures;
	struct packed_inflate inflate;
	packed_wants *wants; /* null: all messages are wanted */
	packed_fold *fold;   /* null: nobody takes columns */
	void *closure;
	packed_more *more; /* null: what is there is all */
	void *more_closure;
	uint64_t read; /* bytes so far, for progress */
	bool sparing;  /* many logs are open: keep little of each */
};

/* `path` and *shared are borrowed.  Null: out of memory. */
struct packed_reader *packed_reader_new(
	const char *path, struct packed_readers *shared);

/* Only what is wanted of the end of the log, see packed_tail.h; borrowed.
 * Before anything was read.  False: out of memory. */
bool packed_reader_begin_late(
	struct packed_reader *reader, const struct packed_tail *tail);

/*
 * The next message, valid until the next call.  Null: that was all; what was
 * wrong has been reported.
 */
const struct message *packed_reader_next(struct packed_reader *reader);

/* All but the messages: definitions, losses and ends. */
void packed_reader_skim(struct packed_reader *reader);

/* Null is fine. */
void packed_reader_free(struct packed_reader *reader);

/*
 * When the first message of the log at `path` was, nanoseconds since 1970.
 * 0: not known, not near its beginning, or there is none.  Reports nothing.
 */
uint64_t packed_reader_begin(const char *path);

/* The random number of the log at `path`; 0: likewise. */
uint64_t packed_reader_log(const char *path);

/* Whether there is an intact frame in the regular file at `path`. */
bool packed_reader_is_log(const char *path);

#endif
