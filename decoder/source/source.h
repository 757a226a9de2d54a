/*
 * One stream of messages out of all that was given: captures through their
 * merge, and each packed log through its reader, in the order of the calls.
 * Called by binlog-show.  Logs are merged by wall time, pieces of a call stay
 * together; a log is open only from the time of its first message on until
 * its last.
 */
#ifndef DECODER_SOURCE_H
#define DECODER_SOURCE_H

#include "decoder/packed/packed_batch.h"
#include "decoder/packed/packed_reader.h"
#include "decoder/source/capture_list.h"

struct source;

/*
 * Of a list that outlives it, as do `errors`; restore may be null.  Null: out
 * of memory.
 */
struct source *source_new(const struct capture_list *list,
	struct restore *restore, struct error_list *errors);

/* Reads packed logs on where they end, as long as `more` says so; to be called
 * before source_next(). */
void source_follow(struct source *source, packed_more *more, void *closure);

/* Asks for each batch whether it is wanted; to be called before source_next().
 */
void source_filter(struct source *source, packed_wants *wants, void *closure);

/*
 * Offers them as columns, too, with the same closure.  With `ordered` only if
 * they are the only input, since others may have messages in between.
 */
void source_fold(struct source *source, packed_fold *fold, bool ordered);

/*
 * Where there are only captures: merge_hide(), before the first message, and
 * merge_was_by_wall() after the last one.
 */
uint64_t source_hide(struct source *source, uint64_t bytes);
bool source_was_by_wall(const struct source *source);

/* The next message, valid until the next call.  Null: that was all. */
const struct message *source_next(struct source *source);

/* Reads packed logs for all but their messages, instead of source_next(). */
void source_skim(struct source *source);

/*
 * The captures that packed logs have told of so far; they last as long as the
 * source.
 */
struct recording *const *source_packed(
	const struct source *source, size_t *count);

/* Bytes of packed logs so far, for progress; lasts as long as the source. */
const uint64_t *source_read(const struct source *source);

/* Null is fine. */
void source_free(struct source *source);

#endif
