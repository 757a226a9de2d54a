/*
 * Columns of numbers of a batch (record/packed.h), in the encoding that takes
 * the least once it is compressed, as far as that can be told quickly.  Used
 * by pack_batch.c and by the columns of strings.  Keeps memory only.
 */
#ifndef DECODER_COLUMN_WRITE_H
#define DECODER_COLUMN_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/render_buffer.h"
#include "decoder/pack/pack_choice.h"
#include "record/packed.h"

/* All zeros to begin with. */
struct column_write {
	uint64_t *numbers; /* differences, places, quotients */
	size_t numbers_room;
	uint64_t *group; /* the values of one site, or all phrases */
	size_t group_room;
	uint32_t *slots; /* of a hash table: 1 + place, 0: free */
	size_t slots_room;
	struct render_buffer other; /* the same column in another way */
	struct render_buffer compressed;
	struct ZSTD_CCtx_s *zstd;
};

/* Which messages are of which site: all of one, then all of the next. */
struct column_write_groups {
	const uint32_t *order;	/* places of messages in the batch */
	const uint32_t *counts; /* of each site */
	size_t count;		/* of sites */
};

/* Appends a column of `count` numbers, of at least 1. */
void column_write_numbers(struct column_write *writer,
	struct render_buffer *out, const uint64_t *values, size_t count);

/* The same, and they may have more in common within each site. */
void column_write_grouped(struct column_write *writer,
	struct render_buffer *out, const uint64_t *values, size_t count,
	const struct column_write_groups *groups, struct pack_choice *choice);

/* `count` elements of `size`; false: out of memory. */
bool column_write_room(void **array, size_t *room, size_t count, size_t size);

/*
 * An empty hash table of at least twice `count` slots; the mask of its places,
 * 0: out of memory.
 */
size_t column_write_slots(struct column_write *writer, size_t count);

/* Room for as many in `numbers` or `group`; false: out of memory. */
bool column_write_reserve_numbers(struct column_write *writer, size_t count);
bool column_write_reserve_group(struct column_write *writer, size_t count);

/*
 * Of what is in `out` from `start` on, and in `other`, keeps in `out` what is
 * less once it is compressed; whether that is the other.
 */
bool column_write_keep_better(struct column_write *writer,
	struct render_buffer *out, size_t start,
	const struct render_buffer *other);

/*
 * How many bytes these are once they are compressed; SIZE_MAX: out of memory.
 */
size_t column_write_compressed(
	struct column_write *writer, const char *bytes, size_t size);

void column_write_free(struct column_write *writer);

#endif
