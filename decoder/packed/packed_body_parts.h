/*
 * What the messages of a batch are made of.  Private to packed_body.c, which
 * makes messages of it, and packed_columns.c, which gives it out as it is.
 */
#ifndef DECODER_PACKED_BODY_PARTS_H
#define DECODER_PACKED_BODY_PARTS_H

#include "decoder/packed/packed_body.h"

union packed_body_column {
	struct column numbers;
	struct column_strings strings;
};

struct packed_body_row {
	struct definition_context *context; /* of this process: */
	const struct packed_process *process;
	union packed_body_column *columns; /* of the arguments */
};

/* That of a capture; all zeros until it is told. */
struct packed_body_clock {
	struct wall_segment segment;
	bool told;
};

/* Before the message at `at`: its clocks. */
void packed_body_turn_clocks(struct packed_body *body);

static inline uint64_t packed_body_clock_time(
	const struct packed_body_clock *clock, uint64_t ticks)
{
	return clock->told ? wall_segment_time(&clock->segment, ticks) : 0;
}

#endif
