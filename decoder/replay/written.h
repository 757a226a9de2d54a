/*
 * The files that text would have landed in, as far as they are wanted, put
 * together write by write: each write goes to where the open file stood, and
 * an earlier one may be overwritten, as by zip, which comes back to its
 * headers.  Used by `--as-written`; given out at the end, file by file.  What
 * does not fit in memory is in temporary files without a name.  One thread.
 */
#ifndef DECODER_WRITTEN_H
#define DECODER_WRITTEN_H

#include <stdint.h>

#include "decoder/capture/definition.h"
#include "decoder/output/output.h"

struct written;

/* An open file: what writes go to.  Lives as long as the written. */
struct written_target;

/* Null: out of memory. */
struct written *written_new(void);

/*
 * What text to `stream` goes to, which is not kept.  Null: out of memory, or
 * *full: there are as many files as may be.
 */
struct written_target *written_find(struct written *written,
	const struct definition_stream *stream, bool *full);

void written_put(struct written_target *target, const char *bytes, size_t size);

/*
 * At this offset, wherever the open file stands and continues to stand.  All
 * holes of a file together are bounded: a damaged offset would fill the disk.
 * What asks for more is left undone and answered by false, here and below.
 */
bool written_put_at(struct written_target *target, int64_t offset,
	const char *bytes, size_t size);

/* The next write goes to this offset of the file. */
bool written_seek(struct written_target *target, int64_t offset);

/* The file is cut or extended to this size. */
bool written_truncate(struct written_target *target, int64_t size);

/*
 * All files, in the order in which they were first found.  False: a temporary
 * file could not be written or read, errno says why.
 */
bool written_give_out(struct written *written, struct output *output);

/* Null is fine. */
void written_free(struct written *written);

#endif
