/*
 * The captures that packed logs tell of, as if they had been opened: header,
 * processes, what they lost, but no file.  Filled by the readers of all logs
 * of a run, and shared by them: a capture that several logs tell of is one.
 * They and their processes last until the end, as styles expect it.
 */
#ifndef DECODER_PACKED_CAPTURE_H
#define DECODER_PACKED_CAPTURE_H

#include "decoder/capture/handed_texts.h"
#include "decoder/capture/recording.h"
#include "decoder/names/symbol_answers.h"
#include "decoder/packed/packed_inflate.h"
#include "decoder/packed/packed_record.h"

struct packed_captures {
	struct recording **all; /* in the order in which they were met */
	size_t count;
	size_t room;
	struct id_map known; /* by a hash of what a PREAMBLE says */
	struct pool pool;    /* their names */
	struct error_list *errors;
	struct restore *restore;
	struct symbol_answers names;   /* that the logs have brought along, */
	struct handed_texts handed;    /* likewise */
	struct packed_inflate inflate; /* of these */
	struct packed_buffer inflated;
};

/* The capture of a PREAMBLE.  Null: out of memory. */
struct recording *packed_capture_find(
	struct packed_captures *captures, const struct packed_record *preamble);

/*
 * One whose PREAMBLE is lost, or is yet to come: a log is at `path`, which is
 * borrowed.  Null: out of memory.
 */
struct recording *packed_capture_make(
	struct packed_captures *captures, const char *path);

/* What the PREAMBLE says of one that was made without it. */
void packed_capture_describe(struct packed_captures *captures,
	struct recording *capture, const struct packed_record *preamble);

/*
 * Takes a LOSS: reports it, as when the capture was read.  Of no capture
 * (null), it is of the log at `path`.
 */
void packed_capture_lose(struct packed_captures *captures, const char *path,
	struct recording *capture, const struct packed_record *loss);

/* Takes a CAPTURE_END, but for what it says of each process. */
void packed_capture_finish(
	struct recording *capture, const struct packed_record *end);

void packed_captures_free(struct packed_captures *captures);

#endif
