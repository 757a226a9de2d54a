/*
 * What the ids of one packed log mean: filled with its definitions by the
 * reader, asked for what a batch needs.  The same id always means the same, so
 * a definition that comes again in a later part costs nothing; where one is
 * missing, what the index of the batch says takes its place until it comes.
 */
#ifndef DECODER_PACKED_LOG_H
#define DECODER_PACKED_LOG_H

#include "base/id_map.h"
#include "decoder/capture/message.h"
#include "decoder/packed/packed_capture.h"
#include "decoder/packed/packed_record.h"

/* Where a module is in a process: each part of the log says it again. */
struct packed_place {
	uint64_t bias;
	uint64_t part; /* of the log that says so */
};

struct packed_process {
	bool described; /* all of it */
	struct recording *capture;
	struct program *program;
	struct id_map places; /* the latest of each module */
	uint64_t part;	      /* of the latest place */
	uint64_t moved;	      /* a hash of the moves of modules in that part */
	const struct packed_process *parent; /* in the same capture, or null */
	struct packed_process *older; /* the one made before it, or null */
};

struct packed_thread {
	struct packed_process *process; /* null: not defined */
	uint32_t tid;
	const char *name; /* ends in NUL */
	uint64_t coroutine; /* of its process, that it runs; 0: none */
	/* Who has created it; contexts are for packed_context.c to fill. */
	struct message_origin origin;
	uint32_t *origin_sites; /* as many ids */
};

/* What the index of a batch says of a site. */
struct packed_row {
	uint32_t id;
	uint32_t messages;
	uint16_t text;
	uint16_t flags;
	uint32_t stream_flags;
	const uint8_t *kinds;
	size_t arguments;
	const struct program_module *format_module; /* null: none */
	uint64_t format;
	const struct program_module *call_module;
	uint64_t call; /* the return address */
};

struct packed_log {
	uint64_t number;
	const char *path; /* of the file that it is in; borrowed */
	bool has_owner;
	uint32_t owner; /* of that file */
	struct packed_captures *all_captures;
	struct id_map captures; /* struct recording */
	struct id_map modules;
	struct id_map magics; /* modules by what DATA records call them */
	struct id_map processes;
	struct id_map threads;
	struct id_map strings;
	struct id_map streams;
	struct id_map traces;
	struct id_map calls;	/* SITEs */
	struct id_map contexts; /* by a hash of site and process, in: */
	struct pool context_pool;
	struct packed_process *newest;
	uint64_t module_count;
	uint64_t part; /* of the record that was read last */
	struct pool pool;
	size_t bytes;	   /* that were taken from it */
	size_t map_bytes;  /* of names of modules in processes */
	uint64_t left_out; /* bytes that were too many */
	uint64_t lost;	   /* contexts that definitions are missing of */
	/* For the reader: */
	uint64_t next; /* the number that the next message should have */
	uint64_t until; /* of the last message before, about, or 0 */
	uint64_t used; /* when, in frames */
	bool begun;
	bool ended;
	bool lacks; /* no memory for something, and it was told */
};

/* Borrows both.  Null: out of memory. */
struct packed_log *packed_log_new(
	uint64_t number, const char *path, struct packed_captures *captures);

/* Memory that lasts as long as the log.  Null: there is none, or too much is
 * taken already. */
void *packed_log_take(struct packed_log *log, size_t size);

/* Likewise, with a NUL after the bytes. */
char *packed_log_copy(struct packed_log *log, struct packed_bytes bytes);

/* Something is not there that was defined: no memory. */
bool packed_log_lacks(const struct packed_log *log);

void packed_log_free(struct packed_log *log);

/* Definitions as they are kept. */
struct packed_string {
	struct definition_string string;     /* its address: in the module */
	const struct program_module *module; /* null: none, or not defined */
	bool whole; /* all that it refers to is defined */
};

struct packed_trace {
	size_t depth;
	const struct program_module **modules; /* null: none, or not defined */
	uint64_t *offsets;
	bool whole;
};

/* A SITE. */
struct packed_call {
	uint16_t text;
	uint16_t flags;
	bool has_format;
	const struct packed_string *format; /* these may be missing */
	const struct packed_string *function;
	const struct definition_stream *stream;
	const struct packed_trace *trace;
	const uint8_t *kinds;
	size_t arguments;
	bool whole;
	uint32_t version; /* how often it was defined */
};

const struct packed_call *packed_log_call(
	const struct packed_log *log, uint32_t id);

/* Null: not defined. */
struct recording *packed_log_capture(const struct packed_log *log, uint32_t id);
struct packed_thread *packed_log_thread(
	const struct packed_log *log, uint32_t id);

/*
 * The process with this id, made up of what the index of a batch says if it is
 * not defined.  Null: out of memory.
 */
struct packed_process *packed_log_process(
	struct packed_log *log, uint32_t id, uint32_t capture, uint32_t pid);

/* Enters one that is not there yet. */
struct packed_process *packed_log_make_process(struct packed_log *log,
	uint32_t id, uint32_t capture, uint32_t pid, uint32_t number);

/* The executable of a PREAMBLE, which DATA records may name. */
void packed_log_executable(
	struct packed_log *log, const struct program_module *file);

/*
 * The module with this MAGIC (packed_fields.def), as DATA records have it.
 * Null: not defined.
 */
const struct program_module *packed_log_named(
	const struct packed_log *log, uint64_t magic);

/*
 * The module with this id, which becomes `file` if it is not defined; `start`
 * of it says how many were defined before.  Null: out of memory.
 */
const struct program_module *packed_log_module(
	struct packed_log *log, uint32_t id, const struct program_module *file);

/* Null: it is not known. */
const struct packed_place *packed_log_place(
	const struct packed_process *process,
	const struct program_module *module);

/* Puts it there.  Null: out of memory or of room. */
const struct packed_place *packed_log_map(struct packed_log *log,
	struct packed_process *process, const struct program_module *module,
	uint64_t start, uint64_t end, uint64_t bias);

#endif
