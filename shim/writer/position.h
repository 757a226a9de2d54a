/*
 * Where the open files behind recorded streams stand and end, had their text
 * been written: the real ones do not move.  Added up from what was said, when
 * somebody asks (lseek, ftell, fstat of a program) or may ask later (flush,
 * exit, exec); shared by all processes of a run.  Lock-free; a race between
 * threads costs exactness only.
 */
#ifndef SHIM_POSITION_H
#define SHIM_POSITION_H

#include "shim/streams/streams.h"

/*
 * Once, when there is a capture: the first process of a run gives a place to
 * the offsets, the others find it in `path`, the capture of the first.  Until
 * then, and without it, they are this process's own.
 */
void position_found(struct binlog_header *header);
void position_join(const char *path);

/* They are on this page. */
bool position_is_in(const struct binlog_header *header);

/*
 * From our handler of SIGBUS: `address` is there, and the file has been cut;
 * from now on nobody else knows of ours.  False: it is not.
 */
bool position_mend(const void *address);

/* The text of this stream is not written, and the file has offsets. */
bool position_matters(unsigned stream);

/* More was said than the record of a text tells: what is around it. */
void position_add(unsigned stream, size_t bytes);

/* Counts all that has been said so far. */
void position_settle(void);

/* Where a write to the descriptor would go now; settles. */
int64_t position_now(unsigned stream);

/* Where the file ends; settles. */
int64_t position_end(unsigned stream);

void position_move(unsigned stream, int64_t offset);

/*
 * Moves the file itself, too, since text may go there that is passed: to where
 * `offset` is among such text, or to the end, where nothing is overwritten.
 */
void position_move_passed(unsigned stream, int64_t offset);

/* The file ends here now. */
void position_cut(unsigned stream, int64_t size);

/* It ends here at least. */
void position_reach(unsigned stream, int64_t end);

/*
 * The files themselves, which nobody should write to.  begin(): of the first
 * process of a run, before it says anything.
 */
void position_begin(const struct stream_output *output);

/* Makes the file itself as long as it would be; that is no text. */
void position_lengthen(unsigned stream);

/* Where the file itself ends; 0: that cannot be found out. */
int64_t position_real_end(unsigned stream);

/* Nobody is to be told of this file from here on. */
void position_ignore(unsigned stream);

/*
 * By how much the file itself has grown since somebody of the run was told of
 * it; -1: that cannot be found out.  unsee(): who was told cannot pass it on.
 */
int64_t position_unseen(unsigned stream);
void position_unsee(unsigned stream, int64_t bytes);

/* This output has, and is that of the descriptor; nobody is told of it. */
bool position_has_grown(int fd, const struct stream_output *output);

/* So many bytes are in the file itself, and recorded. */
void position_seen(unsigned stream, uint64_t bytes);

/* A FILE has written what it held back, all FILEs have, or it dropped it. */
void position_flushed(unsigned stream);
void position_flushed_all(void);
void position_purged(unsigned stream);

/*
 * `fd`, of a regular file, was opened by this program: from here on its
 * open file is told from others of the same file.  Its text goes to `offset`.
 * Returns its stream, or STREAM_PASS.
 */
unsigned position_opened(int fd);

#endif
