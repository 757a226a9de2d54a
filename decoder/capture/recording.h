/*
 * One capture file as it is read: its header, an index of its blocks, and
 * bytes out of it.  Opened by the merge's caller, read by the writers'
 * streams.  The file may be growing, cut off or damaged anywhere: what is
 * whole is found, what is not is added to a list of errors.
 */
#ifndef DECODER_RECORDING_H
#define DECODER_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/program.h"
#include "record/layout.h"

struct handed_texts;
struct recording_ring;
struct restore;
struct symbol_answers;

/* A block as its header describes it. */
struct recording_block {
	uint64_t offset; /* of its header in the file */
	struct binlog_anchor anchor;
	uint32_t writer;
	uint32_t sequence;
	uint32_t size; /* bytes; may reach beyond the end of the file */
	uint32_t pid;
	uint32_t process; /* tells processes apart that had the same pid */
	uint32_t tid;
	uint32_t core;
	bool kept;     /* of a ring: it is not overwritten any more */
	bool windowed; /* likewise: what is in windows counts, and only that */
	bool quiet;    /* its calls are counted in `hidden`, and not given out */
};

/* As the header of the block says; its size may be a lie. */
static inline struct recording_block recording_block_at(
	uint64_t offset, const struct binlog_block *head)
{
	return (struct recording_block){
		.offset = offset,
		.anchor = head->anchor,
		.writer = head->writer,
		.sequence = head->sequence,
		.size = head->size,
		.pid = head->pid,
		.process = head->process,
		.tid = head->tid,
		.core = head->core,
	};
}

struct recording {
	const char *path; /* borrowed */
	int fd;		  /* -1: opened for each read */
	uint64_t device;
	uint64_t inode;
	bool has_owner;
	uint32_t owner;	    /* of the file that it was read from */
	uint64_t size;	    /* of the file when it was opened */
	uint64_t read;	    /* bytes of it so far, for progress */
	uint64_t header_at; /* 0, or where it is in a core file */
	struct binlog_header header;
	bool page_lost;	    /* of its page `header` is all, see lost_page.h */
	uint64_t blocks_at; /* no block begins before */
	uint32_t libc;	    /* see record/libc.h; 0: it names none */
	struct recording_block *blocks; /* by writer, then by sequence */
	size_t block_count;
	size_t block_room;
	uint64_t passed;  /* of the header and all blocks */
	uint64_t dropped; /* likewise */
	uint64_t hidden;  /* calls that were read and not given out */
	struct program_table programs;
	struct recording_past *past; /* of recording_read_again() */
	struct binlog_packed freed;  /* of the header page */
	struct binlog_spill spill;   /* likewise */
	struct recording *before;    /* that it comes from; null: not read */
	struct recording_ring *ring; /* null: all was kept */
	bool live; /* read while it grows: live_capture.c has its blocks */
	struct restore *restore; /* null: what is lost stays lost */
	bool text; /* lines of a file that nobody has recorded: no stacks */
	const struct unpacked_file *unpacked; /* read in place of the file */
	bool packed; /* out of a packed log: there is no file, but: */
	struct binlog_founder founder;
	const struct symbol_answers *names; /* null: files are asked */
	const struct handed_texts *handed;  /* likewise */
	struct error_list *errors;
};

/*
 * Opens the file and reads its header and the headers of its blocks; keeps
 * the descriptor if `keep`, otherwise each read opens the file again.  Null:
 * nothing can be read, and `errors` says why.  `errors` is borrowed for as
 * long as the capture lives; `path` is borrowed for as long as `errors` live.
 */
struct recording *recording_open(
	const char *path, bool keep, struct error_list *errors);

/* Likewise the capture in a core file whose header page is at this offset. */
struct recording *recording_open_core(const char *path, uint64_t header_at,
	bool keep, struct error_list *errors);

/*
 * The same of a capture that may grow: nothing is looked for but the header,
 * and the descriptor is kept.
 */
struct recording *recording_open_live(
	const char *path, struct error_list *errors);

/*
 * Up to `size` bytes at `offset` into buffer; returns how many there are.
 * Fewer than asked for mean the end of the file or an error, which is added.
 */
size_t recording_read(
	struct recording *capture, uint64_t offset, void *buffer, size_t size);

/* Likewise at an offset of the header page; nothing when that is lost. */
size_t recording_read_page(
	struct recording *capture, uint64_t at, void *buffer, size_t size);

/*
 * The next offset from `offset` on that is not in a hole of the file; the end
 * of the file when the rest is one.
 */
uint64_t recording_skip_hole(struct recording *capture, uint64_t offset);

/*
 * Adds an error of this file, unless it is only that of what binlog-pack has
 * taken out of it.
 */
void recording_report(struct recording *capture, enum error_code code,
	uint64_t offset, uint64_t number);

/*
 * Whether blocks of a capture are in the file at `path`, whatever it begins
 * with; looks at a bounded part of it.
 */
bool recording_has_blocks(const char *path);

/*
 * Which of them go on with what is in others of them: a process is one and the
 * same in both.  They are closed together.
 */
void recording_link_all(struct recording *const *all, size_t count);

/* The same of one, if those before it were linked. */
void recording_link(struct recording *capture, struct recording *const *all,
	size_t count);

/*
 * Its messages are to be read once more, from the first one on; what was found
 * out of its processes stays for whoever has pointers there.  To be linked
 * again.  False: out of memory.
 */
bool recording_read_again(struct recording *capture);

/* Null is fine. */
void recording_close(struct recording *capture);

enum liveness { LIVENESS_GONE, LIVENESS_ALIVE, LIVENESS_UNKNOWN };

/*
 * Of process `pid` of the capture, which was there at `boottime` (nanoseconds,
 * as in an anchor).
 */
enum liveness liveness_of(
	struct recording *capture, uint32_t pid, uint64_t boottime);

/* Of the boot of this machine that is now; false also if that is not known. */
bool liveness_is_here(const struct recording *capture);

/* The header page's account; zeros where the writer has left none. */
struct binlog_founder liveness_founder(struct recording *capture);

#endif
