/*
 * The index of a batch: its sites, writers, modules and clocks, as
 * record/packed.h has them.  Filled by the reader from a BATCH; checked as far
 * as it can be without the body, and all of it in memory that is used again.
 */
#ifndef DECODER_PACKED_INDEX_H
#define DECODER_PACKED_INDEX_H

#include "decoder/capture/wall_clock.h"
#include "decoder/packed/packed_inflate.h"
#include "decoder/packed/packed_log.h"

struct packed_index_writer {
	uint32_t thread; /* ids in the log */
	uint32_t capture;
	uint32_t process;
	uint32_t pid;
	uint32_t tid;
	uint32_t messages;
};

/* From message `from` of the batch on, this is its capture's. */
struct packed_clock {
	uint32_t capture;
	uint32_t from;
	struct wall_segment segment;
};

/* All zeros before the first use. */
struct packed_index {
	uint64_t number; /* of the BATCH record */
	uint32_t count;
	uint64_t first;
	uint64_t last;
	struct packed_row *rows;
	size_t row_count;
	size_t row_room;
	struct packed_index_writer *writers;
	size_t writer_count;
	size_t writer_room;
	struct packed_clock *clocks; /* by `from` */
	size_t clock_count;
	size_t clock_room;
	struct packed_buffer bytes;
	msgpack_zone *zone;
};

/*
 * Takes a BATCH's numbers and its index; modules that are not defined become
 * so in the log.  False: it makes no sense, or there is no memory.
 */
bool packed_index_read(struct packed_index *index, struct packed_log *log,
	const struct packed_record *batch, struct packed_inflate *inflate);

/* Gives back what is only needed for reading. */
void packed_index_spare(struct packed_index *index);

void packed_index_free(struct packed_index *index);

#endif
