/*
 * Messages that say themselves how long they took: events of Heph traces, of
 * which the format ends so.  Used by whoever shows spans and slices.
 */
#ifndef DECODER_TOOK_H
#define DECODER_TOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/capture/message.h"

/* What such messages name as the function that was called. */
#define TOOK_FUNCTION "heph"
/* Before the newline; the last two arguments are these. */
#define TOOK_FORMAT " took=%lu substream=%lu"

struct took {
	uint64_t nanoseconds; /* not 0 */
	uint64_t substream;
	size_t format_bytes; /* of the format, without how long it took */
};

/* False: it is of one moment. */
bool took_of(const struct message *message, struct took *took);

#endif
