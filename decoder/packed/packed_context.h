/*
 * What all messages of a site of a packed log share in one process: the site's
 * definitions with the addresses of that process, as every consumer knows them
 * from captures.  Asked by the reader for each site of a batch.  Promises the
 * same context within a batch as long as nothing more becomes known of it, and
 * one in any case: what is lost is filled in from the index of the batch.
 */
#ifndef DECODER_PACKED_CONTEXT_H
#define DECODER_PACKED_CONTEXT_H

#include "decoder/packed/packed_log.h"

/*
 * To be called between batches: if there are very many, as of thousands of
 * processes, all are forgotten, and made again when they are asked for.
 */
void packed_context_forget(struct packed_log *log);

/*
 * Counts in the log those that definitions are missing of.  Null: out of
 * memory, or the log has taken too much of it.
 */
struct definition_context *packed_context_find(struct packed_log *log,
	const struct packed_row *row, struct packed_process *process);

/*
 * Who has created the thread, which is one of the process; null: not known.
 * Good as long as contexts are.
 */
const struct message_origin *packed_context_origin(struct packed_log *log,
	struct packed_thread *thread, struct packed_process *process);

#endif
