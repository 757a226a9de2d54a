/*
 * The definitions of a packed log: what messages share, each content once over
 * all writers, processes and captures, and written into the log before its
 * first use in each part.  Used by pack.c and pack_batch.c.  Captures and
 * their programs must stay open until they are forgotten.
 */
#ifndef DECODER_PACK_DEFINE_H
#define DECODER_PACK_DEFINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pack_table.h"
#include "decoder/capture/message.h"
#include "decoder/names/locations.h"
#include "decoder/pack/frame_write.h"

struct pack_define;
struct pack_handed;

struct pack_symbols_frame {
	size_t function; /* where it begins in `text`, plus 1; 0: unknown */
	size_t file;	 /* likewise */
	struct symbolizer_frame answer; /* without these two */
};

/* All zeros but `locations` and `define` is ready. */
struct pack_symbols {
	struct locations *locations; /* that are asked */
	struct pack_define *define;
	struct pack_table questions;
	/* The rest is of the question that is being answered. */
	struct pack_entry *asked; /* null: it is in this part already */
	struct pack_symbols_frame *frames;
	size_t count;
	size_t room;
	struct render_buffer text;
	bool failed; /* out of memory */
};

/* And of what its arguments point to, in programs and libraries. */
void pack_symbols_pointers(
	struct pack_symbols *symbols, const struct message *message);

/* The log has a new number: nothing is written yet. */
void pack_symbols_forget(struct pack_symbols *symbols);

void pack_symbols_free(struct pack_symbols *symbols);

struct pack_symbols;

/* What changes in a capture, or is only of use while it is open. */
struct pack_capture {
	struct recording *capture; /* null: it has ended */
	struct wall_segment clock; /* the one of the current batch */
	uint32_t clock_batch;	   /* which that is */
	uint32_t clock_message;	   /* in it, from which on it holds */
};

struct pack_process {
	const struct program *program; /* null: its capture has ended */
	uint32_t capture;
	uint32_t part;	 /* that these are written in: */
	size_t mappings; /* so many, and a description: */
	const char *executable;
	const char *directory;
};

struct pack_define {
	struct frame_write *frame;
	struct pack_table captures;
	struct pack_table processes;
	struct pack_table threads;
	struct pack_table modules;
	struct pack_table strings;
	struct pack_table backtraces;
	struct pack_table streams;
	struct pack_table sites;
	struct pack_capture *capture_states; /* by id - 1 */
	size_t capture_room;
	struct pack_process *process_states; /* likewise */
	size_t process_room;
	struct render_buffer content; /* of a definition in the making */
	uint32_t serial; /* of the log, among all of this process */
	uint32_t part;	 /* likewise of the part, in the log; from 1 */
	struct pack_symbols *symbols; /* of stacks; null: none are written */
	struct pack_handed *handed;   /* likewise what their calls hand on */
	uint32_t last_backtrace;      /* id of the latest in this part, or 0 */
	bool failed;		      /* out of memory */
};

/* A log with other ids: all is forgotten.  The frames know its number. */
void pack_define_begin(struct pack_define *define, struct frame_write *frame);

/* From here on all is to be written again. */
void pack_define_part(struct pack_define *define);

/*
 * Each gives the entry of what it is given, which is written in this part now
 * with all that it refers to.  Null: out of memory.
 */
struct pack_entry *pack_define_capture(
	struct pack_define *define, struct recording *capture);
struct pack_entry *pack_define_process(struct pack_define *define,
	struct recording *capture, const struct program *program);
struct pack_entry *pack_define_thread(
	struct pack_define *define, const struct message *message);
struct pack_entry *pack_define_site(
	struct pack_define *define, const struct message *message);

/* The id of a module, which need not be written yet.  0: out of memory. */
uint32_t pack_define_module(
	struct pack_define *define, const struct program_module *module);

/* What an entry of `sites` or `threads` needs, which has the message, is
 * written in this part. */
bool pack_define_again_site(struct pack_define *define, struct pack_entry *site,
	const struct message *message);
bool pack_define_again_thread(struct pack_define *define,
	struct pack_entry *thread, const struct message *message);

/* The capture, by id, that a thread is in. */
uint32_t pack_define_capture_of(
	const struct pack_define *define, const struct pack_entry *thread);

/* The process of a thread: its newest mappings are written, too. */
bool pack_define_mappings(
	struct pack_define *define, const struct pack_entry *thread);

/* The capture is about to be closed. */
void pack_define_forget(
	struct pack_define *define, const struct recording *capture);

/* Bytes of memory that all definitions take. */
size_t pack_define_bytes(const struct pack_define *define);

void pack_define_free(struct pack_define *define);

#endif
