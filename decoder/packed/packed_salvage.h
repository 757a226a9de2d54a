/*
 * The messages of a batch that is damaged: those of which every byte is whole.
 * Called by the reader in place of packed_body_decode(), after
 * packed_body_resolve().
 */
#ifndef DECODER_PACKED_SALVAGE_H
#define DECODER_PACKED_SALVAGE_H

#include "decoder/packed/packed_body.h"
#include "decoder/packed/packed_pieces.h"

/* What there is not. */
struct packed_lost {
	uint32_t count; /* of messages, */
	uint32_t first; /* the first of them, by its place in the batch, */
	uint32_t last;	/* and the last */
	uint64_t since; /* not before that, nanoseconds since 1970, */
	uint64_t until; /* and not after that */
};

/* Then packed_body_next() gives them.  False: there are none, or no memory. */
bool packed_salvage(struct packed_body *body,
	const struct packed_pieces *pieces, struct packed_lost *lost);

/*
 * What of the batch that `pieces` is told of is lost, without any definition;
 * `record` is the PIECES at `offset` of the file.  False: all of it.
 */
bool packed_salvage_count(struct packed_pieces *pieces,
	const struct packed_record *record, struct packed_file *file,
	uint64_t offset, struct packed_lost *lost);

/* All of it. */
struct packed_lost packed_lost_all(const struct packed_pieces *pieces);

/* Of a batch at `offset`, part of which is there or nothing. */
void packed_lost_report(const struct packed_lost *lost,
	const struct packed_pieces *pieces, bool part, const char *path,
	uint64_t offset, struct error_list *errors);

#endif
