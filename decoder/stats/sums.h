/*
 * What somebody else has added up, for the styles that show sums: a server that
 * has the messages.  Called instead of giving them messages; what they show is
 * the same.
 */
#ifndef DECODER_SUMS_H
#define DECODER_SUMS_H

#include <stdint.h>

#include "decoder/capture/message.h"

/* To the state of style_count. */
void sums_add_count(void *state, uint64_t messages);

/* Calls from one place, of which this is an example. */
struct sums_said {
	uint64_t messages;
	uint64_t bytes; /* of their texts */
	uint64_t first; /* nanoseconds since 1970 */
	uint64_t last;
};

/* To the state of style_stats.  The text of the example is not looked at. */
void sums_add_said(void *state, const struct message *example,
	const struct sums_said *said);

#endif
