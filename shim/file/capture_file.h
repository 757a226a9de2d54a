/*
 * The capture file of this process: created once by the constructor, shared
 * with forked children, grown block by block.  Called on the slow path only.
 * A full disk, a limit, a closed descriptor or a forbidden system call is a
 * null pointer, never a signal.  Lock-free, async-signal-safe.
 */
#ifndef SHIM_CAPTURE_FILE_H
#define SHIM_CAPTURE_FILE_H

#include "record/layout.h"

/* The mapped header page; null without a capture file. */
extern struct binlog_header *capture_file_header;

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

/* Where in the file that is; and what is there, in our memory (null: it cannot
 * be mapped), for a block that may have been claimed by another process. */
uint64_t capture_file_offset(const void *block);
char *capture_file_place(uint64_t offset, uint32_t size);

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
