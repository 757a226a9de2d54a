/*
 * The capture file of this process: created once by the constructor, shared
 * with forked children, grown block by block.  Called on the slow path only.
 * A full disk, a limit, a closed descriptor or a forbidden system call is a
 * null pointer, never a signal.  Lock-free, async-signal-safe.
 */
#ifndef SHIM_CAPTURE_FILE_H
#define SHIM_CAPTURE_FILE_H

#include "record/layout.h"
#include "shim/file/segment.h"

/* The mapped header page; null without a capture file. */
extern struct binlog_header *capture_file_header;

/* How many times another capture has taken the place of this process's. */
extern HIDDEN uint32_t capture_file_number;

/* Both of one moment. */
struct binlog_header *capture_file_current(uint32_t *number);

/* Bytes of the longest path. */
#define CAPTURE_FILE_PATH 4096u

/*
 * Creates `path` (mode 0600), and its directory (0700), for at most `max_bytes`
 * and maps it; without a name, or under one that readers do not look for, until
 * the header is written.  *header is copied into its first page.  `path` is
 * changed, and as it was afterwards, and ours as long as there is the file.
 * False: no file, nothing left.
 */
bool capture_file_create(
	char *path, uint64_t max_bytes, const struct binlog_header *header);

/*
 * Or shares the one at `path`, which this user has made, if another process has
 * it mapped, nobody else can change what the path leads to, and it `fits`.
 * `path` likewise.  False: all is as it was.
 */
bool capture_file_join(char *path, uint64_t max_bytes,
	bool (*fits)(const struct binlog_header *header));

/*
 * Before it is created: what is too much in its directory goes, see quota.h, if
 * nobody else can change what the path leads to.  `path` is changed, and as it
 * was afterwards.
 */
void capture_file_make_room(char *path);

/* Makes a directory of mode 0700, whatever the umask is, unless there is
 * something; none above it. */
void capture_file_make_directory(const char *path);

/*
 * A zeroed block of `size` bytes (a multiple of BINLOG_PAGE, at most
 * BINLOG_BLOCK_MAX), mapped and backed by disk, so that stores into it cannot
 * fail.  Null: the cap is reached, the disk nearly full, or there is another
 * limit; then it is not tried again for a few milliseconds.
 */
void *capture_file_claim(uint32_t size);

/* Likewise of the capture with that number; null also if that is another by
 * now. */
void *capture_file_claim_of(uint32_t number, uint32_t size);

/* Where in the file that is; and what is there, in our memory (null: it cannot
 * be mapped), for a block that may have been claimed by another process. */
uint64_t capture_file_offset(const void *block);
char *capture_file_place(uint64_t offset, uint32_t size);

/*
 * To go on in another capture, by one thread at a time: prepare, stop, turn,
 * and go on.  The next one is made like the first; null: it could not be.  All
 * else is about the old one until capture_file_turn(), which hands over where
 * that is mapped: it stays so.  Between capture_file_stop(), which gives up
 * where that takes too long (false: all is as it was), and
 * capture_file_go_on(), who claims a block waits.  capture_file_drop(): it is
 * not to be used after all.
 */
struct binlog_header *capture_file_prepare(
	char *path, uint64_t max_bytes, const struct binlog_header *header);
bool capture_file_stop(void);
unsigned capture_file_turn(struct segment_range range[SEGMENT_RANGES]);
void capture_file_go_on(void);
void capture_file_drop(const char *path);

/* The disk of this directory has room for so much more. */
bool capture_file_may_begin(const char *directory, uint64_t bytes);

/* In a child of fork: threads that were at it are not there. */
void capture_file_is_child(void);

/* So much of the end of a capture is for capture_file_claim_last() alone, which
 * is like capture_file_claim(): for calls that have begun there. */
void capture_file_keep_back(uint64_t bytes);
void *capture_file_claim_last(uint32_t number, uint32_t size);

/*
 * This process has other memory where a block is that it shares with others.
 * What is packed and freed may be handed out again: not to us from here on.
 */
void capture_file_keep_off(void);
bool capture_file_keeps_off(void);

/*
 * A store to `address` has raised SIGBUS: if that is in the capture, somebody
 * has cut the file off.  Puts private memory there, so that the store may be
 * tried again, and gives no more blocks.  False: it is not, or cannot be done.
 */
bool capture_file_mend(const void *address);

/*
 * There are zeros where a block is, at `at` in that capture: somebody has cut
 * the file just before it was made longer, and who stores behind the cut is not
 * told.  Cuts it there once more, so that everybody is, and gives no more
 * blocks.
 */
void capture_file_was_cut(uint32_t number, uint64_t at);

/*
 * Before system calls become impossible: what all threads, and the children,
 * can still claim then.
 */
void capture_file_stock(void);

/*
 * A record that is no writer's, alone in a block: `bytes` of room for what it
 * says, at *at in the file.  Null: there is none.
 */
char *capture_file_note(uint32_t kind, size_t bytes, uint64_t *at);

#endif
